import type { DayRow, FormerFigures } from './day.ts'
import type { ToldRow } from './preview.ts'
import type { Key } from './table.ts'

// Days up to the company's lock stay as they are. What they would be otherwise is noted beside them, for whoever has to decide
// whether to open them.

/** A locked row that would come out otherwise. */
export interface LockedChange extends Pick<DayRow, 'employee' | 'department' | 'day' | 'shift'> {
  /** Null: it has no row. */
  before: ToldRow | null
  /** Null: it would have none. */
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
