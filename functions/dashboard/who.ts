import { type Employments, isEmployedOn } from '../../shared/attendance/employment.ts'
import { type Company, partsOn } from '../../shared/company.ts'
import { type DayRow, dayIndexPk } from '../../shared/day.ts'
import type { Employee } from '../../shared/employee.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { isBegun } from '../../shared/presence.ts'
import { type LeaveRequest, requestStatus } from '../../shared/request.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey } from '../../shared/shift.ts'
import { type LeaveOfNow, type Moment, type Who, type WhoRow, whoFields, whoOf } from '../../shared/who.ts'
import { rowsOfEmployee } from '../day/rows.ts'
import { findEmployees } from '../employee/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import type { Table, Where } from '../kit/table.ts'
import { leaveOfPerson, leaveRange } from '../request/leave-range.ts'

// Reads the state of everybody now: one query of each part of today, the open rows of yesterday, the begun rows of
// tomorrow, and today's leave.

type Viewer = Pick<Caller, 'table' | 'departments'>
type InParts = Pick<Company, 'dayParts'>

const readRows = async (table: Table, company: InParts, day: string, where: Where[] = []): Promise<WhoRow[]> => {
  const parts = Array.from({ length: partsOn(company, day) }, (_, part) =>
    table.all<DayRow>({
      ...{ index: 'byDay', pk: dayIndexPk(day, part), only: [...whoFields], where },
    }),
  )
  return (await Promise.all(parts)).flat()
}

const leaveFields = ['employee', 'leaveType', 'day', 'toDay', 'from', 'to'] as const
const leaveOfNow = ({ leaveType, day, toDay, from, to }: LeaveRequest): LeaveOfNow => ({
  ...{ leaveType, day, toDay },
  ...(from !== undefined && to !== undefined && { from: Date.parse(from), to: Date.parse(to) }),
})
const readShifts = async (table: Table, rows: readonly WhoRow[]) => {
  const ids = new Set(rows.flatMap(({ shift }) => shift ?? []))
  const shifts = await table.getMany([...ids].map(shiftKey))
  return new Map(shifts.flatMap(shift => (shift ? [[shift.id, shift] as const] : [])))
}

/** Approved leave by employee. A shift of yesterday may still be running, so leave of yesterday counts too. */
const readLeaves = async (table: Table, today: string): Promise<Map<string, LeaveOfNow[]>> => {
  const leaves = await table.all<LeaveRequest>({
    ...leaveRange(requestStatus.approved, addDays(today, -1), today),
    only: [...leaveFields],
  })
  return new Map(
    [...Map.groupBy(leaves, ({ employee }) => employee)].map(([employee, list]) => [employee, list.map(leaveOfNow)]),
  )
}

/** People on leave without a row: those who had no shift all month, because their company plans none for them. */
const readPlanless = async ({ table, departments }: Viewer, employees: string[], today: string) => {
  const [people, schedules] = await Promise.all([
    findEmployees(table, employees),
    table.getMany(employees.map(employee => scheduleKey(monthOf(today), employee))),
  ])
  const planned = new Set(
    employees.filter((_, i) => Object.values(schedules[i]?.days ?? {}).some(shifts => shifts.length > 0)),
  )
  return people
    .filter(person => !planned.has(person.id) && isEmployedOn(person, today))
    .filter(({ department }) => manages({ departments }, department))
    .map(({ id, department }) => ({ employee: id, department, isPlanless: true }))
}

/** The state of each person in the viewer's departments now. `within` narrows the departments further. */
export const readWho = async (
  viewer: Viewer,
  company: Pick<Company, 'timezone' | 'dayParts'>,
  within?: ReadonlySet<string>,
): Promise<{ today: string; people: Who[] }> => {
  const { table } = viewer
  const now = Date.now()
  const today = localDay(company.timezone, now)
  const [rows, openRows, nextRows, leaves] = await Promise.all([
    readRows(table, company, today),
    readRows(table, company, addDays(today, -1), [['closesAt', 'not below', now]]),
    // Nearly everybody has a row of tomorrow, and nearly nobody has punched for it.
    readRows(table, company, addDays(today, 1), [['firstIn', 'not below', 0]]),
    readLeaves(table, today),
  ])
  const all = Map.groupBy([...openRows, ...rows, ...nextRows.filter(isBegun)], ({ employee }) => employee)
  const shifts = await readShifts(table, [...all.values()].flat())
  const moment: Moment = { now, today, shiftOf: id => shifts.get(id) }
  const isSeen = (department: string) => manages(viewer, department) && (within?.has(department) ?? true)
  const rowless = [...leaves.keys()].filter(employee => !all.has(employee))
  const planless = rowless.length === 0 ? [] : await readPlanless(viewer, rowless, today)
  const people = [
    ...[...all].flatMap(([employee, own]) => {
      const seen = own.filter(({ department }) => isSeen(department))
      const department = seen.at(-1)?.department
      return department === undefined ? [] : [{ person: { employee, department }, rows: seen }]
    }),
    ...planless.filter(({ department }) => isSeen(department)).map(person => ({ person, rows: [] })),
  ]
  return {
    today,
    people: people.flatMap(({ person, rows }) => whoOf(person, rows, leaves.get(person.employee) ?? [], moment) ?? []),
  }
}

/** The state of one person now, by the rules of `readWho`, from the person's own rows and requests. */
export const readWhoOf = async (
  viewer: Viewer,
  { timezone }: Pick<Company, 'timezone'>,
  person: Pick<Employee, 'id' | 'department' | keyof Employments>,
): Promise<Who | undefined> => {
  const { table } = viewer
  const now = Date.now()
  const today = localDay(timezone, now)
  const [stored, requests] = await Promise.all([
    rowsOfEmployee(viewer, person.id, addDays(today, -1), addDays(today, 1)),
    table.all<LeaveRequest>({
      ...leaveOfPerson(person.id, addDays(today, -1), today),
      only: [...leaveFields],
    }),
  ])
  const rows = stored.filter(row => row.day === today || (row.day < today ? row.closesAt >= now : isBegun(row)))
  const shifts = await readShifts(table, rows)
  const [planless] = rows.length > 0 ? [] : await readPlanless(viewer, [person.id], today)
  const department = rows.at(-1)?.department ?? person.department
  return whoOf(planless ?? { employee: person.id, department }, rows, requests.map(leaveOfNow), {
    ...{ now, today },
    shiftOf: id => shifts.get(id),
  })
}
