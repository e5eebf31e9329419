import { type Employee, employeeKey } from '../../shared/employee.ts'
import { addDays, laterDay, localDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import { type DraftedMonth, draftedMonthKey, scheduleKey } from '../../shared/schedule/month.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import { atOnce, settleEach } from '../kit/each.ts'
import { again } from '../kit/table/change.ts'
import type { Item, Table } from '../kit/table.ts'
import { inOrder } from '../kit/words.ts'
import { dropDraft, readMonths, saveMonths } from './store.ts'

// The unpublished days of the schedule. They are beside the published days of the same month, so nothing that reads
// published days can meet them.

const peopleAtOnce = 8

/** A draft reaches two years ahead, so that one save holds all months of a person. */
export const mostDaysAhead = 2 * 366

/** The first day that a draft may change: neither past nor locked. */
export const readFirstDay = async (table: Table): Promise<string> => {
  const { timezone, lockedTo } = await readCompany({ table })
  const today = localDay(timezone, Date.now())
  return lockedTo === undefined ? today : laterDay(today, addDays(lockedTo, 1))
}

/** The marks of months with unpublished days, of some people or of all. */
export const readMarks = async (table: Table, employees?: ReadonlySet<string>): Promise<DraftedMonth[]> =>
  (await table.all<DraftedMonth>({ pk: draftedMonthKey('', '').pk })).filter(
    ({ employee }) => employees?.has(employee) ?? true,
  )

export interface DraftedDay {
  day: string
  before: string[]
  after: string[]
}

export interface DayRange {
  from?: string | undefined
  to?: string | undefined
}

export const isWithin = ({ from = '', to = '~' }: DayRange, day: string): boolean => day >= from && day <= to

/** The unpublished days of these marks within a range, by employee. */
export const readDrafts = async (
  table: Table,
  marks: DraftedMonth[],
  range: DayRange,
): Promise<Map<string, DraftedDay[]>> => {
  const wanted = marks.filter(({ days }) => days.some(day => isWithin(range, day)))
  const months = await table.getMany(wanted.map(({ employee, month }) => scheduleKey(month, employee)))
  const drafts = new Map<string, DraftedDay[]>()
  for (const month of months) {
    if (!month) continue
    const days = Object.entries(month.draft ?? {})
      .filter(([day]) => isWithin(range, day))
      .map(([day, after]) => ({ day, before: month.days[day] ?? [], after }))
    if (days.length > 0) drafts.set(month.employee, [...(drafts.get(month.employee) ?? []), ...days])
  }
  for (const days of drafts.values()) days.sort((one, other) => inOrder(one.day, other.day))
  return drafts
}

interface Drafted {
  id: string
  employee: Item<Employee>
  /** The unpublished days that count, without past and locked ones. */
  days: number
  marks: DraftedMonth[]
}

/** The days of a filter whose drafts count: neither past nor locked. */
export const readListed = async (table: Table, { from = '', to }: DayRange): Promise<DayRange> => ({
  from: laterDay(from, await readFirstDay(table)),
  to,
})

/** The people with unpublished days whom the caller manages, by name. */
export const listDrafted = async (
  caller: Pick<Caller, 'table' | 'departments'>,
  { department }: { department?: string | undefined },
  range: DayRange,
): Promise<Drafted[]> => {
  const { table } = caller
  if (department !== undefined && !manages(caller, department)) return []
  const marks = (await readMarks(table)).filter(({ days }) => days.some(day => isWithin(range, day)))
  const byEmployee = Map.groupBy(marks, ({ employee }) => employee)
  const people = await table.getMany([...byEmployee.keys()].map(employeeKey))
  const isMember = (person: Employee) =>
    department === undefined || person.department === department || person.departments?.includes(department)
  return people
    .flatMap(employee => {
      if (!employee || !managesEmployee(caller, employee) || !isMember(employee)) return []
      const ofPerson = byEmployee.get(employee.id) ?? []
      const days = ofPerson.flatMap(({ days }) => days.filter(day => isWithin(range, day))).length
      return [{ id: employee.id, employee, days, marks: ofPerson }]
    })
    .sort(
      ({ employee: one }, { employee: other }) =>
        inOrder(fullName(one), fullName(other)) || inOrder(one.workno, other.workno),
    )
}

/** Drops some unpublished days of a person, whose marks name them. Returns the number of dropped days. */
const dropDays = (table: Table, employee: string, marks: DraftedMonth[], isDropped: (day: string) => boolean) =>
  again(async () => {
    const days = marks.flatMap(({ days }) => days.filter(isDropped))
    const months = (await readMonths(table, [employee], days)).get(employee)
    if (!months) return 0
    const dropped = days.filter(day => dropDraft(months, day)).length
    await saveMonths(table, employee, months)
    return dropped
  })

/** Discards the unpublished days of people within a range. Names the people whose drafts could not be discarded. */
export const discardDrafts = async (table: Table, employees: Item<Employee>[], range: DayRange) => {
  const marks = await readMarks(table, new Set(employees.map(({ id }) => id)))
  const byEmployee = Map.groupBy(marks, ({ employee }) => employee)
  const { done, refused } = await settleEach(peopleAtOnce, employees, ({ id }) =>
    dropDays(table, id, byEmployee.get(id) ?? [], day => isWithin(range, day)),
  )
  return {
    changedDays: done.reduce((sum, days) => sum + days, 0),
    refused: refused.map(({ one, code }) => ({ employee: one.id, name: fullName(one), code })),
  }
}

/** Drops the drafts of days that can no longer change. They would hold their shifts, and no screen shows them. */
export const dropPastDrafts = async (table: Table): Promise<void> => {
  const first = await readFirstDay(table)
  const isPast = (day: string) => day < first
  const marks = (await readMarks(table)).filter(({ days }) => days.some(isPast))
  const people = [...Map.groupBy(marks, ({ employee }) => employee)]
  await atOnce(peopleAtOnce, people, ([employee, marks]) => dropDays(table, employee, marks, isPast))
}
