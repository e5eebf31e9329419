import { dayName } from './calendar.ts'
import type { Run } from './run.ts'
import { zoneOn } from './run.ts'
import { dayStart, localDate } from './zone.ts'

// Step 11: if no shift decides the day of a punch, local dates begin at the company's split time.

/** The local date of an instant. */
export const localDayOf = (run: Run, minute: number): number => {
  let day = localDate(run.zone, minute, run.splitMinutes)
  if (!run.choices.zones) return day
  // The person's own zone can be a day apart.
  while (minute < localDayStart(run, day)) day--
  while (minute >= localDayStart(run, day + 1)) day++
  return day
}

/**
 * The first minute of a local date. Where a person moves to another zone, each date begins at its own zone's midnight. A
 * minute that would be in two dates, or in none, is of the earlier.
 */
export const localDayStart = (run: Run, day: number): number => {
  const { zone, choices, splitMinutes } = run
  if (!choices.zones) return dayStart(zone, day, splitMinutes)
  const [own, former] = [zoneOn(run, dayName(day)), zoneOn(run, dayName(day - 1))]
  return Math.max(dayStart(own, day, splitMinutes), dayStart(former, day, splitMinutes))
}

/** The last minute of a local date. */
export const localDayEnd = (run: Run, day: number): number => localDayStart(run, day + 1) - 1
