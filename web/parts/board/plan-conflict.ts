import { newConflicts, withNeighbours } from '../../../shared/schedule/conflict.ts'
import { changesOf, heldOn, type Known, type KnownPeople, type OwnPlan, type Plan } from './plan.ts'
import type { BoardShift } from './row.ts'

// The effects of an unsaved plan: the number of changed days, and overlapping shifts of one person. The server uses the
// same function.

export interface Conflict {
  employee: string
  name: string
  day: string
  shift: string
  withDay: string
  withShift: string
}

/** The effects of one employee's plan. */
export interface Judgement {
  changedDays: number
  /** Days on which the plan removes or replaces shifts. */
  replacedDays: number
  /** The first changed day. */
  from: string
  conflicts: readonly Conflict[]
  /** The conflicts by day. Each conflict is under both of its days. */
  conflictsByDay: ReadonlyMap<string, readonly Conflict[]>
}

export interface Grounds {
  zone: string
  shifts: ReadonlyMap<string, BoardShift>
}

const conflictsOf = (employee: string, own: OwnPlan, known: Known | undefined, { zone, shifts }: Grounds) =>
  newConflicts(zone, shifts, withNeighbours(Object.keys(own)), {
    before: day => heldOn(known, day),
    after: day => own[day] ?? heldOn(known, day),
  }).map(
    ({ shift, withShift, ...days }): Conflict => ({
      ...{ employee, name: known?.name ?? '', ...days },
      ...{ shift: shift.id, withShift: withShift.id },
    }),
  )

const judge = (employee: string, own: OwnPlan, known: Known | undefined, grounds: Grounds): Judgement => {
  const changes = changesOf(employee, own, known)
  const conflicts = conflictsOf(employee, own, known, grounds)
  const conflictsByDay = new Map<string, Conflict[]>()
  for (const conflict of conflicts)
    for (const day of new Set([conflict.day, conflict.withDay]))
      conflictsByDay.set(day, [...(conflictsByDay.get(day) ?? []), conflict])
  return {
    changedDays: changes.length,
    replacedDays: changes.filter(({ held, wanted }) => !held.every(shift => wanted.includes(shift))).length,
    from: changes[0]?.day ?? '',
    conflicts,
    conflictsByDay,
  }
}

/** Returns a function that judges plans, and reuses the result for employees whose plan and data are unchanged. */
export const makeJudge = (grounds: Grounds) => {
  let previous = new Map<string, { own: OwnPlan; known: Known | undefined; judgement: Judgement }>()
  return (plan: Plan, people: KnownPeople): ReadonlyMap<string, Judgement> => {
    const next: typeof previous = new Map()
    for (const [employee, own] of Object.entries(plan)) {
      const known = people.get(employee)
      const before = previous.get(employee)
      const isUnchanged = before?.own === own && before.known === known
      next.set(employee, isUnchanged ? before : { own, known, judgement: judge(employee, own, known, grounds) })
    }
    previous = next
    return new Map([...next].map(([employee, { judgement }]) => [employee, judgement]))
  }
}
