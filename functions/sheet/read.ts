import { Problem } from '../../shared/errors.ts'
import { mostSheetBytes, mostSheetRows, type SheetType } from '../../shared/task.ts'
import { readWorkbook } from './workbook.ts'
import { unguard } from './write.ts'

// Sheets that people, and strangers, send. What comes out is text in rows, whatever it was in the file.

/** Row by row as the sheet shows them, the headings first; a cell with nothing in it is empty text. */
export type Rows = string[][]

/** Where quotes do not fit together: what follows is not known to be what was meant. */
export interface Unclosed {
  row: number
  place: number
  value: string
}

export interface ReadSheet {
  type: SheetType
  rows: Rows
  unclosed?: Unclosed
}

const limits = {
  /** With the headings. */
  mostRows: mostSheetRows + 1,
  /** A quarter's days, and what says whose they are. */
  mostColumns: 128,
  /** A quarter's days in every row, four tags a cell. A workbook of tags alone costs no more time than that. */
  mostTags: 4_000_000,
  mostFiles: 200,
  /** Ten thousand rows of everything an employee has take a third of it. */
  mostBytes: 32 * 1024 * 1024,
}

const unreadable = () => new Problem(60040, { upload: 60040 })
const tooLarge = () => new Problem(60045, { upload: 60045 })

const startsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, i) => bytes[i] === byte)

/**
 * The rows of a sheet; what the file is shows in its first bytes, not in its name. Throws 60040 where it is none, and 60045
 * where it has more than 2 MB, 10,000 rows below the headings, or is a small file that holds a large one.
 */
export const readSheet = async (bytes: Uint8Array): Promise<ReadSheet> => {
  if (bytes.length > mostSheetBytes) throw tooLarge()
  const isArchive = startsWith(bytes, 0x50, 0x4b)
  const { unclosed, ...read } = isArchive ? { rows: await readCells(bytes) } : await readText(bytes)
  const rows = read.rows.map(row => row.map(cell => unguard(cell.trim())))
  while (rows.at(-1)?.every(cell => cell === '')) rows.pop()
  if (rows.length > limits.mostRows || rows.some(({ length }) => length > limits.mostColumns)) throw tooLarge()
  if (rows.length === 0 && !unclosed) throw unreadable()
  return { type: isArchive ? 'xlsx' : 'csv', rows, ...(unclosed && { unclosed }) }
}

const readCells = async (bytes: Uint8Array): Promise<Rows> => {
  const rows = await readWorkbook(bytes, limits)
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

/** Reads text, or its first lines, with every end of a line written in one way: the library knows one in a file. */
const openParser = async () => {
  const { default: Papa } = await import('papaparse')
  return (text: string, delimiter: string, preview: number) =>
    Papa.parse<string[]>(text, { delimiter, newline: '\n', preview })
}
type Parse = Awaited<ReturnType<typeof openParser>>

/** What stands between cells: as the file says in a line of its own, else what makes most cells of the headings. */
const findSeparator = (parse: Parse, text: string, said: string | undefined): string => {
  if (said) return said
  const count = (separator: string) => parse(text, separator, 1).data[0]?.length ?? 0
  return [',', ';', '\t'].reduce((most, separator) => (count(separator) > count(most) ? separator : most))
}

const readText = async (bytes: Uint8Array): Promise<{ rows: Rows; unclosed?: Unclosed }> => {
  const whole = decode(bytes)
  if (whole.includes('\0')) throw unreadable()
  // Excel says in a first line of its own what stands between the cells.
  const [line = '', said] = /^sep=([,;\t])\r?\n/i.exec(whole) ?? []
  const text = whole.slice(line.length).trimEnd().replace(/\r\n?/g, '\n')
  const parse = await openParser()
  const separator = findSeparator(parse, text, said)
  const { data, errors } = parse(text, separator, limits.mostRows + 1)
  const quote = errors.find(({ type }) => type === 'Quotes')
  if (!quote) return { rows: data }
  const { row = 0, index = 0 } = quote
  const before = parse(text.slice(0, index).replace(/"$/, ''), separator, 0).data.at(-1) ?? []
  const place = Math.max(before.length - 1, 0)
  return { rows: data.slice(0, row), unclosed: { row: row + 1, place, value: data[row]?.[place] ?? '' } }
}
