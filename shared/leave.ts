import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import { type Employee, employeeSorts } from './employee.ts'
import { type LeaveDay, sumOfDays } from './leave/day.ts'
import {
  excesses,
  firstLeaveYear,
  type LeaveRule,
  leaveRule,
  leaveRuleOn,
  leaveTypeId,
  leaveYear,
  mostLeaveDays,
} from './leave/rule.ts'
import type { Key } from './table.ts'

// How much leave somebody has left. Nothing is ever added up and kept: what is left follows from the rules, from what was given
// to the person beside them, and from the leaves as the schedule has them, whenever somebody looks.

/** What somebody has of a type in a year beside the rules. */
export interface OwnLeave {
  /** In place of what the rule gives. */
  days?: number
  /** On top of it, or off it. */
  adjustedDays?: number
  /** Why, as whoever gave it wrote. */
  reason: string
}

/** All of one person, by year and type as `ownLeaveName` has them. */
export interface LeaveBook {
  employee: string
  entries: Record<string, OwnLeave>
}

export const ownLeaveName = (year: number, leaveType: number) => `${year}#${leaveType}`

/** Told by year and type; the person is who it is called by. */
const audited: Audited<LeaveBook> = {
  noun: 'leave',
  id: ({ employee }) => employee,
  name: () => '',
}

export const leaveBookKey = (employee: string): Key<LeaveBook> => ({ pk: 'LEAVE', sk: employee, audited })

export const leaveFacts = ({ company, old, new: now }: Change<LeaveBook>) => [
  { type: 'leave.changed' as const, company, employee: now?.employee ?? old?.employee ?? '' },
]

/** A day of somebody's leave, with what counts it. */
export interface TakenDay extends LeaveDay {
  leaveType: number
  /** It was approved and has come; every other is planned. */
  isUsed: boolean
}

/** What somebody's balances follow from. */
export interface LeaveHeld {
  rules: readonly LeaveRule[]
  employee: Pick<Employee, 'hireDay' | 'endDay'>
  own: LeaveBook['entries']
  taken: readonly TakenDay[]
}

/** In days, to a thousandth. */
export interface LeaveBalance {
  leaveType: number
  year: number
  usedDays: number
  /** Approved for later, or asked for. */
  plannedDays: number
  /** Some of it is in months that nobody has planned yet. */
  isEstimated?: true
  /** Of a type that has a limit in this year. */
  limit?: {
    excess: LeaveRule['excess']
    /** What the rule gives. */
    ruledDays: number
    own?: OwnLeave
    /** What the person has for this year, without what is carried over. */
    entitledDays: number
    carriedDays: number
    leftDays: number
  }
}

const yearOf = (day: string) => Number(day.slice(0, 4))

/** Who comes in the middle of a year has the part of its whole months, the first one included, rounded up to half days. */
const ruledDays = ({ days }: LeaveRule, { hireDay, endDay }: LeaveHeld['employee'], year: number): number => {
  if (endDay !== undefined && year > yearOf(endDay)) return 0
  if (hireDay === undefined || year > yearOf(hireDay)) return days
  if (year < yearOf(hireDay)) return 0
  const months = 13 - Number(hireDay.slice(5, 7))
  return Math.ceil((days * 2 * months) / 12) / 2
}

/**
 * What somebody has left of a type in a year. What is left of a year is carried into the next, as far as the next one's rule lets
 * it, from the first year in which the type has a limit and the person was there. What somebody took too much is no debt of the
 * next year.
 */
export const balanceOf = (held: LeaveHeld, leaveType: number, year: number): LeaveBalance => {
  const { rules, employee, own, taken } = held
  const byYear = Map.groupBy(
    taken.filter(day => day.leaveType === leaveType),
    ({ day }) => yearOf(day),
  )
  const sum = (one: number, isUsed: boolean) =>
    sumOfDays((byYear.get(one) ?? []).flatMap(day => (day.isUsed === isUsed ? [day.days] : [])))
  const hired = employee.hireDay === undefined ? 0 : yearOf(employee.hireDay)
  const first = Math.max(firstLeaveYear(rules, leaveType), hired)
  let left: number | undefined
  let limit: LeaveBalance['limit']
  for (let one = Math.min(first, year); one <= year; one++) {
    const rule = leaveRuleOn(rules, leaveType, one)
    if (!rule) continue
    const given = own[ownLeaveName(one, leaveType)]
    const ruled = ruledDays(rule, employee, one)
    const entitledDays = sumOfDays([given?.days ?? ruled, given?.adjustedDays ?? 0])
    const carriedDays = left === undefined ? 0 : Math.max(0, Math.min(rule.mostCarriedDays, left))
    left = sumOfDays([entitledDays, carriedDays, -sum(one, true), -sum(one, false)])
    limit = {
      ...{ excess: rule.excess, ruledDays: ruled, entitledDays, carriedDays, leftDays: left },
      ...(given && { own: given }),
    }
  }
  return {
    ...{ leaveType, year, usedDays: sum(year, true), plannedDays: sum(year, false) },
    ...(byYear.get(year)?.some(({ isEstimated }) => isEstimated) && { isEstimated: true }),
    ...(limit && { limit }),
  }
}

const days = z.number().describe('to a thousandth')
const ownLeave = {
  days: z.number().min(0).max(mostLeaveDays).multipleOf(0.5).optional().describe('in place of what the rule gives'),
  adjustedDays: z.number().min(-mostLeaveDays).max(mostLeaveDays).multipleOf(0.5).optional().describe('on top of it'),
  reason: text(200),
}

/** What somebody has of a type in a year, as it is told. */
export const balance = z.object({
  leaveType: leaveTypeId,
  year: leaveYear,
  usedDays: days,
  plannedDays: days.describe('approved for later, or asked for'),
  isEstimated: z.literal(true).optional().describe('some of it is in months that nobody has planned yet'),
  limit: z
    .object({
      excess: z.enum(excesses),
      ruledDays: days.describe('what the rule gives this person'),
      own: z.object(ownLeave).optional().describe('what the person was given beside the rule'),
      entitledDays: days.describe('without what is carried over'),
      carriedDays: days,
      leftDays: days,
    })
    .optional()
    .describe('absent where the type has no limit'),
})

/** A leave that counts, as far as it lies in the year that is asked for. */
export const takenLeave = z.object({
  id: z.string(),
  status: z.literal([0, 1]).describe('0 pending, 1 approved'),
  leaveType: leaveTypeId,
  date: day,
  toDate: day,
  timezone: z.string(),
  isAllDay: z.boolean(),
  from: at.optional(),
  to: at.optional(),
  days: days.describe('in this year'),
  minutes: z.int().min(0),
  isEstimated: z.literal(true).optional(),
})

const leaveType = z.object({ id: leaveTypeId, name: z.string(), isOn: z.boolean(), isPaid: z.boolean() })
const person = { employee: id, first_name: z.string(), last_name: z.string(), workno: z.string(), department: id }

export const leavePaths = {
  'leave/params': {
    does: 'Returns the leave types and the allowance rules; a type without a rule is unlimited.',
    who: [10],
    input: nothing,
    output: z.object({ types: z.array(leaveType), rules: z.array(leaveRule), version }),
  },
  'leave/params/update': {
    does: 'Replaces all allowance rules. Balances change at once, also those of past years.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      version,
      rules: z
        .array(leaveRule)
        .max(200)
        .superRefine((rules, { addIssue }) => {
          const isSame = (one: LeaveRule, other: LeaveRule) =>
            one.leaveType === other.leaveType && one.since === other.since
          const twice = rules.findIndex((one, at) => rules.findIndex(other => isSame(one, other)) < at)
          if (twice >= 0) addIssue({ code: 'custom', path: [twice, 'since'], message: '10002' })
        })
        .describe('each type once for each year from which its rule counts'),
    }),
    output: done,
  },
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
      list: z.array(takenLeave).describe('the earliest first'),
      version: version.optional().describe('absent where the person was never given anything beside the rules'),
    }),
  },
  'leave/balance/update': {
    does: "Sets a person's individual allowance for a type and year: instead of the rule, or on top of it; with neither, the rule applies. Only administrators can set their own.",
    who: [10],
    writes: true,
    input: z.strictObject({
      employee: id,
      year: leaveYear,
      leaveType: leaveTypeId.describe('one that a rule limits in this year'),
      ...ownLeave,
      version: version.optional().describe('that of `leave/balance/get`, where there is one'),
    }),
    output: z.object({ version }),
  },
} as const satisfies Declarations
