import { defaultParameters, type Parameters } from './attendance/input.ts'
import { addDays, earlierDay } from './local-day.ts'

// By which rules a company's days are calculated: its zone and the engine's parameters. A change counts from a day on; what
// was worked before stays as it was paid, however late a punch of that time is delivered.

/** Terminals may bring punches from before the company came here, but nobody is paid anew for what is older than this. */
export const mostRuleMonths = 120

export interface Rules {
  timezone: string
  /** Their version is another one after every change, of the zone too: it alone tells rules apart. */
  parameters: Parameters
}

/** Rules of the days before `until`, as far back as no older ones do. */
export interface FormerRules extends Rules {
  until: string
}

/** What a company keeps of its rules: those that count now, and those that counted before, the oldest first. */
export interface RuleBook {
  timezone: string
  parameters?: Parameters
  formerRules?: FormerRules[]
}

const currentRules = ({ timezone, parameters = defaultParameters }: RuleBook): Rules => ({ timezone, parameters })

const isSame = (one: Rules, other: Rules) =>
  one.timezone === other.timezone &&
  Object.entries(one.parameters).every(
    ([name, value]) => name === 'version' || other.parameters[name as keyof Parameters] === value,
  )

/** The rules of a company with others from a day on. Days before it keep theirs; where nothing differs, nothing does. */
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

/** The days `from` to `to`, cut where other rules begin. */
export const rulePeriods = (book: RuleBook, from: string, to: string): RulePeriod[] => {
  const periods: RulePeriod[] = []
  let first = from
  for (const { until, timezone, parameters } of book.formerRules ?? []) {
    if (until <= first || first > to) continue
    periods.push({ timezone, parameters, from: first, to: earlierDay(addDays(until, -1), to) })
    first = until
  }
  if (first <= to) periods.push({ ...currentRules(book), from: first, to })
  return periods
}

/** The zone a day is calculated in. */
export const zoneOn = (book: RuleBook, day: string): string => rulePeriods(book, day, day)[0]?.timezone ?? book.timezone

const [firstDay, lastDay] = ['1970-01-01', '9999-12-31']
const versionOn = (book: RuleBook, day: string) => rulePeriods(book, day, day)[0]?.parameters.version

/** The first day on which other rules count in one book than in the other; undefined where there is none. */
export const rulesChangedFrom = (one: RuleBook, other: RuleBook): string | undefined => {
  const starts = [one, other].flatMap(book => rulePeriods(book, firstDay, lastDay)).map(({ from }) => from)
  return [...new Set(starts)].sort().find(day => versionOn(one, day) !== versionOn(other, day))
}
