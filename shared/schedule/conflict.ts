import { conflicts, type Duty } from '../attendance/shift.ts'
import { addDays } from '../local-day.ts'

// Which conflicts (59031) a change of somebody's days brings about: the board judges by it before it saves, and the server when it does.

/** The days and those before and after them: a night shift reaches into the next day. */
export const withNeighbours = (days: Iterable<string>): string[] =>
  [...new Set([...days].flatMap(day => [addDays(day, -1), day, addDays(day, 1)]))].sort()

/** What a day of somebody holds, by the ids of the shifts. */
type ShiftsOn = (day: string) => readonly string[]

export interface ShiftConflict<S> {
  day: string
  shift: S
  withDay: string
  withShift: S
}

/**
 * The conflicts one person's days would have that they do not have yet; a day counts as changed by the shifts that come to it. What
 * stood in conflict before is not this change's to answer for: taking away is always allowed, because it must also mend what
 * a changed shift has brought into conflict. `around` are the days that change, with their neighbours.
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
    .map(([one, other]) => ({ day: one.day, shift: one.shift, withDay: other.day, withShift: other.shift }))
}
