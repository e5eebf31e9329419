import type { Employee } from '../../shared/employee.ts'
import { joinNames } from '../../shared/name-list.ts'
import { type CustomRole, roleKey } from '../../shared/role.ts'
import { readDepartments } from '../department/store.ts'
import { manages } from '../kit/caller.ts'
import type { Table } from '../kit/table.ts'
import type { Kind, Work } from '../kit/task.ts'
import { exported } from '../sheet/export.ts'
import { type Column, employeeColumns, plainRoles, type RoleWord, wordsIn } from '../sheet/words.ts'
import type { Cell } from '../sheet/write.ts'
import { eachEmployee } from './list.ts'

// Exports employees to a sheet.

/** The word for an employee's role in a cell. `roleFinder` reads this word back. */
const roleNamer = async (table: Table, language: string) => {
  const words = wordsIn(language).roles
  const custom = new Map((await table.all<CustomRole>({ pk: roleKey('').pk })).map(({ id, name }) => [id, name]))
  const plain = Object.entries(plainRoles).map(([word, number]) => [number, words[word as RoleWord]] as const)
  const byNumber = new Map(plain)
  return ({ role, roleId }: Employee) =>
    byNumber.get(role) ??
    custom.get(roleId ?? '') ??
    (roleId && roleId in words ? words[roleId as RoleWord] : undefined)
}

const dayCell = (day: string | undefined): Cell => (day === undefined ? undefined : { day })

/** The number of rows between two progress reports of the task. */
const exportedBetween = 500

const readRows = async ({ table, asker, language, input, tell }: Work<'employee/export'>): Promise<Cell[][]> => {
  const nameRole = await roleNamer(table, language)
  const mine = (await readDepartments(table)).filter(({ id }) => manages(asker, id))
  const names = new Map(mine.map(({ id, name }) => [id, name]))
  const rows: Cell[][] = []
  const viewer = { table, departments: asker.departments }
  const sort = { by: 'name' as const, descending: false }
  for await (const employee of eachEmployee(viewer, { filters: input.filters, sort })) {
    const others = employee.departments?.flatMap(id => names.get(id) ?? []) ?? []
    const cells: Record<(typeof employeeColumns)[number], Cell> = {
      first_name: employee.first_name,
      last_name: employee.last_name,
      // A number cell, because employee IDs have no leading zeros.
      workno: Number(employee.workno),
      department: names.get(employee.department),
      departments: joinNames(others),
      position: employee.position,
      email: employee.email,
      tel: employee.tel,
      hireDay: dayCell(employee.hireDay),
      endDay: dayCell(employee.endDay),
      role: nameRole(employee),
    }
    rows.push(employeeColumns.map(column => cells[column]))
    if (rows.length % exportedBetween === 0) await tell('write', rows.length, rows.length)
  }
  return rows
}

/** An example row for the template. The import skips this row. */
const readExample = async ({ table, asker, language }: Work<'employee/export'>): Promise<Cell[]> => {
  const { example, roles } = wordsIn(language)
  const department = (await readDepartments(table)).find(({ id }) => manages(asker, id))?.name
  const cells: Partial<Record<Column, Cell>> = {
    ...example,
    ...{ department, hireDay: { day: `${new Date().getUTCFullYear()}-01-01` }, role: roles.employee },
    workno: Number(example.workno),
  }
  return employeeColumns.map(column => cells[column])
}

export const employeeExport: Kind<'employee/export'> = {
  async run(work) {
    const { type, isTemplate } = work.input
    const rows = isTemplate ? [await readExample(work)] : await readRows(work)
    return exported({ type, isTemplate, columns: employeeColumns, rows, name: 'employees' }, work)
  },
}
