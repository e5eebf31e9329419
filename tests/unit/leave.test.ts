import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type AskedLeave, countLeave } from '../../shared/leave/day.ts'
import { sumOfDays } from '../../shared/leave/total.ts'
import { balanceOf, type LeaveBook, type LeaveHeld, ownLeaveName } from '../../shared/leave.ts'
import { addDays } from '../../shared/local-day.ts'
import { momentOf } from '../../shared/request.ts'
import type { Shift } from '../../shared/shift.ts'
import {
  type Asked,
  type Case,
  cases,
  daysAround,
  holidays,
  plannedOn,
  rules,
  shifts,
  stateOf,
  zone,
} from '../kit/leave-balance.ts'
import { fixedShift, weeklyShift } from '../kit/worked.ts'

// Leave balances, against a table counted by hand and general properties.

/** This day is after all past days of the table, and before all its future days. */
const today = '2050-01-01'

const shiftsByName: Record<string, Shift & { version: number }> = Object.fromEntries(
  shifts.map(({ name, onDuty, offDuty, breaks, targetMinutes }) => {
    const shift =
      targetMinutes === undefined
        ? fixedShift(name, {
            ...{ onDuty, offDuty, punchStart: '00:00', punchEnd: '23:59' },
            breaks: breaks.map(rest => ({ ...rest, thresholdMinutes: 0 })),
          })
        : weeklyShift(name, targetMinutes)
    return [name, { ...shift, version: 1 }]
  }),
)

const instant = (day: string, time: string | undefined) => {
  if (time === undefined) return undefined
  return new Date(momentOf(zone, day, time) ?? Number.NaN).toISOString()
}

const leaveOf = ({ leaveType, date, toDate, from, to }: Asked, id: number): AskedLeave => {
  const [begin, end] = [instant(date, from), instant(toDate, to)]
  return { id: String(id), leaveType, day: date, toDay: toDate, ...(begin && end && { from: begin, to: end }) }
}

const settingsOf = (leaveCase: Case) => ({
  company: { timezone: zone, parameters: defaultParameters },
  employee: { ...(leaveCase.hireDay && { hireDay: leaveCase.hireDay }) },
  schedule: daysAround(leaveCase, 40).flatMap(day => plannedOn(leaveCase.plan, day).map(shift => ({ day, shift }))),
  shifts: shiftsByName,
  isHoliday: (day: string) =>
    holidays.some(holiday => holiday.day === day && (!holiday.plan || holiday.plan === leaveCase.plan)),
})

const bookOf = (leaveCase: Case, asked: Asked[]): LeaveHeld => {
  const leaves = asked.map(leaveOf)
  const own: LeaveBook['entries'] = Object.fromEntries(
    leaveCase.own.map(({ leaveType, year, ...grant }) => [
      ownLeaveName(year, leaveType),
      { ...grant, reason: 'Agreed' },
    ]),
  )
  const taken = countLeave(leaves, settingsOf(leaveCase)).map(day => {
    const { leaveType, outcome } = asked[Number(day.leave)] as Asked
    return { ...day, leaveType, isUsed: outcome === '+' && day.day <= today }
  })
  return { rules, yearStart: 1, today, employee: settingsOf(leaveCase).employee, own, taken }
}

const counts = ({ outcome }: Asked) => stateOf[outcome] === 0 || stateOf[outcome] === 1

test('the table has at least 25 cases with unique names', () => {
  expect(cases.length).toBeGreaterThanOrEqual(25)
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
})

describe.each(cases)('$name', leaveCase => {
  test.each(leaveCase.expected)('$leaveType/$year', ({ leaveType, year, figures, isEstimated }) => {
    const { limit, ...balance } = balanceOf(bookOf(leaveCase, leaveCase.asked.filter(counts)), leaveType, year)
    const { usedDays, plannedDays } = balance
    const { entitledDays, carriedDays, leftDays } = limit ?? {}
    expect({ usedDays, plannedDays, ...(limit && { entitledDays, carriedDays, leftDays }) }).toEqual(figures)
    expect(balance.isEstimated ?? false).toBe(isEstimated)
  })

  const refused = leaveCase.asked.filter(({ outcome }) => outcome === '!')
  if (refused.length > 0)
    test('a refused request exceeds the balance', () => {
      for (const asked of refused) {
        const all = [...leaveCase.asked.filter(counts), asked]
        const left = leaveCase.expected.map(
          ({ leaveType, year }) => balanceOf(bookOf(leaveCase, all), leaveType, year).limit?.leftDays,
        )
        expect(left.some(days => days !== undefined && days < 0)).toBe(true)
      }
    })

  const uncounted = leaveCase.asked.filter(({ outcome }) => outcome === '0')
  if (uncounted.length > 0)
    test('leave on days without scheduled time counts nothing', () => {
      for (const asked of uncounted) expect(countLeave([leaveOf(asked, 0)], settingsOf(leaveCase))).toEqual([])
    })
})

test('each employment has its own leave, and a year shows the leave of its last employment', () => {
  const employee = { hireDay: '2025-11-01', earlierEmployments: [{ hireDay: '2023-01-01', endDay: '2025-08-31' }] }
  const used = { leaveType: 1, minutes: 480, days: 1, isUsed: true }
  const taken = ['2024-05-06', '2025-05-05', '2025-12-01'].map((day, i) => ({ ...used, leave: String(i), day }))
  const rule = { leaveType: 1, since: 2020, days: 24, mostCarriedDays: 5, excess: 'refuse' } as const
  const held: LeaveHeld = { rules: [rule], yearStart: 1, today, employee, own: {}, taken }
  expect(balanceOf(held, 1, 2024)).toMatchObject({
    usedDays: 1,
    limit: { ruledDays: 24, carriedDays: 5, leftDays: 28 },
  })
  // The last employment covers two of twelve months, and nothing is carried over from the earlier employment.
  expect(balanceOf(held, 1, 2025)).toMatchObject({ usedDays: 1, limit: { ruledDays: 4, carriedDays: 0, leftDays: 3 } })
})

describe('any leave', () => {
  const plan = fc.constantFrom('office', 'part', 'split', 'friday', 'nights', 'flexible', 'nothing')
  const firstDay = fc.integer({ min: 0, max: 500 }).map(count => addDays('2025-01-01', count))
  const caseOf = (plan: string, asked: Asked[]): Case => ({ name: 'any', plan, own: [], asked, expected: [] })
  const wholeDays = (date: string, toDate: string): Asked => ({ outcome: '+', leaveType: 1, date, toDate })
  const sum = (list: readonly { days: number }[]) => sumOfDays(list.map(({ days }) => days))

  test('of whole days equals the sum of its two parts, and never exceeds its number of days', () => {
    fc.assert(
      fc.property(plan, firstDay, fc.nat(40), fc.nat(40), (plan, date, length, cut) => {
        const [middle, toDate] = [addDays(date, Math.min(length, cut)), addDays(date, length)]
        const all = caseOf(plan, [wholeDays(date, toDate)])
        const settings = settingsOf(all)
        const parts = [wholeDays(date, middle), ...(middle < toDate ? [wholeDays(addDays(middle, 1), toDate)] : [])]
        const counted = countLeave(all.asked.map(leaveOf), settings)
        expect(sum(countLeave(parts.map(leaveOf), settings))).toBe(sum(counted))
        expect(counted.length).toBeLessThanOrEqual(length + 1)
        for (const { days } of counted) expect(days).toBe(1)
      }),
      { numRuns: 100 },
    )
  })

  test('takes each minute once, with any overlapping requests in any order', () => {
    const hours = fc.tuple(firstDay, fc.integer({ min: 0, max: 22 }), fc.integer({ min: 1, max: 26 }))
    fc.assert(
      fc.property(plan, fc.array(hours, { minLength: 1, maxLength: 6 }), (plan, list) => {
        const time = (hour: number) => `${String(hour % 24).padStart(2, '0')}:00${hour >= 24 ? '+1' : ''}`
        const asked = list.map(([date, from, length]): Asked => {
          const to = Math.min(from + length, 47)
          return { ...wholeDays(date, date), from: time(from), to: time(to) }
        })
        // The site refuses a time that the clock skips, so the test omits such requests.
        const isShown = ({ date, from = '', to = '' }: Asked) =>
          [from, to].every(time => momentOf(zone, date, time) !== undefined)
        const leaves = asked.filter(isShown).map(leaveOf)
        const settings = settingsOf(caseOf(plan, asked))
        const planned = (all: AskedLeave[]) => countLeave(all, settings).filter(({ isEstimated }) => !isEstimated)
        const together = planned(leaves)
        expect(sum(planned(leaves.toReversed()))).toBeCloseTo(sum(together), 2)
        for (const days of Map.groupBy(together, ({ day }) => day).values())
          expect(sum(days)).toBeLessThanOrEqual(1 + 0.001 * days.length)
      }),
      { numRuns: 100 },
    )
  })

  test('reduces the balance by the used and planned days', () => {
    fc.assert(
      fc.property(plan, firstDay, fc.nat(30), (plan, date, length) => {
        const leaveCase = caseOf(plan, [wholeDays(date, addDays(date, length))])
        const { limit, usedDays, plannedDays } = balanceOf(bookOf(leaveCase, leaveCase.asked), 1, 2025)
        expect(limit?.leftDays).toBeCloseTo(
          (limit?.entitledDays ?? 0) + (limit?.carriedDays ?? 0) - usedDays - plannedDays,
          9,
        )
      }),
      { numRuns: 60 },
    )
  })
})
