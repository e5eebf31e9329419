import { type SetFault, setFaults, setWarnings } from '../../../shared/attendance/hours/fault.ts'
import { conditionNames as allConditions, type HourSet } from '../../../shared/attendance/hours/set.ts'
import type { HourSetForm } from '../../../shared/hours/form.ts'
import type { PathOutput } from '../../api.ts'
import { hoursText } from '../../parts/field/read-hours.ts'
import { checkFaults, type DraftChecks, draftChecks, formChecks, isWithin, minutesOf } from './checks-draft.ts'

// An hour set while a user edits it. Rules and kinds have keys, so that a rule keeps its kind under another code, and
// its row while it moves.

export type StoredSet = PathOutput<'attparams/hours/index'>
type BaseRule = HourSetForm['base'][number]
type ExtraRule = HourSetForm['extra'][number]
type AnyRule = BaseRule & ExtraRule

export const sorts = ['base', 'extra'] as const
export type Sort = (typeof sorts)[number]

export interface DraftKind {
  key: string
  code: string
  name: string
  color: string
  payrollCode: string
  isForAccount: boolean
}

/** The conditions of a rule. Durations are texts, because the user may be typing them. */
export interface Conditions {
  overtime?: true
  holiday?: 'clock' | 'day'
  rest?: true
  weekdays?: { days: readonly number[]; by: 'clock' | 'day' }
  window?: { from: string; to: string; least: string }
  begunDayBefore?: true
  dayOver?: string
  weekOver?: string
  consecutiveDay?: number
}
export type ConditionName = keyof Conditions

export interface DraftRule {
  key: string
  /** The key of its kind. */
  kind: string
  conditions: Conditions
  /** Of a base rule: whether its minutes fill the week. Without an answer, the usual one holds. */
  fillsWeek: 'usual' | 'yes' | 'no'
  /** Of an extra rule: the keys of the kinds that it gives way to. */
  unless: readonly string[]
}

export interface Draft {
  name: string
  kinds: readonly DraftKind[]
  base: readonly DraftRule[]
  extra: readonly DraftRule[]
  dayOf: 'workDay' | 'clock'
  checks: DraftChecks
}

/** The conditions that a rule of each sort can have, in the order of its sentence. */
export const conditionNames: Record<Sort, readonly ConditionName[]> = {
  base: allConditions,
  extra: allConditions.filter(name => name !== 'weekOver'),
}

/** A new condition starts with its most frequent values. */
export const usualConditions: Required<Conditions> = {
  overtime: true,
  holiday: 'clock',
  rest: true,
  weekdays: { days: [0], by: 'clock' },
  window: { from: '22:00', to: '06:00', least: '' },
  begunDayBefore: true,
  dayOver: '8',
  weekOver: '40',
  consecutiveDay: 7,
}

let lastKey = 0
export const nextKey = () => String(++lastKey)

const conditionsOf = (rule: AnyRule): Conditions => ({
  ...(rule.overtime && { overtime: true }),
  ...(rule.holiday && { holiday: rule.holiday }),
  ...(rule.rest && { rest: true }),
  ...(rule.weekdays && { weekdays: { days: rule.weekdays, by: rule.by ?? 'clock' } }),
  ...(rule.window && {
    window: {
      from: rule.window.from,
      to: rule.window.to,
      least: rule.window.least === undefined ? '' : hoursText(rule.window.least),
    },
  }),
  ...(rule.begunDayBefore && { begunDayBefore: true }),
  ...(rule.dayOver !== undefined && { dayOver: hoursText(rule.dayOver) }),
  ...(rule.weekOver !== undefined && { weekOver: hoursText(rule.weekOver) }),
  ...(rule.consecutiveDay !== undefined && { consecutiveDay: rule.consecutiveDay }),
})

export const draftOf = (set: HourSetForm): Draft => {
  const kinds = set.kinds.map(({ code, name, color, payrollCode = '', account }) => ({
    ...{ key: nextKey(), code, name, color, payrollCode, isForAccount: account === true },
  }))
  const keyOf = (code: string) => kinds.find(kind => kind.code === code)?.key ?? ''
  const ruleOf = (rule: AnyRule): DraftRule => ({
    key: nextKey(),
    kind: keyOf(rule.kind),
    conditions: conditionsOf(rule),
    fillsWeek: rule.fillsWeek === undefined ? 'usual' : rule.fillsWeek ? 'yes' : 'no',
    unless: rule.unless?.map(keyOf) ?? [],
  })
  return {
    name: set.name,
    kinds,
    base: set.base.map(ruleOf),
    extra: set.extra.map(ruleOf),
    dayOf: set.dayOf ?? 'workDay',
    checks: draftChecks(set.checks, nextKey),
  }
}

/** The kinds that a rule gives, in the order of the set. Other kinds are left over from removed rules. */
const usedKinds = ({ kinds, base, extra }: Draft) =>
  kinds.filter(({ key }) => [...base, ...extra].some(({ kind }) => kind === key))

export const formConditions = (conditions: Conditions) => {
  const { weekdays, window, dayOver, weekOver, ...others } = conditions
  const least = minutesOf(window?.least ?? '')
  return {
    ...others,
    ...(weekdays && { weekdays: [...weekdays.days].sort(), ...(weekdays.by === 'day' && { by: weekdays.by }) }),
    ...(window && { window: { from: window.from, to: window.to, ...(least > 0 && { least }) } }),
    ...(dayOver !== undefined && { dayOver: minutesOf(dayOver) }),
    ...(weekOver !== undefined && { weekOver: minutesOf(weekOver) }),
  }
}

/** The form of a draft, as the API takes it. The draft of a valid form gives an equal form. */
export const formOf = (draft: Draft): HourSetForm => {
  const { name, base, extra, dayOf } = draft
  const checks = formChecks(draft.checks)
  const kinds = usedKinds(draft)
  const codeOf = (key: string) => kinds.find(kind => kind.key === key)?.code.trim() ?? ''
  return {
    name: name.trim(),
    kinds: kinds.map(({ code, name, color, payrollCode, isForAccount }) => ({
      ...{ code: code.trim(), name: name.trim(), color },
      ...(payrollCode.trim() && { payrollCode: payrollCode.trim() }),
      ...(isForAccount && { account: true as const }),
    })),
    base: base.map(({ kind, conditions, fillsWeek }) => ({
      ...{ kind: codeOf(kind), ...formConditions(conditions) },
      ...(fillsWeek !== 'usual' && { fillsWeek: fillsWeek === 'yes' }),
    })),
    extra: extra.map(({ kind, conditions, unless }) => {
      const codes = unless.map(codeOf).filter(code => code !== '')
      return { kind: codeOf(kind), ...formConditions(conditions), ...(codes.length > 0 && { unless: codes }) }
    }),
    ...(dayOf === 'clock' && { dayOf }),
    ...(checks && { checks }),
  }
}

/** `base.2.window.to` belongs to the rule `base.2`. */
export const ruleOfField = (field: string): string | undefined => /^(?:base|extra)\.\d+/.exec(field)?.[0]

const mostDayMinutes = 1440
const mostWeekMinutes = 10_080

const ruleFaults = ({ conditions }: DraftRule, field: string): [string, number][] => {
  const { weekdays, window, dayOver, weekOver } = conditions
  const faults: [string, number][] = []
  if (weekdays?.days.length === 0) faults.push([`${field}.weekdays`, 60001])
  if (window) {
    if (window.least.trim() !== '' && !isWithin(window.least, mostDayMinutes))
      faults.push([`${field}.window.least`, 10002])
  }
  if (dayOver !== undefined && !isWithin(dayOver, mostDayMinutes)) faults.push([`${field}.dayOver`, 10002])
  if (weekOver !== undefined && !isWithin(weekOver, mostWeekMinutes)) faults.push([`${field}.weekOver`, 10002])
  return faults
}

/** The faults of a draft by field, as the API names them. `kinds.<i>` counts the kinds of the form. */
export const draftFaults = (draft: Draft): Record<string, number> => {
  const faults: [string, number][] = []
  if (draft.name.trim() === '') faults.push(['name', 60001])
  usedKinds(draft).forEach(({ code, name }, at) => {
    if (name.trim() === '') faults.push([`kinds.${at}.name`, 60001])
    if (code.trim() === '') faults.push([`kinds.${at}.code`, 60001])
  })
  for (const sort of sorts) faults.push(...draft[sort].flatMap((rule, at) => ruleFaults(rule, `${sort}.${at}`)))
  faults.push(...checkFaults(draft.checks))
  const form = formOf(draft)
  const isKnown = ({ field, code }: SetFault) => code !== 60004 || field.endsWith('.kind')
  for (const fault of setFaults(form, form.kinds)) if (isKnown(fault)) faults.push([fault.field, fault.code])
  return Object.fromEntries(faults.reverse())
}

/** The set of a draft for the example, with keys as codes. Undefined if a rule has a fault. */
export const exampleSet = (draft: Draft): HourSet | undefined => {
  const isFaulty = Object.keys(draftFaults(draft)).some(field => /^(?:base|extra)/.test(field))
  return isFaulty ? undefined : formOf({ ...draft, kinds: draft.kinds.map(kind => ({ ...kind, code: kind.key })) })
}

/** The rules that never apply. */
export const deadRules = (draft: Draft): ReadonlySet<string> =>
  new Set(setWarnings(formOf(draft)).map(({ field }) => field))

/** The key of the first rule that shows one of the fields of faults. */
export const ruleWithFault = (draft: Draft, fields: readonly string[]): string | undefined => {
  const kinds = usedKinds(draft)
  for (const field of fields) {
    const [part, at] = field.split('.')
    if (part === 'base' || part === 'extra') return draft[part][Number(at)]?.key
    const kind = part === 'kinds' ? kinds[Number(at)]?.key : undefined
    const rule = kind && [...draft.base, ...draft.extra].find(rule => rule.kind === kind)
    if (rule) return rule.key
  }
  return undefined
}

/** The number of a kind in the form, as fields of faults count. */
export const kindNumber = (draft: Draft, key: string) => usedKinds(draft).findIndex(kind => kind.key === key)

export const moved = <T>(list: readonly T[], from: number, to: number): T[] => {
  const rest = list.filter((_, at) => at !== from)
  const item = list[from]
  return item === undefined ? [...list] : [...rest.slice(0, to), item, ...rest.slice(to)]
}

export const colors = [
  ...['#2f6fde', '#0e8a7d', '#a86a08', '#d9822b', '#b5481d', '#b03a5b'],
  ...['#c2548a', '#6f63b8', '#4b3f8f', '#4d7a2a', '#5b6b7a', '#8a5a3c'],
] as const

const unusedColor = (draft: Draft) =>
  colors.find(color => !usedKinds(draft).some(kind => kind.color === color)) ?? colors[0]

export const newKind = (draft: Draft, fields: Partial<DraftKind> = {}): DraftKind => ({
  ...{ key: nextKey(), code: '', name: '', color: unusedColor(draft), payrollCode: '', isForAccount: false },
  ...fields,
})

/** Adds a rule with a new kind. A base rule comes before the last one, which takes all other minutes. */
export const withRule = (draft: Draft, sort: Sort): { draft: Draft; key: string } => {
  const kind = newKind(draft, { isForAccount: sort === 'base' })
  const isFirst = sort === 'base' && draft.base.length === 0
  const conditions: Conditions = isFirst
    ? {}
    : sort === 'base'
      ? { overtime: true }
      : { window: usualConditions.window }
  const rule: DraftRule = { key: nextKey(), kind: kind.key, conditions, fillsWeek: 'usual', unless: [] }
  const isExtra = (key: string) => !draft.base.some(({ kind }) => kind === key)
  const place = sort === 'base' ? draft.kinds.findIndex(({ key }) => isExtra(key)) : -1
  const kinds = place < 0 ? [...draft.kinds, kind] : draft.kinds.toSpliced(place, 0, kind)
  const rules = sort === 'base' && !isFirst ? draft.base.toSpliced(-1, 0, rule) : [...draft[sort], rule]
  return { draft: { ...draft, kinds, [sort]: rules }, key: rule.key }
}

/** The properties that the list of rules and its fields share. */
export interface RulesProps {
  values: Draft
  opened: string | undefined
  onOpen: (key: string | undefined) => void
  set: (change: Partial<Draft>) => void
  error: (field: string) => string | undefined
  faults: Record<string, number>
  dead: ReadonlySet<string>
}
