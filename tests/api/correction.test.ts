import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const reason = 'Forgot to clock out'

let company: Registered
let boss: { token: string; headers: Record<string, string> }
/** A manager of one department, who is an employee of that department and may see its records. */
let manager: { token: string }
let managerId: string
let other: string
let terminal: Socket
let serialNumber: string
let logs = 0
let number = 100

const punch = async (enrollid: number, ...times: string[]) => {
  const record = times.map(time => ({ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++logs, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  other = (await http.call('department/add', { name: 'Other', parent: company.department }, boss)).id
  const { id: roleId } = await http.call('role/add', { name: 'Other', permissions: [8, 9], departments: [other] }, boss)
  const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: other, role: 2, roleId }
  manager = await invite(http, boss, mona)
  managerId = (await http.call('auth/get', {}, manager)).employee.id
  serialNumber = `C${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Door', department: company.department }
  const { serverPath } = await http.call('device/add', device, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
})

let shift: string | undefined
/** An employee who is scheduled from 05:00 to 13:00 on the day. */
const worker = async (department = other) => {
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  shift ??= (await http.call('shift/add', { name: 'Early', ...form }, boss)).id
  const workno = String(++number)
  const { id } = await http.call('employee/add', { first_name: 'E', last_name: workno, workno, department }, boss)
  await http.call('schedule/add', { employees: [id], days: [day], shift }, boss)
  return { id, workno: Number(workno), name: (time: string) => `${workno}#${day}T${time}#${serialNumber}` }
}

type Day = PathOutput<'report/day'>['list'][number]
const dayOf = async (employee: string, holds: (day: Day | undefined) => void): Promise<Day> => {
  const { list } = await eventually(
    () => http.call('report/day', { employee, day }, boss),
    ({ list }) => holds(list[0]),
  )
  return list[0] as Day
}
const workedFor = (minutes: number) => (row: Day | undefined) => expect(row?.workMinutes).toBe(minutes)
const eventsOf = (day: Day) => day.punches.map(({ at, use, device }) => [at.slice(11, 16), use, device])

describe('a forgotten clock-out', () => {
  test('is added by the manager, counts, and shows who added it and why', async () => {
    const { id, workno } = await worker()
    await punch(workno, '05:00:00')
    await dayOf(id, row => expect(row?.exceptions).toEqual(['missingOut']))
    const form = { employee: id, date: day, time: '13:00', inout: 1 as const }
    const { days } = await http.call('record/preview', { action: 'add', ...form }, manager)
    expect(days).toMatchObject([
      { day, shift: 'Early', before: { exceptions: ['missingOut'] }, after: { workMinutes: 480 } },
    ])
    await dayOf(id, row => expect(row?.exceptions).toEqual(['missingOut']))

    const { punch: added } = await http.call('record/add', { ...form, reason }, manager)
    const row = await dayOf(id, workedFor(480))
    expect(row).toMatchObject({ exceptions: [], cause: { kind: 'correction', by: 'Mona M' } })
    expect(row.punches.map(({ device, use }) => [device, use])).toEqual([
      [serialNumber, 'in'],
      ['manager', 'out'],
    ])
    expect(row.punches[1]).toMatchObject({
      id: added,
      correction: { reason, by: 'Mona M', isIgnored: false, version: 1 },
    })
    const { list } = await http.call(
      'record/grid',
      { filters: { from: day, to: day, employee: id, source: 'manager' } },
      boss,
    )
    expect(list).toMatchObject([{ device: 'manager', source: 'manager', use: 'out' }])
    const audit = await http.call('audit/grid', { filters: { noun: 'correction', employee: managerId } }, boss)
    expect(audit.list[0]).toMatchObject({ path: 'record/add', changes: [{ noun: 'correction', id, change: 'added' }] })

    await http.call('record/restore', { employee: id, punch: added, version: 1 }, boss)
    const restored = await dayOf(id, row => expect(row?.exceptions).toEqual(['missingOut']))
    // Another manager removed the correction, so the day does not credit the removal to its author.
    expect(restored.cause).toEqual({ kind: 'correction' })
  })
})

describe('a recorded punch', () => {
  test('keeps its record while the manager moves it, ignores it and restores it', async () => {
    const { id, workno, name } = await worker()
    await punch(workno, '05:30:00', '13:00:00')
    const before = await dayOf(id, workedFor(450))
    const moved = { employee: id, punch: name('05:30:00'), date: day, time: '05:00' }
    await http.call('record/update', { ...moved, reason }, manager)
    const row = await dayOf(id, workedFor(480))
    const recordedAt = before.punches[0]?.at
    expect(row.punches[0]).toMatchObject({ id: name('05:30:00'), device: serialNumber, correction: { recordedAt } })

    const out = { employee: id, punch: name('13:00:00') }
    await http.call('record/ignore', { ...out, reason: 'Somebody else' }, manager)
    const ignored = await dayOf(id, row => expect(row?.exceptions).toEqual(['missingOut']))
    expect(ignored.ignored).toMatchObject([{ id: out.punch, correction: { reason: 'Somebody else', isIgnored: true } }])
    await http.call('record/restore', { ...out, version: 1 }, manager)
    await dayOf(id, workedFor(480))
    await http.call('record/restore', { employee: id, punch: moved.punch, version: 1 }, manager)
    const after = await dayOf(id, workedFor(450))
    expect(eventsOf(after)).toEqual(eventsOf(before))
    expect(after.ignored).toEqual([])
  })

  test('that was moved and then ignored counts at its moved time again when it is restored', async () => {
    const { id, workno, name } = await worker()
    await punch(workno, '05:30:00', '13:00:00')
    await dayOf(id, workedFor(450))
    const punched = { employee: id, punch: name('05:30:00') }
    await http.call('record/update', { ...punched, date: day, time: '05:00', reason }, manager)
    await http.call('record/ignore', { ...punched, reason, version: 1 }, manager)
    await dayOf(id, row => expect(row?.exceptions).toEqual(['missingIn']))
    await http.call('record/restore', { ...punched, version: 2 }, manager)
    await dayOf(id, workedFor(480))
  })

  test('accepts one of two simultaneous corrections, and the other manager gets an error', async () => {
    const { id, workno, name } = await worker()
    await punch(workno, '05:30:00', '13:00:00')
    await dayOf(id, workedFor(450))
    const correct = (time: string, by: { token: string }) =>
      http.ask('record/update', { employee: id, punch: name('05:30:00'), date: day, time, reason }, by)
    const answers = await Promise.all([correct('05:00', manager), correct('05:10', boss)])
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60006])
  })
})

describe('a correction is refused', () => {
  let mine: Awaited<ReturnType<typeof worker>>
  beforeAll(async () => {
    mine = await worker()
    await punch(mine.workno, '05:00:00')
    await dayOf(mine.id, row => expect(row?.exceptions).toEqual(['missingOut']))
  })
  type Form = Partial<PathCall<'record/add'>>
  const add = (form: Form, by = manager) =>
    http.ask('record/add', { employee: mine.id, date: day, time: '13:00', reason, ...form }, by)

  test.each<[string, () => Form, number, string]>([
    ['for the manager’s own punch', () => ({ employee: managerId }), 60088, 'employee'],
    ['for a future day', () => ({ date: addDays(day, 2) }), 10002, 'date'],
    ['for a day without a date', () => ({ date: '2026-02-30' }), 10002, 'date'],
    ['at a time that is none', () => ({ time: '25:00' }), 10002, 'time'],
    ['at the minute of another punch', () => ({ time: '05:00' }), 60089, 'time'],
    ['for an employee who does not exist', () => ({ employee: '0'.repeat(16) }), 60004, 'employee'],
  ])('%s', async (_, form, code, field) => {
    expect(await add(form())).toMatchObject({ code, fields: { [field]: code } })
  })

  test('without a reason', async () => {
    expect(await add({ reason: ' ' })).toMatchObject({ code: 10002, fields: { reason: 60001 } })
  })

  test('in another department', async () => {
    const { id } = await worker(company.department)
    expect(await add({ employee: id })).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    expect(await add({ employee: id }, boss)).toMatchObject({ code: 0 })
  })

  test('before the hire date', async () => {
    const workno = String(++number)
    const hired = { first_name: 'E', last_name: workno, workno, department: other, hireDay: day }
    const { id } = await http.call('employee/add', hired, boss)
    expect(await add({ employee: id, date: addDays(day, -1) })).toMatchObject({ code: 10002, fields: { date: 10002 } })
  })

  test('for a punch of another employee, for an unknown punch, and as a restore without a correction', async () => {
    const { name } = await worker()
    const ignore = (punch: string) => http.ask('record/ignore', { employee: mine.id, punch, reason }, manager)
    for (const punch of [name('05:00:00'), mine.name('06:00:00'), `REQUEST#${day}-x`, 'nonsense'])
      expect(await ignore(punch)).toMatchObject({ code: 60004, fields: { punch: 60004 } })
    const restored = await http.ask('record/restore', { employee: mine.id, punch: mine.name('05:00:00') }, manager)
    expect(restored).toMatchObject({ code: 60004, fields: { punch: 60004 } })
  })

  test('that puts a clock-out before the clock-in, or a clock-in behind the clock-out', async () => {
    expect(await add({ time: '04:30', inout: 1 })).toMatchObject({ code: 10002, fields: { time: 10002 } })
    const { id, workno, name } = await worker()
    await punch(workno, '05:30:00', '13:00:00')
    await dayOf(id, workedFor(450))
    for (const [from, to] of [
      ['13:00:00', '05:00'],
      ['05:30:00', '13:30'],
    ] as const) {
      const moved = { employee: id, punch: name(from), date: day, time: to }
      const wrong = { code: 10002, fields: { time: 10002 } }
      expect(await http.ask('record/update', { ...moved, reason }, manager)).toMatchObject(wrong)
      expect(await http.ask('record/preview', { ...moved, action: 'update' }, manager)).toMatchObject(wrong)
    }
    await dayOf(id, workedFor(450))
  })

  test('that enters a clock-in after a night shift, which would count as its clock-out', async () => {
    const times = { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '12:00+1', breaks: [] }
    const night = (await http.call('shift/add', { name: 'Night', ...times }, boss)).id
    const workno = String(++number)
    const person = { first_name: 'Nora', last_name: workno, workno, department: other }
    const { id } = await http.call('employee/add', person, boss)
    const [evening, morning] = [addDays(day, -3), addDays(day, -2)]
    const plan = { from: evening, shifts: [night], rows: [{ employees: [id], cells: [[0]] }] }
    const { task } = await http.call('schedule/preview', { plan }, boss)
    await taskEnd(http, boss, { task })
    await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
    const enter = (date: string, time: string, inout?: 0 | 1) =>
      http.ask('record/add', { employee: id, date, time, reason, ...(inout !== undefined && { inout }) }, manager)
    expect(await enter(evening, '22:00', 0)).toMatchObject({ code: 0 })
    expect(await enter(morning, '06:00', 1)).toMatchObject({ code: 0 })
    expect(await enter(morning, '10:00', 0)).toMatchObject({ code: 10002, fields: { time: 10002 } })
    const { list } = await eventually(
      () => http.call('report/day', { employee: id, day: evening }, boss),
      ({ list }) => workedFor(480)(list[0]),
    )
    expect(list[0]?.punches.map(({ use }) => use)).toEqual(['in', 'out'])
    // Without a direction, the manager leaves it to the shift.
    expect(await enter(morning, '10:00')).toMatchObject({ code: 0 })
  })

  test('that moves a punch more than a day from its recorded time', async () => {
    const form = { employee: mine.id, punch: mine.name('05:00:00'), time: '05:00', reason }
    const answer = await http.ask('record/update', { ...form, date: addDays(day, -2) }, manager)
    expect(answer).toMatchObject({ code: 10002, fields: { date: 10002 } })
  })

  test('on a locked day', async () => {
    const own = await register(http, { timezone: zone })
    const signed = { token: own.token }
    const hired = { first_name: 'E', last_name: '7', workno: '7', department: own.department }
    const { id } = await http.call('employee/add', hired, signed)
    await http.call('report/lock/update', { lockedTo: addDays(day, -10) }, signed)
    const form = { employee: id, time: '13:00', reason }
    const answer = (date: string) => http.ask('record/add', { ...form, date }, signed)
    expect(await answer(addDays(day, -10))).toMatchObject({ code: 60061, fields: { date: 60061 } })
    expect(await answer(addDays(day, -9))).toMatchObject({ code: 0 })
  })
})
