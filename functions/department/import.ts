import { type Department, departmentNameKey, departmentPaths } from '../../shared/department.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import { rowId, type SheetProblem } from '../../shared/task.ts'
import { manages } from '../kit/caller.ts'
import { fieldsOf } from '../kit/lambda/fields.ts'
import { countryFinder } from '../location/country.ts'
import { type ImportNoun, importKind, inPortions, type Planned, problemsOf, type SheetRow } from '../sheet/import.ts'
import { departmentColumns, isExample } from '../sheet/words.ts'
import { departmentFinder } from './name.ts'
import { addDepartment, addToRole, readDepartments, removeDepartments } from './store.ts'

// Imports departments from a sheet: a tree whose rows may come in any order.

const form = () => departmentPaths['department/add'].input

interface Branch extends Department {
  row: SheetRow
}

/** Whether a department is its own ancestor. */
const isCircle = (id: string, byId: ReadonlyMap<string, Department>) => {
  const seen = new Set<string>()
  for (let above = byId.get(id)?.parent; above !== undefined && !seen.has(above); above = byId.get(above)?.parent) {
    if (above === id) return true
    seen.add(above)
  }
  return false
}

/** Parents first, so that the import writes each parent before its departments. */
const inOrder = (planned: Planned<Department>[]): Planned<Department>[] => {
  const children = Map.groupBy(planned, ({ item }) => item.parent)
  const ids = new Set(planned.map(({ item }) => item.id))
  const ordered = new Set(planned.filter(({ item }) => item.parent === undefined || !ids.has(item.parent)))
  // The iteration of a set includes items added meanwhile.
  for (const { item } of ordered) for (const child of children.get(item.id) ?? []) ordered.add(child)
  return [...ordered]
}

/** The last name of a path. A later check compares the rest of the path, once all parents are known. */
const lastOf = (path: string) => path.split('/').at(-1)?.trim() ?? path

const departments: ImportNoun<'department/import', Department> = {
  columns: departmentColumns,
  required: ['name'],

  isExample: cells => isExample(cells, ['name']),

  async plan(rows, work, report) {
    const problems: SheetProblem[] = []
    const refuse = (row: SheetRow, fields: Fields) => problems.push(...problemsOf(row, fields))
    const stored = await readDepartments(work.table)
    const findCountry = countryFinder(work.language)
    // Every row gets an id first, so that any row can be a parent.
    const named = rows.map(row => ({ row, id: rowId(work.task, row.row), name: row.cells.name ?? '' }))
    const keyOf = ({ name }: { name: string }) => departmentNameKey(name).sk
    /**
     * The id for each name: the stored department, or else the first row with that name. The import refuses later rows
     * with that name, and they cannot be parents.
     */
    const holders = new Map<string, string>()
    for (const department of [...stored, ...named])
      if (!holders.has(keyOf(department))) holders.set(keyOf(department), department.id)
    const isHolder = (department: { id: string; name: string }) => holders.get(keyOf(department)) === department.id
    const findAny = departmentFinder([...stored, ...named.filter(isHolder)])
    const branches: Branch[] = []
    await inPortions(named, async (portion, done) => {
      for (const { row, id, name } of portion) {
        const { parent: above, country, ...texts } = row.cells
        const parent = above === undefined ? undefined : (findAny(above) ?? findAny(lastOf(above)))
        const parsed = form().safeParse({
          ...texts,
          ...(country !== undefined && { country: findCountry(country) }),
          ...(above !== undefined && { parent }),
        })
        const fields = parsed.success ? {} : fieldsOf(parsed.error)
        if (above !== undefined && parent === undefined) fields.parent = 60004
        if (name !== '' && !isHolder({ id, name })) fields.name = 59002
        if (parsed.success && Object.keys(fields).length === 0) branches.push({ row, id, ...parsed.data })
        else refuse(row, fields)
      }
      await report(done)
    })
    const byId = new Map<string, Department>([...stored, ...branches].map(department => [department.id, department]))
    const rowIds = new Set(named.map(({ id }) => id))
    const findByPath = departmentFinder([...byId.values()])
    const planned = branches.flatMap(({ row, ...item }): Planned<Department>[] => {
      const { parent } = item
      const isElsewhere =
        row.cells.parent !== undefined && findByPath(row.cells.parent) !== parent && byId.has(parent ?? '')
      const isManaged =
        parent === undefined ? !work.asker.departments : rowIds.has(parent) || manages(work.asker, parent)
      if (isCircle(item.id, byId)) refuse(row, { parent: 10002 })
      else if (isElsewhere) refuse(row, { parent: 60004 })
      // Only managers of the whole company may use the top. A parent that the importer does not manage counts as
      // missing.
      else if (!isManaged) refuse(row, { parent: parent === undefined ? 60005 : 60004 })
      else return [{ row: row.row, item }]
      return []
    })
    const names = named.filter(({ name }) => name !== '').map(({ row: { row }, name }) => ({ row, name }))
    return { planned: inOrder(planned), problems, names }
  },

  async collisions(names, { table }, report) {
    const problems: SheetProblem[] = []
    await inPortions(names, async (portion, done) => {
      const holders = await table.getMany(portion.map(({ name }) => departmentNameKey(name)))
      portion.forEach(({ row, name }, i) => {
        if (holders[i]) problems.push(...problemsOf({ row, cells: { name } }, { name: 59002 }))
      })
      await report(done)
    })
    return problems
  },

  isOrdered: true,

  add: (department, { table }) => addDepartment(table, department),

  /** Adds the new departments to the importer's role, if the role lists departments. */
  async addWith(items, { table, asker }) {
    const { roleId } = asker.employee
    if (!asker.departments || roleId === undefined || systemRole(roleId)) return []
    const role = await table.get(roleKey(roleId))
    if (!role) throw new Problem(60005)
    return [
      addToRole(
        table,
        role,
        items.map(({ id }) => id),
      ),
    ]
  },

  async takeBack(ids, { table }) {
    // A department that got people meanwhile stays.
    await removeDepartments(table, ids)
  },
}

export const departmentImport = importKind(departments)
