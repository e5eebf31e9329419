import type { PathCall } from '../../api.ts'
import type { RowOf } from '../../read.ts'

export type Employee = RowOf<'employee/grid'>

/** A person as the path that changes them wants them: whole, for what is left out is removed. */
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
