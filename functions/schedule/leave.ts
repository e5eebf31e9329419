import type { PathOutput } from '../../shared/api.ts'
import { isAway } from '../../shared/schedule/leave.ts'
import type { Caller } from '../kit/caller.ts'
import { readLeaves, showLeave } from '../leave/calendar.ts'

// The leave on the schedule board.

type ShownLeave = PathOutput<'schedule/grid'>['list'][number]['leaves'][number]

/** Reads the leave that touches these days. Returns a function that lists the leave of an employee. */
export const readBoardLeaves = async (
  { table, permissions }: Caller,
  days: { from: string; to: string },
): Promise<(employee: string) => ShownLeave[]> => {
  const maySeeType = permissions.has(8) || permissions.has(10)
  const byEmployee = Map.groupBy(await readLeaves(table, days), ({ employee }) => employee)
  return employee =>
    (byEmployee.get(employee) ?? []).map(found => {
      const { leaveType, ...leave } = showLeave(found)
      return { ...leave, ...(maySeeType && { leaveType }) }
    })
}

/** Reads who is on approved leave for a whole day. */
export const readAway = async (
  { table }: Caller,
  days: { from: string; to: string },
): Promise<(employee: string, day: string) => boolean> => {
  const byEmployee = Map.groupBy(await readLeaves(table, days), ({ employee }) => employee)
  const shown = new Map([...byEmployee].map(([employee, leaves]) => [employee, leaves.map(showLeave)]))
  return (employee, day) => isAway(shown.get(employee) ?? [], day)
}
