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
 * Applies the company's current name order to all employees. A repeated run skips employees with the current order, so
 * the latest order wins.
 */
export const renameEverybody = async (work: Walking & Pick<TakingBack<TaskKind>, 'company'>): Promise<void> => {
  if (work.memory.isRenamed) return
  const table = openTable(work.company)
  const { nameformat_id } = await readCompany({ table })
  const isFamilyFirst = nameformat_id === nameFormats.familyFirst
  const isCurrent = (employee: Pick<Employee, 'isFamilyFirst' | 'erasedAt'>) =>
    employee.erasedAt !== undefined || (employee.isFamilyFirst ?? false) === isFamilyFirst
  const rename = <E extends Employee>({ isFamilyFirst: _, ...employee }: E) =>
    ({ ...employee, ...(isFamilyFirst && { isFamilyFirst }) }) as E
  const [present, former] = await Promise.all([
    table.all<Employee>({ pk: employeeKey('').pk, only: ['id', 'isFamilyFirst'] }),
    table.all<FormerEmployee>({ pk: formerEmployeeKey('').pk, only: ['id', 'isFamilyFirst', 'erasedAt'] }),
  ])
  const due = [
    ...present
      .filter(employee => !isCurrent(employee))
      .map(
        ({ id }) =>
          () =>
            alterEmployee(table, id, rename),
      ),
    ...former
      .filter(employee => !isCurrent(employee))
      .map(
        ({ id }) =>
          () =>
            change(table, formerEmployeeKey(id), rename),
      ),
  ]
  for (let done = 0; done < due.length; done += portionEmployees) {
    await work.tell('write', done, due.length)
    await atOnce(employeesAtOnce, due.slice(done, done + portionEmployees), write => write())
    work.pause()
  }
  await work.remember({ isRenamed: true })
}
