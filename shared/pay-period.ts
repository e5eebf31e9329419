import { addDays, addMonths, countDays } from './local-day.ts'

// Pay periods follow each other without a gap.

export const payIntervals = ['weekly', 'twoWeekly', 'halfMonthly', 'monthly'] as const

export interface PayPeriod {
  every: (typeof payIntervals)[number]
  /** The first day of any period. Monthly periods begin on this day of each month. */
  from: string
}

/** The days of a period, both ends included. */
export interface Period {
  from: string
  to: string
}

export const defaultPayPeriod: PayPeriod = { every: 'monthly', from: '2026-01-01' }

/**
 * The latest day of the month on which a period may begin, because every month must have that day. A second half-month
 * period begins 15 days after the first.
 */
export const lastStart = { weekly: 31, twoWeekly: 31, halfMonthly: 13, monthly: 28 } as const
const halfDays = 15

/** The period that contains a day. */
export const periodOf = ({ every, from: first }: PayPeriod, on: string): Period => {
  if (every === 'weekly' || every === 'twoWeekly') {
    const length = every === 'weekly' ? 7 : 14
    const passed = Math.floor((countDays(first, on) - 1) / length) * length
    const from = addDays(first, passed)
    return { from, to: addDays(from, length - 1) }
  }
  const start = first.slice(8)
  const month = on.slice(8) >= start ? on : addMonths(`${on.slice(0, 7)}-01`, -1)
  const from = `${month.slice(0, 7)}-${start}`
  const next = `${addMonths(`${month.slice(0, 7)}-01`, 1).slice(0, 7)}-${start}`
  if (every === 'monthly') return { from, to: addDays(next, -1) }
  const half = addDays(from, halfDays)
  return on < half ? { from, to: addDays(half, -1) } : { from: half, to: addDays(next, -1) }
}

export const periodBefore = (pay: PayPeriod, { from }: Period): Period => periodOf(pay, addDays(from, -1))
