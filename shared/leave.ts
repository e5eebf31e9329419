import type { Audited, Change } from './change.ts'
import type { Employee } from './employee.ts'
import { type LeaveDay, sumOfDays } from './leave-day.ts'
import { firstLeaveYear, type LeaveRule, leaveRuleOn } from './leave-rule.ts'
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
  untold: ['employee'],
  entriesOf: 'entries',
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
