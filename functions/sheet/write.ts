import { type CsvFormat, plainCsv } from '../../shared/csv-format.ts'
import { formatDay } from '../../shared/date-format.ts'
import type { SheetType } from '../../shared/task.ts'
import { writeCsv } from './csv.ts'
import { type WorkbookCell, writeWorkbook } from './workbook-write.ts'

// Writes sheets for download: with types if the format has types, and with no text that acts as a formula in a CSV. Also
// contains the code shared with `read.ts`.

/** Characters that may start a formula in a spreadsheet program, full-width forms included. */
const formula = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const escapedFormula = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** Makes text safe by putting an apostrophe before a possible formula. */
export const guard = (text: string): string => (formula.test(text) ? `'${text}` : text)
/** The original of a guarded text. */
export const unguard = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text)

/**
 * Text of a workbook, where no text acts as a formula. Only text that looks guarded gets one more apostrophe, which reading
 * removes again.
 */
const shield = (text: string): string => (escapedFormula.test(text) ? `'${text}` : text)

/**
 * One cell to write. A day is a date in a workbook, and a text in the company's format in a CSV. A time of day such as
 * `08:05:30` is a time in a workbook, and the same text in a CSV.
 */
export type Cell = string | number | { day: string } | { time: string } | undefined

export interface NewSheet {
  /** The name of the sheet in a workbook. */
  name?: string
  headings: Cell[]
  rows: Iterable<Cell[]> | AsyncIterable<Cell[]>
  /** The company's date format, such as `DD/MM/YYYY`. */
  dateFormat: string
  /** The format of a CSV; with commas and points if omitted. */
  csv?: CsvFormat
}

/** Writes rows as they arrive, without collecting them first. */
export const writeSheet = async (type: SheetType, sheet: NewSheet): Promise<Uint8Array> =>
  type === 'xlsx' ? writeBook(sheet) : writeText(sheet)

const plain = (cell: Cell, dateFormat: string, { decimalSign }: CsvFormat) =>
  typeof cell === 'object'
    ? 'day' in cell
      ? formatDay(cell.day, dateFormat)
      : cell.time
    : typeof cell === 'string'
      ? guard(cell)
      : cell === undefined
        ? cell
        : String(cell).replace('.', decimalSign)

const writeText = ({ headings, rows, dateFormat, csv = plainCsv }: NewSheet): Promise<Uint8Array> => {
  const lines = async function* () {
    const line = (cells: Cell[]) => cells.map(cell => plain(cell, dateFormat, csv))
    yield line(headings)
    for await (const row of rows) yield line(row)
  }
  return writeCsv(lines(), csv)
}

const secondOf = (time: string) => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) * 60 + seconds
}

const inWorkbook = (cell: Cell): WorkbookCell => {
  if (cell === undefined) return undefined
  if (typeof cell === 'number') return { number: cell, decimals: 0 }
  if (typeof cell === 'string') return { text: shield(cell) }
  return 'day' in cell ? cell : { second: secondOf(cell.time) }
}

const writeBook = ({ name = '', headings, rows, dateFormat }: NewSheet): Promise<Uint8Array> => {
  const all = async function* () {
    yield { cells: headings.map(inWorkbook), isBold: true }
    for await (const row of rows) yield { cells: row.map(inWorkbook) }
  }
  return writeWorkbook(all(), { name, dateFormat })
}

const isDay = (day: string) => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/**
 * Reads a day as `YYYY-MM-DD` or in the company's format, with any of `/ . -`. Returns undefined for any other text.
 */
export const dayOf = (text: string, dateFormat: string): string | undefined => {
  const parts = /^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})\.?$/.exec(text.trim())?.slice(1)
  if (!parts) return undefined
  const order = parts[0]?.length === 4 ? ['YYYY', 'MM', 'DD'] : dateFormat.split(/[/.-]/)
  const [year = '', month = '', day = ''] = ['YYYY', 'MM', 'DD'].map(part =>
    parts[order.indexOf(part)]?.padStart(2, '0'),
  )
  const date = `${year}-${month}-${day}`
  return year.length === 4 && isDay(date) ? date : undefined
}

/** As `dayOf`, but returns other text unchanged, so that the field check rejects it. */
export const toDay = (text: string, dateFormat: string): string => dayOf(text, dateFormat) ?? text
