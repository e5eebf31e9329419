import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate, marginDays } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber, weekStart } from '../../../shared/attendance/calendar.ts'
import type { Input, Request } from '../../../shared/attendance/input.ts'
import { minuteOf } from '../../../shared/attendance/punch.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { readingAt } from '../../../shared/attendance/zone.ts'
import {
  anyShift,
  byName,
  figures,
  fixedShift,
  forRandomDays,
  nameOf,
  runPlan,
  shift,
  steadyPlace,
  toInput,
  weeklyShift,
} from './random-run.ts'

const dayMs = 1440 * 60_000

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
