import { expect, test } from 'vitest'
import { isDay } from '../../shared/local-day.ts'

test('isDay accepts only days that exist in the calendar', () => {
  expect(['2026-11-22', '2024-02-29'].filter(day => !isDay(day))).toEqual([])
  const invalid = [
    '',
    'x',
    '2026-99-99',
    '2026-02-29',
    '2026-02-30',
    '2026-2-3',
    '0000-00-00',
    '9999-99-99',
    '2026-11-22T00',
  ]
  expect(invalid.filter(isDay)).toEqual([])
})
