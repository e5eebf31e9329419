import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case, Figures } from '../../../infra/local/attendance/case.ts'
import { figuresOf, readCase } from '../../../infra/local/attendance/case.ts'
import { calculate } from '../../../shared/attendance/calculate.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { asInstants } from './hours-promises.ts'
import type { ModelRow } from './minute-model.ts'
import { modelRows } from './minute-model.ts'
import { forRandomDays, oddShift, runPlan, shift, toInput, unusualPlace, weeklyShift } from './random-run.ts'

const cases: (Case & { expect: Partial<Figures> })[] = JSON.parse(readFileSync('tests/given/attendance.json', 'utf8'))

test.each(cases)('the minute-by-minute model answers $id', ({ expect: expected, ...input }) => {
  const row = modelRows(readCase(input)).get(`${input.day} ${input.shift ? 'shift' : 'null'}`)
  const figures: Record<string, unknown> = { ...figuresOf(input, row) }
  for (const [figure, value] of Object.entries(expected)) {
    expect(asInstants(figures[figure]), figure).toEqual(asInstants(value))
  }
})

/** The figures of a row that both engine and model calculate. */
const comparable = (row: Row | ModelRow) => ({
  kind: row.kind,
  state: row.state,
  firstIn: row.firstIn,
  lastOut: row.lastOut,
  dutyMinutes: row.dutyMinutes,
  workMinutes: row.workMinutes,
  lateMinutes: row.lateMinutes,
  earlyLeaveMinutes: row.earlyLeaveMinutes,
  absentMinutes: row.absentMinutes,
  leaveMinutes: row.leaveMinutes,
  overtimeMinutes: row.overtimeMinutes,
  breakMinutes: row.breakMinutes,
  longBreakMinutes: row.longBreakMinutes,
  leaveTypes: row.leaveTypes,
  week: row.week,
  exceptions: row.exceptions.toSorted(),
  punches: row.punches.filter(({ use }) => use !== 'outside' && use !== 'otherShift').map(({ at }) => at),
})

const compare = (input: Input) => {
  const rows = Object.fromEntries(calculate(input).map(row => [`${row.day} ${row.shift}`, comparable(row)]))
  const model = Object.fromEntries([...modelRows(input)].map(([name, row]) => [name, comparable(row)]))
  expect(rows).toEqual(model)
}

describe('regressions that other seeds found', () => {
  const halfHour: Input['shifts'][string] = {
    version: 1,
    onDuty: '00:00',
    offDuty: '00:30',
    punchStart: '23:55-1',
    punchEnd: '00:35',
    allowedLateMinutes: 0,
    allowedEarlyMinutes: 0,
    noClockOut: 0,
    earlyInOvertime: { counts: false, afterMinutes: 0 },
    lateOutOvertime: { counts: false, afterMinutes: 0 },
    breaks: [],
  }
  const weekly = { targetMinutes: 600, breakMinutes: 0, breakThresholdMinutes: 0, overtimeCounts: false }
  const apia = { zone: 'Pacific/Apia', from: '2011-12-27', to: '2012-01-05' }
  const newYork = { zone: 'America/New_York', from: '2026-03-08', to: '2026-03-17' }
  const punchesAt = (...texts: string[]): Input['punches'] =>
    texts.map(text => ({ at: Date.parse(text), key: `punch ${text}` }))
  const odd = { onDuty: '00:12-1', offDuty: '23:59-1', punchStart: '15:20-1', punchEnd: '00:10' }
  const overlong = { onDuty: '00:00', offDuty: '23:46+1', punchStart: '10:16-1', punchEnd: '00:09-1' }

  test.each<[string, Pick<Input, 'zone' | 'from' | 'to' | 'schedule' | 'punches'> & Partial<Input>]>([
    [
      'seed 37171567: a punch start on a skipped date',
      {
        ...apia,
        shifts: { a: { ...halfHour, onDuty: '08:00', offDuty: '15:00', punchStart: '20:59-1', punchEnd: '20:00' } },
        schedule: ['2011-12-29', '2011-12-31', '2012-01-01'].map(day => ({ day, shift: 'a' })),
        punches: punchesAt('2011-12-29T21:00-10:00', '2011-12-31T08:00+14:00', '2012-01-01T15:00+14:00'),
      },
    ],
    [
      'seed 20261121: a punch end before the punch start, and overtime around both',
      {
        ...newYork,
        shifts: { a: { ...halfHour, ...overlong }, b: halfHour },
        schedule: [
          { day: '2026-03-14', shift: 'a' },
          { day: '2026-03-15', shift: 'a' },
          { day: '2026-03-15', shift: 'b' },
          { day: '2026-03-16', shift: 'a' },
        ],
        punches: punchesAt('2026-03-15T00:00-04:00', '2026-03-15T00:14-04:00', '2026-03-16T23:46-04:00'),
        requests: [
          { kind: 'overtime', from: Date.parse('2026-03-14T23:46-04:00'), to: Date.parse('2026-03-15T00:16-04:00') },
          { kind: 'overtime', from: Date.parse('2026-03-15T00:16-04:00'), to: Date.parse('2026-03-15T10:16-04:00') },
        ],
      },
    ],
    [
      'seed 20261121: two work days with the same duty time beside a skipped date',
      {
        ...apia,
        shifts: { a: { ...halfHour, ...odd }, b: halfHour },
        schedule: [
          { day: '2012-01-01', shift: 'a' },
          { day: '2011-12-31', shift: 'b' },
          { day: '2011-12-31', shift: 'a' },
        ],
        punches: punchesAt('2011-12-31T00:12+14:00', '2011-12-31T04:00+14:00', '2011-12-31T23:59+14:00'),
      },
    ],
    [
      'seed 1143046829: a flexible day before hire alone in its week',
      {
        ...newYork,
        shifts: { a: { ...halfHour, kind: 'weekly', weekly }, b: halfHour },
        schedule: ['2026-03-09', '2026-03-16'].map(day => ({ day, shift: 'a' })),
        employee: { hireDay: '2026-03-10' },
        punches: punchesAt('2026-03-11T09:00-04:00', '2026-03-11T18:00-04:00'),
      },
    ],
  ])('%s', (_, facts) => {
    compare({
      asOf: Date.parse('2030-01-01T00:00Z'),
      employee: {},
      shifts: {},
      requests: [],
      holidays: [],
      parameters: defaultParameters,
      ...facts,
    })
  })
})

const fixedShift = fc.oneof({ weight: 9, arbitrary: shift }, oddShift)

test('the engine and the minute-by-minute model agree on random days around unusual clock changes', () => {
  const plans = runPlan({ place: unusualPlace, shift: fixedShift })
  forRandomDays('engine against model', plans, plan => compare(toInput(plan)))
}, 600_000)

test('the engine and the minute-by-minute model agree in every zone', () => {
  forRandomDays('engine against model anywhere', runPlan({ shift: fixedShift }), plan => compare(toInput(plan)), 2_000)
}, 600_000)

test('the engine and the minute-by-minute model agree on random days with weekly-flexible shifts', () => {
  const plans = runPlan({ place: unusualPlace, shift: fc.oneof({ weight: 3, arbitrary: weeklyShift }, fixedShift) })
  forRandomDays('engine against model by the week', plans, plan => compare(toInput(plan)))
}, 600_000)
