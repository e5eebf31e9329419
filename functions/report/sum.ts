import type { DayRow } from '../../shared/day.ts'
import { type FiguredRow, figuresOf } from '../../shared/figure.ts'
import {
  addSums,
  amountsOf,
  type FigureSum,
  kindAmountsOf,
  noSum,
  printedFigures,
  printedKinds,
  type ReportParams,
  sumWithKinds,
} from '../../shared/measure.ts'

/** The sum of the printed, rounded figures of rows. */
export const sumPrinted = (rows: (FiguredRow & Pick<DayRow, 'hours'>)[], params: ReportParams): FigureSum =>
  rows
    .map(row => sumWithKinds(printedFigures(figuresOf(row), params), printedKinds(row, params)))
    .reduce(addSums, noSum())

/** A sum in a row of the report: its minutes, and its amounts as printed. */
export const shownSum = (sum: FigureSum, params: ReportParams) => ({
  ...{ ...sum.minutes, amounts: amountsOf(sum, params) },
  ...shownKinds(sum, params),
})
export const shownKinds = ({ kinds }: FigureSum, params: ReportParams) =>
  kinds && { kinds: kinds.minutes, kindAmounts: kindAmountsOf(kinds, params) }
