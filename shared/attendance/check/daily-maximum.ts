import type { Row } from '../row.ts'
import { byDay, type Finding, isPending, paidOf } from './checks.ts'

/** The paid minutes of a day above the maximum, on the last row of the day. */
export const findOverDailyMaximum = (rows: readonly Row[], most: number): Finding[] =>
  byDay(rows).flatMap(([, ofDay]) => {
    const minutes = ofDay.reduce((sum, row) => sum + paidOf(row), 0) - most
    const row = ofDay.toSorted((a, b) => (a.dutyFrom ?? a.firstIn ?? 0) - (b.dutyFrom ?? b.firstIn ?? 0)).at(-1)
    return row && minutes > 0 && !ofDay.some(isPending) ? [{ row, check: 'overDailyMaximum', minutes }] : []
  })
