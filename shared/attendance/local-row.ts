import { dayName } from './calendar.ts'
import { freedBetween } from './freed.ts'
import { continueHash, hashText, mixNumber, mixText } from './hash.ts'
import type { Input } from './input.ts'
import { hashShift, mixGroups, mixHash, mixLeave, mixSpans, stateCodes } from './input-hash.ts'
import { leaveOf } from './leave.ts'
import { localDayEnd, localDayStart } from './local-day.ts'
import { openDay } from './open-day.ts'
import type { Group } from './punch.ts'
import { judgeRestDay } from './rest-day.ts'
import type { Row, Week } from './row.ts'
import type { Entry, Run } from './run.ts'
import { spanOf } from './span.ts'
import { stateOf } from './state.ts'
import { listPunches } from './used-punch.ts'
import type { FlexibleWeek } from './weekly.ts'
import { countPresence, judgeFlexibleDay, judgeWeek, shareOf } from './weekly.ts'

/**
 * The row of a day without a fixed shift: a weekly-flexible day, or work on a day without any shift. An open punch at its
 * end can wait for its out on the next date.
 */
export const localRow = (
  run: Run,
  number: number,
  groups: readonly Group[],
  entry: Entry | undefined,
  week: FlexibleWeek | undefined,
  waitsUntil = Number.NEGATIVE_INFINITY,
): Row => {
  const name = dayName(number)
  const from = localDayStart(run, number)
  const closes = Math.max(localDayEnd(run, number), waitsUntil)
  // A holiday applies with or without a shift.
  const kind = run.holidays.has(name) ? 'holiday' : week ? 'flexible' : 'rest'
  const day = openDay(run, name, kind, closes, groups)
  const { row, uses } = day
  const hash = continueHash(run.hash)
  mixNumber(hash, number)
  mixNumber(hash, from)
  mixNumber(hash, closes)
  mixNumber(hash, stateCodes[row.state] * 4 + (kind === 'holiday' ? 2 : 0) + (week ? 1 : 0))
  mixGroups(hash, groups)
  if (row.zone !== run.zone) mixText(hash, row.zone)
  if (entry && week) {
    row.shift = entry.id
    row.shiftVersion = entry.shift.version
    const whole = shareOf(week, entry)
    const share = week.partDays.has(name) ? Math.ceil(whole / 2) : whole
    const leave = leaveOf(run.leaves, number, from, closes + 1, spanOf(from, closes + 1))
    mixText(hash, entry.id)
    mixHash(hash, hashShift(entry.shift))
    mixNumber(hash, share)
    mixLeave(hash, leave)
    judgeFlexibleDay(day, entry.shift, share, leave)
  } else if (week) {
    mixHash(hash, hashShift(week.last.shift))
    countPresence(day, week.last.shift, run.choices.pairsWithoutShift)
  } else {
    const [first, last] = [groups[0]?.first ?? from, groups.at(-1)?.last ?? from]
    const freed = freedBetween(run, row.zone, first, last)
    if (freed.length > 0) mixSpans(hash, freed)
    judgeRestDay(day, freed)
  }
  row.inputHash = hashText(hash)
  if (run.withReasons === true) row.punches = listPunches(groups, uses)
  return row
}

/** Stores the figures of a week on one of its rows. */
const carry = (run: Run, carrier: Row, week: Week): void => {
  carrier.week = week
  const hash = continueHash(run.hash)
  mixText(hash, carrier.inputHash)
  mixText(hash, Object.values(week).join())
  carrier.inputHash = hashText(hash)
}

const isLocal = (row: Row): boolean => row.dutyFrom === null
const lastOf = (rows: readonly Row[]): Row | undefined => rows.findLast(row => row.shift !== null)
const isSettled = (run: Run, week: FlexibleWeek): boolean =>
  stateOf(localDayEnd(run, week.to), run.asOf, run.uploadedTo) === 'final'

/** Stores a week's figures on the row of its last weekly-flexible day. `rows` and `entries` belong to the week. */
export const addWeek = (run: Run, week: FlexibleWeek, rows: readonly Row[], entries: readonly Entry[]): void => {
  const local = rows.filter(isLocal)
  const carrier = lastOf(local)
  if (carrier) carry(run, carrier, judgeWeek(week, local, entries, isSettled(run, week)))
}

type Locked = NonNullable<Input['locked']>

/** Settled weeks on locked rows that begin on another weekday and overlap the open days of this week. */
const reachingIn = ({ from, to }: FlexibleWeek, locked: Locked): Week[] =>
  locked.rows.flatMap(({ day, week: other }) =>
    day <= locked.to &&
    other?.settled &&
    other.from !== dayName(from) &&
    other.to > locked.to &&
    other.to >= dayName(from) &&
    other.from <= dayName(to)
      ? [other]
      : [],
  )

/** The work minutes on locked days from `from` until the day before `before`. */
const workBefore = ({ to, rows }: Locked, from: string, before: string): number =>
  rows
    .filter(row => isLocal(row) && row.day >= from && row.day <= to && row.day < before)
    .reduce((sum, row) => sum + row.workMinutes, 0)

/** Whether an open week contains locked days. */
export const isCut = (week: FlexibleWeek, locked: Locked): boolean =>
  locked.to < dayName(week.to) && (locked.to >= dayName(week.from) || reachingIn(week, locked).length > 0)

/**
 * Like `addWeek`, for a week whose days up to `locked.to` are locked. The last open row stores the figures that the
 * locked rows lack. Without an open row, returns a new row on the week's last day, or on `ended` if earlier. A locked
 * row that would store the week gets the figures too, for callers that need them.
 */
export const addCutWeek = (
  run: Run,
  week: FlexibleWeek,
  rows: readonly Row[],
  entries: readonly Entry[],
  locked: Locked,
  ended: number,
): Row | undefined => {
  const isOpen = ({ day }: Row) => day > locked.to
  const from = dayName(week.from)
  const open = rows.filter(row => isLocal(row) && isOpen(row))
  const held = locked.rows.filter(row => isLocal(row) && row.day >= from && !isOpen(row))
  const carrier = lastOf(rows.filter(isLocal))
  if (carrier && !isOpen(carrier)) addWeek(run, week, rows, entries)
  const judged = judgeWeek(week, [...held, ...open], entries, isSettled(run, week))
  const carried = held.flatMap(row => (row.week?.settled && row.week.from === from ? [row.week] : []))
  // A week that begins on another weekday may have already paid days of this week. Never pay a day twice.
  const earlier = reachingIn(week, locked).map(other => ({
    ...other,
    overtimeMinutes: Math.min(other.overtimeMinutes, other.workMinutes - workBefore(locked, other.from, from)),
  }))
  const remainingOf = (of: 'shortfallMinutes' | 'overtimeMinutes') =>
    [...carried, ...earlier].reduce((remaining, paid) => Math.max(0, remaining - Math.max(0, paid[of])), judged[of])
  const remaining = {
    ...judged,
    shortfallMinutes: remainingOf('shortfallMinutes'),
    overtimeMinutes: remainingOf('overtimeMinutes'),
  }
  const isOwing = remaining.shortfallMinutes > 0 || remaining.overtimeMinutes > 0
  const last = lastOf(open) ?? open.at(-1)
  if (last && (isOwing || carried.length === 0)) carry(run, last, remaining)
  const day = Math.min(week.to, ended)
  if (last || !isOwing || dayName(day) <= locked.to) return undefined
  const { row } = openDay(run, dayName(day), 'flexible', localDayEnd(run, day), [])
  row.shift = week.last.id
  row.shiftVersion = week.last.shift.version
  const hash = continueHash(run.hash)
  mixNumber(hash, day)
  mixNumber(hash, stateCodes[row.state])
  mixText(hash, week.last.id)
  row.inputHash = hashText(hash)
  carry(run, row, remaining)
  return row
}
