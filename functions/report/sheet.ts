import type { Measure } from '../../shared/attendance/rounding.ts'
import { dateFormatOf, timeFormatOf } from '../../shared/company.ts'
import { formatDay } from '../../shared/date-format.ts'
import { countDays } from '../../shared/local-day.ts'
import {
  columnAmount,
  columnNames,
  dailyColumns,
  departmentColumns,
  isFigureColumn,
  type ReportColumn,
  type ReportColumnName,
  reportMedia,
  summaryColumns,
  usualFileColumns,
} from '../../shared/report/column.ts'
import type { DailyRow, DepartmentRow, SummaryRow } from '../../shared/report/row.ts'
import type { ReportFile } from '../../shared/report.ts'
import { readCompany } from '../company/store.ts'
import { environment } from '../kit/environment.ts'
import { sendMail } from '../kit/mail.ts'
import type { Kind, TaskOutcome, Work } from '../kit/task.ts'
import { fill } from '../kit/words.ts'
import { writeCsv } from '../sheet/csv.ts'
import { type WorkbookCell, type WorkbookRow, writeWorkbook } from '../sheet/workbook-write.ts'
import { guard } from '../sheet/write.ts'
import { writePdf } from './pdf.ts'
import {
  checkSize,
  departmentsOf,
  eachDayOf,
  openReport,
  pageOfSummary,
  printedFields,
  type Report,
  rowPrinter,
  rowsOfDepartments,
} from './read.ts'
import { type ReportWords, reportWordsIn } from './words.ts'

// A report as a file: the rows, figures and words of the list on screen, in the chosen columns.

/** A cell: typed for files with types, and as shown text. */
export interface ReportCell {
  shown: string
  cell: WorkbookCell
  isNumber: boolean
}

const empty: ReportCell = { shown: '', cell: undefined, isNumber: false }

/** Makes cells in the company's formats of days, times and durations, in a language. */
const cellMaker = (report: Report, language: string, words: ReportWords) => {
  const { company, params } = report
  const dateFormat = dateFormatOf(company.dateformat_id)
  const is12Hours = timeFormatOf(company.timeformat_id).includes('A')
  const number = new Intl.NumberFormat(language)
  const decimals = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const clocks = new Map<string, Intl.DateTimeFormat>()
  const clockOf = (timeZone: string) => {
    const hourCycle = is12Hours ? 'h12' : 'h23'
    const clock =
      clocks.get(timeZone) ??
      new Intl.DateTimeFormat(language, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle })
    clocks.set(timeZone, clock)
    return clock
  }
  const text = (shown: string | undefined): ReportCell =>
    shown ? { shown, cell: { text: guard(shown) }, isNumber: false } : empty
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
  const minutes = (value: number, isHours: boolean) => (isHours ? twoDecimals(value / 60) : count(value))
  const isHours = (measure: Measure) => params[measure].unit === 1
  const amount = (value: number, measure: Measure) => (isHours(measure) ? twoDecimals(value) : count(value))
  const leave = (byType: Record<string, number>, show: (value: number) => ReportCell): ReportCell =>
    text(
      Object.entries(byType)
        .map(([type, value]) => `${words.leave[type as keyof typeof words.leave] ?? type}: ${show(value).shown}`)
        .join(', '),
    )
  const cellOf = <Row>(column: ReportColumn<Row>, row: Row, zone: string): ReportCell => {
    switch (column.kind) {
      case 'text':
        return text(column.of(row))
      case 'number': {
        const digits = column.of(row) ?? ''
        return /^\d+$/.test(digits)
          ? { shown: digits, cell: { number: Number(digits), decimals: 0 }, isNumber: false }
          : text(digits)
      }
      case 'day': {
        const day = column.of(row)
        return day === undefined ? empty : { shown: formatDay(day, dateFormat), cell: { day }, isNumber: false }
      }
      case 'time': {
        const at = column.of(row)
        return text(at && clockOf(zone).format(new Date(at)))
      }
      case 'state':
        return text(words.report.state[column.of(row) as 'final'])
      case 'dayKind':
        return text(words.report.kind[column.of(row) as 'work'])
      case 'exceptions':
        return text(
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
        return leave(column.of(row), value => minutes(value, isHours('absence')))
      case 'leaveDays':
        return leave(column.of(row), twoDecimals)
    }
  }
  const headingOf = (name: ReportColumnName, column: ReportColumn<AnyRow>): string => {
    const title = words.report.column[name]
    if (column.kind !== 'figure') return title
    return `${title} (${words.report.unit[isHours(column.measure) ? 'hours' : 'minutes']})`
  }
  return { cellOf, amount, isHours, headingOf, dateFormat }
}

type AnyRow = DailyRow | SummaryRow | DepartmentRow
const columnsOf = { daily: dailyColumns, summary: summaryColumns, department: departmentColumns }

/** Joins the parts of a file's name without the characters that file systems forbid. */
const fileName = (parts: string[]) =>
  parts
    .join(' ')
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .trim()

type Tell = (done: number, total: number) => Promise<void>

async function* rowsOf(report: Report, { view, sort }: ReportFile, tell: Tell): AsyncGenerator<AnyRow> {
  if (view === 'department') return yield* await rowsOfDepartments(report, departmentsOf(report))
  await checkSize(report)
  if (view === 'daily') {
    const print = rowPrinter(report, { isSortedByName: true })
    const { from, to } = report.filters
    for await (const { day, rows } of eachDayOf(report, printedFields)) {
      await tell(countDays(day, to), countDays(from, to))
      yield* await print(rows)
    }
    return
  }
  let page: string | undefined
  let done = 0
  do {
    const part = await pageOfSummary(report, { size: 200, page, sort: sort ?? { by: 'name', descending: false } })
    yield* part.list
    done += part.list.length
    await tell(done, done)
    page = part.next
  } while (page !== undefined)
}

/** Makes the file of a report with the rows that the asker may see. Downloads and mails share this code. */
export const makeReport = async (
  { table, asker, language, tell }: Pick<Work<'report/export'>, 'table' | 'asker' | 'language' | 'tell'>,
  file: ReportFile,
): Promise<TaskOutcome & { file: NonNullable<TaskOutcome['file']> }> => {
  const { type, view, filters, columns = usualFileColumns[view] } = file
  const report = await openReport({ table, departments: asker.departments }, filters)
  const words = reportWordsIn(language)
  const { cellOf, amount, isHours, headingOf, dateFormat } = cellMaker(report, language, words)
  const viewColumns = columnsOf[view] as Record<string, ReportColumn<AnyRow>>
  const names = columnNames[view].filter(name => columns.includes(name))
  const shown = names.flatMap(name => {
    const column = viewColumns[name]
    return column ? [{ name, column }] : []
  })
  let rowCount = 0
  const lines = async function* (): AsyncGenerator<{ cells: ReportCell[]; isBold?: boolean }> {
    const headings = shown.map(({ name, column }) => {
      const heading = headingOf(name, column)
      const isNumber = column.kind === 'figure' || column.kind === 'count' || column.kind === 'days'
      return { shown: heading, cell: { text: heading }, isNumber }
    })
    yield { cells: headings, isBold: true }
    // In hundredths, so that a total equals the sum of its printed rows.
    const sums = new Map<ReportColumnName, number>()
    for await (const row of rowsOf(report, file, (done, total) => tell('write', done, total))) {
      rowCount++
      for (const { name, column } of shown)
        if (column.kind === 'figure')
          sums.set(name, (sums.get(name) ?? 0) + Math.round(columnAmount(column, row, isHours(column.measure)) * 100))
      const zone = 'timezone' in row ? row.timezone : 'UTC'
      yield { cells: shown.map(({ column }) => cellOf(column, row, zone)) }
    }
    yield {
      cells: shown.map(({ name, column }, at) =>
        isFigureColumn(name) && column.kind === 'figure'
          ? amount((sums.get(name) ?? 0) / 100, column.measure)
          : at === 0
            ? { ...empty, shown: words.report.total, cell: { text: words.report.total } }
            : empty,
      ),
      isBold: true,
    }
  }
  const range = fill(words.report.range, {
    from: formatDay(filters.from, dateFormat),
    to: formatDay(filters.to, dateFormat),
  })
  const bytes = await write[type](lines(), {
    columns: shown.length,
    dateFormat,
    title: `${report.company.name} · ${words.report.view[view]}`,
    range,
    words,
  })
  const name = fileName([
    ...(file.isDraft ? [words.report.draft] : []),
    words.report.file,
    `${filters.from} ${filters.to}`,
    report.company.name,
  ])
  return { rowCount, file: { name: `${name}.${type}`, type: reportMedia[type], bytes } }
}

/** The size that mailboxes accept. The mail of a larger report contains only a link. */
const mostMailedBytes = 10 * 1024 * 1024

/**
 * Makes a recipient's copy of a mailed report and sends it. Marks the copy as sent first, and reverts the mark if the
 * mail service refuses it. So a run that dies in between sends nothing twice.
 */
export const mailReport: Kind<'report/mail/send'> = {
  async run(work) {
    const { asker, input, language, memory } = work
    const { email } = asker.employee
    if (memory.isSent || !email) return {}
    const { file, rowCount = 0 } = await makeReport(work, input.file)
    const company = await readCompany(work)
    const dateFormat = dateFormatOf(company.dateformat_id)
    const [from, to] = [formatDay(input.file.filters.from, dateFormat), formatDay(input.file.filters.to, dateFormat)]
    const { view, filters } = input.file
    const url = `${environment('SITE')}/report?view=${view}&from=${filters.from}&to=${filters.to}`
    const values = { name: input.name, company: company.name, from, to, url }
    const { subject, text } = reportWordsIn(language).report.mailed
    await work.remember({ isSent: true })
    try {
      const files = file.bytes.byteLength > mostMailedBytes ? [] : [file]
      await sendMail({ to: email, subject: fill(subject, values), text: fill(text, values), files })
    } catch (error) {
      await work.remember({ isSent: false })
      throw error
    }
    return { rowCount }
  },
}

export const reportExport: Kind<'report/export'> = { run: work => makeReport(work, work.input) }

interface Paper {
  columns: number
  dateFormat: string
  title: string
  range: string
  words: ReportWords
}
type Lines = AsyncGenerator<{ cells: ReportCell[]; isBold?: boolean }>

const write: Record<ReportFile['type'], (lines: Lines, paper: Paper) => Promise<Uint8Array>> = {
  async xlsx(lines, { columns, dateFormat }) {
    const rows = async function* (): AsyncGenerator<WorkbookRow> {
      for await (const { cells, isBold } of lines)
        yield { cells: cells.map(({ cell }) => cell), ...(isBold && { isBold }) }
    }
    return writeWorkbook(rows(), { columns, dateFormat })
  },
  async csv(lines, { dateFormat }) {
    const plain = (cell: WorkbookCell) => {
      if (cell === undefined) return ''
      if ('text' in cell) return cell.text
      return 'day' in cell ? formatDay(cell.day, dateFormat) : cell.number.toFixed(cell.decimals)
    }
    const rows = async function* () {
      for await (const { cells } of lines) yield cells.map(({ cell }) => plain(cell))
    }
    return writeCsv(rows())
  },
  async pdf(lines, { title, range, words }) {
    return writePdf(lines, { title, range, pageOf: page => fill(words.report.page, { page }) })
  },
}
