import { type ArchiveLimits, unpack } from './archive.ts'
import { readXml, type Xml } from './xml.ts'

// The first sheet of a workbook (ECMA-376, SpreadsheetML) as text: what its cells show or, of a formula, showed last.

export interface WorkbookLimits extends ArchiveLimits {
  mostRows: number
  mostColumns: number
}

type Parts = Map<string, Uint8Array>

/** Why a workbook cannot be read. */
export type WorkbookFault = 'unreadable' | 'too large'

const unreadable = new Error('This is no workbook')
const tooLarge = new Error('This workbook is too large')

const decoders = {
  'utf-8': new TextDecoder('utf-8', { fatal: true }),
  'utf-16le': new TextDecoder('utf-16le', { fatal: true }),
}

const read = (parts: Parts, name: string, told: Partial<Xml>): void => {
  const bytes = parts.get(name)
  if (!bytes) throw unreadable
  const nothing = () => undefined
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = decoders[isWide ? 'utf-16le' : 'utf-8'].decode(bytes)
  if (!readXml(text, { begins: nothing, ends: nothing, text: nothing, ...told })) throw unreadable
}

/** Where a part leads, by the id of the relation, and of which kind each is. */
const readRelations = (parts: Parts, of: string) => {
  const folder = of.slice(0, of.lastIndexOf('/') + 1)
  const relations = new Map<string, { kind: string; target: string }>()
  read(parts, `${folder}_rels/${of.slice(folder.length)}.rels`, {
    begins(name, attribute) {
      const [id, target, type] = [attribute('Id'), attribute('Target'), attribute('Type')]
      if (name !== 'Relationship' || !id || !target || !type) return
      const path = target.startsWith('/') ? target.slice(1) : folder + target
      relations.set(id, { kind: type.slice(type.lastIndexOf('/') + 1), target: path })
    },
  })
  return relations
}

const targetOf = (relations: ReturnType<typeof readRelations>, kind: string) =>
  [...relations.values()].find(relation => relation.kind === kind)?.target

const isTrue = (text: string | undefined) => text === '1' || text === 'true'

/** The relation of the first sheet, and whether days are counted from 1904. */
const readBook = (parts: Parts, name: string) => {
  let sheet: string | undefined
  let from1904 = false
  read(parts, name, {
    begins(element, attribute) {
      if (element === 'sheet') sheet ??= attribute('id')
      else if (element === 'workbookPr') from1904 = isTrue(attribute('date1904'))
    },
  })
  return { sheet, from1904 }
}

/** The formats every workbook has that show a day or a time. */
const isDayNumber = (format: number) =>
  (format >= 14 && format <= 22) ||
  (format >= 27 && format <= 36) ||
  (format >= 45 && format <= 47) ||
  (format >= 50 && format <= 58)
/** Whether a format of one's own shows one: behind what is quoted, escaped, filled up or in brackets. */
const isDayFormat = (code: string) =>
  /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, '').replace(/general/gi, ''))

/** Which styles of cells show a day or a time. */
const readStyles = (parts: Parts, name: string): boolean[] => {
  const own = new Map<number, boolean>()
  const styles: boolean[] = []
  let isCellStyle = false
  read(parts, name, {
    begins(element, attribute) {
      if (element === 'numFmt') own.set(Number(attribute('numFmtId')), isDayFormat(attribute('formatCode') ?? ''))
      else if (element === 'cellXfs') isCellStyle = true
      else if (element === 'xf' && isCellStyle) {
        const format = Number(attribute('numFmtId') ?? 0)
        styles.push(own.get(format) ?? isDayNumber(format))
      }
    },
    ends(element) {
      if (element === 'cellXfs') isCellStyle = false
    },
  })
  return styles
}

/** What workbooks write for characters they cannot hold. */
const withoutEscapes = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Texts that cells refer to by number; how something is pronounced is none of them. */
const readTexts = (parts: Parts, name: string): string[] => {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isSpoken = false
  read(parts, name, {
    begins(element) {
      if (element === 'si') text = ''
      else if (element === 'rPh') isSpoken = true
      else if (element === 't') isText = !isSpoken
    },
    text(part) {
      if (isText) text += part
    },
    ends(element) {
      if (element === 'si') texts.push(withoutEscapes(text))
      else if (element === 'rPh') isSpoken = false
      else if (element === 't') isText = false
    },
  })
  return texts
}

const dayMilliseconds = 24 * 60 * 60 * 1000
/** The day before the first; those who count from 1900 believe that it had a 29 February. */
const dayZero = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }

/** `YYYY-MM-DD`, with the time of day where there is one, in no zone. */
const showDay = (days: number, from1904: boolean): string => {
  const at = new Date(dayZero[from1904 ? 1904 : 1900] + Math.round(days * dayMilliseconds))
  if (Number.isNaN(at.getTime())) return ''
  const text = at.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}

const columnOf = (letters: string) => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

interface Book {
  texts: string[]
  isDay: boolean[]
  from1904: boolean
}

const show = (type: string, style: number, value: string, { texts, isDay, from1904 }: Book): string => {
  if (type === 's') return texts[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type === 'd') return value.endsWith('T00:00:00') ? value.slice(0, 10) : value
  if (type !== 'n') return withoutEscapes(value)
  const number = Number(value)
  if (value === '' || Number.isNaN(number)) return value
  return isDay[style] ? showDay(number, from1904) : String(number)
}

const readRows = (parts: Parts, name: string, book: Book, { mostRows, mostColumns }: WorkbookLimits): string[][] => {
  const rows: string[][] = []
  let [row, column] = [0, 0]
  let [type, style, value] = ['n', 0, '']
  let isValue = false
  const place = (text: string | undefined) => {
    const [, letters, digits] = /^([A-Z]{0,3})(\d{1,7})$/.exec(text ?? '') ?? []
    if (text !== undefined && digits === undefined) throw unreadable
    return { column: letters ? columnOf(letters) : undefined, row: digits === undefined ? undefined : Number(digits) }
  }
  read(parts, name, {
    begins(element, attribute) {
      if (element === 'row') {
        row = place(attribute('r')).row ?? row + 1
        column = 0
      } else if (element === 'c') {
        column = place(attribute('r')).column ?? column + 1
        ;[type, style, value] = [attribute('t') ?? 'n', Number(attribute('s') ?? 0), '']
      } else if (element === 'v' || element === 't') isValue = true
      else if (element === 'rPh') isValue = false
    },
    text(part) {
      if (isValue) value += part
    },
    ends(element) {
      if (element === 'v' || element === 't') isValue = false
      else if (element === 'c' && value !== '') {
        // A few bytes can name the last cell of a million rows, and what lies between would be filled up.
        if (row < 1 || row > mostRows || column < 1 || column > mostColumns) throw tooLarge
        while (rows.length < row) rows.push([])
        const cells = rows[row - 1] ?? []
        while (cells.length < column) cells.push('')
        cells[column - 1] = show(type, style, value, book)
      }
    },
  })
  return rows
}

/** The rows of the first sheet, without what is empty behind the last cell of a row and the last row that has one. */
export const readWorkbook = (bytes: Uint8Array, limits: WorkbookLimits): string[][] | WorkbookFault => {
  const parts = unpack(bytes, limits)
  if (!parts) return 'unreadable'
  try {
    const main = targetOf(readRelations(parts, ''), 'officeDocument') ?? ''
    const relations = readRelations(parts, main)
    const { sheet, from1904 } = readBook(parts, main)
    const [styles, texts] = [targetOf(relations, 'styles'), targetOf(relations, 'sharedStrings')]
    const book: Book = {
      from1904,
      isDay: styles !== undefined && parts.has(styles) ? readStyles(parts, styles) : [],
      texts: texts !== undefined && parts.has(texts) ? readTexts(parts, texts) : [],
    }
    return readRows(parts, relations.get(sheet ?? '')?.target ?? '', book, limits)
  } catch (error) {
    if (error === tooLarge) return 'too large'
    if (error === unreadable || error instanceof TypeError) return 'unreadable'
    throw error
  }
}
