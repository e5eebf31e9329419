import type { OpenDay } from './open-day.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, within } from './span.ts'

// Step 8, tolerance: missed expected minutes count in full above the allowance. The functions return the tolerated
// minutes, which count as work.

/** Judges the expected minutes before `start`, the minute of the in punch. */
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
 * Judges the expected minutes after `end`, the minute of the out punch. A pending day has no early leave. The function
 * still returns the tolerated minutes, so that the work does not change later.
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
