import * as z from 'zod'
import { at, type Declarations, day, id, nothing } from '../contract.ts'
import { type DayRow, partOf } from '../day.ts'
import type { Key } from '../table.ts'
import { dailyRow } from './row.ts'

// Changed rows since a cursor, for external programs. Each change leaves a note once the company has asked for notes.

/** Records that a row changed or disappeared. The row itself holds the current values. */
export interface RowChangeNote {
  employee: string
  day: string
  shift: string | null
  /** The department of the row, for the rights to a row that no longer exists. */
  department: string
  at: string
  expiresAt: number
}

/** Notes are spread over partitions, because a recalculation changes many rows at once. */
export const noteParts = 8
/** How long a cursor stays valid. */
export const noteDays = 35

export const rowChangeKey = ({
  employee,
  day,
  shift,
  at,
}: Omit<RowChangeNote, 'expiresAt' | 'department'>): Key<RowChangeNote> => ({
  pk: rowChangePk(partOf(employee, noteParts)),
  sk: `${at}#${employee}#${day}#${shift ?? '-'}`,
})
export const rowChangePk = (part: number) => `ROW_CHANGE#${part}`

/** The note of a written or removed row. */
export const rowChangeNote = ({ employee, day, shift, department }: DayRow, now: number): RowChangeNote => ({
  ...{ employee, day, shift, department, at: new Date(now).toISOString() },
  expiresAt: Math.floor(now / 1000) + noteDays * 86_400,
})

const cursor = z.string().describe('for the next call, also if nothing changed')

export const sincePaths = {
  'report/since/start': {
    does: 'Starts the record of changed employee-days for programs of other systems, once for a company, and returns a cursor from now on. Read earlier days with `report/grid` then.',
    who: [8],
    writes: true,
    input: nothing,
    output: z.object({ cursor }),
  },
  'report/since': {
    does: `Lists the employee-days that changed since a cursor, of which \`report/since/start\` returns the first. A change may come twice, and a row appears as it is now. A cursor is valid for ${noteDays} days. Without a cursor, only returns one from now on. Rejects a company that has not started (60073).`,
    who: [8],
    input: z.strictObject({
      cursor: z.string().max(2000).optional().describe('`cursor` of the previous answer'),
      size: z.int().min(1).max(200).default(50),
    }),
    output: z.object({
      list: z.array(
        z.object({
          employee: id,
          day,
          shift: id.nullable().describe('null: work on a day without a shift'),
          changedAt: at,
          row: dailyRow.nullable().describe('null: the row is gone'),
        }),
      ),
      cursor,
      hasMore: z.boolean().describe('whether the next call has more changes at once'),
    }),
  },
} as const satisfies Declarations
