import type { Row } from './attendance/row.ts'

// The figures of rows and their sums. All code that adds days up uses these.

/** The figures that the engine stores in a row. */
export const rowFigureNames = [
  'dutyMinutes',
  'workMinutes',
  'lateMinutes',
  'earlyLeaveMinutes',
  'absentMinutes',
  'leaveMinutes',
  'overtimeMinutes',
] as const

/** The figures of reports. Scheduled = worked + late + left early + absent + leave + unresolved. */
export const figureNames = [...rowFigureNames, 'unresolvedMinutes', 'unscheduledMinutes'] as const
export type FigureName = (typeof figureNames)[number]
export type Figures = Record<FigureName, number>

export const noFigures = (): Figures => ({
  dutyMinutes: 0,
  workMinutes: 0,
  lateMinutes: 0,
  earlyLeaveMinutes: 0,
  absentMinutes: 0,
  leaveMinutes: 0,
  overtimeMinutes: 0,
  unresolvedMinutes: 0,
  unscheduledMinutes: 0,
})

/** The fields of a row that give its figures. */
export const figuredFields = [...rowFigureNames, 'shift', 'kind', 'state', 'dutyFrom', 'week'] as const
export type FiguredRow = Pick<Row, (typeof figuredFields)[number]>

/**
 * Splits the work of a row into scheduled and unscheduled work. Late, absent and leave minutes reduce the scheduled
 * minutes first. Scheduled minutes without any figure are unresolved: a punch is missing, or the employee was away
 * longer than the breaks.
 */
const splitWork = (row: FiguredRow) => {
  const { workMinutes } = row
  // The week judges the days of a weekly-flexible shift.
  const isWeekly = row.kind === 'flexible' || (row.shift !== null && row.dutyFrom === null)
  if (isWeekly) return { workMinutes, unresolvedMinutes: 0, unscheduledMinutes: 0 }
  const otherMinutes = row.lateMinutes + row.earlyLeaveMinutes + row.absentMinutes + row.leaveMinutes
  const openMinutes = Math.max(0, row.dutyMinutes - otherMinutes)
  const scheduledWork = Math.min(workMinutes, openMinutes)
  return {
    workMinutes: scheduledWork,
    // More punches may come on a pending day.
    unresolvedMinutes: row.state === 'pending' ? 0 : openMinutes - scheduledWork,
    unscheduledMinutes: workMinutes - scheduledWork,
  }
}

/** The figures of a row, with those of the week it carries. A week's shortfall counts as absence. */
export const figuresOf = (row: FiguredRow): Figures => ({
  dutyMinutes: row.dutyMinutes,
  ...splitWork(row),
  lateMinutes: row.lateMinutes,
  earlyLeaveMinutes: row.earlyLeaveMinutes,
  absentMinutes: row.absentMinutes + (row.week?.shortfallMinutes ?? 0),
  leaveMinutes: row.leaveMinutes,
  overtimeMinutes: row.overtimeMinutes + (row.week?.overtimeMinutes ?? 0),
})

/** Applies a function to each figure. */
export const mapFigures = (of: (name: FigureName) => number): Figures => {
  const figures = noFigures()
  for (const name of figureNames) figures[name] = of(name)
  return figures
}

export const addFigures = (first: Figures, second: Figures): Figures => mapFigures(name => first[name] + second[name])
