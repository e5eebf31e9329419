import { dayName } from '../../../shared/attendance/calendar.ts'
import { checkRows } from '../../../shared/attendance/check/check-rows.ts'
import { addKinds, type KindMinutes, roundKinds } from '../../../shared/attendance/hours/round.ts'
import type { HourSet } from '../../../shared/attendance/hours/set.ts'
import { splitHours } from '../../../shared/attendance/hours/split.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { wholeWeeks } from '../../../shared/attendance/weekly.ts'
import { addDays, daysBetween, earlierDay, iso, laterDay } from '../../../shared/local-day.ts'
import { type Case, type Figures, roundingOf } from './case.ts'

// The figures of a case with an hour set or with checks.

/** The input for all days of a case: kinds depend on the week, and checks on the days before. */
export const widen = (input: Input, { day, range, checks }: Case): Input => {
  const days = [day, ...input.schedule.map(entry => entry.day), ...(range ? [range.from, range.to] : [])]
  for (const { at } of input.punches) days.push(dayName(Math.floor(at / 86_400_000)))
  const weeks = checks?.weeklyAverage?.weeks ?? 1
  const first = addDays(days.reduce(earlierDay), -7 * weeks)
  return { ...input, ...wholeWeeks(first, addDays(days.reduce(laterDay), 1), input.parameters.firstWeekday) }
}

/** The findings of a case's checks on its row, as exceptions. */
export const checkedFigures = (
  { checks }: Case,
  { zone, parameters, employee, asOf, requests }: Input,
  rows: readonly Row[],
  row: Row | undefined,
): Pick<Figures, 'exception' | 'exceptions' | 'exceptionMinutes'> => {
  const leaveDays = new Set(
    requests.flatMap(request => ('fromDay' in request ? daysBetween(request.fromDay, request.toDay) : [])),
  )
  const context = { zone, firstWeekday: parameters.firstWeekday, employee, asOf, leaveDays }
  const found = checkRows(rows, checks ?? {}, context).filter(finding => finding.row === row)
  const exceptions = new Set([...(row?.exceptions ?? []), ...found.map(({ check }) => check)])
  return {
    exception: exceptions.size > 0,
    exceptions: [...exceptions].sort(),
    exceptionMinutes: Object.fromEntries(found.map(({ check, minutes }) => [check, minutes])),
  }
}

/** The hour kinds of a case's row, and of all rows in its range. */
export const hourFigures = (
  testCase: Case,
  set: HourSet,
  { parameters, holidays, choices }: Input,
  rows: readonly Row[],
  row: Row | undefined,
): Pick<Figures, 'base' | 'extra' | 'spans' | 'rangeKinds'> => {
  const { locked, range } = testCase
  const { firstWeekday, splitTime } = parameters
  const hours = splitHours(rows, set, {
    ...{ firstWeekday, splitTime },
    holidays: [...holidays.map(day => ({ day })), ...(choices?.partHolidays ?? [])],
    ...(locked && { locked: { to: locked.to, days: locked.rows } }),
  })
  const rounding = { work: roundingOf(testCase, 'worked'), overtime: roundingOf(testCase, 'overtime') }
  const ofRow = row && hours.get(row)
  const rangeKinds: KindMinutes = {}
  for (const [other, split] of hours) {
    if (!range || other.day < range.from || other.day > range.to) continue
    const { base, extra } = roundKinds(split, rounding)
    for (const kinds of [base, extra]) addKinds(rangeKinds, kinds)
  }
  const spans: [string, number, number][] = []
  for (const { kind, from, to } of ofRow?.base ?? []) {
    const last = spans.at(-1)
    if (last && last[0] === kind && last[2] === from) last[2] = to
    else spans.push([kind, from, to])
  }
  return {
    ...(ofRow ? roundKinds(ofRow, rounding) : { base: {}, extra: {} }),
    spans: spans.map(([kind, from, to]) => [kind, iso(from * 60_000), iso(to * 60_000)]),
    ...(range && { rangeKinds }),
  }
}
