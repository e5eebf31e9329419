// Local dates as counted days, so that the engine adds and compares whole numbers. A counted day has no zone.

/** Days since 1970-01-01 of a local date `YYYY-MM-DD`. */
export const dayNumber = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10))) / 86_400_000

const names = new Map<number, string>()

/** The local date `YYYY-MM-DD` of a counted day. */
export const dayName = (day: number): string => {
  const known = names.get(day)
  if (known !== undefined) return known
  const name = new Date(day * 86_400_000).toISOString().slice(0, 10)
  names.set(day, name)
  return name
}

/** 0 Sunday … 6 Saturday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7

/** The first day of the week a day lies in, for weeks that begin on `firstWeekday` (0 Sunday … 6 Saturday). */
export const weekStart = (day: number, firstWeekday: number): number => day - ((weekday(day) - firstWeekday + 7) % 7)
