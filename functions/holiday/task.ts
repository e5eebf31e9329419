import { partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk } from '../../shared/day.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Freed, type FreedDays, freedDays, holidayKey } from '../../shared/holiday/day.ts'
import { addDays, daysBetween, earlierDay, localDay } from '../../shared/local-day.ts'
import { readCompany } from '../company/store.ts'
import { previewing } from '../day/preview.ts'
import { recalculation } from '../day/recalculation.ts'
import type { Span } from '../day/walk.ts'
import { openTable, type Table } from '../kit/table.ts'
import type { TouchedKind } from '../kit/task.ts'

// Finds the people whose days a holiday touches: members of its departments now or on the day.

interface Touching extends Freed {
  isIn(department: string): boolean
  people: Set<string>
}

/** Adds people employed on that day or later. */
const addPeople = async (table: Table, touching: Touching[]) => {
  for (const pk of [employeeKey('').pk, formerEmployeeKey('').pk])
    for await (const { id, department, endDay } of table.each<Employee>({ pk, only: ['id', 'department', 'endDay'] }))
      for (const { from, isIn, people } of touching) if ((!endDay || endDay >= from) && isIn(department)) people.add(id)
}

/** Adds people with a row of a touched department on these days, even if the people moved later. */
const addPeopleWithRows = async (table: Table, touching: Touching[]) => {
  const company = await readCompany({ table })
  const tomorrow = addDays(localDay(company.timezone, Date.now()), 1)
  const byDay = new Map<string, Touching[]>()
  for (const one of touching)
    for (const day of daysBetween(one.from, earlierDay(one.to, tomorrow)))
      byDay.set(day, [...(byDay.get(day) ?? []), one])
  for (const [day, some] of byDay)
    for (let part = 0; part < partsOn(company, day); part++)
      for await (const row of table.each<DayRow>({
        ...{ index: 'byDay', pk: dayIndexPk(day, part), only: ['employee', 'department'] },
      }))
        for (const { isIn, people } of some) if (isIn(row.department)) people.add(row.employee)
}

/** Reads people and days once for all holidays together. */
export const spansOf = async (table: Table, touched: FreedDays[]): Promise<Span[]> => {
  const touching = touched.flatMap(({ days, departments }) => {
    const own = departments && new Set(departments)
    return days.map(
      (span): Touching => ({
        ...span,
        ...(departments && { departments }),
        people: new Set(),
        isIn: department => own?.has(department) ?? true,
      }),
    )
  })
  await addPeople(table, touching)
  await addPeopleWithRows(
    table,
    touching.filter(({ departments }) => departments),
  )
  return touching.flatMap(({ from, to, people }) => [...people].map(employee => ({ employee, from, to })))
}

export const recalculateHolidays = recalculation<TouchedKind>(({ company, input: { touched } }) =>
  spansOf(openTable(company), touched),
)

export const previewHoliday = previewing<'holiday/preview'>(async ({ company, input: { id, holidays: added } }) => {
  const table = openTable(company)
  const before = id === undefined ? undefined : await table.get(holidayKey(id))
  if (id !== undefined && !before) throw new Problem(60004, { id: 60004 })
  return {
    spans: await spansOf(table, freedDays(before ? [before, ...added] : added)),
    supposed: { holidays: holidays => [...holidays.filter(other => other.id !== id), ...added] },
  }
})
