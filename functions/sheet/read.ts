import type { CsvFormat } from '../../shared/csv-format.ts'
import { Problem } from '../../shared/errors.ts'
import { mostSheetBytes, mostSheetRows, type SheetType } from '../../shared/task.ts'
import { readWorkbook } from './workbook.ts'
import { unguard } from './write.ts'

// Reads sheets from people, including untrusted people. Every cell becomes text.

/** The rows of a sheet, headings first. An empty cell is an empty string. */
export type Rows = string[][]

/** The position of an unclosed quote. The text after the quote may belong to any cell. */
export interface Unclosed {
  row: number
  place: number
  value: string
}

export interface ReadSheet {
  type: SheetType
  rows: Rows
  unclosed?: Unclosed
  /** The separator of a text file. */
  separator?: CsvFormat['separator']
}

const limits = {
  /** The most rows with the headings. */
  mostRows: mostSheetRows + 1,
  /** The days of a quarter plus the columns of a person. */
  mostColumns: 128,
  /**
   * The days of a quarter in every row, at four tags per cell. This also limits the time for a workbook that contains
   * only tags.
   */
  mostTags: 4_000_000,
  mostFiles: 200,
  /** Ten thousand rows with all attributes of an employee take a third of this size. */
  mostBytes: 32 * 1024 * 1024,
}

const unreadable = () => new Problem(60040, { upload: 60040 })
const tooLarge = () => new Problem(60045, { upload: 60045 })

const startsWith = (bytes: Uint8Array, ...start: number[]) => start.every((byte, i) => bytes[i] === byte)

/**
 * The rows of a sheet. The first bytes decide the file type, not the name. Throws 60040 for a file that is no sheet.
 * Throws 60045 above 2 MB, above 10,000 rows, or for a small file that unpacks to a large one.
 */
export const readSheet = async (bytes: Uint8Array): Promise<ReadSheet> => {
  if (bytes.length > mostSheetBytes) throw tooLarge()
  const isArchive = startsWith(bytes, 0x50, 0x4b)
  const { unclosed, separator, ...read }: Text = isArchive ? { rows: await readCells(bytes) } : await readText(bytes)
  const rows = read.rows.map(row => row.map(cell => unguard(cell.trim())))
  while (rows.at(-1)?.every(cell => cell === '')) rows.pop()
  if (rows.length > limits.mostRows || rows.some(({ length }) => length > limits.mostColumns)) throw tooLarge()
  if (rows.length === 0 && !unclosed) throw unreadable()
  return { type: isArchive ? 'xlsx' : 'csv', rows, ...(unclosed && { unclosed }), ...(separator && { separator }) }
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

/** Parses text with `\n` line ends, or its first lines: the library supports one kind of line end per file. */
const openParser = async () => {
  const { default: Papa } = await import('papaparse')
  return (text: string, delimiter: string, preview: number) =>
    Papa.parse<string[]>(text, { delimiter, newline: '\n', preview })
}
type Parse = Awaited<ReturnType<typeof openParser>>

type Separator = CsvFormat['separator']
type Text = Pick<ReadSheet, 'rows' | 'unclosed' | 'separator'>
const separators: Separator[] = [',', ';', '\t']

/** The separator that a `sep=` line declares, or else the separator that splits the headings into the most cells. */
const findSeparator = (parse: Parse, text: string, declared: Separator | undefined): Separator => {
  if (declared) return declared
  const count = (separator: string) => parse(text, separator, 1).data[0]?.length ?? 0
  return separators.reduce((most, separator) => (count(separator) > count(most) ? separator : most))
}

const readText = async (bytes: Uint8Array): Promise<Text> => {
  const content = decode(bytes)
  if (content.includes('\0')) throw unreadable()
  // Excel may declare the separator in an extra first line.
  const [line = '', declared] = /^sep=([,;\t])\r?\n/i.exec(content) ?? []
  const text = content.slice(line.length).trimEnd().replace(/\r\n?/g, '\n')
  const parse = await openParser()
  const separator = findSeparator(parse, text, declared as Separator | undefined)
  const { data, errors } = parse(text, separator, limits.mostRows + 1)
  const quoteError = errors.find(({ type }) => type === 'Quotes')
  if (!quoteError) return { rows: data, separator }
  const { row = 0, index = 0 } = quoteError
  const before = parse(text.slice(0, index).replace(/"$/, ''), separator, 0).data.at(-1) ?? []
  const place = Math.max(before.length - 1, 0)
  return { rows: data.slice(0, row), unclosed: { row: row + 1, place, value: data[row]?.[place] ?? '' }, separator }
}
