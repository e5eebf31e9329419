import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { readWallTime, wallTime } from '../../../shared/attendance/wall-time.ts'
import { dayStart, instantOf, isSkipped, readingAt } from '../../../shared/attendance/zone.ts'

const reading = (text: string) => Date.parse(`${text}Z`) / 60_000
const iso = (instant: number) => new Date(instant * 60_000).toISOString().slice(0, 16)

test.each([
  ['a reading the clock skips moves forward by the gap', 'America/New_York', '2026-03-08T02:30', '2026-03-08T07:30'],
  ['a gap at midnight as well', 'Africa/Cairo', '2024-04-26T00:15', '2024-04-25T22:15'],
  ['a gap of half an hour', 'Australia/Lord_Howe', '2025-10-05T02:10', '2025-10-04T15:40'],
  ['a gap of a whole day', 'Pacific/Apia', '2011-12-30T06:00', '2011-12-30T16:00'],
  ['a reading shown once', 'Asia/Kathmandu', '2024-05-15T06:00', '2024-05-15T00:15'],
])('%s', (_, zone, local, instant) => {
  expect(iso(instantOf(zone, reading(local)))).toBe(instant)
  expect(iso(instantOf(zone, reading(local), 'second'))).toBe(instant)
})

test.each([
  ['an hour', 'America/New_York', '2026-11-01T01:30', '2026-11-01T05:30', '2026-11-01T06:30'],
  ['half an hour', 'Australia/Lord_Howe', '2025-04-06T01:45', '2025-04-05T14:45', '2025-04-05T15:15'],
  ['the hour before midnight', 'Asia/Beirut', '2024-10-26T23:30', '2024-10-26T20:30', '2024-10-26T21:30'],
])(
  'a time that the clock shows twice, %s apart, means the first instant unless the caller requests the second',
  (_, zone, local, first, second) => {
    expect(iso(instantOf(zone, reading(local)))).toBe(first)
    expect(iso(instantOf(zone, reading(local), 'second'))).toBe(second)
  },
)

test('isSkipped recognises a skipped date, and not its neighbours', () => {
  expect(['2011-12-29', '2011-12-30', '2011-12-31'].map(day => isSkipped('Pacific/Apia', dayNumber(day)))).toEqual([
    false,
    true,
    false,
  ])
  expect(isSkipped('Pacific/Kwajalein', dayNumber('1993-08-21'))).toBe(true)
})

test('a work day begins at the split time', () => {
  expect(iso(dayStart('Europe/Athens', dayNumber('2025-06-10'), 240))).toBe('2025-06-10T01:00')
})

test('the clock of every zone equals the platform’s clock, and each instant of a reading has that reading', () => {
  const formats = new Map(
    Intl.supportedValuesOf('timeZone').map(zone => [
      zone,
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }),
    ]),
  )
  const instants = fc.integer({ min: reading('1973-01-01'), max: reading('2100-01-01') })
  fc.assert(
    fc.property(fc.constantFrom(...formats.keys()), instants, (zone, instant) => {
      const localReading = readingAt(zone, instant)
      expect(formats.get(zone)?.format(instant * 60_000)).toBe(iso(localReading).replace('T', ' '))
      const [first, second] = [instantOf(zone, localReading), instantOf(zone, localReading, 'second')]
      expect([first, second]).toContain(instant)
      expect(first).toBeLessThanOrEqual(second)
      expect([readingAt(zone, first), readingAt(zone, second)]).toEqual([localReading, localReading])
    }),
    { numRuns: 3000 },
  )
})

test('wall times are minutes from 00:00 of the work day', () => {
  expect(['00:00', '23:59', '06:00+1', '23:30-1'].map(readWallTime)).toEqual([0, 1439, 1800, -30])
  expect(['24:00', '9:00', '09:60', '09:00+2', '09:00 ', ''].map(readWallTime)).toEqual(Array(6).fill(undefined))
  fc.assert(
    fc.property(fc.integer({ min: -1440, max: 2879 }), minutes => {
      expect(readWallTime(wallTime(minutes))).toBe(minutes)
    }),
  )
})
