import { Problem } from '../shared/errors.ts'
import { addMonths } from '../shared/local-day.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import {
  type Shift,
  type ShiftVersion,
  shiftClaimKey,
  shiftKey,
  shiftNameKey,
  shiftPaths,
  shiftUseKey,
  shiftVersionKey,
} from '../shared/shift.ts'
import { readNamesFor } from './employee/store.ts'
import type { Caller } from './kit/caller.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { type Item, save, type Table, type Write } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'
import { inOrder } from './kit/words.ts'
import { countsOtherwise, shiftOf } from './shift/version.ts'

/** The most months of use to show for a shift. */
const mostMonthsShown = 12

const nameTaken = { code: 60060, fields: { name: 60060 } } as const

const isUsed = async (table: Table, shift: string) => {
  const pages = await Promise.all(
    [shiftUseKey(shift, '', ''), shiftClaimKey(shift, '')].map(({ pk }) => table.page({ pk, size: 1 })),
  )
  return pages.some(({ list }) => list.length > 0)
}

const read = async (table: Table, id: string): Promise<Item<Shift>> => {
  const shift = await table.get(shiftKey(id))
  if (!shift) throw new Problem(60004, { id: 60004 })
  return shift
}

/** Keeps each version of a shift for its history. */
const keepVersion = ({ table, employee }: Caller, shift: Shift, number: number): Write =>
  table.insert(shiftVersionKey(shift.id, number), { ...shift, number, by: employee.id, at: new Date().toISOString() })

export const handler = lambda(shiftPaths, {
  'shift/grid': async ({ filters, sort, size, page }, { table }) => {
    const search = searchQuery(filters.search ?? '')
    const matching = (await table.all<Shift>({ pk: shiftKey('').pk }))
      .filter(({ name }) => searchText(name).includes(search))
      .sort((one, other) => inOrder(one[sort.by], other[sort.by]) || inOrder(one.id, other.id))
    if (sort.descending) matching.reverse()
    const { list, next } = await table.slice(matching, { name: `shift ${JSON.stringify([search, sort])}`, size, page })
    const used = await Promise.all(list.map(({ id }) => isUsed(table, id)))
    return {
      count: matching.length,
      list: list.map(({ kind = 'fixed', ...shift }, i) => ({ ...shift, kind, isUsed: used[i] ?? false })),
      ...(next && { next }),
    }
  },

  'shift/all': async (_, { table }) => ({
    list: (await table.all<Shift>({ pk: shiftKey('').pk })).map(
      ({ id, name, color, kind = 'fixed', onDuty, offDuty, punchStart, punchEnd, weekly }) => ({
        ...{ id, name, color, kind, onDuty, offDuty, punchStart, punchEnd },
        ...(kind === 'weekly' && { targetMinutes: weekly?.targetMinutes }),
      }),
    ),
  }),

  'shift/add': async (form, caller) => {
    const { table } = caller
    const id = newId()
    const shift = shiftOf(id, form)
    await save(
      table.insert(shiftKey(id), shift),
      table.insert(shiftNameKey(shift.name), { shift: id }, nameTaken),
      keepVersion(caller, shift, 1),
    )
    return { id }
  },

  'shift/update': async ({ id, version, ...form }, caller) => {
    const { table } = caller
    const after = shiftOf(id, form)
    const before = await read(table, id)
    const [oldName, name] = [shiftNameKey(before.name), shiftNameKey(after.name)]
    // Store the task even for an unused shift, because a concurrent call may assign it now. The task reads the shift's
    // users after the save.
    const isOwed = countsOtherwise(before, after)
    const { writes, ...owed } = owe(caller, 'shift/update', isOwed ? { id, version, ...form } : undefined)
    await save(
      table.replace(shiftKey(id), { ...after, version }),
      ...(oldName.sk === name.sk ? [] : [table.remove(oldName), table.insert(name, { shift: id }, nameTaken)]),
      keepVersion(caller, after, version + 1),
      ...writes,
    )
    return owed
  },

  'shift/preview': async (input, caller) => {
    const { table } = caller
    const after = shiftOf(input.id, input)
    const before = await read(table, input.id)
    if (before.version !== input.version) throw new Problem(60006)
    const holder = await table.get(shiftNameKey(after.name))
    if (holder && holder.shift !== input.id) throw new Problem(nameTaken.code, nameTaken.fields)
    return beginTask(caller, 'shift/preview', input)
  },

  'shift/version/grid': async ({ filters: { id }, size, page }, caller) => {
    const { list, next } = await caller.table.page<ShiftVersion>({
      pk: shiftVersionKey(id, 1).pk,
      reverse: true,
      size,
      page,
    })
    const names = await readNamesFor(
      caller,
      list.map(({ by }) => by),
    )
    return {
      list: list.map(({ number, by, kind = 'fixed', ...shift }) => ({
        ...{ ...shift, kind, version: number },
        by: names.get(by),
      })),
      ...(next && { next }),
    }
  },

  'shift/use': async ({ id }, { table }) => {
    await read(table, id)
    const { pk } = shiftUseKey(id, '', '')
    const at = async (reverse: boolean) => (await table.page<{ month: string }>({ pk, size: 1, reverse })).list[0]
    const [first, last] = await Promise.all([at(false), at(true)])
    if (!first || !last) return { list: [] }
    const months = Array.from({ length: mostMonthsShown }, (_, ago) => addMonths(`${last.month}-01`, -ago).slice(0, 7))
    const list = await Promise.all(
      months
        .filter(month => month >= first.month)
        .map(async month => ({ month, employees: await table.count({ pk, prefix: `${month}#` }) })),
    )
    return { since: first.month, list: list.filter(({ employees }) => employees > 0) }
  },

  'shift/delete': async ({ id }, { table }) => {
    const shift = await read(table, id)
    if (await isUsed(table, id)) throw new Problem(60016)
    // Mark as leaving, then re-check: a scheduling call claims the shift, then reads the mark.
    await save(table.replace(shiftKey(id), { ...shift, leavingAt: new Date().toISOString() }))
    if (await isUsed(table, id)) {
      await save(table.replace(shiftKey(id), { ...shift, version: shift.version + 1 }))
      throw new Problem(60016)
    }
    await save(table.remove(shiftKey(id), shift.version + 1), table.remove(shiftNameKey(shift.name)))
    return {}
  },
})
