import { dayName, dayNumber, weekStart } from '../../../shared/attendance/calendar.ts'
import { addDays, daysBetween } from '../../../shared/local-day.ts'
import { templateLimits } from '../../../shared/schedule/limit.ts'
import type { PathCall } from '../../api.ts'
import type { BoardRow } from '../../parts/board/row.ts'
import type { RowOf } from '../../read.ts'

// The weeks of a rotation as the editor shows them. A cell is the ids of its shifts, joined by `+`. An empty cell is a day
// off, and `leave` leaves the day unchanged.

export type Weeks = readonly (readonly string[])[]
export type StoredTemplate = RowOf<'schedule/template/grid'>
type TemplateDays = PathCall<'schedule/template/add'>['days']

export const shiftsIn = (cell: string): string[] | null =>
  cell === 'leave' ? null : cell === '' ? [] : cell.split('+')

/** The first day of the week that contains a day. Weeks start on `firstWeekday`. */
export const weekOf = (day: string, firstWeekday: number) => dayName(weekStart(dayNumber(day), firstWeekday))

/** The days of any week, for the weekday names in the company's order. */
export const weekdaysFrom = (firstWeekday: number): string[] =>
  Array.from({ length: 7 }, (_, index) => addDays(weekOf('2026-11-16', firstWeekday), index))

const inWeeks = (cells: readonly string[]): string[][] =>
  Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))

export const daysOf = (weeks: Weeks): TemplateDays =>
  weeks.flat().map(cell => {
    const shifts = shiftsIn(cell)
    return shifts ? { shifts } : {}
  })

/**
 * The weeks of a template from the company's first weekday on. A day with a shift that no longer exists stays unchanged,
 * and `isPart` says so.
 */
export const weeksOf = (
  { firstWeekday, days }: Pick<StoredTemplate, 'firstWeekday' | 'days'>,
  first: number,
  isShift: (id: string) => boolean,
): { weeks: string[][]; isPart: boolean } => {
  const cells = days.map(({ shifts }) => (shifts?.every(isShift) ? shifts.join('+') : 'leave'))
  const later = (first - firstWeekday + 7) % 7
  return {
    weeks: inWeeks([...cells.slice(later), ...cells.slice(0, later)]),
    isPart: days.some(({ shifts }) => shifts && !shifts.every(isShift)),
  }
}

/** The weeks of the board that contain these days, as a person has them. Days outside the board stay unchanged. */
export const weeksOnBoard = (
  row: BoardRow,
  { first, last, days }: { first: string; last: string; days: readonly string[] },
  firstWeekday: number,
  shownAt: (row: BoardRow, day: string) => readonly string[],
): string[][] => {
  const all = daysBetween(weekOf(first, firstWeekday), addDays(weekOf(last, firstWeekday), 6))
  const cells = all.map(day => (days.includes(day) ? shownAt(row, day).join('+') : 'leave'))
  return inWeeks(cells).slice(0, templateLimits.weeks)
}
