import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type AskedLeave, countLeave, sumOfDays } from '../../shared/leave/day.ts'
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

// What is left of leave, held to what was counted by hand, and to what must be so of any leave.

/** Long after every past day of the table, and long before those to come. */
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

const groundOf = (one: Case) => ({
  company: { timezone: zone, parameters: defaultParameters },
  employee: { ...(one.hireDay && { hireDay: one.hireDay }) },
  schedule: daysAround(one, 40).flatMap(day => plannedOn(one.plan, day).map(shift => ({ day, shift }))),
  shifts: shiftsByName,
  isHoliday: (day: string) =>
    holidays.some(holiday => holiday.day === day && (!holiday.plan || holiday.plan === one.plan)),
})

const heldOf = (one: Case, asked: Asked[]): LeaveHeld => {
  const leaves = asked.map(leaveOf)
  const own: LeaveBook['entries'] = Object.fromEntries(
    one.own.map(({ leaveType, year, ...given }) => [ownLeaveName(year, leaveType), { ...given, reason: 'Agreed' }]),
  )
  const taken = countLeave(leaves, groundOf(one)).map(day => {
    const { leaveType, outcome } = asked[Number(day.leave)] as Asked
    return { ...day, leaveType, isUsed: outcome === '+' && day.day <= today }
  })
  return { rules, employee: groundOf(one).employee, own, taken }
}

const counts = ({ outcome }: Asked) => stateOf[outcome] === 0 || stateOf[outcome] === 1

test('the table holds enough to be worth its name', () => {
  expect(cases.length).toBeGreaterThanOrEqual(25)
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
})

describe.each(cases)('$name', one => {
  test.each(one.expected)('$leaveType/$year', ({ leaveType, year, figures, isEstimated }) => {
    const { limit, ...balance } = balanceOf(heldOf(one, one.asked.filter(counts)), leaveType, year)
    const { usedDays, plannedDays } = balance
    const { entitledDays, carriedDays, leftDays } = limit ?? {}
    expect({ usedDays, plannedDays, ...(limit && { entitledDays, carriedDays, leftDays }) }).toEqual(figures)
    expect(balance.isEstimated ?? false).toBe(isEstimated)
  })

  const refused = one.asked.filter(({ outcome }) => outcome === '!')
  if (refused.length > 0)
    test('what is refused would have been more than is left', () => {
      for (const asked of refused) {
        const all = [...one.asked.filter(counts), asked]
        const left = one.expected.map(
          ({ leaveType, year }) => balanceOf(heldOf(one, all), leaveType, year).limit?.leftDays,
        )
        expect(left.some(days => days !== undefined && days < 0)).toBe(true)
      }
    })

  const empty = one.asked.filter(({ outcome }) => outcome === '0')
  if (empty.length > 0)
    test('where there is no duty there is no leave', () => {
      for (const asked of empty) expect(countLeave([leaveOf(asked, 0)], groundOf(one))).toEqual([])
    })
})

describe('any leave', () => {
  const plan = fc.constantFrom('office', 'part', 'split', 'friday', 'nights', 'flexible', 'nothing')
  const first = fc.integer({ min: 0, max: 500 }).map(count => addDays('2025-01-01', count))
  const caseOf = (plan: string, asked: Asked[]): Case => ({ name: 'any', plan, own: [], asked, expected: [] })
  const whole = (date: string, toDate: string): Asked => ({ outcome: '+', leaveType: 1, date, toDate })
  const sum = (list: readonly { days: number }[]) => sumOfDays(list.map(({ days }) => days))

  test('of whole days is the sum of what any two parts of it are, and never more than its days', () => {
    fc.assert(
      fc.property(plan, first, fc.nat(40), fc.nat(40), (plan, date, length, cut) => {
        const [middle, toDate] = [addDays(date, Math.min(length, cut)), addDays(date, length)]
        const all = caseOf(plan, [whole(date, toDate)])
        const ground = groundOf(all)
        const parts = [whole(date, middle), ...(middle < toDate ? [whole(addDays(middle, 1), toDate)] : [])]
        const counted = countLeave(all.asked.map(leaveOf), ground)
        expect(sum(countLeave(parts.map(leaveOf), ground))).toBe(sum(counted))
        expect(counted.length).toBeLessThanOrEqual(length + 1)
        for (const { days } of counted) expect(days).toBe(1)
      }),
      { numRuns: 100 },
    )
  })

  test('takes each minute once, whatever else is asked for at the same time and in whatever order', () => {
    const hours = fc.tuple(first, fc.integer({ min: 0, max: 22 }), fc.integer({ min: 1, max: 26 }))
    fc.assert(
      fc.property(plan, fc.array(hours, { minLength: 1, maxLength: 6 }), (plan, list) => {
        const time = (hour: number) => `${String(hour % 24).padStart(2, '0')}:00${hour >= 24 ? '+1' : ''}`
        const asked = list.map(([date, from, length]): Asked => {
          const to = Math.min(from + length, 47)
          return { ...whole(date, date), from: time(from), to: time(to) }
        })
        // Nobody asks for a time the clock skips.
        const isShown = ({ date, from = '', to = '' }: Asked) =>
          [from, to].every(time => momentOf(zone, date, time) !== undefined)
        const leaves = asked.filter(isShown).map(leaveOf)
        const ground = groundOf(caseOf(plan, asked))
        const planned = (all: AskedLeave[]) => countLeave(all, ground).filter(({ isEstimated }) => !isEstimated)
        const together = planned(leaves)
        expect(sum(planned(leaves.toReversed()))).toBeCloseTo(sum(together), 2)
        for (const days of Map.groupBy(together, ({ day }) => day).values())
          expect(sum(days)).toBeLessThanOrEqual(1 + 0.001 * days.length)
      }),
      { numRuns: 100 },
    )
  })

  test('leaves what was given less what it takes', () => {
    fc.assert(
      fc.property(plan, first, fc.nat(30), (plan, date, length) => {
        const one = caseOf(plan, [whole(date, addDays(date, length))])
        const { limit, usedDays, plannedDays } = balanceOf(heldOf(one, one.asked), 1, 2025)
        expect(limit?.leftDays).toBeCloseTo(
          (limit?.entitledDays ?? 0) + (limit?.carriedDays ?? 0) - usedDays - plannedDays,
          9,
        )
      }),
      { numRuns: 60 },
    )
  })
})
