import { deductBreaks } from './breaks.ts'
import type { Instance } from './instance.ts'
import { judgeEarlyLeave, judgeLate } from './late.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds } from './open-day.ts'
import { countOvertime } from './overtime.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, spanOf, without } from './span.ts'

/**
 * Step 8: judges a day with two or more punches. Credited time is the presence within [on, off] except leave, plus the
 * tolerated minutes. Work is the credited time less the breaks. `requested` is approved overtime.
 */
export const judgeWork = (
  day: OpenDay,
  instance: Instance,
  expected: readonly Span[],
  leave: readonly Span[],
  requested: readonly Span[],
): void => {
  const { row, reasons } = day
  const { on, off, shift } = instance
  const { start, end } = placeEnds(day)
  const toleratedLate = judgeLate(day, expected, start, shift.allowedLateMinutes)
  const toleratedEarly = judgeEarlyLeave(day, expected, end, shift.allowedEarlyMinutes)
  const present = without(spanOf(Math.max(start, on), Math.min(end, off)), leave)
  note(reasons, 'toleratedLate', toleratedLate)
  note(reasons, 'present', present)
  note(reasons, 'toleratedEarly', toleratedEarly)
  // Tolerated minutes are before the in and after the out, so the spans are in order and disjoint.
  const credited =
    toleratedLate.length + toleratedEarly.length === 0 ? present : [...toleratedLate, ...present, ...toleratedEarly]
  const deducted = deductBreaks(day, instance.breaks, credited)
  row.workMinutes = lengthOf(credited) - deducted.minutes
  countOvertime(day, instance, start, end, requested, deducted.gaps)
}
