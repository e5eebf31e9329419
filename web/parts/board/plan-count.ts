import { type BoardLeave, isAway } from '../../../shared/schedule/leave.ts'
import { heldOn, isAwayOn, type KnownPeople, type Plan } from './plan.ts'

// The number of people scheduled on each day, in total and by shift, including unsaved changes. People on approved leave
// for the whole day do not count.

export interface DayCounts {
  /** People with a shift, by day. */
  readonly people: readonly number[]
  /** By shift and day. */
  readonly shifts: ReadonlyMap<string, readonly number[]>
  /** People on approved leave for the whole day, by day. */
  readonly away: readonly number[]
}

/** The counts of the saved schedule of these rows. */
export const countHeld = (
  rows: readonly { days: Readonly<Record<string, readonly string[]>>; leaves: readonly BoardLeave[] }[],
  days: readonly string[],
): DayCounts => {
  const people = days.map(() => 0)
  const away = days.map(() => 0)
  const shifts = new Map<string, number[]>()
  for (const row of rows)
    days.forEach((day, column) => {
      if (isAway(row.leaves, day)) {
        away[column] = (away[column] ?? 0) + 1
        return
      }
      const held = row.days[day]
      if (!held?.length) return
      people[column] = (people[column] ?? 0) + 1
      for (const shift of held) {
        const counts = shifts.get(shift) ?? days.map(() => 0)
        counts[column] = (counts[column] ?? 0) + 1
        shifts.set(shift, counts)
      }
    })
  return { people, shifts, away }
}

/** The counts after a plan, for the employees that `includes` accepts. */
export const countPlanned = (
  held: DayCounts,
  plan: Plan,
  known: KnownPeople,
  days: readonly string[],
  includes: (employee: string) => boolean,
): DayCounts => {
  const people = [...held.people]
  const shifts = new Map([...held.shifts].map(([shift, counts]) => [shift, [...counts]]))
  const add = (shift: string, column: number, by: number) => {
    const counts = shifts.get(shift) ?? days.map(() => 0)
    counts[column] = (counts[column] ?? 0) + by
    shifts.set(shift, counts)
  }
  for (const [employee, own] of Object.entries(plan)) {
    if (!includes(employee)) continue
    const before = known.get(employee)
    days.forEach((day, column) => {
      const wanted = own[day]
      if (!wanted || isAwayOn(before, day)) return
      const heldShifts = heldOn(before, day)
      people[column] = (people[column] ?? 0) + Number(wanted.length > 0) - Number(heldShifts.length > 0)
      for (const shift of heldShifts) add(shift, column, -1)
      for (const shift of wanted) add(shift, column, 1)
    })
  }
  return { people, shifts, away: held.away }
}
