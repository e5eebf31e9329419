import type { Run } from './run.ts'
import { dayStart, readingAt } from './zone.ts'

// Step 11: if no shift decides the day of a punch, local dates begin at the company's split time.

/** The local date of an instant. */
export const localDayOf = ({ zone, splitMinutes }: Run, minute: number): number => {
  const day = Math.floor((readingAt(zone, minute) - splitMinutes) / 1440)
  // A clock change can repeat a reading before the split time, or skip the split time.
  if (minute < dayStart(zone, day, splitMinutes)) return day - 1
  return minute >= dayStart(zone, day + 1, splitMinutes) ? day + 1 : day
}

/** The first minute of a local date. */
export const localDayStart = ({ zone, splitMinutes }: Run, day: number): number => dayStart(zone, day, splitMinutes)

/** The last minute of a local date. */
export const localDayEnd = ({ zone, splitMinutes }: Run, day: number): number =>
  dayStart(zone, day + 1, splitMinutes) - 1
