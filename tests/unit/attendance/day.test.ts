import { describe, expect, test } from 'vitest'
import { calculate, marginDays } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import type { Input, Request } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { Row } from '../../../shared/attendance/row.ts'
import type { Shift } from '../../../shared/attendance/shift.ts'

// Cases that the vectors do not cover: states, dates, requests, parameters, and adjacent shifts.

const zone = 'Europe/Athens'
const at = (text: string) => Date.parse(`${text}+03:00`)

const day: Shift & { version: number } = {
  version: 1,
  onDuty: '09:00',
  offDuty: '17:00',
  punchStart: '06:00',
  punchEnd: '20:00',
  allowedLateMinutes: 0,
  allowedEarlyMinutes: 0,
  noClockOut: 0,
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: false, afterMinutes: 0 },
  breaks: [],
}

const rowsOf = (punches: string[], change: Partial<Input> = {}, shift: Partial<Shift> = {}): Row[] =>
  calculate({
    zone,
    from: '2025-06-10',
    to: '2025-06-10',
    asOf: at('2025-07-10T00:00'),
    employee: {},
    shifts: { day: { ...day, ...shift } },
    schedule: [{ day: '2025-06-10', shift: 'day' }],
    punches: punches.map((text, index) => ({ at: at(`2025-06-${text}`), key: String(index) })),
    requests: [],
    holidays: [],
    parameters: defaultParameters,
    ...change,
  })

const onlyRow = (rows: Row[]): Row => {
  const [row] = rows
  if (!row || rows.length > 1) throw new Error(`${rows.length} rows`)
  return row
}

const overtime = (from: string, to: string): Request => ({
  kind: 'overtime',
  from: at(`2025-06-${from}`),
  to: at(`2025-06-${to}`),
})

const usesOf = (row: Row) => row.punches.map(({ use }) => use)

describe('the state of a day', () => {
  const asOf = (text: string, punches: string[] = [], change: Partial<Input> = {}) =>
    onlyRow(rowsOf(punches, { ...change, asOf: at(`2025-06-${text}`) }))

  test('a day is pending and not absent until the punch end has passed', () => {
    expect(asOf('10T20:00')).toMatchObject({ state: 'pending', absentMinutes: 0 })
    expect(asOf('10T20:01')).toMatchObject({ state: 'provisional', absentMinutes: 480 })
  })

  test('a day is provisional until the terminals have uploaded or 24 hours have passed', () => {
    expect(asOf('11T19:59').state).toBe('provisional')
    expect(asOf('11T20:00').state).toBe('final')
    expect(asOf('10T20:10', [], { uploadedTo: at('2025-06-10T20:00') }).state).toBe('provisional')
    expect(asOf('10T20:10', [], { uploadedTo: at('2025-06-10T20:01') }).state).toBe('final')
  })

  test('a single punch of a pending day is an in with late minutes and without exceptions', () => {
    const row = asOf('10T18:00', ['10T16:30'], {})
    expect(row).toMatchObject({ firstIn: at('2025-06-10T16:30'), lastOut: null, lateMinutes: 450, exceptions: [] })
  })

  test.each([1, 2] as const)('the setting %i for a missing clock-out applies only after the punch end', noClockOut => {
    const row = onlyRow(rowsOf(['10T09:00'], { asOf: at('2025-06-10T18:00') }, { noClockOut }))
    expect(row).toMatchObject({ earlyLeaveMinutes: 0, absentMinutes: 0 })
  })

  test('an employee with two punches on a pending day has not left early', () => {
    const row = asOf('10T18:00', ['10T09:00', '10T12:00'])
    expect(row).toMatchObject({ workMinutes: 180, earlyLeaveMinutes: 0, exceptions: [] })
  })

  test('the engine credits tolerated early minutes at once, not only when the day is final', () => {
    const leaveEarly = (asOf: string, out: string) =>
      onlyRow(rowsOf(['10T09:00', `10T${out}`], { asOf: at(`2025-06-${asOf}`) }, { allowedEarlyMinutes: 5 }))
    expect(leaveEarly('10T16:56', '16:56')).toMatchObject({ state: 'pending', workMinutes: 480, earlyLeaveMinutes: 0 })
    expect(leaveEarly('11T20:01', '16:56')).toMatchObject({ state: 'final', workMinutes: 480, earlyLeaveMinutes: 0 })
    expect(leaveEarly('10T16:56', '16:54')).toMatchObject({ state: 'pending', workMinutes: 474, earlyLeaveMinutes: 0 })
    expect(leaveEarly('11T20:01', '16:54')).toMatchObject({ state: 'final', workMinutes: 474, earlyLeaveMinutes: 6 })
  })

  test('overtime that extends the punch period keeps the day open', () => {
    const change = { requests: [overtime('10T19:00', '10T22:00')] }
    expect(asOf('10T21:00', [], change).state).toBe('pending')
    expect(asOf('10T22:01', [], change).state).toBe('provisional')
  })

  test('work on a day without a shift is pending until its date is over', () => {
    const change = { schedule: [], asOf: at('2025-06-10T23:59') }
    expect(onlyRow(rowsOf(['10T09:00'], change))).toMatchObject({ state: 'pending', exceptions: [] })
    expect(onlyRow(rowsOf(['10T09:00'], { ...change, asOf: at('2025-06-11T00:00') }))).toMatchObject({
      state: 'provisional',
      exceptions: ['missingOut'],
    })
  })
})

describe('dates', () => {
  test.each([
    ['hire', { hireDay: '2025-06-10' }, 1],
    ['hire on the next', { hireDay: '2025-06-11' }, 0],
    ['end', { endDay: '2025-06-10' }, 1],
    ['end on the one before', { endDay: '2025-06-09' }, 0],
  ])('%s date counts', (_, employee, rows) => {
    expect(rowsOf(['10T09:00', '10T17:00'], { employee }).length).toBe(rows)
    expect(rowsOf(['10T09:00', '10T17:00'], { employee, schedule: [] }).length).toBe(rows)
  })

  test('a date that the zone skipped has no row', () => {
    const rows = rowsOf([], {
      zone: 'Pacific/Apia',
      from: '2011-12-29',
      to: '2011-12-31',
      schedule: ['2011-12-29', '2011-12-30', '2011-12-31'].map(date => ({ day: date, shift: 'day' })),
    })
    expect(rows.map(row => row.day)).toEqual(['2011-12-29', '2011-12-31'])
  })

  test('the days of the margin suffice even if overtime joins shifts over a skipped date (seed 1840599178)', () => {
    const night = { ...day, onDuty: '19:26', offDuty: '04:26+1', punchStart: '19:21', punchEnd: '08:45+1' }
    const morning = { ...day, onDuty: '02:00', offDuty: '06:54', punchStart: '01:55', punchEnd: '07:57' }
    const schedule = [
      { day: '2011-12-29', shift: 'night' },
      { day: '2011-12-31', shift: 'night' },
      { day: '2012-01-01', shift: 'morning' },
    ]
    const instant = (text: string) => Date.parse(`${text}+14:00`)
    const punches = ['2011-12-31T19:26', '2012-01-01T02:00', '2012-01-01T06:54'].map(instant)
    punches.unshift(Date.parse('2011-12-29T19:26-10:00'))
    const rowsWith = (entries: Input['schedule']) =>
      rowsOf([], {
        zone: 'Pacific/Apia',
        from: '2012-01-01',
        to: '2012-01-01',
        shifts: { night, morning },
        schedule: entries,
        // Overtime from the end of the night shift of the 29th until the next morning. The night ends after the skipped
        // date.
        requests: [{ kind: 'overtime', from: instant('2011-12-31T08:45'), to: instant('2012-01-01T01:55') }],
        punches: punches.map(instant => ({ at: instant, key: String(instant) })),
      })
    const first = dayName(dayNumber('2012-01-01') - marginDays)
    expect(rowsWith(schedule.filter(entry => entry.day >= first))).toEqual(rowsWith(schedule))
    expect(rowsWith(schedule.slice(1))).not.toEqual(rowsWith(schedule))
  })

  test('29 February of a leap year has a row', () => {
    const row = onlyRow(
      rowsOf([], { from: '2024-02-29', to: '2024-02-29', schedule: [{ day: '2024-02-29', shift: 'day' }] }),
    )
    expect(row).toMatchObject({ day: '2024-02-29', absentMinutes: 480 })
  })

  test('a day without a shift and punches has no row, and an empty range has no rows', () => {
    expect(rowsOf([], { schedule: [] })).toEqual([])
    expect(rowsOf(['10T09:00'], { from: '2025-06-11', to: '2025-06-10' })).toEqual([])
  })
})

describe('the punch period', () => {
  const skipped = (punches: string[], change: Partial<Input> = {}, shift: Partial<Shift> = {}) =>
    rowsOf(
      [],
      {
        zone: 'Pacific/Apia',
        from: '2011-12-29',
        to: '2011-12-31',
        schedule: [{ day: '2011-12-31', shift: 'day' }],
        punches: punches.map(text => ({ at: Date.parse(text), key: text })),
        ...change,
      },
      { onDuty: '00:30', offDuty: '08:00', punchStart: '20:59-1', punchEnd: '12:00', ...shift },
    )
  const newYork = (punches: string[], shift: Partial<Shift>, date = '2026-03-08') =>
    rowsOf(
      [],
      {
        zone: 'America/New_York',
        from: date,
        to: date,
        asOf: Date.parse('2030-01-01T00:00Z'),
        schedule: [{ day: date, shift: 'day' }],
        punches: punches.map(text => ({ at: Date.parse(text), key: text })),
      },
      shift,
    )

  test('that begins on a skipped date begins as long before on duty as planned', () => {
    // 3 h 31 min before 00:30 on the 31st is 20:59 on the 29th, the previous date.
    const [first, ...others] = skipped(['2011-12-29T20:59-10:00', '2011-12-31T08:00+14:00'])
    expect(others).toEqual([])
    expect(first).toMatchObject({ day: '2011-12-31', workMinutes: 450, lateMinutes: 0, exceptions: [] })
    const rows = skipped(['2011-12-29T20:58-10:00', '2011-12-31T08:00+14:00'])
    expect(rows.map(row => [row.day, row.exceptions])).toEqual([
      ['2011-12-29', ['missingOut']],
      ['2011-12-31', ['missingIn']],
    ])
  })

  test('whose start the clock change would move past on duty begins as long before on duty as planned', () => {
    const times = { onDuty: '03:10', offDuty: '11:10', punchStart: '02:30', punchEnd: '14:00' }
    const exceptionsWith = (text: string) => newYork([text, '2026-03-08T11:10-04:00'], times).map(row => row.exceptions)
    // The clock change moves 02:30 to 03:30, after on duty. 40 min before 03:10 is 01:30.
    expect(exceptionsWith('2026-03-08T01:30-05:00')).toEqual([[]])
    expect(exceptionsWith('2026-03-08T01:29-05:00')).toEqual([['missingIn']])
  })

  test('whose end the clock change would move before off duty ends as long after off duty as planned', () => {
    const times = { onDuty: '18:30', offDuty: '02:30+1', punchStart: '16:00', punchEnd: '03:10+1' }
    const exceptionsWith = (text: string) =>
      newYork(['2026-03-07T18:30-05:00', text], times, '2026-03-07').map(row => row.exceptions)
    // The clock change moves off duty to 03:30, and the period ends 40 min later.
    expect(exceptionsWith('2026-03-08T04:10-04:00')).toEqual([[]])
    expect(exceptionsWith('2026-03-08T04:11-04:00')).toEqual([['missingOut']])
  })

  test('whose start the clock skips begins later by the skipped time, if that is still before on duty', () => {
    const times = { onDuty: '04:00', offDuty: '12:00', punchStart: '02:30', punchEnd: '14:00' }
    const exceptionsWith = (text: string) => newYork([text, '2026-03-08T12:00-04:00'], times).map(row => row.exceptions)
    expect(exceptionsWith('2026-03-08T03:30-04:00')).toEqual([[]])
    expect(exceptionsWith('2026-03-08T03:29-04:00')).toEqual([['missingIn']])
  })

  test.each([
    ['ends before it begins', { punchStart: '10:16-1', punchEnd: '00:09-1' }, 480],
    ['begins behind on duty and ends before off duty', { punchStart: '12:00', punchEnd: '13:00' }, 480],
    ['is a single minute', { punchStart: '00:00', punchEnd: '00:00' }, 480],
    ['belongs to a duty the wrong way round', { onDuty: '17:00', offDuty: '09:00' }, 0],
  ] as [string, Partial<Shift>, number][])(
    'that %s, which the form refuses, still covers the scheduled time',
    (_, times, work) => {
      const row = onlyRow(rowsOf(['10T09:00', '10T17:00'], {}, times))
      expect([row.exceptions, row.workMinutes, usesOf(row)]).toEqual([[], work, ['in', 'out']])
    },
  )
})

describe('punches', () => {
  test('a requested punch in the minute of an existing punch is a repeat', () => {
    const row = onlyRow(
      rowsOf([], {
        punches: [
          { at: at('2025-06-10T09:00:20'), key: 'terminal' },
          { at: at('2025-06-10T09:00:00'), key: 'request' },
          { at: at('2025-06-10T17:00:00'), key: 'terminal 2' },
        ],
      }),
    )
    expect([row.workMinutes, usesOf(row)]).toEqual([480, ['in', 'repeat', 'out']])
  })

  test('within the bounce of a group’s first punch count as one punch, and the next punch starts a new group', () => {
    expect(onlyRow(rowsOf(['10T09:00:00', '10T09:00:59'])).lastOut).toBeNull()
    expect(onlyRow(rowsOf(['10T09:00:00', '10T09:01:00'])).lastOut).toBe(at('2025-06-10T09:01'))
    const row = onlyRow(rowsOf(['10T09:00:00', '10T09:00:40', '10T09:01:10', '10T17:00:10', '10T17:00:50']))
    expect(usesOf(row)).toEqual(['in', 'repeat', 'inner', 'repeat', 'out'])
    expect(row.lastOut).toBe(at('2025-06-10T17:00:50'))
  })

  test('at the same instant count as one punch, even without a bounce', () => {
    const parameters = { ...defaultParameters, bounceSeconds: 0 }
    expect(onlyRow(rowsOf(['10T09:00', '10T09:00'], { parameters })).lastOut).toBeNull()
  })

  test('a group of repeated punches is in the punch period if any of its punches is', () => {
    const row = onlyRow(rowsOf(['10T05:59:50', '10T06:00:20', '10T17:00']))
    expect(row).toMatchObject({ firstIn: at('2025-06-10T05:59:50'), exceptions: [] })
    expect(row.punches.length).toBe(3)
  })

  test('a group with punches only before and after a short punch period is outside', () => {
    const parameters = { ...defaultParameters, bounceSeconds: 3600 }
    const short = { offDuty: '09:20', punchStart: '08:55', punchEnd: '09:25' }
    const row = onlyRow(rowsOf(['10T08:40', '10T09:30'], { parameters }, short))
    expect(row).toMatchObject({ firstIn: null, lastOut: null, absentMinutes: 20 })
    expect(usesOf(row)).toEqual(['outside', 'outside'])
  })

  test("the terminal's in/out key decides the direction of a single punch only if the company trusts the key", () => {
    const punches = [{ at: at('2025-06-10T16:00'), key: 'a', state: 'in' as const }]
    expect(onlyRow(rowsOf([], { punches })).exceptions).toEqual(['missingIn'])
    const parameters = { ...defaultParameters, trustDeviceState: true }
    expect(onlyRow(rowsOf([], { punches, parameters }))).toMatchObject({ lateMinutes: 420, exceptions: ['missingOut'] })
  })

  test('with and without an in/out key at one instant are one punch with the key, in either order', () => {
    const parameters = { ...defaultParameters, trustDeviceState: true }
    const record = { at: at('2025-06-10T16:00'), key: 'a' }
    const punches = [record, { ...record, state: 'in' as const }]
    for (const sent of [punches, punches.toReversed()]) {
      expect(onlyRow(rowsOf([], { punches: sent, parameters }))).toMatchObject({
        punches: [{ use: 'in' }],
        exceptions: ['missingOut'],
      })
    }
  })

  test('a missing punch raises no exception if the shift turns exceptions off', () => {
    expect(onlyRow(rowsOf(['10T09:00'], {}, { raisesException: false })).exceptions).toEqual([])
  })

  test('time between inner punches is deducted if the company deducts gaps', () => {
    const punches = ['10T09:00', '10T10:00', '10T10:30', '10T17:00']
    expect(onlyRow(rowsOf(punches)).workMinutes).toBe(480)
    const row = onlyRow(rowsOf(punches, { parameters: { ...defaultParameters, deductGaps: true } }))
    expect([row.workMinutes, usesOf(row)]).toEqual([450, ['in', 'gap', 'gap', 'out']])
  })

  test('for a gap over a break, only time outside the slot is deducted in addition to the break', () => {
    const breaks = [{ start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }]
    const parameters = { ...defaultParameters, deductGaps: true }
    const row = onlyRow(rowsOf(['10T09:00', '10T11:30', '10T13:30', '10T17:00'], { parameters }, { breaks }))
    expect(row).toMatchObject({ workMinutes: 360, breakMinutes: 60, longBreakMinutes: 0 })
  })
})

describe('the midpoint', () => {
  test('still counts as the in', () => {
    expect(onlyRow(rowsOf(['10T13:00'])).exceptions).toEqual(['missingOut'])
    expect(onlyRow(rowsOf(['10T13:01'])).exceptions).toEqual(['missingIn'])
  })

  test('is the middle of the expected time that remains beside partial leave', () => {
    const requests: Request[] = [
      { kind: 'leave', leaveType: 1, from: at('2025-06-10T09:00'), to: at('2025-06-10T13:00') },
    ]
    expect(onlyRow(rowsOf(['10T15:00'], { requests })).exceptions).toEqual(['missingOut'])
    expect(onlyRow(rowsOf(['10T15:01'], { requests })).exceptions).toEqual(['missingIn'])
  })
})

describe('the night of a clock change', () => {
  const newYork = (change: Partial<Input>, shift: Partial<Shift>) =>
    onlyRow(rowsOf([], { zone: 'America/New_York', asOf: Date.parse('2030-01-01T00:00Z'), ...change }, shift))
  const spring = { from: '2026-03-07', to: '2026-03-07', schedule: [{ day: '2026-03-07', shift: 'day' }] }
  const autumn = { from: '2026-10-31', to: '2026-10-31', schedule: [{ day: '2026-10-31', shift: 'day' }] }
  const punchesOf = (...texts: string[]) => texts.map(text => ({ at: Date.parse(text), key: text }))

  test('a punch end in the repeated hour is the second occurrence, and a punch start the first', () => {
    const times = { onDuty: '17:00', offDuty: '01:00+1', punchStart: '15:00', punchEnd: '01:30+1' }
    const punches = punchesOf('2026-10-31T17:00-04:00', '2026-11-01T01:30-05:00')
    expect(newYork({ ...autumn, punches }, times)).toMatchObject({ exceptions: [], workMinutes: 480 })
    const early = { onDuty: '02:00+1', offDuty: '10:00+1', punchStart: '01:30+1', punchEnd: '12:00+1' }
    const morning = punchesOf('2026-11-01T01:30-04:00', '2026-11-01T10:00-05:00')
    expect(newYork({ ...autumn, punches: morning }, early)).toMatchObject({ exceptions: [], workMinutes: 480 })
  })

  test('a break in the skipped hour keeps its length, and punches in its slot belong to the break', () => {
    const times = { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1' }
    const breaks = [{ start: '02:30+1', end: '03:15+1', durationMinutes: 45, thresholdMinutes: 0 }]
    // The clock change moves the start from 02:30 to 03:30, past the planned end of 03:15. The slot is 03:30–04:15.
    const [on, left, back, off] = [
      '2026-03-07T22:00-05:00',
      '2026-03-08T03:35-04:00',
      '2026-03-08T04:15-04:00',
      '2026-03-08T06:00-04:00',
    ]
    const row = newYork(
      { ...spring, punches: punchesOf(on ?? '', left ?? '', back ?? '', off ?? '') },
      { ...times, breaks },
    )
    expect(row).toMatchObject({ dutyMinutes: 375, workMinutes: 375, breakMinutes: 45 })
    expect(usesOf(row)).toEqual(['in', 'break', 'break', 'out'])
  })

  test('a shift has no scheduled time and no work if the clock change moves on duty past off duty', () => {
    const times = { onDuty: '02:30', offDuty: '03:10', punchStart: '01:30', punchEnd: '06:00' }
    const change = { from: '2026-03-08', to: '2026-03-08', schedule: [{ day: '2026-03-08', shift: 'day' }] }
    const noFigures = { dutyMinutes: 0, workMinutes: 0, lateMinutes: 0, earlyLeaveMinutes: 0, absentMinutes: 0 }
    expect(newYork(change, times)).toMatchObject(noFigures)
    const punches = punchesOf('2026-03-08T01:50-05:00', '2026-03-08T04:00-04:00')
    expect(newYork({ ...change, punches }, times)).toMatchObject({ ...noFigures, exceptions: [] })
  })

  test('a break that the clock change moves into the next break delays the start of that break', () => {
    const times = { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1' }
    const rest = { durationMinutes: 30, thresholdMinutes: 0 }
    const breaks = [
      { start: '03:00+1', end: '03:30+1', ...rest },
      { start: '02:00+1', end: '02:30+1', ...rest },
    ]
    expect(newYork(spring, { ...times, breaks }).dutyMinutes).toBe(420 - 60)
  })
})

describe('breaks', () => {
  const lunch = { start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }

  test('a break lasts from the last punch of the leaving group to the first punch of the returning group', () => {
    const parameters = { ...defaultParameters, bounceSeconds: 180 }
    const punches = ['10T09:00', '10T11:58:30', '10T12:01', '10T13:00', '10T13:02', '10T17:00']
    const row = onlyRow(rowsOf(punches, { parameters }, { breaks: [{ ...lunch, durationMinutes: 30 }] }))
    expect(row).toMatchObject({ breakMinutes: 59, longBreakMinutes: 29, exceptions: ['longBreak'] })
    expect(usesOf(row)).toEqual(['in', 'break', 'repeat', 'break', 'repeat', 'out'])
  })

  test('a group with punches only before and after a break does not belong to the break', () => {
    const parameters = { ...defaultParameters, bounceSeconds: 3600, deductGaps: true }
    const punches = ['10T09:00', '10T11:50', '10T12:40', '10T14:00', '10T17:00']
    const row = onlyRow(rowsOf(punches, { parameters }, { breaks: [{ ...lunch, end: '12:30', durationMinutes: 30 }] }))
    // 480 minus 30 for the break and 80 for the gap from 12:40 to 14:00.
    expect(row).toMatchObject({ workMinutes: 370, breakMinutes: 30, exceptions: [] })
    expect(usesOf(row)).toEqual(['in', 'gap', 'repeat', 'gap', 'out'])
  })

  test('several breaks never deduct more than the credited time beyond their thresholds', () => {
    const breaks = [
      { ...lunch, thresholdMinutes: 200 },
      { start: '14:00', end: '15:00', durationMinutes: 60, thresholdMinutes: 200 },
    ]
    // The work is 360 min. The first break deducts 60. The second deducts 60, because 300 exceed 200 by more than its
    // slot.
    expect(onlyRow(rowsOf(['10T09:00', '10T15:00'], {}, { breaks })).breakMinutes).toBe(120)
    expect(onlyRow(rowsOf(['10T09:00', '10T14:30'], {}, { breaks })).breakMinutes).toBe(90)
    const strict = breaks.map(rest => ({ ...rest, thresholdMinutes: 290 }))
    expect(onlyRow(rowsOf(['10T09:00', '10T15:00'], {}, { breaks: strict })).breakMinutes).toBe(70)
  })
})

describe('requests', () => {
  test('overlapping overtime requests count once', () => {
    const requests = [overtime('10T18:00', '10T19:30'), overtime('10T19:00', '10T20:00')]
    expect(onlyRow(rowsOf(['10T09:00', '10T20:00'], { requests })).overtimeMinutes).toBe(120)
  })

  test('overtime extends the punch period if it touches the period or another extension', () => {
    const requests = [overtime('10T20:00', '10T21:00'), overtime('10T21:00', '10T22:00')]
    expect(onlyRow(rowsOf(['10T09:00', '10T22:00'], { requests })).overtimeMinutes).toBe(120)
    expect(onlyRow(rowsOf(['10T09:00', '10T22:00'], { requests: requests.slice(1) })).lastOut).toBeNull()
  })

  test('leave counts by type, and a minute in two requests counts once', () => {
    const leave = (leaveType: number, from: string, to: string): Request => ({
      kind: 'leave',
      leaveType,
      from: at(`2025-06-10T${from}`),
      to: at(`2025-06-10T${to}`),
    })
    const row = onlyRow(
      rowsOf(['10T13:00', '10T17:00'], { requests: [leave(2, '11:00', '13:00'), leave(1, '08:00', '12:00')] }),
    )
    expect(row).toMatchObject({ leaveMinutes: 240, leaveTypes: { 1: 180, 2: 60 }, lateMinutes: 0, workMinutes: 240 })
  })

  test('leave in hours over the whole scheduled time makes the day a day of leave', () => {
    const requests: Request[] = [
      { kind: 'leave', leaveType: 1, from: at('2025-06-10T09:00'), to: at('2025-06-10T17:00') },
    ]
    expect(onlyRow(rowsOf(['10T10:00', '10T12:00'], { requests }))).toMatchObject({
      kind: 'leave',
      leaveMinutes: 480,
      workMinutes: 120,
      exceptions: ['punchedOnLeave'],
    })
  })

  test('a single punch on a day of leave raises only punchedOnLeave', () => {
    const requests: Request[] = [{ kind: 'leave', leaveType: 1, fromDay: '2025-06-09', toDay: '2025-06-11' }]
    const row = onlyRow(rowsOf(['10T16:00'], { requests }))
    expect(row).toMatchObject({ exceptions: ['punchedOnLeave'], workMinutes: 0, lastOut: at('2025-06-10T16:00') })
  })
})

describe('overtime', () => {
  const counts = (afterMinutes: number) => ({ lateOutOvertime: { counts: true, afterMinutes } })
  const minutes = (out: string, shift: Partial<Shift>, parameters = {}) =>
    onlyRow(rowsOf(['10T09:00', `10T${out}`], { parameters: { ...defaultParameters, ...parameters } }, shift))
      .overtimeMinutes

  test('of exactly the threshold counts 0, and overtime beyond the threshold counts in full', () => {
    expect([minutes('17:30', counts(30)), minutes('17:31', counts(30))]).toEqual([0, 31])
  })

  test('below the daily minimum counts 0, and overtime above the maximum counts as the maximum', () => {
    const limits = { minimumOvertimeMinutes: 30, maximumOvertimeMinutes: 60 }
    expect(['17:29', '17:30', '18:30'].map(out => minutes(out, counts(0), limits))).toEqual([0, 30, 60])
  })

  test('starts at the in if the employee arrives after off duty', () => {
    const row = onlyRow(rowsOf(['10T18:00', '10T19:00'], {}, counts(0)))
    expect(row).toMatchObject({ lateMinutes: 480, workMinutes: 0, overtimeMinutes: 60 })
  })

  test('on holidays and days off counts as work if the company sets that', () => {
    const parameters = { ...defaultParameters, holidayWorkIsOvertime: false, restDayWorkIsOvertime: false }
    const punches = ['10T09:00', '10T12:00']
    expect(onlyRow(rowsOf(punches, { parameters, holidays: ['2025-06-10'] }))).toMatchObject({
      kind: 'holiday',
      dutyMinutes: 0,
      workMinutes: 180,
      overtimeMinutes: 0,
    })
    expect(onlyRow(rowsOf(punches, { parameters, schedule: [] }))).toMatchObject({ kind: 'rest', workMinutes: 180 })
  })

  test('on a holiday without a shift follows the setting for holidays, not the setting for days off', () => {
    const parameters = { ...defaultParameters, restDayWorkIsOvertime: false }
    const row = onlyRow(rowsOf(['10T09:00', '10T12:00'], { parameters, holidays: ['2025-06-10'], schedule: [] }))
    expect(row).toMatchObject({ kind: 'holiday', overtimeMinutes: 180 })
  })
})

describe('work without a shift', () => {
  test('belongs to the day that the split time determines', () => {
    const night = ['10T22:00', '11T02:00']
    const change = { schedule: [], to: '2025-06-11' }
    expect(rowsOf(night, change).map(row => [row.day, row.exceptions])).toEqual([
      ['2025-06-10', ['missingOut']],
      ['2025-06-11', ['missingOut']],
    ])
    const parameters = { ...defaultParameters, splitTime: '04:00' }
    expect(onlyRow(rowsOf(night, { ...change, parameters }))).toMatchObject({ day: '2025-06-10', overtimeMinutes: 240 })
  })

  test('on a day with a shift has no row, and the row of the shift marks its punches as outside', () => {
    const row = onlyRow(rowsOf(['10T02:00', '10T09:00', '10T17:00', '10T22:00']))
    expect([row.exceptions, usesOf(row)]).toEqual([[], ['outside', 'in', 'out', 'outside']])
  })
})

describe('adjacent shifts', () => {
  const night = { ...day, onDuty: '22:00', offDuty: '06:00+1', punchStart: '21:00', punchEnd: '07:00+1' }
  const morning = { ...day, onDuty: '06:00', offDuty: '14:00', punchStart: '05:00', punchEnd: '15:00' }
  const evening = { ...day, onDuty: '14:00', offDuty: '22:00', punchStart: '13:00', punchEnd: '23:00' }

  test('share hand-over punches, so that three shifts need four punches', () => {
    const rows = rowsOf(['10T05:58', '10T14:01', '10T22:02', '11T06:03'], {
      shifts: { morning, evening, night },
      schedule: ['morning', 'evening', 'night'].map(shift => ({ day: '2025-06-10', shift })),
    })
    expect(rows.map(row => [row.shift, usesOf(row), row.absentMinutes, row.exceptions])).toEqual([
      ['morning', ['in', 'out'], 0, []],
      ['evening', ['handOver', 'out'], 0, []],
      ['night', ['handOver', 'out'], 0, []],
    ])
  })

  test('share a hand-over punch only if the next punch is after the midpoint of the next shift', () => {
    const rowsWith = (out: string) =>
      rowsOf(['10T05:58', '10T14:01', out], {
        shifts: { morning, evening },
        schedule: ['morning', 'evening'].map(shift => ({ day: '2025-06-10', shift })),
      }).map(usesOf)
    expect(rowsWith('10T18:01')[1]).toEqual(['handOver', 'out'])
    // At the midpoint, the punch is the in of the second shift, so the shift needs no hand-over punch.
    expect(rowsWith('10T18:00')[1]).toEqual(['otherShift', 'in'])
  })

  test('with the same scheduled time are sorted by work day, then by id, for any input order', () => {
    // The zone skips the 30th, so shifts of two work days have the same scheduled time.
    const odd = { ...day, onDuty: '00:12-1', offDuty: '23:59-1', punchStart: '15:20-1', punchEnd: '00:10' }
    const schedule = ['2011-12-31', '2012-01-01'].flatMap(date => ['b', 'a'].map(shift => ({ day: date, shift })))
    const rowsWith = (entries: Input['schedule']) =>
      rowsOf([], {
        zone: 'Pacific/Apia',
        from: '2011-12-31',
        to: '2012-01-01',
        shifts: { a: { ...odd }, b: { ...odd } },
        schedule: entries,
        punches: ['2011-12-31T00:12+14:00', '2011-12-31T04:00+14:00', '2011-12-31T23:59+14:00'].map(text => ({
          at: Date.parse(text),
          key: text,
        })),
      })
    const rows = rowsWith(schedule)
    expect(rows.map(row => [row.day, row.shift, usesOf(row).filter(use => use !== 'otherShift')])).toEqual([
      ['2011-12-31', 'a', []],
      ['2011-12-31', 'b', []],
      ['2012-01-01', 'a', []],
      ['2012-01-01', 'b', ['in', 'inner', 'out']],
    ])
    expect(rowsWith(schedule.toReversed())).toEqual(rows)
    expect(rowsWith([...schedule.slice(1), ...schedule])).toEqual(rows)
  })

  test('each have a row, sorted by scheduled time', () => {
    const rows = rowsOf([], {
      shifts: { a: evening, b: morning },
      schedule: ['a', 'b'].map(shift => ({ day: '2025-06-10', shift })),
    })
    expect(rows.map(row => row.shift)).toEqual(['b', 'a'])
  })
})

test('the days of two employments have rows, and the days between the employments have none', () => {
  const days = ['2025-06-08', '2025-06-09', '2025-06-10', '2025-06-11', '2025-06-12']
  const rows = rowsOf(
    days.flatMap(day => [`${day.slice(8)}T09:00`, `${day.slice(8)}T17:00`]),
    {
      ...{ from: '2025-06-01', to: '2025-06-30' },
      employee: {
        hireDay: '2025-06-12',
        earlierEmployments: [{ endDay: '2025-06-08' }, { hireDay: '2025-06-10', endDay: '2025-06-10' }],
      },
      schedule: days.map(day => ({ day, shift: 'day' })),
    },
  )
  expect(rows.map(({ day, workMinutes }) => [day, workMinutes])).toEqual([
    ['2025-06-08', 480],
    ['2025-06-10', 480],
    ['2025-06-12', 480],
  ])
})
