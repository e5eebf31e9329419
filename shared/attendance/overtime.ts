import type { Instance } from './instance.ts'
import type { OpenDay } from './open-day.ts'
import type { Reason, Rule } from './reason.ts'
import { note, noteMinutes } from './reason.ts'
import type { OvertimeRule } from './shift.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, spanOf, union, within, without } from './span.ts'

// Step 8, overtime: before duty, after duty and as requested, counted once where they meet.

/** A part longer than the rule's minutes counts in full, one of exactly that or less not at all. */
const automatic = (
  rule: OvertimeRule,
  from: number,
  to: number,
  tooShort: Rule,
  reasons: Reason[] | undefined,
): readonly Span[] => {
  if (!rule.counts || to <= from) return nothing
  if (to - from > rule.afterMinutes) return [{ from, to }]
  note(reasons, tooShort, [{ from, to }])
  return nothing
}

/** Company limits, in this order: full duty first, then the minimum of a day, then its maximum. Row's work is known. */
const limit = ({ run, row, reasons }: OpenDay, minutes: number): number => {
  const { fullDutyFirst, minimumOvertimeMinutes, maximumOvertimeMinutes } = run.parameters
  let left = minutes
  if (fullDutyFirst) {
    left = Math.min(left, Math.max(0, row.workMinutes + minutes - row.dutyMinutes + row.leaveMinutes))
    noteMinutes(reasons, 'fullDutyFirst', minutes - left)
  }
  if (left < minimumOvertimeMinutes) {
    noteMinutes(reasons, 'belowMinimumOvertime', left)
    return 0
  }
  if (maximumOvertimeMinutes > 0 && left > maximumOvertimeMinutes) {
    noteMinutes(reasons, 'aboveMaximumOvertime', left - maximumOvertimeMinutes)
    return maximumOvertimeMinutes
  }
  return left
}

/** Sets the overtime of a day present from `start` to `end` but for `gaps`; `requested` is approved overtime. */
export const countOvertime = (
  day: OpenDay,
  { on, off, shift }: Instance,
  start: number,
  end: number,
  requested: readonly Span[],
  gaps: readonly Span[],
): void => {
  const { earlyInOvertime, lateOutOvertime } = shift
  const { row, reasons } = day
  const early = automatic(earlyInOvertime, start, Math.min(end, on), 'earlyInTooShort', reasons)
  const late = automatic(lateOutOvertime, Math.max(start, off), end, 'lateOutTooShort', reasons)
  if (early.length + late.length + requested.length === 0) return
  const asked = without(within(requested, start, end), spanOf(on, off))
  let minutes = 0
  const count = (rule: Rule, spans: readonly Span[], counted: readonly Span[]) => {
    const rest = without(without(spans, counted), gaps)
    note(reasons, rule, rest)
    minutes += lengthOf(rest)
  }
  count('earlyIn', early, nothing)
  count('lateOut', late, early)
  if (asked.length > 0) count('requestedOvertime', asked, union([...early, ...late]))
  if (minutes > 0) row.overtimeMinutes = limit(day, minutes)
}
