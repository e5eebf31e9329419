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
const name = (row: Row) => `${row.day} ${row.shift}`
const byName = (rows: Row[]) => new Map(rows.map(row => [name(row), row]))

/** The days of a run without a second shift, so that no punch can change hands. */
const oneShiftADay = dayPlan.map(plan => ({ ...plan, shifts: plan.shifts.slice(0, 1) }))

const usedOf = (row: Row) => row.punches.filter(({ use }) => use !== 'outside' && use !== 'otherShift')
const keysOf = (row: Row) =>
  usedOf(row)
    .map(({ key }) => key)
    .join()
const shiftOf = (row: Row, { shifts }: Input) => (row.shift === null ? undefined : shifts[row.shift])

/** A wall time of a row's shift as an instant in minutes. */
const wallInstant = (row: Row, text: string) => instantOf(row.zone, dayNumber(row.day) * 1440 + wallMinutes(text))

/** The slot of each break of a row's shift, and the time in which its punches are looked for. */
const breaksOf = (row: Row, input: Input) => {
  let free = Number.NEGATIVE_INFINITY
  return (shiftOf(row, input)?.breaks ?? []).map(rest => {
    const [start, end] = [wallInstant(row, rest.start), wallInstant(row, rest.end)]
    const from = Math.max(start, free)
    free = from + rest.durationMinutes
    return { from, to: free, start, end: Math.max(end, free) }
  })
}

describe('figures', () => {
  test('are whole minutes, never negative, and survive being stored', () => {
    forRandomDays('whole minutes', runPlan({ shift: anyShift }), plan => {
      for (const row of calculate(toInput(plan))) {
        for (const figure of figures) {
          expect(Number.isInteger(row[figure]) && row[figure] >= 0, `${name(row)} ${figure} ${row[figure]}`).toBe(true)
        }
        expect(JSON.parse(JSON.stringify(row))).toEqual(row)
      }
    })
  })

  test('are the minutes the reasons name, and reasons change no figure', () => {
    forRandomDays('reasons', runPlan({ shift: anyShift }), plan => {
      const input = toInput(plan)
      const bare = calculate(input, false)
      const rows = calculate(input)
      expect(rows.map(row => ({ ...row, punches: [], reasons: [] }))).toEqual(bare)
      for (const row of rows) {
        for (const figure of figures) expect(minutesOf(row.reasons, figure), `${name(row)} ${figure}`).toBe(row[figure])
        expect(explain(row).length).toBeGreaterThanOrEqual(row.punches.length + row.reasons.length + 1)
      }
    })
  })
})

test('I1: work, late, early, absent, leave and the excess of long breaks are the duty', () => {
  const withoutThreshold = shift.map(given => ({
    ...given,
    breaks: given.breaks.map(rest => ({ ...rest, thresholdMinutes: 0 })),
  }))
  const plain = parameters.map(given => ({ ...given, deductGaps: false }))
  let promised = 0
  let long = 0
  const days = forRandomDays('I1', runPlan({ shift: withoutThreshold, parameters: plain, isOver: true }), plan => {
    const input = toInput(plan)
    for (const row of calculate(input)) {
      const given = shiftOf(row, input)
      if (!given || row.kind !== 'work' || row.exceptions.some(exception => exception !== 'longBreak')) continue
      // A missing punch is open also where the shift raises no exception for it.
      if (row.lastOut !== null && row.firstIn === null) continue
      if (row.lastOut === null && row.firstIn !== null && given.noClockOut === 0) continue
      // What was punched beyond a slot that is cut by leave, in or out is more than the slot, yet no long break.
      const credited = row.reasons.filter(([rule]) => /^(present|tolerated)/.test(rule))
      const isCut = breaksOf(row, input).some(
        ({ from, to }) =>
          credited.reduce((sum, [, start, end]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0) <
          to - from,
      )
      if (isCut && row.punches.some(({ use }) => use === 'break')) continue
      promised++
      if (row.longBreakMinutes > 0) long++
      const { workMinutes, lateMinutes, earlyLeaveMinutes, absentMinutes, leaveMinutes, longBreakMinutes } = row
      const sum = workMinutes + lateMinutes + earlyLeaveMinutes + absentMinutes + leaveMinutes + longBreakMinutes
      expect(sum, name(row)).toBe(row.dutyMinutes)
    }
  })
  expect(promised / days).toBeGreaterThan(0.25)
  expect(long / days).toBeGreaterThan(0.0025)
})

test('I4: an extra punch strictly between first and last and outside break times changes no figure', () => {
  const plain = parameters.map(given => ({ ...given, deductGaps: false }))
  const plans = fc.tuple(runPlan({ day: oneShiftADay, parameters: plain }), part)
  let checked = 0
  const days = forRandomDays('I4', plans, ([plan, share]) => {
    const input = toInput(plan)
    const before = calculate(input)
    const apart = input.parameters.bounceSeconds * 1000 + minute
    const extras = new Map<string, number>()
    for (const row of before) {
      if (row.firstIn === null || row.lastOut === null) continue
      const at = Math.floor(row.firstIn + (row.lastOut - row.firstIn) * share)
      // Not a repeat of another punch, and none of it.
      const isNear = input.punches.some(punch => Math.abs(punch.at - at) < apart)
      const isInBreak = breaksOf(row, input).some(({ start, end }) => minuteOf(at) >= start && minuteOf(at) <= end)
      if (!isNear && !isInBreak) extras.set(name(row), at)
    }
    const added = [...extras].map(([key, at]) => ({ at, key }))
    const after = byName(calculate({ ...input, punches: [...input.punches, ...added] }))
    for (const row of before) {
      const now = after.get(name(row))
      const inner = now?.punches.find(({ key }) => key === name(row))?.use
      if (!now || inner !== 'inner') continue
      // The day before may have got a punch of its own that lies in this one, too.
      if (usedOf(now).length !== usedOf(row).length + 1) continue
      checked++
      for (const figure of figures) expect(now[figure], `${name(row)} ${figure}`).toBe(row[figure])
      expect([now.firstIn, now.lastOut]).toEqual([row.firstIn, row.lastOut])
    }
  })
  expect(checked / days).toBeGreaterThan(0.1)
})

test('I6: a later in-punch never lowers late and never raises work', () => {
  const plans = fc.tuple(runPlan({ day: oneShiftADay }), part)
  let checked = 0
  const days = forRandomDays('I6', plans, ([plan, share]) => {
    const input = toInput(plan)
    const before = calculate(input)
    const later = new Map<string, number>()
    for (const row of before) {
      const [first, next] = usedOf(row)
      if (!first || !next || first.use !== 'in' || row.shift === null) continue
      const room = next.at - first.at - input.parameters.bounceSeconds * 1000 - minute
      if (room > 0) later.set(first.key, first.at + Math.floor(room * share))
    }
    const punches = input.punches.map(punch => ({ ...punch, at: later.get(punch.key) ?? punch.at }))
    const after = byName(calculate({ ...input, punches }))
    for (const row of before) {
      const now = after.get(name(row))
      if (!now || keysOf(now) !== keysOf(row) || row.firstIn === null || now.firstIn === row.firstIn) continue
      checked++
      expect(now.lateMinutes, name(row)).toBeGreaterThanOrEqual(row.lateMinutes)
      expect(now.workMinutes, name(row)).toBeLessThanOrEqual(row.workMinutes)
    }
  })
  expect(checked / days).toBeGreaterThan(0.1)
})

test('a week is the sum of its flexible days and of its days without a shift', () => {
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
      const asked = days.filter(row => row.kind === 'flexible')
      // Shares are cut to whole minutes day by day, the target once for the week.
      const shares = sum('dutyMinutes', asked) - sum('leaveMinutes', asked)
      expect(Math.abs(week.targetMinutes - Math.max(0, shares))).toBeLessThanOrEqual(7)
      const open = week.targetMinutes - week.workMinutes
      expect(week.shortfallMinutes).toBe(week.settled ? Math.max(0, open) : 0)
      expect([0, week.settled ? Math.max(0, -open) : 0]).toContain(week.overtimeMinutes)
    }
  })
  expect(weeks / days).toBeGreaterThan(0.025)
})

test('no punch is lost: each counts for a shift or a date, or a row says that it is outside', () => {
  const plans = runPlan({ shift: anyShift }).map(plan => ({ ...plan, hiredOn: undefined, endsOn: undefined }))
  forRandomDays('no punch lost', plans, plan => {
    const input = toInput(plan)
    // Wide enough for every shift and every punch of the plan.
    const [from, to] = [dayName(dayNumber(input.from) - 10), dayName(dayNumber(input.to) + 10)]
    const uses = new Map<string, Use[]>()
    for (const row of calculate({ ...input, from, to })) {
      for (const { key, use } of row.punches) uses.set(key, [...(uses.get(key) ?? []), use])
    }
    for (const { key } of input.punches) {
      const all = uses.get(key) ?? []
      const told = all.filter(use => use !== 'otherShift')
      const isTwice = told.length === 2 && told.some(use => use === 'handOver' || use === 'repeat')
      expect(told.length === 1 || isTwice, `${key}: ${all.join()}`).toBe(true)
      if (told.includes('outside')) expect(all).toEqual(['outside'])
    }
  })
})

test('the passing of time alone changes nothing that was worked, left or taken', () => {
  const settled = figures.filter(figure => !['lateMinutes', 'earlyLeaveMinutes', 'absentMinutes'].includes(figure))
  let pending = 0
  const days = forRandomDays('time', runPlan({ shift: anyShift }), plan => {
    const input = toInput(plan)
    const after = byName(calculate({ ...input, asOf: toInput({ ...plan, asOfDay: undefined }).asOf }))
    for (const row of calculate(input)) {
      if (row.state === 'pending') pending++
      const now = after.get(name(row))
      expect(now?.state, name(row)).toBe('final')
      for (const figure of settled) expect(now?.[figure], `${name(row)} ${figure}`).toBe(row[figure])
    }
  })
  expect(pending / days).toBeGreaterThan(0.025)
})

describe('the same facts', () => {
  test('in any order, sent twice, give the same rows; so does a second look', () => {
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

  test('a flexible week asked for alone, with the days around it, gives the same rows', () => {
    forRandomDays('weeks alone', runPlan({ shift: fc.oneof(weeklyShift, shift) }), plan => {
      const input = toInput(plan)
      const [first, last] = [dayNumber(input.from) - marginDays, dayNumber(input.to) + marginDays]
      // The first week that the schedule holds wholly; the plan is two weeks long.
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

  test('of two employees, calculated in either order, do not touch each other', () => {
    const plans = fc.tuple(runPlan({}), runPlan({}))
    forRandomDays('two employees', plans, ([one, other]) => {
      const [a, b] = [toInput(one), toInput({ ...other, shifts: one.shifts, place: one.place })]
      const [rowsA, rowsB] = [calculate(a), calculate(b)]
      expect([calculate(b), calculate(a)]).toEqual([rowsB, rowsA])
    })
  })

  test('moved by whole days in a zone without clock changes give the same figures', () => {
    const plans = fc.tuple(runPlan({ place: steadyPlace, shift: fixedShift }), fc.integer({ min: -400, max: 400 }))
    forRandomDays('moved', plans, ([plan, days]) => {
      const input = toInput(plan)
      const moved = (row: Row) => ({
        ...row,
        inputHash: '',
        day: dayNumber(row.day),
        closesAt: row.closesAt,
        ...Object.fromEntries(
          (['dutyFrom', 'dutyTo', 'firstIn', 'lastOut', 'closesAt'] as const).map(field => [field, row[field] ?? 0]),
        ),
      })
      const back = (row: Row): Row => ({
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
      expect(calculate(move(input, days)).map(row => moved(back(row)))).toEqual(calculate(input).map(moved))
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
  test('is equal where nothing changed and differs where the row does', () => {
    const plans = fc.tuple(runPlan({ shift: anyShift }), runPlan({ shift: anyShift }), fc.nat({ max: daysPerRun + 3 }))
    let changed = 0
    let same = 0
    const days = forRandomDays('hash', plans, ([plan, other, at]) => {
      const days = plan.days.map((day, index) => (index === at ? (other.days[index] ?? day) : day))
      const before = calculate(toInput(plan))
      const after = byName(calculate(toInput({ ...plan, days })))
      for (const row of before) {
        const now = after.get(name(row))
        if (!now) continue
        const isSame = JSON.stringify(now) === JSON.stringify({ ...row, inputHash: now.inputHash })
        if (!isSame) {
          changed++
          expect(now.inputHash, name(row)).not.toBe(row.inputHash)
        } else if (now.inputHash === row.inputHash) same++
      }
    })
    expect(changed / days).toBeGreaterThan(0.025)
    expect(same / days).toBeGreaterThan(0.5)
  })

  test('differs where one fact more changes the row', () => {
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
        { ...input, punches: input.punches.map(one => ({ ...one, key: `${one.key}!` })) },
        { ...input, punches: punch ? [...input.punches, { ...punch, at: punch.at + 1000, key: 'extra' }] : [] },
      ]
      for (const one of inputs) {
        const after = byName(calculate(one))
        for (const row of before) {
          const now = after.get(name(row))
          if (!now || JSON.stringify(now) === JSON.stringify({ ...row, inputHash: now.inputHash })) continue
          changed++
          expect(now.inputHash, name(row)).not.toBe(row.inputHash)
        }
      }
    })
    expect(changed / days).toBeGreaterThan(0.25)
  })

  test('differs where a rule of the shift or of the company changes the row', () => {
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
          const now = after.get(name(row))
          if (!now || JSON.stringify(now) === JSON.stringify({ ...row, inputHash: now.inputHash })) continue
          expect(now.inputHash, name(row)).not.toBe(row.inputHash)
        }
      }
    })
  })
})

test('seconds never move a figure: every punch counts as its minute', () => {
  const plans = runPlan({ parameters: parameters.map(given => ({ ...given, bounceSeconds: 0 })) })
  forRandomDays('seconds', plans, plan => {
    const input = toInput(plan)
    // One punch a minute, so that cutting the seconds makes no two the same instant.
    const once = [...new Map(input.punches.map(punch => [minuteOf(punch.at), punch])).values()]
    const cut = once.map(punch => ({ ...punch, at: minuteOf(punch.at) * minute }))
    const [rows, rowsCut] = [calculate({ ...input, punches: once }), calculate({ ...input, punches: cut })]
    expect(rows.map(row => figures.map(figure => row[figure]))).toEqual(
      rowsCut.map(row => figures.map(figure => row[figure])),
    )
  })
})
