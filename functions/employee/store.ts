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
import { roles } from '../../shared/permissions.ts'
import { fullName } from '../../shared/person-name.ts'
import { assignedNumberKey } from '../../shared/record/orphan.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import type { Key } from '../../shared/table.ts'
import { countChange } from '../department/headcount.ts'
import { type Caller, managesEmployee } from '../kit/caller.ts'
import { change } from '../kit/table/change.ts'
import type { Item, Otherwise, Table, Write } from '../kit/table.ts'

// An employee is an item, the number that is theirs for ever, and a member of each of their departments and of their role.
// Whoever writes an employee writes all of it through these functions and through nothing else, so that no list can miss
// anybody.

const numberTaken: Otherwise = { code: 59014, fields: { workno: 59014 } }

/** Every department somebody comes into is there and not on its way out. */
const requireDepartments = (table: Table, employee: Employee, before?: Employee): Write[] => {
  const known = new Set(before && departmentsOf(before))
  return departmentsOf(employee).flatMap(department => {
    const other = employee.departments?.indexOf(department) ?? -1
    const field = department === employee.department ? 'department' : `departments.${other}`
    return known.has(department)
      ? []
      : [table.require(departmentKey(department), { code: 60004, fields: { [field]: 60004 } })]
  })
}

/** The role of number 2 somebody holds, if any. */
const roleOf = (employee: Employee | undefined) => (employee?.role === roles.manager ? employee.roleId : undefined)

/** A custom role somebody is given is there and not on its way out. */
const requireRole = (table: Table, employee: Employee, before?: Employee): Write[] => {
  const role = roleOf(employee)
  if (role === undefined || role === roleOf(before) || systemRole(role)) return []
  return [table.require(roleKey(role), { code: 60004, fields: { roleId: 60004 } })]
}

/** Puts somebody into the lists of their departments and role, takes them out of those they left or stood in by another name, and counts them. */
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
 * The employee with the setter of their address. An address that a person enters themselves is worth what their sign-in is worth:
 * its giver may be the one who signed in.
 */
const withSetter = <E extends Employee>({ by }: Table, now: E, before?: Employee): E => {
  const { emailSetBy, ...rest } = now
  const own = before ? before.passwordSetBy : now.id
  const setter = now.email === before?.email ? before?.emailSetBy : by === now.id ? own : (by ?? emailSetBy)
  return { ...rest, ...(now.email !== undefined && setter !== undefined && { emailSetBy: setter }) } as E
}

/** Whoever was told of punches with it before, was told that they are nobody's. */
const takeNumber = (table: Table, { id, workno }: Employee): Write =>
  table.insert(worknoKey(workno), { employee: id, untoldBefore: new Date().toISOString() }, numberTaken)

/**
 * Adds an employee: refused with 59014 where the number is or was anybody's, 60004 where a department is not there (unless the
 * same save makes it). Three writes for somebody of one department, two that count and one that only looks at it.
 */
export const addEmployee = (table: Table, employee: Employee): Write[] => [
  takeNumber(table, employee),
  ...requireDepartments(table, employee),
  ...requireRole(table, employee),
  table.insert(employeeKey(employee.id), withSetter(table, employee)),
  ...writeMembers(table, undefined, employee),
]

/**
 * A deleted employee works for the company again, in one department and without a sign-in. The number is still theirs.
 * Throws 60004 if the department no longer exists.
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
 * Changes an employee on top of the version `now` brings, which must be the one `before` was read with. A number that was
 * given up stays theirs, and they may have it back.
 */
export const changeEmployee = (table: Table, before: Item<Employee>, now: Item<Employee>): Write[] => {
  const isRenumbered = now.workno !== before.workno
  const { formerWorknos: _, ...rest } = withSetter(table, now, before)
  const formerWorknos = (before.formerWorknos ?? []).filter(number => number !== now.workno)
  if (isRenumbered) formerWorknos.push(before.workno)
  return [
    table.replace(employeeKey(now.id), { ...rest, ...(formerWorknos.length > 0 && { formerWorknos }) }),
    ...(isRenumbered && !before.formerWorknos?.includes(now.workno) ? [takeNumber(table, now)] : []),
    // What is their own number now is not given back.
    ...(isRenumbered ? [table.remove(assignedNumberKey(now.workno))] : []),
    ...requireDepartments(table, now, before),
    ...requireRole(table, now, before),
    ...writeMembers(table, before, now),
  ]
}

/** Says which numbers are somebody's beside their own; nothing else of them. */
export const keepNumbers = (
  table: Table,
  { formerWorknos: _, ...employee }: Item<Employee>,
  formerWorknos: string[],
): Write => table.replace(employeeKey(employee.id), { ...employee, ...(formerWorknos.length > 0 && { formerWorknos }) })

/**
 * Takes an employee away, and out of all lists. The number stays taken: punches of years are found by it; who takes back what
 * was never in use removes it too.
 */
export const removeEmployee = (table: Table, employee: Item<Employee>): Write[] => [
  table.remove(employeeKey(employee.id), employee.version),
  ...writeMembers(table, employee, undefined),
]

/** As `change`, for an employee: reads, changes and saves, and again where somebody else was quicker. */
export const alterEmployee = (
  table: Table,
  id: string,
  alter: (employee: Item<Employee>) => Employee | undefined,
): Promise<Item<Employee> | undefined> =>
  change(table, employeeKey(id), alter, (before, now) => changeEmployee(table, before, now))

/** An employee as callers see one: whether the person can sign in, not by what. The photo is shown by those who can sign for it. */
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

/** An employee, also one who has left and was deleted: what they worked is still calculated. */
export const findEmployee = async (table: Table, id: string): Promise<Item<Employee> | undefined> =>
  (await table.get(employeeKey(id))) ?? table.get(formerEmployeeKey(id))

/** Some people as they are, also those who have left. */
export const findEmployees = async (table: Table, ids: Iterable<string>): Promise<Item<Employee>[]> => {
  const all = [...new Set(ids)]
  const present = await table.getMany(all.map(employeeKey))
  const former = await table.getMany(all.filter((_, i) => !present[i]).map(formerEmployeeKey))
  return [...present, ...former].filter(person => person !== undefined)
}

/** The names of some people; of nobody whom the caller may not see. */
export const readNamesFor = async (
  caller: Pick<Caller, 'table' | 'departments' | 'employee'>,
  ids: Iterable<string>,
): Promise<Map<string, string>> => {
  const maySee = (person: Employee) => person.id === caller.employee.id || managesEmployee(caller, person)
  const found = await findEmployees(caller.table, ids)
  return new Map(found.filter(maySee).map(person => [person.id, fullName(person)]))
}
