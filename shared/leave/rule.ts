import * as z from 'zod'

// How much leave people have: a rule gives days of a type for each year from one on, until another rule does. A type no rule is
// about has no limit.

/** What becomes of a request for more than is left: it is refused, or only told. */
export const excesses = ['refuse', 'warn'] as const

/** Half days are given, not smaller parts. */
const halfDays = (most: number) => z.number().min(0).max(most).multipleOf(0.5)

export const mostLeaveDays = 366
export const leaveYear = z.int().min(2000).max(2100)
export const leaveTypeId = z.int().min(1).max(10)

export const leaveRule = z.strictObject({
  leaveType: leaveTypeId,
  since: leaveYear.describe('the first year it counts in'),
  days: halfDays(mostLeaveDays).describe('a year'),
  mostCarriedDays: halfDays(mostLeaveDays).describe('of what is left of the year before'),
  excess: z.enum(excesses),
})
export type LeaveRule = z.output<typeof leaveRule>

/** The rule of a type in a year; undefined where the type has no limit then. */
export const leaveRuleOn = (rules: readonly LeaveRule[], leaveType: number, year: number): LeaveRule | undefined =>
  rules
    .filter(rule => rule.leaveType === leaveType && rule.since <= year)
    .reduce<LeaveRule | undefined>((last, rule) => (last && last.since > rule.since ? last : rule), undefined)

/** The first year in which a type is limited. */
export const firstLeaveYear = (rules: readonly LeaveRule[], leaveType: number): number =>
  Math.min(...rules.flatMap(rule => (rule.leaveType === leaveType ? [rule.since] : [])))
