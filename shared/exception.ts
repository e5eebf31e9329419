import type { Exception } from './attendance/row.ts'
import type { DayRow } from './day.ts'
import type { Key } from './table.ts'

/** Open until somebody says that it is as it should be, or until the day comes out without it. */
export const exceptionStates = ['open', 'accepted', 'settled'] as const
export type ExceptionState = (typeof exceptionStates)[number]

export const exceptionTypes = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Exception[]

/** What names an exception, whatever became of it: there is at most one of a type in a row of somebody's day. */
export interface ExceptionName extends Pick<DayRow, 'employee' | 'day' | 'shift'> {
  type: Exception
}

/** What a row shows that a person is to look at. Lateness and absence are figures, not exceptions. */
export interface RaisedException extends ExceptionName {
  state: ExceptionState
  /** As `exceptionMinutes` has them. */
  minutes: number
  /** The row's. */
  department: string
  /** When it came into this state. */
  at: string
  /** Who accepted it, and why, as they wrote. */
  acceptedBy?: string
  note?: string
  /** Of what is settled, in epoch seconds. */
  expiresAt?: number
}

/** What nobody has to look at any more is remembered for so long. */
export const settledDays = 92

export const exceptionPk = (state: ExceptionState) => `EXCEPTION#${state}`

/**
 * What is still to be looked at stands apart, however much was accepted in years; an exception has the same place in each
 * partition, in the order of the days, so that a list of several states reads them as one.
 */
export const exceptionKey = (
  state: ExceptionState,
  { day, employee, shift, type }: ExceptionName,
): Key<RaisedException> => ({ pk: exceptionPk(state), sk: `${day}#${employee}#${shift ?? '-'}#${type}` })

/**
 * How much time an exception is about: of a break what it was too long, on a leave what was worked, of a missing punch the duty
 * of which nobody can say how it was spent.
 */
export const exceptionMinutes = (row: DayRow, type: Exception): number => {
  if (type === 'longBreak') return row.longBreakMinutes
  if (type === 'punchedOnLeave') return row.workMinutes + row.overtimeMinutes
  const known = row.workMinutes + row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  return Math.max(0, row.dutyMinutes - known)
}
