import type { Measure } from '../attendance/rounding.ts'
import type { FigureName, Figures } from '../figure.ts'
import { localDay } from '../local-day.ts'
import { rowAmount } from '../measure.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from './row.ts'

// The columns of reports, equal on screen and in every file. Each person chooses the shown columns.

export const reportViews = ['daily', 'summary', 'department'] as const
export type ReportView = (typeof reportViews)[number]

/** The file types of reports, and their media types. */
export const reportTypes = ['xlsx', 'csv', 'pdf'] as const
export const reportMedia = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
} as const

/**
 * A column: the kind of its cells, and their values in a row. `measure` selects the unit of printed figures. `amountOf` gives the
 * printed sum of a row that stands for several days.
 */
export type ReportColumn<Row> =
  | { kind: 'text' | 'number' | 'day' | 'time' | 'state' | 'dayKind'; of: (row: Row) => string | undefined }
  | { kind: 'count' | 'days'; of: (row: Row) => number }
  | { kind: 'figure'; measure: Measure; of: (row: Row) => number; amountOf?: (row: Row) => number | undefined }
  | { kind: 'exceptions'; of: (row: Row) => readonly string[] }
  /** Minutes or days by leave type. */
  | { kind: 'leaveMinutes' | 'leaveDays'; of: (row: Row) => Record<string, number> }

const figure = <Row>(measure: Measure, of: (row: Row) => number): ReportColumn<Row> => ({ kind: 'figure', measure, of })
type FigureRow = Figures & { amounts?: Figures }
const total = (measure: Measure, name: FigureName): ReportColumn<FigureRow> => ({
  ...{ kind: 'figure', measure },
  of: row => row[name],
  amountOf: row => row.amounts?.[name],
})
const count = <Row>(of: (row: Row) => number): ReportColumn<Row> => ({ kind: 'count', of })

type Named = Pick<DailyRow, 'name' | 'workno' | 'departmentName'>
const person = {
  name: { kind: 'text', of: ({ name }: Named) => name },
  workno: { kind: 'number', of: ({ workno }: Named) => workno },
  department: { kind: 'text', of: ({ departmentName }: Named) => departmentName },
} as const

/** Minutes that reports add up, by column name. */
const figures = {
  duty: total('work', 'dutyMinutes'),
  work: total('work', 'workMinutes'),
  late: total('late', 'lateMinutes'),
  early: total('early', 'earlyLeaveMinutes'),
  absent: total('absence', 'absentMinutes'),
  leave: total('absence', 'leaveMinutes'),
  unresolved: total('absence', 'unresolvedMinutes'),
  unscheduled: total('work', 'unscheduledMinutes'),
  overtime: total('overtime', 'overtimeMinutes'),
}
export type FigureColumn = keyof typeof figures
export const figureColumns = Object.keys(figures) as FigureColumn[]
export const isFigureColumn = (name: string): name is FigureColumn => name in figures

const daily = {
  ...person,
  day: { kind: 'day', of: row => row.day },
  kind: { kind: 'dayKind', of: row => row.kind },
  shift: { kind: 'text', of: row => row.shift },
  dutyFrom: { kind: 'time', of: row => row.dutyFrom },
  dutyTo: { kind: 'time', of: row => row.dutyTo },
  in: { kind: 'time', of: row => row.firstIn },
  out: { kind: 'time', of: row => row.lastOut },
  outDay: {
    ...{ kind: 'day' },
    of: ({ lastOut, timezone }) => (lastOut === undefined ? undefined : localDay(timezone, Date.parse(lastOut))),
  },
  duty: figures.duty,
  work: figures.work,
  break: figure('work', row => row.breakMinutes),
  longBreak: figure('work', row => row.longBreakMinutes),
  late: figures.late,
  early: figures.early,
  absent: figures.absent,
  leave: figures.leave,
  leaveTypes: { kind: 'leaveMinutes', of: row => row.leaveTypes },
  unresolved: figures.unresolved,
  unscheduled: figures.unscheduled,
  automaticOvertime: figure('overtime', row => row.overtimeMinutes - row.requestedOvertimeMinutes),
  requestedOvertime: figure('overtime', row => row.requestedOvertimeMinutes),
  overtime: figures.overtime,
  exceptions: { kind: 'exceptions', of: row => row.exceptions },
  state: { kind: 'state', of: row => row.state },
} satisfies Record<string, ReportColumn<DailyRow>>

const summary = {
  ...person,
  days: count(row => row.days),
  daysPresent: count(row => row.daysPresent),
  daysLate: count(row => row.daysLate),
  timesLate: count(row => row.timesLate),
  timesEarly: count(row => row.timesEarly),
  daysAbsent: count(row => row.daysAbsent),
  daysLeave: { kind: 'days', of: row => Object.values(row.leaveDays).reduce((sum, days) => sum + days, 0) },
  leaveDays: { kind: 'leaveDays', of: row => row.leaveDays },
  exceptionCount: count(row => row.exceptionCount),
  ...figures,
  account: figure('work', row => row.accountMinutes ?? 0),
} satisfies Record<string, ReportColumn<SummaryRow>>

const department = {
  department: { kind: 'text', of: row => row.departmentName },
  should: count(row => row.should),
  active: count(row => row.active),
  countLate: count(row => row.late),
  countEarly: count(row => row.early),
  countAbsent: count(row => row.absent),
  countOver: count(row => row.over),
  exceptionCount: count(row => row.exception),
  ...figures,
} satisfies Record<string, ReportColumn<DepartmentRow>>

export const dailyColumns: Record<keyof typeof daily, ReportColumn<DailyRow>> = daily
export const summaryColumns: Record<keyof typeof summary, ReportColumn<SummaryRow>> = summary
export const departmentColumns: Record<keyof typeof department, ReportColumn<DepartmentRow>> = department

/** A column of an hour kind, by its code. Every view has the columns of all kinds. */
export type KindColumn = `kind.${string}`
export const kindColumnOf = (code: string): KindColumn => `kind.${code}`
/** The code of a kind's column; undefined for other columns. */
export const kindOfColumn = (name: string): string | undefined => /^kind\.(.+)$/.exec(name)?.[1]

/** The minutes of a kind, in the unit of worked time. */
export const kindColumn = <Row>(code: string): ReportColumn<Row> => ({
  ...{ kind: 'figure', measure: 'work' },
  of: row => (row as Partial<SummaryRow>).kinds?.[code] ?? 0,
  amountOf: row => (row as Partial<SummaryRow>).kindAmounts?.[code],
})

export type ReportColumnName = keyof typeof daily | keyof typeof summary | keyof typeof department

/** The printed amount of a figure column in a row: hours with two decimals, or minutes. */
export const columnAmount = <Row>(
  { of, amountOf }: Extract<ReportColumn<Row>, { kind: 'figure' }>,
  row: Row,
  isHours: boolean,
): number => amountOf?.(row) ?? rowAmount(of(row), isHours)

/** The columns of each view, in order. */
export const columnNames: Record<ReportView, readonly ReportColumnName[]> = {
  daily: Object.keys(daily) as (keyof typeof daily)[],
  summary: Object.keys(summary) as (keyof typeof summary)[],
  department: Object.keys(department) as (keyof typeof department)[],
}

/** The columns of all views. */
export const allColumns = [...new Set(Object.values(columnNames).flat())] as [ReportColumnName, ...ReportColumnName[]]

/** The columns that a file may have. */
export type FileColumnName = ReportColumnName | KindColumn

/** The columns of a view with those of hour kinds, in order. The kinds come after the worked time that they split. */
export const viewColumns = (view: ReportView, codes: readonly string[]): FileColumnName[] => {
  const names = columnNames[view]
  const place = names.indexOf('work') + 1
  return [...names.slice(0, place), ...codes.map(kindColumnOf), ...names.slice(place)]
}

/** The most columns of a file: those of all views, and those of kinds. */
/** The most columns or measures of hour kinds in a file. */
export const mostKindColumns = 60
export const mostFileColumns = allColumns.length + mostKindColumns

/** The columns shown by default. */
export const usualColumns: Record<ReportView, readonly ReportColumnName[]> = {
  daily: [
    'name',
    'day',
    'shift',
    'in',
    'out',
    'duty',
    'work',
    'late',
    'early',
    'absent',
    'unresolved',
    'unscheduled',
    'overtime',
    'exceptions',
    'state',
  ],
  summary: [
    'name',
    'department',
    'daysPresent',
    'timesLate',
    'daysAbsent',
    'daysLeave',
    'duty',
    'work',
    'late',
    'absent',
    'unresolved',
    'unscheduled',
    'overtime',
  ],
  department: [
    'department',
    'should',
    'active',
    'countLate',
    'countAbsent',
    'duty',
    'work',
    'late',
    'absent',
    'unresolved',
    'unscheduled',
    'overtime',
  ],
}

/** The default columns of a file: the screen's columns, and the employee ID because payroll programs need it. */
export const usualFileColumns: Record<ReportView, readonly ReportColumnName[]> = {
  daily: [...usualColumns.daily, 'workno'],
  summary: [...usualColumns.summary, 'workno'],
  department: usualColumns.department,
}

/** The column that identifies a row, which always stays visible. */
export const firstColumn: Record<ReportView, ReportColumnName> = {
  daily: 'name',
  summary: 'name',
  department: 'department',
}
