import fc from 'fast-check'
import { unzipSync, Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { departmentFinder } from '../../functions/department/name.ts'
import { readTable } from '../../functions/sheet/import.ts'
import { readSheet } from '../../functions/sheet/read.ts'
import { columnOf, wordsIn } from '../../functions/sheet/words.ts'
import { countTags } from '../../functions/sheet/workbook.ts'
import { letterOf } from '../../functions/sheet/workbook-write.ts'
import { type Cell, guard, toDay, unguard, writeSheet } from '../../functions/sheet/write.ts'
import { text as line } from '../../shared/contract.ts'
import { joinNames, splitNames } from '../../shared/name-list.ts'
import { sheetTypes } from '../../shared/task.ts'

const text = (words: string) => Buffer.from(words)
const rowsOf = async (bytes: Uint8Array) => (await readSheet(bytes)).rows
const rowsOrError = (bytes: Uint8Array) => rowsOf(bytes).catch((error: { code: number }) => error.code)
const [unreadable, tooLarge] = [60040, 60045]
const startsFormula = /^[=+\-@＝＋－＠\p{Cc}]/u

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relations = (...targets: [kind: string, target: string][]) =>
  `<Relationships>${targets.map(([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${office}/${kind}" Target="${target}"/>`).join('')}</Relationships>`

/** A workbook as other programs write it, with the parts under test. */
const workbook = (sheet: string, { texts = '', styles = '', book = '' } = {}) =>
  zipSync(
    Object.fromEntries(
      Object.entries({
        '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
        'xl/workbook.xml': `<workbook ${main} xmlns:r="${office}">${book}<sheets><sheet name="People" sheetId="4" r:id="rId1"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': relations(
          ['worksheet', 'worksheets/sheet1.xml'],
          ['styles', 'styles.xml'],
          ['sharedStrings', '/xl/sharedStrings.xml'],
        ),
        'xl/styles.xml': `<styleSheet ${main}>${styles}</styleSheet>`,
        'xl/sharedStrings.xml': `<sst ${main}>${texts}</sst>`,
        'xl/worksheets/sheet1.xml': `<worksheet ${main}><sheetData>${sheet}</sheetData></worksheet>`,
      }).map(([name, content]) => [name, text(content)]),
    ),
  )

describe('texts with separators', () => {
  const table = [
    ['first_name', 'workno'],
    ['Zoë', '007'],
    ['Γιώργος', '8'],
  ]
  const joinTable = (separator: string) => table.map(row => row.join(separator)).join('\r\n')

  test('are read in every Unicode encoding, with any separator of Excel', async () => {
    const utf16 = (words: string, mark = '\ufeff') => Buffer.from(mark + words, 'utf16le')
    for (const bytes of [
      text(joinTable(',')),
      text(`\ufeff${joinTable(';')}\r\n`),
      utf16(joinTable('\t')),
      utf16(joinTable(';')).swap16(),
      text(`sep=;\r\n${joinTable(';')}`),
      text(joinTable(',').replaceAll('\r\n', '\n')),
      text(joinTable(',').replaceAll('\r\n', '\r')),
      text(joinTable(',').replace('\r\n', '\n')),
    ])
      expect(await rowsOf(bytes)).toEqual(table)
  })

  test('keep leading zeros, cells with separators and line breaks, and empty cells', async () => {
    expect(await rowsOf(text('a,b,c\n"007","x, ""y""\nz",\n,,\n1,2,3\n\n'))).toEqual([
      ['a', 'b', 'c'],
      ['007', 'x, "y"\nz', ''],
      ['', '', ''],
      ['1', '2', '3'],
    ])
  })

  test('that are invalid are refused', async () => {
    for (const bytes of [
      Buffer.from([0xe9, 0x74, 0xe9]),
      text(''),
      text('\n\n'),
      text('a\0b'),
      Buffer.from([0xff, 0xfe, 0x00]),
    ])
      expect(await rowsOrError(bytes)).toBe(unreadable)
  })

  test('of more than 10,000 rows or 2 MB are refused', async () => {
    expect(await rowsOf(text(`n\n${'1\n'.repeat(10_000)}`))).toHaveLength(10_001)
    expect(await rowsOrError(text(`n\n${'1\n'.repeat(10_001)}`))).toBe(tooLarge)
    expect(await rowsOrError(text('a,'.repeat(129)))).toBe(tooLarge)
    expect(await rowsOrError(Buffer.alloc(2 * 1024 * 1024 + 1, 'a'))).toBe(tooLarge)
  })

  test('with mismatched quotes are read up to the mismatch, with its position', async () => {
    const unclosed = async (words: string) => {
      const { rows, unclosed } = await readSheet(text(words))
      return [rows.length, unclosed?.row, unclosed?.place, unclosed?.value]
    }
    expect(await unclosed('a,b\n1,2\n"3,4\n5,6\n7,8')).toEqual([2, 3, 0, '3,4\n5,6\n7,8'])
    expect(await unclosed('a,b\r\n"1\r\n2",3\r\n4,"5"6\r\n7,8')).toEqual([2, 3, 1, '5"6\n7,8'])
    expect(await unclosed('"a,b')).toEqual([0, 1, 0, 'a,b'])
  })

  test('full of junk are read or refused quickly', async () => {
    for (const part of ['"', 'a"', '"a" ', '"a"b,', '"",', ',', '\n', '"\n', '" "', '"",  "', ';\t,', '\r'])
      await rowsOrError(text(`a,b\n${part.repeat(2_000_000 / part.length)}`))
  })
})

describe('workbooks', () => {
  test('show texts, numbers, booleans, days and results of formulas', async () => {
    const sheet = `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>In &amp; out</t></is></c></row>
      <row r="3"><c r="A3" t="str"><f>1&amp;2</f><v>12</v></c><c r="B3"><f>A1+1</f><v>41.5</v></c><c r="D3" t="b"><v>1</v></c></row>
      <row r="4"><c r="A4" s="1"><v>46037</v></c><c r="B4" s="2"><v>46037.729166666664</v></c><c r="C4" s="3"><v>46037</v></c><c r="D4" t="e"><v>#N/A</v></c></row>
      <row r="5"><c r="A5"><v>3.06912345678E11</v></c><c r="B5" t="str"><v>007</v></c><c r="C5" s="1"/></row>
      <row r="9999" s="1"/><row r="20000"><c r="A20000" s="1"/><c r="XFD20000" s="1"/></row><row r="1048576" s="1"></row>`
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode='#,##0.00 "days"'/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
    const texts =
      '<si><t>zero</t></si><si><r><t>Rich </t></r><r><t xml:space="preserve">_x0041_&#233;&#x1F642;</t></r><rPh><t>no</t></rPh></si>'
    expect(await rowsOf(workbook(sheet, { styles, texts }))).toEqual([
      ['Rich Aé🙂', 'In & out', '', ''],
      ['', '', '', ''],
      ['12', '41.5', '', 'TRUE'],
      ['2026-01-15', '2026-01-15T17:30:00', '46037', '#N/A'],
      ['306912345678', '007', '', ''],
    ])
  })

  test('with the 1904 calendar and namespace prefixes are read', async () => {
    const styles = '<x:cellXfs><x:xf numFmtId="14"/></x:cellXfs>'
    const sheet =
      '<!-- By hand --><x:row><x:c s="0" r="A1"><x:v>44575</x:v></x:c><x:c r=\'B1\' t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row>'
    expect(await rowsOf(workbook(sheet, { styles, book: "<workbookPr date1904='1'/>" }))).toEqual([['2026-01-15', 'b']])
  })

  test('without cell references have their cells in sequence', async () => {
    const sheet = `<row><c><v>1</v></c><c s="0"/><c t="str"><v>c</v></c></row><x:row><x:c><x:v>2</x:v></x:c></x:row>
      <row r="5"><c><v>3</v></c><c r="D5"><v>4</v></c><c><v>5</v></c></row>`
    expect(await rowsOf(workbook(sheet))).toEqual([
      ['1', '', 'c', '', ''],
      ['2', '', '', '', ''],
      ['', '', '', '', ''],
      ['', '', '', '', ''],
      ['3', '', '', '4', '5'],
    ])
  })

  test('with one changed byte are refused', async () => {
    const parts = unzipSync(workbook('<row r="1"><c r="A1" t="str"><v>Ada</v></c></row>'))
    const archive = Buffer.from(zipSync(parts, { level: 0 }))
    expect(await rowsOf(archive)).toEqual([['Ada']])
    archive.write('Ida', archive.indexOf('Ada'))
    expect(await rowsOrError(archive)).toBe(unreadable)
  })

  test('that are invalid, damaged, encrypted or not fully supported are refused', async () => {
    const valid = workbook('<row r="1"><c r="A1"><v>1</v></c></row>')
    expect(await rowsOf(valid)).toEqual([['1']])
    const text1 = (content: string) => workbook(`<row r="1"><c r="A1" t="str"><v>${content}</v></c></row>`)
    for (const bytes of [
      valid.subarray(0, valid.length - 30),
      valid.subarray(30),
      text('PK is no archive'),
      Buffer.from('504b0506'.padEnd(44, '0'), 'hex'),
      zipSync({ 'readme.txt': text('hello') }),
      zipSync({ 'xl/workbook.xml': text('<workbook/>') }),
      workbook('<row r="1"><c r="A1"><v>1</v></row><'),
      workbook('<row r="1"><c r="A&#49;"><v>1</v></c></row>'),
      workbook('<row r="1"><c r="A1"><v>1</v><c r="1A"><v>1</v></c></row>'),
      workbook('<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'),
      workbook('<!DOCTYPE x [<!ENTITY lol "lol">]><row r="1"><c r="A1" t="str"><v>&lol;</v></c></row>'),
      text1('a<!-- b -->c'),
      text1('<![CDATA[b]]>'),
    ])
      expect(await rowsOrError(bytes), Buffer.from(bytes).toString('latin1').slice(0, 60)).toBe(unreadable)
  })

  test('that embed another workbook are read without the embedded workbook', async () => {
    const [outer, inner] = ['outer', 'inner'].map(word =>
      workbook(`<row r="1"><c r="A1" t="str"><v>${word}</v></c></row>`),
    )
    const chunks: Uint8Array[] = []
    const zip = new Zip((_, chunk) => void chunks.push(chunk))
    const add = (file: ZipDeflate | ZipPassThrough, bytes: Uint8Array) => {
      zip.add(file)
      file.push(bytes, true)
    }
    for (const [name, part] of Object.entries(unzipSync(outer ?? new Uint8Array()))) add(new ZipDeflate(name), part)
    add(new ZipPassThrough('xl/embeddings/inner.xlsx'), inner ?? new Uint8Array())
    zip.end()
    expect(await rowsOf(Buffer.concat(chunks))).toEqual([['outer']])
  })

  test('that are small but expand to a large sheet are refused before the expansion', async () => {
    const cell = (place: string) =>
      `<row r="1"><c r="A1"><v>1</v></c></row><row r="${/\d+/.exec(place)?.[0]}"><c r="${place}"><v>1</v></c></row>`
    for (const place of ['A1048576', 'XFD2', 'A10002', 'DY2', 'A9999999'])
      expect(await rowsOrError(workbook(cell(place)))).toBe(tooLarge)
    expect(await rowsOrError(workbook('<row r="1"><c r="A99999"><v>1</v></c></row>'))).toBe(tooLarge)
    expect(await rowsOrError(workbook('<row/>'.repeat(1_048_577)))).toBe(tooLarge)
    expect(await rowsOrError(workbook(cell('DX10001')))).toHaveLength(10_001)
    // The reader ignores other sheets.
    const { 'xl/worksheets/sheet1.xml': first, ...others } = unzipSync(workbook(cell('A2')))
    const second = unzipSync(workbook(cell('A20000')))['xl/worksheets/sheet1.xml']
    const both = { ...others, 'xl/worksheets/sheet1.xml': first ?? [], 'xl/worksheets/sheet2.xml': second ?? [] }
    expect(await rowsOrError(zipSync(both as Record<string, Uint8Array>))).toEqual([['1'], ['1']])
  })

  test('that are zip bombs are refused, also with a false size', async () => {
    const bomb = zipSync({ 'xl/worksheets/sheet1.xml': Buffer.alloc(64 * 1024 * 1024) })
    expect(bomb.length).toBeLessThan(100_000)
    expect(await rowsOrError(bomb)).toBe(tooLarge)
    const falseSize = Buffer.from(bomb)
    for (const mark of ['PK\x01\x02', 'PK\x03\x04']) {
      const at = falseSize.indexOf(mark, 0, 'latin1')
      falseSize.writeUInt32LE(1000, at + (mark === 'PK\x01\x02' ? 24 : 22))
    }
    expect(await rowsOrError(falseSize)).toBe(unreadable)
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`xl/${i}.xml`, text('')]))
    expect(await rowsOrError(zipSync(many))).toBe(tooLarge)
  })

  test('with far more tags than any program writes are refused', async () => {
    const million = 1_000_000
    const cell = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="0"><v>1</v></c></row>'
    for (const [sheet, more] of [
      ['<row/>'.repeat(3 * million), {}],
      ['<row r="1"/>'.repeat(2 * million), {}],
      ['<x:row></x:row>'.repeat(2 * million), {}],
      [`<row r="1">${'<c/>'.repeat(3 * million)}</row>`, {}],
      ['<a/>'.repeat(5 * million), {}],
      [cell, { texts: '<si/>'.repeat(5 * million) }],
      [cell, { styles: '<xf/>'.repeat(5 * million) }],
    ] as const) {
      const bytes = workbook(sheet, more)
      expect(bytes.length).toBeLessThan(100_000)
      expect(await rowsOrError(bytes)).toBe(tooLarge)
    }
  })

  test('are scanned only until they exceed a limit', () => {
    const limits = { mostRows: 10, mostColumns: 10, mostTags: 2_000_000 }
    expect(countTags('<a>1</a><row/>', limits)).toEqual({ tags: 3, isTooLarge: false })
    expect(countTags('<a/>'.repeat(2_000_001), limits)).toEqual({ tags: 2_000_001, isTooLarge: true })
    expect(countTags('<a/>'.repeat(3_000_000), limits)).toEqual({ tags: 2_000_001, isTooLarge: true })
    expect(countTags('<x:row r="1"/>'.repeat(1_500_000), limits)).toEqual({ tags: 1_048_577, isTooLarge: true })
    expect(countTags('<c/>'.repeat(1_000_000), limits)).toEqual({ tags: 101, isTooLarge: true })
  })

  test('of 10,000 rows in two megabytes are read in full', async () => {
    const places = Array.from({ length: 80 }, (_, at) => letterOf(at))
    const row = (at: number) =>
      `<row r="${at}" spans="1:80">${places.map(letter => `<c r="${letter}${at}" t="s"><v>0</v></c>`).join('')}</row>`
    const sheet = Array.from({ length: 10_001 }, (_, at) => row(at + 1)).join('')
    const read = await rowsOf(workbook(sheet, { texts: '<si><t>Day</t></si>' }))
    expect([read.length, read.at(-1)?.length, read.at(-1)?.at(-1)]).toEqual([10_001, 80, 'Day'])
  })

  test('with cells that share a long text stay within the limit of the archive', async () => {
    const row = (at: number) => `<row r="${at}"><c r="A${at}" t="s"><v>0</v></c><c r="B${at}" t="s"><v>0</v></c></row>`
    const texts = `<si><t>${'x'.repeat(200_000)}</t></si>`
    expect(await rowsOrError(workbook(Array.from({ length: 100 }, (_, at) => row(at + 1)).join(''), { texts }))).toBe(
      tooLarge,
    )
    expect(await rowsOrError(workbook(row(1), { texts }))).toHaveLength(1)
  })

  test('with number formats that no program writes are refused', async () => {
    const sheet = '<row r="1"><c r="A1" s="0"><v>46037</v></c></row>'
    const styles = (format: string, count = 1) => ({
      styles: `<numFmts>${`<numFmt numFmtId="164" formatCode="${format}"/>`.repeat(count)}</numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`,
    })
    expect(await rowsOrError(workbook(sheet, styles('['.repeat(2000))))).toBe(tooLarge)
    expect(await rowsOrError(workbook(sheet, styles('yyyy', 1001)))).toBe(tooLarge)
    expect(await rowsOf(workbook(sheet, styles(`yyyy/mm/dd${'\\ '.repeat(120)}`)))).toEqual([['2026-01-15']])
  })

  test('full of junk are read or refused quickly, with the declared errors only', async () => {
    const tags = fc.constantFrom(
      ...['<', '>', '</', '/>', '<c', '<row', '<v>', '"', "'", '<!--', '-->', '<![CDATA[', '<?', '?>'],
      ...['r="A1"', 'a', ' ', '&', '='],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(tags, { maxLength: 40 }), async parts => {
        const result = await rowsOrError(workbook(parts.join('')))
        expect(Array.isArray(result) || result === unreadable || result === tooLarge).toBe(true)
      }),
      { numRuns: 300 },
    )
    const parts = ['<!--', '<a', 'a', '<a "', "<a '", '<![CDATA[', '<?', '<c r="', '&amp', '<a b="c" ', '<a>', '</a>']
    for (const part of [
      ...parts,
      '<a b="',
      '<a b="c"/>',
      '<!-- > ',
      '<? > ',
      '<a b=">',
      ' ',
      '<c t="e" ',
      '<!---->',
      '<row/>',
      '<row r= ',
      '<xf xfId="1"/>',
    ])
      await rowsOrError(workbook(part.repeat(4_000_000 / part.length)))
    for (const attribute of [
      'y'.repeat(4_000_000),
      '" x="'.repeat(800_000),
      '" x="'.repeat(50_000),
      ' '.repeat(4_000_000),
    ])
      await rowsOrError(workbook(`<row r="1"><c r="A1" x="${attribute}"><v>1</v></c></row>`))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async bytes => {
        const result = await rowsOrError(Buffer.concat([text('PK\x03\x04'), bytes]))
        expect(result === unreadable || result === tooLarge).toBe(true)
      }),
    )
  })
})

describe('formulas', () => {
  const dangerous = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\0', '＝', '＋', '－', '＠')
  const names = fc.oneof(
    fc.string(),
    fc.tuple(dangerous, fc.string()).map(([first, rest]) => first + rest),
    fc.constant("'=1"),
  )

  test('no written cell begins a formula, and every name is read unchanged', () => {
    fc.assert(
      fc.property(names, name => {
        expect(guard(name)).not.toMatch(startsFormula)
        expect(unguard(guard(name))).toBe(name)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(sheetTypes)('a %s contains no formula, and is read unchanged', async type => {
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 1 }), async column => {
        const writableNames = column.map(name =>
          name
            .replace(/\p{Cc}/gu, '')
            .trim()
            .toWellFormed(),
        )
        const bytes = await writeSheet(type, {
          headings: ['name'],
          rows: writableNames.map(name => [name, 'x']),
          dateFormat: 'YYYY-MM-DD',
        })
        expect((await rowsOf(bytes)).slice(1)).toEqual(writableNames.map(name => [name, 'x']))
        const raw =
          type === 'csv'
            ? Buffer.from(bytes).toString()
            : Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? []).toString()
        expect(raw).not.toMatch(/<f[ >]/)
        if (type === 'csv')
          for (const [cell = ''] of Papa.parse<string[]>(raw.slice(1)).data) expect(cell).not.toMatch(startsFormula)
      }),
      { numRuns: 60 },
    )
  })
})

test('a sheet has typed cells if the file type supports types', async () => {
  const row: Cell[] = ['Ann', 7, { day: '2026-02-28' }, undefined, '007']
  const sheet = { headings: ['a', { day: '2026-03-01' }, 'c', 'd', 'e'], rows: [row], dateFormat: 'DD/MM/YYYY' }
  const parts = unzipSync(await writeSheet('xlsx', sheet))
  const cells = Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString()
  const typeOf = (place: string) => /\st="(\w+)"/.exec(new RegExp(`<c r="${place}"[^>]*>`).exec(cells)?.[0] ?? '')?.[1]
  expect(['A2', 'B2', 'C2', 'E2', 'B1'].map(typeOf)).toEqual([
    'inlineStr',
    undefined,
    undefined,
    'inlineStr',
    undefined,
  ])
  expect(Buffer.from(parts['xl/styles.xml'] ?? []).toString()).toContain('formatCode="dd/mm/yyyy"')
  const csv = Buffer.from(await writeSheet('csv', sheet)).toString()
  expect(csv).toBe('\ufeffa,01/03/2026,c,d,e\r\nAnn,7,28/02/2026,,007\r\n')
  for (const type of sheetTypes) {
    const rows = await rowsOf(await writeSheet(type, sheet))
    expect(rows.map(cells => cells.map(cell => toDay(cell, sheet.dateFormat)))).toEqual([
      ['a', '2026-03-01', 'c', 'd', 'e'],
      ['Ann', '7', '2026-02-28', '', '007'],
    ])
  }
})

test('toDay reads days in the company’s format and as ISO dates, and never guesses', async () => {
  const understood: [text: string, format: string, day: string][] = [
    ['2026-02-03', 'MM/DD/YYYY', '2026-02-03'],
    ['2026/2/3', 'DD/MM/YYYY', '2026-02-03'],
    ['2/3/2026', 'MM/DD/YYYY', '2026-02-03'],
    ['02.03.2026', 'DD/MM/YYYY', '2026-03-02'],
    ['29-2-2028', 'DD/MM/YYYY', '2028-02-29'],
  ]
  for (const [text, format, day] of understood) expect(toDay(text, format), text).toBe(day)
  for (const text of ['30/2/2026', '13/13/2026', '1/2/26', 'soon', '', '2026-02-30', '1/2026/3', '46037'])
    expect(toDay(text, 'DD/MM/YYYY')).toBe(text)
  await fc.assert(
    fc.asyncProperty(
      fc.date({ min: new Date('1900-03-01'), max: new Date('2999-12-31'), noInvalidDate: true }),
      async at => {
        const day = at.toISOString().slice(0, 10)
        const [year, month, date] = day.split('-')
        expect(toDay(`${date}/${month}/${year}`, 'DD/MM/YYYY')).toBe(day)
        expect(toDay(`${month}/${date}/${year}`, 'MM/DD/YYYY')).toBe(day)
        const bytes = await writeSheet('xlsx', { headings: ['day'], rows: [[{ day }]], dateFormat: 'MM/DD/YYYY' })
        expect((await rowsOf(bytes))[1]).toEqual([day])
      },
    ),
    { numRuns: 200 },
  )
})

test('in every language, each heading means one column only', () => {
  const meanings = new Map<string, string>()
  for (const language of ['en', 'zh', 'es', 'el'])
    for (const [column, heading] of Object.entries(wordsIn(language).columns))
      for (const word of [heading, column]) {
        expect(meanings.get(word.toLowerCase()) ?? column, word).toBe(column)
        meanings.set(word.toLowerCase(), column)
        expect(columnOf(` ${word.toUpperCase()} `)).toBe(column)
      }
})

test.each(sheetTypes)('a %s may have days as headings, as dates or text in the company’s format', async type => {
  const bytes = await writeSheet(type, {
    headings: ['workno', { day: '2026-03-01' }, '02/03/2026', '2026-03-03', 'Problems'],
    rows: [
      [7, 'Early', undefined, 'Late', 'mended'],
      ['007', undefined, '#REF!', undefined, undefined, 'stray'],
    ],
    dateFormat: 'DD/MM/YYYY',
  })
  const rows = await rowsOf(bytes)
  const noun = { columns: ['workno'], required: ['workno'], hasDays: true } as const
  expect(readTable(rows, noun, 'DD/MM/YYYY')).toMatchObject({
    rows: [
      { row: 2, cells: { workno: '7', '2026-03-01': 'Early', '2026-03-03': 'Late' } },
      { row: 3, cells: { workno: '007', '2026-03-02': '#REF!' } },
    ],
    ofHeadings: [],
    ofCells: [
      { row: 3, field: '2026-03-02', code: 10002, value: '#REF!' },
      { row: 3, field: 'F', code: 60042, value: 'stray' },
    ],
  })
  const { ofHeadings } = readTable([['workno', '01/03/2026', '2026-03-01', '30/02/2026']], noun, 'DD/MM/YYYY')
  expect(ofHeadings.map(({ field, code }) => [field, code])).toEqual([
    ['2026-03-01', 60003],
    ['30/02/2026', 60042],
  ])
  const { columns, required } = noun
  expect(readTable(rows, { columns, required }, 'DD/MM/YYYY').ofHeadings).toHaveLength(3)
})

test.each(sheetTypes)('the import of a %s finds every exported department name, alone and in lists', async type => {
  const names = fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('constructor', '__proto__', 'valueOf'),
      fc.string({ unit: fc.constantFrom(';', '"', "'", ' ', ',', '/', '=', '\\', 'a', 'B', '_x0041_', '\ufffd') }),
    )
    .map(name => line(100).safeParse(name.toWellFormed()).data)
    .filter(name => name !== undefined)
  const departments = fc
    .uniqueArray(names, { minLength: 1, maxLength: 8, selector: name => name.toLowerCase() })
    .map(list => list.map((name, i) => ({ id: `id${i}`, name })))
  await fc.assert(
    fc.asyncProperty(departments, async list => {
      const bytes = await writeSheet(type, {
        headings: ['department', 'departments'],
        rows: list.map(({ name }, i) => [name, joinNames(list.slice(i).map(other => other.name))]),
        dateFormat: 'YYYY-MM-DD',
      })
      const find = departmentFinder(list)
      const [, ...read] = await rowsOf(bytes)
      const found = read.map(([name = '', others = '']) => [find(name), splitNames(others).map(find)])
      expect(found).toEqual(list.map(({ id }, i) => [id, list.slice(i).map(other => other.id)]))
    }),
    { numRuns: type === 'csv' ? 300 : 60 },
  )
})
