import type { Row } from '../row.ts'
import { findBreakOwed } from './break-owed.ts'
import type { Checks, Finding } from './checks.ts'
import { findOverDailyMaximum } from './daily-maximum.ts'
import { findShortRest } from './rest-between.ts'
import { findOverWeeklyAverage, type WeekContext } from './weekly-average.ts'

/**
 * The findings of all working-time checks on the rows of one person. The rest needs the last worked day before the first row, and
 * the average needs all rows of its weeks. Gaps need the punches of the rows.
 */
export const checkRows = (rows: readonly Row[], checks: Checks, context: WeekContext): Finding[] => {
  const { dailyMaximum, restBetween, breakOwed, weeklyAverage } = checks
  return [
    ...(dailyMaximum === undefined ? [] : findOverDailyMaximum(rows, dailyMaximum)),
    ...(restBetween === undefined ? [] : findShortRest(rows, restBetween)),
    ...(breakOwed === undefined ? [] : findBreakOwed(rows, breakOwed)),
    ...(weeklyAverage === undefined ? [] : findOverWeeklyAverage(rows, weeklyAverage, context)),
  ]
}
