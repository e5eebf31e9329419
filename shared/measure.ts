import { type Measure, measures, type RoundingMode, roundMinutes } from './attendance/rounding.ts'
import type { Row } from './attendance/row.ts'
import type { Company } from './company.ts'
import {
  addFigures,
  type FiguredRow,
  type FigureName,
  type Figures,
  figuresOf,
  mapFigures,
  noFigures,
} from './figure.ts'

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
export const measureOf: Record<FigureName, Measure> = {
  dutyMinutes: 'work',
  workMinutes: 'work',
  lateMinutes: 'late',
  earlyLeaveMinutes: 'early',
  absentMinutes: 'absence',
  leaveMinutes: 'absence',
  overtimeMinutes: 'overtime',
  unresolvedMinutes: 'absence',
  unscheduledMinutes: 'work',
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
export const printedFigures = (figures: Figures, params: ReportParams): Figures =>
  mapFigures(name => (name === 'dutyMinutes' ? figures[name] : printedMinutes(figures[name], measureOf[name], params)))

/**
 * A sum of rows: its minutes, and the hundredths of hours that the rows show. A printed total must equal the sum of its
 * printed rows. Three rows of 20 minutes show 0.33 hours each, so their total shows 0.99.
 */
export interface FigureSum {
  minutes: Figures
  hundredths: Figures
}

export const noSum = (): FigureSum => ({ minutes: noFigures(), hundredths: noFigures() })
export const addSums = (first: FigureSum, second: FigureSum): FigureSum => ({
  minutes: addFigures(first.minutes, second.minutes),
  hundredths: addFigures(first.hundredths, second.hundredths),
})
const hundredthsOf = (minutes: number) => Math.round(minutes / 0.6)

/** Minutes of one row as printed: hours with two decimals, or minutes. */
export const rowAmount = (minutes: number, isHours: boolean): number =>
  isHours ? hundredthsOf(minutes) / 100 : minutes

/** The sum of a single row. */
export const sumOfRow = (minutes: Figures): FigureSum => ({
  minutes,
  hundredths: mapFigures(name => hundredthsOf(minutes[name])),
})

/** The amount of a sum in the unit of each figure: hours with two decimals, or minutes. */
export const amountsOf = ({ minutes, hundredths }: FigureSum, params: ReportParams): Figures =>
  mapFigures(name => (params[measureOf[name]].unit === 1 ? hundredths[name] / 100 : minutes[name]))

/** The overtime, as printed, that only a request allows. Daily caps reduce it last. */
export const printedRequested = (row: FiguredRow & Pick<Row, 'reasons'>, params: ReportParams): number => {
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
