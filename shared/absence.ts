import * as z from 'zod'
import { hashText, mixNumber, mixText, startHash } from './attendance/hash.ts'
import type { Exception, Row } from './attendance/row.ts'
import type { Audited, Change } from './change.ts'
import { at, id, version } from './contract.ts'
import type { DayRow } from './day.ts'
import { figuresOf } from './figure.ts'
import type { Key } from './table.ts'

// A manager marks a shift with a missing punch as absent. The mark is an input of the day's calculation, like a
// correction: it moves the unresolved minutes of the row to its absence.

export interface Absence extends Pick<DayRow, 'employee' | 'day' | 'shift'> {
  /** The unresolved minutes that the manager judged. With other minutes the mark has no effect. */
  minutes: number
  reason: string
  /** The manager. */
  by: string
  madeAt: string
}

type AbsenceName = Pick<Absence, 'employee' | 'day' | 'shift'>

const audited: Audited<Absence> = {
  noun: 'absence',
  id: ({ employee }) => employee,
  name: () => '',
}

export const absencePk = (employee: string) => `ABSENCE#${employee}`
/** In the order of days. */
export const absenceKey = ({ employee, day, shift }: AbsenceName): Key<Absence> => ({
  pk: absencePk(employee),
  sk: `${day}#${shift ?? '-'}`,
  audited,
})

const missingPunches: readonly Exception[] = ['missingIn', 'missingOut']
export const isMissingPunch = (exception: Exception): boolean => missingPunches.includes(exception)

/**
 * Whether a manager can mark a row as absent: a finished shift with clock times that lacks a punch. Nobody is absent on
 * a holiday, where a mark would only hide the missing punch.
 */
export const canBeAbsent = ({ exceptions, dutyFrom, kind, shift, state }: Row): boolean =>
  kind === 'work' && shift !== null && dutyFrom !== null && state !== 'pending' && exceptions.some(isMissingPunch)

/** Whether a mark has an effect on the row as calculated without the mark. */
const counts = (row: Row, { minutes }: Pick<Absence, 'minutes'>): boolean =>
  canBeAbsent(row) && figuresOf(row).unresolvedMinutes === minutes

/** Whether the row contains the effect of a mark. */
export const isMarkedAbsent = ({ reasons }: Pick<Row, 'reasons'>): boolean =>
  reasons.some(([rule]) => rule === 'markedAbsent')

/** The row after a mark: its unresolved minutes are absence, and it raises no missing punch. */
const applyAbsence = (row: Row, { minutes }: Pick<Absence, 'minutes'>): Row => {
  const hash = startHash()
  mixText(hash, row.inputHash)
  mixText(hash, 'absent')
  mixNumber(hash, minutes)
  return {
    ...row,
    absentMinutes: row.absentMinutes + minutes,
    exceptions: row.exceptions.filter(exception => !isMissingPunch(exception)),
    reasons: [...row.reasons, ['markedAbsent', 0, minutes]],
    inputHash: hashText(hash),
  }
}

/** The rows of one employee after the marks. */
export const applyAbsences = (rows: Row[], absences: Pick<Absence, 'day' | 'shift' | 'minutes'>[]): Row[] => {
  if (absences.length === 0) return rows
  const byPlace = new Map(absences.map(absence => [`${absence.day} ${absence.shift}`, absence]))
  return rows.map(row => {
    const absence = byPlace.get(`${row.day} ${row.shift}`)
    return absence && counts(row, absence) ? applyAbsence(row, absence) : row
  })
}

export const absenceFacts = ({ company, old, new: now }: Change<Absence>) => {
  const absence = now ?? old
  if (!absence) return []
  const { employee, day, shift, by } = absence
  const cause = { kind: 'absence' as const, by }
  return [
    { type: 'days.due' as const, company, employee, from: day, to: day, cause },
    // A removed mark needs no notice, as with a removed correction.
    ...(now ? [{ type: 'absence.marked' as const, company, employee, day, shift }] : []),
  ]
}

/** The mark of a day, as its explanation shows it. */
export const shownAbsence = z
  .object({
    reason: z.string(),
    by: z.string().describe('name of the manager; empty if the caller may not see the person'),
    madeAt: at,
    minutes: z.int().min(0).describe('unresolved minutes that the manager judged'),
    counts: z.boolean().describe('false: the day now has other minutes, so the mark has no effect'),
    shift: id.nullable(),
    version: version.describe('for `exception/restore`'),
  })
  .describe('the manager marked the shift as absent')
