import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import { defaultParameters, type Input } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { daysPerRun, forRandomDays, runPlan, shift, toInput, weeklyShift } from './random-run.ts'

// The first days of a week are locked. The engine calculates the week with the stored rows of the locked days. An open
// day gets the week’s figures that the locked days do not contain yet.

/** Sums the weeks from the stored rows of locked days and the calculated rows of open days. */
const sumWeeks = (input: Input, lockedTo: string, stored: Row[]) => {
  const rows = calculate({ ...input, locked: { to: lockedTo, rows: stored } })
  const counted = [...stored.filter(({ day }) => day <= lockedTo), ...rows.filter(({ day }) => day > lockedTo)]
  return { rows, weeks: sumsOf(counted) }
}

const sumsOf = (rows: Row[]) => {
  const sums: Record<string, [overtime: number, shortfall: number]> = {}
  for (const { week } of rows) {
    const [overtime, shortfall] = sums[week?.from ?? ''] ?? [0, 0]
    if (week) sums[week.from] = [overtime + week.overtimeMinutes, shortfall + week.shortfallMinutes]
  }
  return sums
}

/** The rows at the time of the lock, when the weeks beyond it were not over. */
const asLocked = (rows: Row[], lockedTo: string) =>
  rows.map(row =>
    row.week && row.week.to > lockedTo
      ? { ...row, week: { ...row.week, settled: false, overtimeMinutes: 0, shortfallMinutes: 0 } }
      : row,
  )

test('a week has the same overtime and shortfall with a lock on any of its days as without a lock', () => {
  let splitWeeks = 0
  const plans = fc.record({
    plan: runPlan({ shift: fc.oneof({ weight: 3, arbitrary: weeklyShift }, shift) }),
    at: fc.integer({ min: 0, max: daysPerRun - 1 }),
    isLate: fc.boolean(),
  })
  const days = forRandomDays('locked weeks', plans, ({ plan, at, isLate }) => {
    const input = { ...toInput(plan), asOf: Date.parse('2090-01-01T00:00Z') }
    const lockedTo = dayName(dayNumber(input.from) + at)
    const { endDay } = input.employee
    if (endDay !== undefined && endDay <= lockedTo) return
    const unlocked = calculate(input)
    const { rows, weeks } = sumWeeks(input, lockedTo, isLate ? unlocked : asLocked(unlocked, lockedTo))
    expect(weeks).toMatchObject(sumsOf(unlocked))
    expect(rows.filter(row => row.day <= lockedTo)).toEqual(unlocked.filter(row => row.day <= lockedTo))
    if (unlocked.some(({ week }) => week && week.from <= lockedTo && week.to > lockedTo)) splitWeeks++
  })
  expect(splitWeeks / days).toBeGreaterThan(0.015)
})

describe('a week of 600 minutes, Monday to Wednesday, locked up to Wednesday', () => {
  const input: Input = {
    zone: 'Europe/Athens',
    from: '2026-06-01',
    to: '2026-06-07',
    asOf: Date.parse('2026-07-01T00:00Z'),
    employee: {},
    shifts: {
      flex: {
        version: 1,
        kind: 'weekly',
        weekly: { targetMinutes: 600, breakMinutes: 0, breakThresholdMinutes: 0, overtimeCounts: true },
        onDuty: '00:00',
        offDuty: '00:00+1',
        punchStart: '00:00',
        punchEnd: '00:00+1',
        allowedLateMinutes: 0,
        allowedEarlyMinutes: 0,
        noClockOut: 0,
        earlyInOvertime: { counts: false, afterMinutes: 0 },
        lateOutOvertime: { counts: false, afterMinutes: 0 },
        breaks: [],
      },
    },
    schedule: ['2026-06-01', '2026-06-02', '2026-06-03'].map(day => ({ day, shift: 'flex' })),
    punches: [],
    requests: [],
    holidays: [],
    parameters: defaultParameters,
    uploadedTo: Date.parse('2026-07-01T00:00Z'),
  }
  const workAt = (day: string, hours: number): Input['punches'] =>
    [8, 8 + hours].map(hour => ({
      at: Date.parse(`${day}T${String(hour).padStart(2, '0')}:00+03:00`),
      key: `${day} ${hour}`,
    }))
  const twelveHours = [...workAt('2026-06-01', 6), ...workAt('2026-06-03', 6)]
  const lockedTo = '2026-06-03'
  const weekFigures = (rows: Row[]) =>
    rows.flatMap(({ day, week }) => (week ? [[day, week.overtimeMinutes, week.shortfallMinutes]] : []))

  test('that was not over at the lock has its figures on its last day, in an additional row', () => {
    const stored = asLocked(calculate({ ...input, punches: twelveHours }), lockedTo)
    const { rows } = sumWeeks({ ...input, punches: twelveHours }, lockedTo, stored)
    expect(weekFigures(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-07', 120, 0]])
    const lastDay = rows.find(({ day }) => day === '2026-06-07')
    expect(lastDay).toMatchObject({ shift: 'flex', kind: 'flexible', dutyMinutes: 0, workMinutes: 0, exceptions: [] })
  })

  test('counts the stored hours of the locked days, not late punches', () => {
    const stored = asLocked(calculate({ ...input, punches: workAt('2026-06-01', 6) }), lockedTo)
    const { rows } = sumWeeks({ ...input, punches: twelveHours }, lockedTo, stored)
    expect(weekFigures(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-07', 0, 240]])
  })

  test('that was settled before the lock counts only the additional work of open days', () => {
    const stored = calculate({ ...input, punches: twelveHours })
    expect(weekFigures(stored)).toEqual([['2026-06-03', 120, 0]])
    const { rows: unchanged } = sumWeeks({ ...input, punches: twelveHours }, lockedTo, stored)
    expect(unchanged.filter(({ day }) => day > lockedTo)).toEqual([])
    const punches = [...twelveHours, ...workAt('2026-06-06', 2)]
    const { rows } = sumWeeks({ ...input, punches }, lockedTo, stored)
    expect(weekFigures(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-06', 120, 0]])
  })

  test('gives no shortfall on open days to an employee whose last day is locked', () => {
    const formerEmployee = { ...input, employee: { endDay: lockedTo } }
    const { rows } = sumWeeks(formerEmployee, lockedTo, asLocked(calculate(formerEmployee), lockedTo))
    expect(rows.filter(({ day }) => day > lockedTo)).toEqual([])
  })

  test('that was settled and locked gives no overtime again after a change of the first weekday', () => {
    const punches = [...workAt('2026-06-01', 6), ...workAt('2026-06-03', 5), ...workAt('2026-06-06', 3)]
    const schedule = [...input.schedule, { day: '2026-06-05', shift: 'flex' }]
    const stored = calculate({ ...input, schedule, punches }).map(row => (row.week ? { ...row, day: lockedTo } : row))
    expect(weekFigures(stored)).toEqual([[lockedTo, 240, 0]])
    for (const firstWeekday of [0, 4]) {
      const weeks = { from: '2026-05-31', to: '2026-06-13', parameters: { ...defaultParameters, firstWeekday } }
      const { rows } = sumWeeks({ ...input, ...weeks, schedule, punches }, lockedTo, stored)
      const paidAgain = rows.filter(({ day, week }) => day > lockedTo && week && week.overtimeMinutes > 0)
      expect(paidAgain.map(({ week }) => week?.overtimeMinutes)).toEqual([])
    }
  })
})
