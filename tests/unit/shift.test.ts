import { describe, expect, test } from 'vitest'
import {
  anotherBreak,
  asNight,
  faultsOf,
  hoursText,
  looksLikeNight,
  readHours,
  rulesOf,
  valuesOf,
} from '../../web/pages/shift-values.ts'

// What a shift's form makes of what people type.

const plain = valuesOf(undefined, 'teal')

describe('hours of a week', () => {
  test.each([
    ['40', 2400],
    ['38.5', 2310],
    ['38,5', 2310],
    ['38:30', 2310],
    ['38h30', 2310],
    ['37.75', 2265],
    [' 40h ', 2400],
  ])('%s is %i minutes', (text, minutes) => expect(readHours(text)).toBe(minutes))
  test.each(['', 'forty', '38:60', '38.555', '-1', '1000'])('%s is none', text => expect(readHours(text)).toBeNaN())
  test('are shown as they are read', () => {
    for (let minutes = 0; minutes <= 10_080; minutes += 7) expect(readHours(hoursText(minutes))).toBe(minutes)
  })
})

describe('a shift that ends on the next day', () => {
  const quarters = Array.from({ length: 96 }, (_, quarter) => quarter * 15)
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

  test('has a punch period round it, whatever stood there before, where a day has room for both', () => {
    for (const on of quarters)
      for (const off of quarters) {
        const values = { ...plain, onDuty: clock(on), offDuty: clock(off), breaks: [] }
        expect(looksLikeNight(values)).toBe(off <= on)
        // Two hours before it and the rest of a day from there.
        if (off > on || off + 1440 - (on - 120) >= 1440) continue
        expect(faultsOf({ ...values, ...asNight(values) })).toEqual([])
      }
  })
  test('has its breaks on the date they fall on, told by the clock alone', () => {
    const values = {
      ...plain,
      ...{ onDuty: '22:00', offDuty: '06:00+1' },
      breaks: [
        { start: '23:30', end: '00:00', durationMinutes: '30', thresholdMinutes: '0' },
        { start: '02:00', end: '03:00', durationMinutes: '30', thresholdMinutes: '0' },
      ],
    }
    expect(rulesOf(values)).toMatchObject({
      breaks: [
        { start: '23:30', end: '00:00+1' },
        { start: '02:00+1', end: '03:00+1' },
      ],
    })
  })
})

test('another break is offered where there is room, as often as there may be breaks', () => {
  for (const times of [
    { onDuty: '09:00', offDuty: '18:00' },
    { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1' },
  ]) {
    let values = { ...plain, ...times, breaks: [] as typeof plain.breaks }
    for (let count = 1; count <= 8; count++) {
      values = { ...values, breaks: [...values.breaks, anotherBreak(values)] }
      expect(faultsOf(values)).toEqual([])
    }
  }
})
