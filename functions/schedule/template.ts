import type { PathInput, PathOutput } from '../../shared/api.ts'
import { Problem } from '../../shared/errors.ts'
import { templateLimits } from '../../shared/schedule/limit.ts'
import { type ScheduleTemplate, scheduleTemplateKey, scheduleTemplateNameKey } from '../../shared/schedule/template.ts'
import { shiftKey } from '../../shared/shift.ts'
import type { Caller } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import { inOrder } from '../kit/words.ts'

// Stores the rotation templates of a company.

const nameTaken = { code: 60106, fields: { name: 60106 } } as const

const readTemplate = async (table: Table, id: string): Promise<Item<ScheduleTemplate>> => {
  const template = await table.get(scheduleTemplateKey(id))
  if (!template) throw new Problem(60004, { id: 60004 })
  return template
}

type Days = ScheduleTemplate['days']

/** Throws 60004 at the field of a new shift that does not exist. Shifts from before stay, even if they are deleted now. */
const checkShifts = async (table: Table, days: Days, before: Days = []) => {
  const known = new Set(before.flatMap(({ shifts = [] }) => shifts))
  const places = days
    .flatMap(({ shifts = [] }, day) => shifts.map((id, at) => ({ id, field: `days.${day}.shifts.${at}` })))
    .filter(({ id }) => !known.has(id))
  const ids = [...new Set(places.map(({ id }) => id))]
  const stored = await table.getMany(ids.map(shiftKey))
  const existing = new Set(stored.flatMap(shift => (shift && !shift.leavingAt ? [shift.id] : [])))
  const gone = places.find(({ id }) => !existing.has(id))
  if (gone) throw new Problem(60004, { [gone.field]: 60004 })
}

export const listTemplates = async (
  { size, page }: PathInput<'schedule/template/grid'>,
  { table }: Caller,
): Promise<PathOutput<'schedule/template/grid'>> => {
  const all = (await table.all<ScheduleTemplate>({ pk: scheduleTemplateKey('').pk })).sort((one, other) =>
    inOrder(one.name, other.name),
  )
  const { list, next } = await table.slice(all, { name: 'schedule template', size, page })
  return { count: all.length, list, ...(next && { next }) }
}

/** Throws 60072 above the limit, 60004 for a missing shift, and 60106 at `name` for a name that exists. */
export const addTemplate = async ({ table }: Caller, form: PathInput<'schedule/template/add'>): Promise<string> => {
  await checkShifts(table, form.days)
  if ((await table.count({ pk: scheduleTemplateKey('').pk })) >= templateLimits.templates) throw new Problem(60072)
  const id = newId()
  await save(
    table.insert(scheduleTemplateNameKey(form.name), { template: id }, nameTaken),
    table.insert(scheduleTemplateKey(id), { id, ...form }),
  )
  return id
}

/** Throws 60004 for a missing template or new shift, 60006 for an outdated version, and 60106 at `name` for a taken name. */
export const updateTemplate = async (
  { table }: Caller,
  { id, version, ...form }: PathInput<'schedule/template/update'>,
): Promise<void> => {
  const before = await readTemplate(table, id)
  await checkShifts(table, form.days, before.days)
  const [oldKey, newKey] = [scheduleTemplateNameKey(before.name), scheduleTemplateNameKey(form.name)]
  await save(
    table.replace(scheduleTemplateKey(id), { id, ...form, version }),
    ...(newKey.sk === oldKey.sk ? [] : [table.remove(oldKey), table.insert(newKey, { template: id }, nameTaken)]),
  )
}

export const deleteTemplate = async ({ table }: Caller, id: string): Promise<void> => {
  const { name, version } = await readTemplate(table, id)
  await save(table.remove(scheduleTemplateKey(id), version), table.remove(scheduleTemplateNameKey(name)))
}
