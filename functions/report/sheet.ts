import { dateFormatOf, timeFormatOf } from '../../shared/company.ts'
import { formatDay } from '../../shared/date-format.ts'
import {
  columnAmount,
  type FileColumnName,
  isFigureColumn,
  kindColumn,
  kindColumnOf,
  kindOfColumn,
  reportMedia,
  usualFileColumns,
  viewColumns,
} from '../../shared/report/column.ts'
import type { ReportFile } from '../../shared/report.ts'
import { readCompany } from '../company/store.ts'
import { listKinds } from '../hours/store.ts'
import { environment } from '../kit/environment.ts'
import { sendMail } from '../kit/mail.ts'
import type { Kind, TaskOutcome, Work } from '../kit/task.ts'
import { fill } from '../kit/words.ts'
import { writeCsv } from '../sheet/csv.ts'
import { fileName, formatsOf } from '../sheet/export.ts'
import { type WorkbookRow, writeWorkbook } from '../sheet/workbook-write.ts'
import { cellMaker, csvText, emptyCell, type Formats, type ReportCell, textCell } from './cell.ts'
import { type AnyRow, columnsOf, rowsOf } from './each-row.ts'
import { writePdf } from './pdf.ts'
import { openReport } from './read.ts'
import { makeTemplateFile } from './template-file.ts'
import { reportWordsIn } from './words.ts'

// A report as a file: the rows, figures and words of the list on screen, in the chosen columns.

/** Makes the file of a report with the rows that the asker may see. Downloads and mails share this code. */
export const makeReport = async (
  { table, asker, language, tell }: Pick<Work<'report/export'>, 'table' | 'asker' | 'language' | 'tell'>,
  file: ReportFile,
): Promise<TaskOutcome & { file: NonNullable<TaskOutcome['file']> }> => {
  const { type, view, filters } = file
  const report = await openReport({ table, departments: asker.departments }, filters)
  const { company, params } = report
  const words = reportWordsIn(language)
  const kinds = await listKinds(table, company)
  const kindNames = new Map(kinds.map(({ code, name }) => [code, name]))
  const codes = kinds.map(({ code }) => code)
  const columns: readonly FileColumnName[] = file.columns ?? [...usualFileColumns[view], ...codes.map(kindColumnOf)]
  const names = viewColumns(view, codes).filter(name => columns.includes(name))
  const formats: Formats = {
    ...{ language, words, params, kindNames, ...formatsOf(company, language) },
    is12Hours: timeFormatOf(company.timeformat_id).includes('A'),
    isUnmarked: names.includes('outDay'),
    minutesAs: company.minutesAs ?? ('minutes' as const),
  }
  const { cellOf, amount, count, isHours, headingOf } = cellMaker(formats)
  const shown = names.flatMap(name => {
    const kind = kindOfColumn(name)
    const column = kind === undefined ? columnsOf[view][name] : kindColumn<AnyRow>(kind)
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
    const sums = new Map<FileColumnName, number>()
    const add = (name: FileColumnName, value: number) => sums.set(name, (sums.get(name) ?? 0) + Math.round(value * 100))
    for await (const row of rowsOf(report, file, (done, total) => tell('write', done, total))) {
      rowCount++
      for (const { name, column } of shown)
        if (column.kind === 'figure') add(name, columnAmount(column, row, isHours(column.measure)))
        else if (column.kind === 'count') add(name, column.of(row))
      yield { cells: shown.map(({ column }) => cellOf(column, row)) }
    }
    const totalOf = ({ name, column }: (typeof shown)[number], at: number): ReportCell => {
      const sum = (sums.get(name) ?? 0) / 100
      if (column.kind === 'figure' && (isFigureColumn(name) || kindOfColumn(name) !== undefined))
        return amount(sum, column.measure)
      // No employee is in two departments at once, so that the counts of departments add up.
      if (column.kind === 'count' && view === 'department') return count(sum)
      return at === 0 ? textCell(words.report.total) : emptyCell
    }
    yield { cells: shown.map(totalOf), isBold: true }
  }
  const range = fill(words.report.range, {
    from: formatDay(filters.from, formats.dateFormat),
    to: formatDay(filters.to, formats.dateFormat),
  })
  const title = words.report.file[view]
  const bytes = await write[type](lines(), { ...formats, title, company: company.name, range })
  const name = fileName([
    ...(file.isDraft ? [words.report.draft] : []),
    title,
    `${filters.from} ${filters.to}`,
    company.name,
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

export const reportExport: Kind<'report/export'> = {
  run: work => (work.input.template === undefined ? makeReport(work, work.input) : makeTemplateFile(work, work.input)),
}

interface Paper extends Formats {
  title: string
  company: string
  range: string
}
type Lines = AsyncGenerator<{ cells: ReportCell[]; isBold?: boolean }>

const write: Record<ReportFile['type'], (lines: Lines, paper: Paper) => Promise<Uint8Array>> = {
  async xlsx(lines, { title, dateFormat, is12Hours }) {
    const rows = async function* (): AsyncGenerator<WorkbookRow> {
      for await (const { cells, isBold } of lines)
        yield { cells: cells.map(({ cell }) => cell), ...(isBold && { isBold }) }
    }
    return writeWorkbook(rows(), { name: title, dateFormat, is12Hours })
  },
  async csv(lines, formats) {
    const rows = async function* () {
      for await (const { cells } of lines) yield cells.map(cell => csvText(cell, formats))
    }
    return writeCsv(rows(), formats.csv)
  },
  async pdf(lines, { title, company, range, words }) {
    return writePdf(lines, {
      ...{ title: `${company} · ${title}`, range },
      pageOf: page => fill(words.report.page, { page }),
    })
  },
}
