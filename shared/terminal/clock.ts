import { instantOf, readingAt } from '../attendance/zone.ts'
import type { LogRecord } from './ai-face.ts'

// A terminal reports its local time without a zone. In this file, local times are `YYYY-MM-DDTHH:mm:ss`, and instants
// are milliseconds since 1970.

const minute = 60_000
/** A record is live if it arrives within this time. The clock of a live record may be ahead by as much. */
const liveMilliseconds = 5 * minute
/** Records may be out of order by this much, because two arrive together or the terminal's clock was corrected. */
const disorderMilliseconds = 2 * minute

/** The local time of a zone at an instant. */
export const localTimeAt = (zone: string, instant: number): string =>
  new Date(readingAt(zone, Math.floor(instant / minute)) * minute + (instant % minute)).toISOString().slice(0, 19)

export interface Resolved {
  at: number
  /** The local time occurs twice; `at` is the chosen occurrence. */
  isAmbiguous: boolean
}

/**
 * The instant of a local time. A time that the zone skips moves forward by the gap. If a time occurs twice, the choice
 * keeps the terminal's records in order. The instant is not long before `after`, the terminal's last record of a
 * repeated hour. If both occurrences fit, a live record takes the nearer one, and any other record the first. The
 * result is never later than the record's arrival.
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

/** An older record is backlog, which says nothing about the clock. */
const liveSeconds = 600

/**
 * How many seconds a terminal's clock is ahead, judged by records that arrived together. A record from the future shows
 * a fast clock. A single record is from this moment. Undefined if the records show nothing.
 */
export const driftIn = (records: readonly LogRecord[], localNow: string): number | undefined => {
  const last = records.reduce(
    (latest, record) => ('localTime' in record && record.localTime > latest ? record.localTime : latest),
    '',
  )
  const ahead = Math.round((Date.parse(`${last}Z`) - Date.parse(`${localNow}Z`)) / 1000)
  return ahead > 0 || (records.length === 1 && ahead > -liveSeconds) ? ahead : undefined
}
