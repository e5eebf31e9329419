import { type Measure, measures, type RoundingMode, roundMinutes } from './attendance/rounding.ts'
import type { Row } from './attendance/row.ts'
import type { Company } from './company.ts'
import { type FigureName, type Figures, figureNames, figuresOf } from './figure.ts'

// Formats figures for output: each of the five measures in the company's unit and rounding. All output uses this.
// Stored figures are never rounded.

export interface Printing {
  /** 0 minutes, 1 hours. */
  unit: number
  /** 0 down, 1 up, 2 nearest. */
  rounding: RoundingMode
  /** Minutes; 0 and 1 do not round. */
  minimumUnit: number
}

export type ReportParams = Record<Measure, Printing>

/** The largest rounding unit: half a day. */
export const mostUnitMinutes = 720

/** The measure that formats a figure. Scheduled time uses the unit of work and is not rounded. */
const measureOf: Record<Exclude<FigureName, 'dutyMinutes'>, Measure> = {
  workMinutes: 'work',
  lateMinutes: 'late',
  earlyLeaveMinutes: 'early',
  absentMinutes: 'absence',
  leaveMinutes: 'absence',
  overtimeMinutes: 'overtime',
}

/** The company's format of each measure; without settings nothing is rounded. */
export const reportParamsOf = ({
  timeUnit,
  rounding = [],
  minimumUnit = [],
}: Pick<Company, 'timeUnit' | 'rounding' | 'minimumUnit'>): ReportParams => {
  const printing = (_: Measure, at: number): Printing => ({
    unit: timeUnit[at] ?? 0,
    rounding: (rounding[at] ?? 0) as RoundingMode,
    minimumUnit: minimumUnit[at] ?? 0,
  })
  return Object.fromEntries(measures.map((measure, at) => [measure, printing(measure, at)])) as ReportParams
}

/** Minutes of one day as printed. A total adds the printed minutes. */
export const printedMinutes = (minutes: number, measure: Measure, params: ReportParams): number => {
  const { rounding, minimumUnit } = params[measure]
  return roundMinutes(minutes, { mode: rounding, unit: minimumUnit })
}

/** The figures of one row as printed. */
export const printedFigures = (figures: Figures, params: ReportParams): Figures => {
  const printed = { ...figures }
  for (const name of figureNames)
    if (name !== 'dutyMinutes') printed[name] = printedMinutes(figures[name], measureOf[name], params)
  return printed
}

/** The overtime, as printed, that only a request allows. Daily caps reduce it last. */
export const printedRequested = (row: Pick<Row, FigureName | 'reasons' | 'week'>, params: ReportParams): number => {
  const print = (minutes: number) => printedMinutes(minutes, 'overtime', params)
  const requested = row.reasons.reduce(
    (sum, [rule, from, to]) => (rule === 'requestedOvertime' ? sum + to - from : sum),
    0,
  )
  return Math.min(print(figuresOf(row).overtimeMinutes), print(Math.min(requested, row.overtimeMinutes)))
}

/** Whether printed figures can differ from stored ones. */
export const roundsAnything = (params: ReportParams): boolean =>
  measures.some(measure => params[measure].minimumUnit > 1)
