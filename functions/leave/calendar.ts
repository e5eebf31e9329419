import type { PathInput, PathOutput } from '../../shared/api.ts'
import { departmentsOf, type Employee, employeeKey } from '../../shared/employee.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { type LeaveRequest, requestStatus } from '../../shared/request.ts'
import { checkManaged } from '../department/store.ts'
import { listEmployees } from '../employee/list.ts'
import { type Caller, managesEmployee } from '../kit/caller.ts'
import type { Table } from '../kit/table.ts'
import { leaveRange } from '../request/leave-range.ts'

// The absence calendar. Requests are in order of their last day, so two queries find all leave of a month.

interface Span {
  from: string
  to: string
  leaveType?: number | undefined
}
export type FoundLeave = Pick<
  LeaveRequest,
  'id' | 'employee' | 'leaveType' | 'day' | 'toDay' | 'zone' | 'from' | 'to'
> & {
  status: 0 | 1
}

/** The pending and approved leaves that touch a span of days, earliest first. */
export const readLeaves = async (table: Table, { from, to, leaveType }: Span): Promise<FoundLeave[]> => {
  const read = async (status: FoundLeave['status']): Promise<FoundLeave[]> => {
    const range = leaveRange(status, from, to)
    const leaves = await table.all<LeaveRequest>({
      ...range,
      ...(leaveType !== undefined && { where: [...range.where, ['leaveType', '=', leaveType]] }),
      only: ['id', 'employee', 'leaveType', 'day', 'toDay', 'zone', 'from', 'to'],
    })
    return leaves.map(leave => ({ ...leave, status }))
  }
  const both = await Promise.all([read(requestStatus.approved), read(requestStatus.pending)])
  return both.flat().sort((a, b) => (a.day < b.day ? -1 : 1))
}

export const showLeave = ({ id, status, leaveType, day, toDay, zone, from, to }: FoundLeave) => ({
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
      leaves: (byEmployee.get(id) ?? []).map(showLeave),
    })),
    ...rest,
  }
}

export const countCalendar = async (
  caller: Caller,
  { department, ...span }: PathInput<'leave/calendar/total'>,
): Promise<PathOutput<'leave/calendar/total'>> => {
  await checkManaged(caller, department)
  const leaves = await readLeaves(caller.table, span)
  const ids = [...new Set(leaves.map(({ employee }) => employee))]
  const isSeen = (person: Employee) =>
    department === undefined ? managesEmployee(caller, person) : departmentsOf(person).includes(department)
  const people = await caller.table.getMany(ids.map(employeeKey))
  const seen = new Set(people.flatMap(person => (person && isSeen(person) ? person.id : [])))
  const counted = leaves.filter(({ employee }) => seen.has(employee))
  const peopleOn = (day: string, status: FoundLeave['status']) =>
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
