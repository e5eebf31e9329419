import { calculate } from '../attendance/calculate.ts'
import { dayNumber } from '../attendance/calendar.ts'
import { type Employments, isEmployedOn } from '../attendance/employment.ts'
import type { Choices } from '../attendance/input.ts'
import type { PartHoliday } from '../attendance/part-holiday.ts'
import { dayStart } from '../attendance/zone.ts'
import { addDays, addMonths, daysBetween, earlierDay, laterDay } from '../local-day.ts'
import { engineRequest, type LeaveRequest, type RequestTotal, requestTypes } from '../request.ts'
import { choicesOf, type RuleBook, rulePeriods } from '../rule.ts'
import { monthOf } from '../schedule/month.ts'
import type { Shift } from '../shift.ts'
import { sumOfDays, thousandths } from './total.ts'

// The part of the schedule that leave takes. The engine calculates it, so that holidays, night shifts and weekly
// targets count as in the figures for pay.

/** The fields of a leave that counting needs. */
export type AskedLeave = Pick<LeaveRequest, 'id' | 'day' | 'toDay' | 'from' | 'to' | 'leaveType'>

/** The input for counting an employee's leave. */
export interface LeaveContext {
  company: RuleBook
  employee: Employments
  /** The schedule in the months of the leaves, in the `leaveSlackDays` around them, and in the following month. */
  schedule: { day: string; shift: string }[]
  shifts: Record<string, Shift & { version: number }>
  isHoliday(day: string): boolean
  /** The holidays of a part of a day. */
  partHolidays?: readonly PartHoliday[]
  /** Where the person's department has another zone than the company. */
  zones?: NonNullable<Choices['zones']>
}

/** A day, or a part of a day, that a leave takes. */
export interface LeaveDay {
  /** The id of the leave. */
  leave: string
  day: string
  /** The share of the day's duty, to a thousandth. */
  days: number
  minutes: number
  isEstimated?: true
}

/**
 * Counting a leave needs these days around it. A night shift belongs to the previous day, and a weekly target depends
 * on the whole week.
 */
export const leaveSlackDays = 7

/** A day without a schedule counts as a day of a usual week. */
const usualDayMinutes = 8 * 60

/** 1970-01-01 was a Thursday. */
const isWeekend = (day: string) => (dayNumber(day) + 3) % 7 >= 5

/** The days of a leave without a schedule. Part-day leave counts at most the minutes of a usual day. */
const estimate = (
  { id, day, toDay, from, to }: AskedLeave,
  { company, employee, isHoliday, partHolidays = [], zones = [] }: LeaveContext,
  isPlanned: (day: string) => boolean,
): LeaveDay[] => {
  // A day begins by the clock of the person's department.
  const zoneOn = (date: string) => zones.findLast(zone => zone.from <= date)?.zone ?? company.timezone
  const starts = (date: string) => dayStart(zoneOn(date), dayNumber(date)) * 60_000
  const minutesOn = (date: string) => {
    // Without a shift, a holiday of a part frees half of the day.
    const usual = partHolidays.some(({ day }) => day === date) ? usualDayMinutes / 2 : usualDayMinutes
    if (from === undefined || to === undefined) return usual
    const [begin, end] = [Math.max(starts(date), Date.parse(from)), Math.min(starts(addDays(date, 1)), Date.parse(to))]
    return Math.max(0, Math.min(usual, Math.round((end - begin) / 60_000)))
  }
  return daysBetween(day, toDay).flatMap((date): LeaveDay[] => {
    const minutes =
      !isEmployedOn(employee, date) || isPlanned(date) || isWeekend(date) || isHoliday(date) ? 0 : minutesOn(date)
    if (minutes === 0) return []
    return [{ leave: id, day: date, minutes, days: thousandths(minutes / usualDayMinutes), isEstimated: true }]
  })
}

/** The duty minutes by day. */
const dutiesOf = (rows: readonly { day: string; dutyMinutes: number }[]): Map<string, number> => {
  const duties = new Map<string, number>()
  for (const { day, dutyMinutes } of rows) duties.set(day, (duties.get(day) ?? 0) + dutyMinutes)
  return duties
}

/**
 * The days that one employee's leaves take. Each minute counts once, for the leave that begins first. In a month
 * without any schedule, each day counts as a day of a usual week. A day after the last scheduled day counts as a day of
 * a usual week too.
 */
export const countLeave = (leaves: readonly AskedLeave[], context: LeaveContext): LeaveDay[] => {
  if (leaves.length === 0) return []
  const { company, employee, schedule, shifts, isHoliday, zones } = context
  const around = (slack: number) =>
    new Set(leaves.flatMap(({ day, toDay }) => daysBetween(addDays(day, -slack), addDays(toDay, slack))))
  const near = around(leaveSlackDays)
  const partHolidays = (context.partHolidays ?? []).filter(({ day }) => near.has(day))
  const planned = schedule.filter(({ day, shift }) => near.has(day) && shift in shifts)
  const engineInput = {
    ...{ employee, shifts, asOf: 0, punches: [] },
    schedule: planned,
    // The engine counts by type, so each leave gets its own type.
    requests: leaves.map(leave => ({
      ...engineRequest({ ...(leave as LeaveRequest), type: requestTypes.leave }),
      leaveType: leave.id,
    })),
  }
  const first = leaves.map(({ day }) => day).reduce(earlierDay)
  const last = leaves.map(({ toDay }) => toDay).reduce(laterDay)
  const holidays = [...near].filter(isHoliday)
  const periods = rulePeriods(company, addDays(first, -1), addDays(last, 1))
  const rows = periods.flatMap(({ timezone, parameters, from, to }) => {
    const choices = { ...choicesOf(parameters), partHolidays, ...(zones && { zones }) }
    return calculate({ ...engineInput, holidays, choices, parameters, from, to, zone: timezone }, false)
  })
  const duties = dutiesOf(rows)
  // Where a holiday frees a part of a shift by the clock, leave takes a part of the day.
  for (const { timezone, parameters, from, to } of periods) {
    const isByClock = parameters.holidayBy === 'clock'
    if (!isByClock && partHolidays.length === 0) continue
    const choices = zones ? { zones } : {}
    const whole = { holidays: isByClock ? [] : holidays, choices, parameters, from, to, zone: timezone }
    for (const [day, duty] of dutiesOf(calculate({ ...engineInput, ...whole }, false))) duties.set(day, duty)
  }
  const counted: LeaveDay[] = []
  for (const [day, shiftsOfDay] of Map.groupBy(rows, row => row.day)) {
    const duty = duties.get(day) ?? 0
    const minutes = new Map<string, number>()
    for (const [leave, taken] of shiftsOfDay.flatMap(row => Object.entries(row.leaveTypes)))
      minutes.set(leave, (minutes.get(leave) ?? 0) + taken)
    for (const [leave, taken] of minutes)
      if (taken > 0) counted.push({ leave, day, minutes: taken, days: thousandths(taken / duty) })
  }
  const lastOfMonth = new Map<string, string>()
  for (const { day } of schedule) lastOfMonth.set(monthOf(day), laterDay(day, lastOfMonth.get(monthOf(day)) ?? day))
  /** Whether the schedule covers this day. A day off is covered if scheduled days follow it. */
  const isPlanned = (day: string) => {
    const last = lastOfMonth.get(monthOf(day))
    return last !== undefined && (last >= day || lastOfMonth.has(monthOf(addMonths(day, 1))))
  }
  const countedLeaves = new Set(counted.map(({ leave }) => leave))
  // The previous night shift may already count hours of a date. Skips the estimate for that date.
  for (const leave of leaves)
    if (leave.from === undefined || leave.day !== leave.toDay || !countedLeaves.has(leave.id))
      counted.push(...estimate(leave, context, isPlanned))
  return counted.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
}

export const totalOf = (days: readonly LeaveDay[]): RequestTotal => ({
  days: sumOfDays(days.map(({ days }) => days)),
  minutes: days.reduce((sum, { minutes }) => sum + minutes, 0),
  ...(days.some(({ isEstimated }) => isEstimated) && { isEstimated: true }),
})
