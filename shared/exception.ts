import * as z from 'zod'
import type { Exception } from './attendance/row.ts'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, minutes, text } from './contract.ts'
import type { CalculatedRow, Cause, DayRow } from './day.ts'
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
  /** What had the day come out without it, and until when that is remembered, in epoch seconds. */
  cause?: Cause['kind']
  expiresAt?: number
}

/** What nobody has to look at any more is remembered for so long. */
export const settledDays = 92

/** Told is that somebody accepted an exception, or opened it again; it is called by its person. */
const audited: Audited<RaisedException> = {
  noun: 'exception',
  id: ({ employee }) => employee,
  name: () => '',
}

export const exceptionPk = (state: ExceptionState) => `EXCEPTION#${state}`

/**
 * What is still to be looked at stands apart, however much was accepted in years; an exception has the same place in each
 * partition, in the order of the days, so that a list of several states reads them as one.
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
 * What a row raises is seen with the row; that somebody accepted it, or takes that back, changes no row. Whoever forgot to punch
 * out is told so.
 */
export const exceptionFacts = ({ company, old, new: now }: Change<RaisedException>) => {
  if ((now ?? old)?.state === 'accepted') return [{ type: 'exception.changed' as const, company }]
  if (old || now?.state !== 'open' || now.type !== 'missingOut') return []
  const { employee, day, shift } = now
  return [{ type: 'exception.raised' as const, company, employee, day, shift }]
}

/**
 * How much time an exception is about: of a break what it was too long, on a leave what was worked, of a missing punch the duty
 * of which nobody can say how it was spent.
 */
export const exceptionMinutes = (row: CalculatedRow, type: Exception): number => {
  if (type === 'longBreak') return row.longBreakMinutes
  if (type === 'punchedOnLeave') return row.workMinutes + row.overtimeMinutes
  const known = row.workMinutes + row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  return Math.max(0, row.dutyMinutes - known)
}

/** Three writes for each, and one for the audit, in one save. */
const mostAtOnce = 30

const shift = id.nullable().describe('null: none was scheduled')
const type = z.enum(exceptionTypes)
const named = { employee: id, day, shift, type, minutes: minutes(100_000) }
const exceptions = z
  .array(z.strictObject(named))
  .min(1)
  .max(mostAtOnce)
  .describe('as they were shown: with other minutes it is another')

export const exceptionPaths = {
  'exception/grid': {
    does: 'Lists exceptions, newest day first; resolved ones stay for 92 days.',
    who: [8],
    input: gridInput(
      z.strictObject({
        from: day,
        to: day,
        department: id.optional().describe('and those below it'),
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
        at: at.describe('when it came into this state'),
        by: z.string().optional().describe('the name of who accepted it'),
        note: z.string().optional(),
        cause: z.string().optional().describe('what settled it: `punch`, `schedule`, or the path of a task'),
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
