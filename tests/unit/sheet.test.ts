import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import Papa from 'papaparse'
import { readSheet as readXlsx } from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import writeXlsx from 'write-excel-file/node'
import { pack, unpack } from '../../functions/kit/archive.ts'
import { type Cell, guard, toDay, unguard, writeSheet } from '../../functions/kit/sheet.ts'
import { readSheet } from '../../functions/kit/sheet-read.ts'
import { columnOf, wordsIn } from '../../functions/kit/sheet-words.ts'
import { sheetTypes } from '../../shared/task.ts'

const text = (words: string) => Buffer.from(words)
const rowsOf = (bytes: Uint8Array) => readSheet(bytes).rows
const fault = (bytes: Uint8Array) => {
  try {
    return readSheet(bytes).rows
  } catch (error) {
    return (error as { code: number }).code
  }
}
const [unreadable, tooLarge] = [60040, 60002]
const startsFormula = /^[=+\-@＝＋－＠\p{Cc}]/u

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relations = (...targets: [kind: string, target: string][]) =>
  `<Relationships>${targets.map(([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${office}/${kind}" Target="${target}"/>`).join('')}</Relationships>`

/** A workbook as other programs write one, of the parts a test is about. */
const workbook = (sheet: string, { texts = '', styles = '', book = '' } = {}) =>
  pack(
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
  )

describe('texts with separators', () => {
  const table = [
    ['first_name', 'workno'],
    ['Zoë', '007'],
    ['Γιώργος', '8'],
  ]
  const said = (separator: string) => table.map(row => row.join(separator)).join('\r\n')

  test('are read in every Unicode, with any separator Excel writes', () => {
    const utf16 = (words: string, mark = '\ufeff') => Buffer.from(mark + words, 'utf16le')
    for (const bytes of [
      text(said(',')),
      text(`\ufeff${said(';')}\r\n`),
      utf16(said('\t')),
      utf16(said(';')).swap16(),
      text(`sep=;\r\n${said(';')}`),
      text(said(',').replaceAll('\r\n', '\n')),
      text(said(',').replaceAll('\r\n', '\r')),
    ])
      expect(rowsOf(bytes)).toEqual(table)
  })

  test('keep zeros in front, cells with separators and line breaks, and empty cells', () => {
    expect(rowsOf(text('a,b,c\n"007","x, ""y""\nz",\n,,\n1,2,3\n\n'))).toEqual([
      ['a', 'b', 'c'],
      ['007', 'x, "y"\nz', ''],
      ['', '', ''],
      ['1', '2', '3'],
    ])
  })

  test('are read like a library reads them', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('', ' ', '"', 'a"b', 'x,y', 'x\ny', ';', '\t', '7'))
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }), rows => {
        const sent = [['one', 'two'], ...rows.map(row => row.map(cell => cell.replaceAll('\0', '').trim()))]
        const read = rowsOf(text(Papa.unparse(sent, { newline: '\n' })))
        const whole = sent.map(row => row.map(unguard))
        while (whole.at(-1)?.every(cell => cell === '')) whole.pop()
        expect(read).toEqual(whole)
      }),
    )
  })

  test('that are none are refused', () => {
    for (const bytes of [
      Buffer.from([0xe9, 0x74, 0xe9]),
      text(''),
      text('\n\n'),
      text('a\0b'),
      text('a,"b\nc'),
      text('a,"b"c'),
      Buffer.from([0xff, 0xfe, 0x00]),
    ])
      expect(fault(bytes)).toBe(unreadable)
  })

  test('of more than 10,000 rows or 2 MB are refused', () => {
    expect(readSheet(text(`n\n${'1\n'.repeat(10_000)}`)).rows).toHaveLength(10_001)
    expect(fault(text(`n\n${'1\n'.repeat(10_001)}`))).toBe(tooLarge)
    expect(fault(text(','.repeat(100)))).toBe(tooLarge)
    expect(fault(Buffer.alloc(2 * 1024 * 1024 + 1, 'a'))).toBe(tooLarge)
  })
})

describe('workbooks', () => {
  test('show texts, numbers, truths, days and what formulas came to', () => {
    const sheet = `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="B1" t="inlineStr"><is><t>In &amp; out</t></is></c></row>
      <row r="3"><c r="A3" t="str"><f>1&amp;2</f><v>12</v></c><c r="B3"><f>A1+1</f><v>41.5</v></c><c r="D3" t="b"><v>1</v></c></row>
      <row r="4"><c r="A4" s="1"><v>46037</v></c><c r="B4" s="2"><v>46037.75</v></c><c r="C4" s="3"><v>46037</v></c><c r="D4" t="e"><v>#N/A</v></c></row>
      <row r="5"><c r="A5"><v>3.06912345678E11</v></c><c r="B5" t="d"><v>2026-01-15T00:00:00</v></c><c r="C5" s="1"/></row><row r="20000" s="1"/>`
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode='#,##0.00 "days"'/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
    const texts =
      '<si><t>zero</t></si><si><r><t>Rich </t></r><r><t xml:space="preserve">_x0041_&#233;&#x1F642;</t></r><rPh><t>no</t></rPh></si>'
    expect(rowsOf(workbook(sheet, { styles, texts }))).toEqual([
      ['Rich Aé🙂', 'In & out'],
      [],
      ['12', '41.5', '', 'TRUE'],
      ['2026-01-15', '2026-01-15T18:00:00', '46037', '#N/A'],
      ['306912345678', '2026-01-15'],
    ])
  })

  test('of the other calendar, and with other names for everything', () => {
    const styles = '<x:cellXfs><x:xf numFmtId="14"/></x:cellXfs>'
    const sheet =
      '<x:row><x:c s="0"><x:v>44575</x:v></x:c><x:c t="inlineStr"><x:is><x:t><![CDATA[<b>]]></x:t></x:is></x:c></x:row>'
    expect(rowsOf(workbook(sheet, { styles, book: "<workbookPr date1904='true'/>" }))).toEqual([['2026-01-15', '<b>']])
  })

  test('are read like a library reads them, and written so that it can', async () => {
    const words = fc.string({ unit: 'grapheme' }).map(word => word.replace(/[\p{Cc}\ufffe\uffff]/gu, ''))
    const cell = fc.oneof(words, fc.constantFrom('a&b<c>', '"', '007'), fc.integer())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async rows => {
          const shown = (value: unknown) => (value === null || value === undefined ? '' : String(value).trim())
          /** Without what is empty at the end of rows and of the sheet. */
          const bare = (list: string[][]) => {
            const whole = list.map(row => row.slice(0, row.findLastIndex(value => value !== '') + 1))
            return whole.slice(0, whole.findLastIndex(row => row.length > 0) + 1)
          }
          const sent = bare([['head'], ...rows.map(row => row.map(value => shown(value)))])
          const theirs = await writeXlsx(
            [['head'], ...rows].map(row => row.map(value => (value === '' ? null : value))),
          ).toBuffer()
          expect(bare(rowsOf(theirs))).toEqual(sent.map(row => row.map(unguard)))

          const ours = writeSheet('xlsx', { headings: ['head'], rows, dateFormat: 'DD/MM/YYYY' })
          const read = (await readXlsx(Buffer.from(ours))).map(row => row.map(shown))
          expect(bare(read)).toEqual(
            bare([
              ['head'],
              ...rows.map(row => row.map(value => (typeof value === 'number' ? shown(value) : shown(guard(value))))),
            ]),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test('that are none, damaged or encrypted are refused', () => {
    const whole = workbook('<row r="1"><c r="A1"><v>1</v></c></row>')
    expect(rowsOf(whole)).toEqual([['1']])
    for (const bytes of [
      whole.subarray(0, whole.length - 30),
      whole.subarray(30),
      text('PK is no archive'),
      Buffer.from('504b0506'.padEnd(44, '0'), 'hex'),
      pack([['readme.txt', text('hello')]]),
      workbook('<row r="1"><c r="A1"><v>1</v></row><'),
      workbook('<!DOCTYPE x [<!ENTITY lol "lol">]><row r="1"><c r="A1" t="str"><v>&lol;</v></c></row>'),
      workbook('<row r="1"><c r="A&#49;"><v>1</v></c><c r="1A"><v>1</v></c></row>'),
    ])
      expect(fault(bytes), Buffer.from(bytes).toString('latin1').slice(0, 60)).toBe(unreadable)
    const encrypted = Buffer.from(whole)
    for (
      let at = encrypted.indexOf('PK\x01\x02', 0, 'latin1');
      at > 0;
      at = encrypted.indexOf('PK\x01\x02', at + 1, 'latin1')
    )
      encrypted.writeUInt16LE(1, at + 8)
    expect(fault(encrypted)).toBe(unreadable)
  })

  test('that are small and hold something large are refused before that is made', () => {
    const cell = (place: string) =>
      `<row r="1"><c r="A1"><v>1</v></c></row><row r="${/\d+/.exec(place)?.[0]}"><c r="${place}"><v>1</v></c></row>`
    for (const place of ['A1048576', 'XFD2', 'A10002', 'BM2']) expect(fault(workbook(cell(place)))).toBe(tooLarge)
    expect(fault(workbook(cell('BL10001')))).toHaveLength(10_001)

    const bomb = pack([['xl/worksheets/sheet1.xml', Buffer.alloc(64 * 1024 * 1024)]])
    expect(bomb.length).toBeLessThan(100_000)
    expect(fault(bomb)).toBe(unreadable)
    // One that says it holds little: it ends where it said it would.
    const liar = Buffer.from(bomb)
    for (const mark of ['PK\x01\x02', 'PK\x03\x04']) {
      const at = liar.indexOf(mark, 0, 'latin1')
      liar.writeUInt32LE(1000, at + (mark === 'PK\x01\x02' ? 24 : 22))
    }
    expect(fault(liar)).toBe(unreadable)
    expect(fault(pack(Array.from({ length: 300 }, (_, i) => [`xl/${i}.xml`, text('')])))).toBe(unreadable)
  })

  test('that are junk never take long and never throw anything else', () => {
    const tags = fc.constantFrom(
      '<',
      '>',
      '</',
      '/>',
      '<c',
      '<row',
      '<v>',
      '"',
      "'",
      '<!--',
      '<![CDATA[',
      '<?',
      'r="A1"',
      'a',
      ' ',
      '&',
      '=',
    )
    fc.assert(
      fc.property(fc.array(tags, { maxLength: 40 }), parts => {
        const found = fault(workbook(parts.join('')))
        expect(Array.isArray(found) || found === unreadable || found === tooLarge).toBe(true)
      }),
      { numRuns: 300 },
    )
    for (const part of ['<!--', '<a', 'a', '<a "', "<a '", '<![CDATA[', '<?', '<c r="', '&amp', '<a b="c" '])
      fault(workbook(part.repeat(4_000_000 / part.length)))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), bytes => void fault(Buffer.concat([text('PK\x03\x04'), bytes]))),
    )
  })
})

test('archives hold what was put in', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ minLength: 1 }).map(name => name.toWellFormed()),
        fc.uint8Array(),
      ),
      files => {
        const found = unpack(pack(Object.entries(files)), { mostFiles: 100, mostBytes: 100_000 })
        expect(found).toEqual(new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)])))
      },
    ),
  )
  expect(unpack(pack([['a', deflateRawSync(text('b'))]]), { mostFiles: 1, mostBytes: 1 })).toBeUndefined()
})

describe('formulas', () => {
  const dangerous = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\0', '＝', '＋', '－', '＠')
  const names = fc.oneof(
    fc.string(),
    fc.tuple(dangerous, fc.string()).map(([first, rest]) => first + rest),
    fc.constant("'=1"),
  )

  test('no cell of any name begins one, and every name is read as it was', () => {
    fc.assert(
      fc.property(names, name => {
        expect(guard(name)).not.toMatch(startsFormula)
        expect(unguard(guard(name))).toBe(name)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(sheetTypes)('a %s holds none, and comes back as it was', type => {
    fc.assert(
      fc.property(fc.array(names, { minLength: 1 }), column => {
        const clean = column.map(name =>
          name
            .replace(/[\p{Cc}\ufffe\uffff]/gu, '')
            .trim()
            .toWellFormed(),
        )
        const bytes = writeSheet(type, {
          headings: ['name'],
          rows: clean.map(name => [name, 'x']),
          dateFormat: 'YYYY-MM-DD',
        })
        expect(rowsOf(bytes).slice(1)).toEqual(clean.map(name => [name, 'x']))
        const raw =
          type === 'csv'
            ? Buffer.from(bytes).toString()
            : Buffer.from(
                unpack(bytes, { mostFiles: 9, mostBytes: 1e7 })?.get('xl/worksheets/sheet1.xml') ?? [],
              ).toString()
        expect(raw).not.toMatch(/<f[ >]/)
        if (type === 'csv')
          for (const [cell = ''] of Papa.parse<string[]>(raw.slice(1)).data) expect(cell).not.toMatch(startsFormula)
      }),
      { numRuns: 300 },
    )
  })
})

test('a sheet has typed cells where the file knows types', async () => {
  const row: Cell[] = ['Ann', 7, { day: '2026-02-28' }, undefined, '007']
  const sheet = { headings: ['a', 'b', 'c', 'd', 'e'], rows: [row], dateFormat: 'DD/MM/YYYY' }
  const [, read] = await readXlsx(Buffer.from(writeSheet('xlsx', sheet)))
  expect(read).toEqual(['Ann', 7, new Date('2026-02-28T00:00:00Z'), null, '007'])
  const csv = Buffer.from(writeSheet('csv', sheet)).toString()
  expect(csv).toBe('\ufeffa,b,c,d,e\r\nAnn,7,2026-02-28,,007\r\n')
})

test('days are understood in their company’s format, as ISO dates, and not guessed', () => {
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
  fc.assert(
    fc.property(fc.date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true }), at => {
      const day = at.toISOString().slice(0, 10)
      const [year, month, date] = day.split('-')
      expect(toDay(`${date}/${month}/${year}`, 'DD/MM/YYYY')).toBe(day)
      expect(toDay(`${month}/${date}/${year}`, 'MM/DD/YYYY')).toBe(day)
      const bytes = writeSheet('xlsx', { headings: ['day'], rows: [[{ day }]], dateFormat: 'MM/DD/YYYY' })
      expect(rowsOf(bytes)[1]).toEqual([day])
    }),
    { numRuns: 200 },
  )
})

test('no heading means two columns, in whatever languages', () => {
  const meanings = new Map<string, string>()
  for (const language of ['en', 'zh', 'es', 'el'])
    for (const [column, heading] of Object.entries(wordsIn(language).columns))
      for (const word of [heading, column]) {
        expect(meanings.get(word.toLowerCase()) ?? column, word).toBe(column)
        meanings.set(word.toLowerCase(), column)
        expect(columnOf(` ${word.toUpperCase()} `)).toBe(column)
      }
})
