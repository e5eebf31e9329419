import type { Instance } from './instance.ts'
import { judgeLate } from './late.ts'
import type { OpenDay } from './open-day.ts'
import { raise } from './open-day.ts'
import type { Group } from './punch.ts'
import { firstAt, lastAt } from './punch.ts'
import { note } from './reason.ts'
import type { Span } from './span.ts'
import { lengthOf, within } from './span.ts'

// Step 7: a day with one punch.

/**
 * Whether the only punch is an in. An in is at or before the midpoint between the first and the last expected minute.
 * Without expected minutes, [on, off] sets the midpoint. On a pending day the punch is always an in. If the company
 * trusts the terminal's in/out key, a sent key decides instead.
 */
export const isLoneIn = (
  { run, row }: OpenDay,
  group: Group,
  expected: readonly Span[],
  { on, off }: Instance,
): boolean => {
  if (row.state === 'pending') return true
  const state = run.parameters.trustDeviceState && group.punches.find(punch => punch.state)?.state
  if (state) return state === 'in'
  return 2 * group.first <= (expected[0]?.from ?? on) + (expected.at(-1)?.to ?? off)
}

/** Records a lone in or out. With `raisesMissing`, raises an exception for the missing partner. */
export const placeLonePunch = (day: OpenDay, group: Group, isIn: boolean, raisesMissing: boolean): void => {
  day.uses[0] = isIn ? 'in' : 'out'
  if (isIn) day.row.firstIn = firstAt(group)
  else day.row.lastOut = lastAt(group)
  if (raisesMissing) raise(day, isIn ? 'missingOut' : 'missingIn')
}

/**
 * A lone out only raises an exception. A lone in can be late. The shift's no-clock-out setting judges the missing out.
 * 0 is an exception, 1 is early leave from the in on, and 2 is absence all day.
 */
export const judgeLonePunch = (day: OpenDay, group: Group, instance: Instance, expected: readonly Span[]): void => {
  const { row, reasons } = day
  const { on, off, shift } = instance
  const isIn = isLoneIn(day, group, expected, instance)
  placeLonePunch(day, group, isIn, (shift.raisesException ?? true) && (!isIn || shift.noClockOut === 0))
  if (!isIn) return
  if (shift.noClockOut === 2 && row.state !== 'pending') {
    row.absentMinutes = lengthOf(expected)
    note(reasons, 'absentWithoutOut', expected)
    return
  }
  judgeLate(day, expected, group.first, shift.allowedLateMinutes)
  if (shift.noClockOut === 1 && row.state !== 'pending') {
    const missed = within(expected, row.lateMinutes > 0 ? Math.max(on, group.first) : on, off)
    row.earlyLeaveMinutes = lengthOf(missed)
    note(reasons, 'earlyWithoutOut', missed)
  }
}
