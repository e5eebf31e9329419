import { describe, expect, test } from 'vitest'
import { readySets } from '../../shared/attendance/hours/ready.ts'
import {
  type Draft,
  deadRules,
  draftFaults,
  draftOf,
  formOf,
  moved,
  newKind,
  ruleWithFault,
  withRule,
} from '../../web/pages/hours/draft.ts'

// An hour set in the editor: from the stored form to fields and back.

const scratch = (): Draft =>
  draftOf({
    name: 'Nights',
    kinds: [{ code: 'N', name: 'Normal', color: '#2f6fde' }],
    base: [{ kind: 'N' }],
    extra: [],
  })

test.each(Object.entries(readySets))('editing nothing in %s changes nothing', (_, set) => {
  expect(formOf(draftOf(set))).toEqual(set)
  expect(draftFaults(draftOf(set))).toEqual({})
  expect(deadRules(draftOf(set))).toEqual(new Set())
})

test('a rule keeps its kind while the code changes', () => {
  const draft = draftOf(readySets.plain)
  const kinds = draft.kinds.map(kind => (kind.code === 'HOL' ? { ...kind, code: 'FEIERTAG' } : kind))
  const { extra } = formOf({ ...draft, kinds })
  expect(extra).toMatchObject([{ kind: 'NIGHT' }, { kind: 'FEIERTAG' }, { kind: 'SUN', unless: ['FEIERTAG'] }])
})

test('a kind without a rule leaves the set, and rules no longer give way to it', () => {
  const draft = draftOf(readySets.plain)
  const form = formOf({ ...draft, extra: draft.extra.filter((_, at) => at !== 1) })
  expect(form.kinds.map(({ code }) => code)).toEqual(['N', 'OT', 'NIGHT', 'SUN'])
  expect(form.extra.at(-1)).toEqual({ kind: 'SUN', weekdays: [0] })
})

test('a new base rule comes before the last one, and its kind before those of supplements', () => {
  const { draft } = withRule(draftOf(readySets.plain), 'base')
  expect(draft.base).toHaveLength(3)
  expect(draft.base.at(-1)?.conditions).toEqual({})
  expect(draft.kinds.map(({ code }) => code)).toEqual(['N', 'OT', '', 'NIGHT', 'HOL', 'SUN'])
})

describe('the faults of a draft', () => {
  const withExtra = (draft: Draft, conditions: Draft['extra'][number]['conditions'], code = 'NIGHT'): Draft => {
    const kind = newKind(draft, { name: 'Night', code })
    const rule = { key: 'night', kind: kind.key, conditions, fillsWeek: 'usual' as const, unless: [] }
    return { ...draft, kinds: [...draft.kinds, kind], extra: [...draft.extra, rule] }
  }

  test('name the field of an empty window, a code used twice and a duration that is none', () => {
    expect(draftFaults(withExtra(scratch(), { window: { from: '22:00', to: '22:00', least: '' } }))).toEqual({
      'extra.0.window.to': 60112,
    })
    expect(draftFaults(withExtra(scratch(), { rest: true }, 'N'))).toEqual({ 'kinds.1.code': 60111 })
    expect(draftFaults(withExtra(scratch(), { window: { from: '22:00', to: '06:00', least: '25' } }))).toEqual({
      'extra.0.window.least': 10002,
    })
    expect(draftFaults(withExtra(scratch(), { dayOver: 'eight' }))).toEqual({ 'extra.0.dayOver': 10002 })
    expect(draftFaults(withExtra(scratch(), { weekdays: { days: [], by: 'clock' } }))).toEqual({
      'extra.0.weekdays': 60001,
    })
  })

  test('name a missing name and code of a new kind, and a last rule with conditions', () => {
    const draft = withRule(scratch(), 'base').draft
    expect(draftFaults(draft)).toEqual({ 'kinds.1.name': 60001, 'kinds.1.code': 60001 })
    const last = moved(draft.base, 0, 1)
    expect(draftFaults({ ...draft, base: last })).toMatchObject({ 'base.1': 60110 })
  })

  test('name the 21st rule', () => {
    let draft = scratch()
    for (let rule = 0; rule < 21; rule++) draft = withExtra(draft, { rest: true }, `K${rule}`)
    expect(draftFaults(draft)).toEqual({ extra: 60113 })
  })
})

test('names each check that is no duration, and drops a check with an empty text', () => {
  const draft = draftOf(readySets.plain)
  const [first] = draft.checks.breaks
  if (!first) throw new Error('the set has no breaks')
  const checks = { ...draft.checks, restBetween: '25', weeks: '0', breaks: [{ ...first, minutes: 'half' }] }
  expect(draftFaults({ ...draft, checks })).toEqual({
    'checks.restBetween': 10002,
    'checks.weeklyAverage.weeks': 10002,
    'checks.breakOwed.0.breakMinutes': 10002,
  })
  const off = { ...draft.checks, restBetween: '', average: ' ', breaks: [] }
  expect(formOf({ ...draft, checks: off }).checks).toBeUndefined()
})

test('the first fault opens its rule, also for a fault of a kind', () => {
  const draft = draftOf(readySets.plain)
  expect(ruleWithFault(draft, ['name', 'extra.1.window.to'])).toBe(draft.extra[1]?.key)
  expect(ruleWithFault(draft, ['kinds.4.code'])).toBe(draft.extra[2]?.key)
  expect(ruleWithFault(draft, ['name', 'checks.restBetween'])).toBeUndefined()
})

test('a rule below one that always holds is marked as dead', () => {
  const draft = draftOf(readySets.plain)
  expect(deadRules({ ...draft, base: moved(draft.base, 0, 1) })).toEqual(new Set(['base.1']))
})

test.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 1, 'abc'],
])('moving a rule from %i to %i gives %s', (from, to, order) => {
  expect(moved([...'abc'], from, to).join('')).toBe(order)
})
