import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Use } from '../../shared/attendance/row.ts'
import type { Shift } from '../../shared/shift.ts'
import { compareIn, isIn, type LeaveOfNow, type WhoRow, whoLists, whoOf, whoStates } from '../../shared/who.ts'

// The one state of each person now, from their rows and their leave.

const [yesterday, today] = ['2026-03-03', '2026-03-04']
const at = (time: string, day = today) => Date.parse(`${day}T${time}:00Z`)
const shift: Shift & { version: number } = {
  ...{ id: 's', name: 'Day', color: 'teal', version: 1 },
  ...{ onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00', allowedLateMinutes: 5 },
  ...{ allowedEarlyMinutes: 0, noClockOut: 0, raisesException: true },
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: false, afterMinutes: 0 },
  breaks: [{ start: '12:00', end: '14:00', durationMinutes: 60, thresholdMinutes: 0 }],
}

type Punched = readonly [time: string, use: Use, day?: string]
const row = (changes: Partial<WhoRow> = {}, ...punches: Punched[]): WhoRow => ({
  ...{ employee: 'e', department: 'd', day: today, shift: 's', zone: 'UTC', kind: 'work' },
  ...{ dutyFrom: at('09:00'), dutyTo: at('18:00'), closesAt: at('23:00'), lateMinutes: 0, leaveTypes: {} },
  punches: punches.map(([time, use, day = today]) => ({ at: at(time, day), key: `7#${day}T${time}:00#SN`, use })),
  ...changes,
})
const night = (day: string, next: string, ...punches: Punched[]) =>
  row({ day, dutyFrom: at('22:00', day), dutyTo: at('06:00', next), closesAt: at('10:00', next) }, ...punches)
const rest = (...punches: Punched[]) =>
  row({ shift: null, kind: 'rest', dutyFrom: null, dutyTo: null, closesAt: at('23:59') }, ...punches)

const person = { employee: 'e', department: 'd' }
const stateAt = (now: string, rows: WhoRow[], leaves: LeaveOfNow[] = [], isPlanless = false) =>
  whoOf({ ...person, isPlanless }, rows, leaves, {
    ...{ now: at(now), today },
    shiftOf: id => (id === 's' ? shift : undefined),
  })

describe('who is in', () => {
  test('a person is in after an odd number of punches, and finished after an even number', () => {
    expect(stateAt('10:00', [row({}, ['08:55', 'in'])])).toMatchObject({ state: 'in', since: at('08:55') })
    expect(stateAt('16:00', [row({}, ['08:55', 'in'], ['15:10', 'out'])])).toMatchObject({
      ...{ state: 'finished', since: at('15:10'), isLate: false },
    })
    const returned = row({}, ['08:55', 'in'], ['12:10', 'break'], ['12:50', 'out'])
    expect(stateAt('15:00', [returned])).toMatchObject({ state: 'in', since: at('08:55') })
  })

  test('a repeated punch and a punch outside the shift change nothing', () => {
    const twice = row({}, ['08:55', 'in'], ['08:56', 'repeat'], ['05:00', 'outside'])
    expect(stateAt('10:00', [twice])).toMatchObject({ state: 'in', since: at('08:55') })
  })

  test('a person on a break is in until the break must be over', () => {
    const left = row({}, ['08:55', 'in'], ['12:10', 'out'])
    expect(stateAt('12:30', [left])).toMatchObject({ state: 'in', since: at('08:55'), breakSince: at('12:10') })
    expect(stateAt('14:30', [left])).toMatchObject({ state: 'finished', since: at('12:10') })
  })

  test('a person without a shift counts once they punch', () => {
    expect(stateAt('10:00', [rest(['09:30', 'in'])])).toMatchObject({ state: 'in', isLate: false })
    expect(stateAt('12:00', [rest(['09:30', 'in'], ['11:00', 'out'])])).toMatchObject({ state: 'finished' })
    expect(stateAt('10:00', [])).toBeUndefined()
    expect(stateAt('10:00', [rest()])).toBeUndefined()
  })

  test('a scheduled person without a punch is due, then overdue, then absent so far', () => {
    expect(stateAt('08:00', [row()])).toMatchObject({ state: 'missing', since: at('09:00'), isLate: false })
    expect(stateAt('09:05', [row()])).toMatchObject({ state: 'missing', isLate: false })
    expect(stateAt('09:20', [row()])).toMatchObject({ state: 'missing', isLate: true, lateMinutes: 20 })
    expect(stateAt('18:30', [row()])).toMatchObject({ state: 'missing', isLate: false, isAbsent: true })
  })

  test('a person who came late is late and in, and later late and finished', () => {
    const late = row({ lateMinutes: 32 }, ['09:32', 'in'])
    expect(stateAt('10:00', [late])).toMatchObject({ state: 'in', isLate: true, lateMinutes: 32 })
    const gone = row({ lateMinutes: 32 }, ['09:32', 'in'], ['18:00', 'out'])
    expect(stateAt('19:00', [gone])).toMatchObject({ state: 'finished', isLate: true })
  })

  test('leave of a whole day counts until the person punches', () => {
    const away = row({ kind: 'leave', leaveTypes: { 3: 480 } })
    expect(stateAt('10:00', [away])).toMatchObject({ state: 'leave', leaveType: 3, isLate: false })
    expect(stateAt('10:00', [{ ...away, punches: row({}, ['09:00', 'in']).punches }])).toMatchObject({ state: 'in' })
  })

  test('leave of the morning moves the expected arrival', () => {
    const morning = [{ leaveType: 2, day: today, toDay: today, from: at('09:00'), to: at('13:00') }]
    expect(stateAt('08:00', [row()], morning)).toMatchObject({ state: 'missing', since: at('13:00') })
    expect(stateAt('10:00', [row()], morning)).toMatchObject({ state: 'leave', leaveType: 2 })
    expect(stateAt('13:30', [row()], morning)).toMatchObject({ state: 'missing', isLate: true, lateMinutes: 30 })
  })

  test('leave of the afternoon ends the expected time', () => {
    const afternoon = [{ leaveType: 2, day: today, toDay: today, from: at('13:00'), to: at('18:00') }]
    expect(stateAt('14:00', [row()], afternoon)).toMatchObject({ state: 'missing', isAbsent: true })
  })

  test('leave without a shift counts only for a person without any shifts', () => {
    const leave = [{ leaveType: 1, day: yesterday, toDay: today }]
    expect(stateAt('10:00', [], leave, true)).toMatchObject({ state: 'leave', leaveType: 1 })
    expect(stateAt('10:00', [], leave)).toBeUndefined()
  })

  test('a holiday expects nobody', () => {
    expect(stateAt('10:00', [row({ kind: 'holiday' })])).toBeUndefined()
    expect(stateAt('10:00', [row({ kind: 'holiday' }, ['09:00', 'in'])])).toMatchObject({ state: 'in' })
  })

  test('yesterday’s night shift counts while it is running', () => {
    const [running, tonight] = [night(yesterday, today, ['21:50', 'in', yesterday]), night(today, '2026-03-05')]
    expect(stateAt('03:00', [running, tonight])).toMatchObject({ state: 'in', since: at('21:50', yesterday) })
    const over = night(yesterday, today, ['21:50', 'in', yesterday], ['06:02', 'out'])
    expect(stateAt('07:00', [over, tonight])).toMatchObject({ state: 'missing', since: at('22:00') })
    expect(stateAt('03:00', [night(yesterday, today), tonight])).toMatchObject({ state: 'missing', isLate: true })
  })

  test('a person who forgot to clock out is finished once the work day has closed', () => {
    const forgotten = row({ closesAt: at('19:00') }, ['08:55', 'in'])
    expect(stateAt('20:00', [forgotten])).toMatchObject({ state: 'finished', isForgotten: true })
  })

  test('a forgotten clock-out of a closed shift changes nothing in the next shift', () => {
    const early = row({ dutyFrom: at('08:00'), dutyTo: at('12:00'), closesAt: at('12:30') }, ['08:00', 'in'])
    const late = (...punches: Punched[]) =>
      row({ dutyFrom: at('13:00'), dutyTo: at('17:00'), closesAt: at('18:30') }, ...punches)
    expect(stateAt('13:30', [early, late(['13:00', 'in'])])).toMatchObject({ state: 'in', since: at('13:00') })
    expect(stateAt('19:00', [early, late(['13:00', 'in'])])).toMatchObject({ state: 'finished', isForgotten: true })
    const left = stateAt('17:30', [early, late(['13:00', 'in'], ['17:02', 'out'])])
    expect(left).toMatchObject({ state: 'finished', since: at('17:02') })
    expect(left).not.toHaveProperty('isForgotten')
  })

  test('a person who handed over is in, even once the earlier shift has closed', () => {
    const early = row({ dutyTo: at('14:00'), closesAt: at('14:30') }, ['05:55', 'in'], ['14:02', 'out'])
    const late = (...punches: Punched[]) =>
      row({ dutyFrom: at('14:00'), dutyTo: at('22:00') }, ['14:02', 'handOver'], ...punches)
    expect(stateAt('15:00', [early, late()])).toMatchObject({ state: 'in', since: at('14:02') })
    expect(stateAt('22:30', [early, late(['22:01', 'out'])])).toMatchObject({ state: 'finished', since: at('22:01') })
  })

  test('a person whose only punch is a clock-out did not forget the clock-out', () => {
    const who = stateAt('23:30', [row({}, ['17:59', 'out'])])
    expect(who).toMatchObject({ state: 'finished', since: at('17:59') })
    expect(who).not.toHaveProperty('isForgotten')
  })

  test('a list shows overdue people first, and the latest departure first', () => {
    const who = (name: string, now: string, rows: WhoRow[]) => {
      const found = stateAt(now, rows)
      return found ? [{ ...found, employee: name }] : []
    }
    const due = who('due', '08:00', [row()])
    const overdue = who('overdue', '10:00', [row()])
    expect([...due, ...overdue].sort(compareIn('missing')).map(({ employee }) => employee)).toEqual(['overdue', 'due'])
    const [early, late] = [
      who('early', '19:00', [row({}, ['09:00', 'in'], ['15:00', 'out'])]),
      who('late', '19:00', [row({}, ['09:00', 'in'], ['18:00', 'out'])]),
    ]
    expect([...early, ...late].sort(compareIn('finished')).map(({ employee }) => employee)).toEqual(['late', 'early'])
  })

  test('every scheduled or punched person is in exactly one state at any time', () => {
    const minuteOfDay = fc.integer({ min: 0, max: 1439 })
    const punches = fc.array(fc.tuple(minuteOfDay, fc.constantFrom<Use>('in', 'out', 'break', 'inner')), {
      maxLength: 5,
    })
    const spans = fc.array(fc.tuple(minuteOfDay, minuteOfDay), { maxLength: 2 })
    fc.assert(
      fc.property(minuteOfDay, punches, spans, fc.boolean(), (now, used, away, hasShift) => {
        const start = at('00:00')
        const own = (hasShift ? row() : rest()) satisfies WhoRow
        const list = used.map(([minute, use], i) => ({ at: start + minute * 60_000, key: `7#${today}#${i}`, use }))
        const leaves = away.map(([from, to]) => ({
          ...{ leaveType: 1, day: today, toDay: today, from: start + from * 60_000, to: start + to * 60_000 },
        }))
        const who = whoOf(person, [{ ...own, punches: list }], leaves, {
          ...{ now: start + now * 60_000, today, shiftOf: () => shift },
        })
        if (!hasShift && list.length === 0) {
          expect(who).toBeUndefined()
          return
        }
        if (!who) throw new Error('A scheduled or punched person has no state')
        const lists = whoLists.filter(name => isIn(who, name))
        expect(lists.filter(name => name !== 'late')).toEqual([who.state])
        expect(whoStates).toContain(who.state)
        if (list.length === 0) expect(['missing', 'leave']).toContain(who.state)
        else expect(['in', 'finished']).toContain(who.state)
      }),
    )
  })
})
