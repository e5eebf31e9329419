import type { PathInput, PathOutput } from '../../shared/api.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentsOf, type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { type LeaveRequest, mostLeaveDays, requestListPk, requestStatus, requestTypes } from '../../shared/request.ts'
import { listEmployees } from '../employee/list.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import type { Table, Where } from '../kit/table.ts'

// Who is away when. The requests of a company are in order of their last day, so two queries find all leave of a month.

interface Span {
  from: string
  to: string
  leaveType?: number | undefined
}
type Found = Pick<LeaveRequest, 'id' | 'employee' | 'leaveType' | 'day' | 'toDay' | 'zone' | 'from' | 'to'> & {
  status: 0 | 1
}

/** The pending and approved leaves that touch a span of days, earliest first. */
const readLeaves = async (table: Table, { from, to, leaveType }: Span): Promise<Found[]> => {
  const where: Where[] = [
    ['type', '=', requestTypes.leave],
    ['day', 'below', addDays(to, 1)],
    ...(leaveType === undefined ? [] : [['leaveType', '=', leaveType] satisfies Where]),
  ]
  const read = async (status: Found['status']): Promise<Found[]> => {
    const leaves = await table.all<LeaveRequest>({
      ...{ index: 'byDay', pk: requestListPk(status), from, to: `${addDays(to, mostLeaveDays)}~`, where },
      only: ['id', 'employee', 'leaveType', 'day', 'toDay', 'zone', 'from', 'to'],
    })
    return leaves.map(leave => ({ ...leave, status }))
  }
  const both = await Promise.all([read(requestStatus.approved), read(requestStatus.pending)])
  return both.flat().sort((a, b) => (a.day < b.day ? -1 : 1))
}

const show = ({ id, status, leaveType, day, toDay, zone, from, to }: Found) => ({
  ...{ id, status, leaveType, date: day, toDate: toDay, timezone: zone },
  ...(from !== undefined && { from, to }),
})

export const listCalendar = async (
  caller: Caller,
  { filters: { from, to, leaveType, ...filters }, sort, size, page }: PathInput<'leave/calendar'>,
): Promise<PathOutput<'leave/calendar'>> => {
  const name = `leave calendar ${from} ${to} ${leaveType ?? ''}`
  const [{ list, ...rest }, leaves] = await Promise.all([
    listEmployees(caller, { name, filters, sort, size, page }),
    readLeaves(caller.table, { from, to, leaveType }),
  ])
  const byEmployee = Map.groupBy(leaves, ({ employee }) => employee)
  return {
    list: list.map(({ id, first_name, last_name, workno, department }) => ({
      ...{ employee: id, first_name, last_name, workno, department },
      leaves: (byEmployee.get(id) ?? []).map(show),
    })),
    ...rest,
  }
}

/** Throws 60004 for a department that the caller does not manage. */
const checkDepartment = async (caller: Caller, department: string) => {
  if (!manages(caller, department) || !(await caller.table.get(departmentKey(department))))
    throw new Problem(60004, { department: 60004 })
}

export const countCalendar = async (
  caller: Caller,
  { department, ...span }: PathInput<'leave/calendar/total'>,
): Promise<PathOutput<'leave/calendar/total'>> => {
  if (department !== undefined) await checkDepartment(caller, department)
  const leaves = await readLeaves(caller.table, span)
  const ids = [...new Set(leaves.map(({ employee }) => employee))]
  const isSeen = (person: Employee) =>
    department === undefined ? managesEmployee(caller, person) : departmentsOf(person).includes(department)
  const people = await caller.table.getMany(ids.map(employeeKey))
  const seen = new Set(people.flatMap(person => (person && isSeen(person) ? person.id : [])))
  const counted = leaves.filter(({ employee }) => seen.has(employee))
  const peopleOn = (day: string, status: Found['status']) =>
    new Set(
      counted.flatMap(leave =>
        leave.status === status && leave.day <= day && day <= leave.toDay ? leave.employee : [],
      ),
    )
  return {
    list: daysBetween(span.from, span.to).map(day => {
      const away = peopleOn(day, requestStatus.approved)
      const pending = peopleOn(day, requestStatus.pending).difference(away)
      return { day, awayCount: away.size, pendingCount: pending.size }
    }),
  }
}
