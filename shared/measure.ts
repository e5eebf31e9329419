import { addKinds, fitKinds, type KindMinutes } from './attendance/hours/round.ts'
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
import { mergeKinds, rowHours, type StoredHours } from './hours/row.ts'
import { hundredthsOf } from './report/print-minutes.ts'

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
  /** The same by hour kind; absent without hour sets. */
  kinds?: KindSum
}

export interface KindSum {
  minutes: KindMinutes
  hundredths: KindMinutes
}

const addKindSums = (first: KindSum | undefined, second: KindSum | undefined): KindSum | undefined => {
  if (!first || !second) return first ?? second
  const sum = { minutes: { ...first.minutes }, hundredths: { ...first.hundredths } }
  addKinds(sum.minutes, second.minutes)
  addKinds(sum.hundredths, second.hundredths)
  return sum
}

export const noSum = (): FigureSum => ({ minutes: noFigures(), hundredths: noFigures() })
export const addSums = (first: FigureSum, second: FigureSum): FigureSum => {
  const kinds = addKindSums(first.kinds, second.kinds)
  return {
    minutes: addFigures(first.minutes, second.minutes),
    hundredths: addFigures(first.hundredths, second.hundredths),
    ...(kinds && { kinds }),
  }
}

/** Minutes of one row as printed: hours with two decimals, or minutes. */
export const rowAmount = (minutes: number, isHours: boolean): number =>
  isHours ? hundredthsOf(minutes) / 100 : minutes

/** The sum of a single row. */
export const sumOfRow = (minutes: Figures): FigureSum => ({
  minutes,
  hundredths: mapFigures(name => hundredthsOf(minutes[name])),
})

/** The sum of a single row with its minutes by hour kind, if it has any. */
export const sumWithKinds = (minutes: Figures, kinds: KindMinutes | undefined): FigureSum => ({
  ...sumOfRow(minutes),
  ...(kinds && {
    kinds: {
      minutes: kinds,
      hundredths: Object.fromEntries(Object.entries(kinds).map(([kind, count]) => [kind, hundredthsOf(count)])),
    },
  }),
})

/** The amount of a sum in the unit of each figure: hours with two decimals, or minutes. */
export const amountsOf = ({ minutes, hundredths }: FigureSum, params: ReportParams): Figures =>
  mapFigures(name => (params[measureOf[name]].unit === 1 ? hundredths[name] / 100 : minutes[name]))

/** The amounts of a sum by hour kind, in the unit of worked time. */
export const kindAmountsOf = ({ minutes, hundredths }: KindSum, params: ReportParams): KindMinutes =>
  params.work.unit === 1
    ? Object.fromEntries(Object.entries(hundredths).map(([kind, count]) => [kind, count / 100]))
    : minutes

/** The minutes of a row by hour kind, as printed. Base kinds add up to the printed work and overtime of the row. */
export const printedKinds = (
  row: FiguredRow & { hours?: StoredHours | undefined },
  params: ReportParams,
): KindMinutes | undefined => {
  if (!row.hours) return undefined
  const figures = figuresOf(row)
  const printedWork =
    printedMinutes(figures.workMinutes, 'work', params) + printedMinutes(figures.unscheduledMinutes, 'work', params)
  return mergeKinds(
    fitKinds(rowHours(row.hours), (figure, minutes) =>
      figure === 'work' ? printedWork : printedMinutes(minutes, 'overtime', params),
    ),
  )
}

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
