import { type Correction, correctionKey, correctionPk } from '../../shared/record/correction.ts'
import { save, type Table } from '../kit/table.ts'

// Removes personal data from the corrections of an erased employee, or the corrections themselves. Idempotent.

/** Removes the reasons that managers and the employee wrote. The days still depend on the corrections. */
export const eraseReasons = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) })) {
    const { reason, former, objection } = correction
    if (![reason, former?.reason, objection?.reason].some(Boolean)) continue
    const erased = {
      ...{ ...correction, reason: '' },
      ...(former && { former: { ...former, reason: '' } }),
      ...(objection && { objection: { ...objection, reason: '' } }),
    }
    await save(table.replace(correctionKey(correction), erased))
  }
}

export const removeCorrections = async (table: Table, employee: string): Promise<void> => {
  for await (const correction of table.each<Correction>({ pk: correctionPk(employee) }))
    await save(table.remove(correctionKey(correction)))
}
