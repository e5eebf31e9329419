import { describe, expect, test } from 'vitest'
import { anotherBreak, faultsOf, otherDaysOf, rulesOf, valuesOf, withDuty } from '../../web/pages/shift/values.ts'
import { hoursText, readHours } from '../../web/parts/field/read-hours.ts'

// Tests how the shift form interprets its input.

const defaults = valuesOf(undefined, 'teal')

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
  test.each(['', 'forty', '38:60', '38.555', '-1', '1000'])('%s is invalid', text => expect(readHours(text)).toBeNaN())
  test('have a text that the form reads as the same minutes', () => {
    for (let minutes = 0; minutes <= 10_080; minutes += 7) expect(readHours(hoursText(minutes))).toBe(minutes)
  })
})

describe('a shift that ends on the next day', () => {
  const quarters = Array.from({ length: 96 }, (_, quarter) => quarter * 15)
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

  test('follows from its times, with a valid punch period and break, whatever the previous values are', () => {
    for (const on of quarters)
      for (const off of quarters) {
        if (on === off) continue
        const onFirst = { ...defaults, ...withDuty(defaults, { onDuty: clock(on) }) }
        const both = { ...onFirst, ...withDuty(onFirst, { offDuty: clock(off) + onFirst.offDuty.slice(5) }) }
        expect([both.onDuty, both.offDuty]).toEqual([clock(on), off < on ? `${clock(off)}+1` : clock(off)])
        const minutes = (off - on + 1440) % 1440
        // A shorter shift is too short for a break of an hour.
        if (minutes >= 60) expect(faultsOf(both).filter(({ field }) => field !== 'allowedLateMinutes')).toEqual([])
      }
  })
  test('can be set by hand, and stays until the user types another time', () => {
    const moved = { ...defaults, ...withDuty(defaults, { offDuty: '18:00+1' }) }
    expect(moved.offDuty).toBe('18:00+1')
    expect(withDuty(moved, { offDuty: '18:00' })).toEqual({ onDuty: '09:00', offDuty: '18:00' })
    expect(withDuty(moved, { offDuty: '17:00' })).toMatchObject({ offDuty: '17:00' })
  })
  test('keeps a chosen punch period and breaks that still fit', () => {
    const chosen = { ...defaults, punchStart: '05:00', punchEnd: '23:00' }
    expect(withDuty(chosen, { offDuty: '17:00' })).toEqual({ onDuty: '09:00', offDuty: '17:00' })
    expect(withDuty(chosen, { onDuty: '05:00' })).toMatchObject({ punchStart: '03:00', punchEnd: '22:00' })
    expect(withDuty(defaults, { onDuty: '08:00' })).toMatchObject({ punchStart: '06:00', punchEnd: '22:00' })
  })
  test('offers the other day only where a time would otherwise be on the wrong side', () => {
    expect(otherDaysOf(defaults)).toEqual({})
    expect(otherDaysOf({ ...defaults, offDuty: '08:00', punchEnd: '07:00' })).toMatchObject({
      offDuty: '+1',
      punchEnd: '+1',
    })
    expect(otherDaysOf({ ...defaults, onDuty: '00:30', punchStart: '22:30' })).toMatchObject({ punchStart: '-1' })
    expect(otherDaysOf({ ...defaults, punchEnd: '02:00+1' })).toMatchObject({ punchEnd: '+1' })
  })
  test('has lunch only if it is long, until the user changes a break', () => {
    const short = { ...defaults, ...withDuty(defaults, { offDuty: '14:00' }) }
    expect(short.breaks).toEqual([])
    expect(withDuty(short, { offDuty: '18:00' }).breaks).toMatchObject([{ durationMinutes: '60' }])
    const own = { ...defaults, hasUsualBreaks: false }
    expect(withDuty(own, { offDuty: '14:00' }).breaks ?? own.breaks).toHaveLength(1)
    expect(withDuty({ ...own, breaks: [] }, { offDuty: '19:00' })).not.toHaveProperty('breaks')
  })
  test('has its breaks on the dates that follow from their clock times', () => {
    const values = {
      ...defaults,
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

test('anotherBreak proposes a valid break up to the limit of eight', () => {
  for (const times of [
    { onDuty: '09:00', offDuty: '18:00' },
    { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1' },
  ]) {
    let values = { ...defaults, ...times, breaks: [] as typeof defaults.breaks }
    for (let count = 1; count <= 8; count++) {
      values = { ...values, breaks: [...values.breaks, anotherBreak(values)] }
      expect(faultsOf(values)).toEqual([])
    }
  }
})
