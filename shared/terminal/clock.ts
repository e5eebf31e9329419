import { instantOf, readingAt } from '../attendance/zone.ts'
import type { LogRecord } from './ai-face.ts'

// A terminal tells the time of its own clock, without a zone. Clock times here are `YYYY-MM-DDTHH:mm:ss`, instants are ms
// since 1970.

const minute = 60_000
/** A record that comes this soon after it was made was made now; and none comes sooner before it, as clocks go. */
const liveMilliseconds = 5 * minute
/** By so much records may stand in another order than they were made in: two came together, or the clock was put right. */
const disorderMilliseconds = 2 * minute

/** What a clock of the zone shows at an instant. */
export const localTimeAt = (zone: string, instant: number): string =>
  new Date(readingAt(zone, Math.floor(instant / minute)) * minute + (instant % minute)).toISOString().slice(0, 19)

export interface Resolved {
  at: number
  /** The clock showed this time twice; `at` is the one that was taken. */
  isAmbiguous: boolean
}

/**
 * The instant of a clock time. A time the clock skipped moves on by the gap. Of one it showed twice that is taken which
 * keeps the terminal's records in order: not long before `after`, the last one of a repeated hour; where both would do, the one
 * nearest to its arrival if it came at once, else the first. None is taken that had yet to come when the record did.
 */
export function resolveLocalTime(
  zone: string,
  localTime: string,
  { receivedAt, after = Number.NEGATIVE_INFINITY }: { receivedAt: number; after?: number | undefined },
): Resolved {
  const clock = Date.parse(`${localTime}Z`)
  const occurrence = (which: 'first' | 'second') =>
    instantOf(zone, Math.floor(clock / minute), which) * minute + (clock % minute)
  const [first, second] = [occurrence('first'), occurrence('second')]
  if (first === second) return { at: first, isAmbiguous: false }
  const isSecondToCome = receivedAt < second - liveMilliseconds
  const isBehindFirst = first < after - disorderMilliseconds && after <= second + disorderMilliseconds
  if (isBehindFirst && !isSecondToCome) return { at: second, isAmbiguous: true }
  const isSecondNearer = Math.abs(receivedAt - second) < Math.abs(receivedAt - first)
  const isLive = Math.min(Math.abs(receivedAt - first), Math.abs(receivedAt - second)) <= liveMilliseconds
  return { at: isLive && isSecondNearer ? second : first, isAmbiguous: true }
}

/** Longer ago a record was kept back, and says nothing of the clock. */
const liveSeconds = 600

/**
 * By how many seconds the clock of a terminal is ahead, by records that came together: one that is of later than now was made by a
 * clock that is ahead, and one that came alone was made just now. Undefined where they do not tell.
 */
export const driftIn = (records: readonly LogRecord[], localNow: string): number | undefined => {
  const last = records.reduce(
    (latest, one) => ('localTime' in one && one.localTime > latest ? one.localTime : latest),
    '',
  )
  const ahead = Math.round((Date.parse(`${last}Z`) - Date.parse(`${localNow}Z`)) / 1000)
  return ahead > 0 || (records.length === 1 && ahead > -liveSeconds) ? ahead : undefined
}
