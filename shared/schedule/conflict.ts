import { conflicts, type Duty } from '../attendance/shift.ts'
import { addDays } from '../local-day.ts'

// The conflicts (59031) that a change of an employee's days causes. The board checks for them before a save, and the
// server during the save.

/** The days, and the previous and the next day of each, because a night shift reaches into the next day. */
export const withNeighbours = (days: Iterable<string>): string[] =>
  [...new Set([...days].flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))].sort()

/** The ids of an employee's shifts on a day. */
type ShiftsOn = (day: string) => readonly string[]

export interface ShiftConflict<S> {
  day: string
  shift: S
  withDay: string
  withShift: S
}

/**
 * The new conflicts in an employee's days. Only added shifts count as a change of a day. A change need not resolve
 * earlier conflicts. Removing shifts is always allowed, because managers resolve conflicts by removing shifts. `around`
 * contains the changed days and their neighbours.
 */
export const newConflicts = <S extends Duty>(
  zone: string,
  shifts: ReadonlyMap<string, S>,
  around: readonly string[],
  { before, after }: { before: ShiftsOn; after: ShiftsOn },
): ShiftConflict<S>[] => {
  const entries = around.flatMap(day =>
    after(day).flatMap(id => {
      const shift = shifts.get(id)
      return shift ? [{ day, shift, isNew: !before(day).includes(id) }] : []
    }),
  )
  if (!entries.some(({ isNew }) => isNew)) return []
  return conflicts(zone, entries)
    .filter(pair => pair.some(({ isNew }) => isNew))
    .map(([first, second]) => ({ day: first.day, shift: first.shift, withDay: second.day, withShift: second.shift }))
}
