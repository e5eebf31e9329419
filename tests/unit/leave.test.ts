import { describe, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { balanceOf, type LeaveBook, type LeaveHeld, ownLeaveName } from '../../shared/leave.ts'
import { type AskedLeave, countLeave } from '../../shared/leave-day.ts'
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
} from '../leave-balance.ts'
import { fixedShift, weeklyShift } from '../worked.ts'

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
