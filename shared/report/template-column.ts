import {
  columnNames,
  dailyColumns,
  type FigureColumn,
  figureColumns,
  type KindColumn,
  kindColumn,
  kindOfColumn,
  type ReportColumn,
  summaryColumns,
} from './column.ts'
import type { DailyRow, SummaryRow } from './row.ts'

// What the template of a payroll file can contain.

/** One row per person, per person and measure, or per person and day. */
export const templateLayouts = ['summary', 'measure', 'daily'] as const
export type TemplateLayout = (typeof templateLayouts)[number]

export const templateTypes = ['csv', 'xlsx'] as const
export const templateUnits = ['decimal', 'clock', 'minutes'] as const
export const separators = [',', ';', '\t', '|'] as const
export const decimalSigns = ['.', ','] as const
export const templateDateFormats = [
  ...(['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY', 'YYYYMMDD', 'DDMMYYYY'] as const),
] as const

/** The measure of a leave type. The number is the id of the type. */
export type LeaveMeasure = `leave${number}`
export const leaveMeasures: LeaveMeasure[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(id => `leave${id}` as const)
export type TemplateMeasure = FigureColumn | LeaveMeasure | KindColumn
/**
 * The measures of a payroll file: the figures of reports, and the minutes of each leave type. The minutes of each hour
 * kind come in addition.
 */
export const templateMeasures = [...figureColumns, ...leaveMeasures] as [
  FigureColumn | LeaveMeasure,
  ...(FigureColumn | LeaveMeasure)[],
]

/** The id of the leave type of a measure; undefined for a figure. */
export const leaveTypeOf = (measure: string): string | undefined => /^leave(\d+)$/.exec(measure)?.[1]

/** Columns that only templates have. `text` holds the same text in every row, such as a client number. */
export const ownColumns = ['text', 'from', 'to', 'code', 'measure', 'amount'] as const
type OwnColumn = (typeof ownColumns)[number]
type FixedColumnName = (typeof columnNames)['daily'][number] | LeaveMeasure | OwnColumn
export type TemplateColumnName = FixedColumnName | KindColumn

const everywhere: FixedColumnName[] = ['text', 'from', 'to']
/** The columns of each layout. */
export const templateColumnNames: Record<TemplateLayout, readonly FixedColumnName[]> = {
  summary: [...columnNames.summary, ...leaveMeasures, ...everywhere],
  measure: ['name', 'workno', 'department', 'code', 'measure', 'amount', ...everywhere],
  daily: [...columnNames.daily, ...leaveMeasures, ...everywhere],
}
export const allTemplateColumns = [...new Set(Object.values(templateColumnNames).flat())] as [
  FixedColumnName,
  ...FixedColumnName[],
]

/** Whether a layout has a column. Rows per measure have the kinds as measures. */
export const hasTemplateColumn = (layout: TemplateLayout, name: TemplateColumnName): boolean =>
  kindOfColumn(name) === undefined
    ? templateColumnNames[layout].includes(name as FixedColumnName)
    : layout !== 'measure'

export interface TemplateColumn {
  column: TemplateColumnName
  /** The heading; the usual one if omitted. */
  heading?: string | undefined
  /** The text of a `text` column. */
  text?: string | undefined
}

export interface TemplateForm {
  name: string
  layout: TemplateLayout
  type: (typeof templateTypes)[number]
  columns: TemplateColumn[]
  /** Only for the layout `measure`: the measures that become rows, with the codes of the payroll program. */
  measures: { measure: TemplateMeasure; code: string }[]
  unit: (typeof templateUnits)[number]
  decimalSign: (typeof decimalSigns)[number]
  dateFormat: (typeof templateDateFormats)[number]
  separator: (typeof separators)[number]
  hasHeadings: boolean
}

/** The most templates of a company, and the most columns of a template. */
export const mostTemplates = 20
export const mostTemplateColumns = 40

type Row = DailyRow | SummaryRow

/** The column of leave minutes of one type. */
const leaveColumn = (type: string): ReportColumn<Row> => ({
  ...{ kind: 'figure', measure: 'absence' },
  of: row => ('leaveTypes' in row ? (row.leaveTypes[type] ?? 0) : 0),
  amountOf: row => ('leaveAmounts' in row ? (row.leaveAmounts[type] ?? 0) : undefined),
})

/** The report column of a template's column or measure; undefined for the columns that only templates have. */
export const reportColumnOf = (layout: TemplateLayout, name: string): ReportColumn<Row> | undefined => {
  const type = leaveTypeOf(name)
  if (type !== undefined) return leaveColumn(type)
  const kind = kindOfColumn(name)
  if (kind !== undefined) return kindColumn(kind)
  const columns = layout === 'daily' ? dailyColumns : summaryColumns
  return (columns as Record<string, ReportColumn<never>>)[name] as ReportColumn<Row> | undefined
}
