import { addDays, daysBetween, earlierDay } from '../../../shared/local-day.ts'
import { mostBoardDays } from '../../../shared/schedule/limit.ts'
import { call, type PathCall } from '../../api.ts'
import type { Known } from '../../parts/board/plan.ts'
import type { BoardRow } from '../../parts/board/row.ts'
import { fullName } from '../../person-name.ts'

// What the server holds of people on days that are not on the board: a rotation reaches further than one looks.

type Filters = Omit<PathCall<'schedule/grid'>['filters'], 'from' | 'to'>

/** The most people one request may read. */
const mostPeople = 200

/** What is known of a row read for these days: a day it does not name is free. */
export const knownOf = (row: BoardRow, days: readonly string[]): Known => ({
  employee: row.employee,
  name: fullName(row),
  department: row.department,
  days: Object.fromEntries(days.map(day => [day, row.days[day] ?? []])),
})

/** Everybody whom the filters leave, with their days of a range however long. `onPart` hears what is read, part by part. */
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
      onPart(answer.list, daysBetween(range.from, range.to))
      page = answer.next
    }
  }
}
