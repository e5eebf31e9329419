import { formatDay } from '../../shared/date-format.ts'
import type { SheetType } from '../../shared/task.ts'
import { writeCsv } from './csv.ts'
import { type WorkbookCell, writeWorkbook } from './workbook-write.ts'

// Sheets as people load them: typed where the file can be, and never to be taken for a formula. And what both ways have in
// common; `sheet-read.ts` reads what people send.

/** What a program that opens the file may take for the beginning of a formula, also in full width. */
const formula = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const escapedFormula = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** Text nobody computes: what could begin a formula gets an apostrophe, as people type one. */
export const guard = (text: string): string => (formula.test(text) ? `'${text}` : text)
/** What was meant by a guarded text. */
export const unguard = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text)

/** One cell to write. A day is a date in a workbook, and a text in the company's format in a CSV. */
export type Cell = string | number | { day: string } | undefined

export interface NewSheet {
  headings: Cell[]
  rows: Iterable<Cell[]> | AsyncIterable<Cell[]>
  /** The company's date format, such as `DD/MM/YYYY`. */
  dateFormat: string
}

/** Row by row, as they come: none is kept. */
export const writeSheet = async (type: SheetType, sheet: NewSheet): Promise<Uint8Array> =>
  type === 'xlsx' ? writeBook(sheet) : writeText(sheet)

const plain = (cell: Cell, dateFormat: string) =>
  typeof cell === 'object' ? formatDay(cell.day, dateFormat) : typeof cell === 'string' ? guard(cell) : cell

const writeText = ({ headings, rows, dateFormat }: NewSheet): Promise<Uint8Array> => {
  const lines = async function* () {
    const line = (cells: Cell[]) => cells.map(cell => plain(cell, dateFormat))
    yield line(headings)
    for await (const row of rows) yield line(row)
  }
  return writeCsv(lines())
}

/** As workbooks have it; what could be taken for a formula is guarded there as well. */
const inWorkbook = (cell: Cell): WorkbookCell => {
  if (cell === undefined) return undefined
  if (typeof cell === 'number') return { number: cell, decimals: 0 }
  return typeof cell === 'object' ? cell : { text: guard(cell) }
}

const writeBook = ({ headings, rows, dateFormat }: NewSheet): Promise<Uint8Array> => {
  const all = async function* () {
    yield { cells: headings.map(inWorkbook), isBold: true }
    for await (const row of rows) yield { cells: row.map(inWorkbook) }
  }
  return writeWorkbook(all(), { columns: headings.length, dateFormat })
}

const isDay = (day: string) => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** A day as people write it, `YYYY-MM-DD` or in their company's format with any of `/ . -`; undefined where it is none. */
export const dayOf = (text: string, dateFormat: string): string | undefined => {
  const parts = /^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})\.?$/.exec(text.trim())?.slice(1)
  if (!parts) return undefined
  const order = parts[0]?.length === 4 ? ['YYYY', 'MM', 'DD'] : dateFormat.split(/[/.-]/)
  const [year = '', month = '', day = ''] = ['YYYY', 'MM', 'DD'].map(part =>
    parts[order.indexOf(part)]?.padStart(2, '0'),
  )
  const found = `${year}-${month}-${day}`
  return year.length === 4 && isDay(found) ? found : undefined
}

/** As `dayOf`; what is none stays as it is and is refused by whoever wants a day. */
export const toDay = (text: string, dateFormat: string): string => dayOf(text, dateFormat) ?? text
