import { dayNumber, weekday } from '../../../shared/attendance/calendar.ts'
import type { Formats } from '../../format.ts'
import type { Head } from './row.ts'

export const isWeekend = (day: string) => [0, 6].includes(weekday(dayNumber(day)))

/** The head of a day's column. `holidays` holds the names of the company-wide holidays by day. */
export const headOf = (
  day: string,
  today: string,
  formats: Formats,
  holidays: ReadonlyMap<string, string>,
): Omit<Head, 'week'> => {
  const holiday = holidays.get(day)
  const marks = [isWeekend(day) && 'rest', holiday && 'holiday', day === today && 'today', day < today && 'past']
  return {
    day,
    letter: formats.weekdayLetter(day),
    weekday: formats.weekday(day),
    name: holiday ? `${formats.longDay(day)} (${holiday})` : formats.longDay(day),
    isPast: day < today,
    isToday: day === today,
    looks: marks.filter(Boolean).join(' '),
  }
}
