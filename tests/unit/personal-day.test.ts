import { describe, expect, test } from 'vitest'
import { lastDayOf, presenceOf } from '../../functions/personal/day.ts'
import type { Use } from '../../shared/attendance/row.ts'
import type { DayRow } from '../../shared/day.ts'
import { eachOnce, rowsOfNow } from '../../shared/presence.ts'

// The presence of an employee, by their punches and the current shift.

const at = (time: string, day = '2026-03-04') => Date.parse(`${day}T${time}:00Z`)
const [yesterday, today] = ['2026-03-03', '2026-03-04']
type Punched = readonly [time: string, use: Use, day?: string]
const row = (changes: Partial<DayRow>, ...punches: Punched[]): DayRow =>
  ({
    ...{ day: today, shift: 's', kind: 'work', dutyFrom: at('09:00'), dutyTo: at('18:00'), closesAt: at('23:00') },
    ...changes,
    punches: punches.map(([time, use, day]) => ({ at: at(time, day), key: `7#${day}${time}#T`, use })),
  }) as DayRow
const stateAt = (now: number, ...rows: DayRow[]) => presenceOf(rowsOfNow(rows, today, now), now)

describe('an employee', () => {
  test('is at work after clocking in, until clocking out, and again after a return', () => {
    const punches = [
      ['08:58', 'in'],
      ['12:01', 'break'],
      ['12:40', 'break'],
      ['18:02', 'out'],
    ] as const
    const states = punches.map((_, i) => stateAt(at('19:00'), row({}, ...punches.slice(0, i + 1))))
    expect(states.map(({ state }) => state)).toEqual(['in', 'out', 'in', 'out'])
    expect(states[3]?.since).toBe('2026-03-04T18:02:00.000Z')
  })

  test('without a clock-out has the state “forgotten” after the end of the day', () => {
    const clockIn = ['08:58', 'in'] as const
    expect(stateAt(at('22:59'), row({}, clockIn)).state).toBe('in')
    expect(stateAt(at('23:00'), row({}, clockIn))).toEqual({ state: 'forgotten', since: '2026-03-04T08:58:00.000Z' })
    expect(stateAt(at('23:00'), row({}, ['17:59', 'out']))).toMatchObject({ state: 'out' })
    // The next shift of the day has no punch yet.
    const late = row({ shift: 'l', closesAt: at('23:59') })
    expect(stateAt(at('23:00'), row({}, clockIn), late).state).toBe('forgotten')
  })

  test('is at work at the second shift, even after a forgotten clock-out of the first shift', () => {
    const early = row({ dutyTo: at('12:00'), closesAt: at('12:30') }, ['08:00', 'in'])
    const late = (...punches: Punched[]) =>
      row({ shift: 'l', dutyFrom: at('13:00'), dutyTo: at('17:00'), closesAt: at('18:30') }, ...punches)
    expect(stateAt(at('13:30'), early, late(['13:00', 'in']))).toMatchObject({
      state: 'in',
      since: '2026-03-04T13:00:00.000Z',
    })
    expect(stateAt(at('17:30'), early, late(['13:00', 'in'], ['17:02', 'out'])).state).toBe('out')
    expect(stateAt(at('19:00'), early, late(['13:00', 'in'])).state).toBe('forgotten')
  })

  test('keeps the state after a repeated punch and after a punch outside shifts', () => {
    expect(stateAt(at('10:00'), row({}, ['06:00', 'outside'], ['08:58', 'in'], ['08:58', 'repeat']))).toMatchObject({
      state: 'in',
    })
  })

  test('stays at work after a hand-over punch between two shifts', () => {
    const early = row({ dutyTo: at('14:00') }, ['05:55', 'in'], ['14:02', 'out'])
    const late = row({ shift: 'l', dutyFrom: at('14:00') }, ['14:02', 'handOver'])
    expect(eachOnce([early, late])).toMatchObject([{ use: 'in' }, { use: 'handOver' }])
    expect(stateAt(at('15:00'), early, late).state).toBe('in')
    const clockedOut = row({ shift: 'l', dutyFrom: at('14:00') }, ['14:02', 'handOver'], ['22:01', 'out'])
    expect(stateAt(at('22:30'), early, clockedOut).state).toBe('out')
    const closed = { ...early, closesAt: at('14:30') }
    expect(stateAt(at('15:00'), closed, late).state).toBe('in')
    expect(stateAt(at('22:30'), closed, clockedOut).state).toBe('out')
  })

  test('without a punch is expected before on duty, and missing from on duty on', () => {
    expect(stateAt(at('08:00'), row({}))).toEqual({ state: 'expected' })
    expect(stateAt(at('09:00'), row({}))).toEqual({ state: 'missing' })
    expect(stateAt(at('09:00'), row({ kind: 'flexible', dutyFrom: null }))).toEqual({ state: 'expected' })
    expect(stateAt(at('09:00'), row({ kind: 'leave' }))).toEqual({ state: 'leave' })
    expect(stateAt(at('09:00'), row({ kind: 'holiday', shift: null }))).toEqual({ state: 'holiday' })
    expect(stateAt(at('09:00'))).toEqual({ state: 'free' })
  })

  test('is on yesterday’s night shift until the clock-out, or until the end of its punch period', () => {
    const night = { day: yesterday, dutyFrom: at('22:00', yesterday), dutyTo: at('06:00'), closesAt: at('10:00') }
    expect(stateAt(at('03:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('in')
    expect(stateAt(at('03:00'), row(night)).state).toBe('missing')
    // The shift is over, but the employee has not clocked out.
    expect(stateAt(at('07:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('in')
    expect(stateAt(at('07:00'), row(night, ['21:55', 'in', yesterday], ['06:03', 'out'])).state).toBe('free')
    // The punch period is over, so the missing clock-out no longer counts.
    expect(stateAt(at('11:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('free')
  })
})

test.each([
  ['2026-02', '2026-02-28'],
  ['2028-02', '2028-02-29'],
  ['2026-12', '2026-12-31'],
])('%s ends on %s', (month, last) => expect(lastDayOf(month)).toBe(last))
