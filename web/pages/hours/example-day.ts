import { dayName, dayNumber, weekStart } from '../../../shared/attendance/calendar.ts'
import { type ExplainedPiece, explainHours } from '../../../shared/attendance/hours/explain.ts'
import type { HourHoliday } from '../../../shared/attendance/hours/holiday.ts'
import type { HourSet } from '../../../shared/attendance/hours/set.ts'
import { splitHours } from '../../../shared/attendance/hours/split.ts'
import type { Reason } from '../../../shared/attendance/reason.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { addDays } from '../../../shared/local-day.ts'
import type { PathOutput } from '../../api.ts'

// Splits a real day of a person in the browser, with the function of the server.

export type ExplainedDay = PathOutput<'report/day'>['list'][number]

const minuteOf = (at: string) => Math.floor(Date.parse(at) / 60_000)
const momentOf = (at: string | undefined) => (at === undefined ? null : Date.parse(at))

/** The row of an explained day, as far as `splitHours` reads it. */
const rowOf = (day: ExplainedDay): Row => ({
  ...{ day: day.day, zone: day.timezone, kind: day.kind, state: day.state },
  shift: day.shift ?? null,
  shiftVersion: day.shiftVersion ?? null,
  closesAt: Date.parse(day.closesAt),
  ...{ dutyFrom: momentOf(day.dutyFrom), dutyTo: momentOf(day.dutyTo) },
  ...{ firstIn: momentOf(day.firstIn), lastOut: momentOf(day.lastOut) },
  dutyMinutes: day.dutyMinutes,
  // Reports list unscheduled work separately; the engine counts it as work.
  workMinutes: day.workMinutes + day.unscheduledMinutes,
  ...{ lateMinutes: day.lateMinutes, earlyLeaveMinutes: day.earlyLeaveMinutes, absentMinutes: day.absentMinutes },
  // The row of a week's last day shows the overtime of its week.
  overtimeMinutes: day.overtimeMinutes - (day.week?.overtimeMinutes ?? 0),
  ...{ leaveMinutes: day.leaveMinutes, breakMinutes: day.breakMinutes, longBreakMinutes: day.longBreakMinutes },
  ...{ leaveTypes: {}, exceptions: [], punches: [] },
  ...(day.week && { week: day.week }),
  reasons: day.reasons.map(
    ({ rule, minutes, from, to }): Reason => (from && to ? [rule, minuteOf(from), minuteOf(to)] : [rule, 0, minutes]),
  ),
  ...{ inputHash: '', engineVersion: day.engineVersion, parametersVersion: day.parametersVersion },
})

/** The days whose minutes decide the kinds of a day: its week, and a day around it for days by the clock. */
export const daysAround = (day: string, firstWeekday: number): string[] => {
  const first = dayName(weekStart(dayNumber(day), firstWeekday))
  return Array.from({ length: 9 }, (_, at) => addDays(first, at - 1))
}

export interface ExampleSpan {
  from: number
  to: number
  kind: string
}

export interface SplitDay {
  /** Minutes since the midnight at the start of the work day. */
  base: ExampleSpan[]
  /** The spans of each extra kind, in the order of the set. */
  extra: ReadonlyMap<string, ExampleSpan[]>
  pieces: ExplainedPiece[]
  zone: string
}

/** Splits the rows of a day; undefined if the day has no paid minutes, or the rules leave some over. */
export const splitDay = (
  around: readonly ExplainedDay[],
  day: string,
  set: HourSet,
  context: { firstWeekday: number; holidays: readonly HourHoliday[] },
): SplitDay | undefined => {
  const rows = around.map(rowOf)
  const shown = rows.filter(row => row.day === day)
  const [first] = shown
  if (!first) return undefined
  let hours: ReturnType<typeof splitHours>
  try {
    hours = splitHours(rows, set, { ...context, splitTime: '00:00' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const split = shown.flatMap(row => {
    const minutes = hours.get(row)
    return minutes ? [{ row, minutes }] : []
  })
  const base = split.flatMap(({ minutes }) => minutes.base)
  if (base.length === 0) return undefined
  return {
    base,
    extra: Map.groupBy(
      split.flatMap(({ minutes }) => minutes.extra),
      ({ kind }) => kind,
    ),
    pieces: split.flatMap(({ row, minutes }) => explainHours(minutes, set, row.zone, dayNumber(day))),
    zone: first.zone,
  }
}
