import * as z from 'zod'
import { type Declarations, day, done, gridInput, gridOutput, id, planDay, planRange } from './contract.ts'
import { countDays } from './local-day.ts'
import { mostBoardDays, planLimits } from './schedule/limit.ts'
import type { Key } from './table.ts'
import { begun, importInput, isTemplate, sheetType } from './task.ts'

const employees = z.array(id).min(1).max(planLimits.employees)
const days = z.array(planDay).min(1).max(mostBoardDays)

const cell = z
  .array(
    z
      .int()
      .min(0)
      .max(planLimits.shifts - 1),
  )
  .max(planLimits.shiftsOfDay)
  .nullable()
  .describe('null keeps the day, an empty list clears it, numbers are indexes into `shifts`')

const planFields = z.strictObject({
  from: planDay,
  shifts: z.array(id).max(planLimits.shifts),
  rows: z
    .array(
      z.strictObject({
        employees,
        cells: z.array(cell).min(1).max(planLimits.days).describe('the first cell is the day `from`'),
      }),
    )
    .min(1)
    .max(planLimits.employees),
})
type PlanFields = z.output<typeof planFields>

/** Checks across fields: each employee occurs once in a plan, and every cell refers to shifts of the plan. */
function* planFaults({ from, shifts, rows }: PlanFields): Generator<[path: (string | number)[], code: string]> {
  const employeesInPlan = new Set<string>()
  const longest = Math.max(1, ...rows.map(({ cells }) => cells.length))
  // The field's own check has already reported an invalid day.
  if (planDay.safeParse(from).success && countDays(from, planRange.to) < longest) yield [['from'], '10002']
  for (const [row, { employees, cells }] of rows.entries()) {
    for (const [index, employee] of employees.entries()) {
      if (employeesInPlan.has(employee)) yield [['rows', row, 'employees', index], '10002']
      employeesInPlan.add(employee)
    }
    for (const [index, cell] of cells.entries())
      if (cell && (cell.some(shift => shift >= shifts.length) || new Set(cell).size < cell.length))
        yield [['rows', row, 'cells', index], '10002']
  }
  if (employeesInPlan.size > planLimits.employees) yield [['rows'], '60002']
}

/** The new shifts of employees' days. Employees with the same days share a row. */
const plan = planFields.superRefine((fields, context) => {
  for (const [path, message] of planFaults(fields)) context.addIssue({ code: 'custom', path, message })
})
export type SchedulePlan = PlanFields

/**
 * A plan for the duration of its task, as JSON. The plan is separate from the task, because it may be large and every
 * step rewrites the task. `hash` lets the server compare a save with its preview.
 */
export const schedulePlanKey = (by: string, hash: string): Key<{ plan: string; expiresAt: number }> => ({
  pk: `SCHEDULE_PLAN#${by}`,
  sk: hash,
})

/** An assignment in a search result. */
const entry = z.object({
  employee: id,
  name: z.string(),
  workno: z.string(),
  day,
  shift: id,
  shiftName: z.string(),
})

export type ScheduleEntry = z.output<typeof entry>

const search = z.string().trim().max(100).optional()
const range = { from: planDay, to: planDay }

const plannedDays = z.object({
  changedDays: z.int(),
  refused: z
    .array(z.object({ employee: id, name: z.string(), code: z.int() }))
    .describe(
      'for a call too large for one transaction: people whose days stay unchanged, with the reason. 60006 and 59031: another user planned them meanwhile; 60004: a person or shift no longer exists; 60011: server error. The days of all others are saved. If none can be saved, the call fails.',
    ),
})
export type PlannedDays = z.output<typeof plannedDays>

export const schedulePaths = {
  'schedule/grid': {
    does: 'Lists employees with their shifts in a range of up to 62 days; `shift` limits the list to employees who have that shift in the range.',
    who: [7],
    needsTimezone: true,
    input: gridInput(z.strictObject({ ...range, department: id.optional(), search, shift: id.optional() })),
    output: gridOutput(
      z.object({
        employee: id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        days: z.record(z.string(), z.array(id)),
      }),
    ),
  },
  'schedule/search': {
    does: 'Lists the assigned shifts of each day in a range of up to 62 days, by name of the employee.',
    who: [7],
    needsTimezone: true,
    input: gridInput(z.strictObject({ ...range, department: id.optional(), search, shift: id.optional() })),
    output: gridOutput(entry),
  },
  'schedule/summary': {
    does: 'Counts for each day of a range of up to 62 days how many people have each shift; days and shifts without people are omitted. Above 20,000 people, choose a department (60002).',
    who: [7],
    needsTimezone: true,
    input: z.strictObject({ ...range, department: id.optional(), search }),
    output: z.object({
      employees: z.int().describe('Number of people, with or without a shift.'),
      list: z.array(z.object({ day, shift: id, employees: z.int() })),
    }),
  },
  'schedule/plan': {
    does: 'Sets days of up to 500 people. Returns a task that checks everything first and writes nothing on a conflict (59031, named in its problems). People who left, or whose schedule conflicts by the time of the write, are named in the problems and stay unchanged. Its `rowCount` is the number of changed employee-days. Days before today require that the caller previewed the same plan within the last hour (60019); locked days stay unchanged.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ plan, preview: id.optional().describe('the task of `schedule/preview`') }),
    output: begun,
  },
  'schedule/preview': {
    does: 'Previews a plan, including days before today, without saving. Returns a task. Conflicts (59031) are named as in `schedule/plan`.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ plan }),
    output: begun,
  },
  'schedule/export': {
    does: "Exports the schedule of the caller's employees: a row for each, a column for each of up to 62 days. Returns a task; its file can be downloaded for 24 hours.",
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({
      type: sheetType,
      filters: z.strictObject({ ...range, department: id.optional(), search, shift: id.optional() }),
      isTemplate,
    }),
    output: begun,
  },
  'schedule/import': {
    does: 'Imports a sheet in the form of `schedule/export`, all or none. Returns a task that checks every cell before it writes one. An empty cell clears its day, from today on; a cell before today must match the current schedule. After a dry run, `rowCount` is the number of people in the sheet and `dayCount` the number of employee-days that would change; after an import, `rowCount` is the number of changed employee-days.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: importInput,
    output: begun,
  },
  'schedule/add': {
    does: 'Adds a shift to days of employees, from today on; a conflict rejects the whole call.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, days, shift: id }),
    output: plannedDays,
  },
  'schedule/update': {
    does: 'Assigns a shift; from today on it replaces the shifts of these days.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, days, shift: id }),
    output: plannedDays,
  },
  'schedule/clear': {
    does: 'Removes all shifts of employees in a range of days, from today on.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, ...range }),
    output: plannedDays,
  },
  'schedule/delete': {
    does: 'Removes one shift from one day of an employee, today or later.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employee: id, day: planDay, shift: id }),
    output: done,
  },
} as const satisfies Declarations
