import type { PathOutput } from '../../shared/api.ts'
import { isEmployedBetween } from '../../shared/attendance/employment.ts'
import { departmentsOf, employeeKey } from '../../shared/employee.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { teamDays } from '../../shared/personal/team.ts'
import { type LeaveRequest, requestStatus } from '../../shared/request.ts'
import { readCompany } from '../company/store.ts'
import type { Caller } from '../kit/caller.ts'
import { leaveRange } from '../request/leave-range.ts'

// Lists the colleagues on approved leave, for employees. The answer never tells the type of a leave.

type Leave = Pick<LeaveRequest, 'employee' | 'day' | 'toDay' | 'from'>
interface Away {
  date: string
  toDate: string
  isPartDay: boolean
}

/**
 * The days of one person's leaves, with leaves on consecutive days joined. Otherwise the border between two leaves would
 * tell that their types differ. Leaves with a start time stay apart, because they take only part of a day.
 */
const joinLeaves = (leaves: Leave[]): Away[] => {
  const joined: Away[] = []
  for (const { day, toDay, from } of leaves.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
    const last = joined.at(-1)
    const isPartDay = from !== undefined
    if (last && !last.isPartDay && isPartDay && toDay <= last.toDate) continue
    if (last && last.isPartDay === isPartDay && day <= addDays(last.toDate, isPartDay ? 0 : 1)) {
      if (toDay > last.toDate) last.toDate = toDay
    } else joined.push({ date: day, toDate: toDay, isPartDay })
  }
  return joined
}

export const tellTeam = async (caller: Caller): Promise<PathOutput<'personal/team'>> => {
  const { table, employee: me } = caller
  const company = await readCompany(caller)
  const from = localDay(company.timezone, Date.now())
  const to = addDays(from, teamDays - 1)
  if (!company.showsColleaguesAway) return { isAllowed: false, from, to, list: [] }
  const leaves = await table.all<LeaveRequest>({
    ...leaveRange(requestStatus.approved, from, to),
    only: ['employee', 'day', 'toDay', 'from'],
  })
  const byEmployee = Map.groupBy<string, Leave>(leaves, ({ employee }) => employee)
  byEmployee.delete(me.id)
  const own = new Set(departmentsOf(me))
  const people = await table.getMany([...byEmployee.keys()].map(employeeKey))
  const list = people.flatMap(person => {
    if (!person || !departmentsOf(person).some(department => own.has(department))) return []
    return joinLeaves(byEmployee.get(person.id) ?? [])
      .filter(({ date, toDate }) => isEmployedBetween(person, date > from ? date : from, toDate < to ? toDate : to))
      .map(away => ({ first_name: person.first_name, last_name: person.last_name, ...away }))
  })
  return { isAllowed: true, from, to, list: list.sort((a, b) => (a.date < b.date ? -1 : 1)) }
}
