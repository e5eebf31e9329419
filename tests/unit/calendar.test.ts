import { expect, test } from 'vitest'
import { composeCalendar } from '../../functions/calendar/ics.ts'

const now = Date.parse('2026-03-02T08:00:00.123Z')
const event = {
  uid: 'ann-2026-03-02-early@attendance',
  sequence: 3,
  changedAt: Date.parse('2026-02-27T10:11:12Z'),
  title: 'Early',
  time: { from: Date.parse('2026-03-02T06:00:00Z'), to: Date.parse('2026-03-02T14:30:00Z') },
}

test('a shift with hours becomes an entry with instants in UTC', () => {
  expect(composeCalendar('Demo', [event], now).split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Attendance//Schedule//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'X-WR-CALNAME:Demo',
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    'BEGIN:VEVENT',
    'UID:ann-2026-03-02-early@attendance',
    'DTSTAMP:20260302T080000Z',
    'SEQUENCE:3',
    'LAST-MODIFIED:20260227T101112Z',
    'DTSTART:20260302T060000Z',
    'DTEND:20260302T143000Z',
    'SUMMARY:Early',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ])
})

test('a shift without hours becomes an entry of the whole day', () => {
  const time = { day: '2026-03-31', nextDay: '2026-04-01' }
  const calendar = composeCalendar('Demo', [{ ...event, time }], now)
  expect(calendar).toContain('\r\nDTSTART;VALUE=DATE:20260331\r\nDTEND;VALUE=DATE:20260401\r\nTRANSP:TRANSPARENT\r\n')
})

test('special characters are escaped, and no line can be added through a name', () => {
  const calendar = composeCalendar('A, B; C\\D', [{ ...event, title: 'Early\r\nUID:x' }], now)
  expect(calendar).toContain('\r\nX-WR-CALNAME:A\\, B\\; C\\\\D\r\n')
  expect(calendar).toContain('\r\nSUMMARY:Early\\nUID:x\r\n')
})

test('a long line is folded after 75 octets between characters, and unfolds to the same text', () => {
  const title = '早班'.repeat(40)
  const calendar = composeCalendar('Demo', [{ ...event, title }], now)
  for (const line of calendar.split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(line).not.toContain('\uFFFD')
  }
  expect(calendar.replaceAll('\r\n ', '')).toContain(`\r\nSUMMARY:${title}\r\n`)
})
