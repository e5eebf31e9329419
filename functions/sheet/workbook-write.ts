// Writes a workbook of one sheet (ECMA-376, SpreadsheetML) row by row, so that memory holds only the packed rows.
// `workbook.ts` reads workbooks.

/** The content of a cell: text, a number with its decimals, or a day. A workbook stores a day as a number. */
export type WorkbookCell = { text: string } | { number: number; decimals: 0 | 2 } | { day: string } | undefined

export interface WorkbookRow {
  cells: WorkbookCell[]
  isBold?: boolean
}

/** The most characters of a cell in a workbook. */
const mostCellCharacters = 32_767
const columnWidth = 20
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

/** Indexes of the styles below: plain, two decimals, a day. The bold versions follow. */
const styles = { plain: 0, decimals: 1, day: 2 } as const
const boldStyles = 3

const stylesOf = (dateFormat: string) => {
  const cell = (format: number, font: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  // 2 is the built-in number format `0.00`; custom formats begin at 164.
  const cells = [0, 1].flatMap(font => [cell(0, font), cell(2, font), cell(164, font)])
  return `${head}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="${escaped(dateFormat.toLowerCase())}"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs></styleSheet>`
}

const parts = (dateFormat: string): Record<string, string> => ({
  '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${media}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${media}.styles+xml"/></Types>`,
  '_rels/.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': stylesOf(dateFormat),
})

/** The letters of a column. */
export const letterOf = (place: number): string =>
  (place >= 26 ? letterOf(Math.floor(place / 26) - 1) : '') + String.fromCharCode(65 + (place % 26))

/** Workbooks count days from 31 December 1899 and wrongly treat 1900 as a leap year. */
const serialOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000 + 25_569

const writeCell = (cell: WorkbookCell, place: string, isBold: boolean): string => {
  const style = (kind: keyof typeof styles) => {
    const at = styles[kind] + (isBold ? boldStyles : 0)
    return at === 0 ? '' : ` s="${at}"`
  }
  if (cell === undefined || ('text' in cell && cell.text === '')) return ''
  if ('text' in cell)
    return `<c r="${place}" t="inlineStr"${style('plain')}><is><t xml:space="preserve">${escaped(cell.text)}</t></is></c>`
  if ('day' in cell) return `<c r="${place}"${style('day')}><v>${serialOf(cell.day)}</v></c>`
  return `<c r="${place}"${style(cell.decimals === 2 ? 'decimals' : 'plain')}><v>${cell.number}</v></c>`
}

/**
 * Writes a workbook. The first row holds the headings and stays visible. `dateFormat` is the format of days, such as
 * `DD/MM/YYYY`.
 */
export const writeWorkbook = async (
  rows: Iterable<WorkbookRow> | AsyncIterable<WorkbookRow>,
  { columns, dateFormat }: { columns: number; dateFormat: string },
): Promise<Uint8Array> => {
  const { strToU8, Zip, ZipDeflate, ZipPassThrough } = await import('fflate')
  const packed: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    packed.push(chunk)
  })
  for (const [name, xml] of Object.entries(parts(dateFormat))) {
    const file = new ZipPassThrough(name)
    zip.add(file)
    file.push(strToU8(xml), true)
  }
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml')
  zip.add(sheet)
  let text = `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${Math.max(1, columns)}" width="${columnWidth}" customWidth="1"/></cols><sheetData>`
  const letters: string[] = []
  const nameOf = (column: number) => {
    letters[column] ??= letterOf(column)
    return letters[column]
  }
  let row = 0
  for await (const { cells, isBold = false } of rows) {
    row++
    text += `<row r="${row}">${cells.map((cell, at) => writeCell(cell, `${nameOf(at)}${row}`, isBold)).join('')}</row>`
    if (text.length < portionCharacters) continue
    sheet.push(strToU8(text))
    text = ''
  }
  sheet.push(strToU8(`${text}</sheetData></worksheet>`), true)
  zip.end()
  return Buffer.concat(packed)
}
