import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, countDays, daysBetween } from '../../shared/local-day.ts'
import { cellOn, expandRotation, type Rotation } from '../../shared/rotation.ts'

// Cells are indexes into a list of shifts, as in a plan. null leaves a day unchanged. An empty list makes a day off.

type Cell = number[] | null
const cell: fc.Arbitrary<Cell> = fc.option(fc.uniqueArray(fc.nat(99), { maxLength: 3 }))
const weeks = fc.array(fc.array(cell, { minLength: 7, maxLength: 7 }), { minLength: 1, maxLength: 8 })
/** Days over eight years, with clock changes, leap days and ends of years. */
const day = fc.nat(366 * 8).map(count => addDays('2023-12-25', count))
const rotation: fc.Arbitrary<Rotation<Cell>> = fc.record({ weeks, starts: day, step: fc.nat(20) })
const range = fc.tuple(day, fc.integer({ min: 1, max: 366 })).map(([from, count]) => ({
  from,
  until: addDays(from, count - 1),
}))

describe('a rotation', () => {
  test('has one cell for each day from its first day', () => {
    const [a, b, free]: Cell[] = [[0], [1], []]
    const example = {
      weeks: [
        [a, a, a, a, a, free, free],
        [b, b, b, null, null, b, b],
      ],
      starts: '2026-10-19',
    }
    // The range includes the night in which Europe's clocks go back.
    expect(expandRotation(example, '2026-10-23', '2026-11-03')).toEqual([
      ...[a, free, free],
      ...[b, b, b, null, null, b, b],
      ...[a, a],
    ])
    expect(expandRotation({ ...example, step: 1 }, '2026-10-19', '2026-10-20')).toEqual([b, b])
    expect(expandRotation({ weeks: [], starts: '2026-10-19' }, '2026-10-19', '2026-10-20')).toEqual([null, null])
  })

  test('is as long as its range, and equals the sum of two parts', () => {
    fc.assert(
      fc.property(rotation, range, fc.nat(365), (example, { from, until }, firstLength) => {
        const cells = expandRotation(example, from, until)
        expect(cells).toHaveLength(countDays(from, until))
        const middle = addDays(from, firstLength)
        if (middle < until)
          expect([
            ...expandRotation(example, from, middle),
            ...expandRotation(example, addDays(middle, 1), until),
          ]).toEqual(cells)
        expect(cells).toEqual(daysBetween(from, until).map(day => cellOn(example, day)))
      }),
    )
  })

  test('repeats after its number of weeks, before and after its first day, and begins with its first week', () => {
    fc.assert(
      fc.property(rotation, day, fc.integer({ min: -9, max: 9 }), (example, day, times) => {
        const period = example.weeks.length * 7
        expect(cellOn(example, addDays(day, times * period))).toBe(cellOn(example, day))
        const { starts, weeks } = example
        expect(expandRotation({ weeks, starts }, starts, addDays(starts, period - 1))).toEqual(weeks.flat())
      }),
    )
  })

  test('with a step begins that many weeks later in its sequence', () => {
    fc.assert(
      fc.property(rotation, day, ({ weeks, starts, step = 0 }, day) => {
        expect(cellOn({ weeks, starts, step }, day)).toBe(cellOn({ weeks, starts }, addDays(day, 7 * step)))
        expect(cellOn({ weeks, starts: addDays(starts, -7 * step) }, day)).toBe(cellOn({ weeks, starts, step }, day))
      }),
    )
  })
})
