import { type Correction, correctionKey, correctionPk } from '../../shared/record/correction.ts'
import { save, type Table } from '../kit/table.ts'

// What remains of the corrections of an employee who is erased, or whose figures are no longer kept. Each is safe twice.

/** Removes what managers wrote about the employee. The days still follow from the corrections. */
export const eraseReasons = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    if (correction.reason !== '') await save(table.replace(correctionKey(correction), { ...correction, reason: '' }))
}

export const removeCorrections = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    await save(table.remove(correctionKey(correction)))
}
