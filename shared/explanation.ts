import * as z from 'zod'
import { rules } from './attendance/reason.ts'
import { at, day } from './contract.ts'
import { requestId } from './personal/request.ts'
import { dayKind, exception, figures } from './preview.ts'
import { shownCorrection } from './record/correction.ts'
import { taskKinds } from './task.ts'

// A day with everything that explains its figures: the punches and their use, the rule behind each minute, and earlier
// figures. Minutes are as stored; reports round them.

const minutes = z.int().min(0)

export const week = z
  .object({
    from: day,
    to: day,
    settled: z.boolean().describe('whether its last day is final; until then nothing is missing and nothing beyond'),
    targetMinutes: minutes,
    workMinutes: minutes,
    shortfallMinutes: minutes,
    overtimeMinutes: minutes,
  })
  .describe('of a weekly-flexible shift, on the row of its last scheduled day')

export const dayState = z
  .enum(['pending', 'provisional', 'final'])
  .describe('more punches may come; a terminal may still hold some; settled')

/** One employee's day under one shift, or without a shift. */
export const dayOutput = z.object({
  day,
  timezone: z.string(),
  shift: z.string().optional().describe('its name; absent on a day without a shift'),
  shiftColor: z.string().optional(),
  kind: dayKind,
  state: dayState,
  isLocked: z.boolean().describe('whether nothing changes it any more'),
  dutyFrom: at.optional(),
  dutyTo: at.optional(),
  firstIn: at.optional(),
  lastOut: at.optional(),
  ...figures.shape,
  breakMinutes: minutes,
  exceptions: z.array(exception),
  week: week.optional(),
})

export type ToldDay = z.output<typeof dayOutput>

export const punchOutput = z.object({
  id: z.string().describe('names the punch in corrections'),
  at,
  use: z
    .enum(['in', 'out', 'handOver', 'break', 'gap', 'inner', 'repeat', 'otherShift', 'outside'])
    .describe('what became of it'),
  device: z
    .string()
    .describe('serial number of the terminal; `request` where a request added it, `manager` where a manager did'),
  deviceName: z.string().optional().describe('what its company calls it, while it has it'),
  request: requestId.optional().describe('the approved request that added it'),
  correction: shownCorrection.optional(),
})

export type ToldPunch = z.output<typeof punchOutput>

const ruleNames = Object.keys(rules) as (keyof typeof rules)[]

const cause = z
  .object({
    kind: z.enum(['punch', 'correction', 'schedule', 'request', 'employment', 'close', 'sweep', ...taskKinds]),
    by: z
      .string()
      .optional()
      .describe('the name of who asked for the task or decided about the request, where one may see the person'),
  })
  .describe(
    'a punch, a correction, the plan or the employment of the person, the end of the day, or the task a path began',
  )

export const explanation = dayOutput.extend({
  closesAt: at.describe('until then a punch belongs to the day'),
  longBreakMinutes: minutes,
  printed: figures.describe('as reports print them, rounded as the company rounds'),
  punches: z.array(punchOutput),
  ignored: z.array(punchOutput.omit({ use: true })).describe('the punches that a manager ignored'),
  reasons: z
    .array(
      z.object({
        rule: z.enum(ruleNames),
        minutes,
        from: at.optional().describe('absent where the minutes stand nowhere on the clock'),
        to: at.optional(),
      }),
    )
    .describe('the rule behind each minute of each figure'),
  shiftVersion: z.int().optional(),
  parametersVersion: z.int(),
  engineVersion: z.int(),
  calculatedAt: at,
  cause: cause.describe('what had it say what it says'),
  history: z
    .array(z.object({ at, cause, kind: dayKind, figures, exceptions: z.array(exception) }))
    .describe('what it said once its day was over, until it was altered `at`; the last alteration first'),
})
export type Explanation = z.output<typeof explanation>
