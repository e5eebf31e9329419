import type { Hash } from './hash.ts'
import { mixText } from './hash.ts'
import type { Choices, Input, Parameters } from './input.ts'
import { hashParameters } from './input-hash.ts'
import type { LeaveBook } from './leave.ts'
import { bookLeave } from './leave.ts'
import { minuteOf } from './punch.ts'
import type { Shift } from './shift.ts'
import type { Span } from './span.ts'
import { union } from './span.ts'
import { wallMinutes } from './wall-time.ts'

/** The data of all rows in one run. Instants are minutes since 1970; days are day numbers. */
export interface Run {
  readonly zone: string
  readonly parameters: Parameters
  readonly splitMinutes: number
  readonly asOf: number
  readonly uploadedTo: number
  readonly holidays: ReadonlySet<string>
  readonly choices: Choices
  readonly leaves: LeaveBook
  /** Approved overtime as one set of minutes. */
  readonly overtime: readonly Span[]
  readonly withReasons: boolean | 'minutes'
  readonly hash: Hash
}

/** A shift scheduled on a day. */
export interface Entry {
  readonly id: string
  readonly day: number
  readonly shift: Shift & { version: number }
}

/** The zone of a work day, given as a local date. */
export const zoneOn = ({ zone, choices }: Run, day: string): string =>
  choices.zones?.findLast(({ from }) => from <= day)?.zone ?? zone

export const startRun = (input: Input, withReasons: Run['withReasons']): Run => {
  const { zone, parameters, requests, choices = {} } = input
  const hash = hashParameters(zone, parameters)
  // A choice that is off leaves the hashes of stored rows as they are.
  if (choices.pairsWithoutShift) mixText(hash, 'pairs')
  const overtime = requests.flatMap(request =>
    request.kind === 'overtime' ? [{ from: minuteOf(request.from), to: minuteOf(request.to) }] : [],
  )
  return {
    zone,
    parameters,
    splitMinutes: wallMinutes(parameters.splitTime),
    asOf: minuteOf(input.asOf),
    uploadedTo: input.uploadedTo === undefined ? Number.NEGATIVE_INFINITY : minuteOf(input.uploadedTo),
    holidays: new Set(input.holidays),
    choices,
    leaves: bookLeave(requests),
    overtime: union(overtime),
    withReasons,
    hash,
  }
}
