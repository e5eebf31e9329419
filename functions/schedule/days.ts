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

// Days of several people, set by one call. A plan that takes longer is a task: `schedule-write.ts`.

/** People who are saved together take this many writes, which leaves room for what others add meanwhile. */
const writesTogether = 60
const groupsAtOnce = 4
/** The cloud ends a call after 29 seconds; by then it has said who was saved. */
const mostMilliseconds = 20_000

/** Throws 59031 where duties of one employee would overlap, and names who, when and with what. */
const checkConflicts = async (
  table: Table,
  zone: string,
  employees: Item<Employee>[],
  byEmployee: Map<string, Months>,
  days: string[],
) => {
  const shifts = await readShifts(table, byEmployee.values())
  const around = withNeighbours(days)
  const found = employees.flatMap(employee =>
    conflictsIn(zone, shifts, byEmployee.get(employee.id) ?? new Map(), around).map(conflict => ({
      ...{ employee: employee.id, name: fullName(employee) },
      ...conflict,
    })),
  )
  if (found.length > 0) throw new Problem(59031, { days: 59031 }, found.slice(0, 50))
}

interface Planning {
  table: Table
  zone: string
  employees: Item<Employee>[]
  days: string[]
  /** What a day holds afterwards. */
  plan: (held: string[]) => string[]
}

/** Writes that save the days of some people together; throws 60006 where others added more than one save has room for. */
const saveTogether = async (table: Table, people: Item<Employee>[], byEmployee: Map<string, Months>) => {
  const [only] = people
  const isThere = ({ id }: Employee) => table.require(employeeKey(id), { code: 60004, fields: { employees: 60004 } })
  const monthsOf = ({ id }: Employee): Months => byEmployee.get(id) ?? new Map()
  if (only && people.length === 1) return saveMonths(table, only.id, monthsOf(only), () => [isThere(only)])
  const changes = people.map(person => ({ person, ...writesOfMonths(table, person.id, monthsOf(person)) }))
  const writes = changes.flatMap(({ person, changed, writes }) => (changed > 0 ? [isThere(person), ...writes] : []))
  if (writes.length > mostWrites - entriesOfAudit) throw new Problem(60006)
  if (writes.length > 0) await save(...writes)
  return changes.reduce((sum, { changed }) => sum + changed, 0)
}

/**
 * Plans days of employees: what all of them would hold is judged before the first is saved. People who fit one transaction are
 * saved together or not at all, and judged again where somebody else changed one of them meanwhile. The answer names
 * everybody whose days stay as they were; where nobody's changed, the call is refused.
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
