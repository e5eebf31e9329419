import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measures, type RoundingMode, roundMinutes } from '../../shared/attendance/rounding.ts'
import { addFigures, figureNames, noFigures } from '../../shared/figure.ts'
import {
  addSums,
  amountsOf,
  mostUnitMinutes,
  noSum,
  printedFigures,
  printedMinutes,
  reportParamsOf,
  roundsAnything,
  sumOfRow,
} from '../../shared/measure.ts'

const minutes = fc.integer({ min: 0, max: 1440 })
const mode = fc.constantFrom<RoundingMode>(0, 1, 2)
const unit = fc.integer({ min: 0, max: mostUnitMinutes })
const five = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 5, maxLength: 5 })
const params = fc
  .record({ timeUnit: five(fc.constantFrom(0, 1)), rounding: five(mode), minimumUnit: five(unit) })
  .map(reportParamsOf)
const figures = fc.record({
  ...Object.fromEntries(figureNames.map(name => [name, minutes])),
}) as unknown as fc.Arbitrary<ReturnType<typeof noFigures>>

describe('a printed figure', () => {
  test('is a multiple of its unit, and less than a unit from the exact figure', () => {
    fc.assert(
      fc.property(minutes, mode, unit, (minutes, mode, unit) => {
        const printed = roundMinutes(minutes, { mode, unit })
        expect(printed % Math.max(unit, 1)).toBe(0)
        const difference = printed - minutes
        if (unit <= 1) expect(difference).toBe(0)
        if (mode === 0) expect(difference <= 0 && difference > -Math.max(unit, 1)).toBe(true)
        if (mode === 1) expect(difference >= 0 && difference < Math.max(unit, 1)).toBe(true)
        if (mode === 2) expect(2 * difference <= unit && 2 * difference > -Math.max(unit, 1)).toBe(true)
      }),
    )
  })

  test('is never lower for a higher figure, and is unchanged by a second rounding', () => {
    fc.assert(
      fc.property(minutes, minutes, mode, unit, (first, second, mode, unit) => {
        const print = (minutes: number) => roundMinutes(minutes, { mode, unit })
        expect(print(Math.min(first, second))).toBeLessThanOrEqual(print(Math.max(first, second)))
        expect(print(print(first))).toBe(print(first))
        expect(print(0)).toBe(0)
      }),
    )
  })

  test('follows the rounding of its measure, and scheduled minutes stay exact', () => {
    fc.assert(
      fc.property(figures, params, (figures, params) => {
        const printed = printedFigures(figures, params)
        expect(printed.dutyMinutes).toBe(figures.dutyMinutes)
        expect(printed.workMinutes).toBe(printedMinutes(figures.workMinutes, 'work', params))
        expect(printed.overtimeMinutes).toBe(printedMinutes(figures.overtimeMinutes, 'overtime', params))
        expect(printed.lateMinutes).toBe(printedMinutes(figures.lateMinutes, 'late', params))
        expect(printed.earlyLeaveMinutes).toBe(printedMinutes(figures.earlyLeaveMinutes, 'early', params))
        expect(printed.absentMinutes).toBe(printedMinutes(figures.absentMinutes, 'absence', params))
        expect(printed.leaveMinutes).toBe(printedMinutes(figures.leaveMinutes, 'absence', params))
        expect(printed.unresolvedMinutes).toBe(printedMinutes(figures.unresolvedMinutes, 'absence', params))
        expect(printed.unscheduledMinutes).toBe(printedMinutes(figures.unscheduledMinutes, 'work', params))
        if (!roundsAnything(params)) expect(printed).toEqual(figures)
      }),
    )
  })

  test('rounds day by day: a minute late on each of twenty days is twenty units, not one', () => {
    const up = reportParamsOf({ timeUnit: [0, 0, 0, 0, 0], rounding: [0, 0, 1, 0, 0], minimumUnit: [0, 0, 15, 0, 0] })
    const days = Array.from({ length: 20 }, () => printedFigures({ ...noFigures(), lateMinutes: 1 }, up))
    expect(days.reduce(addFigures, noFigures()).lateMinutes).toBe(300)
  })

  test('is the stored figure with default settings', () => {
    const params = reportParamsOf({ timeUnit: [1, 1, 0, 0, 1] })
    expect(roundsAnything(params)).toBe(false)
    expect(measures.map(measure => params[measure].unit)).toEqual([1, 1, 0, 0, 1])
  })
})

test('three days of 20 minutes show 0.33 hours each and 0.99 hours in total', () => {
  const day = { ...noFigures(), lateMinutes: 20 }
  const hours = reportParamsOf({ timeUnit: [1, 1, 1, 1, 1] })
  const total = [day, day, day].map(sumOfRow).reduce(addSums, noSum())
  expect(amountsOf(sumOfRow(day), hours).lateMinutes).toBe(0.33)
  expect(amountsOf(total, hours).lateMinutes).toBe(0.99)
  expect(total.minutes.lateMinutes).toBe(60)
  expect(amountsOf(total, reportParamsOf({ timeUnit: [0, 0, 0, 0, 0] })).lateMinutes).toBe(60)
})
