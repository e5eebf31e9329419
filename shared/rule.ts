import { defaultParameters, type Parameters } from './attendance/input.ts'
import { addDays, earlierDay } from './local-day.ts'

// The rules for calculating a company's days: its zone and the engine's parameters. A change takes effect from a chosen
// day. Earlier days keep their rules after payment, even if punches of that time arrive late.

/**
 * The most past months for which rules may change. Terminals may deliver older punches, but the company does not pay
 * those days again.
 */
export const mostRuleMonths = 120

export interface Rules {
  timezone: string
  /** Their version increases with every change of the parameters or the zone. Only the version distinguishes rules. */
  parameters: Parameters
}

/** The rules for the days before `until`, from the `until` of the next older rules on. */
export interface FormerRules extends Rules {
  until: string
}

/** A company's rules: the current rules and the former rules, oldest first. */
export interface RuleBook {
  timezone: string
  parameters?: Parameters
  formerRules?: FormerRules[]
}

const currentRules = ({ timezone, parameters = defaultParameters }: RuleBook): Rules => ({ timezone, parameters })

const isSame = (first: Rules, second: Rules) =>
  first.timezone === second.timezone &&
  Object.entries(first.parameters).every(
    ([name, value]) => name === 'version' || second.parameters[name as keyof Parameters] === value,
  )

/** Changes a company's rules from a day on. Earlier days keep their rules. Returns the same book if no rule differs. */
export const changeRules = (
  book: RuleBook,
  { timezone, parameters }: { timezone: string; parameters: Omit<Parameters, 'version'> },
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

const [firstDay, lastDay] = ['1970-01-01', '9999-12-31']
const versionOn = (book: RuleBook, day: string) => rulePeriods(book, day, day)[0]?.parameters.version

/** The first day on which the rules of two books differ. Undefined if they never differ. */
export const rulesChangedFrom = (before: RuleBook, after: RuleBook): string | undefined => {
  const starts = [before, after].flatMap(book => rulePeriods(book, firstDay, lastDay)).map(({ from }) => from)
  return [...new Set(starts)].sort().find(day => versionOn(before, day) !== versionOn(after, day))
}
