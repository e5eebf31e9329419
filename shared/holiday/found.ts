import type { PartHoliday } from '../attendance/part-holiday.ts'
import { addDays, daysBetween } from '../local-day.ts'

// Public holidays as found in the world's calendars, which can begin and end within a date.

/** A public holiday: the date that people call it by, and its local beginning and end, `YYYY-MM-DDTHH:MM`. */
export interface FoundHoliday {
  date: string
  start: string
  end: string
}

export type HolidayDay = { day: string } & Partial<Pick<PartHoliday, 'part'>>

const minutesBetween = (start: string, end: string): number =>
  (Date.parse(`${end.slice(0, 16)}Z`) - Date.parse(`${start.slice(0, 16)}Z`)) / 60_000

/**
 * The days of a found holiday. A holiday shorter than a day and within one date is a holiday of a part. Every other
 * holiday counts whole days from its date, so a holiday that begins at sunset counts from the next date.
 */
export const holidayDays = ({ date, start, end }: FoundHoliday): HolidayDay[] => {
  const [startDay, startTime] = [start.slice(0, 10), start.slice(11, 16)]
  const isToMidnight = end.slice(0, 10) === addDays(startDay, 1) && end.slice(11, 16) === '00:00'
  const isWithinDate = end.slice(0, 10) === startDay || isToMidnight
  if (isWithinDate && minutesBetween(start, end) > 0 && minutesBetween(start, end) < 1440) {
    const part = {
      ...(startTime !== '00:00' && { from: startTime }),
      ...(!isToMidnight && { to: end.slice(11, 16) }),
    }
    return [{ day: startDay, part }]
  }
  const days = Math.max(1, Math.round(minutesBetween(start, end) / 1440))
  return daysBetween(date, addDays(date, days - 1)).map(day => ({ day }))
}
