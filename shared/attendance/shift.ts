import { dayNumber } from './calendar.ts'
import { readWallTime, wallMinutes } from './wall-time.ts'
import { dayStart, instantOf, isSkipped } from './zone.ts'

// What a shift is, and when one is sound. The browser form, the API and the engine read the same lines; the engine itself
// takes any shift.

/** Overtime outside the duty time: a part longer than `afterMinutes` counts in full, anything else not at all. */
export interface OvertimeRule {
  counts: boolean
  afterMinutes: number
}

export interface Break {
  start: string
  end: string
  durationMinutes: number
  /** Credited minutes that must be exceeded before the break comes off by itself; 0 = always. */
  thresholdMinutes: number
}

/** What a weekly-flexible shift asks for instead of clock times. */
export interface WeeklyTarget {
  targetMinutes: number
  breakMinutes: number
  breakThresholdMinutes: number
  /** Minutes above the week's target are overtime. */
  overtimeCounts: boolean
}

/** Times are wall times: `HH:MM` on the work day, `HH:MM+1` and `HH:MM-1` on the dates beside it. */
export interface Shift {
  /** Absent: fixed. A weekly-flexible shift is described by `weekly`; its clock times and tolerances are not read. */
  kind?: 'fixed' | 'weekly'
  onDuty: string
  offDuty: string
  punchStart: string
  punchEnd: string
  allowedLateMinutes: number
  allowedEarlyMinutes: number
  /** What an in-punch without an out-punch is: 0 exception, 1 early leave, 2 absent. */
  noClockOut: 0 | 1 | 2
  earlyInOvertime: OvertimeRule
  lateOutOvertime: OvertimeRule
  breaks: Break[]
  /** Whether a missing punch is raised as an exception. Absent: yes. */
  raisesException?: boolean
  weekly?: WeeklyTarget
}

export interface ShiftFault {
  field: string
  code: 59021 | 59022 | 59023 | 10002
}

const isCount = (value: number, least = 0, most = Number.MAX_SAFE_INTEGER) =>
  Number.isInteger(value) && value >= least && value <= most

const weeklyFaults = (weekly: WeeklyTarget | undefined): ShiftFault[] => {
  const faults: ShiftFault[] = []
  const refuse = (field: string) => faults.push({ field, code: 10002 })
  if (!weekly) refuse('weekly')
  else {
    if (!isCount(weekly.targetMinutes, 1, 7 * 1440)) refuse('weekly.targetMinutes')
    if (!isCount(weekly.breakMinutes, 0, 1440)) refuse('weekly.breakMinutes')
    if (!isCount(weekly.breakThresholdMinutes, 0, 1440)) refuse('weekly.breakThresholdMinutes')
  }
  return faults
}

/**
 * Every fault of a shift, field by field (`offDuty`, `breaks.0.end`); none where it is sound. The three checks of the
 * catalogue have their own codes, every other bound is 10002. Times are compared unrolled: minutes of the day plus the
 * date's offset.
 */
export const validateShift = (shift: Shift): ShiftFault[] => {
  if (shift.kind === 'weekly') return weeklyFaults(shift.weekly)
  const faults: ShiftFault[] = []
  const refuse = (field: string, code: ShiftFault['code'] = 10002) => faults.push({ field, code })
  const read = (field: string, text: string) => {
    const minutes = readWallTime(text)
    if (minutes === undefined) refuse(field)
    return minutes ?? Number.NaN
  }
  const on = read('onDuty', shift.onDuty)
  const off = read('offDuty', shift.offDuty)
  const start = read('punchStart', shift.punchStart)
  const end = read('punchEnd', shift.punchEnd)
  // Comparisons with an unreadable time are false, so one wrong field is reported once.
  if (on < 0 || on >= 1440) refuse('onDuty')
  if (start >= on) refuse('punchStart', 59023)
  if (on >= off) refuse('offDuty', 59022)
  if (off >= end) refuse('punchEnd', 59021)
  else if (end - start > 1440) refuse('punchEnd')

  // Where duty itself is wrong, nothing is measured by it.
  const duty = off > on ? off - on : Number.POSITIVE_INFINITY
  if (!isCount(shift.allowedLateMinutes) || shift.allowedLateMinutes >= duty) refuse('allowedLateMinutes')
  if (!isCount(shift.allowedEarlyMinutes) || shift.allowedEarlyMinutes >= duty) refuse('allowedEarlyMinutes')
  if (![0, 1, 2].includes(shift.noClockOut)) refuse('noClockOut')
  if (!isCount(shift.earlyInOvertime.afterMinutes, 0, 1440)) refuse('earlyInOvertime.afterMinutes')
  if (!isCount(shift.lateOutOvertime.afterMinutes, 0, 1440)) refuse('lateOutOvertime.afterMinutes')

  const spans = shift.breaks.map((rest, index) => {
    const from = read(`breaks.${index}.start`, rest.start)
    const to = read(`breaks.${index}.end`, rest.end)
    if (off > on && from < on) refuse(`breaks.${index}.start`)
    if (to <= from || (off > on && to > off)) refuse(`breaks.${index}.end`)
    if (!isCount(rest.durationMinutes, 1) || rest.durationMinutes > to - from) refuse(`breaks.${index}.durationMinutes`)
    if (!isCount(rest.thresholdMinutes, 0, 1440)) refuse(`breaks.${index}.thresholdMinutes`)
    return { from, to }
  })
  spans.forEach(({ from, to }, index) => {
    if (spans.slice(0, index).some(other => from < other.to && other.from < to)) refuse(`breaks.${index}.start`)
  })
  return faults
}

/** What of a shift says when it is on duty. */
export type Duty = Pick<Shift, 'kind' | 'onDuty' | 'offDuty'>

/**
 * When a shift is on duty on a work day, in ms: what the schedule compares (59031). A weekly-flexible shift has no clock
 * times and takes the whole local date.
 */
export const dutyInterval = (zone: string, day: string, shift: Duty): [startMs: number, endMs: number] => {
  const work = dayNumber(day)
  const [from, to] =
    shift.kind === 'weekly'
      ? [dayStart(zone, work), dayStart(zone, work + 1)]
      : [
          instantOf(zone, work * 1440 + wallMinutes(shift.onDuty)),
          instantOf(zone, work * 1440 + wallMinutes(shift.offDuty)),
        ]
  return [from * 60_000, to * 60_000]
}

export interface ScheduledShift {
  day: string
  shift: Duty
}

/**
 * Pairs of one employee's scheduled entries that cannot both stand (59031), as their places in the list: duty times that
 * intersect (touching is allowed, punch periods may overlap). A weekly-flexible day only refuses a second entry of its
 * own date: a night shift may end in it. On a date the zone skipped nobody is on duty.
 */
export const conflicts = <E extends ScheduledShift>(zone: string, entries: readonly E[]): [E, E][] => {
  const placed = entries
    .filter(({ day }) => !isSkipped(zone, dayNumber(day)))
    .map(entry => ({ entry, interval: dutyInterval(zone, entry.day, entry.shift) }))
    .sort((a, b) => a.interval[0] - b.interval[0])
  const found: [E, E][] = []
  placed.forEach((a, index) => {
    for (const b of placed.slice(index + 1)) {
      if (b.interval[0] >= a.interval[1]) break
      const flexible = a.entry.shift.kind === 'weekly' || b.entry.shift.kind === 'weekly'
      if (!flexible || a.entry.day === b.entry.day) found.push([a.entry, b.entry])
    }
  })
  return found
}
