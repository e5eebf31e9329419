import type { Audited, Change } from '../change.ts'
import type { Key } from '../table.ts'

/**
 * One employee's shifts of one month. A month is one item, because a board reads and writes whole months. A month of
 * 500 people is 500 items, not 15,500.
 */
export interface ScheduleMonth {
  employee: string
  /** The month, as `YYYY-MM`. */
  month: string
  /** Shift ids by day. A day without shifts has no entry. */
  days: Record<string, string[]>
  /**
   * The unpublished shifts by day, which only the planning board shows. An empty list is a free day. Every change of a
   * published day removes its draft in the same save, so a direct change always wins.
   */
  draft?: Record<string, string[]>
  /** When a published day last changed. Calendar apps see it. */
  changedAt?: string
  /**
   * The task that last saved the month and calculates the changed days itself. Absent if the job calculates the days.
   */
  task?: string
}

export const monthOf = (day: string) => day.slice(0, 7)
/** The audit records the days with changed shifts, under the employee's id. */
const audited: Audited<ScheduleMonth> = {
  noun: 'schedule',
  id: ({ employee }) => employee,
  name: () => '',
}

export const scheduleKey = (month: string, employee: string): Key<ScheduleMonth> => ({
  pk: `SCHEDULE#${month}`,
  sk: employee,
  audited,
})

/** Marks a month of an employee with unpublished days, so that nobody reads all months to find them. */
export interface DraftedMonth {
  employee: string
  month: string
  /** The unpublished days, oldest first. */
  days: string[]
}

export const draftedMonthKey = (employee: string, month: string): Key<DraftedMonth> => ({
  pk: 'SCHEDULE_DRAFT',
  sk: `${employee}#${month}`,
})

const sameShifts = (first: string[] = [], second: string[] = []) => first.join() === second.join()

/**
 * Reports the first and the last changed day. A task calculates its own planned days, so the fact then only refreshes
 * the pages. A change of the draft alone refreshes only the board.
 */
export const scheduleFacts = ({ company, old, new: next }: Change<ScheduleMonth>) => {
  const employee = next?.employee ?? old?.employee ?? ''
  const days = Object.keys({ ...old?.days, ...next?.days })
    .filter(day => !sameShifts(old?.days[day], next?.days[day]))
    .sort()
  const [from, to] = [days[0], days.at(-1)]
  if (!from || !to)
    return JSON.stringify(old?.draft) === JSON.stringify(next?.draft)
      ? []
      : [{ type: 'schedule.drafted' as const, company, employee }]
  const fact = { company, employee, from, to }
  return [
    next?.task === undefined
      ? { type: 'schedule.changed' as const, ...fact }
      : { type: 'schedule.planned' as const, ...fact },
  ]
}
