// Local dates as day numbers, so that the engine adds and compares whole numbers. A day number has no zone.

const digits = (text: string, from: number, to: number): number => {
  let number = 0
  for (let index = from; index < to; index++) number = number * 10 + text.charCodeAt(index) - 48
  return number
}

/** Days since 1970-01-01 of a local date `YYYY-MM-DD`. The text must be a valid date. */
export const dayNumber = (day: string): number =>
  Date.UTC(digits(day, 0, 4), digits(day, 5, 7) - 1, digits(day, 8, 10)) / 86_400_000

const names = new Map<number, string>()

/** The local date `YYYY-MM-DD` of a day number. */
export const dayName = (day: number): string => {
  const cached = names.get(day)
  if (cached !== undefined) return cached
  const name = new Date(day * 86_400_000).toISOString().slice(0, 10)
  names.set(day, name)
  return name
}

/** 0 Sunday … 6 Saturday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7

/** The first day of a day's week, for weeks that begin on `firstWeekday` (0 Sunday … 6 Saturday). */
export const weekStart = (day: number, firstWeekday: number): number => day - ((weekday(day) - firstWeekday + 7) % 7)
