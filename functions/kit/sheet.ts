import Papa from 'papaparse'
import writeExcel from 'write-excel-file/node'
import type { SheetType } from '../../shared/task.ts'

// Sheets as people load them: typed where the file can be, and never to be taken for a formula. And what both ways have in
// common; `sheet-read.ts` reads what people send.

/** What a program that opens the file may take for the beginning of a formula, also in full width. */
const formula = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const escapedFormula = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** Text nobody computes: what could begin a formula gets an apostrophe, as people type one. */
export const guard = (text: string): string => (formula.test(text) ? `'${text}` : text)
/** What was meant by a guarded text. */
export const unguard = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text)

/** How sheets call a column. */
export const letterOf = (place: number): string =>
  (place >= 26 ? letterOf(Math.floor(place / 26) - 1) : '') + String.fromCharCode(65 + (place % 26))

/** What stands in one cell to be written. A day is a date where the file knows dates. */
export type Cell = string | number | { day: string } | undefined

export interface NewSheet {
  headings: Cell[]
  rows: Iterable<Cell[]>
  /** How days are shown where the file knows dates, as in `DD/MM/YYYY`. */
  dateFormat: string
}

export const writeSheet = async (type: SheetType, sheet: NewSheet): Promise<Uint8Array> =>
  type === 'xlsx' ? writeWorkbook(sheet) : writeText(sheet)

const plain = (cell: Cell) => (typeof cell === 'object' ? cell.day : typeof cell === 'string' ? guard(cell) : cell)

/** As RFC 4180 has it, with the mark in front by which Excel knows that it is Unicode. */
const writeText = ({ headings, rows }: NewSheet): Uint8Array => {
  const lines = Array.from([headings, ...rows], row => row.map(plain))
  return Buffer.from(`\ufeff${Papa.unparse(lines, { newline: '\r\n' })}\r\n`)
}

/** More a cell cannot hold. */
const mostCellCharacters = 32_767

const asEscape = (signs: string) =>
  Array.from(
    { length: signs.length },
    (_, i) => `_x${signs.charCodeAt(i).toString(16).toUpperCase().padStart(4, '0')}_`,
  ).join('')

/**
 * What workbooks take for an escape, what the library leaves out, and names it takes for something of its own (`constructor`),
 * written as workbooks escape it.
 */
const escaped = (text: string) => {
  const safe = text.replace(/_(?=x[\dA-F]{4}_)|[\p{Noncharacter_Code_Point}\ufffd]/giu, asEscape)
  return safe in Object.prototype ? asEscape(safe.slice(0, 1)) + safe.slice(1) : safe
}

const columnWidth = 20

const writeWorkbook = async ({ headings, rows, dateFormat }: NewSheet): Promise<Uint8Array> => {
  const format = dateFormat.toLowerCase()
  const written = (cell: Cell) => {
    if (cell === undefined || cell === '') return null
    if (typeof cell === 'number') return { value: cell, type: Number }
    if (typeof cell === 'object') return { value: new Date(`${cell.day}T00:00:00Z`), type: Date, format }
    return { value: escaped(guard(cell).slice(0, mostCellCharacters).toWellFormed()), type: String }
  }
  const head = headings.map(heading => {
    const cell = written(heading)
    return cell && { ...cell, fontWeight: 'bold' as const }
  })
  const columns = headings.map(() => ({ width: columnWidth }))
  return writeExcel([head, ...Array.from(rows, row => row.map(written))], { columns, stickyRowsCount: 1 }).toBuffer()
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
