import { dayNumber } from './calendar.ts'
import { minuteOf } from './punch.ts'
import type { Rule } from './reason.ts'
import type { DayKind, Exception, Row, Use } from './row.ts'
import { wallTime } from './wall-time.ts'
import { readingAt } from './zone.ts'

// A row told in sentences. The sentences stand in `locales/<language>/reason.json` under these keys.

export type ReasonKey =
  | `state.${Exclude<Row['state'], 'final'>}`
  | `kind.${Exclude<DayKind, 'work'>}`
  | `punch.${Use}`
  | `rule.${Rule}`
  | `exception.${Exception}`
  | 'week.open'
  | 'week.settled'
  | 'versions.shift'
  | 'versions.none'

export interface Sentence {
  key: ReasonKey
  /** Minutes and versions as numbers, clock times and dates as text. */
  values: Record<string, string | number>
}

/** What of a row says why it is what it is. */
export type Explainable = Pick<
  Row,
  | 'day'
  | 'zone'
  | 'kind'
  | 'state'
  | 'closesAt'
  | 'longBreakMinutes'
  | 'exceptions'
  | 'week'
  | 'punches'
  | 'reasons'
  | 'shiftVersion'
  | 'parametersVersion'
  | 'engineVersion'
>

/** A clock time of the row's zone, with `+1` or `-1` on the date after or before the work day. */
const clockTime =
  ({ zone, day }: Explainable) =>
  (at: number): string =>
    wallTime(readingAt(zone, minuteOf(at)) - dayNumber(day) * 1440)

/**
 * Why a row says what it says, in order: what may be said yet, what kind of day it is, what became of each punch, the rule
 * behind each minute, what should be looked at, the week, and the versions it was computed by. `timeText` writes an instant
 * in the reader's way.
 */
export const explain = (row: Explainable, timeText: (at: number) => string = clockTime(row)): Sentence[] => {
  const sentences: Sentence[] = []
  const say = (key: ReasonKey, values: Sentence['values'] = {}) => sentences.push({ key, values })

  if (row.state !== 'final') say(`state.${row.state}`, { time: timeText(row.closesAt) })
  if (row.kind !== 'work') say(`kind.${row.kind}`)
  for (const { at, use } of row.punches) say(`punch.${use}`, { time: timeText(at) })
  for (const [rule, from, to] of row.reasons) {
    // Minutes that stand nowhere on the clock are counted from 0.
    if (from === 0) say(`rule.${rule}`, { minutes: to })
    else say(`rule.${rule}`, { minutes: to - from, from: timeText(from * 60_000), to: timeText(to * 60_000) })
  }
  for (const exception of row.exceptions) say(`exception.${exception}`, { minutes: row.longBreakMinutes })
  if (row.week) {
    const { from, to, targetMinutes, workMinutes, shortfallMinutes, overtimeMinutes } = row.week
    const values = { from, to, target: targetMinutes, work: workMinutes }
    if (row.week.settled) say('week.settled', { ...values, shortfall: shortfallMinutes, overtime: overtimeMinutes })
    else say('week.open', values)
  }
  const versions = { parameters: row.parametersVersion, engine: row.engineVersion }
  if (row.shiftVersion === null) say('versions.none', versions)
  else say('versions.shift', { ...versions, shift: row.shiftVersion })
  return sentences
}
