import { markOf } from '../../shared/date-format.ts'

// Writes a workbook of one sheet (ECMA-376, SpreadsheetML) row by row, so that memory holds only the packed rows.
// `workbook.ts` reads workbooks.

/** The days by which a time may differ from the day of its row. Each has its own format. */
export const daysOffs = [-1, 0, 1, 2] as const
type DaysOff = (typeof daysOffs)[number]

/**
 * The content of a cell. A workbook stores days, times of day and durations as numbers. `time` counts minutes from
 * midnight. `daysOff` marks a time on another day, such as 1 for the next day. `clock` is a duration in minutes, shown as
 * hours and minutes. `second` counts the seconds from midnight of a time of day.
 */
export type WorkbookCell =
  | { text: string }
  | { number: number; decimals: 0 | 2 }
  | { day: string }
  | { time: number; daysOff: DaysOff }
  | { clock: number }
  | { second: number }
  | undefined

export interface WorkbookRow {
  cells: WorkbookCell[]
  isBold?: boolean
}

export interface WorkbookLook {
  /** The name of the sheet, which may contain any characters. */
  name: string
  /** The format of days, such as `DD/MM/YYYY`. */
  dateFormat: string
  /** Whether times of day have 12 hours. */
  is12Hours?: boolean
  /** Whether the first row holds headings: it then stays visible, filters, and repeats on every printed page. */
  hasHeadings?: boolean
}

/** The most characters of a cell in a workbook. */
const mostCellCharacters = 32_767
/** The widths of columns, in characters. */
const [narrowest, widest] = [6, 48]
/** The number of first rows that decide the widths. */
const measuredRows = 200
/** The limit of spreadsheet programs for the name of a sheet. */
const mostNameCharacters = 31
/** The number of characters that one portion packs. */
const portionCharacters = 256 * 1024

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const media = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const asEscape = (sign: string) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Escapes XML, text that looks like a workbook escape, and characters that XML forbids. */
const escaped = (text: string) =>
  text
    .slice(0, mostCellCharacters)
    .toWellFormed()
    .replace(/_(?=x[\dA-F]{4}_)/gi, asEscape)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters XML forbids.
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, asEscape)
    .replace(/[&<>"]/g, sign => entities[sign] ?? '')

/** The format of each style. The bold styles follow in the same order. */
const formatsOf = ({ dateFormat, is12Hours }: WorkbookLook): string[] => {
  const time = is12Hours ? 'hh:mm AM/PM' : 'hh:mm'
  const times = daysOffs.map(daysOff => (daysOff === 0 ? time : `${time}"${markOf(daysOff)}"`))
  return ['General', '0.00', dateFormat.toLowerCase(), '[h]:mm', ...times, time.replace('mm', 'mm:ss')]
}
const styles = { plain: 0, decimals: 1, day: 2, clock: 3, time: 4, second: 4 + daysOffs.length } as const
const boldStyles = styles.second + 1
/** The first number of a custom format. */
const customFormat = 164

const stylesOf = (look: WorkbookLook) => {
  const formats = formatsOf(look)
  const listed = formats.map((code, at) => `<numFmt numFmtId="${customFormat + at}" formatCode="${escaped(code)}"/>`)
  const numberOf = (at: number) => (at === styles.plain ? 0 : customFormat + at)
  const cells = [0, 1].flatMap(font =>
    formats.map(
      (_, at) =>
        `<xf numFmtId="${numberOf(at)}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
    ),
  )
  return `${head}<styleSheet xmlns="${main}"><numFmts count="${listed.length}">${listed.join('')}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

/** A name that spreadsheet programs accept for a sheet. */
export const sheetName = (name: string): string =>
  name
    .replace(/[\\/?*:[\]\p{Cc}\s]+/gu, ' ')
    .slice(0, mostNameCharacters)
    .replace(/^[' ]+|[' ]+$/g, '') || 'Sheet1'

/** The parts of the archive around the sheet. `filtered` is the range of the headings and rows. */
const parts = (look: WorkbookLook, filtered: string | undefined): Record<string, string> => {
  const name = sheetName(look.name)
  const quoted = escaped(`'${name.replaceAll("'", "''")}'!`)
  const absolute = filtered?.replace(/[A-Z]+|\d+/g, part => `$${part}`)
  const names =
    absolute === undefined
      ? ''
      : `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${quoted}${absolute}</definedName><definedName name="_xlnm.Print_Titles" localSheetId="0">${quoted}$1:$1</definedName></definedNames>`
  return {
    '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${media}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${media}.styles+xml"/></Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets>${names}</workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': stylesOf(look),
  }
}

/** The letters of a column. */
export const letterOf = (place: number): string =>
  (place >= 26 ? letterOf(Math.floor(place / 26) - 1) : '') + String.fromCharCode(65 + (place % 26))

/** Workbooks count days from 31 December 1899 and wrongly treat 1900 as a leap year. */
const serialOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000 + 25_569

const writeCell = (cell: WorkbookCell, place: string, isBold: boolean): string => {
  const style = (at: number) => {
    const all = at + (isBold ? boldStyles : 0)
    return all === 0 ? '' : ` s="${all}"`
  }
  if (cell === undefined || ('text' in cell && cell.text === '')) return ''
  if ('text' in cell)
    return `<c r="${place}" t="inlineStr"${style(styles.plain)}><is><t xml:space="preserve">${escaped(cell.text)}</t></is></c>`
  if ('day' in cell) return `<c r="${place}"${style(styles.day)}><v>${serialOf(cell.day)}</v></c>`
  if ('time' in cell) {
    const format = styles.time + daysOffs.indexOf(cell.daysOff)
    return `<c r="${place}"${style(format)}><v>${cell.time / 1440}</v></c>`
  }
  if ('clock' in cell) return `<c r="${place}"${style(styles.clock)}><v>${cell.clock / 1440}</v></c>`
  if ('second' in cell) return `<c r="${place}"${style(styles.second)}><v>${cell.second / 86_400}</v></c>`
  return `<c r="${place}"${style(cell.decimals === 2 ? styles.decimals : styles.plain)}><v>${cell.number}</v></c>`
}

/** The characters that a cell takes. Chinese letters take two. */
const lengthOf = (cell: WorkbookCell, { dateFormat, is12Hours }: WorkbookLook): number => {
  if (cell === undefined) return 0
  if ('text' in cell) return [...cell.text].reduce((sum, letter) => sum + (letter >= '\u2e80' ? 2 : 1), 0)
  if ('day' in cell) return dateFormat.length
  if ('time' in cell) return (is12Hours ? 8 : 5) + markOf(cell.daysOff).length
  if ('clock' in cell) return String(Math.floor(cell.clock / 60)).length + 3
  if ('second' in cell) return is12Hours ? 11 : 8
  return cell.number.toFixed(cell.decimals).length
}

/** The start of the sheet. The first rows decide the widths of its columns. */
const beginSheet = (first: WorkbookRow[], look: WorkbookLook): string => {
  const { hasHeadings = true } = look
  const columns = Math.max(1, ...first.map(({ cells }) => cells.length))
  const widths = Array.from({ length: columns }, (_, at) => {
    // A heading is bold and leaves room for the button of its filter.
    const lengths = first.map(({ cells }, row) => lengthOf(cells[at], look) + (row === 0 && hasHeadings ? 3 : 1))
    return Math.min(widest, Math.max(narrowest, ...lengths))
  })
  const pane = hasHeadings ? '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' : ''
  const columnsXml = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  )
  return `${head}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${columnsXml.join('')}</cols><sheetData>`
}

/** The end of the sheet: the filter, then landscape pages as wide as the sheet, with name and page number below. */
const endSheet = (filtered: string | undefined): string => {
  const filter = filtered === undefined ? '' : `<autoFilter ref="${filtered}"/>`
  return `</sheetData>${filter}<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.7" header="0.3" footer="0.3"/><pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/><headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter></worksheet>`
}

/** Writes a workbook of one sheet. Bold rows after the headings are totals, which the filter leaves out. */
export const writeWorkbook = async (
  rows: Iterable<WorkbookRow> | AsyncIterable<WorkbookRow>,
  look: WorkbookLook,
): Promise<Uint8Array> => {
  const { strToU8, Zip, ZipDeflate, ZipPassThrough } = await import('fflate')
  const packed: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    packed.push(chunk)
  })
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml')
  zip.add(sheet)
  const letters: string[] = []
  const nameOf = (column: number) => {
    letters[column] ??= letterOf(column)
    return letters[column]
  }
  let [text, row, filteredRows, columns] = ['', 0, 1, 1]
  const add = ({ cells, isBold = false }: WorkbookRow) => {
    row++
    if (!isBold) filteredRows = row
    columns = Math.max(columns, cells.length)
    text += `<row r="${row}">${cells.map((cell, at) => writeCell(cell, `${nameOf(at)}${row}`, isBold)).join('')}</row>`
    if (text.length < portionCharacters) return
    sheet.push(strToU8(text))
    text = ''
  }
  let first: WorkbookRow[] | undefined = []
  const begin = () => {
    text += beginSheet(first ?? [], look)
    for (const measured of first ?? []) add(measured)
    first = undefined
  }
  for await (const next of rows) {
    if (!first) add(next)
    else if (first.push(next) === measuredRows) begin()
  }
  if (first) begin()
  const filtered = look.hasHeadings === false ? undefined : `A1:${nameOf(columns - 1)}${filteredRows}`
  sheet.push(strToU8(text + endSheet(filtered)), true)
  for (const [name, xml] of Object.entries(parts(look, filtered))) {
    const file = new ZipPassThrough(name)
    zip.add(file)
    file.push(strToU8(xml), true)
  }
  zip.end()
  return Buffer.concat(packed)
}
