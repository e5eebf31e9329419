import * as z from 'zod'
import type { Audited } from '../change.ts'
import { type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from '../contract.ts'
import { fold } from '../fold.ts'
import type { Key } from '../table.ts'
import { mostKindColumns } from './column.ts'
import { kindName } from './file-column.ts'
import { leftOutList } from './left-out.ts'
import {
  allTemplateColumns,
  decimalSigns,
  hasTemplateColumn,
  leaveTypeOf,
  mostTemplateColumns,
  separators,
  type TemplateForm,
  templateDateFormats,
  templateLayouts,
  templateMeasures,
  templateTypes,
  templateUnits,
} from './template-column.ts'

// The templates of payroll files. Each payroll program expects its own columns, codes and formats.

export interface ReportTemplate extends TemplateForm {
  id: string
}

const audited: Audited<ReportTemplate> = { noun: 'reportTemplate', id: ({ id }) => id, name: ({ name }) => name }

export const reportTemplateKey = (id: string): Key<ReportTemplate> => ({ pk: 'REPORT_TEMPLATE', sk: id, audited })
/** A name is unique within a company, regardless of case and accents. */
export const reportTemplateNameKey = (name: string): Key<{ template: string }> => ({
  pk: 'REPORT_TEMPLATE_NAME',
  sk: `#${fold(name)}`,
})

const column = z.strictObject({
  column: z.union([z.enum(allTemplateColumns), kindName]),
  heading: text(60).optional().describe('the usual heading if omitted'),
  text: text(60).optional().describe('the text of every row; only a column `text` uses it'),
})
const measure = z.strictObject({
  measure: z
    .union([z.enum(templateMeasures), kindName])
    .describe('a figure of reports, or `leave` with the id of a leave type'),
  code: text(40).describe('the wage type of the payroll program'),
})

const shape = z.strictObject({
  name: text(60),
  layout: z.enum(templateLayouts).describe('one row per person, per person and measure, or per person and day'),
  type: z.enum(templateTypes),
  columns: z
    .array(column)
    .min(1)
    .max(mostTemplateColumns)
    .describe('in the order of the file; the employee ID must be one of them'),
  measures: z
    .array(measure)
    .max(templateMeasures.length + mostKindColumns)
    .default([])
    .describe('only the layout `measure` uses them; a measure without minutes gives no row'),
  unit: z.enum(templateUnits).describe('hours with two decimals, hours and minutes (`7:30`), or minutes'),
  decimalSign: z.enum(decimalSigns),
  dateFormat: z.enum(templateDateFormats),
  separator: z.enum(separators).describe('only CSV uses it'),
  hasHeadings: z.boolean(),
})

type Fault = { path: (string | number)[]; code: 10002 | 60001 }

/** The faults of columns: unknown in the layout, twice, or without the text that they need. */
const columnFaults = ({ layout, columns }: TemplateForm): Fault[] => [
  ...columns.flatMap(({ column, text }, at): Fault[] => {
    const isTwice = column !== 'text' && columns.findIndex(other => other.column === column) < at
    if (isTwice || !hasTemplateColumn(layout, column)) return [{ path: ['columns', at, 'column'], code: 10002 }]
    return column === 'text' && text === undefined ? [{ path: ['columns', at, 'text'], code: 60001 }] : []
  }),
  ...(columns.some(({ column }) => column === 'workno') ? [] : [{ path: ['columns'], code: 10002 as const }]),
]

/** The faults of measures: missing, twice, or a leave type beside all leave, which would pay the leave twice. */
const measureFaults = ({ layout, columns, measures }: TemplateForm): Fault[] => {
  if (layout !== 'measure') return []
  const hasAllLeave = measures.some(({ measure }) => measure === 'leave')
  const isWrong = (measure: string, at: number) =>
    measures.findIndex(other => other.measure === measure) < at || (hasAllLeave && leaveTypeOf(measure) !== undefined)
  return [
    ...(measures.length === 0 ? [{ path: ['measures'], code: 60001 as const }] : []),
    ...(columns.some(({ column }) => column === 'amount') ? [] : [{ path: ['columns'], code: 10002 as const }]),
    ...measures.flatMap(({ measure }, at): Fault[] =>
      isWrong(measure, at) ? [{ path: ['measures', at, 'measure'], code: 10002 }] : [],
    ),
  ]
}

const check = (form: TemplateForm, { addIssue }: { addIssue: (issue: object) => void }) => {
  for (const { path, code } of [...columnFaults(form), ...measureFaults(form)])
    addIssue({ code: 'custom', path, message: String(code) })
}

export const reportTemplatePaths = {
  'report/template/grid': {
    does: 'Lists the templates of payroll files by name.',
    who: [8],
    input: gridInput(nothing),
    output: gridOutput(z.object({ id, ...shape.shape, version })),
  },
  'report/template/add': {
    does: 'Adds a template. Rejects a name that exists (60106).',
    who: 'administrator',
    writes: true,
    input: shape.superRefine(check as never),
    output: z.object({ id }),
  },
  'report/template/update': {
    does: 'Updates a template. Rejects a name that exists (60106).',
    who: 'administrator',
    writes: true,
    input: shape.extend({ id, version }).superRefine(check as never),
    output: done,
  },
  'report/template/delete': {
    does: 'Deletes a template. Files that it made stay.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
  'report/template/preview': {
    does: 'Returns the first rows of a file as a template would write them, without saving.',
    who: 'administrator',
    input: shape.extend({ from: day, to: day.describe('at most a year after `from`') }).superRefine(check as never),
    output: z.object({
      lines: z.array(z.array(z.string())).describe('the headings first, if the file has them'),
      leftOut: leftOutList.optional(),
    }),
  },
} as const satisfies Declarations
