import { type Choices, defaultParameters, type Parameters } from './attendance/input.ts'
import { addDays, earlierDay, firstDay, lastDay } from './local-day.ts'

// The rules for calculating a company's days: its zone and the engine's parameters. A change takes effect from a chosen
// day. Earlier days keep their rules after payment, even if punches of that time arrive late.

/**
 * The most past months for which rules may change. Terminals may deliver older punches, but the company does not pay
 * those days again.
 */
export const mostRuleMonths = 120

/** Rules that change figures, so a company from before them keeps its former rule until it chooses. */
export interface ChosenRules {
  /** Days without a shift count punches in pairs. */
  pairsWithoutShift: boolean
  /** Whether a holiday applies to its work day, or to the clock times of its date. */
  holidayBy: 'day' | 'clock'
}

/** The rules of a company that has chosen none. */
export const unchosenRules: ChosenRules = { pairsWithoutShift: false, holidayBy: 'day' }

export type RuleParameters = Parameters & Partial<ChosenRules>

/** The parameters that a new company begins with. */
export const firstParameters: RuleParameters = { ...defaultParameters, pairsWithoutShift: true }

/** The engine's choices among the parameters. */
export const choicesOf = ({ pairsWithoutShift, holidayBy }: RuleParameters): Choices => ({
  ...(pairsWithoutShift && { pairsWithoutShift }),
  ...(holidayBy === 'clock' && { holidayBy }),
})

export interface Rules {
  timezone: string
  /** Their version increases with every change of the parameters or the zone. Only the version distinguishes rules. */
  parameters: RuleParameters
}

/** The rules for the days before `until`, from the `until` of the next older rules on. */
export interface FormerRules extends Rules {
  until: string
}

/** A company's rules: the current rules and the former rules, oldest first. */
export interface RuleBook {
  timezone: string
  parameters?: RuleParameters
  formerRules?: FormerRules[]
}

const currentRules = ({ timezone, parameters = defaultParameters }: RuleBook): Rules => ({ timezone, parameters })

const isSame = (first: Rules, second: Rules) => {
  const before: RuleParameters = { ...unchosenRules, ...first.parameters }
  const after: RuleParameters = { ...unchosenRules, ...second.parameters }
  const names = Object.keys(before) as (keyof RuleParameters)[]
  return first.timezone === second.timezone && names.every(name => name === 'version' || after[name] === before[name])
}

/** Changes a company's rules from a day on. Earlier days keep their rules. Returns the same book if no rule differs. */
export const changeRules = (
  book: RuleBook,
  { timezone, parameters }: { timezone: string; parameters: Omit<RuleParameters, 'version'> },
  from: string,
): RuleBook => {
  const { formerRules = [] } = book
  const current = currentRules(book)
  const next = { timezone, parameters: { ...parameters, version: current.parameters.version + 1 } }
  const kept = formerRules.filter(({ until }) => until <= from)
  const cut = formerRules[kept.length]
  if (isSame(current, next) && !cut) return book
  const isCutAlready = kept.at(-1)?.until === from
  return { ...next, formerRules: isCutAlready ? kept : [...kept, { ...(cut ?? current), until: from }] }
}

export interface RulePeriod extends Rules {
  from: string
  to: string
}

/** The days `from` to `to`, split at each change of rules. */
export const rulePeriods = (book: RuleBook, from: string, to: string): RulePeriod[] => {
  const periods: RulePeriod[] = []
  let start = from
  for (const { until, timezone, parameters } of book.formerRules ?? []) {
    if (until <= start || start > to) continue
    periods.push({ timezone, parameters, from: start, to: earlierDay(addDays(until, -1), to) })
    start = until
  }
  if (start <= to) periods.push({ ...currentRules(book), from: start, to })
  return periods
}

/** The zone for calculating a day. */
export const zoneOn = (book: RuleBook, day: string): string => rulePeriods(book, day, day)[0]?.timezone ?? book.timezone

const versionOn = (book: RuleBook, day: string) => rulePeriods(book, day, day)[0]?.parameters.version

/** The first day on which the rules of two books differ. Undefined if they never differ. */
export const rulesChangedFrom = (before: RuleBook, after: RuleBook): string | undefined => {
  const starts = [before, after].flatMap(book => rulePeriods(book, firstDay, lastDay)).map(({ from }) => from)
  return [...new Set(starts)].sort().find(day => versionOn(before, day) !== versionOn(after, day))
}
