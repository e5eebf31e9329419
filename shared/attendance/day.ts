import type { Instance } from './instance.ts'
import type { Leave } from './leave.ts'
import { isLoneIn, judgeLonePunch, placeLonePunch } from './lone-punch.ts'
import type { OpenDay } from './open-day.ts'
import { raise } from './open-day.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, nothing, within, without } from './span.ts'
import { judgeWork } from './work.ts'

/** Step 6: without a punch, all expected minutes are absence, unless further punches may arrive. */
const judgeAbsence = ({ row, reasons }: OpenDay, expected: readonly Span[]): void => {
  if (row.state === 'pending') return
  row.absentMinutes = lengthOf(expected)
  note(reasons, 'absent', expected)
}

/**
 * Step 9: on full leave the employee owes no work. Presence counts and raises an exception, so that a manager checks
 * the day.
 */
const judgeFullLeave = (day: OpenDay, instance: Instance, requested: readonly Span[], freed: readonly Span[]): void => {
  const { groups } = day
  const [first] = groups
  if (!first) return
  if (groups.length === 1) placeLonePunch(day, first, isLoneIn(day, first, nothing, instance), false)
  else judgeWork(day, instance, nothing, nothing, requested, freed)
  raise(day, 'punchedOnLeave')
}

/**
 * Steps 5 to 9: judges a fixed shift on a day that is not a whole holiday. `requested` is approved overtime. `freed` are
 * the minutes of holidays by the clock; the duty of the instance does not contain them.
 */
export const judgeDay = (
  day: OpenDay,
  instance: Instance,
  leave: Leave,
  requested: readonly Span[],
  freed: readonly Span[] = nothing,
): void => {
  const { row, groups, reasons } = day
  row.dutyMinutes = instance.dutyMinutes
  note(reasons, 'duty', instance.duty)
  row.leaveMinutes = leave.minutes
  if (leave.minutes > 0) row.leaveTypes = Object.fromEntries(leave.types)
  if (leave.full) {
    row.kind = 'leave'
    note(reasons, 'fullLeave', instance.duty)
    judgeFullLeave(day, instance, requested, freed)
    return
  }
  if (reasons) for (const span of leave.spans) note(reasons, 'leave', within(instance.duty, span.from, span.to))
  const expected = without(instance.duty, leave.spans)
  const [first] = groups
  if (!first) judgeAbsence(day, expected)
  else if (groups.length === 1) judgeLonePunch(day, first, instance, expected)
  else judgeWork(day, instance, expected, leave.spans, requested, freed)
}
