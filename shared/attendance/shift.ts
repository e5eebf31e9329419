import { dayNumber } from './calendar.ts'
import { readWallTime, wallMinutes } from './wall-time.ts'
import { dayStart, instantOf, isSkipped } from './zone.ts'

// The shape of a shift and its validation. The browser form, the API and the engine share this code. The engine accepts
// even an invalid shift.

/**
 * Overtime outside the duty time. A part longer than `afterMinutes` counts in full. A shorter or equal part does not
 * count.
 */
export interface OvertimeRule {
  counts: boolean
  afterMinutes: number
}

export interface Break {
  start: string
  end: string
  durationMinutes: number
  /** Automatic deduction applies above this many credited minutes; 0 means always. */
  thresholdMinutes: number
}

/** The weekly target of a weekly-flexible shift, which replaces clock times. */
export interface WeeklyTarget {
  targetMinutes: number
  breakMinutes: number
  breakThresholdMinutes: number
  /** Minutes above the week's target count as overtime. */
  overtimeCounts: boolean
}

/** Times are wall times: `HH:MM` on the work day, `HH:MM+1` on the next date and `HH:MM-1` on the previous date. */
export interface Shift {
  /**
   * Absent means fixed. For a weekly-flexible shift the engine reads `weekly` and ignores clock times and tolerances.
   */
  kind?: 'fixed' | 'weekly'
  onDuty: string
  offDuty: string
  punchStart: string
  punchEnd: string
  allowedLateMinutes: number
  allowedEarlyMinutes: number
  /** How an in punch without an out punch counts: 0 exception, 1 early leave, 2 absent. */
  noClockOut: 0 | 1 | 2
  earlyInOvertime: OvertimeRule
  lateOutOvertime: OvertimeRule
  breaks: Break[]
  /** Whether a missing punch raises an exception. Absent means yes. */
  raisesException?: boolean
  weekly?: WeeklyTarget
}

export interface ShiftFault {
  field: string
  code: 59021 | 59022 | 59023 | 10002
}

const isCount = (value: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  Number.isInteger(value) && value >= minimum && value <= maximum

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

/** The longest duty, and the longest punch period. So at most two periods of a daily shift share a minute. */
export const [mostDutyMinutes, mostPeriodMinutes] = [1440, 2160] as const

/**
 * The faults of a shift by field (`offDuty`, `breaks.0.end`); empty for a valid shift. Three checks have their own
 * codes of the error catalogue. All other faults are 10002. Times compare in minutes of the day plus the offset of the
 * date.
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
  // Comparisons with an unreadable time (NaN) are false, so each wrong field has one fault.
  if (on < 0 || on >= 1440) refuse('onDuty')
  if (start >= on) refuse('punchStart', 59023)
  if (on >= off) refuse('offDuty', 59022)
  else if (off - on > mostDutyMinutes) refuse('offDuty')
  if (off >= end) refuse('punchEnd', 59021)
  else if (end - start > mostPeriodMinutes) refuse('punchEnd')

  // If the duty time is wrong, skips checks against the duty time.
  const duty = off > on ? off - on : Number.POSITIVE_INFINITY
  if (!isCount(shift.allowedLateMinutes) || shift.allowedLateMinutes >= duty) refuse('allowedLateMinutes')
  if (!isCount(shift.allowedEarlyMinutes) || shift.allowedEarlyMinutes >= duty) refuse('allowedEarlyMinutes')
  if (![0, 1, 2].includes(shift.noClockOut)) refuse('noClockOut')
  if (!isCount(shift.earlyInOvertime.afterMinutes, 0, 1440)) refuse('earlyInOvertime.afterMinutes')
  if (!isCount(shift.lateOutOvertime.afterMinutes, 0, 1440)) refuse('lateOutOvertime.afterMinutes')

  const spans = shift.breaks.map((pause, index) => {
    const from = read(`breaks.${index}.start`, pause.start)
    const to = read(`breaks.${index}.end`, pause.end)
    if (off > on && from < on) refuse(`breaks.${index}.start`)
    if (to <= from || (off > on && to > off)) refuse(`breaks.${index}.end`)
    if (!isCount(pause.durationMinutes, 1) || pause.durationMinutes > to - from)
      refuse(`breaks.${index}.durationMinutes`)
    if (!isCount(pause.thresholdMinutes, 0, 1440)) refuse(`breaks.${index}.thresholdMinutes`)
    return { from, to }
  })
  spans.forEach(({ from, to }, index) => {
    if (spans.slice(0, index).some(other => from < other.to && other.from < to)) refuse(`breaks.${index}.start`)
  })
  return faults
}

/** The parts of a shift that define its duty time. */
export type Duty = Pick<Shift, 'kind' | 'onDuty' | 'offDuty'>

/**
 * The duty time of a shift on a work day, in ms. The schedule compares duty times (59031). A weekly-flexible shift has
 * no clock times and takes the whole local date.
 */
export const dutyInterval = (zone: string, day: string, shift: Duty): [startMs: number, endMs: number] => {
  const number = dayNumber(day)
  const [from, to] =
    shift.kind === 'weekly'
      ? [dayStart(zone, number), dayStart(zone, number + 1)]
      : [
          instantOf(zone, number * 1440 + wallMinutes(shift.onDuty)),
          instantOf(zone, number * 1440 + wallMinutes(shift.offDuty)),
        ]
  return [from * 60_000, to * 60_000]
}

export interface ScheduledShift {
  day: string
  shift: Duty
}

/**
 * The conflicting pairs (59031) of one employee's scheduled entries: entries with overlapping duty times. Adjacent duty
 * times and overlapping punch periods are allowed. A weekly-flexible day conflicts only with another entry of its own
 * date, because a night shift may end in it. A date that the zone skipped has no duty.
 */
export const conflicts = <E extends ScheduledShift>(zone: string, entries: readonly E[]): [E, E][] => {
  const placed = entries
    .filter(({ day }) => !isSkipped(zone, dayNumber(day)))
    .map(entry => ({ entry, interval: dutyInterval(zone, entry.day, entry.shift) }))
    .sort((a, b) => a.interval[0] - b.interval[0])
  const pairs: [E, E][] = []
  placed.forEach((a, index) => {
    for (const b of placed.slice(index + 1)) {
      if (b.interval[0] >= a.interval[1]) break
      const flexible = a.entry.shift.kind === 'weekly' || b.entry.shift.kind === 'weekly'
      if (!flexible || a.entry.day === b.entry.day) pairs.push([a.entry, b.entry])
    }
  })
  return pairs
}
