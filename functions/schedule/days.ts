import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { fullName } from '../../shared/person-name.ts'
import { withNeighbours } from '../../shared/schedule/conflict.ts'
import type { PlannedDays } from '../../shared/schedule.ts'
import { settleEach } from '../kit/each.ts'
import { again, isContended } from '../kit/table/change.ts'
import { type Item, inSaves, mostWrites, save, type Table } from '../kit/table.ts'
import {
  conflictsIn,
  entriesOfAudit,
  type Months,
  readMonths,
  readShifts,
  saveMonths,
  setDay,
  shiftsOn,
  writesOfMonths,
} from './store.ts'

// Sets days of several people within one call. A longer plan is a task: see `write.ts`.

/** The most writes of a group saved together. This number leaves room in the transaction for concurrent additions. */
const writesTogether = 60
const groupsAtOnce = 4
/** The time limit of a call. The cloud ends a call after 29 seconds, and the response must be out before that. */
const mostMilliseconds = 20_000

/** Throws 59031 if shifts of an employee would overlap. The problem lists the employees, days and shifts. */
const checkConflicts = async (
  table: Table,
  zone: string,
  employees: Item<Employee>[],
  byEmployee: Map<string, Months>,
  days: string[],
) => {
  const shifts = await readShifts(table, byEmployee.values())
  const around = withNeighbours(days)
  const conflicts = employees.flatMap(employee =>
    conflictsIn(zone, shifts, byEmployee.get(employee.id) ?? new Map(), around).map(conflict => ({
      ...{ employee: employee.id, name: fullName(employee) },
      ...conflict,
    })),
  )
  if (conflicts.length > 0) throw new Problem(59031, { days: 59031 }, conflicts.slice(0, 50))
}

interface Planning {
  table: Table
  zone: string
  employees: Item<Employee>[]
  days: string[]
  /** Returns the new shifts of a day. */
  plan: (shifts: string[]) => string[]
}

/** Saves the days of some people together. Throws 60006 if concurrent changes made them too many for one save. */
const saveTogether = async (table: Table, people: Item<Employee>[], byEmployee: Map<string, Months>) => {
  const [first] = people
  const isThere = ({ id }: Employee) => table.require(employeeKey(id), { code: 60004, fields: { employees: 60004 } })
  const monthsOf = ({ id }: Employee): Months => byEmployee.get(id) ?? new Map()
  if (first && people.length === 1) return saveMonths(table, first.id, monthsOf(first), () => [isThere(first)])
  const changes = people.map(person => ({ person, ...writesOfMonths(table, person.id, monthsOf(person)) }))
  const writes = changes.flatMap(({ person, writes }) => (writes.length > 0 ? [isThere(person), ...writes] : []))
  if (writes.length > mostWrites - entriesOfAudit) throw new Problem(60006)
  if (writes.length > 0) await save(...writes)
  return changes.reduce((sum, { changed }) => sum + changed, 0)
}

/**
 * Plans days of employees. Checks all conflicts before the first save. Saves people who fit in one transaction together
 * or not at all, and checks them again after a concurrent change. The answer names each person whose days stay
 * unchanged. Throws if it can save no group.
 */
export const planDays = async ({ table, zone, employees, days, plan }: Planning): Promise<PlannedDays> => {
  const until = performance.now() + mostMilliseconds
  const read = async (people: Item<Employee>[]) => {
    const ids = people.map(({ id }) => id)
    const byEmployee = await readMonths(table, ids, withNeighbours(days))
    for (const months of byEmployee.values()) for (const day of days) setDay(months, day, plan(shiftsOn(months, day)))
    await checkConflicts(table, zone, people, byEmployee, days)
    return byEmployee
  }
  const planned = await read(employees)
  const writesFor = ({ id }: Employee) => [
    table.require(employeeKey(id), { code: 60004 }),
    ...writesOfMonths(table, id, planned.get(id) ?? new Map()).writes,
  ]
  const groups = inSaves(employees, writesFor, mostWrites - writesTogether)
  const { done, refused } = await settleEach(groupsAtOnce, groups, group =>
    again(async tries => saveTogether(table, group, tries === 1 ? planned : await read(group)), isContended, until),
  )
  return {
    changedDays: done.reduce((sum, days) => sum + days, 0),
    refused: refused.flatMap(({ one: group, code }) =>
      group.map(employee => ({ employee: employee.id, name: fullName(employee), code })),
    ),
  }
}
