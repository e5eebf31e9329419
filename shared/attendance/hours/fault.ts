import { wallMinutes } from '../wall-time.ts'
import { type BaseRule, conditionNames, type ExtraRule, type HourConditions, type HourSet, type Window } from './set.ts'

// Faults of an hour set beyond the shape of its fields, and rules that can never apply.

export const mostHourRules = 20

export interface SetFault {
  /** `base.0.window.to`. */
  field: string
  code: 60004 | 60110 | 60111 | 60112 | 60113
}

export interface SetWarning {
  field: string
  code: 60114
}

type AnyRule = BaseRule & ExtraRule

const isUnconditional = (rule: AnyRule): boolean => conditionNames.every(name => rule[name] === undefined)

const sorts = ['base', 'extra'] as const

/** The faults of a set by field; empty for a valid set. */
export const setFaults = ({ base, extra }: HourSet, kinds: readonly { code: string }[]): SetFault[] => {
  const faults: SetFault[] = []
  const codes = kinds.map(({ code }) => code)
  codes.forEach((code, index) => {
    if (codes.indexOf(code) < index) faults.push({ field: `kinds.${index}.code`, code: 60111 })
  })
  const bySort = { base, extra }
  for (const sort of sorts) {
    const rules: readonly AnyRule[] = bySort[sort]
    if (rules.length > mostHourRules) faults.push({ field: sort, code: 60113 })
    rules.forEach(({ kind, window, unless }, index) => {
      if (!codes.includes(kind)) faults.push({ field: `${sort}.${index}.kind`, code: 60004 })
      if (window && window.from === window.to) faults.push({ field: `${sort}.${index}.window.to`, code: 60112 })
      unless?.forEach((other, place) => {
        if (!codes.includes(other)) faults.push({ field: `${sort}.${index}.unless.${place}`, code: 60004 })
      })
    })
  }
  const last = base.at(-1)
  if (!last || !isUnconditional(last)) faults.push({ field: `base.${Math.max(0, base.length - 1)}`, code: 60110 })
  return faults
}

/** The minutes of a day in a window, as spans from 0 to 1440. */
const spansOf = (window: Window): [from: number, to: number][] => {
  const [from, to] = [wallMinutes(window.from), wallMinutes(window.to)]
  return from < to
    ? [[from, to]]
    : [
        [from, 1440],
        [0, to],
      ]
}

const liesWithin = (inner: Window, outer: Window): boolean =>
  spansOf(inner).every(([from, to]) => from === to || spansOf(outer).some(([start, end]) => start <= from && to <= end))

/** Whether a window holds wherever another holds. A least number of minutes counts the minutes of its own window. */
const windowCovers = (outer: Window | undefined, inner: Window | undefined): boolean => {
  if (!outer) return true
  if (!inner || !liesWithin(inner, outer)) return false
  return (outer.least ?? 0) <= (inner.least ?? 0)
}

/** Whether a rule holds wherever another holds: each of its conditions is one of the other's, or weaker. */
const covers = (above: AnyRule, below: AnyRule): boolean => {
  const isSame = (name: keyof HourConditions) => above[name] === undefined || above[name] === below[name]
  const isReached = (name: 'dayOver' | 'weekOver') => (above[name] ?? 0) <= (below[name] ?? 0)
  const days = below.weekdays
  const hasDays =
    !above.weekdays ||
    (days !== undefined &&
      (above.by ?? 'clock') === (below.by ?? 'clock') &&
      days.every(day => above.weekdays?.includes(day)))
  return (
    (['overtime', 'holiday', 'rest', 'begunDayBefore', 'consecutiveDay'] as const).every(isSame) &&
    hasDays &&
    windowCovers(above.window, below.window) &&
    isReached('dayOver') &&
    isReached('weekOver')
  )
}

/** The rules that never give a minute a kind, because a rule above them always comes first. */
export const setWarnings = ({ base, extra }: HourSet): SetWarning[] => {
  const isDead = (rules: readonly AnyRule[], index: number, isShadow: (above: AnyRule) => boolean) => {
    const rule = rules[index]
    return rule && rules.slice(0, index).some(above => isShadow(above) && covers(above, rule))
  }
  const inBase = base.flatMap((_, index): SetWarning[] =>
    isDead(base, index, () => true) ? [{ field: `base.${index}`, code: 60114 }] : [],
  )
  const inExtra = extra.flatMap(({ kind, unless }, index): SetWarning[] => {
    // An extra rule gives a kind once, and gives way to the kinds of `unless`. A rule with `unless` may itself give way.
    const isShadow = (above: AnyRule) =>
      !above.unless && (above.kind === kind || (unless?.includes(above.kind) ?? false))
    return isDead(extra, index, isShadow) ? [{ field: `extra.${index}`, code: 60114 }] : []
  })
  return [...inBase, ...inExtra]
}
