import { describe, expect, test } from 'vitest'
import { readTime } from '../../web/parts/field/read-time.ts'

describe('readTime', () => {
  test.each([
    ['8', '08:00'],
    ['830', '08:30'],
    ['8:30', '08:30'],
    ['8.30', '08:30'],
    ['17h', '17:00'],
    ['17h30', '17:30'],
    ['21:05', '21:05'],
    ['9:05 pm', '21:05'],
    ['9p', '21:00'],
    ['905P.M.', '21:05'],
    ['12 am', '00:00'],
    ['12:15a', '00:15'],
    ['12 pm', '12:00'],
  ])('reads %s as %s', (text, time) => expect(readTime(text)).toBe(time))

  test.each(['', 'p', '24', '8:60', '13 pm', '0 am', '-5', '8 mm', '8:30:00', '12.5'])('rejects %s', text =>
    expect(readTime(text)).toBeUndefined(),
  )

  test.each(['en', 'zh', 'es', 'el'])('reads 12-hour and 24-hour times as %s writes them', language => {
    for (const hourCycle of ['h12', 'h23'] as const) {
      const clock = new Intl.DateTimeFormat(language, {
        hour: '2-digit',
        minute: '2-digit',
        hourCycle,
        timeZone: 'UTC',
      })
      for (let minute = 0; minute < 1440; minute += 5) {
        const time = new Date(minute * 60_000).toISOString().slice(11, 16)
        expect(readTime(clock.format(minute * 60_000), language)).toBe(time)
      }
    }
  })
})
