import * as z from 'zod'
import type { Exception } from './attendance/row.ts'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, minutes, text } from './contract.ts'
import type { CalculatedRow, Cause, DayRow } from './day.ts'
import type { Key } from './table.ts'

/** Open until a manager accepts the exception. Settled when a recalculation of the day no longer raises it. */
export const exceptionStates = ['open', 'accepted', 'settled'] as const
export type ExceptionState = (typeof exceptionStates)[number]

export const exceptionTypes = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Exception[]

/** Identifies an exception in any state. A row of an employee's day has at most one exception per type. */
export interface ExceptionName extends Pick<DayRow, 'employee' | 'day' | 'shift'> {
  type: Exception
}

/** A condition of a row that a manager must check. Lateness and absence are figures, not exceptions. */
export interface RaisedException extends ExceptionName {
  state: ExceptionState
  /** The minutes of the exception, from `exceptionMinutes`. */
  minutes: number
  /** The department of the row. */
  department: string
  /** When the exception entered this state. */
  at: string
  /** The manager who accepted the exception, and their note. */
  acceptedBy?: string
  note?: string
  /** Only for a settled exception: the cause of the recalculation, and the expiry in epoch seconds. */
  cause?: Cause['kind']
  expiresAt?: number
}

/** Days for which the server keeps settled exceptions. */
export const settledDays = 92

/** The audit records that a manager accepted or reopened an exception, under the employee's id. */
const audited: Audited<RaisedException> = {
  noun: 'exception',
  id: ({ employee }) => employee,
  name: () => '',
}

export const exceptionPk = (state: ExceptionState) => `EXCEPTION#${state}`

/**
 * Each state has its own partition, so that open exceptions stay few, even if managers have accepted many. An exception
 * has the same sort key in each partition, in the order of days. A list of several states merges their partitions.
 */
export const exceptionKey = (
  state: ExceptionState,
  { day, employee, shift, type }: ExceptionName,
): Key<RaisedException> => ({
  pk: exceptionPk(state),
  sk: `${day}#${employee}#${shift ?? '-'}#${type}`,
  ...(state === 'accepted' && { audited }),
})

/**
 * The fact of a row covers the exceptions that the row raises. Accepting or reopening changes no row, so both have
 * their own fact. An employee who forgot to punch out gets a notice.
 */
export const exceptionFacts = ({ company, old, new: next }: Change<RaisedException>) => {
  if ((next ?? old)?.state === 'accepted') return [{ type: 'exception.changed' as const, company }]
  if (old || next?.state !== 'open' || next.type !== 'missingOut') return []
  const { employee, day, shift } = next
  return [{ type: 'exception.raised' as const, company, employee, day, shift }]
}

/**
 * The minutes of an exception. Long break: the excess. Leave: the worked minutes. Missing punch: the duty minutes that
 * no figure includes.
 */
export const exceptionMinutes = (row: CalculatedRow, type: Exception): number => {
  if (type === 'longBreak') return row.longBreakMinutes
  if (type === 'punchedOnLeave') return row.workMinutes + row.overtimeMinutes
  const accounted = row.workMinutes + row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  return Math.max(0, row.dutyMinutes - accounted)
}

/** The most exceptions in one transaction. Each exception takes three writes, and its audit entry one more. */
const mostAtOnce = 30

const shift = id.nullable().describe('null: without a scheduled shift')
const type = z.enum(exceptionTypes)
const named = { employee: id, day, shift, type, minutes: minutes(100_000) }
const exceptions = z
  .array(z.strictObject(named))
  .min(1)
  .max(mostAtOnce)
  .describe('as the caller saw them; the call fails if the minutes have changed')

export const exceptionPaths = {
  'exception/grid': {
    does: 'Lists exceptions, newest day first; resolved ones stay for 92 days.',
    who: [8],
    input: gridInput(
      z.strictObject({
        from: day,
        to: day,
        department: id.optional().describe('includes sub-departments'),
        employee: id.optional(),
        type: type.optional(),
        state: z.enum(exceptionStates).optional(),
      }),
    ),
    output: gridOutput(
      z.object({
        ...named,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        timezone: z.string(),
        shiftName: z.string().optional(),
        shiftColor: z.string().optional(),
        dutyFrom: at.optional(),
        dutyTo: at.optional(),
        firstIn: at.optional(),
        lastOut: at.optional(),
        isLocked: z.boolean().describe('whether the day is locked, so that nobody can correct it'),
        state: z.enum(exceptionStates),
        at: at.describe('when it entered this state'),
        by: z.string().optional().describe('name of the manager who reviewed it'),
        note: z.string().optional(),
        cause: z.string().optional().describe('cause of the resolution: `punch`, `schedule`, or the path of a task'),
      }),
    ),
  },
  'exception/accept': {
    does: 'Marks exceptions as reviewed, all or none. An exception stays reviewed while the day shows it with the same minutes.',
    who: [8],
    writes: true,
    input: z.strictObject({ exceptions, note: text(500).optional() }),
    output: done,
  },
  'exception/reopen': {
    does: 'Reopens reviewed exceptions, all or none.',
    who: [8],
    writes: true,
    input: z.strictObject({ exceptions }),
    output: done,
  },
} as const satisfies Declarations
