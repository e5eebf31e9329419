import { withAllBelow } from '../../shared/department.ts'
import { type Employee, employeeKey, hasLeft, rareMemberPk, roleMemberPk } from '../../shared/employee.ts'
import type { Permission } from '../../shared/permissions.ts'
import { type CustomRole, roleKey, systemRoles } from '../../shared/role.ts'
import { readDepartments } from '../department/store.ts'
import { type Rights, rightsOf } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'

// Who has a permission now, asked of the roles as they are.

const atTheSameTime = 8

/** Somebody who has it, and in which departments. */
export interface Holder {
  employee: Item<Employee>
  rights: Rights
}

/** What somebody may do now who has the permission; undefined where they have not. */
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

/** Everybody who has a permission, found in the lists of the few. */
export const readHolders = async (table: Table, permission: Permission, today: string): Promise<Holder[]> => {
  const [custom, departments] = await Promise.all([
    table.all<CustomRole>({ pk: roleKey('').pk }),
    readDepartments(table),
  ])
  const holding = [...systemRoles, ...custom].flatMap(({ id, permissions }) =>
    permissions.includes(permission) ? [roleMemberPk(id)] : [],
  )
  const members = await atOnce(atTheSameTime, [rareMemberPk('administrator'), ...holding], pk =>
    table.all<{ employee: string }>({ pk, only: ['employee'] }),
  )
  const ids = new Set(members.flat().map(({ employee }) => employee))
  const people = await table.getMany([...ids].map(employeeKey))
  const below = async (roots: string[]) => withAllBelow(departments, roots)
  const found = await atOnce(atTheSameTime, people, async employee => {
    const rights = employee && (await holdsNow(table, permission, employee, today, below))
    return rights ? [{ employee, rights }] : []
  })
  return found.flat()
}
