import { fold } from '../../shared/fold.ts'
import type { SheetType } from '../../shared/task.ts'
import { type Caller, manages } from './caller.ts'
import { countryName } from './country.ts'
import { readDepartments } from './department.ts'
import type { Cell } from './sheet.ts'
import { exported, offerSheet } from './sheet-export.ts'
import { type Column, departmentColumns, wordsIn } from './sheet-words.ts'
import type { Kind } from './task.ts'

// Departments into a sheet.

export const departmentExport: Kind<'department/export'> = {
  async run(work) {
    const { table, asker, language, input } = work
    const mine = (await readDepartments(table)).filter(({ id }) => manages(asker, id))
    const names = new Map(mine.map(({ id, name }) => [id, name]))
    const search = fold(input.filters.search ?? '')
    const rows = mine
      .filter(({ name }) => fold(name).includes(search))
      .sort((one, other) => byName(one.name, other.name))
      .map(({ parent, country, ...department }) => {
        const cells: Partial<Record<Column, Cell>> = {
          ...department,
          parent: parent && names.get(parent),
          country: country && countryName(country, language),
        }
        return departmentColumns.map(column => cells[column])
      })
    return exported({ type: input.type, columns: departmentColumns, rows, name: 'departments' }, work)
  },
}

const byName = new Intl.Collator('en', { numeric: true }).compare

/** An empty sheet, and an example that is not imported. */
export const offerDepartmentTemplate = async (type: SheetType, caller: Caller): Promise<{ url: string }> => {
  const { example } = wordsIn(caller.language)
  const parent = (await readDepartments(caller.table)).find(({ id }) => manages(caller, id))?.name
  const cells: Partial<Record<Column, Cell>> = { ...example, parent }
  return offerSheet(
    { type, columns: departmentColumns, rows: [departmentColumns.map(column => cells[column])], name: 'departments' },
    caller,
  )
}
