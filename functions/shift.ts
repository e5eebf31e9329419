import { validateShift } from '../shared/attendance/shift.ts'
import { type Fields, Problem } from '../shared/errors.ts'
import { fold } from '../shared/fold.ts'
import { type Shift, shiftClaimKey, shiftKey, shiftPaths, shiftUseKey } from '../shared/shift.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { type Item, save, type Table } from './kit/table.ts'

/** The engine's own rules for a shift, answered at the field. The first code of the catalogue names the whole. */
const checkRules = (form: Parameters<typeof validateShift>[0]) => {
  const findings = validateShift(form)
  const [first] = findings
  if (!first) return
  const fields: Fields = {}
  for (const { field, code } of findings) fields[field] ??= code
  throw new Problem(findings.find(({ code }) => code !== 10002)?.code ?? 10002, fields)
}

const inOrder = new Intl.Collator('en', { numeric: true }).compare

const isUsed = async (table: Table, shift: string) => {
  const found = await Promise.all(
    [shiftUseKey(shift, '', ''), shiftClaimKey(shift, '')].map(({ pk }) => table.page({ pk, size: 1 })),
  )
  return found.some(({ list }) => list.length > 0)
}

const read = async (table: Table, id: string): Promise<Item<Shift>> => {
  const shift = await table.get(shiftKey(id))
  if (!shift) throw new Problem(60004, { id: 60004 })
  return shift
}

export const handler = lambda(shiftPaths, {
  'shift/grid': async ({ filters, sort, size, page }, { table }) => {
    const search = fold(filters.search ?? '')
    const found = (await table.all<Shift>({ pk: shiftKey('').pk }))
      .filter(({ name }) => fold(name).includes(search))
      .sort((one, other) => inOrder(one[sort.by], other[sort.by]) || inOrder(one.id, other.id))
    if (sort.descending) found.reverse()
    const { list, next } = await table.slice(found, { name: `shift ${JSON.stringify([search, sort])}`, size, page })
    const used = await Promise.all(list.map(({ id }) => isUsed(table, id)))
    return {
      count: found.length,
      list: list.map((shift, i) => ({ ...shift, isUsed: used[i] ?? false })),
      ...(next && { next }),
    }
  },

  'shift/all': async (_, { table }) => ({
    list: (await table.all<Shift>({ pk: shiftKey('').pk })).map(({ id, name, color, onDuty, offDuty }) => ({
      id,
      name,
      color,
      onDuty,
      offDuty,
    })),
  }),

  'shift/add': async (form, { table }) => {
    checkRules(form)
    const id = newId()
    await save(table.insert(shiftKey(id), { id, ...form }))
    return { id }
  },

  'shift/update': async (form, { table }) => {
    checkRules(form)
    await read(table, form.id)
    await save(table.replace(shiftKey(form.id), form))
    return {}
  },

  'shift/delete': async ({ id }, { table }) => {
    const shift = await read(table, id)
    if (await isUsed(table, id)) throw new Problem(60016)
    // Marked first and looked at again: whoever schedules it looks at it again after that.
    await save(table.replace(shiftKey(id), { ...shift, leavingAt: new Date().toISOString() }))
    if (await isUsed(table, id)) {
      await save(table.replace(shiftKey(id), { ...shift, version: shift.version + 1 }))
      throw new Problem(60016)
    }
    await save(table.remove(shiftKey(id), shift.version + 1))
    return {}
  },
})
