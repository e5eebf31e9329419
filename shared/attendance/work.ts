import { deductBreaks } from './breaks.ts'
import type { Instance } from './instance.ts'
import { judgeEarlyLeave, judgeLate } from './late.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds } from './open-day.ts'
import { countOvertime } from './overtime.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, spanOf, union, within, without } from './span.ts'

/**
 * Step 8: judges a day with two or more punches. Credited time is the presence within [on, off] except leave, plus the
 * tolerated minutes. Work is the credited time less the breaks. `requested` is approved overtime. `freed` are minutes of
 * holidays by the clock.
 */
export const judgeWork = (
  day: OpenDay,
  instance: Instance,
  expected: readonly Span[],
  leave: readonly Span[],
  requested: readonly Span[],
  freed: readonly Span[] = nothing,
): void => {
  const { run, row, reasons } = day
  const { on, off, shift } = instance
  const { start, end } = placeEnds(day)
  const toleratedLate = judgeLate(day, expected, start, shift.allowedLateMinutes)
  const toleratedEarly = judgeEarlyLeave(day, expected, end, shift.allowedEarlyMinutes)
  const present = without(without(spanOf(Math.max(start, on), Math.min(end, off)), leave), freed)
  note(reasons, 'toleratedLate', toleratedLate)
  note(reasons, 'present', present)
  note(reasons, 'toleratedEarly', toleratedEarly)
  // Tolerated minutes are before the in and after the out, so the spans are in order and disjoint.
  const credited =
    toleratedLate.length + toleratedEarly.length === 0 ? present : [...toleratedLate, ...present, ...toleratedEarly]
  if (freed.length > 0) {
    // Presence in the minutes of a holiday is holiday work, wherever it lies. Breaks apply to both parts together.
    const onHoliday = within(freed, start, end)
    const overtime = run.parameters.holidayWorkIsOvertime ? onHoliday : nothing
    note(reasons, overtime.length > 0 ? 'holidayOvertime' : 'holidayWork', onHoliday)
    const both = union([...credited, ...onHoliday])
    const { minutes, overtimeMinutes, gaps } = deductBreaks(day, instance.breaks, both, overtime)
    row.workMinutes = lengthOf(both) - lengthOf(overtime) - (minutes - overtimeMinutes)
    countOvertime(day, instance, start, end, requested, gaps, freed)
    row.overtimeMinutes += lengthOf(overtime) - overtimeMinutes
    return
  }
  const deducted = deductBreaks(day, instance.breaks, credited)
  row.workMinutes = lengthOf(credited) - deducted.minutes
  countOvertime(day, instance, start, end, requested, deducted.gaps)
}
