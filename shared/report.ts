import * as z from 'zod'
import { measures } from './attendance/rounding.ts'
import { exceptionTypes } from './attendance/row.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, minutes, nothing, version } from './contract.ts'
import { explanation } from './explanation.ts'
import { kindPaths } from './hours/path.ts'
import { mostUnitMinutes } from './measure.ts'
import { figures, toldRow } from './preview.ts'
import { shownDayNote } from './record/day-note.ts'
import { correcting } from './record/rule.ts'
import { closePaths } from './report/close.ts'
import { reportFileForm, reportMailPaths } from './report/mail.ts'
import { amounts, dailyRow, dayCounts, departmentRow, summaryRow, summedKinds } from './report/row.ts'
import { sincePaths } from './report/since.ts'
import { reportTemplatePaths } from './report/template.ts'
import { begun } from './task.ts'

const filters = z.strictObject({
  from: day,
  to: day.describe('at most a year after `from`'),
  department: id.optional().describe('includes sub-departments; the department of each day counts'),
  employee: id.optional(),
  search: z.string().trim().max(100).optional().describe('part of name, employee ID, e-mail or position'),
  exceptions: z
    .array(z.enum(exceptionTypes))
    .min(1)
    .max(exceptionTypes.length)
    .optional()
    .describe('only days with one of these exceptions'),
})
export type ReportFilters = z.output<typeof filters>

const reportFile = z.strictObject({
  ...reportFileForm,
  type: reportFileForm.type.default('xlsx'),
  view: reportFileForm.view.default('summary'),
  template: id
    .optional()
    .describe('template of a payroll file, whose type, rows and columns replace those of this call'),
  isDraft: z.boolean().optional().describe('names the file a draft'),
  filters,
  sort: z
    .strictObject({ by: z.enum(['name', 'workno']), descending: z.boolean().default(false) })
    .optional()
    .describe('order of the people in the view `summary`; by name if omitted'),
})
export type ReportFile = z.output<typeof reportFile>

const ofMeasures = <S extends z.ZodType>(schema: S) => z.array(schema).length(measures.length)
const params = {
  timeUnit: ofMeasures(z.literal([0, 1])).describe('0 minutes, 1 hours with two decimals'),
  rounding: ofMeasures(z.literal([0, 1, 2])).describe('0 down, 1 up, 2 nearest (half a unit up)'),
  minimumUnit: ofMeasures(minutes(mostUnitMinutes)).describe('rounding unit in minutes; 0 and 1 do not round'),
}

const minutesAs = z
  .enum(['clock', 'minutes'])
  .describe('how pages and files show figures in minutes: as `7:30`, or as 450')

export const reportPaths = {
  'report/grid': {
    does: "Lists employee-days with printed minutes, rounded by the company's rules, newest day first.",
    who: [8],
    input: gridInput(filters),
    output: gridOutput(dailyRow),
  },
  'report/summary': {
    does: 'Lists employees with the totals of their days in a range; each day is rounded, then added.',
    who: [8],
    input: gridInput(filters, ['name', 'workno']),
    output: gridOutput(summaryRow),
  },
  'report/department': {
    does: "Lists departments with the totals of their employees' days, without sub-departments. A person late on three days counts three times.",
    who: [8],
    input: gridInput(filters.omit({ employee: true, search: true, exceptions: true })),
    output: gridOutput(departmentRow),
  },
  'report/total': {
    does: 'Returns the totals of a report list. Returns none if there are too many days to read at once.',
    who: [8],
    input: z.strictObject({ filters }),
    output: z.object({
      figures: figures.optional(),
      amounts: amounts.optional(),
      counts: dayCounts.optional(),
      ...summedKinds,
    }),
  },
  ...kindPaths,
  ...sincePaths,
  'report/export': {
    does: 'Starts a task that creates the file of a report: rows, columns and totals of its list.',
    who: [8],
    writes: true,
    input: reportFile,
    output: begun,
  },
  ...closePaths,
  ...reportMailPaths,
  ...reportTemplatePaths,
  'report/params': {
    does: 'Returns units and rounding for worked, overtime, late, left early, and leave with absence, in this order.',
    who: [5, 8],
    input: nothing,
    output: z.object({ ...params, minutesAs, version }),
  },
  'report/params/update': {
    does: 'Updates units and rounding. Stored figures are never rounded, so nothing is recalculated.',
    who: [5, 8],
    writes: true,
    input: z.strictObject({ version, ...params, minutesAs: minutesAs.optional() }),
    output: done,
  },
  'report/lock': {
    does: 'Returns the last locked day; locked rows never change.',
    who: [8],
    input: nothing,
    output: z.object({
      lockedTo: day.optional().describe('inclusive; absent if no day is locked'),
      by: z
        .string()
        .optional()
        .describe('name of the person who last locked or unlocked; absent if the caller may not see them'),
      at: at.optional(),
      settledTo: day.describe('last day that can be locked: all days up to it are final'),
      version,
    }),
  },
  'report/lock/preview': {
    does: 'Starts a task that previews unlocking, without saving.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ lockedTo: day.nullable().describe('days after this one would be unlocked; null: all') }),
    output: begun,
  },
  'report/lock/change/grid': {
    does: "Lists the changes since locking for the caller's employees, by person and day.",
    who: [8],
    input: gridInput(z.strictObject({})),
    output: gridOutput(
      z.object({
        employee: id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        day,
        shift: z.string().optional(),
        before: toldRow.nullable().describe('null: no row'),
        after: toldRow.nullable().describe('null: the row would be removed'),
        at,
        cause: z.string().describe('cause of the change'),
      }),
    ),
  },
  'report/lock/update': {
    does: 'Locks all days up to a date, or unlocks the days after it. Rejects days that are not final (60064), and every change while days are being calculated (60065). A task recalculates unlocked days.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      version: version.optional().describe('version that the caller read; if omitted, the call replaces any lock'),
      lockedTo: day.nullable().describe('inclusive; null unlocks all days'),
    }),
    output: z.object({ task: id.optional().describe('absent if no day was unlocked') }),
  },
  'report/day': {
    does: "Explains an employee's day: its punches, the rule behind each minute, and earlier results. Open to everyone who works on days: reports, records and approvals.",
    who: [8, 9, 10],
    input: z.strictObject({ employee: id, day }),
    output: z.object({
      first_name: z.string(),
      last_name: z.string(),
      workno: z.string(),
      correcting,
      note: shownDayNote.optional(),
      list: z.array(explanation),
    }),
  },
} as const satisfies Declarations
