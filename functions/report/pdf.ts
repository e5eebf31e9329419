import { join } from 'node:path'
import { Problem } from '../../shared/errors.ts'
import { environment } from '../kit/environment.ts'

// A table on paper, with its headings on every page. The function bundles the library and the fonts, and loads them
// only for a PDF. Manrope has Latin, Greek and Cyrillic letters; Noto Sans SC has all other letters.

export interface PdfCell {
  shown: string
  isNumber: boolean
}
interface PdfRow {
  cells: PdfCell[]
  isBold?: boolean
}

/** About a hundred pages. A longer report belongs in a sheet, which holds more. */
export const mostPdfRows = 5000

const [margin, gap, largest, smallest] = [36, 6, 8, 5.5]
const [ink, quiet, line, shade] = ['#17211c', '#5d6b64', '#c9d2cd', '#eef2f0']

type Font = 'manrope.ttf' | 'noto-sans-sc.ttf'
interface Run {
  font: Font
  text: string
}

/** Splits a text where its font changes. `has` returns whether Manrope contains a letter. */
export const runsOf = (text: string, has: (letter: string) => boolean): Run[] => {
  const runs: Run[] = []
  for (const letter of text) {
    const last = runs.at(-1)
    // A space keeps the font of the word before it, so that the space does not split the run.
    const font = letter === ' ' && last ? last.font : has(letter) ? 'manrope.ttf' : 'noto-sans-sc.ttf'
    if (last?.font === font) last.text += letter
    else runs.push({ font, text: letter })
  }
  return runs
}

interface TextOptions {
  width?: number
  align?: 'left' | 'right'
  lineBreak?: boolean
}

/** Measures and writes texts in more than one font. */
const writerOf = (paper: PDFKit.PDFDocument) => {
  const folder = environment('FONTS')
  const files = { 'manrope.ttf': join(folder, 'manrope.ttf'), 'noto-sans-sc.ttf': join(folder, 'noto-sans-sc.ttf') }
  let current: Font | undefined
  const use = (font: Font) => {
    if (font !== current) paper.font(files[font])
    current = font
    return paper
  }
  const { font } = (
    use('manrope.ttf') as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } }
  )._font
  const glyphs = new Map<string, boolean>()
  const has = (letter: string) => {
    const hasGlyph = glyphs.get(letter) ?? font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)
    glyphs.set(letter, hasGlyph)
    return hasGlyph
  }
  return {
    widthOf: (text: string): number =>
      runsOf(text, has).reduce((sum, run) => sum + use(run.font).widthOfString(run.text), 0),
    /** The height in the tallest font of the text, because that font decides the height of a line. */
    heightOf: (text: string, width: number): number =>
      Math.max(
        ...[...new Set(runsOf(text || ' ', has).map(({ font }) => font))].map(font =>
          use(font).heightOfString(text || ' ', { width }),
        ),
      ),
    write: (text: string, x: number, y: number, options: TextOptions): void => {
      const runs = runsOf(text, has)
      runs.forEach((run, at) => {
        const continued = at < runs.length - 1
        if (at === 0) use(run.font).text(run.text, x, y, { ...options, continued })
        else use(run.font).text(run.text, { ...options, continued })
      })
    },
  }
}

export const writePdf = async (
  rows: AsyncIterable<PdfRow>,
  { title, range, pageOf }: { title: string; range: string; pageOf: (page: number) => string },
): Promise<Uint8Array> => {
  const all: PdfRow[] = []
  for await (const row of rows) {
    // Allow two more rows: the headings and the total.
    if (all.length >= mostPdfRows + 2) throw new Problem(60070)
    all.push(row)
  }
  const { default: Document } = await import('pdfkit')
  const paper = new Document({
    ...{ size: 'A4', layout: 'landscape', margin, info: { Title: `${title} ${range}` } },
    // Without a font, pdfkit reads its default font from a file that is not in the bundle.
    font: join(environment('FONTS'), 'manrope.ttf'),
  })
  const packed: Buffer[] = []
  paper.on('data', (chunk: Buffer) => packed.push(chunk))
  const ended = new Promise<void>((resolve, reject) => {
    paper.on('end', resolve)
    paper.on('error', reject)
  })
  const { widthOf, heightOf: heightOfText, write } = writerOf(paper)

  const [headings = { cells: [] }, ...body] = all
  const width = paper.page.width - 2 * margin
  paper.fontSize(largest)
  // A heading wraps between its words, so that its column is as narrow as its values.
  const widestWord = (heading: string) => Math.max(...heading.split(' ').map(widthOf))
  const natural = headings.cells.map(({ shown }, column) =>
    Math.max(12, widestWord(shown), ...body.map(({ cells }) => widthOf(cells[column]?.shown ?? ''))),
  )
  const sum = natural.reduce((total, columnWidth) => total + columnWidth, 0)
  const room = width - gap * natural.length
  // Shrink the letters first. A cell that is still too wide wraps.
  const size = Math.max(smallest, Math.min(largest, largest * (room / sum)))
  const scale = room / sum
  const widths = natural.map(width => width * Math.max(scale, sum < room ? Math.min(scale, 1.6) : scale))
  const bottom = paper.page.height - margin - 14
  const padding = size * 0.35

  let page = 0
  let y = 0
  const heightOf = ({ cells }: PdfRow) =>
    Math.max(...cells.map(({ shown }, at) => heightOfText(shown, (widths[at] ?? 0) + 0.5))) + 2 * padding
  const put = (row: PdfRow, background?: string) => {
    const height = heightOf(row)
    const across = widths.reduce((total, width) => total + width + gap, 0)
    if (background) paper.rect(margin, y, across, height).fill(background)
    paper.fillColor(ink)
    let x = margin + gap / 2
    row.cells.forEach(({ shown, isNumber }, at) => {
      const cellWidth = widths[at] ?? 0
      if (shown) write(shown, x, y + padding, { width: cellWidth + 0.5, align: isNumber ? 'right' : 'left' })
      x += cellWidth + gap
    })
    y += height
    paper
      .moveTo(margin, y)
      .lineTo(margin + across, y)
      .lineWidth(0.4)
      .strokeColor(line)
      .stroke()
  }
  const begin = () => {
    if (page > 0) paper.addPage()
    page++
    paper.fontSize(11).fillColor(ink)
    write(title, margin, margin - 8, { lineBreak: false })
    paper.fontSize(8).fillColor(quiet)
    write(range, margin, margin + 8, { lineBreak: false })
    const foot = pageOf(page)
    write(foot, paper.page.width - margin - widthOf(foot), margin + 8, { lineBreak: false })
    paper.fontSize(size)
    y = margin + 26
    put(headings, shade)
  }
  begin()
  for (const row of body) {
    if (y + heightOf(row) > bottom) begin()
    put(row, row.isBold ? shade : undefined)
  }
  paper.end()
  await ended
  return Buffer.concat(packed)
}
