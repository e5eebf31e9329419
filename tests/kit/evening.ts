import { setTimeout as wait } from 'node:timers/promises'
import { dayName, dayNumber, weekStart } from '../../shared/attendance/calendar.ts'

/**
 * A fixed-offset zone whose time is now between 20:00 and 21:00. Today’s day shift is therefore over whenever the tests
 * run, and the date stays the same during the run.
 */
export const eveningZone = (now = Date.now()): string => {
  const ahead = 20 - new Date(now).getUTCHours()
  const offset = ahead > 14 ? ahead - 24 : ahead
  // The sign of these zones is reversed: Etc/GMT-5 is five hours ahead. For an offset of 0, browsers use the name UTC.
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** The current date in a zone. */
export const dayIn = (zone: string, now = Date.now()): string =>
  new Intl.DateTimeFormat('sv', { timeZone: zone }).format(now)

/** The Monday of a day's week. Without a schedule, nobody needs leave on a weekend. */
export const mondayOf = (day: string): string => dayName(weekStart(dayNumber(day), 1))

const quarter = 15 * 60_000

/**
 * Rate limits count tries in windows that end with a quarter of an hour. Waits until no window ends within the next
 * seconds, so that a test’s tries count together.
 */
export const awaitWindow = async (seconds = 30): Promise<void> => {
  const remaining = quarter - (Date.now() % quarter)
  if (remaining < seconds * 1000) await wait(remaining + 50)
}
