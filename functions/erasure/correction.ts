import { type Correction, correctionKey, correctionPk } from '../../shared/record/correction.ts'
import { type DayNote, dayNoteKey, dayNotePk } from '../../shared/record/day-note.ts'
import { change } from '../kit/table/change.ts'
import { save, type Table } from '../kit/table.ts'

// Removes personal data from the corrections of an erased employee, or the corrections themselves, and the employee's
// explanations of days. Idempotent.

const removeDayNotes = async (table: Table, employee: string): Promise<void> => {
  for await (const note of table.each<DayNote>({ pk: dayNotePk(employee) })) await save(table.remove(dayNoteKey(note)))
}

/** Removes the reasons and explanations that managers and the employee wrote. The days still depend on the corrections. */
export const eraseReasons = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    await change(table, correctionKey(correction), current => {
      const { reason, former, objection } = current
      if (![reason, former?.reason, objection?.reason].some(Boolean)) return undefined
      return {
        ...{ ...current, reason: '' },
        ...(former && { former: { ...former, reason: '' } }),
        ...(objection && { objection: { ...objection, reason: '' } }),
      }
    })
  await removeDayNotes(table, employee)
}

export const removeCorrections = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    await save(table.remove(correctionKey(correction)))
  await removeDayNotes(table, employee)
}
