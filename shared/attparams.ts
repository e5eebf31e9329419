import * as z from 'zod'
import { defaultParameters } from './attendance/input.ts'
import { type Declarations, day, id, minutes, nothing, version } from './contract.ts'
import { hourPaths } from './hours/path.ts'
import { firstDay, lastDay } from './local-day.ts'
import { type RuleBook, type RuleParameters, rulePeriods, unchosenRules } from './rule.ts'
import { begun } from './task.ts'

// The parameters beside the shifts that turn punches into figures. The zone, the split time and the first weekday also
// affect figures, but are settings of the company.

/** The engine parameters that are settings of the company. */
const companySettings = { version: true, splitTime: true, firstWeekday: true }
type Own = Exclude<keyof RuleParameters, keyof typeof companySettings>

/**
 * One field for each parameter of this form. The type rejects names that the engine does not have, because their values
 * would be lost.
 */
export const attparamsForm = {
  bounceSeconds: z.int().min(0).max(3600).describe('punches within this time count once'),
  trustDeviceState: z.boolean().describe('the terminal’s in/out key decides whether a lone punch is an in or an out'),
  deductGaps: z.boolean().describe('time away between punches is deducted'),
  pairsWithoutShift: z
    .boolean()
    .describe('days without a shift count punches in pairs, also across midnight; else from first to last punch'),
  holidayBy: z
    .enum(['day', 'clock'])
    .describe('a holiday applies to the shifts that begin on its date, or to the minutes of its date'),
  restDayWorkIsOvertime: z.boolean(),
  holidayWorkIsOvertime: z.boolean(),
  minimumOvertimeMinutes: minutes().describe('less overtime in a day does not count; 0: no minimum'),
  maximumOvertimeMinutes: minutes().describe('more overtime in a day does not count; 0: no maximum'),
  fullDutyFirst: z.boolean().describe('overtime counts only once the day’s scheduled minutes are worked'),
} satisfies Record<Own, z.ZodType>
export type Attparams = z.output<z.ZodObject<typeof attparamsForm>>

/** The engine's parameter names, so that code that only copies them needs no schema. */
const names: readonly (keyof Attparams)[] = (Object.keys({ ...defaultParameters, ...unchosenRules }) as Own[]).filter(
  name => !(name in companySettings),
)

/** Picks the attendance parameters from a larger object. */
export const attparamsOf = <P extends Partial<Attparams>>(parameters: P): Pick<P, keyof Attparams & keyof P> =>
  Object.fromEntries(
    names.flatMap(name => (parameters[name] === undefined ? [] : [[name, parameters[name]]])),
  ) as unknown as Pick<P, keyof Attparams & keyof P>

export interface AttparamsPeriod extends Attparams {
  /** The first day of the period. Absent for the oldest period. */
  since?: string
  /** The last day of the period, far in the future for the current period. */
  until: string
}

/** The periods of these parameters, current period first. Changes of other rules start no new period. */
export const attparamsHistory = (book: RuleBook): AttparamsPeriod[] => {
  const periods: AttparamsPeriod[] = []
  for (const { from, to, parameters } of rulePeriods(book, firstDay, lastDay)) {
    const attparams: Attparams = attparamsOf({ ...unchosenRules, ...parameters })
    const last = periods.at(-1)
    if (last && names.every(name => last[name] === attparams[name])) last.until = to
    else periods.push({ ...attparams, ...(last && { since: from }), until: to })
  }
  return periods.reverse()
}

const change = z
  .strictObject({
    version,
    ...attparamsForm,
    // Integrations from before these rules do not send them.
    pairsWithoutShift: attparamsForm.pairsWithoutShift.optional(),
    holidayBy: attparamsForm.holidayBy.optional(),
    from: day.optional().describe('effective date of the change: today if omitted, at most ten years back'),
  })
  // A maximum below the minimum would remove all overtime.
  .refine(
    ({ minimumOvertimeMinutes: minimum, maximumOvertimeMinutes: maximum }) => maximum === 0 || minimum <= maximum,
    {
      path: ['maximumOvertimeMinutes'],
    },
  )

export const attparamsPaths = {
  'attparams/index': {
    does: 'Returns the attendance rules with their effective date, and earlier ones, newest first.',
    who: [5, 6],
    input: nothing,
    output: z.object({
      ...attparamsForm,
      since: day.optional().describe('absent before the first change'),
      former: z.array(z.object({ ...attparamsForm, since: day.optional(), until: day.describe('last effective day') })),
      version,
    }),
  },
  'attparams/update': {
    does: 'Updates the attendance rules; a task recalculates the days they apply to, except locked ones.',
    who: [5, 6],
    writes: true,
    input: change,
    output: z.object({ task: id.optional().describe('absent if nothing changes') }),
  },
  'attparams/preview': {
    does: 'Starts a task that previews a change of the attendance rules, without saving.',
    who: [5, 6],
    writes: true,
    input: change,
    output: begun,
  },
  ...hourPaths,
} as const satisfies Declarations
