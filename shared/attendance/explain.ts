import { dayNumber } from './calendar.ts'
import { minuteOf } from './punch.ts'
import type { Rule } from './reason.ts'
import type { CheckName, DayKind, Exception, Row, Use } from './row.ts'
import { wallTime } from './wall-time.ts'
import { readingAt } from './zone.ts'

// Explains a row in sentences. The texts are in `locales/<language>/reason.json` under these keys.

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
  /** Minutes and versions are numbers; clock times and dates are text. */
  values: Record<string, string | number>
}

/** The parts of a row that explain its figures. */
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
> & { checkMinutes?: Partial<Record<CheckName, number>> | undefined }

/** Formats an instant as a clock time of the row's zone. `+1` and `-1` mark the date after or before the work day. */
const clockTime =
  ({ zone, day }: Explainable) =>
  (at: number): string =>
    wallTime(readingAt(zone, minuteOf(at)) - dayNumber(day) * 1440)

/**
 * Explains a row. The order is its state, the kind of day, the use of each punch, and the rule behind each minute. Then
 * follow the exceptions, the week, and the versions of the calculation. `timeText` formats an instant for the reader.
 */
export const explain = (row: Explainable, timeText: (at: number) => string = clockTime(row)): Sentence[] => {
  const sentences: Sentence[] = []
  const add = (key: ReasonKey, values: Sentence['values'] = {}) => sentences.push({ key, values })

  if (row.state !== 'final') add(`state.${row.state}`, { time: timeText(row.closesAt) })
  if (row.kind !== 'work') add(`kind.${row.kind}`)
  for (const { at, use } of row.punches) add(`punch.${use}`, { time: timeText(at) })
  for (const [rule, from, to] of row.reasons) {
    // Durations without a clock position start at 0.
    if (from === 0) add(`rule.${rule}`, { minutes: to })
    else add(`rule.${rule}`, { minutes: to - from, from: timeText(from * 60_000), to: timeText(to * 60_000) })
  }
  const minutes: Partial<Record<Exception, number>> = { ...row.checkMinutes, longBreak: row.longBreakMinutes }
  for (const exception of row.exceptions) add(`exception.${exception}`, { minutes: minutes[exception] ?? 0 })
  if (row.week) {
    const { from, to, targetMinutes, workMinutes, shortfallMinutes, overtimeMinutes } = row.week
    const values = { from, to, target: targetMinutes, work: workMinutes }
    if (row.week.settled) add('week.settled', { ...values, shortfall: shortfallMinutes, overtime: overtimeMinutes })
    else add('week.open', values)
  }
  const versions = { parameters: row.parametersVersion, engine: row.engineVersion }
  if (row.shiftVersion === null) add('versions.none', versions)
  else add('versions.shift', { ...versions, shift: row.shiftVersion })
  return sentences
}
