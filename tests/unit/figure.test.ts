import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyAbsences, canBeAbsent, isMarkedAbsent, isMissingPunch } from '../../shared/absence.ts'
import { calculate } from '../../shared/attendance/calculate.ts'
import { minutesOf, rules } from '../../shared/attendance/reason.ts'
import type { Row } from '../../shared/attendance/row.ts'
import { addFigures, type Figures, figuresOf, noFigures } from '../../shared/figure.ts'
import { forRandomDays, oddShift, runPlan, shift, toInput, unusualPlace, weeklyShift } from './attendance/random-run.ts'

type Effects = { workMinutes?: 1 | -1 }
const anyShift = fc.oneof({ weight: 3, arbitrary: shift }, oddShift, weeklyShift)

const accounted = (figures: Figures) =>
  figures.workMinutes +
  figures.lateMinutes +
  figures.earlyLeaveMinutes +
  figures.absentMinutes +
  figures.leaveMinutes +
  figures.unresolvedMinutes

const eachRandomRow = (name: string, check: (row: Row, figures: Figures) => void) =>
  forRandomDays(name, runPlan({ place: unusualPlace, shift: anyShift }), plan => {
    for (const row of calculate(toInput(plan))) check(row, figuresOf(row))
  })

describe('the figures of a row', () => {
  test('of a finished shift with clock times account for each scheduled minute', () => {
    let count = 0
    eachRandomRow('scheduled minutes', (row, figures) => {
      if (row.dutyFrom === null || row.state !== 'final') return
      count++
      expect(accounted(figures)).toBe(row.dutyMinutes)
    })
    expect(count).toBeGreaterThan(100)
  })

  test('account for each scheduled minute after a manager marked rows as absent', () => {
    let count = 0
    forRandomDays('absence', runPlan({ place: unusualPlace, shift: anyShift }), plan => {
      const rows = calculate(toInput(plan))
      const marks = rows.map(row => ({ ...row, minutes: figuresOf(row).unresolvedMinutes }))
      for (const [i, row] of applyAbsences(rows, marks).entries()) {
        const before = rows[i] as Row
        expect(isMarkedAbsent(row)).toBe(canBeAbsent(before))
        if (!isMarkedAbsent(row)) {
          expect(row).toBe(before)
          continue
        }
        count++
        const [figures, former] = [figuresOf(row), figuresOf(before)]
        expect(figures).toMatchObject({ ...former, unresolvedMinutes: 0, absentMinutes: expect.any(Number) })
        expect(figures.absentMinutes).toBe(former.absentMinutes + former.unresolvedMinutes)
        expect(accounted(figures)).toBe(row.dutyMinutes)
        expect(minutesOf(row.reasons, 'absentMinutes')).toBe(row.absentMinutes)
        expect(row.exceptions).not.toContain('missingIn')
        expect(row.exceptions).not.toContain('missingOut')
        expect(row.inputHash).not.toBe(before.inputHash)
      }
    })
    expect(count).toBeGreaterThan(100)
  })

  test('of a holiday or a leave day take no mark of absence, even if a punch is missing', () => {
    const kinds = new Map<string, number>()
    eachRandomRow('unmarkable kinds', row => {
      if (row.kind === 'work' || !row.exceptions.some(isMissingPunch)) return
      kinds.set(row.kind, (kinds.get(row.kind) ?? 0) + 1)
      const mark = { ...row, minutes: figuresOf(row).unresolvedMinutes }
      expect(applyAbsences([row], [mark])).toEqual([row])
    })
    expect(kinds.get('holiday')).toBeGreaterThan(10)
  })

  test('stay unchanged by a mark of absence for other minutes', () => {
    eachRandomRow('void marks', row => {
      const { day, shift } = row
      const mark = { day, shift, minutes: figuresOf(row).unresolvedMinutes + 1 }
      expect(applyAbsences([row], [mark])).toEqual([row])
    })
  })

  test('keep each worked minute, scheduled or not', () => {
    eachRandomRow('worked minutes', (row, figures) => {
      expect(figures.workMinutes + figures.unscheduledMinutes).toBe(row.workMinutes)
      if (row.kind === 'rest') expect(figures.workMinutes).toBe(0)
    })
  })

  test('are unresolved only after a missing punch, or while a deducted break or gap lasted', () => {
    const causes = new Set<string>()
    eachRandomRow('unresolved minutes', (row, { unresolvedMinutes }) => {
      if (unresolvedMinutes === 0) return
      const isMissing = (row.firstIn === null) !== (row.lastOut === null)
      causes.add(isMissing ? 'punch' : 'break')
      const deductions = row.reasons.filter(([rule]) => (rules[rule] as Effects).workMinutes === -1)
      const deductedMinutes = deductions.reduce((sum, [, from, to]) => sum + to - from, 0)
      if (!isMissing) expect(unresolvedMinutes).toBeLessThanOrEqual(deductedMinutes)
    })
    expect(causes).toEqual(new Set(['punch', 'break']))
  })

  test('of a weekly-flexible day leave its balance to the week', () => {
    eachRandomRow('weekly days', (row, figures) => {
      if (row.kind !== 'flexible') return
      expect(figures).toMatchObject({ workMinutes: row.workMinutes, unresolvedMinutes: 0, unscheduledMinutes: 0 })
    })
  })

  test('of a pending day are never unresolved', () => {
    eachRandomRow('pending days', (row, { unresolvedMinutes }) => {
      if (row.state === 'pending') expect(unresolvedMinutes).toBe(0)
    })
  })
})

test('sums of days add up like the days', () => {
  forRandomDays('sums', runPlan({ place: unusualPlace, shift }), plan => {
    const rows = calculate(toInput(plan)).filter(({ state, shift }) => state === 'final' && shift !== null)
    const sum = rows.map(figuresOf).reduce(addFigures, noFigures())
    expect(accounted(sum)).toBe(sum.dutyMinutes)
  })
})
