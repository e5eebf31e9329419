import { searchQuery, searchText } from '../../shared/search.ts'
import { manages } from '../kit/caller.ts'
import type { Kind, Work } from '../kit/task.ts'
import { inOrder } from '../kit/words.ts'
import { countryName } from '../location/country.ts'
import { exported } from '../sheet/export.ts'
import { type Column, departmentColumns, wordsIn } from '../sheet/words.ts'
import type { Cell } from '../sheet/write.ts'
import { readDepartments } from './store.ts'

// Exports departments to a sheet.

type Cells = Partial<Record<Column, Cell>>

const readRows = async ({ table, asker, language, input }: Work<'department/export'>): Promise<Cells[]> => {
  const managed = (await readDepartments(table)).filter(({ id }) => manages(asker, id))
  const names = new Map(managed.map(({ id, name }) => [id, name]))
  const search = searchQuery(input.filters.search ?? '')
  return managed
    .filter(({ name }) => searchText(name).includes(search))
    .sort((a, b) => inOrder(a.name, b.name))
    .map(({ parent, country, ...department }) => ({
      ...department,
      parent: parent && names.get(parent),
      country: country && countryName(country, language),
    }))
}

/** The example row of a template. The import skips this row. */
const readExample = async ({ table, asker, language }: Work<'department/export'>): Promise<Cells> => {
  const parent = (await readDepartments(table)).find(({ id }) => manages(asker, id))?.name
  return { ...wordsIn(language).example, parent }
}

export const departmentExport: Kind<'department/export'> = {
  async run(work) {
    const { type, isTemplate } = work.input
    const rows = isTemplate ? [await readExample(work)] : await readRows(work)
    const cells = rows.map(row => departmentColumns.map(column => row[column]))
    return exported({ type, isTemplate, columns: departmentColumns, rows: cells, name: 'departments' }, work)
  },
}
