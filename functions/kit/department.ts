import { type Department, departmentKey, withAllBelow } from '../../shared/department.ts'
import type { Item, Table } from './table.ts'

/** All departments: there are few, and names, trees and counts need them together. */
export const readDepartments = (table: Table): Promise<Item<Department>[]> =>
  table.all<Department>({ pk: departmentKey('').pk })

/** Some departments with all below them, as the tree stands now. */
export const departmentsBelow = async (table: Table, roots: string[]): Promise<Set<string>> =>
  withAllBelow(await table.all<Department>({ pk: departmentKey('').pk, only: ['id', 'parent'] }), roots)
