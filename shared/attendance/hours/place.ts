import type { Figure, Rule } from '../reason.ts'
import { rules } from '../reason.ts'
import type { Row } from '../row.ts'
import type { Span } from '../span.ts'
import { firstOf, lengthOf, union, without } from '../span.ts'

// Rule 3: the place of every paid minute of a row. The reasons of a row place its minutes.

/** A span of paid minutes. */
export interface Paid extends Span {
  /** The figure of the row that counts the minutes. */
  readonly figure: 'work' | 'overtime'
  /** Overtime of the row, or of its settled weekly-flexible week. */
  readonly isOvertime: boolean
}

/** The figure that a rule of the engine adds minutes to or takes them from. */
type Effect = '+work' | '-work' | '+overtime' | '-overtime'

const effectOf = (effects: Partial<Record<Figure, number>>): Effect | undefined => {
  if (effects.workMinutes) return effects.workMinutes > 0 ? '+work' : '-work'
  if (effects.overtimeMinutes) return effects.overtimeMinutes > 0 ? '+overtime' : '-overtime'
  return undefined
}
const effects = new Map(Object.entries(rules).map(([rule, ofRule]) => [rule, effectOf(ofRule)]))

/** The minutes of a figure: those added without those removed. Removed minutes without a place are the last ones. */
const placed = (added: readonly Span[], removed: readonly Span[], minutes: number): readonly Span[] => {
  const spans = added.length > 1 ? union(added) : added
  const kept = without(spans, removed.length > 1 ? union(removed) : removed)
  return lengthOf(kept) > minutes ? firstOf(kept, minutes) : kept
}

const holidayRules: ReadonlySet<Rule> = new Set<Rule>(['holidayOvertime', 'holidayWork'])

/** The presence of a row that counts as work on a holiday. */
export const holidayPresence = ({ reasons }: Pick<Row, 'reasons'>): readonly Span[] =>
  union(reasons.flatMap(([rule, from, to]) => (holidayRules.has(rule) ? [{ from, to }] : [])))

/** The paid minutes of a row in time order. Throws a RangeError if the row has minutes without reasons. */
export const placePaid = (row: Row): Paid[] => {
  const paid: Paid[] = []
  const { workMinutes, overtimeMinutes } = row
  if (workMinutes + overtimeMinutes === 0) return paid
  const work: { added: Span[]; removed: Span[] } = { added: [], removed: [] }
  const overtime: typeof work = { added: [], removed: [] }
  for (const [rule, from, to] of row.reasons) {
    const effect = effects.get(rule)
    if (effect === '+work') work.added.push({ from, to })
    else if (effect === '+overtime') overtime.added.push({ from, to })
    // Minutes without a place start at 0.
    else if (from === 0) continue
    else if (effect === '-work') work.removed.push({ from, to })
    else if (effect === '-overtime') overtime.removed.push({ from, to })
  }
  let minutes = 0
  const pay = (figure: Paid['figure'], spans: readonly Span[]) => {
    for (const { from, to } of spans) {
      paid.push({ from, to, figure, isOvertime: figure === 'overtime' })
      minutes += to - from
    }
  }
  if (workMinutes > 0) pay('work', placed(work.added, work.removed, workMinutes))
  if (overtimeMinutes > 0) pay('overtime', placed(overtime.added, overtime.removed, overtimeMinutes))
  if (minutes !== workMinutes + overtimeMinutes)
    throw new RangeError(`the reasons of ${row.day} do not place its minutes`)
  return workMinutes > 0 && overtimeMinutes > 0 ? paid.sort((a, b) => a.from - b.from) : paid
}

/**
 * In a settled weekly-flexible week, the last minutes of work are the week's overtime. Changes `paid`, which lists the
 * minutes of each row. Locked rows have no entry, so their minutes stay as they are.
 */
export const placeWeekOvertime = (rows: readonly Row[], paid: (Paid[] | undefined)[]): void => {
  for (const { week } of rows) {
    if (!week?.settled || week.overtimeMinutes === 0) continue
    let remaining = week.overtimeMinutes
    for (let index = rows.length - 1; index >= 0 && remaining > 0; index--) {
      const row = rows[index]
      const ofRow = paid[index]
      if (!row || !ofRow || row.dutyFrom !== null || row.day < week.from || row.day > week.to) continue
      const marked: Paid[] = []
      for (const span of ofRow.toReversed()) {
        const minutes = span.isOvertime ? 0 : Math.min(remaining, span.to - span.from)
        if (minutes > 0) marked.push({ ...span, from: span.to - minutes, isOvertime: true })
        if (span.to - minutes > span.from) marked.push({ ...span, to: span.to - minutes })
        remaining -= minutes
      }
      paid[index] = marked.reverse()
    }
  }
}
