import { minuteOf } from '../punch.ts'
import type { Row } from '../row.ts'
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
  const stays: { first: number; last: number }[] = []
  for (const { at, use } of punches) {
    const last = stays.at(-1)
    if (use === 'repeat' && last) last.last = minuteOf(at)
    else if (use === 'inner' || use === 'gap') stays.push({ first: minuteOf(at), last: minuteOf(at) })
  }
  let minutes = 0
  for (let index = 0; index + 1 < stays.length; index += 2) {
    const gap = (stays[index + 1]?.first ?? 0) - (stays[index]?.last ?? 0)
    if (gap >= leastGapMinutes) minutes += gap
  }
  return minutes
}

/** Rule 15: the break that is missing on a row. Break minutes taken off count, and gaps outside break times. */
export const findBreakOwed = (rows: readonly Row[], steps: readonly BreakStep[]): Finding[] =>
  rows.flatMap(row => {
    if (isPending(row)) return []
    const minutes = owedBreak(paidOf(row), steps) - row.breakMinutes - gapMinutes(row)
    return minutes > 0 ? [{ row, check: 'breakOwed', minutes }] : []
  })
