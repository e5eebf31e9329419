import { dayNumber } from '../shared/attendance/calendar.ts'
import { conflicts } from '../shared/attendance/shift.ts'
import { instantOf } from '../shared/attendance/zone.ts'
import { type Employee, employeeKey, fullName } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays, countDays, daysBetween, laterDay, localDay } from '../shared/local-day.ts'
import { monthOf, type ScheduleMonth, scheduleKey, schedulePaths } from '../shared/schedule.ts'
import { type Shift, shiftKey, shiftUseKey } from '../shared/shift.ts'
import { atOnce } from './kit/at-once.ts'
import { type Caller, manages } from './kit/caller.ts'
import { readCompany } from './kit/company.ts'
import { lambda } from './kit/lambda.ts'
import { type Item, save, type Write } from './kit/table.ts'

const mostDays = 62

/** The browser must mean the same hours as the company on the days it schedules; another name of the zone is no matter. */
const checkTimezone = (zone: string, caller: Caller, days: string[]) => {
  const own = caller.timezone ?? ''
  const noon = (zone: string, day: string) => instantOf(zone, dayNumber(day) * 1440 + 720)
  try {
    if (own === zone || days.every(day => noon(own, day) === noon(zone, day))) return
  } catch {
    throw new Problem(20001, { 'X-Timezone': 20001 })
  }
  throw new Problem(59040)
}

const readEmployees = async (caller: Caller, ids: string[]): Promise<Item<Employee>[]> => {
  const found = await caller.table.getMany(ids.map(employeeKey))
  return found.map((employee, i) => {
    if (!employee || !manages(caller, employee.department)) throw new Problem(60004, { [`employees.${i}`]: 60004 })
    return employee
  })
}

const checkRange = (from: string, to: string, field: string) => {
  const count = countDays(from, to)
  if (count < 1 || count > mostDays) throw new Problem(10002, { [field]: 10002 })
}

const firstRefused = (days: string[], today: string) => days.findIndex(day => day < today)

/** Schedules by month of an employee, as they stand and as they are to be. */
type Months = Map<string, { before: Item<ScheduleMonth> | undefined; days: Record<string, string[]> }>

const readMonths = async ({ table }: Caller, employees: string[], days: string[]): Promise<Map<string, Months>> => {
  const months = [...new Set(days.map(monthOf))]
  const keys = employees.flatMap(employee => months.map(month => ({ employee, month })))
  const items = await table.getMany(keys.map(({ employee, month }) => scheduleKey(month, employee)))
  const byEmployee = new Map<string, Months>(employees.map(employee => [employee, new Map()]))
  keys.forEach(({ employee, month }, i) => {
    const before = items[i]
    byEmployee.get(employee)?.set(month, { before, days: { ...before?.days } })
  })
  return byEmployee
}

const setDay = (months: Months, day: string, shifts: string[]) => {
  const month = months.get(monthOf(day))
  if (!month) return
  if (shifts.length > 0) month.days[day] = shifts
  else delete month.days[day]
}
const shiftsOn = (months: Months, day: string) => months.get(monthOf(day))?.days[day] ?? []

const usedIn = (days: Record<string, string[]> | undefined) => new Set(Object.values(days ?? {}).flat())

/** One month of one employee with its uses of shifts, together or not at all. */
const saveMonth = async (
  { table }: Caller,
  employee: string,
  month: string,
  { before, days }: NonNullable<ReturnType<Months['get']>>,
) => {
  const item = { employee, month, days }
  const key = scheduleKey(month, employee)
  const [was, is] = [usedIn(before?.days), usedIn(days)]
  const writes: Write[] = [
    before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item),
    ...[...is]
      .filter(shift => !was.has(shift))
      .map(shift => table.put(shiftUseKey(shift, month, employee), { month, employee })),
    ...[...was].filter(shift => !is.has(shift)).map(shift => table.remove(shiftUseKey(shift, month, employee))),
  ]
  await save(...writes)
}

/** Saves every month that differs and tells how many days changed. */
const saveChanges = async (caller: Caller, byEmployee: Map<string, Months>): Promise<number> => {
  let changedDays = 0
  const saves: (() => Promise<void>)[] = []
  for (const [employee, months] of byEmployee)
    for (const [month, change] of months) {
      const names = new Set([...Object.keys(change.before?.days ?? {}), ...Object.keys(change.days)])
      const changed = [...names].filter(day => change.before?.days[day]?.join() !== change.days[day]?.join()).length
      if (changed === 0) continue
      changedDays += changed
      saves.push(() => saveMonth(caller, employee, month, change))
    }
  await atOnce(16, saves, run => run())
  return changedDays
}

/** Refuses with 59031 where duties of one employee would overlap, and names who, when and with what. */
const checkConflicts = async (
  { table }: Caller,
  zone: string,
  employees: Item<Employee>[],
  byEmployee: Map<string, Months>,
  days: string[],
) => {
  const ids = new Set(
    [...byEmployee.values()].flatMap(months => [...months.values()].flatMap(({ days }) => [...usedIn(days)])),
  )
  const shifts = new Map(
    (await table.getMany([...ids].map(shiftKey))).flatMap(shift => (shift ? [[shift.id, shift] as const] : [])),
  )
  const around = [...new Set(days.flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))].sort()
  const found = employees.flatMap(employee => {
    const months = byEmployee.get(employee.id) ?? new Map()
    const entries = around.flatMap(day =>
      shiftsOn(months, day).flatMap(id => {
        const shift = shifts.get(id)
        return shift ? [{ day, shift }] : []
      }),
    )
    return conflicts(zone, entries).map(([one, other]) => ({
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

const readShift = async ({ table }: Caller, id: string): Promise<Item<Shift>> => {
  const shift = await table.get(shiftKey(id))
  if (!shift) throw new Problem(60004, { shift: 60004 })
  return shift
}

/** Puts a shift on days of employees; `combine` says what a day holds afterwards. */
const assign = async (
  { employees: ids, days, shift }: { employees: string[]; days: string[]; shift: string },
  caller: Caller,
  combine: (held: string[], shift: string) => string[],
) => {
  const { timezone: zone } = await readCompany(caller)
  checkTimezone(zone, caller, days)
  const refused = firstRefused(days, localDay(zone, Date.now()))
  if (refused >= 0) throw new Problem(60019, { [`days.${refused}`]: 60019 })
  await readShift(caller, shift)
  const employees = await readEmployees(caller, [...new Set(ids)])
  // The days around decide about conflicts, so their months are read too; only what differs is saved.
  const around = days.flatMap(day => [addDays(day, -1), day, addDays(day, 1)])
  const byEmployee = await readMonths(
    caller,
    employees.map(({ id }) => id),
    around,
  )
  for (const months of byEmployee.values())
    for (const day of days) setDay(months, day, combine(shiftsOn(months, day), shift))
  await checkConflicts(caller, zone, employees, byEmployee, days)
  return { changedDays: await saveChanges(caller, byEmployee) }
}

export const handler = lambda(schedulePaths, {
  'schedule/grid': async ({ filters, size, page }, caller) => {
    const { from, to, department, search } = filters
    checkRange(from, to, 'filters.to')
    const days = daysBetween(from, to)
    const text = search?.toLowerCase() ?? ''
    const found = (await caller.table.all<Employee>({ pk: employeeKey('').pk })).filter(
      employee =>
        manages(caller, employee.department) &&
        (!department || employee.department === department) &&
        (fullName(employee).toLowerCase().includes(text) || employee.workno === text),
    )
    const { list, next } = await caller.table.slice(found, { name: `schedule ${JSON.stringify(filters)}`, size, page })
    const byEmployee = await readMonths(
      caller,
      list.map(({ id }) => id),
      days,
    )
    return {
      count: found.length,
      list: list.map(employee => {
        const months = byEmployee.get(employee.id) ?? new Map()
        const { id, first_name, last_name, workno, department } = employee
        const held = days.flatMap(day => {
          const shifts = shiftsOn(months, day)
          return shifts.length > 0 ? [[day, shifts] as const] : []
        })
        return { employee: id, first_name, last_name, workno, department, days: Object.fromEntries(held) }
      }),
      ...(next && { next }),
    }
  },

  'schedule/add': (input, caller) =>
    assign(input, caller, (held, shift) => (held.includes(shift) ? held : [...held, shift])),

  'schedule/update': (input, caller) => assign(input, caller, (_, shift) => [shift]),

  'schedule/clear': async ({ employees: ids, from, to }, caller) => {
    const { timezone: zone } = await readCompany(caller)
    checkRange(from, to, 'to')
    const days = daysBetween(laterDay(from, localDay(zone, Date.now())), to)
    checkTimezone(zone, caller, days)
    const employees = await readEmployees(caller, [...new Set(ids)])
    const byEmployee = await readMonths(
      caller,
      employees.map(({ id }) => id),
      days,
    )
    for (const months of byEmployee.values()) for (const day of days) setDay(months, day, [])
    return { changedDays: await saveChanges(caller, byEmployee) }
  },

  'schedule/delete': async ({ employee: id, day, shift }, caller) => {
    const { timezone: zone } = await readCompany(caller)
    checkTimezone(zone, caller, [day])
    if (day < localDay(zone, Date.now())) throw new Problem(60019, { day: 60019 })
    await readEmployees(caller, [id])
    const byEmployee = await readMonths(caller, [id], [day])
    for (const months of byEmployee.values()) {
      const held = shiftsOn(months, day)
      if (!held.includes(shift)) throw new Problem(60004, { shift: 60004 })
      setDay(
        months,
        day,
        held.filter(other => other !== shift),
      )
    }
    await saveChanges(caller, byEmployee)
    return {}
  },
})
