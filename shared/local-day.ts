import { dayName, dayNumber } from './attendance/calendar.ts'
import { readingAt } from './attendance/zone.ts'

/** The ISO text of an instant in milliseconds. */
export const iso = (instant: number): string => new Date(instant).toISOString()

/** The local date `count` days after a date; before it if `count` is negative. */
export const addDays = (day: string, count: number): string => dayName(dayNumber(day) + count)

/** The same date `count` months later. If that month is too short, its last date. */
export const addMonths = (day: string, count: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + count, 0))
  return new Date(last.setUTCDate(Math.min(date, last.getUTCDate()))).toISOString().slice(0, 10)
}

/** The local date of an instant (ms) in a zone. */
export const localDay = (zone: string, at: number): string =>
  dayName(Math.floor(readingAt(zone, Math.floor(at / 60_000)) / 1440))

/** The local time of an instant (ms), in minutes after the midnight that begins a local date. */
export const minutesAfter = (zone: string, at: number, day: string): number =>
  readingAt(zone, Math.floor(at / 60_000)) - dayNumber(day) * 1440

/** Whether a text is an existing local date. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && dayName(dayNumber(text)) === text

/** The number of local dates in a range, both ends included. At most 0 if the range ends before it begins. */
export const countDays = (from: string, to: string): number => dayNumber(to) - dayNumber(from) + 1

/** Every local date of a range, both ends included. Empty if the range ends before it begins. */
export const daysBetween = (from: string, to: string): string[] => {
  const days: string[] = []
  for (let day = dayNumber(from); day <= dayNumber(to); day++) days.push(dayName(day))
  return days
}

/** ISO dates sort as text. */
export const earlierDay = (first: string, second: string): string => (first < second ? first : second)
export const laterDay = (first: string, second: string): string => (first > second ? first : second)

/** Days in order as spans without gaps. */
export const daySpans = (days: Iterable<string>): { from: string; to: string }[] => {
  const spans: { from: string; to: string }[] = []
  for (const day of days) {
    const last = spans.at(-1)
    if (last && addDays(last.to, 1) === day) last.to = day
    else spans.push({ from: day, to: day })
  }
  return spans
}

/** Before and after all days of a company. */
export const [firstDay, lastDay] = ['1970-01-01', '9999-12-31'] as const
