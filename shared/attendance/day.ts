import type { Assigned } from './assign.ts'
import { deductBreaks } from './breaks.ts'
import type { Leave } from './leave.ts'
import { countOvertime } from './overtime.ts'
import type { Group } from './punch.ts'
import { firstAt, lastAt } from './punch.ts'
import type { Reason } from './reason.ts'
import { note } from './reason.ts'
import type { Row, Use } from './row.ts'
import type { Run } from './run.ts'
import { raise } from './run.ts'
import type { Span } from './span.ts'
import { lengthOf, spanOf, within, without } from './span.ts'

// Steps 6 to 9: a day with a fixed shift that is no holiday. Punches of the day come as groups in time order; `uses` says
// what became of each group and is filled in here.

/** Whether the only punch of a day is its in: in the first half of the expected time, or of [on, off] without any. */
export const isLoneIn = (run: Run, row: Row, group: Group, expected: readonly Span[], on: number, off: number) => {
  if (row.state === 'pending') return true
  if (run.parameters.trustDeviceState) {
    const state = group.punches.find(punch => punch.state)?.state
    if (state) return state === 'in'
  }
  const start = expected[0]?.from ?? on
  const end = expected.at(-1)?.to ?? off
  return 2 * group.first <= start + end
}

/** A lone punch, and the exception that its partner is missing where that is raised. */
export const placeLonePunch = (row: Row, group: Group, isIn: boolean, raises: boolean, uses: Use[]): void => {
  uses[0] = isIn ? 'in' : 'out'
  if (isIn) row.firstIn = firstAt(group)
  else row.lastOut = lastAt(group)
  if (raises) raise(row, isIn ? 'missingOut' : 'missingIn')
}

/** First and last punch: the in with its first instant, the out with its last. */
export const placeEnds = (row: Row, groups: readonly Group[], uses: Use[]): { start: number; end: number } => {
  const [first] = groups
  const last = groups.at(-1)
  if (!first || !last) return { start: 0, end: 0 }
  uses[0] = 'in'
  uses[groups.length - 1] = 'out'
  row.firstIn = firstAt(first)
  row.lastOut = lastAt(last)
  return { start: first.first, end: last.last }
}

/** Step 6: nobody came. */
const judgeAbsence = (row: Row, expected: readonly Span[], reasons: Reason[] | undefined): void => {
  if (row.state === 'pending') return
  row.absentMinutes = lengthOf(expected)
  note(reasons, 'absent', expected)
}

/** Expected minutes before `start`: late in full once they exceed what is allowed. Answers those that are tolerated. */
const judgeLate = (
  row: Row,
  expected: readonly Span[],
  start: number,
  allowedMinutes: number,
  reasons: Reason[] | undefined,
): readonly Span[] => {
  const missed = within(expected, Number.NEGATIVE_INFINITY, start)
  const minutes = lengthOf(missed)
  if (minutes <= allowedMinutes) return missed
  row.lateMinutes = minutes
  note(reasons, 'late', missed)
  return []
}

/** Expected minutes after `end`, alike; while more punches may come nobody has left early. */
const judgeEarlyLeave = (
  row: Row,
  expected: readonly Span[],
  end: number,
  allowedMinutes: number,
  reasons: Reason[] | undefined,
): readonly Span[] => {
  const missed = within(expected, end, Number.POSITIVE_INFINITY)
  const minutes = lengthOf(missed)
  if (minutes <= allowedMinutes) return missed
  if (row.state !== 'pending') {
    row.earlyLeaveMinutes = minutes
    note(reasons, 'early', missed)
  }
  return []
}

/** Step 7: one punch. Only an in is judged, by the shift's no-clock-out handling. */
const judgeLonePunch = (
  run: Run,
  row: Row,
  { instance }: Assigned,
  group: Group,
  expected: readonly Span[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const { on, off, shift } = instance
  const isIn = isLoneIn(run, row, group, expected, on, off)
  const raises = (shift.raisesException ?? true) && (!isIn || shift.noClockOut === 0)
  placeLonePunch(row, group, isIn, raises, uses)
  if (!isIn) return
  if (row.state !== 'pending' && shift.noClockOut === 2) {
    row.absentMinutes = lengthOf(expected)
    note(reasons, 'absentWithoutOut', expected)
    return
  }
  judgeLate(row, expected, group.first, shift.allowedLateMinutes, reasons)
  if (row.state === 'pending' || shift.noClockOut === 0) return
  const left = within(expected, row.lateMinutes > 0 ? Math.max(on, group.first) : on, off)
  row.earlyLeaveMinutes = lengthOf(left)
  note(reasons, 'earlyWithoutOut', left)
}

/** Step 8: two punches or more. */
const judgeWork = (
  run: Run,
  row: Row,
  assigned: Assigned,
  expected: readonly Span[],
  leave: readonly Span[],
  requested: readonly Span[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const { instance, groups } = assigned
  const { on, off, shift } = instance
  const { start, end } = placeEnds(row, groups, uses)
  const toleratedLate = judgeLate(row, expected, start, shift.allowedLateMinutes, reasons)
  const toleratedEarly = judgeEarlyLeave(row, expected, end, shift.allowedEarlyMinutes, reasons)
  const present = without(spanOf(Math.max(start, on), Math.min(end, off)), leave)
  // In time order: what is tolerated lies before the in and after the out.
  const credited =
    toleratedLate.length + toleratedEarly.length > 0 ? [...toleratedLate, ...present, ...toleratedEarly] : present
  note(reasons, 'toleratedLate', toleratedLate)
  note(reasons, 'present', present)
  note(reasons, 'toleratedEarly', toleratedEarly)
  const { deductGaps } = run.parameters
  const taken = deductBreaks(row, instance.breaks, credited, groups, deductGaps, uses, reasons)
  row.workMinutes = lengthOf(credited) - taken.minutes
  countOvertime(run, row, assigned, start, end, requested, taken.gaps, reasons)
}

/** Fills in the row of a fixed shift on a normal day or a day of leave. */
export const judgeDay = (
  run: Run,
  row: Row,
  assigned: Assigned,
  leave: Leave,
  requested: readonly Span[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const { instance, groups } = assigned
  row.dutyMinutes = instance.dutyMinutes
  note(reasons, 'duty', instance.duty)
  row.leaveMinutes = leave.minutes
  row.leaveTypes = leave.types
  const [only] = groups
  if (leave.full) {
    // Step 9: nothing is expected, but what was worked counts.
    row.kind = 'leave'
    note(reasons, 'fullLeave', instance.duty)
    if (only && groups.length === 1) {
      placeLonePunch(row, only, isLoneIn(run, row, only, [], instance.on, instance.off), false, uses)
    }
    if (groups.length > 1) judgeWork(run, row, assigned, [], [], requested, uses, reasons)
    if (only) raise(row, 'punchedOnLeave')
    return
  }
  const expected = leave.spans.length > 0 ? without(instance.duty, leave.spans) : instance.duty
  if (reasons && leave.minutes > 0) {
    for (const span of leave.spans) note(reasons, 'leave', within(instance.duty, span.from, span.to))
  }
  if (!only) judgeAbsence(row, expected, reasons)
  else if (groups.length === 1) judgeLonePunch(run, row, assigned, only, expected, uses, reasons)
  else judgeWork(run, row, assigned, expected, leave.spans, requested, uses, reasons)
}
