import { dayName, dayNumber, weekStart } from './calendar.ts'
import { placeEnds, placeLonePunch } from './day.ts'
import type { Leave } from './leave.ts'
import type { Group } from './punch.ts'
import type { Reason } from './reason.ts'
import { note, noteMinutes } from './reason.ts'
import type { Row, Use, Week } from './row.ts'
import type { Run } from './run.ts'
import { raise } from './run.ts'
import type { Shift, WeeklyTarget } from './shift.ts'
import { lengthOf, spanOf } from './span.ts'

// Weekly-flexible shifts: presence by local date, judged by the week.

/** A week with at least one weekly-flexible day. */
export interface FlexibleWeek {
  readonly from: number
  readonly to: number
  /** Scheduled days of the week, whatever their shift. */
  readonly scheduledDays: number
  /** Its last weekly-flexible day, which takes the remainder of the target and carries the week's figures. */
  readonly lastDay: number
  /** That day's target: its break also holds for unscheduled days, its switch for the week's overtime. */
  readonly weekly: WeeklyTarget
}

const targetOf = (shift: Shift): WeeklyTarget => {
  if (!shift.weekly) throw new RangeError('a weekly-flexible shift without its target')
  return shift.weekly
}

/** First and last day of the whole weeks a range touches: a run with weekly-flexible shifts covers whole weeks. */
export const wholeWeeks = (from: string, to: string, firstWeekday: number): { from: string; to: string } => ({
  from: dayName(weekStart(dayNumber(from), firstWeekday)),
  to: dayName(weekStart(dayNumber(to), firstWeekday) + 6),
})

/** The weeks of a schedule that have a weekly-flexible day, by their first day. */
export const flexibleWeeks = (
  schedule: readonly { readonly day: number; readonly shift: Shift }[],
  firstWeekday: number,
): Map<number, FlexibleWeek> => {
  const weeks = new Map<number, FlexibleWeek>()
  const days = new Map<number, Set<number>>()
  for (const { day } of schedule) {
    const start = weekStart(day, firstWeekday)
    days.set(start, (days.get(start) ?? new Set()).add(day))
  }
  for (const { day, shift } of schedule) {
    if (shift.kind !== 'weekly') continue
    const from = weekStart(day, firstWeekday)
    const known = weeks.get(from)
    if (known && known.lastDay >= day) continue
    const scheduledDays = days.get(from)?.size ?? 1
    weeks.set(from, { from, to: from + 6, scheduledDays, lastDay: day, weekly: targetOf(shift) })
  }
  return weeks
}

/** The target's share of a scheduled day, in whole minutes; the last day takes the remainder. */
export const shareOf = (week: FlexibleWeek, day: number, shift: Shift): number => {
  const { targetMinutes } = targetOf(shift)
  const share = Math.floor(targetMinutes / week.scheduledDays)
  return day === week.lastDay ? targetMinutes - share * (week.scheduledDays - 1) : share
}

/** Time between inner punches, two by two. */
const gapsOf = (groups: readonly Group[], uses: Use[]): number => {
  let minutes = 0
  for (let index = 1; index + 2 < groups.length; index += 2) {
    const left = groups[index]
    const back = groups[index + 1]
    if (!left || !back) break
    minutes += Math.max(0, back.first - left.last)
    uses[index] = 'gap'
    uses[index + 1] = 'gap'
  }
  return minutes
}

/** Presence from the first to the last punch, less the break above its threshold or the deducted gaps, if those are longer. */
const countPresence = (
  run: Run,
  row: Row,
  { breakMinutes, breakThresholdMinutes }: WeeklyTarget,
  groups: readonly Group[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  const [only] = groups
  if (!only) return
  if (groups.length === 1) {
    placeLonePunch(row, only, true, true, uses)
    return
  }
  const { start, end } = placeEnds(row, groups, uses)
  const asOvertime = row.kind === 'holiday' && run.parameters.holidayWorkIsOvertime
  const present = spanOf(start, end)
  const minutes = lengthOf(present)
  const automatic = Math.min(breakMinutes, Math.max(0, minutes - breakThresholdMinutes))
  const gaps = run.parameters.deductGaps ? gapsOf(groups, uses) : 0
  note(reasons, asOvertime ? 'holidayOvertime' : row.kind === 'holiday' ? 'holidayWork' : 'present', present)
  noteMinutes(reasons, asOvertime ? 'breakSlotOfOvertime' : 'breakSlot', automatic)
  noteMinutes(reasons, asOvertime ? 'gapOfOvertime' : 'gap', gaps - automatic)
  row.breakMinutes = automatic
  if (asOvertime) row.overtimeMinutes = minutes - Math.max(automatic, gaps)
  else row.workMinutes = minutes - Math.max(automatic, gaps)
}

/** Fills in the row of a weekly-flexible day. `leave` counts every minute of the local date. */
export const judgeFlexibleDay = (
  run: Run,
  row: Row,
  weekly: WeeklyTarget,
  share: number,
  leave: Leave,
  groups: readonly Group[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => {
  if (row.kind !== 'holiday') {
    row.dutyMinutes = share
    noteMinutes(reasons, 'dutyShare', share)
    // Leave takes at most the day's share, from its types in order.
    for (const [type, minutes] of Object.entries(leave.types)) {
      const counted = leave.full ? share : Math.min(minutes, share - row.leaveMinutes)
      if (counted <= 0) continue
      row.leaveTypes = { ...row.leaveTypes, [type]: counted }
      row.leaveMinutes += counted
      noteMinutes(reasons, leave.full ? 'fullLeave' : 'leave', counted)
      if (leave.full) break
    }
    if (leave.full) row.kind = 'leave'
  }
  countPresence(run, row, weekly, groups, uses, reasons)
  if (row.kind === 'leave' && groups.length > 0) {
    row.exceptions = []
    raise(row, 'punchedOnLeave')
  }
}

/** Fills in the row of a day without a shift in a weekly-flexible week: its work counts to the week. */
export const judgeFlexibleRestDay = (
  run: Run,
  row: Row,
  weekly: WeeklyTarget,
  groups: readonly Group[],
  uses: Use[],
  reasons: Reason[] | undefined,
): void => countPresence(run, row, weekly, groups, uses, reasons)

/**
 * The figures of a week. `rows` are those of its weekly-flexible days and of its days without a shift, `targets` the weekly
 * targets of the former that are neither holiday nor full leave.
 */
export const settleWeek = (
  week: FlexibleWeek,
  rows: readonly Row[],
  targets: readonly number[],
  settled: boolean,
): Week => {
  const whole = targets.reduce((sum, target) => sum + target, 0)
  const partial = rows.reduce((sum, row) => sum + (row.kind === 'flexible' ? row.leaveMinutes : 0), 0)
  const targetMinutes = Math.max(0, Math.floor(whole / week.scheduledDays) - partial)
  const workMinutes = rows.reduce((sum, row) => sum + row.workMinutes, 0)
  return {
    from: dayName(week.from),
    to: dayName(week.to),
    settled,
    targetMinutes,
    workMinutes,
    shortfallMinutes: settled ? Math.max(0, targetMinutes - workMinutes) : 0,
    overtimeMinutes: settled && week.weekly.overtimeCounts ? Math.max(0, workMinutes - targetMinutes) : 0,
  }
}
