import { addKinds, type KindMinutes, kindMinutes, type RoundedKinds } from '../attendance/hours/round.ts'
import type { HourPiece, RowHours } from '../attendance/hours/row-hours.ts'

// The hour kinds that a row stores, in a short form.

/** Minutes of a kind since 1970, without `to`. The last number is 1 for overtime of the row, else 0. */
export type StoredPiece = [kind: string, rule: number, from: number, to: number, isOvertime: 0 | 1]

export interface StoredHours {
  base: StoredPiece[]
  extra: StoredPiece[]
  paid: number
  /** The minutes whose kinds fill the week. */
  fills: number
  setVersion: number
  hash: string
}

const shorten = ({ kind, rule, from, to, figure }: HourPiece): StoredPiece => [
  ...([kind, rule, from, to] as const),
  figure === 'overtime' ? 1 : 0,
]

const lengthen = ([kind, rule, from, to, isOvertime]: StoredPiece): HourPiece => ({
  ...{ kind, rule, from, to },
  figure: isOvertime ? 'overtime' : 'work',
})

export const storedHours = ({ base, extra, ...hours }: RowHours): StoredHours => ({
  ...hours,
  base: base.map(shorten),
  extra: extra.map(shorten),
})

export const rowHours = ({ base, extra, ...hours }: StoredHours): RowHours => ({
  ...hours,
  base: base.map(lengthen),
  extra: extra.map(lengthen),
})

/** Base and extra kinds together, as reports show them. */
export const mergeKinds = ({ base, extra }: RoundedKinds): KindMinutes => {
  const kinds = { ...base }
  addKinds(kinds, extra)
  return kinds
}

/** The unrounded minutes of a row by kind; undefined without an hour set. */
export const kindsOfRow = ({ hours }: { hours?: StoredHours | undefined }): KindMinutes | undefined =>
  hours && kindMinutes([...hours.base, ...hours.extra].map(lengthen))

/** Whether two records of minutes by kind are the same. */
export const areSameKinds = (one: KindMinutes = {}, other: KindMinutes = {}): boolean =>
  [one, other].every(kinds => Object.keys(kinds).every(kind => (one[kind] ?? 0) === (other[kind] ?? 0)))
