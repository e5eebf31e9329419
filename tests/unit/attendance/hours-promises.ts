import assert from 'node:assert/strict'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import { kindMinutes, roundKinds } from '../../../shared/attendance/hours/round.ts'
import type { HourPiece, RowHours } from '../../../shared/attendance/hours/row-hours.ts'
import { splitHours } from '../../../shared/attendance/hours/split.ts'
import type { HeldDay } from '../../../shared/attendance/hours/tally.ts'
import { roundMinutes } from '../../../shared/attendance/rounding.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import { type KindMinute, modelHours, modelRounding } from './minute-hours.ts'
import { type HourPlan, hourContext, hourInput } from './random-hours.ts'

// The promises of hour kinds for any days and any set. The property test and the planted mistakes share them.

/** Converts timestamps to instants, so that equal instants with different offsets are equal. */
export const asInstants = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asInstants)
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*(\d|Z)$/.test(value) ? new Date(value).toISOString() : value
}

const nameOf = (row: Row) => `${row.day} ${row.shift}`
const byName = (hours: Map<Row, RowHours>) =>
  Object.fromEntries(
    [...hours].map(([row, ofRow]) => [nameOf(row), ofRow] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const minutesOf = (pieces: readonly HourPiece[]) => pieces.reduce((sum, { from, to }) => sum + to - from, 0)

/** Each minute of a row with its rules, as the model lists it. */
const asMinutes = ({ base, extra }: RowHours): Omit<KindMinute, 'fills'>[] =>
  base.flatMap(({ from, to, rule, figure }) =>
    Array.from({ length: to - from }, (_, index) => ({
      minute: from + index,
      figure,
      base: rule,
      extra: extra
        .filter(piece => piece.from <= from + index && from + index < piece.to)
        .map(piece => piece.rule)
        .sort((a, b) => a - b),
    })),
  )

const sum = (kinds: Record<string, number>) => Object.values(kinds).reduce((total, minutes) => total + minutes, 0)

/** Base kinds add up to work and overtime, in minutes and in every rounding. */
export const addsUp = (plan: HourPlan): void => {
  const input = hourInput(plan)
  const { work, overtime } = plan.rounding
  for (const [row, hours] of splitHours(calculate(input), plan.set, hourContext(input))) {
    assert.equal(minutesOf(hours.base), row.workMinutes + row.overtimeMinutes, nameOf(row))
    assert.equal(hours.paid, row.workMinutes + row.overtimeMinutes)
    assert.equal(sum(kindMinutes(hours.base)), hours.paid)
    const rounded = roundKinds(hours, plan.rounding)
    const printed = roundMinutes(row.workMinutes, work) + roundMinutes(row.overtimeMinutes, overtime)
    assert.equal(sum(rounded.base), printed, nameOf(row))
    hours.base.forEach(({ from, to }, index) => {
      assert.ok(from < to && from >= (hours.base[index - 1]?.to ?? 0), 'base pieces are in order')
    })
  }
}

/** The spans give every minute what the minute-by-minute model gives it, also rounded. */
export const equalsModel = (plan: HourPlan): void => {
  const input = hourInput(plan)
  const rows = calculate(input)
  const context = hourContext(input)
  const model = modelHours(rows, plan.set, context)
  const hours = splitHours(rows, plan.set, context)
  assert.equal(hours.size, model.size)
  for (const [row, ofRow] of hours) {
    const minutes = model.get(row) ?? []
    const expected = minutes.map(({ fills: _, ...minute }) => minute)
    assert.deepEqual(asMinutes(ofRow), expected, nameOf(row))
    assert.equal(ofRow.fills, minutes.filter(({ fills }) => fills).length, nameOf(row))
    assert.deepEqual(roundKinds(ofRow, plan.rounding), modelRounding(minutes, plan.set, plan.rounding), nameOf(row))
  }
}

/** Neither the order of punches nor of rows matters, and a second run gives the same hashes. */
export const ignoresOrder = (plan: HourPlan): void => {
  const input = hourInput(plan)
  const context = hourContext(input)
  const once = byName(splitHours(calculate(input), plan.set, context))
  const turned = { ...input, punches: input.punches.toReversed(), schedule: input.schedule.toReversed() }
  const rows = calculate(turned).reverse()
  assert.deepEqual(byName(splitHours(rows, structuredClone(plan.set), context)), once)
  assert.deepEqual(JSON.parse(JSON.stringify(once)), once)
  assert.deepEqual(byName(splitHours(calculate(input, 'minutes'), plan.set, context)), once)
}

/** Locked days that hold their minutes leave the later days as they would be without a lock. */
export const survivesLock = (plan: HourPlan): void => {
  const input = hourInput(plan)
  const set = { ...plan.set, dayOf: 'workDay' as const }
  const to = dayName(dayNumber(input.from) + plan.lockedDay)
  const context = hourContext(input)
  // The overtime of a week that a lock cuts is judged with the locked rows, by the engine.
  const rows = calculate(input).map(({ week: _, ...row }) => row)
  const free = splitHours(rows, set, context)
  const days = new Map<string, HeldDay>()
  for (const [{ day }, { paid, fills }] of free) {
    const held = days.get(day) ?? { day, paid: 0, fills: 0 }
    days.set(day, { day, paid: held.paid + paid, fills: held.fills + fills })
  }
  const held = [...days.values()].filter(({ day }) => day <= to)
  // A night can reach into the next day, whose row then starts before the night ends.
  const ends = Math.max(...[...free].map(([row, { base }]) => (row.day <= to ? (base.at(-1)?.to ?? 0) : 0)))
  if ([...free].some(([row, { base }]) => row.day > to && (base[0]?.from ?? ends) < ends)) return
  const locked = splitHours(rows, set, { ...context, locked: { to, days: held } })
  for (const [row, hours] of free) {
    if (row.day <= to) assert.equal(locked.has(row), false)
    else assert.deepEqual(locked.get(row), hours, nameOf(row))
  }
}
