import { engineVersion } from './engine-version.ts'
import type { Hash } from './hash.ts'
import type { Parameters } from './input.ts'
import type { LeaveBook } from './leave.ts'
import type { DayKind, Exception, Row } from './row.ts'
import type { Span } from './span.ts'
import { stateOf } from './state.ts'

/** What all rows of one run share. Minutes since 1970, days counted. */
export interface Run {
  readonly zone: string
  readonly parameters: Parameters
  readonly splitMinutes: number
  readonly asOf: number
  readonly uploadedTo: number
  readonly isHoliday: (dayName: string) => boolean
  readonly leaves: LeaveBook
  /** Approved overtime as one set. */
  readonly overtime: readonly Span[]
  readonly withReasons: boolean
  readonly hash: Hash
}

/** A row before anything is known of the day but when it closes. */
export const openRow = (
  run: Run,
  day: string,
  kind: DayKind,
  closes: number,
  shift: { id: string; version: number; on: number; off: number } | undefined,
): Row => ({
  day,
  shift: shift ? shift.id : null,
  shiftVersion: shift ? shift.version : null,
  zone: run.zone,
  kind,
  state: stateOf(closes, run.asOf, run.uploadedTo),
  closesAt: closes * 60_000,
  dutyFrom: shift ? shift.on * 60_000 : null,
  dutyTo: shift ? shift.off * 60_000 : null,
  firstIn: null,
  lastOut: null,
  dutyMinutes: 0,
  workMinutes: 0,
  lateMinutes: 0,
  earlyLeaveMinutes: 0,
  absentMinutes: 0,
  leaveMinutes: 0,
  overtimeMinutes: 0,
  breakMinutes: 0,
  longBreakMinutes: 0,
  leaveTypes: {},
  exceptions: [],
  punches: [],
  reasons: [],
  inputHash: '',
  engineVersion,
  parametersVersion: run.parameters.version,
})

/** Raises an exception, unless the day may still bring the punch that settles it. */
export const raise = (row: Row, exception: Exception): void => {
  if (row.state !== 'pending' && !row.exceptions.includes(exception)) row.exceptions.push(exception)
}
