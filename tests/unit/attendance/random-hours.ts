import fc from 'fast-check'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import type { HourContext } from '../../../shared/attendance/hours/row-hours.ts'
import type { BaseRule, ExtraRule, HourSet, Window } from '../../../shared/attendance/hours/set.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import type { HolidayPart } from '../../../shared/attendance/part-holiday.ts'
import type { Rounding } from '../../../shared/attendance/rounding.ts'
import { wallTime } from '../../../shared/attendance/wall-time.ts'
import { anyShift, daysPerRun, type RunPlan, runPlan, toInput } from './random-run.ts'

// Random hour sets over random days.

const time = fc.oneof(fc.constantFrom(0, 240, 360, 1200, 1320, 1380), fc.integer({ min: 0, max: 1439 }))

const window: fc.Arbitrary<Window> = fc
  .record({ from: time, lasts: fc.integer({ min: 1, max: 1439 }), least: fc.constantFrom(0, 0, 30, 121, 300) })
  .map(({ from, lasts, least }) => ({
    from: wallTime(from),
    to: wallTime((from + lasts) % 1440),
    ...(least > 0 && { least }),
  }))

const weekdays = fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 })

/** A condition is absent in most rules, so that rules also hold. */
const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1, nil: undefined })
const mostly = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

const conditions = {
  overtime: mostly(fc.constant(true as const)),
  holiday: mostly(fc.constantFrom('clock' as const, 'day' as const)),
  rest: mostly(fc.constant(true as const)),
  weekdays: mostly(weekdays),
  by: seldom(fc.constantFrom('clock' as const, 'day' as const)),
  window: mostly(window),
  begunDayBefore: mostly(fc.constant(true as const)),
  dayOver: mostly(fc.constantFrom(60, 240, 480, 720)),
  consecutiveDay: mostly(fc.integer({ min: 2, max: 7 })),
}

const withoutAbsent = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T

const baseRule = fc
  .record({
    ...{ kind: fc.constantFrom('A', 'B', 'C', 'D'), ...conditions },
    weekOver: mostly(fc.constantFrom(600, 1200, 2400)),
    fillsWeek: mostly(fc.boolean()),
  })
  .map(rule => withoutAbsent(rule) as BaseRule)

const extraRule = fc
  .record({
    ...{ kind: fc.constantFrom('X', 'Y', 'Z'), ...conditions },
    unless: mostly(fc.subarray(['X', 'Y', 'Z'], { minLength: 1 })),
  })
  .map(rule => withoutAbsent(rule) as ExtraRule)

export const hourSet: fc.Arbitrary<HourSet> = fc
  .record({
    version: fc.integer({ min: 1, max: 3 }),
    base: fc.array(baseRule, { maxLength: 5 }),
    extra: fc
      .tuple(fc.boolean(), fc.array(extraRule, { maxLength: 4 }))
      .map(([hasHoliday, others]) => [...(hasHoliday ? [{ kind: 'HOL', holiday: 'clock' as const }] : []), ...others]),
    dayOf: fc.constantFrom(undefined, 'workDay' as const, 'clock' as const),
    last: fc.constantFrom('N', 'A'),
  })
  .map(({ last, base, dayOf, ...rest }) => ({
    ...rest,
    base: [...base, { kind: last }],
    ...(dayOf && { dayOf }),
  }))

const partHoliday: fc.Arbitrary<HolidayPart> = fc.oneof(
  fc.constant('half' as const),
  fc
    .record({ from: time, lasts: fc.integer({ min: 1, max: 1439 }), edge: fc.nat({ max: 2 }) })
    .map(({ from, lasts, edge }) => ({
      ...(edge !== 1 && { from: wallTime(from) }),
      ...(edge !== 2 && { to: wallTime(Math.min(1439, from + lasts)) }),
    })),
)

const rounding: fc.Arbitrary<Rounding> = fc.record({
  mode: fc.constantFrom(0 as const, 1 as const, 2 as const),
  unit: fc.constantFrom(0, 1, 5, 7, 15, 60),
})

export interface HourPlan {
  run: RunPlan
  set: HourSet
  parts: { day: number; part: HolidayPart }[]
  byClock: boolean
  inPairs: boolean
  lockedDay: number
  rounding: Record<'work' | 'overtime', Rounding>
}

export const hourPlan: fc.Arbitrary<HourPlan> = fc.record({
  run: runPlan({ shift: anyShift }),
  set: hourSet,
  parts: fc.array(fc.record({ day: fc.nat({ max: daysPerRun }), part: partHoliday }), { maxLength: 3 }),
  byClock: fc.boolean(),
  inPairs: fc.boolean(),
  lockedDay: fc.nat({ max: daysPerRun - 1 }),
  rounding: fc.record({ work: rounding, overtime: rounding }),
})

/** The engine's input for a plan. */
export const hourInput = ({ run, parts, byClock, inPairs }: HourPlan): Input => {
  const input = toInput(run)
  const isPart = (day: string) => parts.some(part => dayName(dayNumber(input.from) + part.day) === day)
  return {
    ...input,
    holidays: input.holidays.filter(day => !isPart(day)),
    choices: {
      ...(byClock && { holidayBy: 'clock' }),
      ...(inPairs && { pairsWithoutShift: true }),
      partHolidays: parts.map(({ day, part }) => ({ day: dayName(dayNumber(input.from) + day), part })),
    },
  }
}

export const hourContext = ({ parameters, holidays, choices }: Input): HourContext => ({
  ...{ firstWeekday: parameters.firstWeekday, splitTime: parameters.splitTime },
  holidays: [...holidays.map(day => ({ day })), ...(choices?.partHolidays ?? [])],
})
