import type { PathInput } from '../../shared/api.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import type { Company } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import { addMonths, laterDay, localDay } from '../../shared/local-day.ts'
import { changeRules, mostRuleMonths, type RuleBook, type RuleParameters, rulesChangedFrom } from '../../shared/rule.ts'

// A company's rules are the engine's parameters and the time zone. A change takes effect from a chosen day, and a task
// recalculates all employees' days from that day on.

/** The rules to change. Missing rules stay unchanged. */
export type RuleChange = Partial<Omit<RuleParameters, 'version'>> & { timezone?: string }

/** The rules among a company's time settings: the zone, and when a day and a week begin. */
export const timeRulesOf = ({ timezone, splitTime, firstWeekday }: PathInput<'company/time/preview'>): RuleChange => ({
  timezone,
  splitTime,
  firstWeekday,
})

/**
 * The company's rules with a change from a day on, by default today. Throws 10002 for a day in the future or more than
 * `mostRuleMonths` months ago.
 */
export const withRules = (
  company: Company,
  { timezone = company.timezone, ...parameters }: RuleChange,
  from: string | undefined,
): { book: RuleBook; changedFrom: string | undefined } => {
  const now = Date.now()
  // If the dates of the two zones differ, take the later date. People worked the earlier day under the old rules.
  const today = laterDay(localDay(company.timezone, now), localDay(timezone, now))
  if (from !== undefined && (from > today || from < addMonths(today, -mostRuleMonths)))
    throw new Problem(10002, { from: 10002 })
  const next = { timezone, parameters: { ...(company.parameters ?? defaultParameters), ...parameters } }
  const book = changeRules(company, next, from ?? today)
  return { book, changedFrom: rulesChangedFrom(company, book) }
}
