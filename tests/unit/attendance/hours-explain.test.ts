import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCase } from '../../../infra/local/attendance/case.ts'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { explainHours } from '../../../shared/attendance/hours/explain.ts'
import { splitHours } from '../../../shared/attendance/hours/split.ts'

test('an explanation names the clock times, the kind and the conditions of each piece', () => {
  const cases = JSON.parse(readFileSync('tests/given/hours.json', 'utf8'))
  const tiers = cases.find(({ id }: { id: string }) => id === 'day-tiers')
  const input = readCase(tiers)
  const [row] = calculate(input)
  if (!row) throw new Error('the case has no row')
  const context = { firstWeekday: 1, splitTime: '00:00', holidays: [] }
  const hours = splitHours([row], tiers.hours, context).get(row)
  if (!hours) throw new Error('the row has no kinds')
  const texts = explainHours(hours, tiers.hours, row.zone, dayNumber(row.day)).map(
    ({ from, to, kind, reasons }) =>
      `${from}-${to} ${kind}: ${reasons.map(({ condition, values }) => [condition, ...Object.values(values)].join(' '))}`,
  )
  expect(texts).toEqual([
    '06:00-12:00 N: otherwise',
    '12:30-14:30 N: otherwise',
    '14:30-18:30 OT1: dayOver 480',
    '18:30-20:00 OT2: dayOver 720',
  ])
})
