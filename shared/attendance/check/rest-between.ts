import { minuteOf } from '../punch.ts'
import type { Row } from '../row.ts'
import { byDay, type Finding, isPending } from './checks.ts'

/**
 * The rest that is missing between the last out of a work day and the first in of the next worked one. It is on
 * the row of that in. Within a work day no rest is asked for. A day without an out tells nothing about the rest after it.
 */
export const findShortRest = (rows: readonly Row[], least: number): Finding[] => {
  const worked = byDay(rows.filter(({ firstIn, lastOut }) => firstIn !== null || lastOut !== null))
  return worked.flatMap(([, ofDay], index): Finding[] => {
    const before = worked[index - 1]?.[1]
    if (!before || [...before, ...ofDay].some(isPending)) return []
    const outs = before.flatMap(({ lastOut }) => lastOut ?? [])
    const [first] = ofDay.filter(({ firstIn }) => firstIn !== null).sort((a, b) => (a.firstIn ?? 0) - (b.firstIn ?? 0))
    if (outs.length === 0 || !first || first.firstIn === null) return []
    const minutes = least - (minuteOf(first.firstIn) - minuteOf(Math.max(...outs)))
    // A day whose work overlaps the next one has no rest at all.
    return minutes > 0 ? [{ row: first, check: 'shortRest', minutes: Math.min(minutes, least) }] : []
  })
}
