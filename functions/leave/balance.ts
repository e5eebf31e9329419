import type * as z from 'zod'
import type { Employments } from '../../shared/attendance/employment.ts'
import { type Company, leaveTypesOf } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Holiday, holidayCalendar } from '../../shared/holiday/day.ts'
import { type AskedLeave, countLeave, leaveSlackDays, totalOf } from '../../shared/leave/day.ts'
import {
  balanceOf,
  type LeaveBalance,
  type LeaveHeld,
  leaveBookKey,
  type TakenDay,
  type takenLeave,
} from '../../shared/leave.ts'
import { addDays, addMonths, daysBetween, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import { type LeaveRequest, type RequestTotal, requestPk, requestStatus, requestTypes } from '../../shared/request.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readHolidays } from '../holiday/store.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'

// Counts leave by the current schedule at each read.

const employeesAtOnce = 12

type Person = Pick<Employee, 'id' | 'department' | keyof Employments>
type Counted = AskedLeave & Pick<LeaveRequest, 'status'>

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** The pending and approved leave requests of a person from a day on. */
const readRequests = async (table: Table, employee: string, from: string): Promise<Item<LeaveRequest>[]> => {
  const requests = await table.all<LeaveRequest>({
    ...{ pk: requestPk(employee), from },
    where: [['type', '=', requestTypes.leave]],
  })
  return requests.filter(({ status }) => status === requestStatus.pending || status === requestStatus.approved)
}

/** The days on which a person has a holiday. Past days keep the department of their rows. */
const readFree = async (
  table: Table,
  { id, department }: Person,
  holidays: readonly Holiday[],
  leaves: readonly Counted[],
  today: string,
): Promise<(day: string) => boolean> => {
  const [from, to] = [
    leaves.map(({ day }) => day).reduce(earlierDay),
    leaves.map(({ toDay }) => toDay).reduce(laterDay),
  ]
  const isFree = holidayCalendar(holidays, addDays(from, -leaveSlackDays), addDays(to, leaveSlackDays))
  const then = new Map<string, string>()
  // Holidays of the whole company need no department.
  const some = holidays.filter(({ departments }) => departments)
  for (const { day, toDay } of leaves)
    if (day < today && some.some(holiday => holiday.from <= toDay && day <= holiday.to))
      for (const row of await table.all<DayRow>({
        ...{ pk: dayRowKey(id, '', null, 1).pk, from: day, to: `${earlierDay(toDay, today)}#~` },
        only: ['day', 'department'],
      }))
        then.set(row.day, row.department)
  return day => isFree((day < today && then.get(day)) || department, day)
}

/**
 * Reads the inputs of several people's leave together and counts the leave. Returns the results in the order of
 * `people`.
 */
const countLeaves = async (
  table: Table,
  company: Item<Company>,
  people: readonly { person: Person; leaves: readonly Counted[] }[],
): Promise<{ taken: TakenDay[] }[]> => {
  const today = localDay(company.timezone, Date.now())
  const monthsOf = (leaves: readonly Counted[]) => [
    ...new Set(
      leaves.flatMap(({ day, toDay }) => [
        ...daysBetween(addDays(day, -leaveSlackDays), addDays(toDay, leaveSlackDays)).map(monthOf),
        // The next month shows whether the schedule already reaches this far.
        monthOf(addMonths(toDay, 1)),
      ]),
    ),
  ]
  const keys = people.flatMap(({ person, leaves }) => monthsOf(leaves).map(month => scheduleKey(month, person.id)))
  const [months, holidays] = await Promise.all([table.getMany(keys), keys.length > 0 ? readHolidays(table) : []])
  const used = new Set(months.flatMap(month => Object.values(month?.days ?? {}).flat()))
  const stored = (await table.getMany([...used].map(shiftKey))).filter(isDefined)
  const shifts: Record<string, Item<Shift>> = Object.fromEntries(stored.map(shift => [shift.id, shift]))
  const byPerson = Map.groupBy(months.filter(isDefined), ({ employee }) => employee)
  return atOnce(employeesAtOnce, people, async ({ person, leaves }) => {
    if (leaves.length === 0) return { taken: [] }
    const days = countLeave(leaves, {
      ...{ company, employee: person, shifts },
      schedule: (byPerson.get(person.id) ?? []).flatMap(month =>
        Object.entries(month.days).flatMap(([day, ids]) => ids.map(shift => ({ day, shift }))),
      ),
      isHoliday: await readFree(table, person, holidays, leaves, today),
    })
    const byId = new Map(leaves.map(leave => [leave.id, leave]))
    return {
      taken: days.flatMap(day => {
        const leave = byId.get(day.leave)
        const isUsed = leave?.status === requestStatus.approved && day.day <= today
        return leave ? [{ ...day, leaveType: leave.leaveType, isUsed }] : []
      }),
    }
  })
}

/** The inputs of a person's balances, with the counted leave. */
export interface ReadLeave extends LeaveHeld {
  leaves: LeaveRequest[]
}

/**
 * Reads the leave of several people for years from `year` on. Carried days depend on earlier years, as far back as the
 * types have limits. `along` counts as requested, and replaces a stored request with its id.
 */
export const readLeave = async (
  table: Table,
  company: Item<Company>,
  people: readonly Person[],
  year: number,
  along?: LeaveRequest,
): Promise<ReadLeave[]> => {
  const { leaveRules: rules = [] } = company
  const first = Math.min(year, ...rules.map(({ since }) => since))
  const [books, requests] = await Promise.all([
    table.getMany(people.map(({ id }) => leaveBookKey(id))),
    atOnce(employeesAtOnce, people, ({ id }) => readRequests(table, id, `${first}-01-01`)),
  ])
  const leaves = people.map((_, i): LeaveRequest[] => [
    ...(requests[i] ?? []).filter(({ id }) => id !== along?.id),
    ...(along ? [along] : []),
  ])
  const counted = await countLeaves(
    table,
    company,
    people.map((person, i) => ({ person, leaves: leaves[i] ?? [] })),
  )
  return people.map((employee, i) => ({
    ...{ rules, employee, leaves: leaves[i] ?? [] },
    own: books[i]?.entries ?? {},
    taken: counted[i]?.taken ?? [],
  }))
}

/** The balances of a person for the leave types in use. */
export const balancesOf = (company: Company, held: LeaveHeld, year: number): LeaveBalance[] =>
  leaveTypesOf(company).flatMap(({ id, isOn }) => (isOn ? [balanceOf(held, id, year)] : []))

/** A leave compared with the balances of its person. */
export interface WeighedLeave {
  total: RequestTotal
  /** The balances of the leave's type without and with the leave, for each year that the leave touches. */
  years: { before: LeaveBalance; after: LeaveBalance }[]
  /** Set if the leave exceeds the balance: the rule of that year refuses or warns. */
  exceeds?: 'refuse' | 'warn'
}

/**
 * Counts a leave and its effect on the balances. A leave can exceed the next year's balance by using up carried days.
 */
export const weighLeave = async (
  table: Table,
  company: Item<Company>,
  person: Person,
  leave: LeaveRequest,
): Promise<WeighedLeave> => {
  const year = Number(leave.day.slice(0, 4))
  const [held] = await readLeave(table, company, [person], year, leave)
  if (!held) throw new Problem(60004)
  const own = held.taken.filter(day => day.leave === leave.id)
  const without = { ...held, taken: held.taken.filter(day => day.leave !== leave.id) }
  const yearsOf = (days: readonly TakenDay[]) => [...new Set(days.map(({ day }) => Number(day.slice(0, 4))))].sort()
  const taken = yearsOf(own)
  const weigh = (ofYear: number) => ({
    before: balanceOf(without, leave.leaveType, ofYear),
    after: balanceOf(held, leave.leaveType, ofYear),
  })
  const worse = yearsOf(held.taken)
    .filter(ofYear => ofYear >= year)
    .map(weigh)
    .flatMap(({ before, after }) =>
      after.limit && after.limit.leftDays < 0 && after.limit.leftDays < (before.limit?.leftDays ?? 0)
        ? [after.limit.excess]
        : [],
    )
  return {
    total: totalOf(own),
    years: taken.map(weigh),
    ...(worse.length > 0 && { exceeds: worse.includes('refuse') ? 'refuse' : 'warn' }),
  }
}

/** The remaining balances in the form of the API. */
export const tellBalances = ({ years, exceeds }: WeighedLeave) => ({
  balances: years.flatMap(({ before, after }) =>
    before.limit && after.limit ? { year: after.year, before: before.limit.leftDays, after: after.limit.leftDays } : [],
  ),
  ...(exceeds && { exceeds }),
})

/** Throws 60085 for a leave without any time, and 60084 for a leave beyond the limit. */
export const checkLeave = ({ total, exceeds }: WeighedLeave): void => {
  if (total.minutes === 0) throw new Problem(60085, { date: 60085 })
  if (exceeds === 'refuse') throw new Problem(60084, { leaveType: 60084 })
}

/** The leaves of a year, clipped to that year. */
export const showLeaves = ({ leaves, taken }: ReadLeave, year: number): z.output<typeof takenLeave>[] => {
  const ofYear = taken.filter(({ day }) => Number(day.slice(0, 4)) === year)
  const byLeave = Map.groupBy(ofYear, ({ leave }) => leave)
  return leaves
    .flatMap(({ id, status, leaveType, day, toDay, zone, from, to }) => {
      const days = byLeave.get(id)
      if (!days || (status !== requestStatus.pending && status !== requestStatus.approved)) return []
      const shown = { id, status, leaveType, date: day, toDate: toDay, timezone: zone, isAllDay: from === undefined }
      return [{ ...shown, ...(from !== undefined && { from, to }), ...totalOf(days) }]
    })
    .sort((a, b) => (a.date < b.date ? -1 : 1))
}
