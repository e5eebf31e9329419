import { wallTime } from '../wall-time.ts'
import { readingAt } from '../zone.ts'
import type { HourPiece, RowHours } from './row-hours.ts'
import type { HourConditions, HourSet } from './set.ts'

// Rule 13: explains the kinds of a row: "18:30–20:00 OT2: beyond 720 minutes of the day".

/** A condition of a rule, with its values. A screen has a sentence for each name. */
export interface HourReason {
  condition: Exclude<keyof HourConditions, 'by'> | 'weekOver' | 'otherwise'
  values: Record<string, string | number>
}

export interface ExplainedPiece {
  from: string
  to: string
  kind: string
  isExtra: boolean
  /** All conditions of the rule; `otherwise` for the rule without conditions. */
  reasons: HourReason[]
}

/** The conditions of a rule in the order of sentences. */
export const reasonsOf = (rule: HourConditions & { weekOver?: number }): HourReason[] => {
  const { overtime, holiday, rest, weekdays, by = 'clock', window, begunDayBefore, dayOver, weekOver } = rule
  const reasons: HourReason[] = []
  const add = (condition: HourReason['condition'], values: HourReason['values'] = {}) =>
    reasons.push({ condition, values })
  if (overtime) add('overtime')
  if (holiday) add('holiday', { by: holiday })
  if (rest) add('rest')
  if (weekdays) add('weekdays', { by, weekdays: weekdays.join() })
  if (window) add('window', { from: window.from, to: window.to, least: window.least ?? 0 })
  if (begunDayBefore) add('begunDayBefore')
  if (dayOver !== undefined) add('dayOver', { minutes: dayOver })
  if (weekOver !== undefined) add('weekOver', { minutes: weekOver })
  if (rule.consecutiveDay !== undefined) add('consecutiveDay', { day: rule.consecutiveDay })
  if (reasons.length === 0) add('otherwise')
  return reasons
}

/** The pieces of a row in time order, with the conditions that gave them their kinds. Joins pieces of one rule. */
export const explainHours = (
  { base, extra }: RowHours,
  set: HourSet,
  zone: string,
  workDay: number,
): ExplainedPiece[] => {
  const clock = (minute: number) => wallTime(readingAt(zone, minute) - workDay * 1440)
  const explain = (pieces: readonly HourPiece[], isExtra: boolean) => {
    const joined: HourPiece[] = []
    for (const piece of pieces) {
      const last = joined.findLast(({ rule }) => rule === piece.rule)
      if (last?.to === piece.from) last.to = piece.to
      else joined.push({ ...piece })
    }
    return joined.map(({ from, to, kind, rule }) => {
      const conditions = (isExtra ? set.extra : set.base)[rule] ?? {}
      return { at: from, piece: { from: clock(from), to: clock(to), kind, isExtra, reasons: reasonsOf(conditions) } }
    })
  }
  return [...explain(base, false), ...explain(extra, true)].sort((a, b) => a.at - b.at).map(({ piece }) => piece)
}
