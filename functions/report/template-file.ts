import { measures as unitMeasures } from '../../shared/attendance/rounding.ts'
import type { ReportParams } from '../../shared/measure.ts'
import { columnAmount, kindOfColumn, type ReportColumn, reportMedia } from '../../shared/report/column.ts'
import {
  leaveTypeOf,
  reportColumnOf,
  type TemplateColumnName,
  type TemplateForm,
  type TemplateMeasure,
} from '../../shared/report/template-column.ts'
import type { ReportFile } from '../../shared/report.ts'
import { listKinds } from '../hours/store.ts'
import type { TaskOutcome, Work } from '../kit/task.ts'
import { writeCsv } from '../sheet/csv.ts'
import { fileName } from '../sheet/export.ts'
import { type WorkbookRow, writeWorkbook } from '../sheet/workbook-write.ts'
import { cellMaker, csvText, dayCell, emptyCell, type Formats, kindTitle, type ReportCell, textCell } from './cell.ts'
import { type AnyRow, rowsOf, type Tell } from './each-row.ts'
import { openReport, type Report, type Viewer } from './read.ts'
import { readTemplate } from './template.ts'
import { reportWordsIn } from './words.ts'

// A payroll file by a template. Its figures are those of the report: the company rounds each day, then days add up.

type Measured = { measure: TemplateMeasure; code: string }
type Line = { cells: ReportCell[]; isBold?: boolean }

/**
 * The company's rounding in the unit that the template converts from. Minutes, also as `7:30`, are exact. Hours are
 * those of the report: a company that reports in minutes adds up minutes first, and a month of 7:20 days is not short.
 */
const paramsIn = (params: ReportParams, unit: TemplateForm['unit']): ReportParams =>
  unit === 'decimal'
    ? params
    : (Object.fromEntries(unitMeasures.map(name => [name, { ...params[name], unit: 0 }])) as ReportParams)

/** Opens a report with the unit of a template. */
const openInUnit = async (viewer: Viewer, filters: ReportFile['filters'], { unit }: TemplateForm): Promise<Report> => {
  const report = await openReport(viewer, filters)
  return { ...report, params: paramsIn(report.params, unit) }
}

const formatsFor = async (
  template: TemplateForm,
  { params, viewer, company }: Report,
  language: string,
): Promise<Formats> => ({
  ...{ language, words: reportWordsIn(language), params, is12Hours: false },
  kindNames: new Map((await listKinds(viewer.table, company)).map(({ code, name }) => [code, name])),
  dateFormat: template.dateFormat,
  csv: { separator: template.separator, decimalSign: template.decimalSign },
  minutesAs: template.unit,
  isUnmarked: template.columns.some(({ column }) => column === 'outDay'),
})

/** The usual name of a column or a measure. */
const titleOf = (name: TemplateColumnName, formats: Pick<Formats, 'words' | 'kindNames'>): string => {
  const { words } = formats
  const kind = kindOfColumn(name)
  if (kind !== undefined) return kindTitle(kind, formats)
  const type = leaveTypeOf(name)
  return type === undefined
    ? words.report.column[name as keyof typeof words.report.column]
    : (words.leave[type as keyof typeof words.leave] ?? type)
}

/** The lines of the file: the headings if it has them, and its rows without a total. */
async function* linesOf(report: Report, template: TemplateForm, formats: Formats, tell: Tell): AsyncGenerator<Line> {
  const { layout, columns, measures } = template
  const { cellOf, isHours } = cellMaker(formats)
  const period = { from: dayCell(report.filters.from, formats), to: dayCell(report.filters.to, formats) }
  const columnOf = (name: string) => reportColumnOf(layout, name) as ReportColumn<AnyRow> | undefined
  const amountOf = (column: ReportColumn<AnyRow> | undefined, row: AnyRow) =>
    column?.kind === 'figure' ? columnAmount(column, row, isHours(column.measure)) : 0
  const lineOf = (row: AnyRow, measured?: Measured): ReportCell[] =>
    columns.map(({ column: name, text }) => {
      if (name === 'text') return textCell(text)
      if (name === 'from' || name === 'to') return period[name]
      if (name === 'code') return textCell(measured?.code)
      if (name === 'measure') return measured ? textCell(titleOf(measured.measure, formats)) : emptyCell
      const column = columnOf(name === 'amount' ? (measured?.measure ?? '') : name)
      return column ? cellOf(column, row) : emptyCell
    })
  if (template.hasHeadings)
    yield {
      cells: columns.map(({ column, heading }) => textCell(heading ?? titleOf(column, formats))),
      isBold: true,
    }
  for await (const row of rowsOf(report, { view: layout === 'daily' ? 'daily' : 'summary' }, tell)) {
    if (layout !== 'measure') yield { cells: lineOf(row) }
    else
      for (const measured of measures)
        if (amountOf(columnOf(measured.measure), row) > 0) yield { cells: lineOf(row, measured) }
  }
}

/** Makes the payroll file of a template. Throws 60004 at `template` for a missing one. */
export const makeTemplateFile = async (
  { table, asker, language, tell }: Work<'report/export'>,
  { filters, isDraft, template: id = '' }: ReportFile,
): Promise<TaskOutcome> => {
  const template = await readTemplate(table, id)
  const report = await openInUnit({ table, departments: asker.departments }, filters, template)
  const formats = await formatsFor(template, report, language)
  let rowCount = template.hasHeadings ? -1 : 0
  const lines = async function* () {
    for await (const line of linesOf(report, template, formats, (done, total) => tell('write', done, total))) {
      rowCount++
      yield line
    }
  }
  const { type } = template
  const bytes = await write[type](lines(), template, formats)
  const parts = [
    ...(isDraft ? [formats.words.report.draft] : []),
    ...[template.name, `${filters.from} ${filters.to}`, report.company.name],
  ]
  return { rowCount, file: { name: `${fileName(parts)}.${type}`, type: reportMedia[type], bytes } }
}

const write = {
  async xlsx(lines: AsyncIterable<Line>, { name, hasHeadings }: TemplateForm, { dateFormat }: Formats) {
    const rows = async function* (): AsyncGenerator<WorkbookRow> {
      for await (const { cells, isBold } of lines)
        yield { cells: cells.map(({ cell }) => cell), ...(isBold && { isBold }) }
    }
    return writeWorkbook(rows(), { name, dateFormat, hasHeadings })
  },
  async csv(lines: AsyncIterable<Line>, _template: TemplateForm, formats: Formats) {
    const rows = async function* () {
      for await (const { cells } of lines) yield cells.map(cell => csvText(cell, formats))
    }
    return writeCsv(rows(), formats.csv)
  },
}

/** The number of rows that a preview shows. */
const previewRows = 3

/** The first lines of a template's file. Throws as `openReport`. */
export const previewTemplate = async (
  viewer: Viewer,
  template: TemplateForm,
  filters: Pick<ReportFile['filters'], 'from' | 'to'>,
  language: string,
): Promise<string[][]> => {
  const report = await openInUnit(viewer, filters, template)
  const formats = await formatsFor(template, report, language)
  const most = previewRows + (template.hasHeadings ? 1 : 0)
  const lines: string[][] = []
  for await (const { cells } of linesOf(report, template, formats, async () => {})) {
    lines.push(cells.map(cell => csvText(cell, formats)))
    if (lines.length === most) break
  }
  return lines
}
