import { addDays, daysBetween, earlierDay } from '../../../shared/local-day.ts'
import { isAway } from '../../../shared/schedule/leave.ts'
import { mostBoardDays } from '../../../shared/schedule/limit.ts'
import { call, type PathCall } from '../../api.ts'
import { withDraft } from '../../parts/board/draft.ts'
import type { Known } from '../../parts/board/plan.ts'
import type { BoardRow } from '../../parts/board/row.ts'
import { fullName } from '../../person-name.ts'

// Reads the schedule of days outside the board, because a rotation can reach beyond it.

type Filters = Omit<PathCall<'schedule/grid'>['filters'], 'from' | 'to'>

/** The limit of people per request. */
const mostPeople = 200

/** The schedule of a row after a read of `days`. A missing day is free. */
export const knownOf = (row: BoardRow, days: readonly string[]): Known => ({
  employee: row.employee,
  name: fullName(row),
  department: row.department,
  days: Object.fromEntries(days.map(day => [day, row.days[day] ?? []])),
  away: Object.fromEntries(days.map(day => [day, isAway(row.leaves, day)])),
})

/** Reads all people that match the filters, for a range of any length. `onPart` receives each part. */
export const readHeld = async (
  filters: Filters,
  from: string,
  to: string,
  onPart: (rows: readonly BoardRow[], days: readonly string[]) => void,
): Promise<void> => {
  for (let start = from; start <= to; start = addDays(start, mostBoardDays)) {
    const range = { from: start, to: earlierDay(to, addDays(start, mostBoardDays - 1)) }
    for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
      const answer = await call('schedule/grid', {
        filters: { ...filters, ...range },
        size: mostPeople,
        ...(page && { page }),
      })
      onPart(answer.list.map(withDraft), daysBetween(range.from, range.to))
      page = answer.next
    }
  }
}
