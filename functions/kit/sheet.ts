import type { SheetType } from '../../shared/task.ts'
import { pack } from './archive.ts'

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
  headings: string[]
  rows: Iterable<Cell[]>
  /** How days are shown where the file knows dates, as in `DD/MM/YYYY`. */
  dateFormat: string
}

export const writeSheet = (type: SheetType, sheet: NewSheet): Uint8Array =>
  type === 'xlsx' ? writeWorkbook(sheet) : writeText(sheet)

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const plain = (cell: Cell) => {
  if (cell === undefined) return ''
  return typeof cell === 'object' ? cell.day : typeof cell === 'string' ? quoted(guard(cell)) : String(cell)
}

/** As RFC 4180 has it, with the mark in front by which Excel knows that it is Unicode. */
const writeText = ({ headings, rows }: NewSheet): Uint8Array => {
  const lines = [headings, ...rows].map(row => row.map(plain).join(','))
  return Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`)
}

/** More a cell cannot hold. */
const mostCellCharacters = 32_767

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** What XML cannot hold, not even escaped, is left out; what workbooks take for an escape of their own is none. */
const inXml = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/_(?=x[\dA-F]{4}_)/gi, '_x005F_')
    .replace(/[&<>"]/g, sign => escapes[sign] ?? sign)

const day = 24 * 60 * 60 * 1000
/** Workbooks count days from the one before 1 January 1900, and one too many since they believe that year had a 29 February. */
const dayNumber = (text: string) => (Date.parse(`${text}T00:00:00Z`) - Date.UTC(1899, 11, 30)) / day

/** The styles of `styles.xml` by their place. */
const [bold, date] = [1, 2]
const cellXml = (cell: Cell, place: string, style: number): string => {
  if (cell === undefined || cell === '') return ''
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  if (typeof cell === 'object') return `<c r="${place}" s="${date}"><v>${dayNumber(cell.day)}</v></c>`
  const text = inXml(guard(cell).slice(0, mostCellCharacters))
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}
const rowXml = (cells: Cell[], row: number, style = 0) =>
  `<row r="${row}">${cells.map((cell, place) => cellXml(cell, letterOf(place) + row, style)).join('')}</row>`

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const documents = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const columnWidth = 20

/** The fewest parts every program takes for a workbook; texts stand in their cells. */
const writeWorkbook = ({ headings, rows, dateFormat }: NewSheet): Uint8Array => {
  const relations = (...targets: [kind: string, target: string][]) =>
    `<Relationships xmlns="${packages}/relationships">${targets
      .map(([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${documents}/${kind}" Target="${target}"/>`)
      .join('')}</Relationships>`
  const kinds = [
    ['/xl/workbook.xml', 'sheet.main'],
    ['/xl/worksheets/sheet1.xml', 'worksheet'],
    ['/xl/styles.xml', 'styles'],
  ].map(([part, kind]) => `<Override PartName="${part}" ContentType="${types}.${kind}+xml"/>`)
  const files = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${kinds.join('')}</Types>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${documents}"><sheets><sheet name="1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="${inXml(dateFormat.toLowerCase())}"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${headings.length}" width="${columnWidth}" customWidth="1"/></cols><sheetData>${rowXml(headings, 1, bold)}${Array.from(rows, (row, i) => rowXml(row, i + 2)).join('')}</sheetData></worksheet>`,
  }
  return pack(Object.entries(files).map(([name, content]) => [name, Buffer.from(head + content)]))
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
