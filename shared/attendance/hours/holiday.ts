import { dayNumber } from '../calendar.ts'
import type { HolidayPart } from '../part-holiday.ts'
import { partSpan } from '../part-holiday.ts'
import type { Row } from '../row.ts'
import type { Span } from '../span.ts'
import type { Piece } from './clock.ts'
import { holidayPresence } from './place.ts'

// Rule 8: holidays as conditions. Holidays of a part always count by their minutes.

export interface HourHoliday {
  day: string
  part?: HolidayPart
}

/** The holidays of a context, prepared once. */
export interface HolidayBook {
  /** Whole days, as day numbers. */
  readonly whole: ReadonlySet<number>
  readonly parts: readonly HourHoliday[]
}

export const bookHolidays = (holidays: readonly HourHoliday[]): HolidayBook => ({
  whole: new Set(holidays.flatMap(({ day, part }) => (part === undefined ? [dayNumber(day)] : []))),
  parts: holidays.filter(({ part }) => part !== undefined),
})

/** The farthest date from its work day that a row can reach, in days. */
const reach = 2

/** The minutes of holidays of a part that a row can touch. Half a holiday is where the engine counts holiday work. */
export const partsAround = (row: Row, { parts }: HolidayBook): readonly Span[] => {
  const day = dayNumber(row.day)
  return parts
    .flatMap(({ day: name, part }) => {
      if (part === undefined || Math.abs(dayNumber(name) - day) > reach) return []
      if (part !== 'half') return partSpan(row.zone, name, part)
      return name === row.day ? holidayPresence(row) : []
    })
    .sort((a, b) => a.from - b.from)
}

/** Whether a piece is on a holiday, by the work day of its row or by its own date. */
export const isOnHoliday = (
  piece: Piece,
  by: 'clock' | 'day',
  workDay: number,
  { whole }: HolidayBook,
  parts: readonly Span[],
): boolean =>
  whole.has(by === 'day' ? workDay : piece.date) ||
  (parts.length > 0 && parts.some(({ from, to }) => from <= piece.from && piece.to <= to))
