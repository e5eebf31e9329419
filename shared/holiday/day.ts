import type { HolidayPart, PartHoliday } from '../attendance/part-holiday.ts'
import type { Audited, Change } from '../change.ts'
import { daysBetween, earlierDay, laterDay } from '../local-day.ts'
import type { Key } from '../table.ts'

/** Days off for the whole company or some departments. */
export interface Holiday {
  id: string
  name: string
  from: string
  to: string
  /**
   * The departments of the holiday; absent means all. The list also names each sub-department, so that moving a
   * department does not change past days.
   */
  departments?: string[]
  /** The part of its only day that is free. Absent means whole days. */
  part?: HolidayPart
}

const audited: Audited<Holiday> = { noun: 'holiday', id: ({ id }) => id, name: ({ name }) => name }

export const holidayKey = (id: string): Key<Holiday> => ({ pk: 'HOLIDAY', sk: id, audited })
/**
 * Prevents a second holiday with the same days, departments and name in a company. `sameness` is a fingerprint of these
 * three.
 */
export const holidayOnceKey = (sameness: string): Key<{ holiday: string }> => ({ pk: 'HOLIDAY_ONCE', sk: sameness })

/** The most holidays of a company. Every calculation reads all of them. */
export const mostHolidays = 2000

/** The most holidays of one import. One transaction writes the holidays and their audit entries. */
export const mostImported = 40

/** The longest holiday in days, enough for a company holiday of two months. */
export const mostHolidayDays = 62

export const holidayFacts = ({ company, old, new: next }: Change<Holiday>) => [
  { type: 'holiday.changed' as const, company, holiday: next?.id ?? old?.id ?? '' },
]

/** The days, departments and part of a holiday. */
export type Freed = Pick<Holiday, 'from' | 'to' | 'departments' | 'part'>

/** A part as a text: the same text for the same part. */
export const partText = (part: HolidayPart | undefined): string | undefined =>
  typeof part === 'object' ? `${part.from ?? ''}-${part.to ?? ''}` : part

const departmentsOf = ({ departments }: Freed) => departments?.toSorted().join()
export const freesTheSame = (first: Freed, second: Freed): boolean =>
  first.from === second.from &&
  first.to === second.to &&
  departmentsOf(first) === departmentsOf(second) &&
  partText(first.part) === partText(second.part)

/** The days of holidays with the same departments. So an import lists these departments only once. */
export interface FreedDays extends Pick<Holiday, 'departments'> {
  days: Pick<Holiday, 'from' | 'to'>[]
}

export const freedDays = (freed: readonly Freed[]): FreedDays[] =>
  [...Map.groupBy(freed, departmentsOf).values()].map(group => ({
    ...(group[0]?.departments && { departments: group[0].departments }),
    days: group.map(({ from, to }) => ({ from, to })),
  }))

const isOf = ({ departments }: Freed, department: string) => !departments || departments.includes(department)

/** Returns a function that checks whether a whole day is a holiday in a department. */
export const holidayCalendar = (
  holidays: readonly Freed[],
  from: string,
  to: string,
): ((department: string, day: string) => boolean) => {
  const byDay = new Map<string, Freed[]>()
  for (const holiday of holidays.filter(({ part }) => part === undefined))
    for (const day of daysBetween(laterDay(holiday.from, from), earlierDay(holiday.to, to)))
      byDay.set(day, [...(byDay.get(day) ?? []), holiday])
  return (department, day) => byDay.get(day)?.some(holiday => isOf(holiday, department)) ?? false
}

/** The holidays of a part of a day, for a person whose department can differ from day to day. */
export const partHolidaysOf = (
  holidays: readonly Freed[],
  departmentOn: (day: string) => string,
): readonly PartHoliday[] =>
  holidays.flatMap(holiday => {
    const { from: day, part } = holiday
    return part !== undefined && isOf(holiday, departmentOn(day)) ? [{ day, part }] : []
  })
