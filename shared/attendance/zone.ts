// Converts between clock readings and instants. The platform (Intl) supplies the zone data, and this file caches it per
// zone and day. Instants and readings are whole minutes. An instant counts from 1970-01-01T00:00Z, a reading from
// 1970-01-01 00:00 on the local clock.

import { dayNumber } from './calendar.ts'

/** A period in which the local clock has a constant offset from UTC, in minutes. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly offset: number
}

interface Zone {
  readonly format: Intl.DateTimeFormat
  /** The stretches of each UTC day, in order. */
  readonly days: Map<number, readonly Stretch[]>
}

const zones = new Map<string, Zone>()

const openZone = (name: string): Zone => {
  const cached = zones.get(name)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  const zone = { format, days: new Map() }
  zones.set(name, zone)
  return zone
}

/** The platform writes 'GMT', 'GMT+05:45' or 'GMT-03:30'. Drops the seconds of some offsets before 1972. */
const askOffset = (zone: Zone, instant: number): number => {
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d+):(\d+))?/.exec(zone.format.format(instant * 60_000)) ?? []
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return sign === '-' ? -size : size
}

const stretchesOf = (zone: Zone, day: number): readonly Stretch[] => {
  const cached = zone.days.get(day)
  if (cached) return cached
  const end = (day + 1) * 1440
  const last = askOffset(zone, end - 1)
  const stretches: Stretch[] = []
  let from = day * 1440
  let offset = askOffset(zone, from)
  // If the offset changes during the day, bisects down to the minute of the change.
  while (offset !== last) {
    let before = from
    let after = end - 1
    while (after - before > 1) {
      const middle = (before + after) >> 1
      if (askOffset(zone, middle) === offset) before = middle
      else after = middle
    }
    stretches.push({ from, to: after, offset })
    from = after
    offset = askOffset(zone, from)
  }
  stretches.push({ from, to: end, offset })
  zone.days.set(day, stretches)
  return stretches
}

/** The reading of the local clock at an instant. */
export const readingAt = (zone: string, instant: number): number => {
  for (const stretch of stretchesOf(openZone(zone), Math.floor(instant / 1440))) {
    if (instant < stretch.to) return instant + stretch.offset
  }
  throw new RangeError(`not an instant: ${instant}`)
}

/**
 * The instant at which the local clock shows a reading. A reading that the clock skips moves forward by the gap. If the
 * clock shows a reading twice, `occurrence` selects the instant.
 */
export const instantOf = (zone: string, reading: number, occurrence: 'first' | 'second' = 'first'): number => {
  const opened = openZone(zone)
  const day = Math.floor(reading / 1440)
  let instant: number | undefined
  let before: number | undefined
  // Offsets are shorter than a day. So these three days contain the instant and a gap around it.
  for (let utcDay = day - 1; utcDay <= day + 1; utcDay++) {
    for (const { from, to, offset } of stretchesOf(opened, utcDay)) {
      if (instant !== undefined && occurrence === 'first') return instant
      if (before !== undefined && reading < from + offset) return instant ?? reading - before
      if (reading < to + offset) instant = reading - offset
      before = offset
    }
  }
  if (instant === undefined) throw new RangeError(`not a reading of the clock: ${reading}`)
  return instant
}

/** The instant at which a local date begins. Dates begin at a clock reading, in minutes after midnight. */
export const dayStart = (zone: string, day: number, splitMinutes = 0): number =>
  instantOf(zone, day * 1440 + splitMinutes)

/** The local date of an instant, if dates begin at a clock reading. */
export const localDate = (zone: string, minute: number, splitMinutes: number): number => {
  const day = Math.floor((readingAt(zone, minute) - splitMinutes) / 1440)
  // A clock change can repeat a reading before the split time, or skip the split time.
  if (minute < dayStart(zone, day, splitMinutes)) return day - 1
  return minute >= dayStart(zone, day + 1, splitMinutes) ? day + 1 : day
}

/** Whether the zone's calendar skipped the date, as Samoa did with 2011-12-30. */
export const isSkipped = (zone: string, day: number): boolean => dayStart(zone, day) >= dayStart(zone, day + 1)

/** Whether the clocks of two zones agree at noon on all given days. Two names of one zone always agree. */
export const hasSameHours = (first: string, second: string, days: Iterable<string>): boolean => {
  if (first === second) return true
  const noon = (zone: string, day: string) => instantOf(zone, dayNumber(day) * 1440 + 720)
  for (const day of days) if (noon(first, day) !== noon(second, day)) return false
  return true
}
