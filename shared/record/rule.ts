import * as z from 'zod'
import { type Declarations, done, nothing, version } from '../contract.ts'
import { addDays } from '../local-day.ts'

// The company's rule for corrections: whether a manager's correction needs the employee's agreement.

/**
 * `manager`: a correction counts at once. `objection`: a correction counts until the employee objects in time.
 * `agreement`: a correction counts once the employee agrees. `request`: managers cannot correct, and employees request
 * corrections.
 */
export const correctionRules = ['manager', 'objection', 'agreement', 'request'] as const
export type CorrectionRule = (typeof correctionRules)[number]

export const defaultCorrectionRule: CorrectionRule = 'manager'
export const defaultObjectionDays = 7
export const mostObjectionDays = 30
export const mostReachDays = 366

/**
 * The first day that a correction may change, `workingDays` working days before today. Working days are Monday to
 * Friday, except holidays.
 */
export const firstReachedDay = (today: string, workingDays: number, isHoliday: (day: string) => boolean): string => {
  let day = today
  for (let left = workingDays; left > 0; ) {
    day = addDays(day, -1)
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (weekday !== 0 && weekday !== 6 && !isHoliday(day)) left--
  }
  return day
}

const form = {
  correctionRule: z
    .enum(correctionRules)
    .describe(
      '`manager`: corrections count at once; `objection`: the employee may object within `objectionDays`; `agreement`: a correction counts once the employee agrees, and waits while the employee has no sign-in; `request`: managers cannot correct, employees request corrections',
    ),
  objectionDays: z.int().min(1).max(mostObjectionDays).describe('days in which the employee may object'),
  correctionReachDays: z
    .int()
    .min(0)
    .max(mostReachDays)
    .optional()
    .describe(
      'how many working days back a correction may reach: Monday to Friday without the holidays of the employee’s department; unlimited if omitted',
    ),
}

/** The rule for corrections of one person's day. */
export const correcting = z.object({
  rule: z.enum(correctionRules),
  objectionDays: form.objectionDays,
  refused: z
    .literal([60092, 60093])
    .optional()
    .describe('error code if the company’s rule refuses corrections of this day'),
  canAnswer: z.boolean().describe('whether the person has a sign-in; without one a proposal waits'),
})

export type Correcting = z.input<typeof correcting>

export const companyCorrectionPaths = {
  'company/correction': {
    does: 'Returns the rule for corrections of punches by managers.',
    who: 'administrator',
    input: nothing,
    output: z.object({ ...form, version }),
  },
  'company/correction/update': {
    does: 'Sets the rule for corrections of punches by managers. Earlier corrections keep the rule under which they were made.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, ...form }),
    output: done,
  },
} as const satisfies Declarations
