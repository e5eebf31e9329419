import * as z from 'zod'
import { shownAbsence } from './absence.ts'
import type { HourReason } from './attendance/hours/explain.ts'
import { conditionNames } from './attendance/hours/set.ts'
import { rules } from './attendance/reason.ts'
import { checkNames } from './attendance/row.ts'
import { at, day } from './contract.ts'
import { causeKinds } from './day.ts'
import { requestId } from './personal/request.ts'
import { dayKind, exception, figures, kinds } from './preview.ts'
import { shownCorrection } from './record/correction.ts'
import { taskKinds } from './task.ts'

// A day and the explanation of its figures: the use of each punch, the rules, and earlier figures. Minutes are
// unrounded, because only reports round them.

const minutes = z.int().min(0)

export const week = z
  .object({
    from: day,
    to: day,
    settled: z.boolean().describe('whether its last day is final; until then shortfall and overtime are 0'),
    targetMinutes: minutes,
    workMinutes: minutes,
    shortfallMinutes: minutes,
    overtimeMinutes: minutes,
  })
  .describe('a weekly-flexible week, on the row of its last scheduled day')

export const dayState = z
  .enum(['pending', 'provisional', 'final'])
  .describe('pending: more punches may come; provisional: a terminal may still hold some; final')

/** One employee's day under one shift, or without a shift. */
export const dayOutput = z.object({
  day,
  timezone: z.string(),
  shift: z.string().optional().describe('name of the shift; absent on a day without one'),
  shiftColor: z.string().optional(),
  kind: dayKind,
  state: dayState,
  isLocked: z.boolean().describe('whether the day is locked'),
  dutyFrom: at.optional(),
  dutyTo: at.optional(),
  firstIn: at.optional(),
  lastOut: at.optional(),
  ...figures.shape,
  breakMinutes: minutes,
  exceptions: z.array(exception),
  kinds: kinds.optional(),
  week: week.optional(),
})

export type ToldDay = z.output<typeof dayOutput>

export const punchOutput = z.object({
  id: z.string().describe('identifies the punch in corrections'),
  at,
  use: z
    .enum(['in', 'out', 'handOver', 'break', 'gap', 'inner', 'repeat', 'otherShift', 'outside'])
    .describe('its use in the calculation'),
  device: z.string().describe('serial number of the terminal; `request` or `manager` if one of them added it'),
  deviceName: z.string().optional().describe('current name of the terminal; absent for a deleted one'),
  request: requestId.optional().describe('the approved request that added it'),
  correction: shownCorrection.optional(),
})

export type ToldPunch = z.output<typeof punchOutput>

const ruleNames = Object.keys(rules) as (keyof typeof rules)[]

const cause = z
  .object({
    kind: z.enum([...causeKinds, ...taskKinds]),
    by: z
      .string()
      .optional()
      .describe(
        'name of the person who started the task or decided the request; absent if the caller may not see them',
      ),
  })
  .describe(
    '`punch`, `correction`, `objection` to a correction, `absence` for a shift that a manager marked as absent, `schedule`, `request`, `employment`, `close` at the end of the day, `sweep` for work that was lost, or the path of a task',
  )

const hourConditions = [...conditionNames, 'otherwise'] as const satisfies HourReason['condition'][]

/** The kinds of a row's minutes, with the conditions that gave them. */
const explainedHours = z.object({
  set: z.string().describe('name of the hour set'),
  pieces: z.array(
    z.object({
      from: z.string().describe('time on the clock, `HH:MM`, with `+1` on the next date'),
      to: z.string(),
      kind: z.string(),
      name: z.string(),
      color: z.string(),
      isExtra: z.boolean(),
      reasons: z
        .array(
          z.object({
            condition: z.enum(hourConditions),
            values: z.record(z.string(), z.union([z.string(), z.number()])),
          }),
        )
        .describe('all conditions of the rule; `otherwise` for a rule without conditions'),
    }),
  ),
})

export const explanation = dayOutput.extend({
  closesAt: at.describe('end of the day’s punch period'),
  longBreakMinutes: minutes,
  checkMinutes: z
    .partialRecord(z.enum(checkNames), minutes)
    .optional()
    .describe('minutes of the working-time checks among the exceptions'),
  printed: figures.describe('as in reports, with the company’s rounding'),
  punches: z.array(punchOutput),
  ignored: z
    .array(punchOutput.omit({ use: true }))
    .describe('punches that do not count: ignored by a manager, or added without the employee’s agreement'),
  reasons: z
    .array(
      z.object({
        rule: z.enum(ruleNames),
        minutes,
        from: at.optional().describe('absent for minutes without a clock position'),
        to: at.optional(),
      }),
    )
    .describe('the rule behind each minute of each figure'),
  hours: explainedHours.optional().describe('absent without an hour set'),
  absence: shownAbsence.optional(),
  shiftVersion: z.int().optional(),
  parametersVersion: z.int(),
  engineVersion: z.int(),
  calculatedAt: at,
  cause: cause.describe('cause of the current result'),
  history: z
    .array(z.object({ at, cause, kind: dayKind, figures, exceptions: z.array(exception), kinds: kinds.optional() }))
    .describe('earlier final results; `at` is the time of the change that replaced each; latest change first'),
})
export type Explanation = z.output<typeof explanation>
