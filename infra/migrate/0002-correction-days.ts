import { saves } from '../../functions/kit/table/change.ts'
import type { Table } from '../../functions/kit/table.ts'
import { employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { awaitsAnswer, type Correction, correctionKey, correctionPk } from '../../shared/record/correction.ts'
import type { Migration } from './run.ts'

const peopleAtOnce = 20
/** Current people first, then former ones, whose corrections a checklist also names. */
const lists = [employeeKey('').pk, formerEmployeeKey('').pk]

/**
 * Saves each correction that waits for an answer, unchanged, which places it in the day index. A save recalculates days,
 * so corrections past their deadline stay as they are: no checklist names them.
 */
const placeCorrections = async (table: Table, employee: string): Promise<void> => {
  for (const correction of await table.all<Correction>({ pk: correctionPk(employee) })) {
    // A correction that another call just changed is already in the index.
    if (awaitsAnswer(correction, new Date().toISOString()))
      await saves(table.replace(correctionKey(correction), correction))
  }
}

/** Puts earlier corrections into the index by day, so that the checklist of a period names them. A step is 20 people. */
export const correctionDays: Migration = {
  number: 2,
  name: 'correction-days',
  async run(table, after) {
    const [list = '0', last] = after?.split('#') ?? []
    for (let at = Number(list); at < lists.length; at++) {
      const range = { pk: lists[at] ?? '', after: at === Number(list) ? last : undefined, size: peopleAtOnce }
      const { rows } = await table.part(range)
      for (const { at: employee } of rows) await placeCorrections(table, employee)
      const end = rows.at(-1)
      if (end) return `${at}#${end.at}`
    }
    return undefined
  },
}
