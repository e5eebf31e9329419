import type { DayRow, FormerFigures } from './day.ts'
import type { ToldRow } from './preview.ts'
import type { Key } from './table.ts'

// Days up to the company's lock do not change. The server stores differing new results beside them, for the manager who
// decides about unlocking.

/** A locked row whose recalculation gives another result. */
export interface LockedChange extends Pick<DayRow, 'employee' | 'department' | 'day' | 'shift'> {
  /** The stored row; null if there is none. */
  before: ToldRow | null
  /** The recalculated row; null if there would be none. */
  after: ToldRow | null
  at: string
  cause: FormerFigures['cause']
}

export const lockedChangeKey = ({
  employee,
  day,
  shift,
}: Pick<LockedChange, 'employee' | 'day' | 'shift'>): Key<LockedChange> => ({
  pk: 'LOCKED_CHANGE',
  sk: `${employee}#${day}#${shift ?? '-'}`,
})
