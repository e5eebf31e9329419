import { describe, expect, test } from 'vitest'
import type { Shift } from '../../../shared/attendance/shift.ts'
import { conflicts, dutyInterval, validateShift } from '../../../shared/attendance/shift.ts'

const day: Shift = {
  onDuty: '09:00',
  offDuty: '18:00',
  punchStart: '07:00',
  punchEnd: '23:00',
  allowedLateMinutes: 5,
  allowedEarlyMinutes: 5,
  noClockOut: 0,
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: true, afterMinutes: 30 },
  breaks: [{ start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }],
}
const night: Shift = {
  ...day,
  onDuty: '22:00',
  offDuty: '06:00+1',
  punchStart: '20:00',
  punchEnd: '10:00+1',
  breaks: [],
}
const flexible: Shift = {
  ...day,
  kind: 'weekly',
  weekly: { targetMinutes: 2400, breakMinutes: 60, breakThresholdMinutes: 360, overtimeCounts: true },
}
const breakOf = (change: Partial<Shift['breaks'][number]>) => [
  { start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0, ...change },
]

describe('a shift is valid', () => {
  test.each([
    ['on one date', day],
    ['over midnight', night],
    ['beginning its punch period the evening before', { ...day, onDuty: '00:30', punchStart: '23:30-1' }],
    ['of 24 hours', { ...day, onDuty: '08:00', offDuty: '08:00+1', punchStart: '06:00', punchEnd: '10:00+1' }],
    ['with a punch period of exactly 36 hours', { ...day, punchStart: '08:00', punchEnd: '20:00+1' }],
    ['with breaks that touch', { ...day, breaks: [...breakOf({}), ...breakOf({ start: '13:00', end: '14:00' })] }],
    [
      'with a break of the whole duty',
      { ...day, breaks: breakOf({ start: '09:00', end: '18:00', durationMinutes: 540 }) },
    ],
    ['weekly-flexible, whatever its clock times', { ...flexible, onDuty: '' }],
  ] as [string, Shift][])('%s', (_, shift) => {
    expect(validateShift(shift)).toEqual([])
  })
})

describe('a shift is refused', () => {
  test.each([
    ['punch end at off duty', { punchEnd: '18:00' }, [['punchEnd', 59021]]],
    ['punch end before off duty', { punchEnd: '17:59' }, [['punchEnd', 59021]]],
    ['off duty before on duty', { offDuty: '06:00' }, [['offDuty', 59022]]],
    ['off duty at on duty', { offDuty: '09:00' }, [['offDuty', 59022]]],
    ['punch start at on duty', { punchStart: '09:00' }, [['punchStart', 59023]]],
    ['punch period longer than 36 hours', { punchStart: '08:00', punchEnd: '20:01+1' }, [['punchEnd', 10002]]],
    ['duty longer than 24 hours', { offDuty: '09:01+1', punchEnd: '10:00+1' }, [['offDuty', 10002]]],
    ['on duty on another date', { onDuty: '23:00-1', punchStart: '22:00-1', punchEnd: '19:00' }, [['onDuty', 10002]]],
    ['no wall time', { onDuty: '9:00' }, [['onDuty', 10002]]],
    ['tolerance of the whole duty', { allowedLateMinutes: 540 }, [['allowedLateMinutes', 10002]]],
    ['negative tolerance', { allowedEarlyMinutes: -1 }, [['allowedEarlyMinutes', 10002]]],
    ['half a minute', { allowedLateMinutes: 0.5 }, [['allowedLateMinutes', 10002]]],
    [
      'negative overtime threshold',
      { lateOutOvertime: { counts: true, afterMinutes: -1 } },
      [['lateOutOvertime.afterMinutes', 10002]],
    ],
    ['break before duty', { breaks: breakOf({ start: '08:59' }) }, [['breaks.0.start', 10002]]],
    ['break after duty', { breaks: breakOf({ end: '18:01' }) }, [['breaks.0.end', 10002]]],
    [
      'break that ends before it starts',
      { breaks: breakOf({ end: '11:00', durationMinutes: 10 }) },
      [
        ['breaks.0.end', 10002],
        ['breaks.0.durationMinutes', 10002],
      ],
    ],
    ['break of no length', { breaks: breakOf({ durationMinutes: 0 }) }, [['breaks.0.durationMinutes', 10002]]],
    ['break longer than its time', { breaks: breakOf({ durationMinutes: 61 }) }, [['breaks.0.durationMinutes', 10002]]],
    ['negative threshold', { breaks: breakOf({ thresholdMinutes: -1 }) }, [['breaks.0.thresholdMinutes', 10002]]],
    [
      'breaks that overlap',
      { breaks: [...breakOf({}), ...breakOf({ start: '12:59', end: '14:00' })] },
      [['breaks.1.start', 10002]],
    ],
  ] as [string, Partial<Shift>, [string, number][]][])('%s', (_, change, expectedFaults) => {
    expect(validateShift({ ...day, ...change }).map(({ field, code }) => [field, code])).toEqual(expectedFaults)
  })

  test('with every fault at once, field by field', () => {
    const faults = validateShift({ ...day, punchStart: '10:00', punchEnd: '17:00', allowedLateMinutes: -1 })
    expect(faults).toEqual([
      { field: 'punchStart', code: 59023 },
      { field: 'punchEnd', code: 59021 },
      { field: 'allowedLateMinutes', code: 10002 },
    ])
  })

  test('weekly-flexible without its target', () => {
    expect(validateShift({ ...day, kind: 'weekly' })).toEqual([{ field: 'weekly', code: 10002 }])
    const weekly = { targetMinutes: 0, breakMinutes: -1, breakThresholdMinutes: 1.5, overtimeCounts: true }
    expect(validateShift({ ...flexible, weekly }).map(({ field }) => field)).toEqual([
      'weekly.targetMinutes',
      'weekly.breakMinutes',
      'weekly.breakThresholdMinutes',
    ])
  })
})

describe('the schedule', () => {
  const zone = 'America/New_York'
  const hours = (shift: Shift, date: string) => {
    const [from, to] = dutyInterval(zone, date, shift)
    return (to - from) / 3_600_000
  }

  test('compares scheduled times as elapsed time', () => {
    expect([hours(night, '2026-03-07'), hours(night, '2026-10-31'), hours(night, '2026-06-01')]).toEqual([7, 9, 8])
    expect(hours(flexible, '2026-03-08')).toBe(23)
  })

  test.each([
    ['duty times that intersect', [night, '2026-06-01'], [{ ...day, onDuty: '05:00' }, '2026-06-02'], 1],
    ['duty times that touch', [night, '2026-06-01'], [{ ...day, onDuty: '06:00' }, '2026-06-02'], 0],
    ['only punch periods that overlap', [night, '2026-06-01'], [day, '2026-06-02'], 0],
    ['one shift twice on a day', [day, '2026-06-01'], [day, '2026-06-01'], 1],
    ['a second shift on a flexible day', [day, '2026-06-01'], [flexible, '2026-06-01'], 1],
    ['a night shift that ends in a flexible day', [night, '2026-06-01'], [flexible, '2026-06-02'], 0],
  ] as [string, [Shift, string], [Shift, string], number][])('%s', (_, first, second, expected) => {
    const entries = [first, second].map(([shift, date]) => ({ shift, day: date }))
    expect(conflicts(zone, entries).length).toBe(expected)
    expect(conflicts(zone, entries.toReversed()).length).toBe(expected)
  })

  test('has no scheduled time on a date that the zone skipped', () => {
    const entries = ['2011-12-29', '2011-12-30', '2011-12-31'].map(date => ({ shift: day, day: date }))
    expect(conflicts('Pacific/Apia', entries)).toEqual([])
    expect(conflicts('Pacific/Apia', [...entries, ...entries]).length).toBe(2)
  })
})
