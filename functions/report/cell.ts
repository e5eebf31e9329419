import type { Measure } from '../../shared/attendance/rounding.ts'
import { type CsvFormat, csvNumber } from '../../shared/csv-format.ts'
import { formatDay, markOf } from '../../shared/date-format.ts'
import { minutesAfter } from '../../shared/local-day.ts'
import type { ReportParams } from '../../shared/measure.ts'
import {
  columnAmount,
  type FileColumnName,
  kindOfColumn,
  type ReportColumn,
  type ReportColumnName,
} from '../../shared/report/column.ts'
import { clockText } from '../../shared/report/print-minutes.ts'
import { daysOffs, type WorkbookCell } from '../sheet/workbook-write.ts'
import { guard } from '../sheet/write.ts'
import type { ReportWords } from './words.ts'

// The cells of report files, in the formats of the company or of a template.

/** A cell: typed for files with types, and as shown text. */
export interface ReportCell {
  shown: string
  cell: WorkbookCell
  isNumber: boolean
}

export interface Formats {
  language: string
  words: ReportWords
  /** The unit of each figure. */
  params: ReportParams
  dateFormat: string
  is12Hours: boolean
  csv: CsvFormat
  /** The names of hour kinds by code. */
  kindNames?: ReadonlyMap<string, string>
  /** Shows figures in minutes as hours with two decimals, as hours and minutes, such as `7:30`, or as minutes. */
  minutesAs?: 'decimal' | 'clock' | 'minutes'
  /** Leaves times on another day without a mark, because the file has a column for that day. */
  isUnmarked?: boolean
}

export const emptyCell: ReportCell = { shown: '', cell: undefined, isNumber: false }

export const textCell = (shown: string | undefined): ReportCell =>
  shown ? { shown, cell: { text: shown }, isNumber: false } : emptyCell

export const dayCell = (day: string | undefined, { dateFormat }: Pick<Formats, 'dateFormat'>): ReportCell =>
  day === undefined ? emptyCell : { shown: formatDay(day, dateFormat), cell: { day }, isNumber: false }

/** A number of employees' IDs stays a number, so that sheets sort it by size. */
const digitsCell = (digits: string): ReportCell =>
  /^\d+$/.test(digits)
    ? { shown: digits, cell: { number: Number(digits), decimals: 0 }, isNumber: false }
    : textCell(digits)

/** The text of a cell in a CSV, where no text may act as a formula. */
export const csvText = ({ shown, cell }: ReportCell, { dateFormat, csv }: Pick<Formats, 'dateFormat' | 'csv'>) => {
  if (cell === undefined) return ''
  if ('text' in cell) return guard(cell.text)
  if ('day' in cell) return formatDay(cell.day, dateFormat)
  return 'number' in cell ? csvNumber(cell.number, cell.decimals, csv) : shown
}

/** Makes times of day, marked if they are on another day than their row. */
const timeMaker = ({ language, is12Hours, isUnmarked }: Formats) => {
  const hourCycle = is12Hours ? 'h12' : 'h23'
  const clock = new Intl.DateTimeFormat(language, { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle })
  const shownTimes = new Map<number, string>()
  return (at: string, zone: string, day: string): ReportCell => {
    const minutes = minutesAfter(zone, Date.parse(at), day)
    const [found, time] = [Math.floor(minutes / 1440), ((minutes % 1440) + 1440) % 1440]
    const plain = shownTimes.get(time) ?? clock.format(time * 60_000)
    shownTimes.set(time, plain)
    const shown = isUnmarked ? plain : plain + markOf(found)
    const daysOff = isUnmarked ? 0 : daysOffs.find(days => days === found)
    return daysOff === undefined ? textCell(shown) : { shown, cell: { time, daysOff }, isNumber: false }
  }
}

/** The name of an hour kind; its code if no hour set has it any more. */
export const kindTitle = (code: string, { kindNames }: Pick<Formats, 'kindNames'>): string =>
  kindNames?.get(code) ?? code

/** Makes the cells of report columns. */
export const cellMaker = (formats: Formats) => {
  const { language, words, params, minutesAs } = formats
  const number = new Intl.NumberFormat(language)
  const decimals = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const timeCell = timeMaker(formats)
  const count = (value: number): ReportCell => ({
    shown: number.format(value),
    cell: { number: value, decimals: 0 },
    isNumber: true,
  })
  const twoDecimals = (value: number): ReportCell => ({
    shown: decimals.format(value),
    cell: { number: Math.round(value * 100) / 100, decimals: 2 },
    isNumber: true,
  })
  const clock = (value: number): ReportCell => ({ shown: clockText(value), cell: { clock: value }, isNumber: true })
  const isHours = (measure: Measure) => params[measure].unit === 1
  const minutes = { decimal: (value: number) => twoDecimals(value / 60), clock, minutes: count }
  const minutesCell = minutes[minutesAs ?? 'minutes']
  const amount = (value: number, measure: Measure) => (isHours(measure) ? twoDecimals(value) : minutesCell(value))
  const leave = (byType: Record<string, number>, show: (value: number) => ReportCell): ReportCell =>
    textCell(
      Object.entries(byType)
        .map(([type, value]) => `${words.leave[type as keyof typeof words.leave] ?? type}: ${show(value).shown}`)
        .join(', '),
    )
  const cellOf = <Row extends object>(column: ReportColumn<Row>, row: Row): ReportCell => {
    switch (column.kind) {
      case 'text':
        return textCell(column.of(row))
      case 'number':
        return digitsCell(column.of(row) ?? '')
      case 'day':
        return dayCell(column.of(row), formats)
      case 'time': {
        const at = column.of(row)
        const { timezone = 'UTC', day = '' } = row as { timezone?: string; day?: string }
        return at ? timeCell(at, timezone, day) : emptyCell
      }
      case 'state':
        return textCell(words.report.state[column.of(row) as 'final'])
      case 'dayKind':
        return textCell(words.report.kind[column.of(row) as 'work'])
      case 'exceptions':
        return textCell(
          column
            .of(row)
            .map(name => words.report.exception[name as 'missingIn'])
            .join(', '),
        )
      case 'count':
        return count(column.of(row))
      case 'days':
        return twoDecimals(column.of(row))
      case 'figure':
        return amount(columnAmount(column, row, isHours(column.measure)), column.measure)
      case 'leaveMinutes':
        return leave(column.of(row), value => amount(isHours('absence') ? value / 60 : value, 'absence'))
      case 'leaveDays':
        return leave(column.of(row), twoDecimals)
    }
  }
  const headingOf = (name: FileColumnName, column: Pick<ReportColumn<never>, 'kind'>): string => {
    const kind = kindOfColumn(name)
    const title = kind === undefined ? words.report.column[name as ReportColumnName] : kindTitle(kind, formats)
    const { measure } = column as { measure?: Measure }
    if (column.kind !== 'figure' || measure === undefined) return title
    return `${title} (${words.report.unit[isHours(measure) || minutesAs === 'clock' ? 'hours' : 'minutes']})`
  }
  return { cellOf, amount, count, isHours, headingOf }
}
