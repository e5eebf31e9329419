import { dayNumber } from '../shared/attendance/calendar.ts'
import { conflicts } from '../shared/attendance/shift.ts'
import { instantOf } from '../shared/attendance/zone.ts'
import { type Employee, employeeKey, fullName } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays, countDays, daysBetween, laterDay, localDay } from '../shared/local-day.ts'
import { schedulePaths } from '../shared/schedule.ts'
import { shiftKey } from '../shared/shift.ts'
import { again } from './kit/again.ts'
import { atOnce } from './kit/at-once.ts'
import { type Caller, managesEmployee } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { listEmployees } from './kit/employee-list.ts'
import { lambda } from './kit/lambda.ts'
import { type Months, readMonths, saveMonths, setDay, shiftsOn, usedIn } from './kit/schedule.ts'
import type { Item, Table } from './kit/table.ts'

const mostDays = 62
const employeesAtOnce = 16

/** The browser must mean the same hours as the company on the days it schedules; another name of the zone is no matter. */
const checkTimezone = (zone: string, caller: Caller, days: string[]) => {
  const own = caller.timezone ?? zone
  const noon = (zone: string, day: string) => instantOf(zone, dayNumber(day) * 1440 + 720)
  if (own === zone || days.every(day => noon(own, day) === noon(zone, day))) return
  throw new Problem(59040)
}

const readEmployees = async (
  caller: Caller,
  ids: string[],
  field = (i: number) => `employees.${i}`,
): Promise<Item<Employee>[]> => {
  const found = await caller.table.getMany(ids.map(employeeKey))
  return found.map((employee, i) => {
    if (!employee || !managesEmployee(caller, employee)) throw new Problem(60004, { [field(i)]: 60004 })
    return employee
  })
}

const checkRange = (from: string, to: string, field: string) => {
  const count = countDays(from, to)
  if (count < 1 || count > mostDays) throw new Problem(10002, { [field]: 10002 })
}

/** Throws 59031 where duties of one employee would overlap, and names who, when and with what. */
const checkConflicts = async (
  table: Table,
  zone: string,
  employees: Item<Employee>[],
  byEmployee: Map<string, Months>,
  days: string[],
) => {
  const months = [...byEmployee.values()].flatMap(months => [...months.values()])
  const ids = new Set(months.flatMap(({ days }) => [...usedIn(days)]))
  const shifts = new Map(
    (await table.getMany([...ids].map(shiftKey))).flatMap(shift => (shift ? [[shift.id, shift] as const] : [])),
  )
  const around = withNeighbours(days)
  const found = employees.flatMap(employee => {
    const months = byEmployee.get(employee.id) ?? new Map()
    const entries = around.flatMap(day =>
      shiftsOn(months, day).flatMap(id => {
        const shift = shifts.get(id)
        return shift ? [{ day, shift }] : []
      }),
    )
    // What stood in conflict before, on days nobody touches here, is not this change's to answer for.
    const touched = conflicts(zone, entries).filter(pair => pair.some(({ day }) => days.includes(day)))
    return touched.map(([one, other]) => ({
      employee: employee.id,
      name: fullName(employee),
      day: one.day,
      shift: one.shift.name,
      withDay: other.day,
      withShift: other.shift.name,
    }))
  })
  if (found.length > 0) throw new Problem(59031, { days: 59031 }, found.slice(0, 50))
}

/** The days and those before and after them: a night shift reaches into the next day. */
const withNeighbours = (days: string[]) =>
  [...new Set(days.flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))].sort()

/** Throws 60004 for a shift that does not exist or is being deleted. */
const requireShift = async (table: Table, id: string) => {
  const shift = await table.get(shiftKey(id))
  if (!shift || shift.leavingAt) throw new Problem(60004, { shift: 60004 })
}

interface Planning {
  table: Table
  zone: string
  employees: Item<Employee>[]
  days: string[]
  /** What a day holds afterwards. */
  plan: (held: string[], employee: string, day: string) => string[]
  /** Taking away needs no judging: it must also mend a plan that a changed shift has brought into conflict. */
  onlyRemoves?: true
}

/**
 * Plans days of employees: what all of them would hold is judged before the first is saved, and again for each whose months
 * somebody else changed meanwhile. Each employee's months are saved together, while the employee is there.
 */
const planDays = async ({ table, zone, employees, days, plan, onlyRemoves }: Planning): Promise<number> => {
  const read = async (people: Item<Employee>[]) => {
    const ids = people.map(({ id }) => id)
    const byEmployee = await readMonths(table, ids, withNeighbours(days))
    for (const [employee, months] of byEmployee)
      for (const day of days) setDay(months, day, plan(shiftsOn(months, day), employee, day))
    if (!onlyRemoves) await checkConflicts(table, zone, people, byEmployee, days)
    return byEmployee
  }
  const planned = await read(employees)
  const changed = await atOnce(employeesAtOnce, employees, async employee => {
    const isThere = table.require(employeeKey(employee.id), { code: 60004, fields: { employees: 60004 } })
    return again(async tries => {
      const byEmployee = tries === 1 ? planned : await read([employee])
      return saveMonths(table, employee.id, byEmployee.get(employee.id) ?? new Map(), isThere)
    })
  })
  return changed.reduce((sum, days) => sum + days, 0)
}

/** Puts a shift on days of employees; `combine` says what a day holds afterwards. */
const assign = async (
  { employees: ids, days, shift }: { employees: string[]; days: string[]; shift: string },
  caller: Caller,
  combine: (held: string[]) => string[],
) => {
  const { table } = caller
  const { timezone: zone } = await readCompany(caller)
  checkTimezone(zone, caller, days)
  const [first = '', last = ''] = [days.toSorted()[0], days.toSorted().at(-1)]
  if (countDays(first, last) > mostDays) throw new Problem(10002, { days: 10002 })
  const refused = days.findIndex(day => day < localDay(zone, Date.now()))
  if (refused >= 0) throw new Problem(60019, { [`days.${refused}`]: 60019 })
  await requireShift(table, shift)
  const employees = await readEmployees(caller, [...new Set(ids)])
  const planning = { table, zone, employees, days }
  const before = await readMonths(
    table,
    employees.map(({ id }) => id),
    days,
  )
  const changedDays = await planDays({ ...planning, plan: combine })
  try {
    // Whoever deletes the shift looks for its uses after marking it: one of the two sees the other.
    await requireShift(table, shift)
  } catch (error) {
    const held = (employee: string, day: string) => shiftsOn(before.get(employee) ?? new Map(), day)
    await planDays({ ...planning, plan: (_, employee, day) => held(employee, day), onlyRemoves: true })
    throw error
  }
  return { changedDays }
}

export const handler = lambda(schedulePaths, {
  'schedule/grid': async ({ filters, size, page }, caller) => {
    const { from, to, department, search } = filters
    checkRange(from, to, 'filters.to')
    const days = daysBetween(from, to)
    const { list, ...rest } = await listEmployees(caller, {
      name: `schedule ${from} ${to}`,
      filters: { department, search },
      sort: { by: 'name', descending: false },
      size,
      page,
    })
    const byEmployee = await readMonths(
      caller.table,
      list.map(({ id }) => id),
      days,
    )
    return {
      ...rest,
      list: list.map(employee => {
        const months = byEmployee.get(employee.id) ?? new Map()
        const { id, first_name, last_name, workno, department } = employee
        const held = days.flatMap(day => {
          const shifts = shiftsOn(months, day)
          return shifts.length > 0 ? [[day, shifts] as const] : []
        })
        return { employee: id, first_name, last_name, workno, department, days: Object.fromEntries(held) }
      }),
    }
  },

  'schedule/add': (input, caller) =>
    assign(input, caller, held => (held.includes(input.shift) ? held : [...held, input.shift])),

  'schedule/update': (input, caller) => assign(input, caller, () => [input.shift]),

  'schedule/clear': async ({ employees: ids, from, to }, caller) => {
    const { table } = caller
    const { timezone: zone } = await readCompany(caller)
    checkRange(from, to, 'to')
    const days = daysBetween(laterDay(from, localDay(zone, Date.now())), to)
    checkTimezone(zone, caller, days)
    const employees = await readEmployees(caller, [...new Set(ids)])
    return { changedDays: await planDays({ table, zone, employees, days, plan: () => [], onlyRemoves: true }) }
  },

  'schedule/delete': async ({ employee, day, shift }, caller) => {
    const { table } = caller
    const { timezone: zone } = await readCompany(caller)
    checkTimezone(zone, caller, [day])
    if (day < localDay(zone, Date.now())) throw new Problem(60019, { day: 60019 })
    const employees = await readEmployees(caller, [employee], () => 'employee')
    const plan = (held: string[]) => held.filter(other => other !== shift)
    if ((await planDays({ table, zone, employees, days: [day], plan, onlyRemoves: true })) === 0)
      throw new Problem(60004, { shift: 60004 })
    return {}
  },
})
