import { dayName, dayNumber, weekStart } from './calendar.ts'
import type { Leave } from './leave.ts'
import { placeLonePunch } from './lone-punch.ts'
import type { OpenDay } from './open-day.ts'
import { placeEnds, raise } from './open-day.ts'
import { placePairs } from './pairs.ts'
import type { Group } from './punch.ts'
import { note, noteMinutes } from './reason.ts'
import type { Row, Use, Week } from './row.ts'
import type { Entry } from './run.ts'
import type { Shift, WeeklyTarget } from './shift.ts'
import { lengthOf, spanOf } from './span.ts'

// Weekly-flexible shifts: presence counts by local date, and the target applies to the week.

/** A week with at least one weekly-flexible day that has a row. */
export interface FlexibleWeek {
  readonly from: number
  readonly to: number
  /** Scheduled days of the week, with any shift. */
  readonly scheduledDays: number
  /**
   * The last weekly-flexible day, which takes the remainder of the target. Its break also applies to days without a
   * shift. Its `overtimeCounts` applies to the week's overtime.
   */
  readonly last: Entry
  /** Days with a holiday of a part, which ask for half a day. */
  readonly partDays: ReadonlySet<string>
}

const targetOf = (shift: Shift): WeeklyTarget => {
  if (!shift.weekly) throw new RangeError('a weekly-flexible shift without its target')
  return shift.weekly
}

/** A weekly-flexible day depends on its whole week, which begins or ends at most this many days away. */
export const weekSlackDays = 6

/**
 * The first and the last day of all weeks that a range overlaps. A run with weekly-flexible shifts covers whole weeks.
 */
export const wholeWeeks = (from: string, to: string, firstWeekday: number): { from: string; to: string } => ({
  from: dayName(weekStart(dayNumber(from), firstWeekday)),
  to: dayName(weekStart(dayNumber(to), firstWeekday) + 6),
})

/**
 * The weeks with a weekly-flexible day, by their first day. `days` are the days with a row. Omits a week whose flexible
 * days all lie outside employment, because no row could store its figures.
 */
export const flexibleWeeks = (
  schedule: readonly Entry[],
  days: Iterable<number>,
  firstWeekday: number,
  partDays: ReadonlySet<string>,
): ReadonlyMap<number, FlexibleWeek> => {
  const weeks = new Map<number, FlexibleWeek>()
  const begun = new Set(Array.from(days, day => weekStart(day, firstWeekday)))
  for (const [from, entries] of Map.groupBy(schedule, ({ day }) => weekStart(day, firstWeekday))) {
    if (!begun.has(from)) continue
    const flexible = entries.filter(({ shift }) => shift.kind === 'weekly')
    const [last] = flexible.sort((a, b) => b.day - a.day || (a.id < b.id ? -1 : 1))
    const scheduledDays = new Set(entries.map(({ day }) => day)).size
    if (last) weeks.set(from, { from, to: from + 6, scheduledDays, last, partDays })
  }
  return weeks
}

/** A scheduled day's share of the target in whole minutes. The last day takes the remainder. */
export const shareOf = (week: FlexibleWeek, { day, shift }: Entry): number => {
  const { targetMinutes } = targetOf(shift)
  const share = Math.floor(targetMinutes / week.scheduledDays)
  return day === week.last.day ? targetMinutes - share * (week.scheduledDays - 1) : share
}

/** The time between inner punches, in pairs. Marks these punches as `gap`. */
const countGaps = (groups: readonly Group[], uses: Use[]): number => {
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

/** Counts the time in pairs, less what the break is longer than the time between the pairs. */
const countPairs = (day: OpenDay, shift: Shift): void => {
  const { run, row, reasons } = day
  const { breakMinutes, breakThresholdMinutes } = targetOf(shift)
  const present = placePairs(day, shift.raisesException)
  const minutes = lengthOf(present)
  const between = present.length > 0 ? (present.at(-1)?.to ?? 0) - (present[0]?.from ?? 0) - minutes : 0
  const owed = Math.min(breakMinutes, Math.max(0, minutes + between - breakThresholdMinutes))
  row.breakMinutes = Math.min(minutes, Math.max(0, owed - between))
  const isOvertime = row.kind === 'holiday' && run.parameters.holidayWorkIsOvertime
  note(reasons, isOvertime ? 'holidayOvertime' : row.kind === 'holiday' ? 'holidayWork' : 'flexiblePresent', present)
  noteMinutes(reasons, isOvertime ? 'flexibleBreakOfOvertime' : 'flexibleBreak', row.breakMinutes)
  row[isOvertime ? 'overtimeMinutes' : 'workMinutes'] = minutes - row.breakMinutes
}

/**
 * Counts the time from the first to the last punch, less the longer of the break and the deducted gaps. The break never
 * exceeds the presence above its threshold. Applies to days of the shift, and to days without a shift in the same week.
 */
export const countPresence = (day: OpenDay, shift: Shift, inPairs = false): void => {
  const { run, row, groups, uses, reasons } = day
  const [first] = groups
  if (!first) return
  if (inPairs) {
    countPairs(day, shift)
    return
  }
  if (groups.length === 1) {
    placeLonePunch(day, first, true, shift.raisesException ?? true)
    return
  }
  const { breakMinutes, breakThresholdMinutes } = targetOf(shift)
  const { start, end } = placeEnds(day)
  const present = spanOf(start, end)
  row.breakMinutes = Math.min(breakMinutes, Math.max(0, lengthOf(present) - breakThresholdMinutes))
  const away = Math.max(row.breakMinutes, run.parameters.deductGaps ? countGaps(groups, uses) : 0)
  if (row.kind === 'holiday' && run.parameters.holidayWorkIsOvertime) {
    row.overtimeMinutes = lengthOf(present) - away
    note(reasons, 'holidayOvertime', present)
    noteMinutes(reasons, 'flexibleBreakOfOvertime', row.breakMinutes)
    noteMinutes(reasons, 'flexibleGapOfOvertime', away - row.breakMinutes)
  } else {
    row.workMinutes = lengthOf(present) - away
    note(reasons, row.kind === 'holiday' ? 'holidayWork' : 'flexiblePresent', present)
    noteMinutes(reasons, 'flexibleBreak', row.breakMinutes)
    noteMinutes(reasons, 'flexibleGap', away - row.breakMinutes)
  }
}

/**
 * A day's duty is its share of the target. Full leave takes the whole share, and part-day leave takes its minutes. If
 * the leaves exceed the share, the type that begins first counts first.
 */
const countLeave = ({ row, reasons }: OpenDay, share: number, leave: Leave): void => {
  row.dutyMinutes = share
  noteMinutes(reasons, 'dutyShare', share)
  for (const [type, minutes] of leave.types) {
    const counted = Math.min(leave.full ? share : minutes, share - row.leaveMinutes)
    if (counted <= 0) continue
    row.leaveTypes[type] = counted
    row.leaveMinutes += counted
    noteMinutes(reasons, 'flexibleLeave', counted)
  }
}

/** Judges a day of a weekly-flexible shift. `leave` counts every minute of the local date. */
export const judgeFlexibleDay = (day: OpenDay, shift: Shift, share: number, leave: Leave): void => {
  const { row, groups } = day
  if (row.kind !== 'holiday') {
    countLeave(day, share, leave)
    if (leave.full) row.kind = 'leave'
  }
  countPresence(day, row.kind === 'leave' ? { ...shift, raisesException: false } : shift)
  if (row.kind === 'leave' && groups.length > 0) raise(day, 'punchedOnLeave')
}

/**
 * The figures of a week. `rows` are the rows of its weekly-flexible days and of its days without a shift. `entries` are
 * the schedule of the flexible days. Holidays and days of full leave add no minutes to the target.
 */
export const judgeWeek = (
  week: FlexibleWeek,
  rows: readonly Row[],
  entries: readonly Entry[],
  settled: boolean,
): Week => {
  const targetDays = new Set(rows.filter(row => row.kind === 'flexible').map(row => row.day))
  // In half days, of which a day with a holiday of a part asks for one.
  let targets = 0
  for (const { day, shift } of entries) {
    const name = dayName(day)
    if (targetDays.has(name)) targets += targetOf(shift).targetMinutes * (week.partDays.has(name) ? 1 : 2)
  }
  let leave = 0
  let workMinutes = 0
  for (const row of rows) {
    if (row.kind === 'flexible') leave += row.leaveMinutes
    workMinutes += row.workMinutes
  }
  const targetMinutes = Math.max(0, Math.floor(targets / (2 * week.scheduledDays)) - leave)
  return {
    from: dayName(week.from),
    to: dayName(week.to),
    settled,
    targetMinutes,
    workMinutes,
    shortfallMinutes: settled ? Math.max(0, targetMinutes - workMinutes) : 0,
    overtimeMinutes: settled && targetOf(week.last.shift).overtimeCounts ? Math.max(0, workMinutes - targetMinutes) : 0,
  }
}
