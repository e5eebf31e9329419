import { newConflicts, withNeighbours } from '../../../shared/schedule/conflict.ts'
import { changesOf, heldOn, type Known, type KnownPeople, type OwnPlan, type Plan } from './plan.ts'
import type { BoardShift } from './row.ts'

// What a plan would come to, judged before it is saved: how much it changes, and where duties of one person would overlap.
// It is the very function the server judges by.

export interface Conflict {
  employee: string
  name: string
  day: string
  shift: string
  withDay: string
  withShift: string
}

/** What one employee's plan comes to. */
export interface Judgement {
  changedDays: number
  /** Days whose shifts are taken away or replaced by others. */
  replacedDays: number
  /** The first day it changes. */
  from: string
  conflicts: readonly Conflict[]
  /** The same by day: a conflict is seen on both of its days. */
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
  const found = conflictsOf(employee, own, known, grounds)
  const conflictsByDay = new Map<string, Conflict[]>()
  for (const conflict of found)
    for (const day of new Set([conflict.day, conflict.withDay]))
      conflictsByDay.set(day, [...(conflictsByDay.get(day) ?? []), conflict])
  return {
    changedDays: changes.length,
    replacedDays: changes.filter(({ held, wanted }) => !held.every(shift => wanted.includes(shift))).length,
    from: changes[0]?.day ?? '',
    conflicts: found,
    conflictsByDay,
  }
}

/** Judges plans one after another; whose plan is the same as the last time is not looked at again. */
export const makeJudge = (grounds: Grounds) => {
  let last = new Map<string, { own: OwnPlan; known: Known | undefined; judgement: Judgement }>()
  return (plan: Plan, people: KnownPeople): ReadonlyMap<string, Judgement> => {
    const next: typeof last = new Map()
    for (const [employee, own] of Object.entries(plan)) {
      const known = people.get(employee)
      const before = last.get(employee)
      const isOld = before?.own === own && before.known === known
      next.set(employee, isOld ? before : { own, known, judgement: judge(employee, own, known, grounds) })
    }
    last = next
    return new Map([...next].map(([employee, { judgement }]) => [employee, judgement]))
  }
}
