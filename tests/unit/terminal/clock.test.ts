import { describe, expect, test } from 'vitest'
import { localTimeAt, resolveLocalTime } from '../../../shared/terminal/clock.ts'

const berlin = 'Europe/Berlin'
const later = Date.parse('2026-12-01T00:00:00Z')
const iso = (localTime: string, context: { receivedAt?: string; after?: string } = {}) =>
  new Date(
    resolveLocalTime(berlin, localTime, {
      receivedAt: context.receivedAt ? Date.parse(context.receivedAt) : later,
      after: context.after ? Date.parse(context.after) : undefined,
    }).at,
  ).toISOString()

describe('the time of a terminal', () => {
  test('is read in its zone, with its seconds', () => {
    expect(iso('2026-03-02T08:59:59')).toBe('2026-03-02T07:59:59.000Z')
    expect(iso('2026-07-02T08:59:59')).toBe('2026-07-02T06:59:59.000Z')
  })

  test('that the clock skipped moves forward by the skipped time', () => {
    expect(iso('2026-03-29T02:30:15')).toBe('2026-03-29T01:30:15.000Z')
  })

  describe('that the clock showed twice', () => {
    test('is the first occurrence by default', () => {
      expect(iso('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z')
      expect(resolveLocalTime(berlin, '2026-10-25T02:30:00', { receivedAt: later }).isAmbiguous).toBe(true)
      expect(resolveLocalTime(berlin, '2026-10-25T03:00:00', { receivedAt: later }).isAmbiguous).toBe(false)
    })

    test('is the second occurrence if the first would put the records out of order', () => {
      expect(iso('2026-10-25T02:10:00', { after: '2026-10-25T00:50:00Z' })).toBe('2026-10-25T01:10:00.000Z')
      expect(iso('2026-10-25T02:50:00', { after: '2026-10-25T00:50:00Z' })).toBe('2026-10-25T00:50:00.000Z')
    })

    test('stays the first occurrence if the record is up to a minute earlier than the previous record', () => {
      const after = '2026-10-25T00:30:40Z'
      expect(iso('2026-10-25T02:30:10', { after })).toBe('2026-10-25T00:30:10.000Z')
      expect(iso('2026-10-25T02:29:41', { after })).toBe('2026-10-25T00:29:41.000Z')
      expect(iso('2026-10-25T02:28:39', { after })).toBe('2026-10-25T01:28:39.000Z')
      // The one-minute tolerance also applies within the second occurrence.
      const second = '2026-10-25T01:30:40Z'
      expect(iso('2026-10-25T02:30:10', { after: second })).toBe('2026-10-25T01:30:10.000Z')
    })

    test('is never an instant after the arrival of the record', () => {
      const [after, receivedAt] = ['2026-10-25T00:55:00Z', '2026-10-25T00:56:00Z']
      expect(iso('2026-10-25T02:30:00', { after, receivedAt })).toBe('2026-10-25T00:30:00.000Z')
    })

    test('is the occurrence that fits the arrival, if the record arrives at once', () => {
      expect(iso('2026-10-25T02:30:00', { receivedAt: '2026-10-25T01:30:03Z' })).toBe('2026-10-25T01:30:00.000Z')
      expect(iso('2026-10-25T02:30:00', { receivedAt: '2026-10-25T00:30:03Z' })).toBe('2026-10-25T00:30:00.000Z')
      expect(iso('2026-10-25T02:30:00', { receivedAt: '2026-10-25T01:35:01Z' })).toBe('2026-10-25T00:30:00.000Z')
    })
  })
})

test.each([
  [berlin, '2026-10-25T00:30:59.999Z', '2026-10-25T02:30:59'],
  [berlin, '2026-10-25T01:30:00Z', '2026-10-25T02:30:00'],
  ['Asia/Kathmandu', '2026-03-02T00:00:01Z', '2026-03-02T05:45:01'],
  ['America/St_Johns', '2026-03-02T00:00:00Z', '2026-03-01T20:30:00'],
])('a clock of %s shows at %s %s', (zone, instant, localTime) => {
  expect(localTimeAt(zone, Date.parse(instant))).toBe(localTime)
})
