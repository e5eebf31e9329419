import { createHash } from 'node:crypto'
import { addDays } from '../../shared/local-day.ts'
import { type SchedulePlan, schedulePlanKey } from '../../shared/schedule.ts'
import type { Caller } from '../kit/caller.ts'
import { save } from '../kit/table.ts'
import { taskExpiry } from '../kit/task.ts'
import type { PlannedPerson } from './write.ts'

// A plan: days of many people as assigned on the board, to save or only to preview.

/** The people of a plan with the days it sets after `lockedTo`. Leaves out people without a day to set. */
export const peopleOf = ({ from, shifts, rows }: SchedulePlan, lockedTo = ''): PlannedPerson[] => {
  let part = 0
  const people = rows.flatMap(({ employees, cells }, i) => {
    const days = new Map<string, string[]>()
    for (const [place, cell] of cells.entries()) {
      const day = addDays(from, place)
      if (cell && day > lockedTo)
        days.set(
          day,
          cell.flatMap(shift => shifts[shift] ?? []),
        )
    }
    return employees.map(employee => ({ row: i + 1, part: part++, employee, days }))
  })
  return people.filter(({ days }) => days.size > 0)
}

export const hashOf = (plan: SchedulePlan): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('base64url')

/** Stores a plan for the task that begins next. */
export const keepPlan = ({ table, employee }: Caller, plan: SchedulePlan): Promise<void> => {
  const key = schedulePlanKey(employee.id, hashOf(plan))
  return save(table.put(key, { plan: JSON.stringify(plan), expiresAt: taskExpiry() }))
}
