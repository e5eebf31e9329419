import Papa from 'papaparse'
import { readSheet as readXlsx } from 'read-excel-file/universal'
import { Problem } from '../../shared/errors.ts'
import { mostSheetBytes, mostSheetRows, type SheetType } from '../../shared/task.ts'
import { pack, unpack } from './archive.ts'
import { unguard } from './sheet.ts'

// Sheets that people, and strangers, send. What comes out is text in rows, whatever it was in the file.

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
