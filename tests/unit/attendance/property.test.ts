import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import { explain } from '../../../shared/attendance/explain.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import { minuteOf } from '../../../shared/attendance/punch.ts'
import type { Figure } from '../../../shared/attendance/reason.ts'
import { minutesOf } from '../../../shared/attendance/reason.ts'
import type { Row, Use } from '../../../shared/attendance/row.ts'
import { wallMinutes } from '../../../shared/attendance/wall-time.ts'
import { instantOf } from '../../../shared/attendance/zone.ts'
import {
  anyShift,
  byName,
  dayPlan,
  figures,
  forRandomDays,
  nameOf,
  parameters,
  part,
  runPlan,
  shift,
  toInput,
  weeklyShift,
} from './random-run.ts'

const minute = 60_000

/** Day plans with at most one shift. With two shifts, a punch could move between shifts. */
const oneShiftADay = dayPlan.map(plan => ({ ...plan, shifts: plan.shifts.slice(0, 1) }))

const usedPunches = (row: Row) => row.punches.filter(({ use }) => use !== 'outside' && use !== 'otherShift')
const keysOf = (row: Row) =>
  usedPunches(row)
    .map(({ key }) => key)
    .join()
const shiftOf = (row: Row, { shifts }: Input) => (row.shift === null ? undefined : shifts[row.shift])

/** A wall time of a row's shift as an instant in minutes. */
const wallInstant = (row: Row, text: string) => instantOf(row.zone, dayNumber(row.day) * 1440 + wallMinutes(text))

/** The slot of each break of a row's shift, and the time in which punches belong to the break. */
const breaksOf = (row: Row, input: Input) => {
  let free = Number.NEGATIVE_INFINITY
  return (shiftOf(row, input)?.breaks ?? []).map(pause => {
    const [start, end] = [wallInstant(row, pause.start), wallInstant(row, pause.end)]
    const from = Math.max(start, free)
    free = from + pause.durationMinutes
    return { from, to: free, start, end: Math.max(end, free) }
  })
}

describe('figures', () => {
  test('are whole minutes from 0, and rows survive JSON unchanged', () => {
    forRandomDays('whole minutes', runPlan({ shift: anyShift }), plan => {
      for (const row of calculate(toInput(plan))) {
        for (const figure of figures) {
          expect(Number.isInteger(row[figure]) && row[figure] >= 0, `${nameOf(row)} ${figure} ${row[figure]}`).toBe(
            true,
          )
        }
        expect(JSON.parse(JSON.stringify(row))).toEqual(row)
      }
    })
  })

  test('equal the minutes in the reasons, and reasons change no figure', () => {
    forRandomDays('reasons', runPlan({ shift: anyShift }), plan => {
      const input = toInput(plan)
      const withoutReasons = calculate(input, false)
      const rows = calculate(input)
      expect(rows.map(row => ({ ...row, punches: [], reasons: [] }))).toEqual(withoutReasons)
      for (const row of rows) {
        for (const figure of figures)
          expect(minutesOf(row.reasons, figure), `${nameOf(row)} ${figure}`).toBe(row[figure])
        expect(explain(row).length).toBeGreaterThanOrEqual(row.punches.length + row.reasons.length + 1)
      }
    })
  })
})

test('I1: work, late, early, absent, leave and the excess of long breaks add up to the scheduled time', () => {
  const withoutThreshold = shift.map(original => ({
    ...original,
    breaks: original.breaks.map(pause => ({ ...pause, thresholdMinutes: 0 })),
  }))
  const plain = parameters.map(original => ({ ...original, deductGaps: false }))
  let checkedRows = 0
  let longBreaks = 0
  const days = forRandomDays('I1', runPlan({ shift: withoutThreshold, parameters: plain, isOver: true }), plan => {
    const input = toInput(plan)
    for (const row of calculate(input)) {
      const rowShift = shiftOf(row, input)
      if (!rowShift || row.kind !== 'work' || row.exceptions.some(exception => exception !== 'longBreak')) continue
      // A missing punch makes the sum smaller, even if the shift raises no exception.
      if (row.lastOut !== null && row.firstIn === null) continue
      if (row.lastOut === null && row.firstIn !== null && rowShift.noClockOut === 0) continue
      // Leave, a late in or an early out can shorten a slot. Then a punched break beyond the slot is no long break.
      const credited = row.reasons.filter(([rule]) => /^(present|tolerated)/.test(rule))
      const isCut = breaksOf(row, input).some(
        ({ from, to }) =>
          credited.reduce((sum, [, start, end]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0) <
          to - from,
      )
      if (isCut && row.punches.some(({ use }) => use === 'break')) continue
      checkedRows++
      if (row.longBreakMinutes > 0) longBreaks++
      const { workMinutes, lateMinutes, earlyLeaveMinutes, absentMinutes, leaveMinutes, longBreakMinutes } = row
      const sum = workMinutes + lateMinutes + earlyLeaveMinutes + absentMinutes + leaveMinutes + longBreakMinutes
      expect(sum, nameOf(row)).toBe(row.dutyMinutes)
    }
  })
  expect(checkedRows / days).toBeGreaterThan(0.25)
  expect(longBreaks / days).toBeGreaterThan(0.0025)
})

test('I4: an extra punch strictly between first and last and outside break times changes no figure', () => {
  const plain = parameters.map(original => ({ ...original, deductGaps: false }))
  const plans = fc.tuple(runPlan({ day: oneShiftADay, parameters: plain }), part)
  let checked = 0
  const days = forRandomDays('I4', plans, ([plan, share]) => {
    const input = toInput(plan)
    const before = calculate(input)
    const distance = input.parameters.bounceSeconds * 1000 + minute
    const extras = new Map<string, number>()
    for (const row of before) {
      if (row.firstIn === null || row.lastOut === null) continue
      const at = Math.floor(row.firstIn + (row.lastOut - row.firstIn) * share)
      // Neither the extra punch nor a punch near it may count as a repeat.
      const isNear = input.punches.some(punch => Math.abs(punch.at - at) < distance)
      const isInBreak = breaksOf(row, input).some(({ start, end }) => minuteOf(at) >= start && minuteOf(at) <= end)
      if (!isNear && !isInBreak) extras.set(nameOf(row), at)
    }
    const added = [...extras].map(([key, at]) => ({ at, key }))
    const after = byName(calculate({ ...input, punches: [...input.punches, ...added] }))
    for (const row of before) {
      const changedRow = after.get(nameOf(row))
      const inner = changedRow?.punches.find(({ key }) => key === nameOf(row))?.use
      if (!changedRow || inner !== 'inner') continue
      // The extra punch of a neighbouring row may move punches between the two rows.
      const others = usedPunches(changedRow).filter(({ key }) => key !== nameOf(row))
      if (
        others.map(({ key }) => key).join() !==
        usedPunches(row)
          .map(({ key }) => key)
          .join()
      )
        continue
      checked++
      for (const figure of figures) expect(changedRow[figure], `${nameOf(row)} ${figure}`).toBe(row[figure])
      expect([changedRow.firstIn, changedRow.lastOut]).toEqual([row.firstIn, row.lastOut])
    }
  })
  expect(checked / days).toBeGreaterThan(0.1)
})

test('I6: a later in-punch never reduces late minutes and never adds work minutes', () => {
  const plans = fc.tuple(runPlan({ day: oneShiftADay }), part)
  let checked = 0
  const days = forRandomDays('I6', plans, ([plan, share]) => {
    const input = toInput(plan)
    const before = calculate(input)
    const later = new Map<string, number>()
    for (const row of before) {
      const [first, next] = usedPunches(row)
      if (!first || !next || first.use !== 'in' || row.shift === null) continue
      const room = next.at - first.at - input.parameters.bounceSeconds * 1000 - minute
      if (room > 0) later.set(first.key, first.at + Math.floor(room * share))
    }
    const punches = input.punches.map(punch => ({ ...punch, at: later.get(punch.key) ?? punch.at }))
    const after = byName(calculate({ ...input, punches }))
    for (const row of before) {
      const changedRow = after.get(nameOf(row))
      if (
        !changedRow ||
        keysOf(changedRow) !== keysOf(row) ||
        row.firstIn === null ||
        changedRow.firstIn === row.firstIn
      )
        continue
      checked++
      expect(changedRow.lateMinutes, nameOf(row)).toBeGreaterThanOrEqual(row.lateMinutes)
      expect(changedRow.workMinutes, nameOf(row)).toBeLessThanOrEqual(row.workMinutes)
    }
  })
  expect(checked / days).toBeGreaterThan(0.1)
})

test('a week is the sum of its flexible days and its days without a shift', () => {
  let weeks = 0
  const days = forRandomDays('weeks', runPlan({ shift: fc.oneof(weeklyShift, shift) }), plan => {
    const input = toInput(plan)
    const rows = calculate(input)
    for (const { week } of rows) {
      if (!week) continue
      weeks++
      const days = rows.filter(row => row.day >= week.from && row.day <= week.to && row.dutyFrom === null)
      const sum = (figure: Figure, among = days) => among.reduce((minutes, row) => minutes + row[figure], 0)
      expect(week.workMinutes).toBe(sum('workMinutes'))
      const flexibleDays = days.filter(row => row.kind === 'flexible')
      // The engine rounds shares down to whole minutes per day, but the target once per week.
      const shares = sum('dutyMinutes', flexibleDays) - sum('leaveMinutes', flexibleDays)
      expect(Math.abs(week.targetMinutes - Math.max(0, shares))).toBeLessThanOrEqual(7)
      const open = week.targetMinutes - week.workMinutes
      expect(week.shortfallMinutes).toBe(week.settled ? Math.max(0, open) : 0)
      expect([0, week.settled ? Math.max(0, -open) : 0]).toContain(week.overtimeMinutes)
    }
  })
  expect(weeks / days).toBeGreaterThan(0.025)
})

test('the engine loses no punch: each counts for a shift or a date, or a row marks the punch as outside', () => {
  const plans = runPlan({ shift: anyShift }).map(plan => ({ ...plan, hiredOn: undefined, endsOn: undefined }))
  forRandomDays('no punch lost', plans, plan => {
    const input = toInput(plan)
    // The range covers every shift and every punch of the plan.
    const [from, to] = [dayName(dayNumber(input.from) - 10), dayName(dayNumber(input.to) + 10)]
    const uses = new Map<string, Use[]>()
    for (const row of calculate({ ...input, from, to })) {
      for (const { key, use } of row.punches) uses.set(key, [...(uses.get(key) ?? []), use])
    }
    for (const { key } of input.punches) {
      const all = uses.get(key) ?? []
      const counting = all.filter(use => use !== 'otherShift')
      const isTwice = counting.length === 2 && counting.some(use => use === 'handOver' || use === 'repeat')
      expect(counting.length === 1 || isTwice, `${key}: ${all.join()}`).toBe(true)
      if (counting.includes('outside')) expect(all).toEqual(['outside'])
    }
  })
})

test('seconds change no figure: every punch counts as its minute', () => {
  const plans = runPlan({ parameters: parameters.map(original => ({ ...original, bounceSeconds: 0 })) })
  forRandomDays('seconds', plans, plan => {
    const input = toInput(plan)
    // One punch per minute, because without seconds two punches could have the same instant.
    const distinct = [...new Map(input.punches.map(punch => [minuteOf(punch.at), punch])).values()]
    const cut = distinct.map(punch => ({ ...punch, at: minuteOf(punch.at) * minute }))
    const [rows, rowsCut] = [calculate({ ...input, punches: distinct }), calculate({ ...input, punches: cut })]
    expect(rows.map(row => figures.map(figure => row[figure]))).toEqual(
      rowsCut.map(row => figures.map(figure => row[figure])),
    )
  })
})
