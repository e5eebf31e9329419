import type { Choices } from '../../shared/attendance/input.ts'
import type { Company } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import type { ZoneOf } from '../../shared/department.ts'
import type { Employee } from '../../shared/employee.ts'
import { type Freed, holidayCalendar, partHolidaysOf } from '../../shared/holiday/day.ts'
import { daysBetween, localDay } from '../../shared/local-day.ts'

// The department of an employee on each day, and the holidays and the zone that follow from it.

interface Known {
  now: number
  stored: readonly Pick<DayRow, 'day' | 'department'>[]
}

/** The department on a day. A past day keeps its department after a move, even if another shift has replaced its row. */
export const departmentsOf = (
  { now, stored }: Known,
  { company, employee }: { company: Pick<Company, 'timezone'>; employee: Pick<Employee, 'department'> },
): ((day: string) => string) => {
  const today = localDay(company.timezone, now)
  const departmentsThen = new Map(stored.map(({ day, department }) => [day, department]))
  return day => (day < today && departmentsThen.get(day)) || employee.department
}

/** The holidays of the employee's department on each day: whole days, and those of a part of a day. */
export const holidaysOf = (
  holidays: readonly Freed[],
  departmentOn: (day: string) => string,
  from: string,
  to: string,
) => {
  const isHoliday = holidayCalendar(holidays, from, to)
  return {
    holidays: holidays.length === 0 ? [] : daysBetween(from, to).filter(day => isHoliday(departmentOn(day), day)),
    partHolidays: partHolidaysOf(holidays, departmentOn),
  }
}

/** The days from which an employee is in another zone than the company or before. Empty without such days. */
export const zonesBetween = (
  zoneOf: ZoneOf | undefined,
  departmentOn: (day: string) => string,
  companyZone: string,
  from: string,
  to: string,
): Pick<Choices, 'zones'> => {
  const zones: { from: string; zone: string }[] = []
  if (zoneOf)
    for (const day of daysBetween(from, to)) {
      const zone = zoneOf(departmentOn(day), day) ?? companyZone
      if (zone !== (zones.at(-1)?.zone ?? companyZone)) zones.push({ from: day, zone })
    }
  return zones.length > 0 ? { zones } : {}
}
