import { type Employments, employmentsOf } from '../attendance/employment.ts'
import { addDays, addMonths } from '../local-day.ts'
import { type LeaveRule, ruleOn } from './rule.ts'
import { sumOfDays, thousandths } from './total.ts'
import { leaveYearOf, leaveYearStart } from './year.ts'

// Leave years that begin in any month, carried days that end, and allowances of people who come or go.

export type YearRule = Pick<LeaveRule, 'since' | 'days' | 'mostCarriedDays' | 'carriedUntil' | 'proRatesLeavers'>

/** Days that a manager granted a person. */
export interface YearGrant {
  /** The granted days, in place of the rule's days. They are not cut. */
  days?: number
  /** Days added to the granted days; may be negative. */
  adjustedDays?: number
}

export interface YearContext {
  rules: readonly YearRule[]
  /** The month in which a leave year begins, 1 January … 12 December. A year has the name of the year it begins in. */
  yearStart: number
  employee: Employments
  /** Days of leave, or parts of days. */
  taken: readonly { day: string; days: number }[]
  grants?: Readonly<Record<number, YearGrant>>
}

export interface YearBalance {
  rule: YearRule
  /** The days that the rule grants this person. */
  ruledDays: number
  /** The days of this year without carried-over days. */
  entitledDays: number
  carriedDays: number
  /** The last day of the carried days. */
  carriedUntil?: string
  /** The carried days that leave used. */
  usedCarriedDays: number
  /** The carried days that ended unused. */
  expiredDays: number
  /** The carried days that will end unused if no further leave takes them. */
  expiringDays: number
  leftDays: number
}

/** The last day of a leave year. */
export const leaveYearEnd = (year: number, yearStart: number): string =>
  addDays(leaveYearStart(year + 1, yearStart), -1)

const monthNumber = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1

/** The months of a leave year with a day in employment. */
const employedMonths = (year: number, { yearStart, employee }: YearContext, countsEnd: boolean): number => {
  const first = monthNumber(leaveYearStart(year, yearStart))
  const spans = employmentsOf(employee).map(({ hireDay, endDay }) => {
    const end = endDay !== undefined && (countsEnd ? endDay : leaveYearEnd(leaveYearOf(endDay, yearStart), yearStart))
    return [
      hireDay === undefined ? Number.NEGATIVE_INFINITY : monthNumber(hireDay),
      end ? monthNumber(end) : Number.POSITIVE_INFINITY,
    ] as const
  })
  return Array.from({ length: 12 }, (_, i) => first + i).filter(month =>
    spans.some(([from, to]) => from <= month && month <= to),
  ).length
}

/** The days of a year for the months in employment, rounded up to half days. */
const proRatedDays = ({ days, proRatesLeavers = false }: YearRule, year: number, context: YearContext): number => {
  const months = employedMonths(year, context, proRatesLeavers)
  return months === 12 ? days : Math.ceil(thousandths((days * months) / 6)) / 2
}

/** The first day with this month and day on or after the beginning of the year. */
const lastCarriedDay = (first: string, until: string): string => {
  const inYear = (year: number) => {
    const monthEnd = addDays(addMonths(`${year}-${until.slice(0, 2)}-01`, 1), -1)
    const day = `${year}-${until}`
    return day < monthEnd ? day : monthEnd
  }
  const year = Number(first.slice(0, 4))
  return inYear(year) >= first ? inYear(year) : inYear(year + 1)
}

const sum = (taken: readonly { days: number }[]): number => sumOfDays(taken.map(({ days }) => days))

/** The balance of a leave year on a day. Undefined if no rule applies to the year. */
export const leaveYearBalance = (context: YearContext, year: number, asOf: string): YearBalance | undefined => {
  const { rules, yearStart, employee, taken, grants } = context
  const byYear = Map.groupBy(taken, ({ day }) => leaveYearOf(day, yearStart))
  const hireDay = employmentsOf(employee)[0]?.hireDay
  const hired = hireDay === undefined ? 0 : leaveYearOf(hireDay, yearStart)
  const first = Math.max(Math.min(...rules.map(({ since }) => since)), hired)
  let balance: YearBalance | undefined
  for (let ofYear = Math.min(first, year); ofYear <= year; ofYear++) {
    const rule = ruleOn(rules, ofYear)
    if (!rule) continue
    const today = ofYear === year ? asOf : leaveYearEnd(ofYear, yearStart)
    const ofThisYear = byYear.get(ofYear) ?? []
    const carriedDays = balance ? Math.max(0, Math.min(rule.mostCarriedDays, balance.leftDays)) : 0
    const until =
      rule.carriedUntil === undefined ? undefined : lastCarriedDay(leaveYearStart(ofYear, yearStart), rule.carriedUntil)
    const beforeEnd = until === undefined ? ofThisYear : ofThisYear.filter(({ day }) => day <= until)
    const usedCarriedDays = Math.min(carriedDays, sum(beforeEnd))
    const unused = sumOfDays([carriedDays, -usedCarriedDays])
    const isGone = until !== undefined && today > until
    const expiredDays = isGone ? unused : 0
    const ruledDays = proRatedDays(rule, ofYear, context)
    const grant = grants?.[ofYear]
    const entitledDays = sumOfDays([grant?.days ?? ruledDays, grant?.adjustedDays ?? 0])
    balance = {
      ...{ rule, ruledDays, entitledDays, carriedDays, usedCarriedDays, expiredDays },
      ...(until !== undefined && { carriedUntil: until }),
      expiringDays: until !== undefined && !isGone ? unused : 0,
      leftDays: sumOfDays([entitledDays, carriedDays, -sum(ofThisYear), -expiredDays]),
    }
  }
  return balance
}
