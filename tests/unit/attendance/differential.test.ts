import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Case, Figures } from '../../../infra/local/attendance.ts'
import { figuresOf, readCase } from '../../../infra/local/attendance.ts'
import { calculate } from '../../../shared/attendance/calculate.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import type { ModelRow } from './minute-model.ts'
import { modelRows } from './minute-model.ts'
import { forRandomDays, oddShift, runPlan, shift, toInput, unusualPlace } from './random-run.ts'

const cases: (Case & { expect: Partial<Figures> })[] = JSON.parse(readFileSync('tests/given/attendance.json', 'utf8'))

const asInstants = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asInstants)
  return typeof value === 'string' ? new Date(value).toISOString() : value
}

test.each(cases)('the minute-by-minute model answers $id', ({ expect: wanted, ...given }) => {
  const row = modelRows(readCase(given)).get(`${given.day} ${given.shift ? 'shift' : 'null'}`)
  const figures: Record<string, unknown> = { ...figuresOf(given, row) }
  for (const [figure, value] of Object.entries(wanted)) {
    expect(asInstants(figures[figure]), figure).toEqual(asInstants(value))
  }
})

/** What engine and model both say of a row. */
const said = (row: Row | ModelRow) => ({
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
  exceptions: row.exceptions.toSorted(),
  punches: row.punches.filter(({ use }) => use !== 'outside' && use !== 'otherShift').map(({ at }) => at),
})

const compare = (input: Input) => {
  const rows = Object.fromEntries(calculate(input).map(row => [`${row.day} ${row.shift}`, said(row)]))
  const model = Object.fromEntries([...modelRows(input)].map(([name, row]) => [name, said(row)]))
  expect(rows).toEqual(model)
}

test('the engine and the minute-by-minute model agree on every random day', () => {
  const plans = runPlan({ place: unusualPlace, shift: fc.oneof({ weight: 9, arbitrary: shift }, oddShift) })
  forRandomDays('engine against model', plans, plan => compare(toInput(plan)))
}, 600_000)
