import type { PathCall } from '../../api.ts'
import type { RowOf } from '../../read.ts'

export type Employee = RowOf<'employee/grid'>

/** The complete input for an update of an employee, because the server removes omitted fields. */
export const formOf = (employee: Employee): PathCall<'employee/update'> => {
  const { id, version, first_name, last_name, workno, department, departments, position, email, tel } = employee
  const { hireDay, endDay, role, roleId } = employee
  return {
    ...{ id, version, first_name, last_name, workno, department, role },
    ...(departments && { departments }),
    ...(position && { position }),
    ...(email && { email }),
    ...(tel && { tel }),
    ...(hireDay && { hireDay }),
    ...(endDay && { endDay }),
    ...(roleId && { roleId }),
  }
}
