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
 * Step 8: a day with two punches or more. Credited is the presence within [on, off] but for leave, and what is tolerated;
 * work is that without the breaks. `requested` is approved overtime.
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
  // What is tolerated lies before the in and after the out, so this is in order and nothing twice.
  const credited =
    toleratedLate.length + toleratedEarly.length === 0 ? present : [...toleratedLate, ...present, ...toleratedEarly]
  const taken = deductBreaks(day, instance.breaks, credited)
  row.workMinutes = lengthOf(credited) - taken.minutes
  countOvertime(day, instance, start, end, requested, taken.gaps)
}
