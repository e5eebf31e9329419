import type { PathOutput } from '../../shared/api.ts'
import { dayNumber, weekStart } from '../../shared/attendance/calendar.ts'
import { type BoardWarning, type PlannedShift, warnAboutPlan } from '../../shared/attendance/check/board.ts'
import type { Checks } from '../../shared/attendance/check/checks.ts'
import { defaultParameters } from '../../shared/attendance/input.ts'
import type { DayRow } from '../../shared/day.ts'
import type { Employee } from '../../shared/employee.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import type { Shift } from '../../shared/shift.ts'
import { readCompany } from '../company/store.ts'
import { rowsBetween } from '../day/rows.ts'
import { readZones } from '../department/zone.ts'
import { readHourRules } from '../hours/store.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Item } from '../kit/table.ts'
import { readAway } from './leave.ts'
import { draftedOn, type Months, readMonths, readShifts, shiftsOn } from './store.ts'
import { daysOf, type PlannedPerson } from './write.ts'

// Judges a plan by the working-time checks before it is saved.

type Warnings = PathOutput<'schedule/check'>

const mostListed = 200
const peopleAtOnce = 16
/** A plan can shorten the rest, or lengthen the week, of so many days beside it. */
const reachDays = 7

interface Ground {
  zone: string
  firstWeekday: number
  checks: Checks
  shifts: ReadonlyMap<string, Item<Shift>>
  /** Planned shifts of these days do not count, because the person is away. */
  isAway: (day: string) => boolean
  /** The last closed day before the plan with a clock-out. */
  worked?: { day: string; lastOut: number }
}

/** The last clock-out before the plan. An open day may still get another one. */
const lastWorked = (rows: readonly DayRow[]): Ground['worked'] => {
  const closed = rows.filter(({ state, lastOut }) => state !== 'pending' && lastOut !== null)
  const day = closed.at(-1)?.day
  if (day === undefined) return undefined
  return { day, lastOut: Math.max(...closed.flatMap(row => (row.day === day ? (row.lastOut ?? []) : []))) }
}

const judge = (
  { zone, firstWeekday, checks, shifts, isAway, worked }: Ground,
  days: readonly string[],
  shiftsOf: (day: string) => readonly string[],
): BoardWarning[] => {
  const planned = days.flatMap((day): PlannedShift[] =>
    isAway(day)
      ? []
      : shiftsOf(day).flatMap(id => {
          const shift = shifts.get(id)
          return shift ? [{ day, shift }] : []
        }),
  )
  const { weeklyAverage, ...ofDays } = checks
  const upcoming = worked ? planned.filter(({ day }) => day > worked.day) : planned
  return [
    ...warnAboutPlan(zone, upcoming, ofDays, { firstWeekday, ...(worked && { lastOut: worked.lastOut }) }),
    // The average needs the whole week, also its days behind the last clock-out.
    ...(weeklyAverage ? warnAboutPlan(zone, planned, { weeklyAverage }, { firstWeekday }) : []),
  ]
}

/** The warnings that the plan causes: those without an earlier one of the same day or week and as many minutes. */
const newOnes = (before: BoardWarning[], after: BoardWarning[], firstWeekday: number): BoardWarning[] => {
  const placeOf = ({ day, check }: BoardWarning) =>
    `${check} ${check === 'overWeeklyAverage' ? weekStart(dayNumber(day), firstWeekday) : day}`
  const known = new Map(before.map(warning => [placeOf(warning), warning.minutes]))
  return after.filter(warning => warning.minutes > (known.get(placeOf(warning)) ?? 0))
}

/** `employees` are the people of the plan whom the caller manages. */
export const warnOfPlan = async (
  caller: Caller,
  people: readonly PlannedPerson[],
  employees: readonly Item<Employee>[],
): Promise<Warnings> => {
  const { table } = caller
  const company = await readCompany(caller)
  const hours = await readHourRules(table, company)
  const { timezone: zone, parameters: { firstWeekday } = defaultParameters, draftsSchedule = false } = company
  const byId = new Map(employees.map(employee => [employee.id, employee]))
  const judged = people.flatMap(({ employee: id, days }) => {
    const employee = byId.get(id)
    const last = [...days.keys()].sort().at(-1) ?? ''
    const checks = employee && hours?.setOn(employee.department, last)?.checks
    return checks ? [{ employee, days, checks }] : []
  })
  if (judged.length === 0) return { list: [], count: 0 }
  const changed = daysOf(people)
  const [first = '', last = ''] = [changed[0], changed.at(-1)]
  const around = daysBetween(addDays(first, -reachDays), addDays(last, reachDays))
  const ids = judged.map(({ employee }) => employee.id)
  const [zoneOf, months, isAway] = await Promise.all([
    readZones(table, company),
    readMonths(table, ids, around),
    readAway(caller, { from: around[0] ?? first, to: around.at(-1) ?? last }),
  ])
  const planned = [...new Set(judged.flatMap(({ days }) => [...days.values()].flat()))]
  const shifts = await readShifts(table, months.values(), new Map(), planned)
  const found = await atOnce(peopleAtOnce, judged, async ({ employee, days, checks }) => {
    const own = [...days.keys()].sort()
    const [from = first, to = last] = [own[0], own.at(-1)]
    const rows = await rowsBetween(table, employee.id, addDays(from, -reachDays), addDays(from, -1))
    const worked = lastWorked(rows)
    const ground = {
      ...{ firstWeekday, checks, shifts, isAway: (day: string) => isAway(employee.id, day) },
      zone: zoneOf?.(employee.department, from) ?? zone,
      ...(worked && { worked }),
    }
    const near = around.filter(day => day >= addDays(from, -reachDays) && day <= addDays(to, reachDays))
    const held: Months = months.get(employee.id) ?? new Map()
    const heldOn = (day: string) => (draftsSchedule ? draftedOn(held, day) : shiftsOn(held, day))
    const before = judge(ground, near, heldOn)
    const after = judge(ground, near, day => days.get(day) ?? heldOn(day))
    const name = fullName(employee)
    return newOnes(before, after, firstWeekday).map(warning => ({ employee: employee.id, name, ...warning }))
  })
  const list = found.flat()
  return { list: list.slice(0, mostListed), count: list.length }
}
