import type { DayRow } from '../../shared/day.ts'
import { printedMinutes, type ReportParams, rowAmount } from '../../shared/measure.ts'

// Leave by type in reports.

type WithLeave = Pick<DayRow, 'leaveTypes'>

/** The printed minutes of a day by leave type. */
export const minutesByType = (row: WithLeave, params: ReportParams) =>
  Object.fromEntries(
    Object.entries(row.leaveTypes).map(([type, minutes]) => [type, printedMinutes(minutes, 'absence', params)]),
  )

/** The leave of rows by type: the sums of the printed days, in the unit of leave. */
export const leaveAmountsOf = (rows: WithLeave[], params: ReportParams): Record<string, number> => {
  const isHours = params.absence.unit === 1
  const sums = new Map<string, number>()
  for (const row of rows)
    for (const [type, minutes] of Object.entries(minutesByType(row, params)))
      sums.set(type, (sums.get(type) ?? 0) + Math.round(rowAmount(minutes, isHours) * 100))
  return Object.fromEntries([...sums].map(([type, sum]) => [type, sum / 100]))
}
