import { type Employments, isEmployedOn } from '../../shared/attendance/employment.ts'
import { isLocked } from '../../shared/company.ts'
import type { Input } from '../../shared/contract.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import {
  type Employee,
  type employeePaths,
  type FormerEmployee,
  formerEmployeeKey,
  type RemovedDays,
} from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { figuresOf } from '../../shared/figure.ts'
import { localDay } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { type Item, save } from '../kit/table.ts'
import { changeableEmployee, checkDepartments } from './form.ts'
import { changeEmployee, returnEmployee } from './store.ts'

// Hire and end dates decide which days exist. A change never removes days unnoticed, and a rehired person keeps the
// earlier employment.

/** The unlocked days with a row that the change would remove; undefined if there are none. */
const readRemovedDays = async (
  caller: Caller,
  id: string,
  before: Employments,
  after: Employments,
): Promise<RemovedDays | undefined> => {
  const [company, rows] = await Promise.all([
    readCompany(caller),
    caller.table.all<DayRow>({ pk: dayRowKey(id, '', null, 1).pk }),
  ])
  // Rows after today contain only planned shifts.
  const today = localDay(company.timezone, Date.now())
  const removed = rows.filter(
    ({ day }) => day <= today && isEmployedOn(before, day) && !isEmployedOn(after, day) && !isLocked(company, day),
  )
  const days = [...new Set(removed.map(({ day }) => day))].sort()
  const [from, to] = [days[0], days.at(-1)]
  if (from === undefined || to === undefined) return undefined
  const workMinutes = removed.reduce((sum, row) => {
    const figures = figuresOf(row)
    return sum + figures.workMinutes + figures.unscheduledMinutes + figures.overtimeMinutes
  }, 0)
  return { days: days.length, from, to, workMinutes }
}

/**
 * Throws 60090 with the removed days, unless the caller confirms their number. Throws 10002 for a hire date within an
 * earlier employment.
 */
export const checkEmployments = async (
  caller: Caller,
  before: Employee,
  after: Employments,
  confirmedDays: number | undefined,
): Promise<void> => {
  const { earlierEmployments = [] } = before
  const lastEnd = earlierEmployments.at(-1)?.endDay
  if (lastEnd !== undefined && (after.hireDay ?? '') <= lastEnd) throw new Problem(10002, { hireDay: 10002 })
  if (before.hireDay === after.hireDay && before.endDay === after.endDay) return
  const removed = await readRemovedDays(caller, before.id, before, { ...after, earlierEmployments })
  if (!removed || removed.days === confirmedDays) return
  const field = removed.from < (after.hireDay ?? '') ? 'hireDay' : 'endDay'
  throw new Problem(60090, { [field]: 60090 }, removed)
}

/**
 * The person with another employment from this day on. Throws 60091 if the last employment has no end, and 10002 if the
 * day is not after its end.
 */
const withNext = <E extends Employee>(person: E, hireDay: string): E => {
  const { hireDay: firstDay, endDay, earlierEmployments = [], ...rest } = person
  if (endDay === undefined) throw new Problem(60091, { id: 60091 })
  if (hireDay <= endDay) throw new Problem(10002, { hireDay: 10002 })
  const ended = { ...(firstDay !== undefined && { hireDay: firstDay }), endDay }
  return { ...rest, hireDay, earlierEmployments: [...earlierEmployments, ended] } as unknown as E
}

/** Throws 60004 for an unknown or erased person, and 60006 during the deletion. */
const readFormer = async ({ table, employee, departments }: Caller, id: string): Promise<Item<FormerEmployee>> => {
  const former = await table.get(formerEmployeeKey(id))
  // Only administrators may see deleted employees.
  const maySee = departments === undefined && employee.role === roles.administrator
  if (!former || former.erasedAt || !maySee) throw new Problem(60004, { id: 60004 })
  if (former.isLeaving) throw new Problem(60006)
  return former
}

export const rehire = async (
  caller: Caller,
  { id, hireDay, department }: Input<(typeof employeePaths)['employee/rehire']>,
): Promise<void> => {
  const { table } = caller
  if (department !== undefined && !manages(caller, department)) throw new Problem(60004, { department: 60004 })
  const moved = <E extends Employee>(person: E): E => ({
    ...withNext(person, hireDay),
    ...(department !== undefined && {
      department,
      departments: person.departments?.filter(other => other !== department),
    }),
  })
  const present = await changeableEmployee(caller, id).catch(error => {
    if (error instanceof Problem && error.code === 60004) return undefined
    throw error
  })
  if (present) {
    const next = moved(present)
    checkDepartments(next, caller, present)
    return save(...changeEmployee(table, present, next))
  }
  const former = await readFormer(caller, id)
  return save(...returnEmployee(table, former, moved(former)))
}
