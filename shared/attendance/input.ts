import type { Employments } from './employment.ts'
import type { Row } from './row.ts'
import type { Shift } from './shift.ts'

// The input of one engine run: one employee, a range of work days, and all records around it. Instants are ms since
// 1970; days are local dates `YYYY-MM-DD` in the company's zone.

export interface Punch {
  at: number
  /** Identifies the record, so that a record sent twice counts once. */
  key: string
  /** The terminal's in/out key. The engine uses it only if the company trusts it. */
  state?: 'in' | 'out'
}

/**
 * An approved request. Leave covers whole work days (both included) or the time between two instants. Overtime covers
 * the time between two instants.
 */
export type Request =
  | { kind: 'leave'; leaveType: string | number; fromDay: string; toDay: string }
  | { kind: 'leave'; leaveType: string | number; from: number; to: number }
  | { kind: 'overtime'; from: number; to: number }

export interface Parameters {
  version: number
  /** A punch less than this after the first of a group repeats that punch. */
  bounceSeconds: number
  /** Inner punches outside breaks count in pairs as time away. */
  deductGaps: boolean
  /** The terminal's in/out key decides whether a lone punch is an in or an out. */
  trustDeviceState: boolean
  /** `HH:MM` at which the local date begins for work without a fixed shift. */
  splitTime: string
  restDayWorkIsOvertime: boolean
  holidayWorkIsOvertime: boolean
  /** Daily overtime below this does not count; 0 = no minimum. */
  minimumOvertimeMinutes: number
  /** Daily overtime above this is cut; 0 = no maximum. */
  maximumOvertimeMinutes: number
  /** Overtime counts only after the employee has worked the day's duty. */
  fullDutyFirst: boolean
  /** 0 Sunday … 6 Saturday. */
  firstWeekday: number
}

export const defaultParameters: Parameters = {
  version: 0,
  bounceSeconds: 60,
  deductGaps: false,
  trustDeviceState: false,
  splitTime: '00:00',
  restDayWorkIsOvertime: true,
  holidayWorkIsOvertime: true,
  minimumOvertimeMinutes: 0,
  maximumOvertimeMinutes: 0,
  fullDutyFirst: false,
  firstWeekday: 1,
}

export interface Input {
  zone: string
  /** First and last requested work day. */
  from: string
  to: string
  /** Moment of the calculation. */
  asOf: number
  employee: Employments
  /** Shifts by id. Do not change a shift object: the engine caches its compiled form with it. */
  shifts: Record<string, Shift & { version: number }>
  /** The scheduled shifts of the requested days and of `marginDays` before and after them. */
  schedule: { day: string; shift: string }[]
  /** Punches of the same days, in any order. */
  punches: Punch[]
  /** Approved leave and overtime that touches those days. */
  requests: Request[]
  /** Company holidays. */
  holidays: string[]
  parameters: Parameters
  /**
   * The days up to and including `to` are locked. They keep their stored `rows`, whatever the run computes. A week they
   * share with later days is judged with these rows.
   */
  locked?: { to: string; rows: readonly Row[] }
  /** Every terminal of the employee's departments has uploaded its punches up to this instant. */
  uploadedTo?: number
}
