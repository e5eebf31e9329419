import { type Department, departmentKey, withAllBelow } from '../../shared/department.ts'
import { Problem } from '../../shared/errors.ts'
import { type CustomRole, mostRoleDepartments, roleKey } from '../../shared/role.ts'
import type { Item, Table, Write } from './table.ts'

/** All departments: there are few, and names, trees and counts need them together. */
export const readDepartments = (table: Table): Promise<Item<Department>[]> =>
  table.all<Department>({ pk: departmentKey('').pk })

/** Some departments with all below them, as the tree stands now. */
export const departmentsBelow = async (table: Table, roots: string[]): Promise<Set<string>> =>
  withAllBelow(await table.all<Department>({ pk: departmentKey('').pk, only: ['id', 'parent'] }), roots)

/** Lets a role name some more departments; throws 60002 where it would name more than a role may. */
export const addToRole = (table: Table, role: Item<CustomRole>, departments: string[]): Write => {
  const all = [...role.departments, ...departments]
  if (all.length > mostRoleDepartments) throw new Problem(60002)
  return table.replace(roleKey(role.id), { ...role, departments: all })
}
