import * as z from 'zod'
import { checkNames } from './attendance/row.ts'
import { type Declarations, day, done, gridInput, gridOutput, id, planDay, planRange } from './contract.ts'
import { calendarLeave } from './leave/calendar.ts'
import { leaveTypeId } from './leave/rule.ts'
import { countDays } from './local-day.ts'
import { mostBoardDays, planLimits } from './schedule/limit.ts'
import { scheduleTemplatePaths } from './schedule/template.ts'
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

/** A leave of an employee. Planners without a permission for leave see only that the employee is away. */
const leave = calendarLeave.extend({ leaveType: leaveTypeId.optional().describe('only with permission 8 or 10') })

const search = z.string().trim().max(100).optional()
const range = { from: planDay, to: planDay }

const plannedPerson = {
  ...{ employee: id, first_name: z.string(), last_name: z.string(), workno: z.string() },
  department: id,
}
const someDays = { from: planDay.optional(), to: planDay.optional() }
const draftFilters = z.strictObject({ department: id.optional(), ...someDays })

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
    does: 'Lists employees with their shifts and leave in a range of up to 62 days; `shift` limits the list to employees who have that shift in the range.',
    who: [7],
    needsTimezone: true,
    input: gridInput(z.strictObject({ ...range, department: id.optional(), search, shift: id.optional() })),
    output: gridOutput(
      z.object({
        ...plannedPerson,
        days: z.record(z.string(), z.array(id)),
        leaves: z.array(leave).describe('approved and pending leave that touches the range, earliest first'),
        draft: z
          .record(z.string(), z.array(id))
          .optional()
          .describe('unpublished days from today on; an empty list is a free day'),
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
    does: 'Counts for each day of a range of up to 62 days how many people have each shift, without people on approved leave for the whole day; days and shifts without people are omitted. Above 20,000 people, choose a department (60002).',
    who: [7],
    needsTimezone: true,
    input: z.strictObject({ ...range, department: id.optional(), search }),
    output: z.object({
      employees: z.int().describe('Number of people, with or without a shift.'),
      list: z.array(z.object({ day, shift: id, employees: z.int() })),
      away: z
        .array(z.object({ day, employees: z.int() }))
        .describe('people on approved leave for the whole day; days without are omitted'),
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
  'schedule/check': {
    does: 'Judges a plan by the working-time checks of the hour sets, before it is saved. Warnings never prevent a save. Lists what the plan newly causes, by person and day; the rest also counts from the last real clock-out. `count` may exceed the listed 200.',
    who: [7],
    input: z.strictObject({ plan }),
    output: z.object({
      list: z.array(
        z.object({
          ...{ employee: id, name: z.string(), day },
          check: z.enum(checkNames),
          minutes: z.int().min(1).describe('above the limit, or missing'),
        }),
      ),
      count: z.int(),
    }),
  },
  'schedule/draft/update': {
    does: 'Writes days of up to 500 people to the draft, from today on and at most two years ahead; nothing applies before `schedule/publish`. Returns a task with checks and problems as in `schedule/plan`. A later direct change of a day discards its draft. Refused if the company does not draft schedules (60073).',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ plan }),
    output: begun,
  },
  'schedule/draft/grid': {
    does: "Lists the caller's people with unpublished days from today on, with the published and the drafted shifts of each such day.",
    who: [7],
    input: gridInput(draftFilters),
    output: gridOutput(
      z.object({
        ...plannedPerson,
        days: z
          .array(
            z.object({
              ...{ day, before: z.array(id), after: z.array(id) },
              isAway: z.boolean().describe('whether the person gets shifts on a day of approved leave'),
            }),
          )
          .describe('oldest day first'),
      }),
    ),
  },
  'schedule/draft/summary': {
    does: "Counts the unpublished days of the caller's people from today on, and says whether the company drafts schedules.",
    who: [7],
    input: draftFilters,
    output: z.object({ draftsSchedule: z.boolean(), employees: z.int(), days: z.int() }),
  },
  'schedule/draft/delete': {
    does: 'Discards the drafts of up to 500 people, of all days or of a range. `changedDays` counts the discarded days.',
    who: [7],
    writes: true,
    input: z.strictObject({ employees, ...someDays }),
    output: plannedDays,
  },
  'schedule/publish': {
    does: 'Publishes the drafts of up to 500 people from today on, of all days or of a range. Returns a task that checks everything first and publishes nothing on a conflict (59031, named in its problems). Each person whose days change gets one notification. Its `rowCount` is the number of changed employee-days.',
    who: [7],
    writes: true,
    needsTimezone: true,
    input: z.strictObject({ employees, ...someDays }),
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
  ...scheduleTemplatePaths,
} as const satisfies Declarations
