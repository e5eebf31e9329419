import type { DayRow } from '../../shared/day.ts'
import {
  type ExceptionName,
  type ExceptionState,
  exceptionKey,
  exceptionMinutes,
  exceptionStates,
  type RaisedException,
  settledDays,
} from '../../shared/exception.ts'
import type { Table, Write } from '../kit/table.ts'

const nameOf = ({ employee, day, shift }: DayRow, type: ExceptionName['type']): ExceptionName => ({
  ...{ employee, day, shift, type },
})

/** As a row raises them. */
const raisedBy = (row: DayRow, state: ExceptionState): RaisedException[] =>
  [...new Set(row.exceptions)].map(type => ({
    ...nameOf(row, type),
    ...{ state, minutes: exceptionMinutes(row, type), department: row.department, at: row.calculatedAt },
  }))

/**
 * What is to be written beside a row, in one save with it, so that its exceptions are those the row has. One that stays as it
 * was is left alone: it may have been accepted. One of other minutes, or of another department, is open again, for nobody has
 * accepted that. One the row has no longer is settled by whatever changed the row; a row that goes takes its exceptions along.
 * At most three writes for each type.
 */
export const exceptionWrites = (table: Table, before: DayRow | undefined, after: DayRow | undefined): Write[] => {
  const old = before ? raisedBy(before, 'open') : []
  const now = after ? raisedBy(after, 'open') : []
  const find = (list: RaisedException[], one: RaisedException) => list.find(({ type }) => type === one.type)
  const place = (exception: RaisedException): Write[] => [
    table.put(exceptionKey(exception.state, exception), exception),
    // A row that is new has left nothing anywhere.
    ...(before ? clear(exception, exception.state) : []),
  ]
  const clear = (name: ExceptionName, but?: ExceptionState): Write[] =>
    exceptionStates.filter(state => state !== but).map(state => table.remove(exceptionKey(state, name)))
  const isSame = (one: RaisedException, other: RaisedException | undefined) =>
    one.minutes === other?.minutes && one.department === other.department

  const raised = now.filter(one => !isSame(one, find(old, one))).flatMap(place)
  if (before && !after) return old.flatMap(one => clear(one))
  const at = after?.calculatedAt ?? ''
  const expiresAt = Math.floor(Date.parse(at) / 1000) + settledDays * 24 * 3600
  const settling = { state: 'settled', at, expiresAt, ...(after && { cause: after.cause.kind }) } as const
  const gone = old.filter(one => !find(now, one))
  return [...raised, ...gone.flatMap(one => place({ ...one, ...settling }))]
}
