import * as z from 'zod'
import type { Exception } from './attendance/row.ts'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, minutes, text } from './contract.ts'
import type { CalculatedRow, Cause, DayRow } from './day.ts'
import type { Key } from './table.ts'

/** Open until a manager accepts it, or settled by a recalculation of the day without it. */
export const exceptionStates = ['open', 'accepted', 'settled'] as const
export type ExceptionState = (typeof exceptionStates)[number]

export const exceptionTypes = ['missingIn', 'missingOut', 'longBreak', 'punchedOnLeave'] as const satisfies Exception[]

/** Identifies an exception in any state: a row of an employee's day has at most one per type. */
export interface ExceptionName extends Pick<DayRow, 'employee' | 'day' | 'shift'> {
  type: Exception
}

/** A condition of a row that a manager must check. Lateness and absence are figures, not exceptions. */
export interface RaisedException extends ExceptionName {
  state: ExceptionState
  /** As in `exceptionMinutes`. */
  minutes: number
  /** The row's department. */
  department: string
  /** When it entered this state. */
  at: string
  /** The manager who accepted it, and their note. */
  acceptedBy?: string
  note?: string
  /** For a settled exception: the cause of the recalculation, and its expiry in epoch seconds. */
  cause?: Cause['kind']
  expiresAt?: number
}

/** Days for which settled exceptions are kept. */
export const settledDays = 92

/** The audit records that a manager accepted or reopened an exception. The exception has the employee's id. */
const audited: Audited<RaisedException> = {
  noun: 'exception',
  id: ({ employee }) => employee,
  name: () => '',
}

export const exceptionPk = (state: ExceptionState) => `EXCEPTION#${state}`

/**
 * Each state has its own partition, so that open exceptions stay few, however many a manager has accepted. An exception
 * has the same sort key in each partition, in the order of the days. A list of several states reads the partitions as
 * one.
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
 * The row itself shows what it raises. Accepting or reopening changes no row, so both have their own fact. An employee
 * who forgot to punch out gets a notice.
 */
export const exceptionFacts = ({ company, old, new: next }: Change<RaisedException>) => {
  if ((next ?? old)?.state === 'accepted') return [{ type: 'exception.changed' as const, company }]
  if (old || next?.state !== 'open' || next.type !== 'missingOut') return []
  const { employee, day, shift } = next
  return [{ type: 'exception.raised' as const, company, employee, day, shift }]
}

/**
 * The minutes an exception concerns. Long break: the excess. Leave: the worked minutes. Missing punch: the duty minutes
 * that no figure accounts for.
 */
export const exceptionMinutes = (row: CalculatedRow, type: Exception): number => {
  if (type === 'longBreak') return row.longBreakMinutes
  if (type === 'punchedOnLeave') return row.workMinutes + row.overtimeMinutes
  const accounted = row.workMinutes + row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  return Math.max(0, row.dutyMinutes - accounted)
}

/** Each exception takes three writes in one transaction, and the audit one more. */
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
