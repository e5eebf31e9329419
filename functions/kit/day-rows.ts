import { type Company, partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, countDays } from '../../shared/local-day.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { type Caller, manages } from './caller.ts'
import { type Item, openCursor, sealCursor, type Table } from './table.ts'

// Reading employee-days back: what reports, records and dashboards have in common.

type InParts = Pick<Company, 'dayParts'>

const mostDays = 366
/** A page is answered, full or not, after so many partitions, so that an empty year does not hold a caller up. */
const mostPartitions = 100

/** Throws 10002 at the field of its end for a range that ends before it begins or is longer than a year. */
export const checkRange = (from: string, to: string, field = 'filters.to'): void => {
  const count = countDays(from, to)
  if (count < 1 || count > mostDays) throw new Problem(10002, { [field]: 10002 })
}

/** All rows of one day that the caller may see. */
export const rowsOfDay = async (caller: Caller, company: InParts, day: string): Promise<Item<DayRow>[]> => {
  const parts = await Promise.all(
    Array.from({ length: partsOn(company, day) }, (_, part) =>
      caller.table.all<DayRow>({ index: 'byDay', pk: dayIndexPk(day, part) }),
    ),
  )
  return parts.flat().filter(row => manages(caller, row.department))
}

/** All rows of one employee in a range of days, the oldest day first. */
export const rowsBetween = (table: Table, employee: string, from: string, to: string): Promise<Item<DayRow>[]> =>
  table.all<DayRow>({ pk: dayRowKey(employee, '', null, 1).pk, from, to: `${to}#~` })

/** Those of departments the caller manages. */
export const rowsOfEmployee = async (
  caller: Caller,
  employee: string,
  from: string,
  to: string,
): Promise<Item<DayRow>[]> => {
  const rows = await rowsBetween(caller.table, employee, from, to)
  return rows.filter(row => manages(caller, row.department))
}

export interface RowFilters {
  from: string
  to: string
  department?: string | undefined
  employee?: string | undefined
}

interface Position {
  day: string
  part: number
  inner?: string
}

/** One page of rows, the newest day first, by employee within a day. */
export const pageOfRows = async (
  caller: Caller,
  company: InParts,
  filters: RowFilters,
  { size, page }: { size: number; page?: string | undefined },
): Promise<{ list: Item<DayRow>[]; next?: string }> => {
  checkRange(filters.from, filters.to)
  const { table } = caller
  const wanted = (row: DayRow) =>
    manages(caller, row.department) && (!filters.department || row.department === filters.department)
  const { employee } = filters
  if (employee !== undefined) {
    const { list, next } = await table.page<DayRow>({
      pk: dayRowKey(employee, '', null, 1).pk,
      from: filters.from,
      to: `${filters.to}#~`,
      reverse: true,
      size,
      page,
    })
    return { list: list.filter(wanted), ...(next && { next }) }
  }
  const binding = `rows ${caller.company} ${JSON.stringify(filters)}`
  let position =
    page === undefined ? { day: filters.to, part: 0 } : ((await openCursor(page, binding)) as unknown as Position)
  const list: Item<DayRow>[] = []
  for (let read = 0; read < mostPartitions && list.length < size && position.day >= filters.from; read++) {
    const found: { list: Item<DayRow>[]; next?: string } = await table.page<DayRow>({
      index: 'byDay',
      pk: dayIndexPk(position.day, position.part),
      size: size - list.length,
      page: (position as Position).inner,
    })
    list.push(...found.list.filter(wanted))
    position = found.next
      ? { ...position, inner: found.next }
      : position.part + 1 < partsOn(company, position.day)
        ? { day: position.day, part: position.part + 1 }
        : { day: addDays(position.day, -1), part: 0 }
  }
  return { list, ...(position.day >= filters.from && { next: await sealCursor({ ...position }, binding) }) }
}

export interface Names {
  employee(id: string): Pick<Employee, 'first_name' | 'last_name' | 'workno'>
  shift(id: string | null): Shift | undefined
}

const nobody = { first_name: '–', last_name: '', workno: '' }

/** The names behind the ids of some rows, also of those who have left. */
export const readNames = async (table: Table, rows: Pick<DayRow, 'employee' | 'shift'>[]): Promise<Names> => {
  const employees = [...new Set(rows.map(({ employee }) => employee))]
  const shifts = [...new Set(rows.flatMap(({ shift }) => (shift ? [shift] : [])))]
  const [current, found] = await Promise.all([
    table.getMany(employees.map(employeeKey)),
    table.getMany(shifts.map(shiftKey)),
  ])
  const missing = employees.filter((_, i) => !current[i])
  const former = await table.getMany(missing.map(formerEmployeeKey))
  const people = new Map([...current, ...former].flatMap(person => (person ? [[person.id, person] as const] : [])))
  const byShift = new Map(found.flatMap(shift => (shift ? [[shift.id, shift] as const] : [])))
  return {
    employee: id => people.get(id) ?? nobody,
    shift: id => (id ? byShift.get(id) : undefined),
  }
}
