import { daysBetween } from '../../local-day.ts'
import { dayName, dayNumber, weekStart } from '../calendar.ts'
import type { Employments } from '../employment.ts'
import { isEmployedOn } from '../employment.ts'
import { minuteOf } from '../punch.ts'
import type { Row } from '../row.ts'
import { stateOf } from '../state.ts'
import { dayStart } from '../zone.ts'
import { type Finding, paidOf } from './checks.ts'

/** Facts beside the rows that decide a weekly average. Instants are ms since 1970. */
export interface WeekContext {
  zone: string
  firstWeekday: number
  employee: Employments
  /** Days of full leave without a row. Rows state their own leave. */
  leaveDays?: ReadonlySet<string>
  asOf: number
  uploadedTo?: number
}

/** The minutes above the average, rounded up; at most 0 if there are none. */
export const aboveAverage = (paid: number, minutes: number, days: number): number =>
  Math.ceil((paid * 7 - minutes * days) / 7)

/**
 * The paid minutes of the weeks up to a week, above the average of the days on which the person was employed and
 * not on full leave. They are on the week's last worked row, once the week is final. Pass the rows of all these weeks.
 */
export const findOverWeeklyAverage = (
  rows: readonly Row[],
  { minutes, weeks }: { minutes: number; weeks: number },
  { zone, firstWeekday, employee, leaveDays, asOf, uploadedTo }: WeekContext,
): Finding[] => {
  const byWeek = Map.groupBy(rows, ({ day }) => weekStart(dayNumber(day), firstWeekday))
  const onLeave = new Set([...(leaveDays ?? []), ...rows.flatMap(({ day, kind }) => (kind === 'leave' ? day : []))])
  const isFinal = (week: number, ofWeek: readonly Row[]) =>
    ofWeek.every(({ state }) => state === 'final') &&
    stateOf(dayStart(zone, week + 7) - 1, minuteOf(asOf), minuteOf(uploadedTo ?? Number.NEGATIVE_INFINITY)) === 'final'
  return [...byWeek].flatMap(([week, ofWeek]): Finding[] => {
    const [from, to] = [dayName(week - 7 * (weeks - 1)), dayName(week + 6)]
    const paid = rows.filter(({ day }) => day >= from && day <= to).reduce((sum, row) => sum + paidOf(row), 0)
    const days = daysBetween(from, to).filter(day => isEmployedOn(employee, day) && !onLeave.has(day)).length
    const above = aboveAverage(paid, minutes, days)
    const [row] = ofWeek
      .filter(worked => paidOf(worked) > 0)
      .sort((a, b) => (a.day === b.day ? (b.firstIn ?? 0) - (a.firstIn ?? 0) : a.day < b.day ? 1 : -1))
    return row && above > 0 && isFinal(week, ofWeek) ? [{ row, check: 'overWeeklyAverage', minutes: above }] : []
  })
}
