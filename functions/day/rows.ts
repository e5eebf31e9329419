import { apiKeyKey } from '../../shared/apikey.ts'
import { type Company, partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { countDays } from '../../shared/local-day.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { type Caller, manages } from '../kit/caller.ts'
import type { Item, Table } from '../kit/table.ts'

// Reads employee-days for reports, records and dashboards.

type InParts = Pick<Company, 'dayParts'>
/** The reader, with the departments they manage. */
type Viewer = Pick<Caller, 'table' | 'departments'>

const mostDays = 366

/** Throws 10002 at the end's field for a range that ends before it begins or exceeds 366 days. */
export const checkRange = (from: string, to: string, field = 'filters.to'): void => {
  const count = countDays(from, to)
  if (count < 1 || count > mostDays) throw new Problem(10002, { [field]: 10002 })
}

/** All rows of one day that the caller may see, each with its department and only these attributes. */
export const rowsOfDay = async <Field extends keyof DayRow & string>(
  caller: Viewer,
  company: InParts,
  day: string,
  only: readonly Field[],
): Promise<Pick<DayRow, Field | 'department'>[]> => {
  const parts = await Promise.all(
    Array.from({ length: partsOn(company, day) }, (_, part) =>
      caller.table.all<DayRow>({
        index: 'byDay',
        pk: dayIndexPk(day, part),
        only: [...new Set(['department', ...only] as const)],
      }),
    ),
  )
  return parts.flat().filter(row => manages(caller, row.department))
}

/** All rows of one employee in a range of days, the oldest day first. */
export const rowsBetween = (table: Table, employee: string, from: string, to: string): Promise<Item<DayRow>[]> =>
  table.all<DayRow>({ pk: dayRowKey(employee, '', null, 1).pk, from, to: `${to}#~` })

/** As `rowsBetween`, but only with rows of departments that the caller manages. */
export const rowsOfEmployee = async (
  caller: Viewer,
  employee: string,
  from: string,
  to: string,
): Promise<Item<DayRow>[]> => {
  const rows = await rowsBetween(caller.table, employee, from, to)
  return rows.filter(row => manages(caller, row.department))
}

export type NamedEmployee = Pick<Employee, 'first_name' | 'last_name' | 'isFamilyFirst' | 'reading' | 'workno'>

export interface Names {
  employee(id: string): NamedEmployee
  /** Whether the employee exists, so that managers can still change their days. */
  isPresent(id: string): boolean
  shift(id: string | null): Shift | undefined
}

const unknownEmployee = { first_name: '–', last_name: '', workno: '' }

/** The names for the ids in some rows, including former employees and API keys. */
export const readNames = async (table: Table, rows: Pick<DayRow, 'employee' | 'shift'>[]): Promise<Names> => {
  const employees = [...new Set(rows.map(({ employee }) => employee))]
  const shifts = [...new Set(rows.flatMap(({ shift }) => (shift ? [shift] : [])))]
  const [current, storedShifts] = await Promise.all([
    table.getMany(employees.map(employeeKey)),
    table.getMany(shifts.map(shiftKey)),
  ])
  const missing = employees.filter((_, i) => !current[i])
  const [former, keys] = await Promise.all([
    table.getMany(missing.map(formerEmployeeKey)),
    table.getMany(missing.map(apiKeyKey)),
  ])
  const programs = keys.map(key => key && { id: key.id, first_name: key.name, last_name: '', workno: '' })
  const people = new Map(
    [...current, ...former, ...programs].flatMap(person => (person ? [[person.id, person] as const] : [])),
  )
  const present = new Set(current.flatMap(person => person?.id ?? []))
  const byShift = new Map(storedShifts.flatMap(shift => (shift ? [[shift.id, shift] as const] : [])))
  return {
    employee: id => people.get(id) ?? unknownEmployee,
    isPresent: id => present.has(id),
    shift: id => (id ? byShift.get(id) : undefined),
  }
}
