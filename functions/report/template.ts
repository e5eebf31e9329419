import type { PathInput } from '../../shared/api.ts'
import { Problem } from '../../shared/errors.ts'
import { type ReportTemplate, reportTemplateKey, reportTemplateNameKey } from '../../shared/report/template.ts'
import { mostTemplates, type TemplateForm } from '../../shared/report/template-column.ts'
import type { Caller } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import { inOrder } from '../kit/words.ts'
import { checkKinds } from './columns.ts'

// Stores the templates of payroll files.

const nameTaken = { code: 60106, fields: { name: 60106 } } as const

export const listTemplates = async (table: Table): Promise<Item<ReportTemplate>[]> =>
  (await table.all<ReportTemplate>({ pk: reportTemplateKey('').pk })).sort((one, other) =>
    inOrder(one.name, other.name),
  )

/** Throws 60004 at a field for a missing template. */
export const readTemplate = async (
  table: Table,
  id: string,
  field: 'id' | 'template' = 'template',
): Promise<Item<ReportTemplate>> => {
  const template = await table.get(reportTemplateKey(id))
  if (!template) throw new Problem(60004, { [field]: 60004 })
  return template
}

/** Keeps the fixed text of `text` columns only, and measures only where they become rows. */
const tidied = (form: TemplateForm): TemplateForm => ({
  ...form,
  columns: form.columns.map(({ column, heading, text }) => ({
    column,
    ...(heading && { heading }),
    ...(column === 'text' && text && { text }),
  })),
  measures: form.layout === 'measure' ? form.measures : [],
})

/** Throws 60004 at each column and measure of an unknown hour kind. */
export const checkTemplateKinds = async (table: Table, { columns, measures }: TemplateForm): Promise<void> => {
  await checkKinds(
    table,
    columns.map(({ column }) => column),
    at => `columns.${at}.column`,
  )
  await checkKinds(
    table,
    measures.map(({ measure }) => measure),
    at => `measures.${at}.measure`,
  )
}

/** Throws 60072 above the limit, and 60106 at `name` for a name that exists. */
export const addTemplate = async ({ table }: Caller, form: PathInput<'report/template/add'>): Promise<string> => {
  await checkTemplateKinds(table, form)
  const all = await table.all<ReportTemplate>({ pk: reportTemplateKey('').pk, only: ['id'] })
  if (all.length >= mostTemplates) throw new Problem(60072)
  const id = newId()
  await save(
    table.insert(reportTemplateNameKey(form.name), { template: id }, nameTaken),
    table.insert(reportTemplateKey(id), { id, ...tidied(form) }),
  )
  return id
}

/** Throws 60004 for a missing template, 60006 for an outdated version, and 60106 at `name` for a name that exists. */
export const updateTemplate = async (
  { table }: Caller,
  { id, version, ...form }: PathInput<'report/template/update'>,
): Promise<void> => {
  const before = await readTemplate(table, id, 'id')
  await checkTemplateKinds(table, form)
  const [oldKey, newKey] = [reportTemplateNameKey(before.name), reportTemplateNameKey(form.name)]
  await save(
    table.replace(reportTemplateKey(id), { id, ...tidied(form), version }),
    ...(newKey.sk === oldKey.sk ? [] : [table.remove(oldKey), table.insert(newKey, { template: id }, nameTaken)]),
  )
}

export const deleteTemplate = async ({ table }: Caller, id: string): Promise<void> => {
  const { name, version } = await readTemplate(table, id, 'id')
  await save(table.remove(reportTemplateKey(id), version), table.remove(reportTemplateNameKey(name)))
}
