import type { Employee } from '../../shared/employee.ts'
import type { Item } from './table.ts'

/** An employee as callers see one: whether the person can sign in, not by what. */
export const showEmployee = ({ account, formerWorknos: _, ...employee }: Item<Employee>) => ({
  ...employee,
  canSignIn: account !== undefined,
})
