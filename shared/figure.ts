import type { Row } from './attendance/row.ts'

// The figures of rows and their sums. All code that adds days up uses these.

export const figureNames = [
  'dutyMinutes',
  'workMinutes',
  'lateMinutes',
  'earlyLeaveMinutes',
  'absentMinutes',
  'leaveMinutes',
  'overtimeMinutes',
] as const
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
})

/** The figures of a row, with those of the week it carries. A week's shortfall counts as absence. */
export const figuresOf = (row: Pick<Row, FigureName | 'week'>): Figures => ({
  dutyMinutes: row.dutyMinutes,
  workMinutes: row.workMinutes,
  lateMinutes: row.lateMinutes,
  earlyLeaveMinutes: row.earlyLeaveMinutes,
  absentMinutes: row.absentMinutes + (row.week?.shortfallMinutes ?? 0),
  leaveMinutes: row.leaveMinutes,
  overtimeMinutes: row.overtimeMinutes + (row.week?.overtimeMinutes ?? 0),
})

export const addFigures = (first: Figures, second: Figures): Figures => {
  const sum = noFigures()
  for (const name of figureNames) sum[name] = first[name] + second[name]
  return sum
}
