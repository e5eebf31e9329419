import { strToU8, Unzip, UnzipInflate, zipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'

// The first sheet of a workbook (ECMA-376, SpreadsheetML) as text: what its cells show or, of a formula, showed last. A library
// reads it; what strangers send is measured and looked over before, because the library believes what it is told:
// - one megabyte of tags that never end keeps it busy for 110 seconds, one attribute of 16 MB for 90, 4 MB of text for 28: it
//   looks at what is unfinished anew with every portion, and copies all rows with each; of 600,000 empty ones it makes no end;
// - some bytes that name the cell XFD1048576 make it fill up 17 thousand million cells;
// - an archive of half a megabyte that says it holds 1 KB, and holds 500 MB, is inflated for 6.5 seconds.
// It gets the parts that were looked over, as they were looked over, stored in an archive of our own.

export interface WorkbookLimits {
  mostFiles: number
  /** Of all files together, inflated. */
  mostBytes: number
  mostRows: number
  mostColumns: number
}

/** Why a workbook cannot be read. */
export type WorkbookFault = 'unreadable' | 'too large'

const unreadable = new Error('This is no workbook')
const tooLarge = new Error('This workbook is too large')

/** Inflated, that is 16 MB at most before anybody looks. */
const bytesAtOnce = 16 * 1024

/** The parts of an archive by name. What they say they hold is added up, and what they hold; the first that is too much ends it. */
const unpack = (bytes: Uint8Array, { mostFiles, mostBytes }: WorkbookLimits): Map<string, Uint8Array> => {
  const parts = new Map<string, Uint8Array>()
  let [files, said, held] = [0, 0, 0]
  const unzip = new Unzip(file => {
    said += file.originalSize ?? 0
    if (++files > mostFiles || said > mostBytes) throw tooLarge
    const chunks: Uint8Array[] = []
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error
      held += chunk.length
      if (held > mostBytes) throw tooLarge
      chunks.push(chunk)
      if (isLast) parts.set(file.name, Buffer.concat(chunks))
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < bytes.length; at += bytesAtOnce)
    unzip.push(bytes.subarray(at, at + bytesAtOnce), at + bytesAtOnce >= bytes.length)
  return parts
}

/** Text, and the tag, instruction or comment behind it; each character has one place to match, so that nothing is tried twice. */
const token =
  /([^<]*)<(?:(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>|\?[^<>]*\?>|!--[\s\S]*?-->)/y
/** What a cell can hold, each sign written as an escape. */
const mostTokenCharacters = 256 * 1024
/** No workbook has more; the library makes several things of each. */
const mostFormats = 65_490

const emptyRow = /<((?:[\w.-]+:)?row)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?:\/>|>\s*<\/\1>)/g
/** Cells and rows with nothing in them: of those there may be many behind the last one that says something. */
const withoutEmpty = (xml: string): string =>
  xml
    .replace(/<(?:[\w.-]+:)?c\s[^<>]*\/>/g, '')
    .replace(emptyRow, (row, _name, attributes) => (/[\s:]r\s*=/.test(attributes) ? '' : row))

const columnOf = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

/** Where a row or a cell says it stands. */
const placeOf = (attributes: string): { row?: number; column?: number } => {
  const [place, another] = attributes.matchAll(/[\s:]r\s*=\s*["']([^"']*)/g)
  if (!place) return {}
  const [, letters, digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(place[1] ?? '') ?? []
  if (another || digits === undefined) throw unreadable
  return { row: Number(digits), ...(letters && { column: columnOf(letters) }) }
}

/** Throws where a part is not well formed, takes longer than its length, or has a row or something in a cell far away. */
const lookOver = (xml: string, { mostRows, mostColumns }: WorkbookLimits): void => {
  let [row, column, formats] = [0, 0, 0]
  token.lastIndex = 0
  while (token.lastIndex < xml.length) {
    const [whole, text = '', slash, name, attributes = ''] = token.exec(xml) ?? []
    if (whole === undefined || whole.length > mostTokenCharacters) throw unreadable
    // Of a text with a comment in it, only what stands behind the comment would be read.
    if (name === undefined && text.trim() !== '') throw unreadable
    if (!slash && (name === 'row' || name === 'c')) {
      const place = placeOf(attributes)
      row = Math.max(row + (name === 'row' ? 1 : 0), place.row ?? 0)
      column = place.column ?? 0
      if (row > mostRows) throw tooLarge
    } else if (slash && text !== '' && (name === 'v' || name === 't')) {
      if (column > mostColumns) throw tooLarge
    } else if (!slash && name === 'xf' && ++formats > mostFormats) throw tooLarge
  }
}

/** What the library would not read as it is meant: letters by large numbers, and cells whose formula came to nothing. */
const mend = (xml: string): string =>
  xml
    .replace(/&#(?:x([\da-f]{5,6})|(\d{5,7}));/gi, (whole, hex, decimal) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replace(/(<(?:[\w.-]+:)?c\s[^<>]*?\st\s*=\s*)(["'])e\2/g, '$1$2str$2')

/** `YYYY-MM-DD`, with the time of day where there is one, in no zone. */
const showDay = (day: Date): string => {
  if (Number.isNaN(day.getTime())) return String(day)
  const text = new Date(Math.round(day.getTime() / 1000) * 1000).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}

const show = (value: unknown): string => {
  if (value === null) return ''
  if (value instanceof Date) return showDay(value)
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value)
}

/** The rows of the first sheet, without what is empty behind the last row that has something. */
export const readWorkbook = async (bytes: Uint8Array, limits: WorkbookLimits): Promise<string[][] | WorkbookFault> => {
  // A part nobody should look at is left out; perhaps it belongs to another sheet.
  let fault: WorkbookFault = 'unreadable'
  const parts: Record<string, Uint8Array> = {}
  try {
    for (const [name, part] of unpack(bytes, limits)) {
      if (!/\.(xml|rels)$/.test(name)) continue
      try {
        const xml = withoutEmpty(new TextDecoder().decode(part)).trimEnd()
        lookOver(xml, limits)
        parts[name] = strToU8(mend(xml))
      } catch (error) {
        if (error === tooLarge) fault = 'too large'
        else if (error !== unreadable) throw error
      }
    }
    const stored = zipSync(parts, { level: 0 })
    const rows = await readSheet(stored.buffer as ArrayBuffer)
    return rows.map(row => row.map(show))
  } catch (error) {
    return error === tooLarge ? 'too large' : fault
  }
}
