import { nameFormats } from '../../shared/company.ts'
import { type Employee, employeeKey, type FormerEmployee, formerEmployeeKey } from '../../shared/employee.ts'
import type { TaskKind } from '../../shared/task.ts'
import type { Walking } from '../day/span.ts'
import { alterEmployee } from '../employee/store.ts'
import { atOnce } from '../kit/each.ts'
import { change } from '../kit/table/change.ts'
import { openTable } from '../kit/table.ts'
import type { TakingBack } from '../kit/task.ts'
import { readCompany } from './store.ts'

const employeesAtOnce = 8
const portionEmployees = 200

/**
 * Writes the names of all employees in the company's present order. Another run skips the employees that have it, so the order
 * that the company chose last wins.
 */
export const renameEverybody = async (work: Walking & Pick<TakingBack<TaskKind>, 'company'>): Promise<void> => {
  if (work.memory.isRenamed) return
  const table = openTable(work.company)
  const { nameformat_id } = await readCompany({ table })
  const isFamilyFirst = nameformat_id === nameFormats.familyFirst
  const isRight = (employee: Pick<Employee, 'isFamilyFirst' | 'erasedAt'>) =>
    employee.erasedAt !== undefined || (employee.isFamilyFirst ?? false) === isFamilyFirst
  const renamed = <E extends Employee>({ isFamilyFirst: _, ...employee }: E) =>
    ({ ...employee, ...(isFamilyFirst && { isFamilyFirst }) }) as E
  const [present, former] = await Promise.all([
    table.all<Employee>({ pk: employeeKey('').pk, only: ['id', 'isFamilyFirst'] }),
    table.all<FormerEmployee>({ pk: formerEmployeeKey('').pk, only: ['id', 'isFamilyFirst', 'erasedAt'] }),
  ])
  const due = [
    ...present
      .filter(employee => !isRight(employee))
      .map(
        ({ id }) =>
          () =>
            alterEmployee(table, id, renamed),
      ),
    ...former
      .filter(employee => !isRight(employee))
      .map(
        ({ id }) =>
          () =>
            change(table, formerEmployeeKey(id), renamed),
      ),
  ]
  for (let done = 0; done < due.length; done += portionEmployees) {
    await work.tell('write', done, due.length)
    await atOnce(employeesAtOnce, due.slice(done, done + portionEmployees), write => write())
    work.pause()
  }
  await work.remember({ isRenamed: true })
}
