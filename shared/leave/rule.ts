import * as z from 'zod'

// Leave allowances. From its first year on, a rule grants days of a type each year, until the type's next rule. A type
// without a rule has no limit.

/** How the server treats a request above the balance: it refuses the request, or only warns. */
export const excesses = ['refuse', 'warn'] as const

/** The smallest grant is half a day. */
const halfDays = (maximum: number) => z.number().min(0).max(maximum).multipleOf(0.5)

export const mostLeaveDays = 366
export const leaveYear = z.int().min(2000).max(2100)
export const leaveTypeId = z.int().min(1).max(10)

export const leaveRule = z.strictObject({
  leaveType: leaveTypeId,
  since: leaveYear.describe('first year of the rule'),
  days: halfDays(mostLeaveDays).describe('days per year'),
  mostCarriedDays: halfDays(mostLeaveDays).describe('of the previous year’s remaining days'),
  excess: z.enum(excesses),
})
export type LeaveRule = z.output<typeof leaveRule>

/** The rule of a type in a year; undefined if the type has no limit then. */
export const leaveRuleOn = (rules: readonly LeaveRule[], leaveType: number, year: number): LeaveRule | undefined =>
  rules
    .filter(rule => rule.leaveType === leaveType && rule.since <= year)
    .reduce<LeaveRule | undefined>((last, rule) => (last && last.since > rule.since ? last : rule), undefined)

/** The first year in which a rule limits a type. */
export const firstLeaveYear = (rules: readonly LeaveRule[], leaveType: number): number =>
  Math.min(...rules.flatMap(rule => (rule.leaveType === leaveType ? [rule.since] : [])))
