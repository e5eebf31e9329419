import { type Correction, correctionKey, correctionPk } from '../../shared/record/correction.ts'
import { save, type Table } from '../kit/table.ts'

// Removes personal data from the corrections of an erased employee, or the corrections themselves. Idempotent.

/** Removes the reasons that managers wrote, but keeps the corrections, because days depend on them. */
export const eraseReasons = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    if (correction.reason !== '') await save(table.replace(correctionKey(correction), { ...correction, reason: '' }))
}

export const removeCorrections = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    await save(table.remove(correctionKey(correction)))
}
