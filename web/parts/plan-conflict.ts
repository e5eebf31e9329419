import { conflicts } from '../../shared/attendance/shift.ts'
import { addDays } from '../../shared/local-day.ts'
import type { BoardShift } from './board.tsx'
import { changesOf, heldOn, type Known, type KnownPeople, type OwnPlan, type Plan } from './plan.ts'

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

const conflictsOf = (employee: string, own: OwnPlan, known: Known | undefined, { zone, shifts }: Grounds) => {
  // A night shift reaches into the next day.
  const around = new Set(Object.keys(own).flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))
  const entries = [...around].flatMap(day =>
    (own[day] ?? heldOn(known, day)).flatMap(id => {
      const shift = shifts.get(id)
      return shift ? [{ day, shift }] : []
    }),
  )
  return (
    conflicts(zone, entries)
      // What stood in conflict before, on days nobody touches here, is not this plan's to answer for.
      .filter(pair => pair.some(({ day }) => own[day]))
      .map(
        ([one, other]): Conflict => ({
          employee,
          name: known?.name ?? '',
          day: one.day,
          shift: one.shift.id,
          withDay: other.day,
          withShift: other.shift.id,
        }),
      )
  )
}

const judge = (employee: string, own: OwnPlan, known: Known | undefined, grounds: Grounds): Judgement => {
  const changes = changesOf(employee, own, known)
  const found = changes.some(({ wanted }) => wanted.length > 0) ? conflictsOf(employee, own, known, grounds) : []
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
