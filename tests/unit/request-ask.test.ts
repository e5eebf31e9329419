import { describe, expect, test } from 'vitest'
import { askAddress, askOf, instantsOf, troubleOf, wallTimeOf } from '../../web/parts/request/ask.ts'

type Day = Parameters<typeof troubleOf>[0]

const requestIn = (address: string) => askOf(new URL(address, 'http://localhost').searchParams)

describe('the address of a new request', () => {
  test('restores its values, including times after midnight', () => {
    const ask = { kind: 'leave', date: '2026-11-17', from: '22:00', to: '06:00+1' } as const
    expect(requestIn(askAddress(ask))).toEqual(ask)
    const punch = { kind: 'shift', date: '2026-11-17', time: '06:00+1', inout: '1' } as const
    expect(requestIn(askAddress(punch))).toEqual(punch)
  })

  test('with an unknown kind opens no request, and with invalid days or times drops these values', () => {
    expect(requestIn('/request?new=holiday&date=2026-11-17')).toBeUndefined()
    expect(requestIn('/request?date=2026-11-17')).toBeUndefined()
    expect(requestIn('/request?new=shift&date=2026-13-40&time=25:00&inout=7&from=<b>&to=9')).toEqual({ kind: 'shift' })
  })
})

describe('the clock of a zone', () => {
  test('shows each time once, a time of a repeated hour twice, and a time of a skipped hour never', () => {
    expect(instantsOf('Europe/Athens', '2026-11-17', '09:00')).toHaveLength(1)
    const [first = 0, second = 0] = instantsOf('Europe/Athens', '2026-10-25', '03:30')
    expect(second - first).toBe(60)
    expect(instantsOf('Europe/Athens', '2026-03-29', '03:30')).toEqual([])
    expect(instantsOf('Europe/Athens', '2026-10-24', '03:30+1')).toEqual([first, second])
    expect(instantsOf('Europe/Athens', '', '09:00')).toEqual([])
    expect(instantsOf('Europe/Athens', '2026-11-17', '')).toEqual([])
  })

  test('shows an instant as a time of the day or of a neighbouring day', () => {
    expect(wallTimeOf('2026-11-17T07:00:00Z', 'Europe/Athens', '2026-11-17')).toBe('09:00')
    expect(wallTimeOf('2026-11-18T04:00:00Z', 'Europe/Athens', '2026-11-17')).toBe('06:00+1')
    expect(wallTimeOf('2026-11-16T21:30:00Z', 'Europe/Athens', '2026-11-17')).toBe('23:30-1')
    expect(wallTimeOf('2026-11-16T20:30:00Z', 'Europe/Athens', '2026-11-17')).toBe('22:30-1')
  })
})

describe('the trouble of a day', () => {
  const day: Day = {
    ...{ day: '2026-11-17', timezone: 'Europe/Athens', kind: 'work', state: 'final', isLocked: false },
    ...{ dutyFrom: '2026-11-17T07:00:00.000Z', dutyTo: '2026-11-17T16:00:00.000Z' },
    ...{ dutyMinutes: 480, workMinutes: 0, lateMinutes: 0, earlyLeaveMinutes: 0, absentMinutes: 0 },
    ...{ leaveMinutes: 0, overtimeMinutes: 0, unresolvedMinutes: 0, unscheduledMinutes: 0 },
    ...{ breakMinutes: 0, exceptions: [] },
  }
  const [arrived, left] = ['2026-11-17T07:20:00.000Z', '2026-11-17T15:00:00.000Z']
  const date = day.day
  const cases: [what: string, day: Partial<Day>, ReturnType<typeof troubleOf>][] = [
    ['nothing', {}, undefined],
    [
      'a missing in, by when duty began',
      { exceptions: ['missingIn'], lastOut: left },
      { trouble: 'missingIn', asks: [{ kind: 'shift', date, inout: '0', time: '09:00' }] },
    ],
    [
      'a missing out, before being late',
      { exceptions: ['missingOut'], firstIn: arrived, lateMinutes: 20 },
      { trouble: 'missingOut', asks: [{ kind: 'shift', date, inout: '1', time: '18:00' }] },
    ],
    [
      'a day without a punch, by leave or by the punches',
      { absentMinutes: 480 },
      {
        trouble: 'absent',
        asks: [
          { kind: 'leave', date },
          { kind: 'shift', date, inout: '0', time: '09:00' },
        ],
      },
    ],
    [
      'being late, by the punch or by leave until one came',
      { lateMinutes: 20, firstIn: arrived, lastOut: '2026-11-17T16:00:00.000Z' },
      {
        trouble: 'late',
        asks: [
          { kind: 'shift', date, inout: '0', time: '09:00' },
          { kind: 'leave', date, from: '09:00', to: '09:20' },
        ],
      },
    ],
    [
      'leaving early, by the punch or by leave from then on',
      { earlyLeaveMinutes: 60, firstIn: day.dutyFrom, lastOut: left },
      {
        trouble: 'early',
        asks: [
          { kind: 'shift', date, inout: '1', time: '18:00' },
          { kind: 'leave', date, from: '17:00', to: '18:00' },
        ],
      },
    ],
    ['nothing that changes on a locked day', { isLocked: true, absentMinutes: 480 }, undefined],
  ]
  test.each(cases)('is %s', (_, changes, expected) => {
    expect(troubleOf({ ...day, ...changes })).toEqual(expected)
  })
})
