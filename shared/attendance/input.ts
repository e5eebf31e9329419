import type { Employments } from './employment.ts'
import type { PartHoliday } from './part-holiday.ts'
import type { Row } from './row.ts'
import type { Shift } from './shift.ts'

// The input of one engine run: one employee, a range of work days, and all records around the range. Instants are ms
// since 1970; days are local dates `YYYY-MM-DD` in the company's zone.

export interface Punch {
  at: number
  /** Identifies the record. A record that the terminal sent twice counts once. */
  key: string
  /** The in/out key on the terminal. The engine uses it only if the company trusts the key. */
  state?: 'in' | 'out'
}

/**
 * An approved request. Leave covers whole work days, first and last included, or the time between two instants.
 * Overtime covers the time between two instants.
 */
export type Request =
  | { kind: 'leave'; leaveType: string | number; fromDay: string; toDay: string }
  | { kind: 'leave'; leaveType: string | number; from: number; to: number }
  | { kind: 'overtime'; from: number; to: number }

export interface Parameters {
  version: number
  /** A punch repeats the first punch of a group if it follows within less than these seconds. */
  bounceSeconds: number
  /** Inner punches outside breaks count in pairs as time away. */
  deductGaps: boolean
  /** The terminal's in/out key decides whether a lone punch is an in or an out. */
  trustDeviceState: boolean
  /** The time `HH:MM` at which the local date begins for work without a fixed shift. */
  splitTime: string
  restDayWorkIsOvertime: boolean
  holidayWorkIsOvertime: boolean
  /** Daily overtime below this minimum does not count; 0 = no minimum. */
  minimumOvertimeMinutes: number
  /** Daily overtime above this maximum does not count; 0 = no maximum. */
  maximumOvertimeMinutes: number
  /** Overtime counts only after the employee has worked the day's duty. */
  fullDutyFirst: boolean
  /** 0 is Sunday, 6 is Saturday. */
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

/** Rules that change figures. Each is off until a company chooses it. */
export interface Choices {
  /** `clock`: a holiday frees the minutes of its date, whichever work day they belong to. */
  holidayBy?: 'clock'
  /** Holidays of a part of a date. */
  partHolidays?: readonly PartHoliday[]
  /** Days without a shift count punches in pairs, also across midnight. */
  pairsWithoutShift?: true
  /** From a day on, the person's work days are in another zone. Ordered by day. */
  zones?: readonly { from: string; zone: string }[]
}

export interface Input {
  zone: string
  /** The first and the last requested work day. */
  from: string
  to: string
  /** The moment of the calculation. */
  asOf: number
  employee: Employments
  /** Shifts by id. Do not change a shift object, because the engine caches the compiled form with the object. */
  shifts: Record<string, Shift & { version: number }>
  /** The scheduled shifts of the requested days and of `marginDays` before and after them. */
  schedule: { day: string; shift: string }[]
  /** Punches of the same days, in any order. */
  punches: Punch[]
  /** Approved leave and overtime on those days. */
  requests: Request[]
  /** The days of the company's holidays. */
  holidays: string[]
  parameters: Parameters
  /** Absent: all choices are off. */
  choices?: Choices
  /**
   * The days up to and including `to` are locked and keep their stored `rows`. A week that also contains later days
   * uses the stored rows of its locked days.
   */
  locked?: { to: string; rows: readonly Row[] }
  /** Every terminal of the employee's departments has uploaded its punches up to this instant. */
  uploadedTo?: number
}
