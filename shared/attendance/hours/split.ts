import { dayNumber } from '../calendar.ts'
import { hashText, mixNumber, mixText, startHash } from '../hash.ts'
import type { Row } from '../row.ts'
import { nothing } from '../span.ts'
import { wallMinutes } from '../wall-time.ts'
import type { Piece } from './clock.ts'
import { cutByClock, inTimeOrder } from './clock.ts'
import { bookHolidays, partsAround } from './holiday.ts'
import type { Paid } from './place.ts'
import { placePaid, placeWeekOvertime } from './place.ts'
import type { HourContext, HourPiece, RowHours } from './row-hours.ts'
import type { CompiledRule, CompiledSet, RowFacts } from './rule.ts'
import { compileSet, holdsFor } from './rule.ts'
import type { HourSet } from './set.ts'
import type { DayTally } from './tally.ts'
import { startTally } from './tally.ts'

// Splits the paid minutes of day rows into hour kinds (rules 1, 2, 4, 9, 13 and 14). Pure: equal rows, set and context give
// equal kinds, in any order of the rows.

/** Adds minutes of a kind. Joins them with the last minutes of the same rule and figure if these end there. */
const append = (pieces: HourPiece[], piece: HourPiece): void => {
  for (let index = pieces.length - 1; index >= 0; index--) {
    const last = pieces[index]
    if (last?.rule !== piece.rule) continue
    if (last.to !== piece.from || last.figure !== piece.figure) break
    last.to = piece.to
    return
  }
  pieces.push(piece)
}

/** The minutes from now on for which no threshold of a rule changes. Zero or less: both are reached. */
const untilThresholds = ({ dayOver, weekOver }: CompiledRule, { paid, week }: DayTally): number =>
  paid < dayOver ? dayOver - paid : weekOver - week.filled

const isOnDay = ({ consecutiveDay }: CompiledRule, { place }: DayTally): boolean =>
  consecutiveDay === undefined || consecutiveDay === place

/** A minute has each kind once, and gives way to the kinds of `unless`. */
const excludes = ({ kind, unless }: CompiledRule, held: string): boolean =>
  held === kind || (unless?.includes(held) ?? false)

/** Rule 9: adds the extra kinds of the next `length` minutes. Returns the minutes for which they stay the same. */
const collectExtras = (
  set: CompiledSet,
  piece: Piece,
  facts: RowFacts,
  day: DayTally,
  length: number,
  given: number[],
): number => {
  let same = length
  given.length = 0
  for (let rule = 0; rule < set.extra.length; rule++) {
    const candidate = set.extra[rule]
    if (!candidate || !isOnDay(candidate, day) || !holdsFor(candidate, piece, facts)) continue
    if (given.length > 0 && given.some(earlier => excludes(candidate, set.extra[earlier]?.kind ?? ''))) continue
    const until = untilThresholds(candidate, day)
    if (until > 0) same = Math.min(same, until)
    else given.push(rule)
  }
  return same
}

/** Rule 2: gives the minutes of a piece their kinds, and cuts the piece where a threshold is reached. */
const splitPiece = (piece: Piece, facts: RowFacts, set: CompiledSet, day: DayTally, hours: RowHours): void => {
  const { figure } = piece
  const given: number[] = []
  let at = piece.from
  while (at < piece.to) {
    let length = piece.to - at
    let rule = 0
    for (; rule < set.base.length; rule++) {
      const candidate = set.base[rule]
      if (!candidate || !isOnDay(candidate, day) || !holdsFor(candidate, piece, facts)) continue
      const until = untilThresholds(candidate, day)
      if (until <= 0) break
      length = Math.min(length, until)
    }
    const chosen = set.base[rule]
    if (!chosen) throw new RangeError('the last base rule must have no conditions')
    length = collectExtras(set, piece, facts, day, length, given)
    const to = at + length
    append(hours.base, { from: at, to, kind: chosen.kind, rule, figure })
    for (const extra of given)
      append(hours.extra, { from: at, to, kind: set.extra[extra]?.kind ?? '', rule: extra, figure })
    day.paid += length
    hours.paid += length
    if (chosen.fills) {
      day.week.filled += length
      hours.fills += length
    }
    at = to
  }
}

/** The row's paid minutes in each part of the day. */
const minutesInParts = (pieces: readonly Piece[], from: number, { cuts }: CompiledSet): number[] => {
  const minutes = new Array<number>(cuts.length + 1).fill(0)
  for (let index = from; index < pieces.length; index++) {
    const piece = pieces[index]
    if (piece) minutes[piece.part] = (minutes[piece.part] ?? 0) + piece.to - piece.from
  }
  return minutes
}

const inRowOrder = (a: Row, b: Row): number =>
  (a.day < b.day ? -1 : a.day > b.day ? 1 : 0) ||
  (a.dutyFrom ?? 0) - (b.dutyFrom ?? 0) ||
  ((a.shift ?? '') < (b.shift ?? '') ? -1 : 1)

/** The engine returns rows in order; other callers may not. */
const inOrderOf = (rows: readonly Row[]): readonly Row[] => {
  const isLater = (row: Row, index: number) => index > 0 && inRowOrder(rows[index - 1] ?? row, row) > 0
  return rows.some(isLater) ? rows.toSorted(inRowOrder) : rows
}

const hashOf = (row: Row, { setVersion, base, extra }: RowHours): string => {
  const hash = startHash()
  mixText(hash, row.inputHash)
  mixNumber(hash, setVersion)
  for (const pieces of [base, extra]) {
    mixNumber(hash, pieces.length)
    for (const { from, to, rule } of pieces) {
      mixNumber(hash, from)
      // A rule has a number below 64, so the two share a word.
      mixNumber(hash, (to - from) * 64 + rule)
    }
  }
  return hashText(hash)
}

/**
 * The hour kinds of each row. Rows need reasons and cover whole weeks; with `dayOf: clock`, pass also the rows of the
 * day before and after. Locked rows have no entry. Throws a RangeError for a set whose rules leave a minute over.
 */
export const splitHours = (rows: readonly Row[], hourSet: HourSet, context: HourContext): Map<Row, RowHours> => {
  const set = compileSet(hourSet)
  const { locked, firstWeekday } = context
  const splitMinutes = wallMinutes(context.splitTime)
  const sorted = inOrderOf(rows)
  const paid: (Paid[] | undefined)[] = sorted.map(row => (locked && row.day <= locked.to ? undefined : placePaid(row)))
  placeWeekOvertime(sorted, paid)
  const holidays = bookHolidays(set.asksHoliday ? context.holidays : [])
  const facts: RowFacts[] = []
  const pieces: Piece[] = []
  const hours = new Map<Row, RowHours>()
  const inOrder: RowHours[] = []
  sorted.forEach((row, index) => {
    const ofRow = paid[index]
    if (!ofRow) return
    const workDay = dayNumber(row.day)
    const holidayParts = holidays.parts.length > 0 ? partsAround(row, holidays) : nothing
    const first = pieces.length
    const day = set.byClock ? undefined : workDay
    const cutting = { row: index, zone: row.zone, workDay: day, splitMinutes, cuts: set.cuts, spans: holidayParts }
    cutByClock(ofRow, cutting, pieces)
    facts[index] = {
      workDay,
      isRest: row.shift === null,
      begunOn: pieces[first]?.date ?? workDay,
      holidays,
      holidayParts,
      minutesInParts: set.hasLeast ? minutesInParts(pieces, first, set) : undefined,
    }
    const ofThisRow: RowHours = { base: [], extra: [], paid: 0, fills: 0, setVersion: set.version, hash: '' }
    inOrder[index] = ofThisRow
    hours.set(row, ofThisRow)
  })
  const held = new Map(locked?.days.map(day => [dayNumber(day.day), day]))
  const tally = startTally(pieces, held, firstWeekday)
  for (const piece of inTimeOrder(pieces)) {
    const [ofRow, target] = [facts[piece.row], inOrder[piece.row]]
    if (ofRow && target) splitPiece(piece, ofRow, set, tally(piece.day), target)
  }
  for (const [row, ofRow] of hours) ofRow.hash = hashOf(row, ofRow)
  return hours
}
