import { monthOf, type ScheduleMonth, scheduleKey } from '../../shared/schedule.ts'
import { shiftUseKey } from '../../shared/shift.ts'
import { type Item, save, type Table, type Write } from './table.ts'

// An employee's schedule, read and written by months: which months there are, and which uses of shifts they stand for.

interface Month {
  before: Item<ScheduleMonth> | undefined
  days: Record<string, string[]>
}

/** Months of one employee as they stand and as they are to be. */
export type Months = Map<string, Month>

/** The months in which these days lie, of each of the employees. */
export const readMonths = async (table: Table, employees: string[], days: string[]): Promise<Map<string, Months>> => {
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

export const shiftsOn = (months: Months, day: string): string[] => months.get(monthOf(day))?.days[day] ?? []

export const setDay = (months: Months, day: string, shifts: string[]): void => {
  const month = months.get(monthOf(day))
  if (!month) return
  if (shifts.length > 0) month.days[day] = shifts
  else delete month.days[day]
}

export const usedIn = (days: Record<string, string[]> | undefined): Set<string> =>
  new Set(Object.values(days ?? {}).flat())

const changedDaysOf = ({ before, days }: Month): number =>
  [...new Set([...Object.keys(before?.days ?? {}), ...Object.keys(days)])].filter(
    day => before?.days[day]?.join() !== days[day]?.join(),
  ).length

const writesOf = (table: Table, employee: string, month: string, { before, days }: Month): Write[] => {
  const item = { employee, month, days }
  const key = scheduleKey(month, employee)
  const [was, is] = [usedIn(before?.days), usedIn(days)]
  const use = (shift: string) => shiftUseKey(shift, month, employee)
  return [
    before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item),
    ...[...is].filter(shift => !was.has(shift)).map(shift => table.put(use(shift), { month, employee })),
    ...[...was].filter(shift => !is.has(shift)).map(shift => table.remove(use(shift))),
  ]
}

/**
 * Saves all months of one employee together or not at all, and only on top of what was read, also of the months that stay
 * as they are: a conflict was judged by those too. Throws 60006 where somebody was quicker, or what a further condition
 * says. Answers how many days changed.
 */
export const saveMonths = async (
  table: Table,
  employee: string,
  months: Months,
  ...conditions: Write[]
): Promise<number> => {
  const changed = [...months.values()].reduce((sum, month) => sum + changedDaysOf(month), 0)
  if (changed === 0) return 0
  await save(
    ...conditions,
    ...[...months].flatMap(([name, month]) =>
      changedDaysOf(month) > 0
        ? writesOf(table, employee, name, month)
        : [table.unchanged(scheduleKey(name, employee), month.before)],
    ),
  )
  return changed
}
