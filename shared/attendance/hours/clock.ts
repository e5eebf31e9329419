import type { Span } from '../span.ts'
import { wallMinutes } from '../wall-time.ts'
import { dayStart, localDate, readingAt } from '../zone.ts'
import type { Paid } from './place.ts'
import type { HourConditions, HourSet, Window } from './set.ts'

// Rules 5, 8 and 10: cuts paid minutes where the clock matters, so that a piece has one date and lies in a window wholly
// or not at all.

/** Paid minutes of one row, one date and one part of the day. */
export interface Piece extends Paid {
  /** The index of the row. */
  readonly row: number
  /** The date that the clock shows, as a day number. */
  readonly date: number
  /** The day of rules 4, 6 and 7. */
  readonly day: number
  /** The part of the day between two times at which a window begins or ends. */
  readonly part: number
}

/** The times of a set at which a window begins or ends, in minutes of the day. */
export const cutsOf = ({ base, extra }: HourSet): number[] => {
  const times = new Set<number>()
  for (const { window } of [...base, ...extra] as HourConditions[])
    if (window) for (const time of [window.from, window.to]) times.add(wallMinutes(time))
  times.delete(0)
  return [...times].sort((a, b) => a - b)
}

/** Whether a window holds in each part of the day. `cuts` are the times between the parts. */
export const partsOf = ({ from, to }: Window, cuts: readonly number[]): boolean[] => {
  const [start, end] = [wallMinutes(from), wallMinutes(to)]
  const holds = (time: number) => (start < end ? time >= start && time < end : time >= start || time < end)
  return [0, ...cuts].map(holds)
}

/** The first minute of a span at which the clock has another offset; the end if there is none. */
const offsetChange = (zone: string, from: number, to: number, offset: number): number => {
  let [same, other] = [from, to - 1]
  if (readingAt(zone, other) - other === offset) return to
  while (other - same > 1) {
    const middle = (same + other) >> 1
    if (readingAt(zone, middle) - middle === offset) same = middle
    else other = middle
  }
  return other
}

/** How to cut the minutes of a row. */
export interface Cutting {
  readonly row: number
  readonly zone: string
  /** The work day of the row. Undefined if each minute is of the local date it lies in. */
  readonly workDay: number | undefined
  readonly splitMinutes: number
  /** Times of the day at which a window begins or ends. */
  readonly cuts: readonly number[]
  /** Spans to cut out, in order. */
  readonly spans: readonly Span[]
}

/** Cuts the paid minutes of a row and adds the pieces to `pieces`. */
export const cutByClock = (paid: readonly Paid[], cutting: Cutting, pieces: Piece[]): void => {
  const { row, zone, workDay, splitMinutes, cuts, spans } = cutting
  const start = paid[0]?.from ?? 0
  let offset = readingAt(zone, start) - start
  const change = offsetChange(zone, start, paid.at(-1)?.to ?? start + 1, offset)
  for (const { from, to, figure, isOvertime } of paid) {
    if (from > change) offset = readingAt(zone, from) - from
    let at = from
    while (at < to) {
      if (at === change) offset = readingAt(zone, at) - at
      const date = Math.floor((at + offset) / 1440)
      const time = at + offset - date * 1440
      let part = 0
      while (part < cuts.length && (cuts[part] ?? 0) <= time) part++
      let end = Math.min(to, at + (cuts[part] ?? 1440) - time)
      if (at < change && change < end) end = change
      let day = workDay
      if (day === undefined) {
        day = localDate(zone, at, splitMinutes)
        end = Math.min(end, dayStart(zone, day + 1, splitMinutes))
      }
      for (const span of spans) {
        if (span.from > at) end = Math.min(end, span.from)
        else if (span.to > at) end = Math.min(end, span.to)
      }
      pieces.push({ from: at, to: end, figure, isOvertime, row, date, day, part })
      at = end
    }
  }
}

const byTime = (a: Piece, b: Piece): number => a.from - b.from || a.row - b.row

/** Whether the pieces follow each other. */
const areApart = (pieces: readonly Piece[]): boolean => {
  let reach = Number.NEGATIVE_INFINITY
  for (const { from, to } of pieces) {
    if (from < reach) return false
    reach = to
  }
  return true
}

/** Minutes of two rows that overlap count minute by minute: first by time, then by the order of the rows. */
export const inTimeOrder = (pieces: Piece[]): Piece[] => {
  // Mostly each row ends before the next begins.
  if (areApart(pieces) || areApart(pieces.sort(byTime))) return pieces
  return pieces
    .flatMap(piece =>
      Array.from({ length: piece.to - piece.from }, (_, minute) => ({
        ...piece,
        from: piece.from + minute,
        to: piece.from + minute + 1,
      })),
    )
    .sort(byTime)
}
