import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { explain } from '../../../shared/attendance/explain.ts'
import type { Input } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import { rules } from '../../../shared/attendance/reason.ts'
import type { Shift } from '../../../shared/attendance/shift.ts'

type Texts = { [key: string]: string | Texts }

const flatten = (texts: Texts, prefix = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flatten(value, `${prefix}${key}.`),
  )

const textsOf = (language: string) =>
  new Map(flatten(JSON.parse(readFileSync(`shared/locales/${language}/reason.json`, 'utf8'))))

const placeholders = (text: string | undefined) =>
  [...(text ?? '').matchAll(/{{(\w+)}}/g)].map(([, name]) => name).sort()

const english = textsOf('en')

const fill = (key: string, values: Record<string, string | number>) =>
  (english.get(key) ?? key).replace(/{{(\w+)}}/g, (_, name) => String(values[name] ?? `{{${name}}}`))

const shift: Shift & { version: number } = {
  version: 4,
  onDuty: '22:00',
  offDuty: '06:00+1',
  punchStart: '20:00',
  punchEnd: '10:00+1',
  allowedLateMinutes: 5,
  allowedEarlyMinutes: 5,
  noClockOut: 0,
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: true, afterMinutes: 30 },
  breaks: [{ start: '02:00+1', end: '03:00+1', durationMinutes: 30, thresholdMinutes: 240 }],
}

const input: Input = {
  zone: 'Europe/Athens',
  from: '2026-06-01',
  to: '2026-06-01',
  asOf: Date.parse('2026-07-01T00:00Z'),
  employee: {},
  shifts: { night: shift },
  schedule: [{ day: '2026-06-01', shift: 'night' }],
  punches: [
    '2026-06-01T18:00+03:00',
    '2026-06-01T22:10+03:00',
    '2026-06-01T22:10:30+03:00',
    '2026-06-02T02:05+03:00',
    '2026-06-02T02:50+03:00',
    '2026-06-02T07:00+03:00',
  ].map((text, index) => ({ at: Date.parse(text), key: String(index) })),
  requests: [],
  holidays: [],
  parameters: { ...defaultParameters, version: 7 },
}

test('the engine explains a row in order of time', () => {
  const sentences = calculate(input).flatMap(row => explain(row).map(({ key, values }) => fill(key, values)))
  expect(sentences).toEqual([
    '18:00 outside every punch window, not counted',
    '22:10 clock-in',
    '22:10 repeated punch, counted once',
    '02:05+1 within a break',
    '02:50+1 within a break',
    '07:00+1 clock-out',
    'Scheduled 22:00–02:00+1: 240 min.',
    'Scheduled 02:30+1–06:00+1: 210 min.',
    'Late 22:00–22:10, beyond the grace period: 10 min.',
    'Worked 22:10–06:00+1: 470 min.',
    'Punched break 02:05+1–02:50+1 deducted: 45 min.',
    'Break longer than allowed: 15 min.',
    'Overtime after the shift 06:00+1–07:00+1: 60 min.',
    'Break 15 min too long',
    'Shift v4, rules v7, engine v3',
  ])
})

test('the explanation of a pending day starts with its state', () => {
  const [row] = calculate({ ...input, asOf: Date.parse('2026-06-01T21:00Z'), punches: [] })
  const sentences = row ? explain(row) : []
  expect(sentences[0]).toEqual({ key: 'state.pending', values: { time: '10:00+1' } })
})

test('the explanation uses the reader’s time format', () => {
  const [row] = calculate(input)
  const sentences = row ? explain(row, at => new Date(at).toISOString()) : []
  expect(sentences[0]?.values.time).toBe('2026-06-01T15:00:00.000Z')
})

describe('the sentences', () => {
  test('exist for every rule', () => {
    for (const rule of Object.keys(rules)) expect(english.has(`rule.${rule}`), rule).toBe(true)
    expect([...english.keys()].filter(key => key.startsWith('rule.')).length).toBe(Object.keys(rules).length)
  })

  test.each(['es', 'zh', 'el'])('exist in %s with the same placeholders', language => {
    const texts = textsOf(language)
    expect([...texts.keys()]).toEqual([...english.keys()])
    for (const [key, text] of texts) expect(placeholders(text), key).toEqual(placeholders(english.get(key)))
  })

  test('have a value for each placeholder', () => {
    // Each input adds rows with further kinds, states or rules.
    const flexible: Shift & { version: number } = {
      ...shift,
      kind: 'weekly',
      weekly: { targetMinutes: 600, breakMinutes: 30, breakThresholdMinutes: 60, overtimeCounts: true },
    }
    const week = { ...input, from: '2026-06-01', to: '2026-06-07', shifts: { night: shift, flexible } }
    const inputs: Input[] = [
      input,
      week,
      { ...week, holidays: ['2026-06-01'] },
      { ...week, schedule: [] },
      { ...week, schedule: [{ day: '2026-06-01', shift: 'flexible' }] },
      { ...week, schedule: [{ day: '2026-06-01', shift: 'flexible' }], asOf: input.asOf - 29.5 * 86_400_000 },
      { ...week, schedule: [{ day: '2026-06-01', shift: 'flexible' }], holidays: ['2026-06-01'] },
      { ...input, requests: [{ kind: 'leave', leaveType: 1, fromDay: '2026-06-01', toDay: '2026-06-01' }] },
      {
        ...input,
        parameters: { ...input.parameters, fullDutyFirst: true, maximumOvertimeMinutes: 10, deductGaps: true },
      },
      { ...input, punches: [] },
      { ...input, punches: input.punches.slice(1, 2), shifts: { night: { ...shift, noClockOut: 1 } } },
      { ...input, punches: input.punches.slice(1, 2), shifts: { night: { ...shift, noClockOut: 2 } } },
    ]
    for (const entry of inputs) {
      for (const row of calculate(entry)) {
        for (const { key, values } of explain(row)) expect(fill(key, values), key).not.toMatch(/{{|^[a-z]+\./)
      }
    }
  })
})
