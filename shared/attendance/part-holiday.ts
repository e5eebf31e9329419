import { dayNumber } from './calendar.ts'
import type { Span } from './span.ts'
import { spanOf } from './span.ts'
import { wallMinutes } from './wall-time.ts'
import { dayStart, instantOf } from './zone.ts'

// Holidays of a part of a date, by the clock.

/** The clock times `HH:MM` of a holiday of a part. An absent time is the beginning or the end of the date. */
export interface ClockPart {
  from?: string
  to?: string
}

/** `half` frees the later half of each shift's duty. */
export type HolidayPart = 'half' | ClockPart

export interface PartHoliday {
  day: string
  part: HolidayPart
}

/** The minutes of a date between two clock times. */
export const partSpan = (zone: string, day: string, { from, to }: ClockPart): readonly Span[] => {
  const number = dayNumber(day)
  const start = from === undefined ? dayStart(zone, number) : instantOf(zone, number * 1440 + wallMinutes(from))
  const end = to === undefined ? dayStart(zone, number + 1) : instantOf(zone, number * 1440 + wallMinutes(to))
  return spanOf(start, end)
}
