import { dayNumber, weekday } from '../../../shared/attendance/calendar.ts'
import type { Formats } from '../../format.ts'
import type { Head, Holidays } from './row.ts'

export const isWeekend = (day: string) => [0, 6].includes(weekday(dayNumber(day)))

/** The head of a day's column. */
export const headOf = (day: string, today: string, formats: Formats, holidays: Holidays): Omit<Head, 'week'> => {
  const holiday = holidays.get(day)
  const marks = [isWeekend(day) && 'rest', holiday?.look, day === today && 'today', day < today && 'past']
  return {
    day,
    letter: formats.weekdayLetter(day),
    weekday: formats.weekday(day),
    name: holiday ? `${formats.longDay(day)} (${holiday.name})` : formats.longDay(day),
    isPast: day < today,
    isToday: day === today,
    looks: marks.filter(Boolean).join(' '),
  }
}
