import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { minutesOf, type Reason } from '../../shared/attendance/reason.ts'
import { addFigures, figureNames, noFigures, rowFigureNames } from '../../shared/figure.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// The employee side shows an employee’s own days only, with the figures of the company’s reports.

const address = inject('address')
const http = client(address)
const zone = eveningZone()
const today = dayIn(zone)
const headers = { 'x-timezone': zone }
const dayAt = (offset: number) => addDays(today, offset)
const range = { from: dayAt(-5), to: dayAt(1) }

let company: Registered
let boss: Signed
/** The signed-in employee, and a colleague with other days. */
let employee: Signed
let colleague: Signed
let employeeId: string
let shift: string
let terminal: Socket

type Row = PathOutput<'report/grid'>['list'][number]
/** The company report of an employee’s days, oldest first. */
const readReport = async (from: string, to: string, employee = employeeId): Promise<Row[]> =>
  (await http.call('report/grid', { filters: { from, to, employee }, size: 200 }, boss)).list.reverse()
const readMonthReport = () => readReport(`${today.slice(0, 7)}-01`, today)
const figuresOf = (row: Record<(typeof figureNames)[number], number>) =>
  Object.fromEntries(figureNames.map(name => [name, row[name]]))
const sumOf = (rows: Row[]) => rows.reduce(addFigures, noFigures())

const punch = (enrollid: number, day: string, time: string) => ({
  ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
})
let index = 0
const deliver = async (...record: object[]) => {
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++index, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  const { department } = company
  const person = (workno: string) => ({ first_name: 'Ann', last_name: workno, workno, department })
  const add = async (workno: string) =>
    (await http.call('employee/add', { ...person(workno), password: strongPassword }, boss)).id
  employeeId = await add('7')
  const other = await add('8')
  const signIn = async (workno: string) =>
    http.call('personal/login', { code: company.company_num, workno, password: strongPassword })
  employee = await signIn('7')
  colleague = await signIn('8')
  const form: PathCall<'shift/add'> = {
    ...{ name: 'Day', color: 'violet', onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' },
    ...{ allowedLateMinutes: 5, allowedEarlyMinutes: 5, lateOutOvertime: { counts: true, afterMinutes: 30 } },
    breaks: [{ start: '12:00', end: '13:00', durationMinutes: 60, thresholdMinutes: 0 }],
  }
  shift = (await http.call('shift/add', form, boss)).id
  const rows = [{ employees: [employeeId, other], cells: Array.from({ length: 9 }, () => [0]) }]
  const plan = { from: dayAt(-4), shifts: [shift], rows }
  const { task } = await http.call('schedule/preview', { plan }, boss)
  expect((await taskEnd(http, boss, { task })).state).toBe('done')
  const planned = await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
  expect(planned).toMatchObject({ state: 'done', problemCount: 0 })

  const sn = `OWN${Date.now()}`
  const { serverPath } = await http.call('device/add', { serialNumber: sn, name: 'Gate', department }, boss)
  terminal = await openSocket(address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 4 } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  await deliver(
    // Day by day: no shift; late; overtime; no clock-out; absent (only the colleague punches).
    ...[punch(7, dayAt(-5), '10:00:00'), punch(7, dayAt(-5), '12:00:00')],
    ...[punch(7, dayAt(-4), '09:06:30'), punch(7, dayAt(-4), '18:00:00')],
    ...[punch(7, dayAt(-3), '09:00:00'), punch(7, dayAt(-3), '09:00:20'), punch(7, dayAt(-3), '19:00:00')],
    punch(7, dayAt(-2), '08:59:00'),
    ...[punch(8, dayAt(-1), '08:30:00'), punch(8, dayAt(-1), '16:00:00')],
    punch(7, today, '08:58:10'),
  )
  await eventually(
    () => readReport(range.from, today),
    list =>
      expect(list).toMatchObject([
        { day: dayAt(-5), overtimeMinutes: 120 },
        { day: dayAt(-4), workMinutes: 474, lateMinutes: 6 },
        { day: dayAt(-3), workMinutes: 480, overtimeMinutes: 60 },
        { day: dayAt(-2), exceptions: ['missingOut'] },
        { day: dayAt(-1), absentMinutes: 480 },
        { day: today, firstIn: expect.any(String) },
      ]),
  )
})

describe('the days of an employee', () => {
  test('match the report figure by figure, and each list contains only its kind of days', async () => {
    const [all, late, absent, overtime, exception] = await Promise.all([
      http.call('personal/record/all', range, employee),
      http.call('personal/record/lateearly', range, employee),
      http.call('personal/record/absent', range, employee),
      http.call('personal/record/overtime', range, employee),
      http.call('personal/record/exception', range, employee),
    ])
    const rows = await readReport(range.from, range.to)
    expect(all.list.toReversed().map(({ day, ...row }) => ({ day, ...figuresOf(row) }))).toEqual(
      rows.map(({ day, ...row }) => ({ day, ...figuresOf(row) })),
    )
    expect(all.list).toHaveLength(7)
    expect(all.list.find(({ day }) => day === dayAt(-4))).toMatchObject({
      ...{ timezone: zone, shift: 'Day', shiftColor: 'violet', kind: 'work', isLocked: false },
      ...{ lateMinutes: 6, workMinutes: 474, breakMinutes: 60 },
    })
    const daysIn = ({ list }: { list: { day: string }[] }) => list.map(({ day }) => day)
    expect(daysIn(late)).toEqual([dayAt(-4)])
    expect(daysIn(absent)).toEqual([dayAt(-1)])
    expect(daysIn(overtime)).toEqual([dayAt(-3), dayAt(-5)])
    expect(daysIn(exception)).toEqual([dayAt(-2)])
  })

  test('exclude the days of colleagues', async () => {
    const [ownRecords, otherRecords] = await Promise.all([
      http.call('personal/record/all', range, employee),
      http.call('personal/record/all', range, colleague),
    ])
    const yesterday = (list: typeof ownRecords.list) => list.find(({ day }) => day === dayAt(-1))
    expect(yesterday(ownRecords.list)).toMatchObject({ absentMinutes: 480, workMinutes: 0 })
    expect(yesterday(otherRecords.list)).toMatchObject({ absentMinutes: 0, earlyLeaveMinutes: 120 })
    expect(otherRecords.list.map(({ day }) => day)).not.toContain(dayAt(-5))
    const { list } = await http.call('personal/report/record', { day: dayAt(-5) }, colleague)
    expect(list).toEqual([])
    // The paths accept no other employee.
    const requested = { ...range, employee: employeeId } as PathCall<'personal/record/all'>
    expect(await http.ask('personal/record/all', requested, colleague)).toMatchObject({ fields: { employee: 60003 } })
  })

  test('reject a range longer than a year', async () => {
    for (const to of [dayAt(-6), addDays(range.from, 366)])
      expect(await http.ask('personal/record/all', { from: range.from, to }, employee)).toMatchObject({
        ...{ code: 10002, fields: { to: 10002 } },
      })
  })
})

describe('the dashboard of an employee', () => {
  test('reports the month in seconds, with percentages of the larger of scheduled and present time', async () => {
    const work = await http.call('personal/dashboard/work', {}, employee)
    const month = sumOf(await readMonthReport())
    const [dutytime, worktime, overtime] = [
      (month.dutyMinutes - month.leaveMinutes) * 60,
      month.workMinutes * 60,
      month.overtimeMinutes * 60,
    ]
    const larger = Math.max(dutytime, worktime + overtime)
    const share = (seconds: number) => (larger === 0 ? 0 : Math.round((seconds / larger) * 100))
    expect(work).toEqual({
      ...{ from: `${today.slice(0, 7)}-01`, to: today, dutytime, worktime, overtime },
      duty_percentage: share(dutytime),
      work_percentage: share(worktime),
      overtime_percentage: share(overtime),
    })
  })

  test('counts as many days of the month as the lists contain', async () => {
    const { from, to, ...counts } = await http.call('personal/dashboard/info', {}, employee)
    const lists = await Promise.all([
      http.call('personal/record/lateearly', { from, to }, employee),
      http.call('personal/record/overtime', { from, to }, employee),
      http.call('personal/record/absent', { from, to }, employee),
      http.call('personal/record/exception', { from, to }, employee),
    ])
    const [month_early_late, month_over, month_absent, month_exception] = lists.map(({ list }) => list.length)
    expect({ from, to }).toEqual({ from: `${today.slice(0, 7)}-01`, to: today })
    expect(counts).toEqual({ month_early_late, month_over, month_absent, month_exception })
  })

  test('reports each of the last thirty days, including empty days', async () => {
    const { list } = await http.call('personal/dashboard/history', {}, employee)
    expect(list.map(({ day }) => day)).toEqual(Array.from({ length: 30 }, (_, place) => dayAt(place - 29)))
    const at = (offset: number) => list.find(({ day }) => day === dayAt(offset))
    expect(at(-3)).toEqual({ day: dayAt(-3), dutytime: 28_800, worktime: 28_800, overtime: 3600 })
    expect(at(-4)).toMatchObject({ dutytime: 28_800, worktime: 474 * 60 })
    expect(at(-5)).toMatchObject({ dutytime: 0, worktime: 0, overtime: 7200 })
    expect(at(-6)).toMatchObject({ dutytime: 0, worktime: 0, overtime: 0 })
  })

  test('shows the presence and each punch, and pushes only the employee’s own changes', async () => {
    const [ownSocket, otherSocket] = await Promise.all([openSocket(address), openSocket(address)])
    for (const [socket, { token }] of [
      [ownSocket, employee],
      [otherSocket, colleague],
    ] as const) {
      socket.say({ cmd: 'home.login', token })
      expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
    }
    const readRecord = () => http.call('personal/dashboard/record', {}, employee)
    const before = await readRecord()
    expect(before).toMatchObject({ day: today, state: 'in', list: [{ shift: 'Day' }], punches: [{ use: 'in' }] })
    expect(before.punches[0]).toMatchObject({ at: before.since, deviceName: 'Gate' })
    expect(await http.call('personal/dashboard/record', {}, colleague)).toMatchObject({ state: 'missing', punches: [] })

    await deliver(punch(7, today, '18:01:00'))
    const after = await eventually(readRecord, record => expect(record.punches).toHaveLength(2))
    expect(after).toMatchObject({ state: 'out', since: after.punches[1]?.at })
    await eventually(
      async () => ownSocket.unheard.flatMap(({ refresh }) => refresh),
      refresh => expect(refresh).toContain('personal/'),
    )
    expect(otherSocket.unheard).toEqual([])
    ownSocket.close()
    otherSocket.close()
  })
})

describe('the timecard', () => {
  test('contains the month of the report, its totals up to today, and the later planned days', async () => {
    const month = today.slice(0, 7)
    const card = await http.call('personal/report/timecard', { month }, employee)
    const rows = await readMonthReport()
    const upToToday = card.list.filter(({ day }) => day <= today)
    expect(upToToday.map(({ day, ...row }) => ({ day, ...figuresOf(row) }))).toEqual(
      rows.map(({ day, ...row }) => ({ day, ...figuresOf(row) })),
    )
    expect(card).toMatchObject({ today, total: sumOf(rows) })
    // Figures end tomorrow. The later days may lie in the next month.
    const months = [...new Set([dayAt(2), dayAt(3), dayAt(4)].map(day => day.slice(0, 7)))]
    const cards = await Promise.all(months.map(month => http.call('personal/report/timecard', { month }, employee)))
    const planned = cards.flatMap(({ planned }) => planned).filter(({ day }) => day > dayAt(1))
    expect(planned.map(({ day, shift, shiftColor }) => [day, shift, shiftColor])).toEqual(
      [2, 3, 4].map(offset => [dayAt(offset), 'Day', 'violet']),
    )
  })

  test('lists the holidays of the employee’s department', async () => {
    const { id: elsewhere } = await http.call('department/add', { name: 'Elsewhere' }, boss)
    const day = '2031-05-01'
    const add = (name: string, more: object) => http.call('holiday/add', { name, from: day, to: day, ...more }, boss)
    await add('Mayday', { departments: [company.department] })
    await add('Theirs', { departments: [elsewhere], from: '2031-05-02', to: '2031-05-02' })
    const month = '2031-05'
    const card = await http.call('personal/report/timecard', { month }, employee)
    expect(card).toMatchObject({ list: [], planned: [], holidays: [{ day, name: 'Mayday' }] })
  })

  test('requires a month', async () => {
    for (const month of ['2026', '2026-13', '2026-1', 'now'])
      expect(await http.ask('personal/report/timecard', { month }, employee)).toMatchObject({
        fields: { month: 10002 },
      })
  })
})

describe('a day of an employee', () => {
  test('has the same explanation for employee and manager, and its minutes add up to the figures', async () => {
    for (const offset of [-5, -4, -3, -2, -1]) {
      const day = dayAt(offset)
      const { list } = await http.call('personal/report/record', { day }, employee)
      expect(list).toHaveLength(1)
      const [row] = list
      const [reportRow] = await readReport(day, day)
      expect(row && figuresOf(row)).toEqual(reportRow && figuresOf(reportRow))
      const reasons = row?.reasons.map(({ rule, minutes }): Reason => [rule, 0, minutes]) ?? []
      for (const name of rowFigureNames)
        if (name !== 'workMinutes') expect(minutesOf(reasons, name), `${day} ${name}`).toBe(row?.[name])
      expect(minutesOf(reasons, 'workMinutes'), day).toBe((row?.workMinutes ?? 0) + (row?.unscheduledMinutes ?? 0))
      const reportDay = await http.call('report/day', { employee: employeeId, day }, boss)
      expect(reportDay).toMatchObject({ first_name: 'Ann', last_name: '7', workno: '7' })
      expect(reportDay.list).toEqual(list)
    }
  })

  test('shows the use and the terminal of each punch', async () => {
    const { list } = await http.call('personal/report/record', { day: dayAt(-3) }, employee)
    expect(list[0]?.punches.map(({ use, deviceName }) => [use, deviceName])).toEqual([
      ['in', 'Gate'],
      ['repeat', 'Gate'],
      ['out', 'Gate'],
    ])
  })

  test('shows the cause of its calculation, and its figures before a late punch', async () => {
    const day = dayAt(-2)
    const read = async () => (await http.call('personal/report/record', { day }, employee)).list[0]
    expect(await read()).toMatchObject({ exceptions: ['missingOut'], workMinutes: 0 })
    await deliver(punch(7, day, '18:00:00'))
    const row = await eventually(read, updated => expect(updated?.workMinutes).toBe(480))
    expect(row).toMatchObject({ exceptions: [], cause: { kind: 'punch' } })
    expect(row?.history[0]).toMatchObject({
      ...{ kind: 'work', exceptions: ['missingOut'], cause: { kind: 'punch' } },
      figures: { dutyMinutes: 480, workMinutes: 0 },
    })
  })

  test('names the task that changed it, and names that task’s author only to the manager', async () => {
    const day = dayAt(-4)
    const { list } = await http.call('shift/grid', {}, boss)
    const { isUsed: _, ...form } = list.find(({ id }) => id === shift) ?? expect.fail('The shift is gone')
    const changed = await http.call('shift/update', { ...form, allowedLateMinutes: 10 }, boss)
    await taskEnd(http, boss, { task: changed.task ?? '' })
    const [reportRow] = (await http.call('report/day', { employee: employeeId, day }, boss)).list
    const cause = { kind: 'shift/update', by: 'Olga Owner' }
    expect(reportRow).toMatchObject({ lateMinutes: 0, cause })
    expect(reportRow?.history[0]).toMatchObject({ cause, figures: { lateMinutes: 6 } })
    const [ownRow] = (await http.call('personal/report/record', { day }, employee)).list
    expect([ownRow?.cause, ownRow?.history[0]?.cause]).toEqual([{ kind: 'shift/update' }, { kind: 'shift/update' }])
  })

  test('shows rounded figures, and explains the unrounded figures', async () => {
    const { version, ...params } = await http.call('report/params', {}, boss)
    // Worked time rounds down to 15 minutes, overtime rounds up to 40 minutes.
    const rounded: typeof params = { ...params, minimumUnit: [15, 40, 0, 0, 0], rounding: [0, 1, 0, 0, 0] }
    const before = await http.call('personal/dashboard/history', {}, employee)
    await http.call('report/params/update', { version, ...rounded }, boss)
    const day = dayAt(-3)
    const { list } = await http.call('personal/record/all', { from: day, to: day }, employee)
    expect(list).toMatchObject([{ workMinutes: 480, overtimeMinutes: 80 }])
    const [row] = (await http.call('personal/report/record', { day }, employee)).list
    expect(row).toMatchObject({ overtimeMinutes: 60, printed: { workMinutes: 480, overtimeMinutes: 80 } })
    const { list: history } = await http.call('personal/dashboard/history', {}, employee)
    expect(history.find(entry => entry.day === day)).toMatchObject({ worktime: 28_800, overtime: 4800 })
    expect(before.list.find(entry => entry.day === day)).toMatchObject({ worktime: 28_800, overtime: 3600 })
  })

  test('shows its lock, and the timecard shows the lock too', async () => {
    const day = dayAt(-5)
    const month = day.slice(0, 7)
    expect((await http.call('personal/report/timecard', { month }, employee)).lockedTo).toBeUndefined()
    await http.call('report/lock/update', { lockedTo: day }, boss)
    expect(await http.call('personal/report/timecard', { month }, employee)).toMatchObject({ lockedTo: day })
    const { list } = await http.call('personal/record/all', range, employee)
    expect(list.flatMap(({ day, isLocked }) => (isLocked ? [day] : []))).toEqual([day])
  })

  test('is missing for an unknown employee and for a caller of another company', async () => {
    const missing = { code: 60004, fields: { employee: 60004 } }
    expect(await http.ask('report/day', { employee: '0'.repeat(16), day: today }, boss)).toMatchObject(missing)
    const stranger = await register(http)
    expect(await http.ask('report/day', { employee: employeeId, day: today }, stranger)).toMatchObject(missing)
    expect(await http.call('report/day', { employee: employeeId, day: '2020-01-01' }, boss)).toMatchObject({ list: [] })
  })
})
