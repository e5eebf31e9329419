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

// Leave, counted by the schedule as it stands whenever somebody looks.

const employeesAtOnce = 12

type Person = Pick<Employee, 'id' | 'department' | keyof Employments>
type Counted = AskedLeave & Pick<LeaveRequest, 'status'>

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** The leaves of one person that count, from one day on: what is asked for or approved. */
const readRequests = async (table: Table, employee: string, from: string): Promise<Item<LeaveRequest>[]> => {
  const found = await table.all<LeaveRequest>({
    ...{ pk: requestPk(employee), from },
    where: [['type', '=', requestTypes.leave]],
  })
  return found.filter(({ status }) => status === requestStatus.pending || status === requestStatus.approved)
}

/** On which days somebody has a holiday: in the department of that day, which days before today remember. */
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
  // Where everybody is free, nobody's department matters.
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

/** All that the leaves of some people follow from, read together; one answer for each of them, in their order. */
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
        // Whether anything is planned behind tells whether whoever plans has come so far.
        monthOf(addMonths(toDay, 1)),
      ]),
    ),
  ]
  const keys = people.flatMap(({ person, leaves }) => monthsOf(leaves).map(month => scheduleKey(month, person.id)))
  const [months, holidays] = await Promise.all([table.getMany(keys), keys.length > 0 ? readHolidays(table) : []])
  const used = new Set(months.flatMap(month => Object.values(month?.days ?? {}).flat()))
  const found = (await table.getMany([...used].map(shiftKey))).filter(isDefined)
  const shifts: Record<string, Item<Shift>> = Object.fromEntries(found.map(shift => [shift.id, shift]))
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

/** What the balances of somebody follow from, with the leaves that are counted in them. */
export interface ReadLeave extends LeaveHeld {
  leaves: LeaveRequest[]
}

/**
 * What the leave of some people follows from, up to any year that is asked for from `year` on. What they carry over follows from
 * the years before, as far back as their types have limits. `along` is counted as if it had been asked for, in place of what has
 * its id.
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

/** Somebody's balances of the types that are switched on. */
export const balancesOf = (company: Company, held: LeaveHeld, year: number): LeaveBalance[] =>
  leaveTypesOf(company).flatMap(({ id, isOn }) => (isOn ? [balanceOf(held, id, year)] : []))

/** A leave beside what its person has. */
export interface WeighedLeave {
  total: RequestTotal
  /** Of its type, in each year it takes days of: without it, and with it. */
  years: { before: LeaveBalance; after: LeaveBalance }[]
  /** What it takes beyond what is left, by the rule of the year where it does; nothing where it is all there. */
  exceeds?: 'refuse' | 'warn'
}

/**
 * How much of the schedule a leave takes, and what it leaves of its type. One that takes what the next year was to have carried
 * over may exceed what is left of that one.
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
  const weigh = (one: number) => ({
    before: balanceOf(without, leave.leaveType, one),
    after: balanceOf(held, leave.leaveType, one),
  })
  const worse = yearsOf(held.taken)
    .filter(one => one >= year)
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

/** What a leave leaves of its type, as people are told it. */
export const tellBalances = ({ years, exceeds }: WeighedLeave) => ({
  balances: years.flatMap(({ before, after }) =>
    before.limit && after.limit ? { year: after.year, before: before.limit.leftDays, after: after.limit.leftDays } : [],
  ),
  ...(exceeds && { exceeds }),
})

/** Throws 60085 where a leave takes nothing, and 60084 where it is more than the company lets people take. */
export const checkLeave = ({ total, exceeds }: WeighedLeave): void => {
  if (total.minutes === 0) throw new Problem(60085, { date: 60085 })
  if (exceeds === 'refuse') throw new Problem(60084, { leaveType: 60084 })
}

/** The leaves that count in a year, as far as they lie in it. */
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
    .sort((one, other) => (one.date < other.date ? -1 : 1))
}
