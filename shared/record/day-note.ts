import * as z from 'zod'
import type { Audited, Change } from '../change.ts'
import { at, type Declarations, day, done, text } from '../contract.ts'
import type { Key } from '../table.ts'

// An employee explains one of their days, such as a late arrival. The note changes no hours.

export interface DayNote {
  employee: string
  day: string
  note: string
  at: string
}

const audited: Audited<DayNote> = { noun: 'dayNote', id: ({ employee }) => employee, name: ({ day }) => day }

export const dayNotePk = (employee: string) => `DAY_NOTE#${employee}`
export const dayNoteKey = ({ employee, day }: Pick<DayNote, 'employee' | 'day'>): Key<DayNote> => ({
  pk: dayNotePk(employee),
  sk: day,
  audited,
})

export const dayNoteFacts = ({ company, old, new: now }: Change<DayNote>) => {
  const note = now ?? old
  return note ? [{ type: 'dayNote.changed' as const, company, employee: note.employee, day: note.day }] : []
}

export const shownDayNote = z
  .object({ note: z.string(), at })
  .describe('the employee’s explanation of the day; it changes no hours')

export const personalDayNotePaths = {
  'personal/record/explain': {
    does: "Explains one of the caller's days to their managers, such as a late arrival. Changes no hours, and replaces an earlier explanation. Rejects locked days (60061) and days in the future or outside the employment (10002).",
    who: 'employee',
    writes: true,
    input: z.strictObject({ day, note: text(300).describe('shown beside the day, and in the audit log') }),
    output: done,
  },
} as const satisfies Declarations
