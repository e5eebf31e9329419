import * as z from 'zod'
import type { Audited } from '../change.ts'
import { at, type Declarations, day, gridInput, gridOutput, id } from '../contract.ts'
import type { Key } from '../table.ts'
import { begun } from '../task.ts'
import { type FileColumnName, mostFileColumns, reportTypes } from './column.ts'
import { fileColumn } from './file-column.ts'
import { leftOutList } from './left-out.ts'

// Closing a pay period locks its days and exports them for payroll.

/** A period that an administrator closed. */
export interface ClosedPeriod {
  from: string
  to: string
  by: string
  at: string
  /** The form of the file. */
  type: (typeof reportTypes)[number]
  columns?: FileColumnName[]
  /** The template of the file. */
  template?: string
  /** The exceptions that were still open, and the minutes they held back. */
  openExceptions: number
  openMinutes: number
  /** When an administrator first unlocked some of its days again. */
  reopenedAt?: string
}

const audited: Audited<ClosedPeriod> = {
  noun: 'period',
  id: ({ to }) => to,
  name: ({ from, to }) => `${from} – ${to}`,
}

export const closedPeriodKey = (to: string): Key<ClosedPeriod> => ({ pk: 'CLOSED_PERIOD', sk: to, audited })

/** The most open exceptions and requests that a checklist counts. */
export const mostChecked = 1000
/** The most corrections that a checklist names. */
export const mostNamed = 20

const range = { from: day, to: day.describe('at most a year after `from`') }
const count = z.int().min(0)

export const closePaths = {
  'report/close/check': {
    does: "Lists what is still open in a period, within the caller's departments.",
    who: [8],
    input: z.strictObject({
      ...range,
      template: id.optional().describe('template of the file, to learn which hours it leaves out'),
    }),
    output: z.object({
      exceptions: z.object({
        count: count.describe(`open exceptions; at most ${mostChecked}`),
        minutes: count.describe('the unresolved minutes of their days'),
        reviewedMinutes: count.describe(
          'further unresolved minutes of the period: reviewed ones, and those of shifts that raise no exception',
        ),
        firstDay: day
          .optional()
          .describe('day of the first one; it can be before `from`, because closing locks all earlier days'),
      }),
      corrections: z
        .object({
          count,
          list: z
            .array(
              z.object({
                ...{ employee: id, name: z.string(), day },
                objectBy: at.optional().describe('deadline for an objection; absent for a proposal'),
              }),
            )
            .describe(`the first ${mostNamed}, by day`),
        })
        .describe('corrections that the employee may still agree or object to, also of earlier unlocked days'),
      requests: count.describe(`pending requests of these days; at most ${mostChecked}`),
      terminals: z
        .array(z.object({ serialNumber: z.string(), name: z.string(), uploadedAt: at.optional() }))
        .describe('terminals that have not delivered everything up to the end of the period'),
      unknownNumbers: count.describe('unassigned employee IDs that punched since the period began'),
      unfinishedFrom: day.optional().describe('first day of the period that is not final; absent if all are'),
      lockedTo: day.optional().describe('last locked day'),
      leftOut: leftOutList.optional(),
    }),
  },
  'report/close/add': {
    does: 'Closes a period: locks all days up to its end and starts the task that exports it. Rejects a period that is already closed (60061), days that are not final (60064), calculations in progress (60065), a file with too many rows (60070), and open exceptions whose number the caller does not confirm (60105).',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      ...range,
      openExceptions: count.optional().describe('the number of open exceptions that the caller accepts'),
      type: z.enum(reportTypes),
      columns: z
        .array(fileColumn)
        .min(1)
        .max(mostFileColumns)
        .optional()
        .describe('columns of the report by employee; the default ones if omitted'),
      template: id.optional().describe('template of the file, which replaces `type` and `columns`'),
    }),
    output: begun.extend({ lockedTo: day }),
  },
  'report/close/grid': {
    does: 'Lists the closed periods, the latest first.',
    who: [8],
    input: gridInput(z.strictObject({})),
    output: gridOutput(
      z.object({
        ...range,
        by: z.string().optional().describe('name of the person who closed it; absent if the caller may not see them'),
        at,
        type: z.enum(reportTypes),
        columns: z.array(fileColumn).optional(),
        template: id.optional().describe('absent for a deleted template'),
        openExceptions: count.optional().describe('absent for callers who do not manage the whole company'),
        openMinutes: count.optional(),
        isReopened: z.boolean().describe('whether some of its days were unlocked since, even if they are locked again'),
        isLocked: z.boolean().describe('whether all of its days are locked now'),
      }),
    ),
  },
} as const satisfies Declarations
