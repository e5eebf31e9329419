import * as z from 'zod'
import { isDay } from '../local-day.ts'

// Leave allowances. From its first year on, a rule grants days of a type each year, until the type's next rule. A type
// without a rule has no limit.

/** How the server treats a request above the balance: it refuses the request, or only warns. */
export const excesses = ['refuse', 'warn'] as const

/** The smallest grant is half a day. */
const halfDays = (maximum: number) => z.number().min(0).max(maximum).multipleOf(0.5)

export const mostLeaveDays = 366
export const leaveYear = z.int().min(2000).max(2100)
export const leaveTypeId = z.int().min(1).max(10)

/** The first month of a leave year, 1 January … 12 December. */
export const leaveYearMonth = z.int().min(1).max(12)

/** 29 February is the last day of February in other years. */
const monthDay = z
  .string()
  .regex(/^\d\d-\d\d$/)
  .refine(text => isDay(`2000-${text}`), '10002')

export const leaveRule = z.strictObject({
  leaveType: leaveTypeId,
  since: leaveYear.describe('first leave year of the rule, by the calendar year it begins in'),
  days: halfDays(mostLeaveDays).describe('days per year'),
  mostCarriedDays: halfDays(mostLeaveDays).describe('of the previous year’s remaining days'),
  carriedUntil: monthDay
    .optional()
    .describe('`MM-DD`: the last day on which carried days can be taken; absent if they do not end'),
  proRatesLeavers: z
    .boolean()
    .optional()
    .describe('whether the last leave year of a person counts by its months, as the first one does; off if omitted'),
  excess: z.enum(excesses),
})
export type LeaveRule = z.output<typeof leaveRule>

/** The rule of a year: the last rule that began by then. */
export const ruleOn = <R extends { since: number }>(rules: readonly R[], year: number): R | undefined =>
  rules
    .filter(({ since }) => since <= year)
    .reduce<R | undefined>((last, rule) => (last && last.since > rule.since ? last : rule), undefined)

/** The rule of a type in a year; undefined if the type has no limit then. */
export const leaveRuleOn = (rules: readonly LeaveRule[], leaveType: number, year: number): LeaveRule | undefined =>
  ruleOn(
    rules.filter(rule => rule.leaveType === leaveType),
    year,
  )
