import { type Measure, measures, type RoundingMode, roundMinutes } from './attendance/rounding.ts'
import type { Row } from './attendance/row.ts'
import type { Company } from './company.ts'
import { type FigureName, type Figures, figureNames, figuresOf } from './figure.ts'

// How figures are printed: each of the five measures in the company's unit, and rounded as the company rounds. Whoever prints a
// figure prints it by this, and nothing that is stored is ever rounded.

export interface Printing {
  /** 0 minutes, 1 hours. */
  unit: number
  /** 0 down, 1 up, 2 nearest. */
  rounding: RoundingMode
  /** Minutes; 0 and 1 round nothing. */
  minimumUnit: number
}

export type ReportParams = Record<Measure, Printing>

/** More than half a day nobody rounds to. */
export const mostUnitMinutes = 720

/** Which measure a figure is printed by. What was planned is shown in the unit of work, and as it was planned. */
const measureOf: Record<Exclude<FigureName, 'dutyMinutes'>, Measure> = {
  workMinutes: 'work',
  lateMinutes: 'late',
  earlyLeaveMinutes: 'early',
  absentMinutes: 'absence',
  leaveMinutes: 'absence',
  overtimeMinutes: 'overtime',
}

/** Each measure as the company prints it; nothing is rounded until somebody says so. */
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

/** Minutes of one day as they are printed; a total adds what is printed. */
export const printedMinutes = (minutes: number, measure: Measure, params: ReportParams): number => {
  const { rounding, minimumUnit } = params[measure]
  return roundMinutes(minutes, { mode: rounding, unit: minimumUnit })
}

/** The figures of one row as they are printed. */
export const printedFigures = (figures: Figures, params: ReportParams): Figures => {
  const printed = { ...figures }
  for (const name of figureNames)
    if (name !== 'dutyMinutes') printed[name] = printedMinutes(figures[name], measureOf[name], params)
  return printed
}

/** What a request alone allows of the overtime, as it is printed; what the caps of a day took off is taken off it last. */
export const printedRequested = (row: Pick<Row, FigureName | 'reasons' | 'week'>, params: ReportParams): number => {
  const print = (minutes: number) => printedMinutes(minutes, 'overtime', params)
  const requested = row.reasons.reduce(
    (sum, [rule, from, to]) => (rule === 'requestedOvertime' ? sum + to - from : sum),
    0,
  )
  return Math.min(print(figuresOf(row).overtimeMinutes), print(Math.min(requested, row.overtimeMinutes)))
}

/** Whether what is printed differs from what is stored. */
export const roundsAnything = (params: ReportParams): boolean =>
  measures.some(measure => params[measure].minimumUnit > 1)
