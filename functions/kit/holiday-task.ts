import { partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Freed, holidayKey } from '../../shared/holiday.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { readCompany } from './company.ts'
import type { Span } from './days.ts'
import { previewing } from './preview.ts'
import { recalculation } from './recalculation.ts'
import { openTable, type Table } from './table.ts'
import type { HolidayKind } from './task.ts'

// Whose days a holiday touches: those of who is in a department it frees, and of who was in one on the day.

/** Everybody who is there or was there on that day or later. */
const peopleSince = async (table: Table, day: string, isIn: (department: string) => boolean): Promise<string[]> => {
  const found: string[] = []
  for (const pk of [employeeKey('').pk, formerEmployeeKey('').pk])
    for await (const { id, department, endDay } of table.each<Employee>({ pk, only: ['id', 'department', 'endDay'] }))
      if ((!endDay || endDay >= day) && isIn(department)) found.push(id)
  return found
}

/** Who has a row of a department on one of these days, wherever they are now. */
const peopleWithRows = async (table: Table, { from, to }: Freed, isIn: (department: string) => boolean) => {
  const company = await readCompany({ table })
  const found = new Set<string>()
  const tomorrow = addDays(localDay(company.timezone, Date.now()), 1)
  for (const day of daysBetween(from, to < tomorrow ? to : tomorrow))
    for (let part = 0; part < partsOn(company, day); part++)
      for await (const row of table.each<DayRow>({
        ...{ index: 'byDay', pk: dayIndexPk(day, part), only: ['employee', 'department'] },
      }))
        if (isIn(row.department)) found.add(row.employee)
  return found
}

const spansOf = async (table: Table, touched: Freed[]): Promise<Span[]> => {
  const lists = await Promise.all(
    touched.map(async freed => {
      const { departments } = freed
      const isIn = (department: string) => !departments || departments.includes(department)
      const people = new Set(await peopleSince(table, freed.from, isIn))
      if (departments) for (const employee of await peopleWithRows(table, freed, isIn)) people.add(employee)
      return [...people].map(employee => ({ employee, from: freed.from, to: freed.to }))
    }),
  )
  return lists.flat()
}

export const recalculateHolidays = recalculation<HolidayKind>(({ company, input: { touched } }) =>
  spansOf(openTable(company), touched),
)

export const previewHoliday = previewing<'holiday/preview'>(async ({ company, input: { id, holidays: added } }) => {
  const table = openTable(company)
  const before = id === undefined ? undefined : await table.get(holidayKey(id))
  if (id !== undefined && !before) throw new Problem(60004, { id: 60004 })
  return {
    spans: await spansOf(table, before ? [before, ...added] : added),
    supposed: { holidays: holidays => [...holidays.filter(other => other.id !== id), ...added] },
  }
})
