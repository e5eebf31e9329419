import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { calculate } from '../../../shared/attendance/calculate.ts'
import { dayName, dayNumber } from '../../../shared/attendance/calendar.ts'
import type { Input, Parameters, Request } from '../../../shared/attendance/input.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { Row, Week } from '../../../shared/attendance/row.ts'
import type { Shift } from '../../../shared/attendance/shift.ts'
import { wallMinutes } from '../../../shared/attendance/wall-time.ts'
import { instantOf } from '../../../shared/attendance/zone.ts'

interface DayVector {
  id: string
  title: string
  zone: string
  day: string
  shift: string
  change?: Partial<Shift>
  parameters?: Partial<Parameters>
  punches: string[]
  leave?: 'day' | [from: string, to: string]
  overtime?: [from: string, to: string][]
  holiday?: true
  expect: Partial<Row> & { outside?: string[]; repeats?: number }
}

interface AssignmentVector {
  id: string
  zone: string
  day: string
  schedule: { day: string; shift: string }[]
  punches: string[]
  expect: { shift: string; punches: string[]; exceptions: string[]; absentMinutes: number }[]
}

interface WeekVector {
  id: string
  /** Punches of the days from Monday. */
  days: string[]
  holidays?: number[]
  fullLeave?: number[]
  leave?: [day: number, from: string, to: string][]
  exceptions?: number[]
  expect: Partial<Week>
}

const vectorFile: {
  shifts: Record<string, Shift>
  days: DayVector[]
  assignments: AssignmentVector[]
  weeks: { zone: string; monday: string; firstWeekday: number; vectors: WeekVector[] }
} = JSON.parse(readFileSync('tests/given/attendance-vectors.json', 'utf8'))

const shifts = Object.fromEntries(
  Object.entries(vectorFile.shifts).map(([id, shift]) => [id, { ...shift, version: 1 }]),
)

/** An instant in ms of a wall time on a day. */
const at = (zone: string, day: string, text: string) =>
  instantOf(zone, dayNumber(day) * 1440 + wallMinutes(text)) * 60_000

const inputOf = (zone: string, from: string, to = from): Input => ({
  zone,
  from,
  to,
  asOf: Date.parse('2030-01-01T00:00Z'),
  employee: {},
  shifts,
  schedule: [],
  punches: [],
  requests: [],
  holidays: [],
  parameters: defaultParameters,
})

const punchesOf = (zone: string, day: string, texts: string[]) =>
  texts.map((text, index) => ({ at: at(zone, day, text), key: `${day} ${index}` }))

describe('days', () => {
  test.each(vectorFile.days)(
    '$id $title',
    ({ zone, day, shift, change, parameters, punches, leave, overtime = [], ...vector }) => {
      const base = shifts[shift]
      if (!base) throw new Error(`no shift ${shift}`)
      const requests: Request[] = overtime.map(([from, to]) => ({
        kind: 'overtime',
        from: at(zone, day, from),
        to: at(zone, day, to),
      }))
      if (leave === 'day') requests.push({ kind: 'leave', leaveType: 3, fromDay: day, toDay: day })
      else if (leave) {
        requests.push({ kind: 'leave', leaveType: 3, from: at(zone, day, leave[0]), to: at(zone, day, leave[1]) })
      }
      const [row] = calculate({
        ...inputOf(zone, day),
        shifts: { [shift]: { ...base, ...change } },
        schedule: [{ day, shift }],
        punches: punchesOf(zone, day, punches),
        requests,
        holidays: vector.holiday ? [day] : [],
        parameters: { ...defaultParameters, ...parameters },
      })
      const { outside = [], repeats = 0, ...expected } = vector.expect
      expect(row).toMatchObject(expected)
      const punchesUsedAs = (use: string) =>
        row?.punches.filter(punch => punch.use === use).map(punch => punch.at) ?? []
      expect(punchesUsedAs('outside')).toEqual(outside.map(text => at(zone, day, text)))
      expect(punchesUsedAs('repeat').length).toBe(repeats)
    },
  )
})

describe('assignment', () => {
  test.each(vectorFile.assignments)('$id', ({ zone, day, schedule, punches, expect: expected }) => {
    const last = schedule.at(-1)?.day ?? day
    const rows = calculate({ ...inputOf(zone, day, last), schedule, punches: punchesOf(zone, day, punches) })
    expect(
      rows.map(row => ({
        shift: row.shift,
        punches: row.punches.filter(({ use }) => use !== 'otherShift').map(punch => punch.at),
        exceptions: row.exceptions,
        absentMinutes: row.absentMinutes,
      })),
    ).toEqual(expected.map(row => ({ ...row, punches: row.punches.map(text => at(zone, day, text)) })))
  })
})

describe('weekly-flexible shifts', () => {
  const { zone, monday, firstWeekday, vectors } = vectorFile.weeks
  const dayAt = (index: number) => dayName(dayNumber(monday) + index)

  test.each(vectors)(
    '$id',
    ({ days, holidays = [], fullLeave = [], leave = [], exceptions = [], expect: expected }) => {
      const rows = calculate({
        ...inputOf(zone, monday, dayAt(6)),
        schedule: [0, 1, 2, 3, 4].map(index => ({ day: dayAt(index), shift: 'flexible' })),
        punches: days.flatMap((texts, index) => punchesOf(zone, dayAt(index), texts === '' ? [] : texts.split(' '))),
        requests: [
          ...fullLeave.map(
            (index): Request => ({ kind: 'leave', leaveType: 3, fromDay: dayAt(index), toDay: dayAt(index) }),
          ),
          ...leave.map(
            ([index, from, to]): Request => ({
              kind: 'leave',
              leaveType: 3,
              from: at(zone, dayAt(index), from),
              to: at(zone, dayAt(index), to),
            }),
          ),
        ],
        holidays: holidays.map(dayAt),
        parameters: { ...defaultParameters, firstWeekday },
      })
      const friday = rows.find(row => row.day === dayAt(4))
      expect(friday?.week).toMatchObject({ ...expected, settled: true, from: monday, to: dayAt(6) })
      expect(rows.filter(row => row.exceptions.length > 0).map(row => row.day)).toEqual(exceptions.map(dayAt))
      for (const row of rows) {
        expect([row.lateMinutes, row.earlyLeaveMinutes, row.absentMinutes, row.overtimeMinutes]).toEqual([0, 0, 0, 0])
      }
      const duty = rows.reduce((sum, row) => sum + row.dutyMinutes, 0)
      expect(duty).toBe(2400 - 480 * holidays.length)
    },
  )

  test('the last day gets the remainder of the target after rounded shares', () => {
    const flexible = shifts.flexible
    if (!flexible?.weekly) throw new Error('no weekly-flexible shift')
    const rows = calculate({
      ...inputOf(zone, monday, dayAt(6)),
      shifts: { flexible: { ...flexible, weekly: { ...flexible.weekly, targetMinutes: 2000 } } },
      schedule: [0, 1, 2].map(index => ({ day: dayAt(index), shift: 'flexible' })),
      requests: [{ kind: 'leave', leaveType: 7, fromDay: dayAt(1), toDay: dayAt(2) }],
    })
    expect(rows.map(row => row.dutyMinutes)).toEqual([666, 666, 668])
    expect(rows.map(row => row.leaveMinutes)).toEqual([0, 666, 668])
    // 2000 / 3 in whole minutes, rounded down.
    expect(rows[2]?.week).toMatchObject({ targetMinutes: 666, shortfallMinutes: 666 })
  })

  test('full-day leave counts the day’s share of the target, even if the share is longer than a day', () => {
    const [row] = calculate({
      ...inputOf(zone, monday, dayAt(6)),
      schedule: [{ day: monday, shift: 'flexible' }],
      requests: [{ kind: 'leave', leaveType: 7, fromDay: monday, toDay: monday }],
    })
    expect(row).toMatchObject({ kind: 'leave', dutyMinutes: 2400, leaveMinutes: 2400, leaveTypes: { 7: 2400 } })
    expect(row?.week).toMatchObject({ targetMinutes: 0, shortfallMinutes: 0 })
  })

  test('partial leave counts at most the day’s share, and the target of the week never falls below 0', () => {
    const [row] = calculate({
      ...inputOf(zone, monday, dayAt(6)),
      schedule: [0, 1, 2, 3, 4].map(index => ({ day: dayAt(index), shift: 'flexible' })),
      requests: [0, 1, 2, 3, 4].map(index => ({
        kind: 'leave',
        leaveType: 3,
        from: at(zone, dayAt(index), '08:00'),
        to: at(zone, dayAt(index), '20:00'),
      })),
    }).slice(-1)
    expect(row).toMatchObject({ kind: 'flexible', leaveMinutes: 480, leaveTypes: { 3: 480 } })
    expect(row?.week).toMatchObject({ targetMinutes: 0, shortfallMinutes: 0 })
  })

  test.each([
    ['numbers', 9, 2],
    ['ids', 'sick', 'care'],
  ])('partial leave beyond the day’s share counts in order of its start, with %s as leave types', (_, early, late) => {
    const leavePart = (leaveType: string | number, from: string, to: string): Request => ({
      kind: 'leave',
      leaveType,
      from: at(zone, monday, from),
      to: at(zone, monday, to),
    })
    const [row] = calculate({
      ...inputOf(zone, monday, dayAt(6)),
      schedule: [0, 1, 2, 3, 4].map(index => ({ day: dayAt(index), shift: 'flexible' })),
      requests: [leavePart(late, '13:00', '18:00'), leavePart(early, '08:00', '13:00')],
    })
    expect(row).toMatchObject({ leaveMinutes: 480, leaveTypes: { [early]: 300, [late]: 180 } })
  })

  test('a week is settled when its last day is final', () => {
    const rowsAsOf = (asOf: number) =>
      calculate({
        ...inputOf(zone, monday, dayAt(6)),
        asOf,
        schedule: [{ day: monday, shift: 'flexible' }],
        punches: punchesOf(zone, monday, ['09:00', '11:00']),
      })
    const end = at(zone, dayAt(7), '00:00')
    expect(rowsAsOf(end + 23 * 3_600_000)[0]?.week).toMatchObject({
      settled: false,
      workMinutes: 120,
      shortfallMinutes: 0,
    })
    expect(rowsAsOf(end + 24 * 3_600_000)[0]?.week).toMatchObject({ settled: true, shortfallMinutes: 2280 })
  })

  test('a week that is only partly in the requested range has no week figures', () => {
    const schedule = [0, 1, 2, 3, 4].map(index => ({ day: dayAt(index), shift: 'flexible' }))
    const rows = calculate({ ...inputOf(zone, dayAt(1), dayAt(6)), schedule })
    expect(rows.map(row => row.week)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('a week is not flexible if all its flexible days are outside the employment, regardless of other weeks', () => {
    const rowsWith = (...days: number[]) =>
      calculate({
        ...inputOf(zone, monday, dayAt(13)),
        employee: { hireDay: dayAt(1) },
        schedule: days.map(index => ({ day: dayAt(index), shift: 'flexible' })),
        punches: punchesOf(zone, dayAt(2), ['09:00', '13:00']),
      }).filter(row => row.day === dayAt(2))
    const [restRow] = rowsWith(0)
    expect(restRow).toMatchObject({ kind: 'rest', overtimeMinutes: 240, workMinutes: 0 })
    expect(rowsWith(0, 7)).toEqual([restRow])
    expect(rowsWith(0, 4)[0]).toMatchObject({ kind: 'flexible', overtimeMinutes: 0, workMinutes: 240 })
  })

  test.each([true, false])(
    'an unscheduled holiday in the week follows the setting for holiday work: %s',
    isOvertime => {
      const rows = calculate({
        ...inputOf(zone, monday, dayAt(6)),
        schedule: [0, 1, 2, 3, 4].map(index => ({ day: dayAt(index), shift: 'flexible' })),
        // The employee works on both days without a shift. Only Saturday is a holiday.
        punches: [5, 6].flatMap(index => punchesOf(zone, dayAt(index), ['09:00', '13:00'])),
        holidays: [dayAt(5)],
        parameters: { ...defaultParameters, firstWeekday, holidayWorkIsOvertime: isOvertime },
      })
      const [friday, saturday, sunday] = rows.slice(4)
      expect(saturday).toMatchObject({ kind: 'holiday', shift: null, dutyMinutes: 0 })
      expect([saturday?.workMinutes, saturday?.overtimeMinutes]).toEqual(isOvertime ? [0, 240] : [240, 0])
      expect(sunday).toMatchObject({ kind: 'flexible', shift: null, workMinutes: 240, overtimeMinutes: 0 })
      expect(friday?.week).toMatchObject({ targetMinutes: 2400, workMinutes: isOvertime ? 240 : 480 })
    },
  )

  test('a night shift keeps its clock-out on the morning of a flexible day', () => {
    const rows = calculate({
      ...inputOf(zone, monday, dayAt(1)),
      schedule: [
        { day: monday, shift: 'N1' },
        { day: dayAt(1), shift: 'flexible' },
      ],
      punches: [...punchesOf(zone, monday, ['22:00', '06:00+1']), ...punchesOf(zone, dayAt(1), ['14:00', '18:00'])],
    })
    expect(rows.map(({ shift, workMinutes }) => ({ shift, workMinutes }))).toEqual([
      { shift: 'N1', workMinutes: 450 },
      { shift: 'flexible', workMinutes: 240 },
    ])
  })
})
