import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import { defaultParameters, type Input } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { daysPerRun, forRandomDays, runPlan, shift, toInput, weeklyShift } from './random-run.ts'

// A week whose first days are locked: what these hold is what it is judged with, and what they do not carry of it yet is carried
// by a day that is still open.

/** What is paid of the weeks: the locked days as they are held, the others as they come out. */
const paid = (input: Input, lockedTo: string, held: Row[]) => {
  const rows = calculate({ ...input, locked: { to: lockedTo, rows: held } })
  const kept = [...held.filter(({ day }) => day <= lockedTo), ...rows.filter(({ day }) => day > lockedTo)]
  return { rows, weeks: sumsOf(kept) }
}

const sumsOf = (rows: Row[]) => {
  const sums: Record<string, [overtime: number, shortfall: number]> = {}
  for (const { week } of rows) {
    const [overtime, shortfall] = sums[week?.from ?? ''] ?? [0, 0]
    if (week) sums[week.from] = [overtime + week.overtimeMinutes, shortfall + week.shortfallMinutes]
  }
  return sums
}

/** As these rows were when they were locked, and weeks that went on were not over. */
const unsettled = (rows: Row[], lockedTo: string) =>
  rows.map(row =>
    row.week && row.week.to > lockedTo
      ? { ...row, week: { ...row.week, settled: false, overtimeMinutes: 0, shortfallMinutes: 0 } }
      : row,
  )

test('pays wherever it is cut what it pays whole, locked before it was over or after', () => {
  let cut = 0
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
    const whole = calculate(input)
    const { rows, weeks } = paid(input, lockedTo, isLate ? whole : unsettled(whole, lockedTo))
    expect(weeks).toMatchObject(sumsOf(whole))
    expect(rows.filter(row => row.day <= lockedTo)).toEqual(whole.filter(row => row.day <= lockedTo))
    if (whole.some(({ week }) => week && week.from <= lockedTo && week.to > lockedTo)) cut++
  })
  expect(cut / days).toBeGreaterThan(0.015)
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
  const worked = (day: string, hours: number): Input['punches'] =>
    [8, 8 + hours].map(hour => ({
      at: Date.parse(`${day}T${String(hour).padStart(2, '0')}:00+03:00`),
      key: `${day} ${hour}`,
    }))
  const twelveHours = [...worked('2026-06-01', 6), ...worked('2026-06-03', 6)]
  const lockedTo = '2026-06-03'
  const weekly = (rows: Row[]) =>
    rows.flatMap(({ day, week }) => (week ? [[day, week.overtimeMinutes, week.shortfallMinutes]] : []))

  test('that was not over when it was locked is settled on its last day, which has no other row', () => {
    const held = unsettled(calculate({ ...input, punches: twelveHours }), lockedTo)
    const { rows } = paid({ ...input, punches: twelveHours }, lockedTo, held)
    expect(weekly(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-07', 120, 0]])
    const own = rows.find(({ day }) => day === '2026-06-07')
    expect(own).toMatchObject({ shift: 'flex', kind: 'flexible', dutyMinutes: 0, workMinutes: 0, exceptions: [] })
  })

  test('is judged with the hours the locked days hold, not with those that came late', () => {
    const held = unsettled(calculate({ ...input, punches: worked('2026-06-01', 6) }), lockedTo)
    const { rows } = paid({ ...input, punches: twelveHours }, lockedTo, held)
    expect(weekly(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-07', 0, 240]])
  })

  test('that was settled before it was locked carries only what open days add to it', () => {
    const held = calculate({ ...input, punches: twelveHours })
    expect(weekly(held)).toEqual([['2026-06-03', 120, 0]])
    const { rows: unchanged } = paid({ ...input, punches: twelveHours }, lockedTo, held)
    expect(unchanged.filter(({ day }) => day > lockedTo)).toEqual([])
    const punches = [...twelveHours, ...worked('2026-06-06', 2)]
    const { rows } = paid({ ...input, punches }, lockedTo, held)
    expect(weekly(rows.filter(({ day }) => day > lockedTo))).toEqual([['2026-06-06', 120, 0]])
  })

  test('asks for nothing more of somebody whose last day is locked', () => {
    const gone = { ...input, employee: { endDay: lockedTo } }
    const { rows } = paid(gone, lockedTo, unsettled(calculate(gone), lockedTo))
    expect(rows.filter(({ day }) => day > lockedTo)).toEqual([])
  })

  test('that was settled and locked is not paid again by weeks of another beginning, which count the same days', () => {
    const punches = [...worked('2026-06-01', 6), ...worked('2026-06-03', 5), ...worked('2026-06-06', 3)]
    const schedule = [...input.schedule, { day: '2026-06-05', shift: 'flex' }]
    const held = calculate({ ...input, schedule, punches }).map(row => (row.week ? { ...row, day: lockedTo } : row))
    expect(weekly(held)).toEqual([[lockedTo, 240, 0]])
    for (const firstWeekday of [0, 4]) {
      const weeks = { from: '2026-05-31', to: '2026-06-13', parameters: { ...defaultParameters, firstWeekday } }
      const { rows } = paid({ ...input, ...weeks, schedule, punches }, lockedTo, held)
      const owed = rows.filter(({ day, week }) => day > lockedTo && week && week.overtimeMinutes > 0)
      expect(owed.map(({ week }) => week?.overtimeMinutes)).toEqual([])
    }
  })
})
