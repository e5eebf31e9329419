import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import type { Item, Table } from './table.ts'

/** An employee as callers see one: whether the person can sign in, not by what. The photo is shown by those who can sign for it. */
export const showEmployee = ({ account, formerWorknos: _f, photo: _p, ...employee }: Item<Employee>) => ({
  ...employee,
  canSignIn: account !== undefined,
})

/** An employee, also one who has left and was deleted: what they worked is still calculated. */
export const findEmployee = async (table: Table, id: string): Promise<Item<Employee> | undefined> =>
  (await table.get(employeeKey(id))) ?? table.get(formerEmployeeKey(id))
