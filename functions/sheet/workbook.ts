import type { ArchiveFault, ArchiveLimits } from './archive.ts'
import { letterOf } from './workbook-write.ts'

// Reads the first sheet of a workbook (ECMA-376, SpreadsheetML) as text: the shown values, and the last results of
// formulas. The parsing library trusts its input, so this file measures and checks untrusted files first:
// - One megabyte of unclosed tags takes the library 110 seconds. One attribute of 16 MB takes 90, 4 MB of text 28.
//   The library rescans unfinished input with every portion and copies all rows each time. With 600,000 empty rows it
//   never ends.
// - A few bytes that name the cell XFD1048576 make the library fill 17 billion cells.
// - 27 KB unpack to three million empty rows, and every other company waits for them.
// The library gets exactly the checked parts, in a new archive. The check rejects constructs that no program writes
// into a sheet: CDATA, custom entities, and a comment within a text.

export interface WorkbookLimits extends ArchiveLimits {
  mostRows: number
  mostColumns: number
  /** The most tags of all read parts together. */
  mostTags: number
}

const unreadable = new Error('This is no workbook')
const tooLarge = new Error('This workbook is too large')

/**
 * A text, and the tag, instruction or comment after the text. Each character can match in one way only, so that the
 * engine never backtracks.
 */
const token =
  /([^<]*)<(?:(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>|\?[^<>]*\?>|!--[\s\S]*?-->)/y
/** The size of a full cell with an escape for every character. */
const mostTokenCharacters = 256 * 1024
/** The limit of a workbook. The library creates several objects for each format. */
const mostFormats = 65_490
/**
 * The library's time to read a number format grows with the square of its length. Programs write at most 255
 * characters.
 */
const mostNumberFormatCharacters = 1024
const mostNumberFormats = 1000

/** The row limit of spreadsheet programs. */
const mostRowTags = 1_048_576

/** The start of any tag. The group identifies a row or a cell. */
const tagStart = /<(?:[\w.-]+:)?(?:(row|c)(?=[\s/>]))?/g
/** Counts the tags of a part without parsing it. Stops at the first tag above the limits. */
export const countTags = (
  xml: string,
  { mostRows, mostColumns, mostTags }: Pick<WorkbookLimits, 'mostRows' | 'mostColumns' | 'mostTags'>,
): { tags: number; isTooLarge: boolean } => {
  let [tags, rows, cells] = [0, 0, 0]
  tagStart.lastIndex = 0
  for (let tag = tagStart.exec(xml); tag; tag = tagStart.exec(xml)) {
    tags++
    if (tag[1] === 'row') rows++
    else if (tag[1] === 'c') cells++
    if (tags > mostTags || rows > mostRowTags || cells > mostRows * mostColumns) return { tags, isTooLarge: true }
  }
  return { tags, isTooLarge: false }
}

const emptyRow = /<((?:[\w.-]+:)?row)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?:\/>|>\s*<\/\1>)/g
/** Removes empty cells and rows, because many of them may follow the last filled cell. */
const withoutEmpty = (xml: string): string =>
  xml
    .replace(/<(?:[\w.-]+:)?c\s[^<>]*\/>/g, '')
    .replace(emptyRow, (row, _name, attributes) => (/[\s:]r\s*=/.test(attributes) ? '' : row))

const columnOf = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

const rowOrCell = /<((?:[\w.-]+:)?)(row|c)(?=[\s/>])([^<>]*)(>?)/g
/**
 * Adds the place of each cell. A cell may omit its place if it follows the previous one, but the library needs the
 * place. The pattern would also match rows and cells inside a comment, so a sheet with comments stays unchanged.
 */
const withPlaces = (xml: string): string => {
  if (xml.includes('<!--')) return xml
  let [row, column] = [0, 0]
  return xml.replace(rowOrCell, (tag, prefix, name, attributes, end) => {
    const [, place] = /\sr\s*=\s*["']([^"']*)/.exec(attributes) ?? []
    const [, letters = '', digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(place ?? '') ?? []
    if (name === 'row') {
      row = digits === undefined ? row + 1 : Number(digits)
      column = 0
      return tag
    }
    column = place === undefined ? column + 1 : columnOf(letters)
    if (end && attributes.endsWith('/')) return ''
    return place === undefined ? `<${prefix}c r="${letterOf(column - 1)}${row}"${attributes}${end}` : tag
  })
}

/** The declared place of a row or a cell. */
const placeOf = (attributes: string): { row?: number; column?: number } => {
  const [place, duplicate] = attributes.matchAll(/[\s:]r\s*=\s*["']([^"']*)/g)
  if (!place) return {}
  const [, letters, digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(place[1] ?? '') ?? []
  if (duplicate || digits === undefined) throw unreadable
  return { row: Number(digits), ...(letters && { column: columnOf(letters) }) }
}

/** Throws if a part is malformed, too slow to parse, or beyond the limits of rows and filled cells. */
const lookOver = (xml: string, { mostRows, mostColumns }: WorkbookLimits): void => {
  let [row, column, formats, numberFormats] = [0, 0, 0, 0]
  token.lastIndex = 0
  while (token.lastIndex < xml.length) {
    const [match, text = '', slash, name, attributes = ''] = token.exec(xml) ?? []
    if (match === undefined || match.length > mostTokenCharacters) throw unreadable
    // The library would read only the text after a comment.
    if (name === undefined && text.trim() !== '') throw unreadable
    if (!slash && (name === 'row' || name === 'c')) {
      const place = placeOf(attributes)
      row = Math.max(row + (name === 'row' ? 1 : 0), place.row ?? 0)
      column = place.column ?? 0
      if (row > mostRows) throw tooLarge
    } else if (slash && text !== '' && (name === 'v' || name === 't')) {
      if (column > mostColumns) throw tooLarge
    } else if (!slash && name === 'xf' && ++formats > mostFormats) throw tooLarge
    else if (!slash && name === 'numFmt') {
      if (++numberFormats > mostNumberFormats || attributes.length > mostNumberFormatCharacters) throw tooLarge
    }
  }
}

/** Rewrites input that the library misreads: large numeric character references and cells with formula errors. */
const mend = (xml: string): string =>
  xml
    .replace(/&#(?:x([\da-f]{5,6})|(\d{5,7}));/gi, (reference, hex, decimal) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : reference
    })
    .replace(/(<(?:[\w.-]+:)?c\s[^<>]*?\st\s*=\s*)(["'])e\2/g, '$1$2str$2')

/** The first day that a workbook can store. Smaller numbers are times of day. */
const firstDay = Date.UTC(1899, 11, 31)

/** A day as `YYYY-MM-DD`, with the time of day unless it is midnight, without a zone. A time of day as `HH:MM`. */
const showDay = (day: Date): string => {
  if (Number.isNaN(day.getTime())) return String(day)
  const text = new Date(Math.round(day.getTime() / 1000) * 1000).toISOString()
  if (day.getTime() < firstDay) return text.endsWith(':00.000Z') ? text.slice(11, 16) : text.slice(11, 19)
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}

const show = (value: unknown): string => {
  if (value === null) return ''
  if (value instanceof Date) return showDay(value)
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value)
}

/**
 * The number of characters of all rows. Many cells may share one long text, so the rows can be far larger than the
 * archive.
 */
const charactersIn = (rows: string[][]) =>
  rows.reduce((sum, row) => row.reduce((all, cell) => all + cell.length, sum), 0)

/** The rows of the first sheet, without empty rows after the last filled row. */
export const readWorkbook = async (bytes: Uint8Array, limits: WorkbookLimits): Promise<string[][] | ArchiveFault> => {
  const [{ strToU8, zipSync }, { readSheet }, { unpack }] = await Promise.all([
    import('fflate'),
    import('read-excel-file/universal'),
    import('./archive.ts'),
  ])
  const unpacked = unpack(bytes, limits)
  if (typeof unpacked === 'string') return unpacked
  // Skip a bad part, because it may belong to another sheet.
  let fault: ArchiveFault = 'unreadable'
  const parts: Record<string, Uint8Array> = {}
  try {
    let mostTags = limits.mostTags
    // Take the smallest parts first: a large unread sheet must not use up the tag limit of the first sheet.
    for (const [name, part] of [...unpacked].sort(([, a], [, b]) => a.length - b.length)) {
      if (!/\.(xml|rels)$/.test(name)) continue
      try {
        const content = new TextDecoder().decode(part)
        const { tags, isTooLarge } = countTags(content, { ...limits, mostTags })
        if (isTooLarge) throw tooLarge
        mostTags -= tags
        const xml = withoutEmpty(withPlaces(content)).trimEnd()
        lookOver(xml, limits)
        parts[name] = strToU8(mend(xml))
      } catch (error) {
        if (error === tooLarge) fault = 'too large'
        else if (error !== unreadable) throw error
      }
    }
    const stored = zipSync(parts, { level: 0 })
    const rows = (await readSheet(stored.buffer as ArrayBuffer)).map(row => row.map(show))
    return charactersIn(rows) > limits.mostBytes ? 'too large' : rows
  } catch (error) {
    return error === tooLarge ? 'too large' : fault
  }
}
