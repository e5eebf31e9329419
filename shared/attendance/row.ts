import type { Reason } from './reason.ts'

// What the engine answers: plain JSON, stored as it stands. Instants are ms since 1970 with the seconds of the record,
// minutes are whole, never negative and never rounded.

/** Raised for a person to look at. */
export type Exception = 'missingIn' | 'missingOut' | 'longBreak' | 'punchedOnLeave'

/** What became of a punch. `outside` and `otherShift` are not counted in this row. */
export type Use =
  | 'in'
  | 'out'
  | 'handOver' // the in of this shift and the out of the one before it
  | 'break' // inner punch in the time of a break
  | 'gap' // inner punch that bounds time away
  | 'inner' // inner punch that changes nothing
  | 'repeat' // counted as one with the punch before it
  | 'otherShift' // in this punch period, but counted for another shift
  | 'outside' // in no shift's punch period

export interface UsedPunch {
  at: number
  key: string
  use: Use
}

/** Figures of a weekly-flexible week, on the row of its last scheduled day. Shortfall and overtime are 0 until settled. */
export interface Week {
  from: string
  to: string
  settled: boolean
  targetMinutes: number
  workMinutes: number
  shortfallMinutes: number
  overtimeMinutes: number
}

/** `holiday` whoever is scheduled, `flexible` also without a shift in a weekly-flexible week, `rest` without a shift elsewhere. */
export type DayKind = 'work' | 'leave' | 'holiday' | 'rest' | 'flexible'

export interface Row {
  /** Work day: the local date of the shift's duty-on. */
  day: string
  /** Null: work on a day without a shift. */
  shift: string | null
  shiftVersion: number | null
  zone: string
  kind: DayKind
  /** Pending: more punches may come. Provisional: absent is true, but a terminal may still hold punches. */
  state: 'pending' | 'provisional' | 'final'
  /** Last minute at which a punch belongs to the day, its punch end as extended by overtime. */
  closesAt: number
  /** Scheduled duty; null without clock times. */
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
  /** Taken off for breaks. */
  breakMinutes: number
  /** Punched break beyond its duration: the exception's difference. */
  longBreakMinutes: number
  /** Leave minutes by leave type. */
  leaveTypes: Record<string, number>
  exceptions: Exception[]
  week?: Week
  /** Punches used and dropped; empty without reasons. */
  punches: UsedPunch[]
  /** The rule that gave each minute; empty without reasons. */
  reasons: Reason[]
  /** Equal for equal input: the row need not be written again. */
  inputHash: string
  engineVersion: number
  parametersVersion: number
}
