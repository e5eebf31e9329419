import { companyKey, dateFormatOf } from '../../shared/company.ts'
import { departmentsOf, type Employee, employeeKey, employeePaths, worknoKey } from '../../shared/employee.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { splitNames } from '../../shared/name-list.ts'
import { roles } from '../../shared/permissions.ts'
import { type CustomRole, roleKey, systemRole } from '../../shared/role.ts'
import { rowId, type SheetProblem } from '../../shared/task.ts'
import { departmentFinder } from '../department/name.ts'
import { readDepartments } from '../department/store.ts'
import { leaveAccount } from '../erasure/departure.ts'
import { fieldsOf } from '../kit/lambda/fields.ts'
import { inSaves, save, type Table } from '../kit/table.ts'
import type { Work } from '../kit/task.ts'
import { type ImportNoun, importKind, inPortions, problemsOf, type RowName, type SheetRow } from '../sheet/import.ts'
import { nameFinder } from '../sheet/name-finder.ts'
import { employeeColumns, isExample, plainRoles, roleOf } from '../sheet/words.ts'
import { toDay } from '../sheet/write.ts'
import { checkEmployee, withoutTwice } from './form.ts'
import { named } from './reading.ts'
import { addEmployee, removeEmployee } from './store.ts'

// Imports employees from a sheet.

const form = () => employeePaths['employee/add'].input

interface GivenRole {
  role: number
  roleId?: string
}

/** A built-in role, by its word in any language or by its number. */
const commonRole = (text: string): GivenRole | undefined => {
  const number = Object.values(plainRoles).find(number => String(number) === text)
  if (number !== undefined) return { role: number }
  const word = roleOf(text)
  if (word === undefined) return undefined
  const plain = plainRoles[word]
  return plain === undefined ? { role: roles.manager, roleId: word } : { role: plain }
}

/**
 * The role that a cell names. If several custom roles have that name, none matches, so that no person gets too many
 * rights.
 */
const roleFinder = (customRoles: CustomRole[]) => {
  const find = nameFinder(customRoles)
  return (text: string): GivenRole | undefined => {
    const common = commonRole(text)
    const matches = [...(common ? [common] : []), ...find(text).map(({ id }) => ({ role: roles.manager, roleId: id }))]
    return matches.length === 1 ? matches[0] : undefined
  }
}

const readLookUps = async (table: Table) => {
  const [company, departments, customRoles] = await Promise.all([
    table.get(companyKey()),
    readDepartments(table),
    table.all<CustomRole>({ pk: roleKey('').pk }),
  ])
  return {
    findDepartment: departmentFinder(departments),
    findRole: roleFinder(customRoles),
    dateFormat: dateFormatOf(company?.dateformat_id ?? 0),
    nameformat_id: company?.nameformat_id,
  }
}
type LookUps = Awaited<ReturnType<typeof readLookUps>>

/** The fields that `checkEmployee` reads. With an invalid field that check is meaningless. */
const looked = ['department', 'departments', 'role', 'roleId', 'hireDay', 'endDay']

/** Reads a row and validates it like the form of `employee/add`. */
const readEmployee = async (
  { cells }: SheetRow,
  { findDepartment, findRole, dateFormat, nameformat_id }: LookUps,
  work: Work<'employee/import'>,
): Promise<{ item: Omit<Employee, 'id'> } | { fields: Fields }> => {
  const { department, departments, role, hireDay, endDay, ...texts } = cells
  const others = splitNames(departments ?? '').map(findDepartment)
  const otherIds = others.filter(id => id !== undefined)
  const givenRole = role === undefined ? undefined : findRole(role)
  const parsed = form().safeParse({
    ...texts,
    ...(department !== undefined && { department: findDepartment(department) }),
    ...(otherIds.length > 0 && { departments: otherIds }),
    ...(hireDay !== undefined && { hireDay: toDay(hireDay, dateFormat) }),
    ...(endDay !== undefined && { endDay: toDay(endDay, dateFormat) }),
    ...givenRole,
  })
  const fields: Fields = parsed.success ? {} : fieldsOf(parsed.error)
  if (department !== undefined && findDepartment(department) === undefined) fields.department = 60004
  if (otherIds.length < others.length) fields.departments = 60004
  if (role !== undefined && !givenRole) fields.role = 60004
  if (parsed.success || !Object.keys(fields).some(field => looked.includes(field.split('.')[0] ?? '')))
    try {
      const judged = {
        department: findDepartment(department ?? '') ?? '',
        departments: otherIds,
        hireDay: hireDay && toDay(hireDay, dateFormat),
        endDay: endDay && toDay(endDay, dateFormat),
        ...(givenRole ?? { role: roles.employee }),
      }
      await checkEmployee(judged, { ...work.asker, table: work.table })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      Object.assign(fields, error.fields)
    }
  if (!parsed.success || Object.keys(fields).length > 0) return { fields }
  const { password: _, ...item } = parsed.data
  return { item: await named(withoutTwice(item), { nameformat_id }) }
}

const employees: ImportNoun<'employee/import', Employee> = {
  columns: employeeColumns,
  required: ['first_name', 'last_name', 'workno', 'department'],

  isExample: cells => isExample(cells, ['first_name', 'last_name', 'workno']),

  async plan(rows, work, said) {
    const lookUps = await readLookUps(work.table)
    const planned: { row: number; item: Employee }[] = []
    const problems: SheetProblem[] = []
    const numbers = new Set<string>()
    const names: RowName[] = []
    await inPortions(rows, async (portion, done) => {
      for (const row of portion) {
        const judged = await readEmployee(row, lookUps, work)
        const { data: number = '' } = form().shape.workno.safeParse(row.cells.workno)
        const isTwice = numbers.has(number)
        if ('fields' in judged || isTwice)
          problems.push(
            ...problemsOf(row, { ...(isTwice && { workno: 59014 }), ...('fields' in judged && judged.fields) }),
          )
        else planned.push({ row: row.row, item: { id: rowId(work.task, row.row), ...judged.item } })
        if (number === '') continue
        numbers.add(number)
        names.push({ row: row.row, name: number })
      }
      await said(done)
    })
    return { planned, problems, names }
  },

  async collisions(names, { table }, said) {
    const problems: SheetProblem[] = []
    await inPortions(names, async (portion, done) => {
      const holders = await table.getMany(portion.map(({ name }) => worknoKey(name)))
      portion.forEach(({ row, name }, i) => {
        if (holders[i]) problems.push(...problemsOf({ row, cells: { workno: name } }, { workno: 59014 }))
      })
      await said(done)
    })
    return problems
  },

  // Skip the check of departments here, because concurrent parts would contend for one department item. The import
  // checks the departments at its end instead: a deletion after that check finds the new members.
  add: (employee, { table }) => addEmployee(table, employee).filter(({ isRequirement }) => !isRequirement),

  async missing(planned, { table }) {
    const [departments, customRoles] = await Promise.all([
      readDepartments(table),
      table.all<CustomRole>({ pk: roleKey('').pk }),
    ])
    const stays = ({ leavingAt }: { leavingAt?: string }) => leavingAt === undefined
    const there = new Set([...departments, ...customRoles].filter(stays).map(({ id }) => id))
    return planned.flatMap(({ row, item }): SheetProblem[] => {
      const hasRole = item.roleId === undefined || systemRole(item.roleId) || there.has(item.roleId)
      if (!departmentsOf(item).every(id => there.has(id))) return [{ row, field: 'department', code: 60004 }]
      return hasRole ? [] : [{ row, field: 'role', code: 60004 }]
    })
  },

  async takeBack(ids, { table, company }) {
    const employees = (await table.getMany(ids.map(employeeKey))).filter(employee => employee !== undefined)
    const accounts = await Promise.all(employees.map(employee => leaveAccount(company, employee)))
    const people = employees.map((employee, i) => [
      ...removeEmployee(table, employee),
      // No employee used these IDs before the import, so free them.
      ...[employee.workno, ...(employee.formerWorknos ?? [])].map(number => table.remove(worknoKey(number))),
      ...(accounts[i] ?? []),
    ])
    // A person who got departments or a password meanwhile needs more writes.
    for (const together of inSaves(people, writes => writes)) await save(...together.flat())
  },
}

export const employeeImport = importKind(employees)
