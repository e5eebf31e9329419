import type { OpenDay } from './open-day.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, within } from './span.ts'

// Step 8, tolerance: expected minutes that were missed count in full once they exceed what is allowed. What is tolerated is
// answered, to be credited.

/** Expected minutes before `start`, the minute of the in. */
export const judgeLate = (
  { row, reasons }: OpenDay,
  expected: readonly Span[],
  start: number,
  allowedMinutes: number,
): readonly Span[] => {
  const missed = within(expected, Number.NEGATIVE_INFINITY, start)
  const minutes = lengthOf(missed)
  if (minutes <= allowedMinutes) return missed
  row.lateMinutes = minutes
  note(reasons, 'late', missed)
  return nothing
}

/**
 * Expected minutes after `end`, the minute of the out. While more punches may come nobody has left early; what is tolerated
 * is answered all the same, so that work does not change by waiting.
 */
export const judgeEarlyLeave = (
  { row, reasons }: OpenDay,
  expected: readonly Span[],
  end: number,
  allowedMinutes: number,
): readonly Span[] => {
  const missed = within(expected, end, Number.POSITIVE_INFINITY)
  const minutes = lengthOf(missed)
  if (minutes <= allowedMinutes) return missed
  if (row.state !== 'pending') {
    row.earlyLeaveMinutes = minutes
    note(reasons, 'early', missed)
  }
  return nothing
}
