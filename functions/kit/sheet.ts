import Papa from 'papaparse'
import { readSheet as readXlsx } from 'read-excel-file/universal'
import writeXlsx, { type SheetData } from 'write-excel-file/universal'
import { Problem } from '../../shared/errors.ts'
import { mostSheetBytes, mostSheetRows, type SheetType } from '../../shared/task.ts'
import { pack, unpack } from './archive.ts'

// Sheets as people send and load them. What comes in is text in rows, whatever it was in the file; what goes out is typed where
// the file can be, and can never be taken for a formula.

/** Row by row as the sheet shows them, the headings first; a cell with nothing in it is empty text. */
export type Rows = string[][]

export interface ReadSheet {
  type: SheetType
  rows: Rows
}

const mostColumns = 64
/** With the headings. */
const mostRows = mostSheetRows + 1
/** Ten thousand rows of everything an employee has take a third of it. */
const limits = { mostFiles: 200, mostBytes: 32 * 1024 * 1024 }

/** What a program that opens the file may take for the beginning of a formula, also in full width. */
const formula = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const escapedFormula = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** Text nobody computes: what could begin a formula gets an apostrophe, as people type one. */
export const guard = (text: string): string => (formula.test(text) ? `'${text}` : text)
/** What was meant by a guarded text. */
export const unguard = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text)

const unreadable = () => new Problem(60040, { upload: 60040 })
const tooLarge = () => new Problem(60002, { upload: 60002 })

const startsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, i) => bytes[i] === byte)

/**
 * The rows of a sheet; what the file is shows in its first bytes, not in its name. Throws 60040 where it is none, and 60002
 * where it has more than 2 MB, 10,000 rows below the headings, or is a small file that holds a large one.
 */
export const readSheet = async (bytes: Uint8Array): Promise<ReadSheet> => {
  if (bytes.length > mostSheetBytes) throw tooLarge()
  const isArchive = startsWith(bytes, 0x50, 0x4b)
  const rows = isArchive ? await readWorkbook(bytes) : readText(bytes)
  while (rows.at(-1)?.every(cell => cell === '')) rows.pop()
  if (rows.length > mostRows) throw tooLarge()
  if (rows.length === 0) throw unreadable()
  return { type: isArchive ? 'xlsx' : 'csv', rows }
}

/** The tags of a document in their order; comments and the like hold none. */
const tagPattern = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?:[^"'<>]|"[^"]*"|'[^']*')*>/g
const placePattern = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const columnOf = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

/**
 * A few bytes can name the last cell of a million rows of sixteen thousand columns, and a reader fills up what lies between.
 * So it is looked where cells are before anybody reads them.
 */
const measure = (document: string) => {
  let cells = 0
  let end = 0
  for (const match of document.matchAll(tagPattern)) {
    const [tag] = match
    // What is no tag to us must not be one to the reader.
    if (document.indexOf('<', end) !== match.index || tag.startsWith('<!D')) throw unreadable()
    end = match.index + tag.length
    const [, kind] = /^<(?:[\w.-]+:)?(row|c)(?=[\s/>])/.exec(tag) ?? []
    if (!kind) continue
    if (++cells > mostRows * mostColumns) throw tooLarge()
    for (const [, quoted, apostrophed] of tag.matchAll(placePattern)) {
      const [, letters, row] = /^([A-Z]{0,3})(\d{1,7})$/.exec(quoted ?? apostrophed ?? '') ?? []
      if (letters === undefined || row === undefined) throw unreadable()
      if (Number(row) > mostRows || columnOf(letters) > mostColumns) throw tooLarge()
    }
  }
  if (document.includes('<', end)) throw unreadable()
}

const readWorkbook = async (bytes: Uint8Array): Promise<Rows> => {
  const files = unpack(bytes, limits)
  if (!files) throw unreadable()
  const parts = [...files].filter(([name]) => /^(xl\/|_rels\/|\[Content_Types\]).*\.(xml|rels)$/.test(name))
  for (const [name, content] of parts)
    if (name.startsWith('xl/worksheets/')) measure(Buffer.from(content).toString('latin1'))
  // The reader gets what was measured, and no second way to understand the archive.
  const cells = await readXlsx(pack(parts, 0).buffer).catch(() => {
    throw unreadable()
  })
  return cells.map(row => row.map(toText))
}

const toText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (!(value instanceof Date)) return unguard(String(value))
  if (Number.isNaN(value.getTime())) return ''
  // A sheet's dates are in no zone; the reader says them as if in UTC.
  const text = value.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}

const decode = (bytes: Uint8Array): string => {
  const encoding = startsWith(bytes, 0xff, 0xfe) ? 'utf-16le' : startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw unreadable()
  }
}

const readText = (bytes: Uint8Array): Rows => {
  const text = decode(bytes)
  if (text.includes('\0')) throw unreadable()
  // Excel says in a first line of its own what stands between the cells.
  const [line = '', said] = /^sep=([,;\t])\r?\n/i.exec(text) ?? []
  const { data, errors } = Papa.parse<string[]>(text.slice(line.length), {
    delimiter: said ?? '',
    delimitersToGuess: [',', ';', '\t'],
    preview: mostRows + 1,
  })
  if (errors.some(({ type }) => type === 'Quotes')) throw unreadable()
  if (data.some(row => row.length > mostColumns)) throw tooLarge()
  return data.map(row => row.map(cell => unguard(cell.trim())))
}

/** What stands in one cell to be written. A day is a date where the file knows dates. */
export type Cell = string | number | { day: string } | undefined

export interface NewSheet {
  headings: string[]
  rows: Iterable<Cell[]>
  /** How days are shown where the file knows dates, as in `DD/MM/YYYY`. */
  dateFormat: string
}

export const writeSheet = (type: SheetType, sheet: NewSheet): Promise<Uint8Array> =>
  type === 'xlsx' ? writeWorkbook(sheet) : Promise.resolve(writeText(sheet))

/** With its mark in front, by which Excel knows that it is Unicode. */
const writeText = ({ headings, rows }: NewSheet): Uint8Array => {
  const plain = (cell: Cell) => (typeof cell === 'object' ? cell.day : typeof cell === 'string' ? guard(cell) : cell)
  const data = [headings.map(guard), ...Array.from(rows, row => row.map(plain))]
  return Buffer.from(`﻿${Papa.unparse(data, { newline: '\r\n' })}\r\n`)
}

const columnWidth = 20

const writeWorkbook = async ({ headings, rows, dateFormat }: NewSheet): Promise<Uint8Array> => {
  const typed = (cell: Cell) => {
    if (cell === undefined || cell === '') return null
    if (typeof cell === 'string') return { type: String, value: guard(cell) }
    if (typeof cell === 'number') return { type: Number, value: cell }
    return { type: Date, value: new Date(`${cell.day}T00:00:00Z`), format: dateFormat.toLowerCase() }
  }
  const data: SheetData = [
    headings.map(heading => ({ type: String, value: guard(heading), fontWeight: 'bold' as const })),
    ...Array.from(rows, row => row.map(typed)),
  ]
  const columns = headings.map(() => ({ width: columnWidth }))
  const file = await writeXlsx(data, { columns, stickyRowsCount: 1 }).toBlob()
  return new Uint8Array(await file.arrayBuffer())
}

const isDay = (day: string) => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/**
 * A day as people write it, `YYYY-MM-DD` or in their company's format with any of `/ . -`; what is none stays as it is and is
 * refused by whoever wants a day.
 */
export const toDay = (text: string, dateFormat: string): string => {
  const parts = /^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})\.?$/.exec(text.trim())?.slice(1)
  if (!parts) return text
  const order = parts[0]?.length === 4 ? ['YYYY', 'MM', 'DD'] : dateFormat.split(/[/.-]/)
  const [year = '', month = '', day = ''] = ['YYYY', 'MM', 'DD'].map(part =>
    parts[order.indexOf(part)]?.padStart(2, '0'),
  )
  const found = `${year}-${month}-${day}`
  return year.length === 4 && isDay(found) ? found : text
}
