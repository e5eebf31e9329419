import type { Instance } from './instance.ts'
import type { OpenDay } from './open-day.ts'
import type { Reason, Rule } from './reason.ts'
import { note, noteMinutes } from './reason.ts'
import type { OvertimeRule } from './shift.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, spanOf, union, within, without } from './span.ts'

// Step 8, overtime: before duty, after duty and as requested. A minute under several rules counts once.

/** A part longer than the rule's minutes counts in full. A shorter or equal part does not count. */
const automatic = (
  rule: OvertimeRule,
  from: number,
  to: number,
  tooShort: Rule,
  reasons: Reason[] | undefined,
  freed: readonly Span[],
): readonly Span[] => {
  if (!rule.counts || to <= from) return nothing
  const spans = without([{ from, to }], freed)
  if (lengthOf(spans) > rule.afterMinutes) return spans
  note(reasons, tooShort, spans)
  return nothing
}

/**
 * Applies the company's limits in this order: full duty first, the daily minimum, the daily maximum. Set the row's work
 * minutes before the call.
 */
const limit = ({ run, row, reasons }: OpenDay, minutes: number): number => {
  const { fullDutyFirst, minimumOvertimeMinutes, maximumOvertimeMinutes } = run.parameters
  let counted = minutes
  if (fullDutyFirst) {
    counted = Math.min(counted, Math.max(0, row.workMinutes + minutes - row.dutyMinutes + row.leaveMinutes))
    noteMinutes(reasons, 'fullDutyFirst', minutes - counted)
  }
  if (counted < minimumOvertimeMinutes) {
    noteMinutes(reasons, 'belowMinimumOvertime', counted)
    return 0
  }
  if (maximumOvertimeMinutes > 0 && counted > maximumOvertimeMinutes) {
    noteMinutes(reasons, 'aboveMaximumOvertime', counted - maximumOvertimeMinutes)
    return maximumOvertimeMinutes
  }
  return counted
}

/**
 * Sets the overtime of a day with presence from `start` to `end` except `gaps`. `requested` is approved overtime. Minutes
 * in `freed` are of a holiday, and no overtime beside the duty.
 */
export const countOvertime = (
  day: OpenDay,
  { on, off, shift }: Instance,
  start: number,
  end: number,
  requested: readonly Span[],
  gaps: readonly Span[],
  freed: readonly Span[] = nothing,
): void => {
  const { earlyInOvertime, lateOutOvertime } = shift
  const { row, reasons } = day
  const early = automatic(earlyInOvertime, start, Math.min(end, on), 'earlyInTooShort', reasons, freed)
  const late = automatic(lateOutOvertime, Math.max(start, off), end, 'lateOutTooShort', reasons, freed)
  if (early.length + late.length + requested.length === 0) return
  const requestedOutsideDuty = without(without(within(requested, start, end), spanOf(on, off)), freed)
  let minutes = 0
  const count = (rule: Rule, spans: readonly Span[], counted: readonly Span[]) => {
    const uncounted = without(without(spans, counted), gaps)
    note(reasons, rule, uncounted)
    minutes += lengthOf(uncounted)
  }
  count('earlyIn', early, nothing)
  count('lateOut', late, early)
  if (requestedOutsideDuty.length > 0) count('requestedOvertime', requestedOutsideDuty, union([...early, ...late]))
  if (minutes > 0) row.overtimeMinutes = limit(day, minutes)
}
