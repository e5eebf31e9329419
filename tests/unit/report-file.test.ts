import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readWorkbook } from '../../functions/sheet/workbook.ts'
import { sheetName, type WorkbookLook, type WorkbookRow, writeWorkbook } from '../../functions/sheet/workbook-write.ts'
import { writeSheet } from '../../functions/sheet/write.ts'
import { csvFormatOf, csvNumber } from '../../shared/csv-format.ts'
import { dailyColumns } from '../../shared/report/column.ts'
import type { DailyRow } from '../../shared/report/row.ts'

// Report files hold real values in workbooks, and the separators of the company's country in CSV files.

const limits = { mostRows: 1000, mostColumns: 50, mostTags: 100_000, mostFiles: 20, mostBytes: 10_000_000 }
const look: WorkbookLook = { name: 'Daily report', dateFormat: 'DD/MM/YYYY' }
const partsOf = async (rows: WorkbookRow[], changes: Partial<WorkbookLook> = {}) => {
  const bytes = await writeWorkbook(rows, { ...look, ...changes })
  const parts = Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([name, part]) => [name, Buffer.from(part).toString()]),
  )
  const [sheet = '', styles = '', workbook = ''] = ['worksheets/sheet1', 'styles', 'workbook'].map(
    name => parts[`xl/${name}.xml`],
  )
  return { bytes, sheet, styles, workbook }
}
const headings: WorkbookRow = { cells: [{ text: 'Employee' }, { text: 'Out' }], isBold: true }
const night: WorkbookRow = { cells: [{ text: 'Ann Long-Lastname' }, { time: 375, daysOff: 1 }] }
const total: WorkbookRow = { cells: [{ text: 'Total' }], isBold: true }

/** The value and the number format of a cell. */
const formatOf = ({ sheet, styles }: { sheet: string; styles: string }, place: string) => {
  const [, style = '0', value] = new RegExp(`<c r="${place}" s="(\\d+)"><v>([^<]*)`).exec(sheet) ?? []
  const cells = styles.slice(styles.indexOf('<cellXfs'))
  const number = [...cells.matchAll(/<xf numFmtId="(\d+)"/g)][Number(style)]?.[1]
  return { value: Number(value), format: new RegExp(`numFmtId="${number}" formatCode="([^"]*)"`).exec(styles)?.[1] }
}

describe('a workbook', () => {
  test('holds times of day as times, in the hours of the company, and marks another day', async () => {
    const cells: WorkbookRow[] = [-1, 0, 1, 2].map(daysOff => ({ cells: [{ time: 375, daysOff: daysOff as 0 }] }))
    const of24 = await partsOf(cells)
    const of12 = await partsOf(cells, { is12Hours: true })
    for (const [row, mark] of ['&quot; -1&quot;', '', '&quot; +1&quot;', '&quot; +2&quot;'].entries()) {
      expect(formatOf(of24, `A${row + 1}`)).toEqual({ value: 375 / 1440, format: `hh:mm${mark}` })
      expect(formatOf(of12, `A${row + 1}`)).toEqual({ value: 375 / 1440, format: `hh:mm AM/PM${mark}` })
    }
    const rows = await readWorkbook(of24.bytes, limits)
    expect(rows).toEqual([['06:15'], ['06:15'], ['06:15'], ['06:15']])
  })

  test('holds days, hours and minutes, and decimals as numbers', async () => {
    const parts = await partsOf([
      { cells: [{ day: '2026-02-28' }, { clock: 1650 }, { number: 7.5, decimals: 2 }, { text: '007' }] },
    ])
    expect(formatOf(parts, 'A1')).toEqual({ value: 46081, format: 'dd/mm/yyyy' })
    expect(formatOf(parts, 'B1')).toEqual({ value: 1650 / 1440, format: '[h]:mm' })
    expect(formatOf(parts, 'C1')).toEqual({ value: 7.5, format: '0.00' })
    expect(parts.sheet).toContain('<c r="D1" t="inlineStr"><is><t xml:space="preserve">007</t></is></c>')
  })

  test('has a name, frozen and repeated headings, a filter without the total, and pages in landscape', async () => {
    const { sheet, workbook, styles } = await partsOf([headings, night, night, total], { name: "Hours 'A/B' [x]: all" })
    expect(workbook).toContain(`<sheet name="Hours 'A B' x all"`)
    expect(workbook).toContain(`localSheetId="0">'Hours ''A B'' x all'!$1:$1<`)
    expect(sheet).toContain('<autoFilter ref="A1:B3"/>')
    expect(sheet).toContain('state="frozen"')
    expect(sheet).toMatch(/<pageSetup [^>]*orientation="landscape" fitToWidth="1" fitToHeight="0"/)
    expect(sheet).toContain('<pageSetUpPr fitToPage="1"/>')
    expect(styles).toContain('<cellStyle name="Normal" xfId="0" builtinId="0"/>')
  })

  test('without headings has no filter and no frozen row', async () => {
    const { sheet, workbook } = await partsOf([night], { hasHeadings: false })
    expect(sheet).not.toMatch(/autoFilter|frozen/)
    expect(workbook).not.toContain('definedName')
  })

  test('has columns as wide as their values, also after many rows and for Chinese names', async () => {
    const widthsOf = (sheet: string) =>
      [...sheet.matchAll(/<col [^>]* width="(\d+)"/g)].map(([, width]) => Number(width))
    expect(widthsOf((await partsOf([headings, night])).sheet)).toEqual([18, 9])
    const many = Array.from({ length: 1000 }, () => night)
    const { sheet, bytes } = await partsOf([headings, ...many])
    expect(widthsOf(sheet)).toEqual([18, 9])
    expect(await readWorkbook(bytes, { ...limits, mostRows: 2000 })).toHaveLength(1001)
    expect(
      widthsOf((await partsOf([{ cells: [{ text: '打卡记录打卡记录' }] }], { hasHeadings: false })).sheet),
    ).toEqual([17])
    expect(widthsOf((await partsOf([{ cells: [{ text: 'x'.repeat(500) }] }])).sheet)).toEqual([48])
  })

  test('keeps a phone number as it is, and a CSV guards it', async () => {
    const sheet = { headings: ['tel'], rows: [['+30 210']], dateFormat: 'YYYY-MM-DD' }
    const parts = unzipSync(await writeSheet('xlsx', sheet))
    expect(Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString()).toContain('>+30 210<')
    expect(Buffer.from(await writeSheet('csv', sheet)).toString()).toBe("\ufefftel\r\n'+30 210\r\n")
  })
})

test('the name of a sheet is never empty or too long', () => {
  expect(sheetName('')).toBe('Sheet1')
  expect(sheetName("'/'")).toBe('Sheet1')
  expect(sheetName('x'.repeat(40))).toHaveLength(31)
})

describe('a CSV', () => {
  test.each([
    ['GR', 'en', ';'],
    ['ES', 'zh', ';'],
    ['DE', 'en', ';'],
    ['US', 'el', ','],
    ['MX', 'es', ','],
    ['CN', 'es', ','],
    ['Hellas', 'el', ';'],
    [undefined, 'es', ';'],
    [undefined, 'en', ','],
    [undefined, 'zh', ','],
  ])('of a company in %s, in %s, separates with %s', (country, language, separator) => {
    const format = csvFormatOf({ country }, language)
    expect(format).toEqual({ separator, decimalSign: separator === ';' ? ',' : '.' })
    expect(csvNumber(7.5, 2, format)).toBe(separator === ';' ? '7,50' : '7.50')
  })

  test('with semicolons has decimal commas, and quotes only what needs it', async () => {
    const sheet = { headings: ['a', 'b'], rows: [['x;y', 36.5]], dateFormat: 'YYYY-MM-DD' }
    const bytes = await writeSheet('csv', { ...sheet, csv: csvFormatOf({ country: 'GR' }, 'en') })
    expect(Buffer.from(bytes).toString()).toBe('\ufeffa;b\r\n"x;y";36,5\r\n')
  })
})

test('the day of a clock-out is the local day in the zone of the row', () => {
  const { of } = dailyColumns.outDay as { of: (row: DailyRow) => unknown }
  const row = { timezone: 'Europe/Athens', day: '2026-02-02' } as DailyRow
  expect(of({ ...row, lastOut: '2026-02-02T22:30:00Z' })).toBe('2026-02-03')
  expect(of(row)).toBeUndefined()
})
