import type { Rounding } from '../rounding.ts'
import { roundMinutes } from '../rounding.ts'
import type { HourPiece, RowHours } from './row-hours.ts'

// Rule 12: output rounds work and overtime of a row, and the kinds follow. So the kinds of a row add up in print too.

/** Minutes by kind, without kinds of no minutes. */
export type KindMinutes = Record<string, number>

export interface RoundedKinds {
  base: KindMinutes
  extra: KindMinutes
}

const add = (minutes: KindMinutes, kind: string, more: number): void => {
  minutes[kind] = (minutes[kind] ?? 0) + more
}

/** The minutes by kind as stored, unrounded. */
export const kindMinutes = (pieces: readonly HourPiece[]): KindMinutes => {
  const minutes: KindMinutes = {}
  for (const { kind, from, to } of pieces) add(minutes, kind, to - from)
  return minutes
}

/** Adds kinds of several rows. */
export const addKinds = (total: KindMinutes, more: KindMinutes): void => {
  for (const [kind, minutes] of Object.entries(more)) add(total, kind, minutes)
}

/** The kinds, rounded with their figures. */
export const roundKinds = (hours: RowHours, rounding: Record<HourPiece['figure'], Rounding>): RoundedKinds =>
  fitKinds(hours, (figure, minutes) => roundMinutes(minutes, rounding[figure]))

/**
 * Fits the kinds to printed figures. Takes the last minutes of a figure away, with the extra kinds of these minutes.
 * Added minutes have the base kind of the figure's last minute.
 */
export const fitKinds = (
  { base, extra }: Pick<RowHours, 'base' | 'extra'>,
  printed: (figure: HourPiece['figure'], minutes: number) => number,
): RoundedKinds => {
  const rounded: RoundedKinds = { base: {}, extra: {} }
  for (const figure of ['work', 'overtime'] as const) {
    const pieces = base.filter(piece => piece.figure === figure)
    const minutes = pieces.reduce((sum, { from, to }) => sum + to - from, 0)
    let remaining = printed(figure, minutes)
    let end = Number.NEGATIVE_INFINITY
    for (const { kind, from, to } of pieces) {
      const kept = Math.min(remaining, to - from)
      if (kept <= 0) break
      add(rounded.base, kind, kept)
      remaining -= kept
      end = from + kept
    }
    const last = pieces.at(-1)
    if (last && remaining > 0) add(rounded.base, last.kind, remaining)
    for (const piece of extra) {
      const kept = Math.min(piece.to, end) - piece.from
      if (piece.figure === figure && kept > 0) add(rounded.extra, piece.kind, kept)
    }
  }
  return rounded
}
