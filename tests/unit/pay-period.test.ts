import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { lastStart, type PayPeriod, payIntervals, periodBefore, periodOf } from '../../shared/pay-period.ts'

const day = fc.integer({ min: 0, max: 3000 }).map(count => addDays('2024-01-01', count))
const payPeriod = fc
  .record({ every: fc.constantFrom(...payIntervals), from: day })
  .filter(({ every, from }) => Number(from.slice(8)) <= lastStart[every])

describe('the pay period of a day', () => {
  test.each<[PayPeriod['every'], first: string, day: string, from: string, to: string]>([
    ['weekly', '2026-11-02', '2026-11-27', '2026-11-23', '2026-11-29'],
    ['weekly', '2026-11-02', '2026-10-27', '2026-10-26', '2026-11-01'],
    ['twoWeekly', '2026-11-02', '2026-11-15', '2026-11-02', '2026-11-15'],
    ['twoWeekly', '2026-11-02', '2026-11-16', '2026-11-16', '2026-11-29'],
    ['monthly', '2026-01-01', '2026-02-28', '2026-02-01', '2026-02-28'],
    ['monthly', '2026-01-26', '2026-03-25', '2026-02-26', '2026-03-25'],
    ['monthly', '2026-01-28', '2026-01-01', '2025-12-28', '2026-01-27'],
    ['halfMonthly', '2026-01-01', '2026-02-15', '2026-02-01', '2026-02-15'],
    ['halfMonthly', '2026-01-01', '2026-02-16', '2026-02-16', '2026-02-28'],
    ['halfMonthly', '2026-01-11', '2026-03-05', '2026-02-26', '2026-03-10'],
  ])('paid %s from %s, for %s', (every, first, on, from, to) => {
    expect(periodOf({ every, from: first }, on)).toEqual({ from, to })
  })

  test('contains the day, and follows the period before without a gap', () => {
    fc.assert(
      fc.property(payPeriod, day, (pay, on) => {
        const period = periodOf(pay, on)
        expect(on >= period.from && on <= period.to).toBe(true)
        expect(periodBefore(pay, period).to).toBe(addDays(period.from, -1))
        for (const other of daysBetween(period.from, period.to)) expect(periodOf(pay, other)).toEqual(period)
      }),
    )
  })
})
