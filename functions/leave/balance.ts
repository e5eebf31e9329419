import type * as z from 'zod'
import type { Employments } from '../../shared/attendance/employment.ts'
import { type Company, leaveTypesOf } from '../../shared/company.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import type { ZoneOf } from '../../shared/department.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Holiday, holidayCalendar, partHolidaysOf } from '../../shared/holiday/day.ts'
import { type AskedLeave, countLeave, type LeaveContext, leaveSlackDays, totalOf } from '../../shared/leave/day.ts'
import { leaveYearEnd } from '../../shared/leave/entitlement.ts'
import { leaveYearOf, leaveYearStart } from '../../shared/leave/year.ts'
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
import { zonesBetween } from '../day/department.ts'
import { readZones } from '../department/zone.ts'
import { readHolidays } from '../holiday/store.ts'
import { isDefined } from '../kit/defined.ts'
import { atOnce } from '../kit/each.ts'
import type { Item, Table } from '../kit/table.ts'

// Counts leave by the current schedule at each read.

const employeesAtOnce = 12

type Person = Pick<Employee, 'id' | 'department' | keyof Employments>
type Counted = AskedLeave & Pick<LeaveRequest, 'status'>

/** The pending and approved leave requests of a person from a day on. */
const readRequests = async (table: Table, employee: string, from: string): Promise<Item<LeaveRequest>[]> => {
  const requests = await table.all<LeaveRequest>({
    ...{ pk: requestPk(employee), from },
    where: [['type', '=', requestTypes.leave]],
  })
  return requests.filter(({ status }) => status === requestStatus.pending || status === requestStatus.approved)
}

/** The holidays of a person. Past days keep the department of their rows. */
const readFree = async (
  table: Table,
  { id, department }: Person,
  holidays: readonly Holiday[],
  leaves: readonly Counted[],
  today: string,
  { timezone, zoneOf }: { timezone: string; zoneOf: ZoneOf | undefined },
): Promise<Pick<LeaveContext, 'isHoliday' | 'partHolidays' | 'zones'>> => {
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
  const departmentOn = (day: string) => (day < today && then.get(day)) || department
  return {
    isHoliday: day => isFree(departmentOn(day), day),
    partHolidays: partHolidaysOf(holidays, departmentOn),
    ...zonesBetween(zoneOf, departmentOn, timezone, addDays(from, -leaveSlackDays), addDays(to, leaveSlackDays)),
  }
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
  const zoneOf = await readZones(table, company)
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
      ...(await readFree(table, person, holidays, leaves, today, { timezone: company.timezone, zoneOf })),
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
  const { leaveRules: rules = [], leaveYearMonth: yearStart = 1 } = company
  const first = leaveYearStart(Math.min(year, ...rules.map(({ since }) => since)), yearStart)
  const [books, requests] = await Promise.all([
    table.getMany(people.map(({ id }) => leaveBookKey(id))),
    atOnce(employeesAtOnce, people, ({ id }) => readRequests(table, id, first)),
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
  const today = localDay(company.timezone, Date.now())
  return people.map((employee, i) => ({
    ...{ rules, yearStart, today, employee, leaves: leaves[i] ?? [] },
    own: books[i]?.entries ?? {},
    taken: counted[i]?.taken ?? [],
  }))
}

/** The balances of a person for the leave types in use. */
export const balancesOf = (company: Company, held: LeaveHeld, year: number): LeaveBalance[] =>
  leaveTypesOf(company).flatMap(({ id, isOn }) => (isOn ? [balanceOf(held, id, year)] : []))

/** A year's balances of a leave's type without and with the leave: today, and once unused carried days have ended. */
interface WeighedYear {
  before: LeaveBalance
  after: LeaveBalance
  later: { before: LeaveBalance; after: LeaveBalance }
}

/** A leave compared with the balances of its person. */
export interface WeighedLeave {
  total: RequestTotal
  /** Each year that the leave touches. */
  years: WeighedYear[]
  /** Set if the leave exceeds the balance: the rule of that year refuses or warns. */
  exceeds?: 'refuse' | 'warn'
}

/**
 * Counts a leave and its effect on the balances. A leave can exceed the next year's balance by using up carried days,
 * or this year's balance by days that end before it.
 */
export const weighLeave = async (
  table: Table,
  company: Item<Company>,
  person: Person,
  leave: LeaveRequest,
): Promise<WeighedLeave> => {
  const { leaveYearMonth: yearStart = 1 } = company
  const year = leaveYearOf(leave.day, yearStart)
  const [held] = await readLeave(table, company, [person], year, leave)
  if (!held) throw new Problem(60004)
  const own = held.taken.filter(day => day.leave === leave.id)
  const without = { ...held, taken: held.taken.filter(day => day.leave !== leave.id) }
  const yearsOf = (days: readonly TakenDay[]) => [...new Set(days.map(({ day }) => leaveYearOf(day, yearStart)))].sort()
  const taken = yearsOf(own)
  const compare = (ofYear: number, on: { today?: string }) => ({
    before: balanceOf({ ...without, ...on }, leave.leaveType, ofYear),
    after: balanceOf({ ...held, ...on }, leave.leaveType, ofYear),
  })
  const weigh = (ofYear: number): WeighedYear => ({
    ...compare(ofYear, {}),
    later: compare(ofYear, { today: leaveYearEnd(ofYear, yearStart) }),
  })
  const worse = yearsOf(held.taken)
    .filter(ofYear => ofYear >= year)
    .map(weigh)
    .flatMap(({ later, ...today }) => [today, later])
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
  balances: years.flatMap(({ before: { limit: before }, after: { limit: after, year }, later }) => {
    if (!before || !after) return []
    const left = { year, before: before.leftDays, after: after.leftDays }
    const [laterBefore, laterAfter] = [later.before.limit, later.after.limit]
    if (!after.carriedUntil || !laterBefore || !laterAfter || !(before.expiringDays || after.expiringDays)) return left
    const from = addDays(after.carriedUntil, 1)
    return { ...left, later: { from, before: laterBefore.leftDays, after: laterAfter.leftDays } }
  }),
  ...(exceeds && { exceeds }),
})

/** Throws 60085 for a leave without any time, and 60084 for a leave beyond the limit. */
export const checkLeave = ({ total, exceeds }: WeighedLeave): void => {
  if (total.minutes === 0) throw new Problem(60085, { date: 60085 })
  if (exceeds === 'refuse') throw new Problem(60084, { leaveType: 60084 })
}

/** The leaves of a year, clipped to that year. */
export const showLeaves = ({ leaves, taken, yearStart }: ReadLeave, year: number): z.output<typeof takenLeave>[] => {
  const ofYear = taken.filter(({ day }) => leaveYearOf(day, yearStart) === year)
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
