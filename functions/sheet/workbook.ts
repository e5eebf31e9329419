import type { ArchiveFault, ArchiveLimits } from './archive.ts'
import { letterOf } from './workbook-write.ts'

// The first sheet of a workbook (ECMA-376, SpreadsheetML) as text: what its cells show or, of a formula, showed last. A library
// reads it; what strangers send is measured and looked over before, because the library believes what it is told:
// - one megabyte of tags that never end keeps it busy for 110 seconds, one attribute of 16 MB for 90, 4 MB of text for 28: it
//   looks at what is unfinished anew with every portion, and copies all rows with each; of 600,000 empty ones it makes no end;
// - some bytes that name the cell XFD1048576 make it fill up 17 thousand million cells;
// - 27 KB unpack to three million empty rows, and every other company waits for them.
// It gets the parts that were looked over, as they were looked over, stored in an archive of our own. What no program writes into
// a sheet (CDATA, entities of one's own, a comment within a text) is refused rather than half understood.

export interface WorkbookLimits extends ArchiveLimits {
  mostRows: number
  mostColumns: number
  /** Of all parts that are read. */
  mostTags: number
}

const unreadable = new Error('This is no workbook')
const tooLarge = new Error('This workbook is too large')

/** Text, and the tag, instruction or comment behind it; each character has one place to match, so that nothing is tried twice. */
const token =
  /([^<]*)<(?:(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>|\?[^<>]*\?>|!--[\s\S]*?-->)/y
/** What a cell can hold, each sign written as an escape. */
const mostTokenCharacters = 256 * 1024
/** No workbook has more; the library makes several things of each. */
const mostFormats = 65_490
/** The library's time to read a number format grows with the square of its length. Programs write at most 255 signs. */
const mostNumberFormatCharacters = 1024
const mostNumberFormats = 1000

/** No sheet of any program has more. */
const mostRowTags = 1_048_576

/** The beginning of a tag, which may be a row's or a cell's. */
const tagStart = /<(?:[\w.-]+:)?(?:(row|c)(?=[\s/>]))?/g
/** Counts the tags of a part before anything is made of them; stops at the first tag above the limits. */
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
/** Cells and rows with nothing in them: of those there may be many behind the last one that says something. */
const withoutEmpty = (xml: string): string =>
  xml
    .replace(/<(?:[\w.-]+:)?c\s[^<>]*\/>/g, '')
    .replace(emptyRow, (row, _name, attributes) => (/[\s:]r\s*=/.test(attributes) ? '' : row))

const columnOf = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

const rowOrCell = /<((?:[\w.-]+:)?)(row|c)(?=[\s/>])([^<>]*)(>?)/g
/**
 * A cell need not say where it stands, when that is behind the one before it; the library wants to be told. What stands in a
 * comment would count too: a sheet with comments is left as it is.
 */
const withPlaces = (xml: string): string => {
  if (xml.includes('<!--')) return xml
  let [row, column] = [0, 0]
  return xml.replace(rowOrCell, (whole, prefix, name, attributes, end) => {
    const [, said] = /\sr\s*=\s*["']([^"']*)/.exec(attributes) ?? []
    const [, letters = '', digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(said ?? '') ?? []
    if (name === 'row') {
      row = digits === undefined ? row + 1 : Number(digits)
      column = 0
      return whole
    }
    column = said === undefined ? column + 1 : columnOf(letters)
    if (end && attributes.endsWith('/')) return ''
    return said === undefined ? `<${prefix}c r="${letterOf(column - 1)}${row}"${attributes}${end}` : whole
  })
}

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
  let [row, column, formats, numberFormats] = [0, 0, 0, 0]
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
    else if (!slash && name === 'numFmt') {
      if (++numberFormats > mostNumberFormats || attributes.length > mostNumberFormatCharacters) throw tooLarge
    }
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

/** Many cells may share one long text, so they can hold far more than the archive does. */
const charactersIn = (rows: string[][]) =>
  rows.reduce((sum, row) => row.reduce((all, cell) => all + cell.length, sum), 0)

/** The rows of the first sheet, without what is empty behind the last row that has something. */
export const readWorkbook = async (bytes: Uint8Array, limits: WorkbookLimits): Promise<string[][] | ArchiveFault> => {
  const [{ strToU8, zipSync }, { readSheet }, { unpack }] = await Promise.all([
    import('fflate'),
    import('read-excel-file/universal'),
    import('./archive.ts'),
  ])
  const unpacked = unpack(bytes, limits)
  if (typeof unpacked === 'string') return unpacked
  // A part nobody should look at is left out; perhaps it belongs to another sheet.
  let fault: ArchiveFault = 'unreadable'
  const parts: Record<string, Uint8Array> = {}
  try {
    let mostTags = limits.mostTags
    // The smallest parts come first: a large sheet that is not read must not use up the tags of the one that is.
    for (const [name, part] of [...unpacked].sort(([, a], [, b]) => a.length - b.length)) {
      if (!/\.(xml|rels)$/.test(name)) continue
      try {
        const sent = new TextDecoder().decode(part)
        const { tags, isTooLarge } = countTags(sent, { ...limits, mostTags })
        if (isTooLarge) throw tooLarge
        mostTags -= tags
        const xml = withoutEmpty(withPlaces(sent)).trimEnd()
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
