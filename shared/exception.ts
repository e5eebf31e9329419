import * as z from 'zod'
import { type Exception, exceptionTypes, isCheck } from './attendance/row.ts'
import type { Audited, Change } from './change.ts'
import {
  at,
  type Declarations,
  day,
  done,
  gridInput,
  gridOutput,
  id,
  minutes,
  nothing,
  text,
  version,
} from './contract.ts'
import type { CalculatedRow, Cause, DayRow } from './day.ts'
import { mostAtOnce, mostCounted, mostFixWrites } from './exception-limit.ts'
import type { Key } from './table.ts'

/** Open until a manager accepts the exception. Settled when a recalculation of the day no longer raises it. */
export const exceptionStates = ['open', 'accepted', 'settled'] as const
export type ExceptionState = (typeof exceptionStates)[number]

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
 * The minutes of an exception. Working-time check: above the limit, or missing. Long break: the excess. Leave: the
 * worked minutes. Missing punch: the duty minutes that no figure includes.
 */
export const exceptionMinutes = (row: CalculatedRow, type: Exception): number => {
  if (isCheck(type)) return row.checkMinutes?.[type] ?? 0
  if (type === 'longBreak') return row.longBreakMinutes
  if (type === 'punchedOnLeave') return row.workMinutes + row.overtimeMinutes
  const accounted = row.workMinutes + row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  return Math.max(0, row.dutyMinutes - accounted)
}

const shift = id.nullable().describe('null: without a scheduled shift')
const type = z.enum(exceptionTypes)
const named = { employee: id, day, shift, type, minutes: minutes(100_000) }
const manager = z.object({ employee: id, first_name: z.string(), last_name: z.string(), workno: z.string() })
const reason = text(200).describe('shown beside the day, and in the audit log')
const fixedPunch = z.strictObject({ employee: id, punch: z.string().min(1).max(150), version })
const fixedAbsence = z.strictObject({ employee: id, day, shift, version })
const asSeen = 'as the caller saw them; the call fails if the minutes have changed'
const listOf = <T extends z.ZodType>(exception: T) => z.array(exception).min(1).max(mostAtOnce)
const exceptions = listOf(z.strictObject(named)).describe(asSeen)
const fixedException = z.strictObject({
  ...named,
  at: at.optional().describe('`at` of the proposal as the caller saw it; the call fails if it has changed'),
})

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
        manager: id
          .optional()
          .describe(
            'a person from `exception/manager/all`: only rows of the departments that this person manages; nobody for anyone else',
          ),
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
        proposal: z
          .object({
            kind: z.enum(['in', 'out', 'ignore']).describe('add a clock-in, add a clock-out, or ignore the punches'),
            at: at.optional().describe('time of the added punch: start or end of the shift'),
            punches: z.int().min(1).optional().describe('number of ignored punches'),
          })
          .optional()
          .describe('what `exception/fix` would do; absent for locked or resolved rows and without a clear fix'),
        canBeAbsent: z
          .boolean()
          .describe('whether `exception/fix` can mark the row as absent: an open, unlocked shift that lacks a punch'),
        state: z.enum(exceptionStates),
        at: at.describe('when it entered this state'),
        by: z.string().optional().describe('name of the manager who reviewed it'),
        note: z.string().optional(),
        cause: z.string().optional().describe('cause of the resolution: `punch`, `schedule`, or the path of a task'),
      }),
    ),
  },
  'exception/count': {
    does: 'Counts the open exceptions of unlocked days in the departments the caller manages, up to 100.',
    who: [8],
    input: nothing,
    output: z.object({ count: z.int().min(0).max(mostCounted) }),
  },
  'exception/manager/all': {
    does: 'Lists the people by whom `exception/grid` filters: those who see exceptions of some, but not all departments, and share one with the caller.',
    who: [8],
    input: nothing,
    output: z.object({ list: z.array(manager) }),
  },
  'exception/accept': {
    does: 'Marks exceptions as reviewed, all or none. An exception stays reviewed while the day shows it with the same minutes. Rejects locked days (60061).',
    who: [8],
    writes: true,
    input: z.strictObject({ exceptions, note: text(500).optional() }),
    output: done,
  },
  'exception/reopen': {
    does: 'Reopens reviewed exceptions, all or none. Rejects locked days (60061).',
    who: [8],
    writes: true,
    input: z.strictObject({ exceptions }),
    output: done,
  },
  'exception/fix': {
    does: 'Fixes exceptions, all or none. `proposed` adds the missing punch at the start or end of the shift, or ignores the punches of a leave day; it obeys the rules of `record/add` and `record/ignore`. `absent` moves the unresolved minutes of a shift without a punch to its absence; the company’s rule for corrections does not limit it. Refuses each exception with its code at `exceptions.<index>`: 60006 if another manager was faster or the proposal has changed, 10002 without such a fix, and the codes of `record/add`.',
    who: [9],
    writes: true,
    input: z.strictObject({
      exceptions: listOf(fixedException).describe(
        `${asSeen}. Two for each and one for each ignored punch count towards a limit of ${mostFixWrites}; the first one beyond gets 10002`,
      ),
      action: z.enum(['proposed', 'absent']),
      reason,
    }),
    output: z
      .object({
        punches: z.array(fixedPunch).describe('added or ignored punches'),
        absences: z.array(fixedAbsence).describe('marks of absence'),
      })
      .describe('input of `exception/restore`'),
  },
  'exception/restore': {
    does: 'Takes fixes back, all or none: removes marks of absence, and restores punches as `record/restore` does. Refuses each with its code at `punches.<index>` or `absences.<index>`: 60006 if it changed meanwhile.',
    who: [9],
    writes: true,
    input: z.strictObject({
      punches: z.array(fixedPunch).max(mostFixWrites - 1),
      absences: z.array(fixedAbsence).max(mostAtOnce),
    }),
    output: done,
  },
} as const satisfies Declarations
