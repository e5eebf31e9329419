import { departmentsOf, type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import { type Caller, isGone, manages, managesEmployee } from '../kit/caller.ts'
import type { Item, Table } from '../kit/table.ts'

// Decides which employees a user may read and change, and checks the fields of a form. Paths and sheets share these
// rules.

/** The user who reads or changes employees. */
export type Changer = Pick<Caller, 'table' | 'employee' | 'departments'>

/** Throws 60004 for an employee whom the caller does not manage. */
export const managedEmployee = async (changer: Changer, id: string): Promise<Item<Employee>> => {
  const employee = await changer.table.get(employeeKey(id))
  if (!employee || !managesEmployee(changer, employee)) throw new Problem(60004, { id: 60004 })
  return employee
}

/**
 * Whether the user may change an employee: managers change employees and themselves, administrators change all people.
 */
export const mayChange = (
  { employee: { id, role } }: { employee: Pick<Employee, 'id' | 'role'> },
  employee: Employee,
): boolean =>
  employee.role === roles.employee || employee.role === roles.none || employee.id === id || role === roles.administrator

/**
 * Whether the user who set up a sign-in or an address may still change the person. An unknown user, an API key and a
 * former employee may change no manager.
 */
export const isGivenFromAbove = async (
  table: Table,
  giver: string | undefined,
  employee: Employee,
): Promise<boolean> => {
  const nobody = { id: '', role: roles.none }
  if (giver === employee.id || mayChange({ employee: nobody }, employee)) return true
  const stored = giver === undefined ? undefined : await table.get(employeeKey(giver))
  return mayChange({ employee: stored ?? nobody }, employee)
}

/** Like `managedEmployee`; also throws 60005 for an employee whom the caller may not change. */
export const changeableEmployee = async (changer: Changer, id: string): Promise<Item<Employee>> => {
  const employee = await managedEmployee(changer, id)
  if (!mayChange(changer, employee)) throw new Problem(60005)
  return employee
}

/** The fields of an employee's form that these checks need. */
export type EmployeeForm = Pick<Employee, 'department' | 'role'> & {
  [name in 'roleId' | 'hireDay' | 'endDay']?: string | undefined
} & { departments?: string[] | undefined }

/** Throws unless the user manages each department that the form adds or removes. */
export const checkDepartments = (form: EmployeeForm, changer: Changer, before?: Employee) => {
  const isMine = (department: string) => manages(changer, department)
  const [previous, next] = [new Set(before && departmentsOf(before)), new Set(departmentsOf(form))]
  if (!previous.has(form.department) && !isMine(form.department)) throw new Problem(60004, { department: 60004 })
  const wrong = form.departments?.findIndex(department => !previous.has(department) && !isMine(department)) ?? -1
  if (wrong >= 0) throw new Problem(60004, { [`departments.${wrong}`]: 60004 })
  if (before && form.department !== before.department && !isMine(before.department))
    throw new Problem(60005, { department: 60005 })
  if ([...previous].some(department => !next.has(department) && !isMine(department)))
    throw new Problem(60005, { departments: 60005 })
}

/**
 * Checks across fields: managed departments, assignable roles, and an end date not before the hire date. The owner
 * stays administrator, and users cannot remove their own access (60054).
 */
export const checkEmployee = async (form: EmployeeForm, changer: Changer, before?: Employee): Promise<void> => {
  const { table } = changer
  checkDepartments(form, changer, before)
  if (form.hireDay && form.endDay && form.endDay < form.hireDay) throw new Problem(10002, { endDay: 10002 })
  const changesRole = form.role !== (before?.role ?? roles.employee) || form.roleId !== before?.roleId
  // Otherwise a manager could create an administrator.
  if (changesRole && changer.employee.role !== roles.administrator) throw new Problem(60005, { role: 60005 })
  if (before?.isOwner && form.role !== roles.administrator) throw new Problem(60054, { role: 60054 })
  const isSelf = before?.id === changer.employee.id
  if (isSelf && form.role === roles.none) throw new Problem(60054, { role: 60054 })
  if (before && (before.isOwner || isSelf) && (await isGone(table, { ...before, endDay: form.endDay })))
    throw new Problem(60054, { endDay: 60054 })
  if (!changesRole) return
  if (form.role === roles.manager && !form.roleId) throw new Problem(10002, { roleId: 60001 })
  if (form.roleId === undefined) return
  const role = form.role === roles.manager && (systemRole(form.roleId) ?? (await table.get(roleKey(form.roleId))))
  if (!role) throw new Problem(60004, { roleId: 60004 })
}

/** The form with each department once. The additional departments never contain the main department. */
export const withoutTwice = <F extends Pick<EmployeeForm, 'department' | 'departments'>>({
  departments: given = [],
  ...form
}: F) => {
  const [, ...departments] = departmentsOf({ department: form.department, departments: given })
  return { ...form, ...(departments.length > 0 && { departments }) }
}

/** A person with a role no longer waits for a role. */
export const withoutWait = <E extends Pick<Employee, 'role' | 'isWaiting'>>({ isWaiting, ...employee }: E) => ({
  ...employee,
  ...(isWaiting && employee.role === roles.none && { isWaiting }),
})
