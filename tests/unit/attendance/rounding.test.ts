import { expect, test } from 'vitest'
import type { RoundingMode } from '../../../shared/attendance/rounding.ts'
import { asHours, roundMinutes, sumRounded } from '../../../shared/attendance/rounding.ts'

const [down, up, nearest] = [0, 1, 2] satisfies RoundingMode[]

test.each([
  [487, down, 15, 480],
  [487, up, 15, 495],
  [480, up, 30, 480],
  [37, nearest, 15, 30],
  [38, nearest, 15, 45],
  [15, nearest, 30, 30],
  [14, nearest, 30, 0],
  [37, nearest, 0, 37],
  [37, up, 1, 37],
  [0, up, 15, 0],
  [1, up, 15, 15],
] as [number, RoundingMode, number, number][])('%i min, mode %i, unit %i prints %i', (minutes, mode, unit, printed) => {
  expect(roundMinutes(minutes, { mode, unit })).toBe(printed)
})

test('a total adds the rounded days, so it equals the sum of the printed days', () => {
  expect(sumRounded([7, 8, 23], { mode: 2, unit: 15 })).toBe(0 + 15 + 30)
  expect(sumRounded([], { mode: 1, unit: 15 })).toBe(0)
})

test('hours are minutes divided by 60, with 2 decimals', () => {
  expect([0, 20, 90, 487].map(asHours)).toEqual(['0.00', '0.33', '1.50', '8.12'])
})
