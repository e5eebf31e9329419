import { withAllBelow } from '../../shared/department.ts'
import { type Employee, employeeKey, hasLeft, rareMemberPk, roleMemberPk } from '../../shared/employee.ts'
import type { Permission } from '../../shared/permissions.ts'
import { type CustomRole, roleKey, systemRoles } from '../../shared/role.ts'
import { readDepartments } from '../department/store.ts'
import { type Rights, rightsOf } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'

// Finds the employees who have a permission by their current roles.

const atTheSameTime = 8

/** An employee with the permission, and the employee's rights. */
export interface Holder {
  employee: Item<Employee>
  rights: Rights
}

/** The current rights of an employee. Undefined without the permission, or after the employee's last day. */
export const holdsNow = async (
  table: Table,
  permission: Permission,
  employee: Employee,
  today: string,
  below?: Parameters<typeof rightsOf>[2],
): Promise<Rights | undefined> => {
  const rights = hasLeft(employee, today) ? undefined : await rightsOf(table, employee, below)
  return rights?.permissions.has(permission) ? rights : undefined
}

/** All employees with a permission. Reads only the administrators and the members of roles with this permission. */
export const readHolders = async (table: Table, permission: Permission, today: string): Promise<Holder[]> => {
  const [custom, departments] = await Promise.all([
    table.all<CustomRole>({ pk: roleKey('').pk }),
    readDepartments(table),
  ])
  const rolePks = [...systemRoles, ...custom].flatMap(({ id, permissions }) =>
    permissions.includes(permission) ? [roleMemberPk(id)] : [],
  )
  const members = await atOnce(atTheSameTime, [rareMemberPk('administrator'), ...rolePks], pk =>
    table.all<{ employee: string }>({ pk, only: ['employee'] }),
  )
  const ids = new Set(members.flat().map(({ employee }) => employee))
  const people = await table.getMany([...ids].map(employeeKey))
  const below = async (roots: string[]) => withAllBelow(departments, roots)
  const holders = await atOnce(atTheSameTime, people, async employee => {
    const rights = employee && (await holdsNow(table, permission, employee, today, below))
    return rights ? [{ employee, rights }] : []
  })
  return holders.flat()
}
