import type { Reason } from './reason.ts'

// The engine's result, which the server stores as plain JSON. Instants are ms since 1970 with the seconds of the
// record. Minutes are whole, unrounded and at least 0.

/** The working-time checks, in the order in which they are shown. They are judged after the calculation (`check/`). */
export const checkNames = ['overDailyMaximum', 'shortRest', 'breakOwed', 'overWeeklyAverage'] as const
export type CheckName = (typeof checkNames)[number]

/** Every condition that a manager must check. */
export const exceptionTypes = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave', ...checkNames] as const
export type Exception = (typeof exceptionTypes)[number]
export const isCheck = (type: Exception): type is CheckName => checkNames.some(name => name === type)

/** How a row uses a punch. `outside` and `otherShift` do not count in this row. */
export type Use =
  | 'in'
  | 'out'
  | 'handOver' // the in of this shift and the out of the previous shift
  | 'break' // inner punch in the time of a break
  | 'gap' // inner punch that bounds time away
  | 'inner' // inner punch that changes nothing
  | 'repeat' // forms one group with the previous punch
  | 'otherShift' // in this punch period, but counts for another shift
  | 'outside' // in no shift's punch period

/** Whether a row only shows a punch: another shift counts it, or none. */
export const isElsewhere = ({ use }: { use: Use }): boolean => use === 'otherShift' || use === 'outside'

export interface UsedPunch {
  at: number
  key: string
  use: Use
}

/**
 * The figures of a weekly-flexible week, on the row of its last scheduled day. Shortfall and overtime are 0 until the
 * week settles.
 */
export interface Week {
  from: string
  to: string
  settled: boolean
  targetMinutes: number
  workMinutes: number
  shortfallMinutes: number
  overtimeMinutes: number
}

/**
 * `holiday` with or without a shift; `flexible` also for days without a shift in a weekly-flexible week; `rest` for
 * other days without a shift.
 */
export type DayKind = 'work' | 'leave' | 'holiday' | 'rest' | 'flexible'

export interface Row {
  /** The work day: the local date of the shift's on duty. */
  day: string
  /** Null for work on a day without a shift. */
  shift: string | null
  shiftVersion: number | null
  zone: string
  kind: DayKind
  /** Pending: further punches may arrive. Provisional: absence shows, but a terminal may still hold punches. */
  state: 'pending' | 'provisional' | 'final'
  /** The instant of the last minute of the day's punch period. Approved overtime can extend the period. */
  closesAt: number
  /** The scheduled duty. Null without clock times. */
  dutyFrom: number | null
  dutyTo: number | null
  firstIn: number | null
  lastOut: number | null
  dutyMinutes: number
  workMinutes: number
  lateMinutes: number
  earlyLeaveMinutes: number
  absentMinutes: number
  leaveMinutes: number
  overtimeMinutes: number
  /** The minutes deducted for breaks. */
  breakMinutes: number
  /** Punched break time beyond the break's duration, for the exception `longBreak`. */
  longBreakMinutes: number
  /** Leave minutes by leave type. */
  leaveTypes: Record<string, number>
  exceptions: Exception[]
  week?: Week
  /** Used and dropped punches; empty without reasons. */
  punches: UsedPunch[]
  /** The rule behind each minute. Empty without reasons. */
  reasons: Reason[]
  /** Equal input has an equal hash, so an unchanged row needs no write. */
  inputHash: string
  engineVersion: number
  parametersVersion: number
}
