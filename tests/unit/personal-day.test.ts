import { describe, expect, test } from 'vitest'
import { eachOnce, lastDayOf, presenceOf, rowsOfNow } from '../../functions/personal/day.ts'
import type { Use } from '../../shared/attendance/row.ts'
import type { DayRow } from '../../shared/day.ts'

// Whether somebody is at work: told by their own punches, and by the shift that is going on.

const at = (time: string, day = '2026-03-04') => Date.parse(`${day}T${time}:00Z`)
const [yesterday, today] = ['2026-03-03', '2026-03-04']
const row = (changes: Partial<DayRow>, ...punches: (readonly [time: string, use: Use, day?: string])[]): DayRow =>
  ({
    ...{ day: today, shift: 's', kind: 'work', dutyFrom: at('09:00'), dutyTo: at('18:00'), closesAt: at('23:00') },
    ...changes,
    punches: punches.map(([time, use, day]) => ({ at: at(time, day), key: `7#${day}${time}#T`, use })),
  }) as DayRow
const stateAt = (now: number, ...rows: DayRow[]) => presenceOf(rowsOfNow(rows, today, now), now)

describe('somebody', () => {
  test('who came is at work until they go, and again when they come back', () => {
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

  test('is not at work for ever: when the day is over and they did not clock out, that is said', () => {
    const came = ['08:58', 'in'] as const
    expect(stateAt(at('22:59'), row({}, came)).state).toBe('in')
    expect(stateAt(at('23:00'), row({}, came))).toEqual({ state: 'forgotten', since: '2026-03-04T08:58:00.000Z' })
    expect(stateAt(at('23:00'), row({}, ['17:59', 'out']))).toMatchObject({ state: 'out' })
    // Another shift of the day goes on.
    const late = row({ shift: 'l', closesAt: at('23:59') })
    expect(stateAt(at('23:00'), row({}, came), late).state).toBe('in')
  })

  test('who punched twice at once came once, and what counts for no shift is no coming', () => {
    expect(stateAt(at('10:00'), row({}, ['06:00', 'outside'], ['08:58', 'in'], ['08:58', 'repeat']))).toMatchObject({
      state: 'in',
    })
  })

  test('stays at work over the punch that ends one shift and begins the next', () => {
    const early = row({ dutyTo: at('14:00') }, ['05:55', 'in'], ['14:02', 'out'])
    const late = row({ shift: 'l', dutyFrom: at('14:00') }, ['14:02', 'handOver'])
    expect(eachOnce([early, late])).toMatchObject([{ use: 'in' }, { use: 'handOver' }])
    expect(stateAt(at('15:00'), early, late).state).toBe('in')
    const gone = row({ shift: 'l', dutyFrom: at('14:00') }, ['14:02', 'handOver'], ['22:01', 'out'])
    expect(stateAt(at('22:30'), early, gone).state).toBe('out')
  })

  test('who has not come is expected before duty begins and missing behind that', () => {
    expect(stateAt(at('08:00'), row({}))).toEqual({ state: 'expected' })
    expect(stateAt(at('09:00'), row({}))).toEqual({ state: 'missing' })
    expect(stateAt(at('09:00'), row({ kind: 'flexible', dutyFrom: null }))).toEqual({ state: 'expected' })
    expect(stateAt(at('09:00'), row({ kind: 'leave' }))).toEqual({ state: 'leave' })
    expect(stateAt(at('09:00'), row({ kind: 'holiday', shift: null }))).toEqual({ state: 'holiday' })
    expect(stateAt(at('09:00'))).toEqual({ state: 'free' })
  })

  test('is on the night shift of yesterday until it is over and they have gone', () => {
    const night = { day: yesterday, dutyFrom: at('22:00', yesterday), dutyTo: at('06:00'), closesAt: at('10:00') }
    expect(stateAt(at('03:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('in')
    expect(stateAt(at('03:00'), row(night)).state).toBe('missing')
    // They stay on: the duty is over, they have not gone.
    expect(stateAt(at('07:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('in')
    expect(stateAt(at('07:00'), row(night, ['21:55', 'in', yesterday], ['06:03', 'out'])).state).toBe('free')
    // Nobody waits for their out for ever.
    expect(stateAt(at('11:00'), row(night, ['21:55', 'in', yesterday])).state).toBe('free')
  })
})

test.each([
  ['2026-02', '2026-02-28'],
  ['2028-02', '2028-02-29'],
  ['2026-12', '2026-12-31'],
])('%s ends on %s', (month, last) => expect(lastDayOf(month)).toBe(last))
