import type { PathInput } from '../../shared/api.ts'
import { defaultParameters, type Parameters as EngineParameters } from '../../shared/attendance/input.ts'
import type { Company } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import { addMonths, laterDay, localDay } from '../../shared/local-day.ts'
import { changeRules, mostRuleMonths, type RuleBook, rulesChangedFrom } from '../../shared/rule.ts'

// Other rules for a company's days: the parameters of the engine and the zone. Who changes them says which day they count from, and
// everybody's days from there on are looked at.

/** What of the rules is to be another; the rest stays. */
export type RuleChange = Partial<Omit<EngineParameters, 'version'>> & { timezone?: string }

/** What of a company's settings is a rule: the zone, and when a day and a week begin. */
export const timeRulesOf = ({ timezone, splitTime, firstWeekday }: PathInput<'company/time/preview'>): RuleChange => ({
  timezone,
  splitTime,
  firstWeekday,
})

/** The rules with others from a day on, today where none is said. Throws 10002 for a day that is still to come, or too long ago. */
export const withRules = (
  company: Company,
  { timezone = company.timezone, ...parameters }: RuleChange,
  from: string | undefined,
): { book: RuleBook; changedFrom: string | undefined } => {
  const now = Date.now()
  // Where the dates of the two zones differ the later one: the earlier was worked by the rules that count now.
  const today = laterDay(localDay(company.timezone, now), localDay(timezone, now))
  if (from !== undefined && (from > today || from < addMonths(today, -mostRuleMonths)))
    throw new Problem(10002, { from: 10002 })
  const next = { timezone, parameters: { ...(company.parameters ?? defaultParameters), ...parameters } }
  const book = changeRules(company, next, from ?? today)
  return { book, changedFrom: rulesChangedFrom(company, book) }
}
