import type { Row } from './row.ts'
import type { Shift } from './shift.ts'

// What one run of the engine is given: one employee, a range of work days, and everything on record around it. Instants
// are ms since 1970, days local dates `YYYY-MM-DD` of the company's zone.

export interface Punch {
  at: number
  /** Names the record, so that one sent twice is one. */
  key: string
  /** What the terminal's in/out key said; read only where the company trusts it. */
  state?: 'in' | 'out'
}

/** An approved request. Leave is for whole work days (both count) or from one instant to another; overtime is the latter. */
export type Request =
  | { kind: 'leave'; leaveType: string | number; fromDay: string; toDay: string }
  | { kind: 'leave'; leaveType: string | number; from: number; to: number }
  | { kind: 'overtime'; from: number; to: number }

export interface Parameters {
  version: number
  /** Punches less than this after the first of a group are repeats of it. */
  bounceSeconds: number
  /** Inner punches outside breaks, two by two, are time away. */
  deductGaps: boolean
  /** A lone punch is an in or an out as the terminal's key says. */
  trustDeviceState: boolean
  /** `HH:MM` at which the local date of work without a fixed shift begins. */
  splitTime: string
  restDayWorkIsOvertime: boolean
  holidayWorkIsOvertime: boolean
  /** Overtime of a day below this is none; 0 = no minimum. */
  minimumOvertimeMinutes: number
  /** Overtime of a day above this is cut; 0 = no maximum. */
  maximumOvertimeMinutes: number
  /** Overtime counts only once the day's duty has been worked. */
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
  /** First and last work day asked for. */
  from: string
  to: string
  /** Moment of the calculation. */
  asOf: number
  /** Hire and end date; both count. */
  employee: { hireDay?: string; endDay?: string }
  /** By id. A shift is not changed once given: what it compiles to is kept with the object. */
  shifts: Record<string, Shift & { version: number }>
  /** The scheduled shifts of the days asked for and of `marginDays` before and after them. */
  schedule: { day: string; shift: string }[]
  /** In any order, of the same days. */
  punches: Punch[]
  /** Approved leave and overtime that touches those days. */
  requests: Request[]
  /** Company holidays. */
  holidays: string[]
  parameters: Parameters
  /**
   * The days up to and with `to` are locked: whatever comes out for them, `rows` are what they hold. A week they share with later
   * days is judged with these.
   */
  locked?: { to: string; rows: readonly Row[] }
  /** Every terminal of the employee's departments has uploaded up to here. */
  uploadedTo?: number
}
