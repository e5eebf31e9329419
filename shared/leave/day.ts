import { calculate } from '../attendance/calculate.ts'
import { dayNumber } from '../attendance/calendar.ts'
import { dayStart } from '../attendance/zone.ts'
import type { Employee } from '../employee.ts'
import { addDays, addMonths, daysBetween, earlierDay, laterDay } from '../local-day.ts'
import { engineRequest, type LeaveRequest, type RequestTotal, requestTypes } from '../request.ts'
import { type RuleBook, rulePeriods } from '../rule.ts'
import { monthOf } from '../schedule.ts'
import type { Shift } from '../shift.ts'

// How much of the schedule leave takes. The engine is asked, so that a holiday, a night or a week with a target counts here as it
// does in the figures people are paid by.

/** Of a leave, what counting it needs. */
export type AskedLeave = Pick<LeaveRequest, 'id' | 'day' | 'toDay' | 'from' | 'to' | 'leaveType'>

/** What the days of somebody's leave follow from. */
export interface LeaveGround {
  company: RuleBook
  employee: Pick<Employee, 'hireDay' | 'endDay'>
  /** All that is planned in the months of the leaves, of the `leaveSlackDays` around them, and in the month behind. */
  schedule: { day: string; shift: string }[]
  shifts: Record<string, Shift & { version: number }>
  isHoliday(day: string): boolean
}

/** A day, or part of one, that a leave takes. */
export interface LeaveDay {
  /** The leave's id. */
  leave: string
  day: string
  /** To a thousandth, by the duty of the day. */
  days: number
  minutes: number
  isEstimated?: true
}

/** A night belongs to the day before, and a day's share of a week's target follows from the whole week. */
export const leaveSlackDays = 7

/** What nobody planned counts as a day of a usual week. */
const usualDayMinutes = 8 * 60

const thousandths = (days: number) => Math.round(days * 1000) / 1000

/** Sums that show no trace of how numbers are kept. */
export const sumOfDays = (list: readonly number[]): number => thousandths(list.reduce((sum, days) => sum + days, 0))

/** 1970-01-01 was a Thursday. */
const isWeekend = (day: string) => (dayNumber(day) + 3) % 7 >= 5

/** Of a leave, the days that nobody has planned yet; of hours, as many as a day of a usual week has at most. */
const estimate = (
  { id, day, toDay, from, to }: AskedLeave,
  { company, employee, isHoliday }: LeaveGround,
  isPlanned: (day: string) => boolean,
): LeaveDay[] => {
  const { hireDay = day, endDay = toDay } = employee
  const starts = (one: string) => dayStart(company.timezone, dayNumber(one)) * 60_000
  const minutesOn = (one: string) => {
    if (from === undefined || to === undefined) return usualDayMinutes
    const [begin, end] = [Math.max(starts(one), Date.parse(from)), Math.min(starts(addDays(one, 1)), Date.parse(to))]
    return Math.max(0, Math.min(usualDayMinutes, Math.round((end - begin) / 60_000)))
  }
  return daysBetween(laterDay(day, hireDay), earlierDay(toDay, endDay)).flatMap((one): LeaveDay[] => {
    const minutes = isPlanned(one) || isWeekend(one) || isHoliday(one) ? 0 : minutesOn(one)
    if (minutes === 0) return []
    return [{ leave: id, day: one, minutes, days: thousandths(minutes / usualDayMinutes), isEstimated: true }]
  })
}

/**
 * The days that leaves of one person take, each minute once, whichever of them begins first. A day of a month for which nothing
 * at all is planned is taken for one of a usual week, and so is one behind the last that is planned.
 */
export const countLeave = (leaves: readonly AskedLeave[], ground: LeaveGround): LeaveDay[] => {
  if (leaves.length === 0) return []
  const { company, employee, schedule, shifts, isHoliday } = ground
  const around = (slack: number) =>
    new Set(leaves.flatMap(({ day, toDay }) => daysBetween(addDays(day, -slack), addDays(toDay, slack))))
  const near = around(leaveSlackDays)
  const planned = schedule.filter(({ day, shift }) => near.has(day) && shift in shifts)
  const given = {
    ...{ employee, shifts, asOf: 0, punches: [] },
    schedule: planned,
    holidays: [...new Set(planned.map(({ day }) => day))].filter(isHoliday),
    // Told apart by leave, not by type.
    requests: leaves.map(leave => ({
      ...engineRequest({ ...(leave as LeaveRequest), type: requestTypes.leave }),
      leaveType: leave.id,
    })),
  }
  const first = leaves.map(({ day }) => day).reduce(earlierDay)
  const last = leaves.map(({ toDay }) => toDay).reduce(laterDay)
  const rows = rulePeriods(company, addDays(first, -1), addDays(last, 1)).flatMap(
    ({ timezone, parameters, from, to }) => calculate({ ...given, parameters, from, to, zone: timezone }, false),
  )
  const counted: LeaveDay[] = []
  for (const [day, shiftsOfDay] of Map.groupBy(rows, row => row.day)) {
    const duty = shiftsOfDay.reduce((sum, row) => sum + row.dutyMinutes, 0)
    const minutes = new Map<string, number>()
    for (const [leave, taken] of shiftsOfDay.flatMap(row => Object.entries(row.leaveTypes)))
      minutes.set(leave, (minutes.get(leave) ?? 0) + taken)
    for (const [leave, taken] of minutes)
      if (taken > 0) counted.push({ leave, day, minutes: taken, days: thousandths(taken / duty) })
  }
  const lastOfMonth = new Map<string, string>()
  for (const { day } of schedule) lastOfMonth.set(monthOf(day), laterDay(day, lastOfMonth.get(monthOf(day)) ?? day))
  /** Whoever plans has come as far as that day; a free day has planned ones behind it. */
  const isPlanned = (day: string) => {
    const last = lastOfMonth.get(monthOf(day))
    return last !== undefined && (last >= day || lastOfMonth.has(monthOf(addMonths(day, 1))))
  }
  const known = new Set(counted.map(({ leave }) => leave))
  // Hours of one date that a night before them has taken are no hours of a day nobody planned.
  for (const leave of leaves)
    if (leave.from === undefined || leave.day !== leave.toDay || !known.has(leave.id))
      counted.push(...estimate(leave, ground, isPlanned))
  return counted.sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))
}

export const totalOf = (days: readonly LeaveDay[]): RequestTotal => ({
  days: sumOfDays(days.map(({ days }) => days)),
  minutes: days.reduce((sum, { minutes }) => sum + minutes, 0),
  ...(days.some(({ isEstimated }) => isEstimated) && { isEstimated: true }),
})
