import { type Absence, absenceKey, absencePk } from '../../shared/absence.ts'
import { change } from '../kit/table/change.ts'
import { save, type Table } from '../kit/table.ts'

// Removes personal data from the marks of absence of an erased employee, or the marks themselves. Idempotent.

/** Removes the reasons that managers wrote. The days still depend on the marks. */
export const eraseAbsenceReasons = async (table: Table, employee: string): Promise<void> => {
  for await (const absence of table.each<Absence>({ pk: absencePk(employee) }))
    await change(table, absenceKey(absence), current =>
      current.reason === '' ? undefined : { ...current, reason: '' },
    )
}

export const removeAbsences = async (table: Table, employee: string): Promise<void> => {
  for await (const absence of table.each<Absence>({ pk: absencePk(employee) }))
    await save(table.remove(absenceKey(absence)))
}
