import { isEmployedOn } from '../../shared/attendance/employment.ts'
import { companyKey, isLocked } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import { localDay } from '../../shared/local-day.ts'
import { type DayNote, dayNoteKey, dayNotePk } from '../../shared/record/day-note.ts'
import { readCompany } from '../company/store.ts'
import type { Caller } from '../kit/caller.ts'
import { again } from '../kit/table/change.ts'
import { save, type Table } from '../kit/table.ts'

// Employees explain their own days to their managers.

/** Saves the caller's explanation of a day. Throws 60061 for a locked day, and 10002 outside the past employment. */
export const explainDay = (
  caller: Caller,
  { day, note }: Pick<DayNote, 'day' | 'note'>,
): Promise<Record<string, never>> =>
  again(async () => {
    const { table, employee } = caller
    const company = await readCompany(caller)
    const isPast = day <= localDay(company.timezone, Date.now())
    if (!isPast || !isEmployedOn(employee, day)) throw new Problem(10002, { day: 10002 })
    if (isLocked(company, day)) throw new Problem(60061, { day: 60061 })
    const key = dayNoteKey({ employee: employee.id, day })
    const present = await table.get(key)
    const next = { employee: employee.id, day, note, at: new Date().toISOString() }
    // A lock that was saved meanwhile makes this save fail.
    await save(
      present ? table.replace(key, { ...next, version: present.version }) : table.insert(key, next),
      table.unchanged(companyKey(), company),
    )
    return {}
  })

/** The explanation of a day. Undefined without one. */
export const readDayNote = async (table: Table, employee: string, day: string) => {
  const stored = await table.get(dayNoteKey({ employee, day }))
  return stored && { note: stored.note, at: stored.at }
}

/** The explained days of a range. */
export const explainedDays = async (table: Table, employee: string, from: string, to: string): Promise<string[]> =>
  (await table.all<DayNote>({ pk: dayNotePk(employee), from, to: `${to}~`, only: ['day'] })).map(({ day }) => day)
