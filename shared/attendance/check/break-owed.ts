import { pairAway } from '../breaks.ts'
import { minuteOf } from '../punch.ts'
import { isElsewhere, type Row } from '../row.ts'
import { lengthOf } from '../span.ts'
import { type BreakStep, type Finding, isPending, paidOf } from './checks.ts'

/** A shorter time away is no break. */
const leastGapMinutes = 15

/** The break that so many paid minutes owe: the last step that they exceed. */
export const owedBreak = (paid: number, steps: readonly BreakStep[]): number =>
  steps
    .toSorted((a, b) => a.afterMinutes - b.afterMinutes)
    .reduce((owed, { afterMinutes, breakMinutes }) => (paid > afterMinutes ? breakMinutes : owed), 0)

/** The time away outside the times of breaks, whether or not the company deducts it. Only long enough gaps count. */
const gapMinutes = ({ punches }: Row): number => {
  const inner: { first: number; last: number }[] = []
  let open: { last: number } | undefined
  for (const { at, use } of punches.filter(punch => !isElsewhere(punch))) {
    const minute = minuteOf(at)
    if (use === 'repeat') {
      if (open) open.last = minute
      continue
    }
    open = undefined
    if (use !== 'inner' && use !== 'gap') continue
    const group = { first: minute, last: minute }
    inner.push(group)
    open = group
  }
  return lengthOf(pairAway(inner).filter(({ from, to }) => to - from >= leastGapMinutes))
}

/** The break that is missing on a row. Break minutes taken off count, and gaps outside break times. */
export const findBreakOwed = (rows: readonly Row[], steps: readonly BreakStep[]): Finding[] =>
  rows.flatMap(row => {
    if (isPending(row)) return []
    const minutes = owedBreak(paidOf(row), steps) - row.breakMinutes - gapMinutes(row)
    return minutes > 0 ? [{ row, check: 'breakOwed', minutes }] : []
  })
