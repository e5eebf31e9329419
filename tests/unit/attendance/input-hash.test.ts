import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import { anyShift, byName, daysPerRun, forRandomDays, nameOf, runPlan, toInput } from './random-run.ts'

describe('the input hash', () => {
  test('stays the same without a change, and differs if the row differs', () => {
    const plans = fc.tuple(runPlan({ shift: anyShift }), runPlan({ shift: anyShift }), fc.nat({ max: daysPerRun + 3 }))
    let changed = 0
    let same = 0
    const days = forRandomDays('hash', plans, ([plan, other, at]) => {
      const days = plan.days.map((day, index) => (index === at ? (other.days[index] ?? day) : day))
      const before = calculate(toInput(plan))
      const after = byName(calculate(toInput({ ...plan, days })))
      for (const row of before) {
        const changedRow = after.get(nameOf(row))
        if (!changedRow) continue
        const isSame = JSON.stringify(changedRow) === JSON.stringify({ ...row, inputHash: changedRow.inputHash })
        if (!isSame) {
          changed++
          expect(changedRow.inputHash, nameOf(row)).not.toBe(row.inputHash)
        } else if (changedRow.inputHash === row.inputHash) same++
      }
    })
    expect(changed / days).toBeGreaterThan(0.025)
    expect(same / days).toBeGreaterThan(0.5)
  })

  test('differs if an additional fact changes the row', () => {
    const plans = fc.tuple(runPlan({ shift: anyShift }), runPlan({ shift: anyShift }))
    let changed = 0
    const days = forRandomDays('hash of one fact', plans, ([plan, other]) => {
      const input = toInput(plan)
      const before = calculate(input)
      const extra = toInput({ ...other, place: plan.place, shifts: plan.shifts })
      const [punch] = input.punches
      const inputs: Input[] = [
        ...extra.requests.slice(0, 6).map(request => ({ ...input, requests: [...input.requests, request] })),
        { ...input, holidays: extra.holidays },
        { ...input, asOf: extra.asOf },
        { ...input, punches: input.punches.map(original => ({ ...original, key: `${original.key}!` })) },
        { ...input, punches: punch ? [...input.punches, { ...punch, at: punch.at + 1000, key: 'extra' }] : [] },
      ]
      for (const changedInput of inputs) {
        const after = byName(calculate(changedInput))
        for (const row of before) {
          const changedRow = after.get(nameOf(row))
          if (!changedRow || JSON.stringify(changedRow) === JSON.stringify({ ...row, inputHash: changedRow.inputHash }))
            continue
          changed++
          expect(changedRow.inputHash, nameOf(row)).not.toBe(row.inputHash)
        }
      }
    })
    expect(changed / days).toBeGreaterThan(0.25)
  })

  test('differs if a rule of the shift or company changes the row', () => {
    const plans = fc.tuple(runPlan({ shift: anyShift }), runPlan({ shift: anyShift }))
    forRandomDays('hash of rules', plans, ([plan, other]) => {
      const before = calculate(toInput(plan))
      const input = toInput(plan)
      for (const changed of [
        { ...input, parameters: other.parameters },
        { ...input, shifts: toInput(other).shifts },
      ]) {
        const after = byName(calculate(changed))
        for (const row of before) {
          const changedRow = after.get(nameOf(row))
          if (!changedRow || JSON.stringify(changedRow) === JSON.stringify({ ...row, inputHash: changedRow.inputHash }))
            continue
          expect(changedRow.inputHash, nameOf(row)).not.toBe(row.inputHash)
        }
      }
    })
  })
})
