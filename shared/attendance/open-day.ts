import { engineVersion } from './engine-version.ts'
import type { Group } from './punch.ts'
import { firstAt, lastAt } from './punch.ts'
import type { Reason } from './reason.ts'
import type { DayKind, Exception, Row, Use } from './row.ts'
import type { Run } from './run.ts'
import { stateOf } from './state.ts'

/** A day that is being judged: its punches, and the row that is filled in. */
export interface OpenDay {
  readonly run: Run
  readonly row: Row
  /** In time order. */
  readonly groups: readonly Group[]
  /** What became of each group. */
  readonly uses: Use[]
  /** The row's reasons, where they are asked for. */
  readonly reasons: Reason[] | undefined
}

interface OpenShift {
  readonly id: string
  readonly version: number
  readonly on: number
  readonly off: number
}

/** A day of which nothing is known yet but its punches and its last minute. */
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
  }
  return { run, row, groups, uses: [], reasons: run.withReasons ? row.reasons : undefined }
}

/** Raises an exception, unless more punches may come. */
export const raise = ({ row }: OpenDay, exception: Exception): void => {
  if (row.state !== 'pending' && !row.exceptions.includes(exception)) row.exceptions.push(exception)
}

/** First and last punch of a day with two or more, in minutes: the in with its first instant, the out with its last. */
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
