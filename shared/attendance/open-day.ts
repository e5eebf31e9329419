import { engineVersion } from './engine-version.ts'
import type { Group } from './punch.ts'
import { firstAt, lastAt } from './punch.ts'
import type { Reason } from './reason.ts'
import type { DayKind, Exception, Row, Use } from './row.ts'
import type { Run } from './run.ts'
import { zoneOn } from './run.ts'
import { stateOf } from './state.ts'

/** A day during calculation: its punches, and the row to fill. */
export interface OpenDay {
  readonly run: Run
  readonly row: Row
  /** The groups in time order. */
  readonly groups: readonly Group[]
  /** The use of each group. */
  readonly uses: Use[]
  /** The row's reasons. Undefined if the caller requests none. */
  readonly reasons: Reason[] | undefined
}

interface OpenShift {
  readonly id: string
  readonly version: number
  readonly on: number
  readonly off: number
}

/** Starts a day from its punches and its last minute. All figures begin at 0. */
export const openDay = (
  run: Run,
  day: string,
  kind: DayKind,
  closes: number,
  groups: readonly Group[],
  shift?: OpenShift,
): OpenDay => {
  const row: Row = {
    day,
    shift: shift ? shift.id : null,
    shiftVersion: shift ? shift.version : null,
    zone: zoneOn(run, day),
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
  }
  return { run, row, groups, uses: [], reasons: run.withReasons ? row.reasons : undefined }
}

/** Raises an exception, unless the day is pending. */
export const raise = ({ row }: OpenDay, exception: Exception): void => {
  if (row.state !== 'pending' && !row.exceptions.includes(exception)) row.exceptions.push(exception)
}

/**
 * Records the first and the last punch of a day with two or more, and returns their minutes. The in uses the first
 * instant of its group, and the out the last. Throws a RangeError for a day without punches.
 */
export const placeEnds = ({ row, groups, uses }: OpenDay): { start: number; end: number } => {
  const first = groups[0]
  const last = groups.at(-1)
  if (!first || !last) throw new RangeError('a day without punches has no first and last')
  uses[0] = 'in'
  uses[groups.length - 1] = 'out'
  row.firstIn = firstAt(first)
  row.lastOut = lastAt(last)
  return { start: first.first, end: last.last }
}
