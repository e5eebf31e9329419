import { Problem } from '../../shared/errors.ts'
import { mostSheetBytes, mostSheetRows, type SheetType } from '../../shared/task.ts'
import { unguard } from './sheet.ts'
import { readWorkbook } from './workbook.ts'

// Sheets that people, and strangers, send. What comes out is text in rows, whatever it was in the file.

/** Row by row as the sheet shows them, the headings first; a cell with nothing in it is empty text. */
export type Rows = string[][]

export interface ReadSheet {
  type: SheetType
  rows: Rows
}

const limits = {
  /** With the headings. */
  mostRows: mostSheetRows + 1,
  mostColumns: 64,
  mostFiles: 200,
  /** Ten thousand rows of everything an employee has take a third of it. */
  mostBytes: 32 * 1024 * 1024,
}

const unreadable = () => new Problem(60040, { upload: 60040 })
const tooLarge = () => new Problem(60002, { upload: 60002 })

const startsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, i) => bytes[i] === byte)

/**
 * The rows of a sheet; what the file is shows in its first bytes, not in its name. Throws 60040 where it is none, and 60002
 * where it has more than 2 MB, 10,000 rows below the headings, or is a small file that holds a large one.
 */
export const readSheet = (bytes: Uint8Array): ReadSheet => {
  if (bytes.length > mostSheetBytes) throw tooLarge()
  const isArchive = startsWith(bytes, 0x50, 0x4b)
  const rows = (isArchive ? readCells(bytes) : readText(bytes)).map(row => row.map(cell => unguard(cell.trim())))
  while (rows.at(-1)?.every(cell => cell === '')) rows.pop()
  if (rows.length > limits.mostRows) throw tooLarge()
  if (rows.length === 0) throw unreadable()
  return { type: isArchive ? 'xlsx' : 'csv', rows }
}

const readCells = (bytes: Uint8Array): Rows => {
  const rows = readWorkbook(bytes, limits)
  if (rows === 'unreadable') throw unreadable()
  if (rows === 'too large') throw tooLarge()
  return rows
}

const decode = (bytes: Uint8Array): string => {
  const encoding = startsWith(bytes, 0xff, 0xfe) ? 'utf-16le' : startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw unreadable()
  }
}

/** What stands between cells: as the file says in a line of its own, else what there is most of in the first row. */
const findSeparator = (text: string, said: string | undefined): string => {
  if (said) return said
  const [line = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (separator: string) => line.split(separator).length
  return [',', ';', '\t'].reduce((most, separator) => (count(separator) > count(most) ? separator : most))
}

/** One cell: quoted, where quotes within are doubled, or up to what ends it. */
const cellPatterns = {
  ',': /"([^"]*(?:""[^"]*)*)"|([^,\r\n]*)/y,
  ';': /"([^"]*(?:""[^"]*)*)"|([^;\r\n]*)/y,
  '\t': /"([^"]*(?:""[^"]*)*)"|([^\t\r\n]*)/y,
}

const readText = (bytes: Uint8Array): Rows => {
  const whole = decode(bytes)
  if (whole.includes('\0')) throw unreadable()
  // Excel says in a first line of its own what stands between the cells.
  const [line = '', said] = /^sep=([,;\t])\r?\n/i.exec(whole) ?? []
  const text = whole.slice(line.length).trimEnd()
  const separator = findSeparator(text, said) as keyof typeof cellPatterns
  const cell = cellPatterns[separator]
  const rows: Rows = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    cell.lastIndex = at
    const [, quoted, plain = ''] = cell.exec(text) ?? []
    at = cell.lastIndex
    if (plain.startsWith('"')) throw unreadable()
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (row.length > limits.mostColumns) throw tooLarge()
    const next = text[at]
    if (next === separator) {
      // Behind the last separator of the file there is one more cell, with nothing in it.
      if (++at === text.length) row.push('')
    } else if (next !== undefined && next !== '\r' && next !== '\n') throw unreadable()
    if (at === text.length || next === '\r' || next === '\n') {
      if (rows.push(row) > limits.mostRows) throw tooLarge()
      row = []
      at += text.startsWith('\r\n', at) ? 2 : 1
    }
  }
  return rows
}
