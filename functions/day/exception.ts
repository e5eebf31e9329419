import { exceptionTypes } from '../../shared/attendance/row.ts'
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

const raisedBy = (row: DayRow, state: ExceptionState): RaisedException[] =>
  [...new Set(row.exceptions)].map(type => ({
    ...nameOf(row, type),
    ...{ state, minutes: exceptionMinutes(row, type), department: row.department, at: row.calculatedAt },
  }))

/** The writes that remove all exceptions of a row, also those that the row no longer raises. */
export const removeExceptions = (table: Table, row: DayRow): Write[] =>
  exceptionTypes.flatMap(type => exceptionStates.map(state => table.remove(exceptionKey(state, nameOf(row, type)))))

/**
 * The writes that keep a row's exceptions in step with it, at most three for each type. An unchanged exception keeps
 * its state, because a manager may have accepted it. Changed minutes or another department open it again. An exception
 * that the row lost becomes settled, with the row's cause. A removed row removes the exceptions that it raises, in all
 * states.
 */
export const exceptionWrites = (table: Table, before: DayRow | undefined, after: DayRow | undefined): Write[] => {
  const previous = before ? raisedBy(before, 'open') : []
  const current = after ? raisedBy(after, 'open') : []
  const find = (list: RaisedException[], exception: RaisedException) => list.find(({ type }) => type === exception.type)
  const place = (exception: RaisedException): Write[] => [
    table.put(exceptionKey(exception.state, exception), exception),
    // A new row has no exceptions in other states.
    ...(before ? clear(exception, exception.state) : []),
  ]
  const clear = (name: ExceptionName, kept?: ExceptionState): Write[] =>
    exceptionStates.filter(state => state !== kept).map(state => table.remove(exceptionKey(state, name)))
  const isSame = (exception: RaisedException, other: RaisedException | undefined) =>
    exception.minutes === other?.minutes && exception.department === other.department

  const raised = current.filter(exception => !isSame(exception, find(previous, exception))).flatMap(place)
  if (before && !after) return previous.flatMap(exception => clear(exception))
  const at = after?.calculatedAt ?? ''
  const expiresAt = Math.floor(Date.parse(at) / 1000) + settledDays * 24 * 3600
  const settling = { state: 'settled', at, expiresAt, ...(after && { cause: after.cause.kind }) } as const
  const gone = previous.filter(exception => !find(current, exception))
  return [...raised, ...gone.flatMap(exception => place({ ...exception, ...settling }))]
}
