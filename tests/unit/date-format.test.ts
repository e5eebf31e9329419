import { expect, test } from 'vitest'
import { dayOf, writeSheet } from '../../functions/sheet/write.ts'
import { dateFormats } from '../../shared/company.ts'
import { formatDay } from '../../shared/date-format.ts'
import { addDays } from '../../shared/local-day.ts'

test.each([
  ['MM/DD/YYYY', '11/03/2026'],
  ['DD/MM/YYYY', '03/11/2026'],
  ['YYYY-MM-DD', '2026-11-03'],
])('a day in the format %s is %s', (dateFormat, formatted) => {
  expect(formatDay('2026-11-03', dateFormat)).toBe(formatted)
})

test.each(Object.values(dateFormats))(
  'a CSV shows days as %s, and the import reads every day of a year',
  async dateFormat => {
    const days = Array.from({ length: 366 }, (_, at) => addDays('2028-01-01', at))
    const bytes = await writeSheet('csv', { headings: ['Day'], rows: days.map(day => [{ day }]), dateFormat })
    const lines = Buffer.from(bytes).toString('utf8').trim().split('\r\n').slice(1)
    expect(lines[2]).toBe(formatDay('2028-01-03', dateFormat))
    expect(lines.map(line => dayOf(line, dateFormat))).toEqual(days)
  },
)
