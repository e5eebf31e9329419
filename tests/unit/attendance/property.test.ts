import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate, marginDays } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber, weekStart } from '../../../shared/attendance/calendar.ts'
import { explain } from '../../../shared/attendance/explain.ts'
import type { Input, Request } from '../../../shared/attendance/input.ts'
import { minuteOf } from '../../../shared/attendance/punch.ts'
import type { Figure } from '../../../shared/attendance/reason.ts'
import { minutesOf } from '../../../shared/attendance/reason.ts'
import type { Row, Use } from '../../../shared/attendance/row.ts'
import { wallMinutes } from '../../../shared/attendance/wall-time.ts'
import { instantOf, readingAt } from '../../../shared/attendance/zone.ts'
import {
  dayPlan,
  daysPerRun,
  forRandomDays,
  oddShift,
  parameters,
  part,
  runPlan,
  shift,
  steadyPlace,
  toInput,
  weeklyShift,
} from './random-run.ts'

const minute = 60_000
const dayMs = 1440 * minute

const figures: Figure[] = [
  'dutyMinutes',
  'workMinutes',
  'lateMinutes',
  'earlyLeaveMinutes',
  'absentMinutes',
  'leaveMinutes',
  'overtimeMinutes',
  'breakMinutes',
  'longBreakMinutes',
]

const fixedShift = fc.oneof({ weight: 5, arbitrary: shift }, oddShift)
const anyShift = fc.oneof({ weight: 3, arbitrary: fixedShift }, weeklyShift)
const nameOf = (row: Row) => `${row.day} ${row.shift}`
const byName = (rows: Row[]) => new Map(rows.map(row => [nameOf(row), row]))

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
      // The extra punch of the previous day may belong to the row too.
      if (usedPunches(changedRow).length !== usedPunches(row).length + 1) continue
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

test('a later calculation of the same facts changes no worked, leave or break minutes', () => {
  const timelessFigures = figures.filter(
    figure => !['lateMinutes', 'earlyLeaveMinutes', 'absentMinutes'].includes(figure),
  )
  let pending = 0
  const days = forRandomDays('time', runPlan({ shift: anyShift }), plan => {
    const input = toInput(plan)
    const after = byName(calculate({ ...input, asOf: toInput({ ...plan, asOfDay: undefined }).asOf }))
    for (const row of calculate(input)) {
      if (row.state === 'pending') pending++
      const changedRow = after.get(nameOf(row))
      expect(changedRow?.state, nameOf(row)).toBe('final')
      for (const figure of timelessFigures) expect(changedRow?.[figure], `${nameOf(row)} ${figure}`).toBe(row[figure])
    }
  })
  expect(pending / days).toBeGreaterThan(0.025)
})

describe('the same facts', () => {
  test('in any order and sent twice give the same rows, and so does a second calculation', () => {
    const plans = fc.tuple(runPlan({ shift: anyShift }), fc.integer())
    forRandomDays('order', plans, ([plan, seed]) => {
      const input = toInput(plan)
      const shuffle = <T>(list: readonly T[]) =>
        list
          .map((item, index) => ({ item, place: Math.imul(index + 1, seed | 1) }))
          .sort((a, b) => a.place - b.place)
          .map(({ item }) => item)
      const rows = calculate(input)
      const again = calculate({
        ...input,
        punches: shuffle([...input.punches, ...input.punches.slice(0, 3)].map(punch => ({ ...punch }))),
        schedule: shuffle([...input.schedule, ...input.schedule.slice(0, 2)]),
        requests: shuffle<Request>([...input.requests, ...input.requests]),
        holidays: shuffle([...input.holidays, ...input.holidays]),
        shifts: structuredClone(input.shifts),
      })
      expect(again).toEqual(rows)
      expect(calculate(input)).toEqual(rows)
    })
  })

  test('split into shorter ranges, each with the days around it, give the same rows', () => {
    forRandomDays('splitting', runPlan({}), plan => {
      const input = toInput(plan)
      const rowsOf = (from: number, to: number): Row[] => {
        const first = dayNumber(input.from)
        const isNear = (day: number) => day >= first + from - marginDays && day <= first + to + marginDays
        return calculate({
          ...input,
          from: dayName(first + from),
          to: dayName(first + to),
          schedule: input.schedule.filter(({ day }) => isNear(dayNumber(day))),
          punches: input.punches.filter(({ at }) => isNear(Math.floor(readingAt(input.zone, minuteOf(at)) / 1440))),
        })
      }
      expect([...rowsOf(0, 3), ...rowsOf(4, 6), ...rowsOf(7, 9)]).toEqual(calculate(input))
    })
  })

  test('of a flexible week alone, with the days around the week, give the same rows', () => {
    forRandomDays('weeks alone', runPlan({ shift: fc.oneof(weeklyShift, shift) }), plan => {
      const input = toInput(plan)
      const [first, last] = [dayNumber(input.from) - marginDays, dayNumber(input.to) + marginDays]
      // The first week that the schedule fully contains. The plan is two weeks long.
      const from = weekStart(first + 6, input.parameters.firstWeekday)
      const isNear = (day: number) => day >= from - marginDays && day <= from + 6 + marginDays
      const week = { from: dayName(from), to: dayName(from + 6) }
      const alone = calculate({
        ...input,
        ...week,
        schedule: input.schedule.filter(({ day }) => isNear(dayNumber(day))),
        punches: input.punches.filter(({ at }) => isNear(Math.floor(readingAt(input.zone, minuteOf(at)) / 1440))),
      })
      const rows = calculate({ ...input, from: dayName(first), to: dayName(last) })
      expect(alone).toEqual(rows.filter(({ day }) => day >= week.from && day <= week.to))
    })
  })

  test('of one employee do not affect the rows of another employee, in either order', () => {
    const plans = fc.tuple(runPlan({}), runPlan({}))
    forRandomDays('two employees', plans, ([first, second]) => {
      const [a, b] = [toInput(first), toInput({ ...second, shifts: first.shifts, place: first.place })]
      const [rowsA, rowsB] = [calculate(a), calculate(b)]
      expect([calculate(b), calculate(a)]).toEqual([rowsB, rowsA])
    })
  })

  test('moved by whole days in a zone without clock changes give the same figures', () => {
    const plans = fc.tuple(runPlan({ place: steadyPlace, shift: fixedShift }), fc.integer({ min: -400, max: 400 }))
    forRandomDays('moved', plans, ([plan, days]) => {
      const input = toInput(plan)
      const movedRow = (row: Row) => ({
        ...row,
        inputHash: '',
        day: dayNumber(row.day),
        closesAt: row.closesAt,
        ...Object.fromEntries(
          (['dutyFrom', 'dutyTo', 'firstIn', 'lastOut', 'closesAt'] as const).map(field => [field, row[field] ?? 0]),
        ),
      })
      const moveBack = (row: Row): Row => ({
        ...row,
        day: dayName(dayNumber(row.day) - days),
        closesAt: row.closesAt - days * dayMs,
        dutyFrom: row.dutyFrom === null ? null : row.dutyFrom - days * dayMs,
        dutyTo: row.dutyTo === null ? null : row.dutyTo - days * dayMs,
        firstIn: row.firstIn === null ? null : row.firstIn - days * dayMs,
        lastOut: row.lastOut === null ? null : row.lastOut - days * dayMs,
        punches: row.punches.map(punch => ({ ...punch, at: punch.at - days * dayMs })),
        reasons: row.reasons.map(([rule, from, to]) =>
          from === 0 ? [rule, from, to] : [rule, from - days * 1440, to - days * 1440],
        ),
      })
      expect(calculate(move(input, days)).map(row => movedRow(moveBack(row)))).toEqual(calculate(input).map(movedRow))
    })
  })

  const move = (input: Input, days: number): Input => {
    const later = (day: string) => dayName(dayNumber(day) + days)
    const { hireDay, endDay } = input.employee
    return {
      ...input,
      from: later(input.from),
      to: later(input.to),
      asOf: input.asOf + days * dayMs,
      employee: {
        ...(hireDay !== undefined && { hireDay: later(hireDay) }),
        ...(endDay !== undefined && { endDay: later(endDay) }),
      },
      schedule: input.schedule.map(entry => ({ ...entry, day: later(entry.day) })),
      punches: input.punches.map(punch => ({ ...punch, at: punch.at + days * dayMs })),
      requests: input.requests.map(request =>
        'fromDay' in request
          ? { ...request, fromDay: later(request.fromDay), toDay: later(request.toDay) }
          : { ...request, from: request.from + days * dayMs, to: request.to + days * dayMs },
      ),
      holidays: input.holidays.map(later),
      ...(input.uploadedTo !== undefined && { uploadedTo: input.uploadedTo + days * dayMs }),
    }
  }
})

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
