import { departmentKey } from '../../shared/department.ts'
import {
  departmentMembers,
  departmentsOf,
  type Employee,
  employeeKey,
  type FormerEmployee,
  formerEmployeeKey,
  rareMembers,
  roleMemberKey,
  worknoKey,
} from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { fullName } from '../../shared/person-name.ts'
import { assignedNumberKey } from '../../shared/record/orphan.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import type { Key } from '../../shared/table.ts'
import { countChange } from '../department/headcount.ts'
import { type Caller, managesEmployee } from '../kit/caller.ts'
import { change } from '../kit/table/change.ts'
import type { Item, Otherwise, Table, Write } from '../kit/table.ts'

// An employee is an item, a permanent employee ID, and a member row per department and role. Only these functions write
// employees, so that every list stays complete.

const numberTaken: Otherwise = { code: 59014, fields: { workno: 59014 } }

/** Requires that each new department exists without a deletion mark. */
const requireDepartments = (table: Table, employee: Employee, before?: Employee): Write[] => {
  const previous = new Set(before && departmentsOf(before))
  return departmentsOf(employee).flatMap(department => {
    const other = employee.departments?.indexOf(department) ?? -1
    const field = department === employee.department ? 'department' : `departments.${other}`
    return previous.has(department)
      ? []
      : [table.require(departmentKey(department), { code: 60004, fields: { [field]: 60004 } })]
  })
}

/** The custom or system role of an employee with role 2. */
const roleOf = (employee: Employee | undefined) => (employee?.role === roles.manager ? employee.roleId : undefined)

/** Requires that a newly assigned custom role exists without a deletion mark. */
const requireRole = (table: Table, employee: Employee, before?: Employee): Write[] => {
  const role = roleOf(employee)
  if (role === undefined || role === roleOf(before) || systemRole(role)) return []
  return [table.require(roleKey(role), { code: 60004, fields: { roleId: 60004 } })]
}

/** Updates the member rows of an employee's departments and role, and the counts. */
const writeMembers = (table: Table, before: Employee | undefined, now: Employee | undefined): Write[] => {
  const named = <T extends object>(key: Key<T>, item: T) => ({
    remove: () => table.remove(key),
    put: () => table.put(key, item),
    name: `${key.pk} ${key.sk}`,
    text: JSON.stringify([key, item]),
  })
  const membersOf = (employee: Employee) => {
    const role = roleOf(employee)
    return [
      ...departmentMembers(employee).map(([key, member]) => named(key, member)),
      ...rareMembers(employee).map(([key, member]) => named(key, member)),
      ...(role === undefined ? [] : [named(roleMemberKey(role, employee), { employee: employee.id })]),
    ]
  }
  const old = before ? membersOf(before) : []
  const due = now ? membersOf(now) : []
  const names = new Set(due.map(({ name }) => name))
  const texts = new Set(old.map(({ text }) => text))
  return [
    ...old.filter(({ name }) => !names.has(name)).map(({ remove }) => remove()),
    ...due.filter(({ text }) => !texts.has(text)).map(({ put }) => put()),
    ...countChange(table, before, now),
  ]
}

/**
 * The employee with the author of the address. An address that a person enters is as trustworthy as their sign-in,
 * which the author of that sign-in may control.
 */
const withSetter = <E extends Employee>({ by }: Table, now: E, before?: Employee): E => {
  const { emailSetBy, ...rest } = now
  const own = before ? before.passwordSetBy : now.id
  const setter = now.email === before?.email ? before?.emailSetBy : by === now.id ? own : (by ?? emailSetBy)
  return { ...rest, ...(now.email !== undefined && setter !== undefined && { emailSetBy: setter }) } as E
}

/** Reserves an employee ID. Webhooks announced earlier punches with this ID without an employee. */
const takeNumber = (table: Table, { id, workno }: Employee): Write =>
  table.insert(worknoKey(workno), { employee: id, untoldBefore: new Date().toISOString() }, numberTaken)

/**
 * Adds an employee. Throws 59014 if the employee ID is or was in use. Throws 60004 for a missing department, unless the
 * same save adds it.
 */
export const addEmployee = (table: Table, employee: Employee): Write[] => [
  takeNumber(table, employee),
  ...requireDepartments(table, employee),
  ...requireRole(table, employee),
  table.insert(employeeKey(employee.id), withSetter(table, employee)),
  ...writeMembers(table, undefined, employee),
]

/**
 * Rehires a deleted employee in one department, without a sign-in and with the old employee ID. Throws 60004 if the
 * department no longer exists.
 */
export const returnEmployee = (table: Table, former: Item<FormerEmployee>, employee: Employee): Write[] => {
  const { isLeaving: _, version: _v, roleId: _r, departments: _d, ...rest } = employee as Item<FormerEmployee>
  const returned: Employee = { ...rest, role: roles.employee }
  return [
    table.remove(formerEmployeeKey(former.id), former.version),
    ...requireDepartments(table, returned),
    table.insert(employeeKey(returned.id), returned),
    ...writeMembers(table, undefined, returned),
  ]
}

/**
 * Changes an employee at the version of `now`. `before` is the employee at that version. A former employee ID stays
 * reserved for the employee, and they can get it back.
 */
export const changeEmployee = (table: Table, before: Item<Employee>, now: Item<Employee>): Write[] => {
  const isRenumbered = now.workno !== before.workno
  const { formerWorknos: _, ...rest } = withSetter(table, now, before)
  const formerWorknos = (before.formerWorknos ?? []).filter(number => number !== now.workno)
  if (isRenumbered) formerWorknos.push(before.workno)
  return [
    table.replace(employeeKey(now.id), { ...rest, ...(formerWorknos.length > 0 && { formerWorknos }) }),
    ...(isRenumbered && !before.formerWorknos?.includes(now.workno) ? [takeNumber(table, now)] : []),
    // A manager can no longer return an assigned number that becomes the employee's own.
    ...(isRenumbered ? [table.remove(assignedNumberKey(now.workno))] : []),
    ...requireDepartments(table, now, before),
    ...requireRole(table, now, before),
    ...writeMembers(table, before, now),
  ]
}

/** Changes only the additional employee IDs of an employee. */
export const keepNumbers = (
  table: Table,
  { formerWorknos: _, ...employee }: Item<Employee>,
  formerWorknos: string[],
): Write => table.replace(employeeKey(employee.id), { ...employee, ...(formerWorknos.length > 0 && { formerWorknos }) })

/**
 * Removes an employee from all lists. The employee ID stays taken, because punches refer to it. A failed import frees
 * its unused employee IDs itself.
 */
export const removeEmployee = (table: Table, employee: Item<Employee>): Write[] => [
  table.remove(employeeKey(employee.id), employee.version),
  ...writeMembers(table, employee, undefined),
]

/** Like `change`, for an employee: reads, changes and saves, and retries on a conflict. */
export const alterEmployee = (
  table: Table,
  id: string,
  alter: (employee: Item<Employee>) => Employee | undefined,
): Promise<Item<Employee> | undefined> =>
  change(table, employeeKey(id), alter, (before, now) => changeEmployee(table, before, now))

/**
 * An employee as callers see one, with the fact of a sign-in but without secrets. The caller adds the signed photo
 * address.
 */
export const showEmployee = ({
  account,
  formerWorknos: _f,
  sessionsSince: _s,
  emailSetBy: _e,
  passwordSetBy: _b,
  photo: _p,
  ...employee
}: Item<Employee>) => ({
  ...employee,
  canSignIn: account !== undefined,
})

/** An employee or a deleted employee, because the server still calculates the days of deleted employees. */
export const findEmployee = async (table: Table, id: string): Promise<Item<Employee> | undefined> =>
  (await table.get(employeeKey(id))) ?? table.get(formerEmployeeKey(id))

/** An employee whom the caller manages. Throws 60004 at `employee` for anybody else. */
export const readManaged = async (caller: Caller, id: string): Promise<Item<Employee>> => {
  const employee = await caller.table.get(employeeKey(id))
  if (!employee || !managesEmployee(caller, employee)) throw new Problem(60004, { employee: 60004 })
  return employee
}

/** Several employees, including deleted ones. */
export const findEmployees = async (table: Table, ids: Iterable<string>): Promise<Item<Employee>[]> => {
  const all = [...new Set(ids)]
  const present = await table.getMany(all.map(employeeKey))
  const former = await table.getMany(all.filter((_, i) => !present[i]).map(formerEmployeeKey))
  return [...present, ...former].filter(person => person !== undefined)
}

/** The names of the given employees, without those whom the caller may not see. */
export const readNamesFor = async (
  caller: Pick<Caller, 'table' | 'departments' | 'employee'>,
  ids: Iterable<string>,
): Promise<Map<string, string>> => {
  const maySee = (person: Employee) => person.id === caller.employee.id || managesEmployee(caller, person)
  const people = await findEmployees(caller.table, ids)
  return new Map(people.filter(maySee).map(person => [person.id, fullName(person)]))
}
