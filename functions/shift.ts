import { Problem } from '../shared/errors.ts'
import { addMonths } from '../shared/local-day.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import {
  type Shift,
  type ShiftVersion,
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
import { type Item, save, type Table } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'
import { inOrder } from './kit/words.ts'
import { addShift, keepVersion, nameTaken } from './shift/add.ts'
import { isUsed, removeShift } from './shift/remove.ts'
import { countsOtherwise, shiftOf } from './shift/version.ts'

/** The most months of use to show for a shift. */
const mostMonthsShown = 12

/** New shifts come last, so that no other shift changes its place and key on the board. */
const placeOf = ({ addedAt = '', kind, onDuty, name }: Shift) =>
  `${addedAt} ${kind === 'weekly' ? 1 : 0}${onDuty}${name}`

const read = async (table: Table, id: string): Promise<Item<Shift>> => {
  const shift = await table.get(shiftKey(id))
  if (!shift) throw new Problem(60004, { id: 60004 })
  return shift
}

/** The person and the time of a save. */
const savedBy = ({ employee }: Caller) => ({ by: employee.id, at: new Date().toISOString() })

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
      list: list.map(({ kind = 'fixed', addedAt: _, ...shift }, i) => ({ ...shift, kind, isUsed: used[i] ?? false })),
      ...(next && { next }),
    }
  },

  'shift/all': async (_, { table }) => ({
    list: (await table.all<Shift>({ pk: shiftKey('').pk }))
      .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
      .map(({ id, name, color, kind = 'fixed', onDuty, offDuty, punchStart, punchEnd, weekly }) => ({
        ...{ id, name, color, kind, onDuty, offDuty, punchStart, punchEnd },
        ...(kind === 'weekly' && { targetMinutes: weekly?.targetMinutes }),
      })),
  }),

  'shift/add': async (form, caller) => {
    const id = newId()
    await save(...addShift(caller.table, shiftOf(id, form), savedBy(caller)))
    return { id }
  },

  'shift/update': async ({ id, version, ...form }, caller) => {
    const { table } = caller
    const changed = shiftOf(id, form)
    const before = await read(table, id)
    const after = { ...changed, ...(before.addedAt && { addedAt: before.addedAt }) }
    const [oldName, name] = [shiftNameKey(before.name), shiftNameKey(after.name)]
    // Store the task even for an unused shift, because a concurrent call may assign it now. The task reads the shift's
    // users after the save.
    const isOwed = countsOtherwise(before, after)
    const { writes, ...owed } = owe(caller, 'shift/update', isOwed ? { id, version, ...form } : undefined)
    await save(
      table.replace(shiftKey(id), { ...after, version }),
      ...(oldName.sk === name.sk ? [] : [table.remove(oldName), table.insert(name, { shift: id }, nameTaken)]),
      keepVersion(table, after, version + 1, savedBy(caller)),
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
      list: list.map(({ number, by, kind = 'fixed', addedAt: _, ...shift }) => ({
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
    if (!(await removeShift(table, shift))) throw new Problem(60016)
    return {}
  },
})
