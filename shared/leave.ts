import * as z from 'zod'
import {
  type Employment,
  type Employments,
  employmentsOf,
  isEmployedBetween,
  isEmployedOn,
} from './attendance/employment.ts'
import type { Audited, Change } from './change.ts'
import { type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import { employeeSorts } from './employee.ts'
import { calendarLeave, leaveCalendarPaths } from './leave/calendar.ts'
import type { LeaveDay } from './leave/day.ts'
import { leaveYearBalance, leaveYearEnd, type YearBalance, type YearGrant } from './leave/entitlement.ts'
import {
  excesses,
  type LeaveRule,
  leaveRule,
  leaveRuleOn,
  leaveTypeId,
  leaveYear,
  leaveYearMonth,
  mostLeaveDays,
} from './leave/rule.ts'
import { sumOfDays } from './leave/total.ts'
import { leaveYearOf, leaveYearStart } from './leave/year.ts'
import { entered, leaveBehalf, leaveBehalfPreview } from './personal/behalf.ts'
import type { Key } from './table.ts'
import { timeAccountPaths } from './time-account.ts'

// Leave balances. The server stores no totals. Each read computes the balance from the rules, the individual grants,
// and the leaves in the schedule.

/** Manual leave grants of a type in a year, on top of the allowance rules. */
export interface OwnLeave extends YearGrant {
  /** The reason that the granting manager wrote. */
  reason: string
}

/** All grants of one person, by year and type. `ownLeaveName` gives the names. */
export interface LeaveBook {
  employee: string
  entries: Record<string, OwnLeave>
}

export const ownLeaveName = (year: number, leaveType: number) => `${year}#${leaveType}`

/** The audit shows the grants by year and type, under the employee's id. */
const audited: Audited<LeaveBook> = {
  noun: 'leave',
  id: ({ employee }) => employee,
  name: () => '',
}

export const leaveBookKey = (employee: string): Key<LeaveBook> => ({ pk: 'LEAVE', sk: employee, audited })

export const leaveFacts = ({ company, old, new: next }: Change<LeaveBook>) => [
  { type: 'leave.changed' as const, company, employee: next?.employee ?? old?.employee ?? '' },
]

/** A day of a person's leave, with the attributes for counting it. */
export interface TakenDay extends LeaveDay {
  leaveType: number
  /** The leave is approved and the day is not in the future. All other leave is planned. */
  isUsed: boolean
}

/** The input of a person's balances. */
export interface LeaveHeld {
  rules: readonly LeaveRule[]
  /** The first month of a leave year. */
  yearStart: number
  /** Carried days that ended before this day are gone. */
  today: string
  employee: Employments
  own: LeaveBook['entries']
  taken: readonly TakenDay[]
}

/** All figures are in days, to a thousandth. */
export interface LeaveBalance {
  leaveType: number
  year: number
  usedDays: number
  /** Approved future leave and requested leave. */
  plannedDays: number
  /** Some of the leave is in months without a schedule. */
  isEstimated?: true
  /** Present if the type has a limit in this year. */
  limit?: LeaveLimit
}

type CarriedEnd = Pick<YearBalance, 'expiringDays' | 'expiredDays'> & { carriedUntil: string }
export interface LeaveLimit
  extends Pick<YearBalance, 'ruledDays' | 'entitledDays' | 'carriedDays' | 'leftDays'>,
    Partial<CarriedEnd> {
  excess: LeaveRule['excess']
  own?: OwnLeave
}

/** The employment for the leave of a year: the last employment in that year. */
const employmentIn = (employee: Employments, year: number, yearStart: number): Employment => {
  const employments = employmentsOf(employee)
  const [first, last] = [leaveYearStart(year, yearStart), leaveYearEnd(year, yearStart)]
  return employments.findLast(employment => isEmployedBetween(employment, first, last)) ?? employments.at(-1) ?? {}
}

/**
 * The balance of a leave type in a year, for one employment. Remaining days carry over up to the limit of the next
 * year's rule.
 */
export const balanceOf = (held: LeaveHeld, leaveType: number, year: number): LeaveBalance => {
  const { own, yearStart, today } = held
  const employee = employmentIn(held.employee, year, yearStart)
  const isOwn = (day: string) => held.employee.earlierEmployments === undefined || isEmployedOn(employee, day)
  const taken = held.taken.filter(({ leaveType: type, day }) => type === leaveType && isOwn(day))
  const rules = held.rules.filter(rule => rule.leaveType === leaveType)
  const grants = Object.fromEntries(
    Object.entries(own).flatMap(([name, grant]) => {
      const [ofYear = '', type] = name.split('#')
      return Number(type) === leaveType ? [[ofYear, grant]] : []
    }),
  )
  const balance = leaveYearBalance({ rules, yearStart, employee, taken, grants }, year, today)
  const rule = leaveRuleOn(rules, leaveType, year)
  const ofYear = taken.filter(({ day }) => leaveYearOf(day, yearStart) === year)
  const sum = (isUsed: boolean) => sumOfDays(ofYear.flatMap(day => (day.isUsed === isUsed ? [day.days] : [])))
  return {
    ...{ leaveType, year, usedDays: sum(true), plannedDays: sum(false) },
    ...(ofYear.some(({ isEstimated }) => isEstimated) && { isEstimated: true }),
    ...(balance && rule && { limit: limitOf(balance, rule.excess, own[ownLeaveName(year, leaveType)]) }),
  }
}

const limitOf = (balance: YearBalance, excess: LeaveRule['excess'], own: OwnLeave | undefined): LeaveLimit => {
  const { ruledDays, entitledDays, carriedDays, leftDays, carriedUntil, expiringDays, expiredDays } = balance
  return {
    ...{ excess, ruledDays, entitledDays, carriedDays, leftDays },
    ...(carriedUntil !== undefined && { carriedUntil, expiringDays, expiredDays }),
    ...(own && { own }),
  }
}

const days = z.number().describe('to a thousandth')
const ownLeave = {
  days: z.number().min(0).max(mostLeaveDays).multipleOf(0.5).optional().describe('replaces the allowance of the rule'),
  adjustedDays: z
    .number()
    .min(-mostLeaveDays)
    .max(mostLeaveDays)
    .multipleOf(0.5)
    .optional()
    .describe('added to the allowance'),
  reason: text(200),
}

/** The balance of a type in a year, as returned to callers. */
export const balance = z.object({
  leaveType: leaveTypeId,
  year: leaveYear,
  usedDays: days,
  plannedDays: days.describe('approved for later, or requested'),
  isEstimated: z.literal(true).optional().describe('some days lie in months without a schedule'),
  limit: z
    .object({
      excess: z.enum(excesses),
      ruledDays: days.describe('allowance of the rule for this person'),
      own: z.object(ownLeave).optional().describe('manual grant besides the rule'),
      entitledDays: days.describe('without carried-over days'),
      carriedDays: days,
      leftDays: days.describe('today: carried days count until they end'),
      carriedUntil: day.optional().describe('last day of the carried days; absent if they do not end'),
      expiringDays: days.optional().describe('carried days that end on `carriedUntil` unless leave takes them'),
      expiredDays: days.optional().describe('carried days that have ended'),
    })
    .optional()
    .describe('absent for a type without a limit'),
})

/** A leave that counts, with its days in the requested year. */
export const takenLeave = calendarLeave.extend({
  isAllDay: z.boolean(),
  days: days.describe('in this year'),
  minutes: z.int().min(0),
  isEstimated: z.literal(true).optional(),
})

const leaveType = z.object({
  ...{ id: leaveTypeId, name: z.string(), isOn: z.boolean(), isPaid: z.boolean() },
  fromAccount: z.boolean().optional().describe('whether leave of this type takes its hours from the time account'),
})
const person = { employee: id, first_name: z.string(), last_name: z.string(), workno: z.string(), department: id }

export const leavePaths = {
  'leave/params': {
    does: 'Returns the leave types and the allowance rules; a type without a rule is unlimited.',
    who: [10],
    input: nothing,
    output: z.object({
      types: z.array(leaveType),
      rules: z.array(leaveRule),
      yearStart: leaveYearMonth.describe('first month of the leave year'),
      showsColleaguesAway: z.boolean().describe('whether employees see which colleagues are on leave'),
      version,
    }),
  },
  'leave/params/update': {
    does: 'Replaces all allowance rules, and sets the leave year and whether employees see who is away. Balances change at once, also those of past years.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      version,
      rules: z
        .array(leaveRule)
        .max(200)
        .superRefine((rules, { addIssue }) => {
          const isSame = (a: LeaveRule, b: LeaveRule) => a.leaveType === b.leaveType && a.since === b.since
          const duplicate = rules.findIndex((rule, at) => rules.findIndex(other => isSame(rule, other)) < at)
          if (duplicate >= 0) addIssue({ code: 'custom', path: [duplicate, 'since'], message: '10002' })
        })
        .describe('at most one rule per type and first year'),
      yearStart: leaveYearMonth
        .optional()
        .describe('first month of the leave year, 1 January to 12 December; unchanged if omitted'),
      showsColleaguesAway: z
        .boolean()
        .optional()
        .describe(
          'whether employees see which colleagues of their departments are on leave, never the type; unchanged if omitted',
        ),
    }),
    output: done,
  },
  'leave/add': {
    does: 'Enters leave for one or more people, all or none, as requested by them and approved by the caller. Rejects what the person could not request, with its code at `employees.<index>`.',
    who: [10],
    isPersonal: true,
    writes: true,
    input: leaveBehalf,
    output: entered,
  },
  'leave/preview': {
    does: 'Previews `leave/add`: for each person the scheduled time it takes, the balances, the overlapping leave and the refusal, if any.',
    who: [10],
    input: leaveBehalf,
    output: leaveBehalfPreview,
  },
  ...leaveCalendarPaths,
  ...timeAccountPaths,
  'leave/balance/grid': {
    does: "Lists the caller's employees with allowance, taken, planned and remaining leave of each type in a year.",
    who: [10],
    input: gridInput(
      z.strictObject({
        year: leaveYear,
        department: id.optional(),
        search: z.string().trim().max(100).optional(),
      }),
      employeeSorts,
    ),
    output: gridOutput(z.object({ ...person, balances: z.array(balance) })),
  },
  'leave/balance/get': {
    does: "Returns a person's allowance, taken, planned and remaining leave of each type in a year, with the leaves counted.",
    who: [10],
    input: z.strictObject({ employee: id, year: leaveYear }),
    output: z.object({
      ...person,
      hireDay: day.optional(),
      endDay: day.optional(),
      balances: z.array(balance),
      list: z.array(takenLeave).describe('earliest first'),
      version: version.optional().describe('absent without manual grants'),
    }),
  },
  'leave/balance/update': {
    does: "Sets a person's individual allowance for a type and year: instead of the rule, or on top of it; with neither, the rule applies. Only administrators can set their own.",
    who: [10],
    writes: true,
    input: z.strictObject({
      employee: id,
      year: leaveYear,
      leaveType: leaveTypeId.describe('a type that a rule limits in this year'),
      ...ownLeave,
      version: version.optional().describe('the version of `leave/balance/get`, if present'),
    }),
    output: z.object({ version }),
  },
} as const satisfies Declarations
