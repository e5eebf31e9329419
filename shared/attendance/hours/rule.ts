import { weekday } from '../calendar.ts'
import type { Span } from '../span.ts'
import type { Piece } from './clock.ts'
import { cutsOf, partsOf } from './clock.ts'
import type { HolidayBook } from './holiday.ts'
import { isOnHoliday } from './holiday.ts'
import type { BaseRule, ExtraRule, HourConditions, HourSet } from './set.ts'
import { fillsWeek } from './set.ts'

// The conditions of a rule that do not depend on earlier minutes (rules 2, 8, 10 and 11).

export interface CompiledRule {
  readonly kind: string
  readonly conditions: HourConditions
  /** Whether the window holds in each part of the day; undefined without a window. */
  readonly parts: readonly boolean[] | undefined
  readonly least: number
  readonly dayOver: number
  readonly weekOver: number
  readonly consecutiveDay: number | undefined
  readonly fills: boolean
  readonly unless: readonly string[] | undefined
  /** Whether the rule has no conditions beside `dayOver`, `weekOver` and `consecutiveDay`. */
  readonly isPlain: boolean
}

export interface CompiledSet {
  readonly base: readonly CompiledRule[]
  readonly extra: readonly CompiledRule[]
  readonly cuts: readonly number[]
  readonly asksHoliday: boolean
  /** Windows with a least number of minutes. */
  readonly hasLeast: boolean
  readonly byClock: boolean
  readonly version: number
}

const compiledSets = new WeakMap<HourSet, CompiledSet>()

const compileRule = (rule: BaseRule & ExtraRule, cuts: readonly number[]): CompiledRule => ({
  kind: rule.kind,
  conditions: rule,
  parts: rule.window && partsOf(rule.window, cuts),
  least: rule.window?.least ?? 0,
  dayOver: rule.dayOver ?? 0,
  weekOver: rule.weekOver ?? 0,
  consecutiveDay: rule.consecutiveDay,
  fills: fillsWeek(rule),
  unless: rule.unless,
  isPlain: !(rule.overtime || rule.holiday || rule.rest || rule.weekdays || rule.window || rule.begunDayBefore),
})

/** Prepares a set once. Do not change a set after passing it. */
export const compileSet = (set: HourSet): CompiledSet => {
  const known = compiledSets.get(set)
  if (known) return known
  const cuts = cutsOf(set)
  const all: readonly HourConditions[] = [...set.base, ...set.extra]
  const compiled: CompiledSet = {
    base: set.base.map(rule => compileRule(rule, cuts)),
    extra: set.extra.map(rule => compileRule(rule, cuts)),
    cuts,
    asksHoliday: all.some(({ holiday }) => holiday !== undefined),
    hasLeast: all.some(({ window }) => (window?.least ?? 0) > 0),
    byClock: set.dayOf === 'clock',
    version: set.version ?? 0,
  }
  compiledSets.set(set, compiled)
  return compiled
}

/** The facts of a row that conditions ask for. */
export interface RowFacts {
  readonly workDay: number
  readonly isRest: boolean
  /** The date of the row's first paid minute. */
  readonly begunOn: number
  readonly holidays: HolidayBook
  /** The minutes of holidays of a part around the row. */
  readonly holidayParts: readonly Span[]
  /** The row's paid minutes in each part of the day; undefined if no window asks. */
  readonly minutesInParts: readonly number[] | undefined
}

/** Rule 10: whether enough of a row's paid minutes lie in the window. */
const hasLeast = ({ parts, least }: CompiledRule, minutesInParts: readonly number[] | undefined): boolean => {
  if (least === 0) return true
  let minutes = 0
  parts?.forEach((holds, part) => {
    if (holds) minutes += minutesInParts?.[part] ?? 0
  })
  return minutes >= least
}

/** Whether the conditions hold for a piece that do not depend on earlier minutes. */
export const holdsFor = (rule: CompiledRule, piece: Piece, facts: RowFacts): boolean => {
  if (rule.isPlain) return true
  const { overtime, holiday, rest, weekdays, by, begunDayBefore } = rule.conditions
  if (overtime && !piece.isOvertime) return false
  if (rest && !facts.isRest) return false
  if (rule.parts && !(rule.parts[piece.part] && hasLeast(rule, facts.minutesInParts))) return false
  if (weekdays && !weekdays.includes(weekday(by === 'day' ? facts.workDay : piece.date))) return false
  if (begunDayBefore && facts.begunOn >= piece.date) return false
  return !holiday || isOnHoliday(piece, holiday, facts.workDay, facts.holidays, facts.holidayParts)
}
