import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { setFaults, setWarnings } from '../../../shared/attendance/hours/fault.ts'
import { readyNames, readySets } from '../../../shared/attendance/hours/ready.ts'
import type { BaseRule, HourSet } from '../../../shared/attendance/hours/set.ts'
import { splitHours } from '../../../shared/attendance/hours/split.ts'
import { type HourSetForm, hourSetForm } from '../../../shared/hours/form.ts'
import { hourContext, hourInput, hourPlan } from './random-hours.ts'

const kind = (code: string) => ({ code, name: code, color: '#123456' })
const set: HourSetForm = {
  name: 'Night',
  kinds: [kind('N'), kind('OT'), kind('NIGHT')],
  base: [{ kind: 'OT', overtime: true }, { kind: 'N' }],
  extra: [{ kind: 'NIGHT', window: { from: '23:00', to: '06:00' } }],
}
const faultsOf = (form: unknown) =>
  hourSetForm.safeParse(form).error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? []

describe('the form of an hour set', () => {
  test('accepts a sound set', () => {
    expect(faultsOf(set)).toEqual([])
  })

  test.each<[string, object, [string, string]]>([
    [
      'a last base rule with conditions',
      { base: [{ kind: 'N' }, { kind: 'OT', overtime: true }] },
      ['base.1', '60110'],
    ],
    ['no base rule', { base: [] }, ['base.0', '60110']],
    ['two kinds with one code', { kinds: [...set.kinds, kind('OT')] }, ['kinds.3.code', '60111']],
    [
      'an empty window',
      { extra: [{ kind: 'NIGHT', window: { from: '06:00', to: '06:00' } }] },
      ['extra.0.window.to', '60112'],
    ],
    ['21 base rules', { base: Array(21).fill({ kind: 'N' }) }, ['base', '60113']],
    ['21 extra rules', { extra: Array(21).fill({ kind: 'NIGHT' }) }, ['extra', '60113']],
    ['a rule for an unknown kind', { base: [{ kind: 'X' }] }, ['base.0.kind', '60004']],
    ['an unknown kind in unless', { extra: [{ kind: 'NIGHT', unless: ['X'] }] }, ['extra.0.unless.0', '60004']],
  ])('refuses %s by its field', (_, change, fault) => {
    expect(faultsOf({ ...set, ...change })).toEqual([fault])
  })

  test.each([
    ['20 rules of each sort', { base: Array(20).fill({ kind: 'N' }), extra: Array(20).fill({ kind: 'NIGHT' }) }],
    ['several rules of one kind', { base: [{ kind: 'OT', rest: true }, ...set.base] }],
  ])('accepts %s', (_, change) => {
    expect(faultsOf({ ...set, ...change })).toEqual([])
  })
})

describe('a rule that can never apply', () => {
  const warned = (base: BaseRule[]) => setWarnings({ base, extra: [] }).map(({ field }) => field)

  test.each<[string, BaseRule[], string[]]>([
    [
      'behind a rule without conditions',
      [{ kind: 'A' }, { kind: 'B', rest: true }, { kind: 'N' }],
      ['base.1', 'base.2'],
    ],
    [
      'with a higher threshold below',
      [{ kind: 'A', dayOver: 480 }, { kind: 'B', dayOver: 720 }, { kind: 'N' }],
      ['base.1'],
    ],
    ['with the higher threshold above', [{ kind: 'B', dayOver: 720 }, { kind: 'A', dayOver: 480 }, { kind: 'N' }], []],
    [
      'with a window inside another',
      [
        { kind: 'A', window: { from: '20:00', to: '06:00' } },
        { kind: 'B', window: { from: '00:00', to: '04:00' } },
        { kind: 'N' },
      ],
      ['base.1'],
    ],
    [
      'with a window that a least number of minutes can leave open',
      [
        { kind: 'A', window: { from: '20:00', to: '06:00', least: 121 } },
        { kind: 'B', window: { from: '00:00', to: '04:00' } },
        { kind: 'N' },
      ],
      [],
    ],
    [
      'with weekdays among others',
      [{ kind: 'A', weekdays: [0, 6] }, { kind: 'B', weekdays: [0] }, { kind: 'N' }],
      ['base.1'],
    ],
    [
      'with weekdays of the work day',
      [{ kind: 'A', weekdays: [0] }, { kind: 'B', weekdays: [0], by: 'day' }, { kind: 'N' }],
      [],
    ],
  ])('is found %s', (_, base, fields) => {
    expect(warned(base)).toEqual(fields)
  })

  test('gives no minute a kind, on random days with random sets', () => {
    let warnings = 0
    fc.assert(
      fc.property(hourPlan, plan => {
        const fields = setWarnings(plan.set).map(({ field }) => field)
        if (fields.length === 0) return
        warnings += fields.length
        const input = hourInput(plan)
        for (const { base, extra } of splitHours(calculate(input), plan.set, hourContext(input)).values()) {
          const used = new Set([...base.map(({ rule }) => `base.${rule}`), ...extra.map(({ rule }) => `extra.${rule}`)])
          expect(fields.filter(field => used.has(field))).toEqual([])
        }
      }),
      { seed: 1, numRuns: 300 },
    )
    expect(warnings).toBeGreaterThan(20)
  })
})

describe('the ready-made sets', () => {
  test.each(readyNames)('%s is valid, and each of its rules can apply', name => {
    const ready = readySets[name]
    expect(faultsOf(ready)).toEqual([])
    expect(setFaults(ready as HourSet, ready.kinds)).toEqual([])
    expect(setWarnings(ready as HourSet)).toEqual([])
    const used = new Set([...ready.base, ...ready.extra].map(rule => rule.kind))
    expect(ready.kinds.map(({ code }) => code).filter(code => !used.has(code))).toEqual([])
  })
})
