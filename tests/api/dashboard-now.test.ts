import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { whoLists } from '../../shared/who.ts'
import {
  askCode,
  client,
  eventually,
  invitationIn,
  invite,
  type Person,
  register,
  type Signed,
  strongPassword,
} from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { freshEmail } from '../kit/fresh-email.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'

// Who is in now, and what waits for the caller. It is between 20:00 and 21:00 in the company’s zone.

const address = inject('address')
const http = client(address)
const zone = eveningZone()
const today = dayIn(zone)
const yesterday = addDays(today, -1)
const headers = { 'x-timezone': zone }

let boss: Signed
/** Managers of the workshop with its sub-department, and of the office. */
let [workshop, office]: Signed[] = []
let departments: Record<'works' | 'paint' | 'desk', string>
const ids: Record<string, string> = {}

const punch = (enrollid: number, day: string, time: string) => ({
  ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
})

/** Registers a terminal and returns a function that sends its punches. */
const openTerminal = async (name: string, department: string) => {
  const sn = `NOW${name.toUpperCase()}${Date.now()}`
  const { serverPath } = await http.call('device/add', { serialNumber: sn, name, department }, boss)
  const terminal = await openSocket(address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn, cpusn: name, devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logindex = 0
  const send = async (record: object[]) => {
    logindex += record.length
    terminal.say({ cmd: 'sendlog', sn, count: record.length, logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  return { sn, send, close: () => terminal.close() }
}

type Row = PathOutput<'dashboard/now'>['list'][number]
type List = (typeof whoLists)[number]
const now = (list: List, by: Signed | undefined, department?: string) =>
  http.call('dashboard/now', { filters: { list, ...(department && { department }) } }, by ?? boss)
/** The employee IDs of every list. */
const listsOf = async (by: Signed | undefined, department?: string) => {
  const answers = await Promise.all(whoLists.map(list => now(list, by, department)))
  for (const [i, { list, counts }] of answers.entries()) expect(list.length).toBe(counts[whoLists[i] ?? 'in'])
  return Object.fromEntries(answers.map(({ list }, i) => [whoLists[i], list.map(({ workno }) => workno).sort()]))
}
const rowOf = async (list: List, workno: string): Promise<Row | undefined> =>
  (await now(list, boss)).list.find(row => row.workno === workno)

beforeAll(async () => {
  const company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  const add = async (name: string, parent?: string) =>
    (await http.call('department/add', { name, ...(parent && { parent }) }, boss)).id
  const works = await add('Workshop')
  departments = { works, paint: await add('Paint', works), desk: await add('Office') }
  const { paint, desk } = departments
  const shift = async (name: string, onDuty: string, offDuty: string, punchStart: string, punchEnd: string) =>
    (await http.call('shift/add', { name, onDuty, offDuty, punchStart, punchEnd, breaks: [] }, boss)).id
  const shifts = [
    await shift('Day', '09:00', '18:00', '07:00', '19:30'),
    await shift('Evening', '14:00', '22:00', '12:00', '23:30'),
    await shift('Night', '22:30', '06:30+1', '22:00', '10:00+1'),
    // The shift of yesterday is still running on the next evening.
    await shift('Long', '21:30', '21:15+1', '21:25', '21:20+1'),
  ]
  const join = async (department: string, ...worknos: string[]) => {
    for (const workno of worknos) {
      const person = { first_name: 'E', last_name: workno, workno, department }
      ids[workno] = (await http.call('employee/add', person, boss)).id
    }
  }
  await join(works, '11', '12', '13', '21')
  await join(paint, '14', '15')
  await join(desk, '16', '17', '18', '19', '20', '22')
  const idsOf = (...worknos: string[]) => worknos.map(workno => ids[workno] ?? '')
  const plan = {
    ...{ from: yesterday, shifts },
    rows: [
      { employees: idsOf('15', '16', '21'), cells: [null, [0]] },
      { employees: idsOf('11', '12', '14', '18', '19'), cells: [null, [1]] },
      { employees: idsOf('17'), cells: [null, [2]] },
      { employees: idsOf('20'), cells: [[3]] },
    ],
  }
  const { task } = await http.call('schedule/preview', { plan }, boss)
  expect((await taskEnd(http, boss, { task })).state).toBe('done')
  const planned = await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
  expect(planned).toMatchObject({ state: 'done', problemCount: 0 })
  await http.call('leave/add', { employees: idsOf('18', '19'), leaveType: 3, date: today, isAllDay: true }, boss)
  const manager = async (workno: string, permissions: number[], departments: string[]): Promise<Signed> => {
    const role = { name: `Role ${workno}`, permissions, departments }
    const { id: roleId } = await http.call('role/add', role as never, boss)
    const person = { first_name: 'M', last_name: workno, workno, department: company.department, role: 2, roleId }
    const { token } = await invite(http, boss, person as Person)
    return { token, headers }
  }
  workshop = await manager('2', [2, 3, 8, 9, 10], [works, paint])
  office = await manager('3', [7], [desk])

  const door = await openTerminal('Door', works)
  await door.send([
    ...[punch(11, today, '13:55:00'), punch(12, today, '14:30:00'), punch(13, today, '10:00:00')],
    ...[punch(16, today, '08:58:00'), punch(16, today, '18:03:00'), punch(20, yesterday, '21:28:00')],
    ...[punch(21, today, '09:00:00'), punch(999, today, '12:00:00')],
  ])
})

const everybody = {
  in: ['11', '12', '13', '20'],
  late: ['12', '14'],
  missing: ['14', '15', '17'],
  leave: ['18', '19'],
  finished: ['16', '21'],
}

describe('dashboard/now', () => {
  test('puts every scheduled or punched person into exactly one state', async () => {
    await eventually(
      () => listsOf(boss),
      found => expect(found).toEqual(everybody),
    )
    const { absent } = await now('in', boss)
    expect(absent).toBe(1)
  })

  test('says since when, where and under which shift', async () => {
    const inNow = (time: string) => ({
      state: 'in',
      day: today,
      device: expect.stringContaining('NOWDOOR'),
      deviceName: 'Door',
      time,
    })
    const shown = async (list: List, workno: string) => {
      const row = await rowOf(list, workno)
      const time =
        row?.since && new Intl.DateTimeFormat('sv', { timeZone: zone, timeStyle: 'short' }).format(new Date(row.since))
      return { ...row, time }
    }
    expect(await shown('in', '11')).toMatchObject({ ...inNow('13:55'), shift: 'Evening', isLate: false })
    expect(await shown('in', '12')).toMatchObject({ ...inNow('14:30'), isLate: true, lateMinutes: 30 })
    const unscheduled = await shown('in', '13')
    expect(unscheduled).toMatchObject(inNow('10:00'))
    expect(unscheduled).not.toHaveProperty('shift')
    expect(await shown('in', '20')).toMatchObject({ state: 'in', day: yesterday, shift: 'Long', time: '21:28' })
    expect(await shown('finished', '16')).toMatchObject({ state: 'finished', time: '18:03' })
    expect(await shown('finished', '21')).toMatchObject({ state: 'finished', isForgotten: true })
    expect(await shown('missing', '14')).toMatchObject({ isLate: true, time: '14:00' })
    expect(await shown('missing', '15')).toMatchObject({ isAbsent: true, isLate: false, shift: 'Day' })
    expect(await shown('missing', '17')).toMatchObject({ isLate: false, time: '22:30', shift: 'Night' })
    expect(await shown('leave', '18')).toMatchObject({ state: 'leave', leaveType: 3, shift: 'Evening' })
    expect(await shown('leave', '19')).toMatchObject({ state: 'leave', leaveType: 3 })
  })

  test('shows only the caller’s departments, and the type of leave only with the right permission', async () => {
    const [worksOnly, deskOnly] = [
      ['11', '12', '13', '14', '15', '21'],
      ['16', '17', '18', '19', '20'],
    ]
    const within = (some: string[]) =>
      Object.fromEntries(Object.entries(everybody).map(([name, list]) => [name, list.filter(no => some.includes(no))]))
    expect(await listsOf(workshop)).toEqual(within(worksOnly))
    expect(await listsOf(office)).toEqual(within(deskOnly))
    const { list } = await now('leave', office)
    expect(list).toHaveLength(2)
    for (const row of list) expect(row).not.toHaveProperty('leaveType')
  })

  test('filters by a department with its sub-departments', async () => {
    expect((await listsOf(boss, departments.works)).missing).toEqual(['14', '15'])
    expect((await listsOf(boss, departments.paint)).in).toEqual([])
    expect((await now('in', workshop, departments.desk)).counts).toMatchObject({ in: 0, finished: 0 })
  })

  test('returns a list page by page, without gaps', async () => {
    const found: string[] = []
    for (let page: string | undefined; ; ) {
      const answer = await http.call('dashboard/now', { filters: { list: 'in' }, size: 1, ...(page && { page }) }, boss)
      found.push(...answer.list.map(({ workno }) => workno))
      expect(answer.counts.in).toBe(4)
      if (!answer.next) break
      page = answer.next
    }
    expect(found).toEqual(['20', '13', '11', '12'])
  })

  test('moves an unscheduled person from nowhere to in, and to finished', async () => {
    const side = await openTerminal('Side', departments.desk)
    await side.send([punch(22, today, '19:00:00')])
    await eventually(
      () => rowOf('in', '22'),
      row => expect(row).toMatchObject({ state: 'in', deviceName: 'Side', isLate: false }),
    )
    await side.send([punch(22, today, '19:50:00')])
    await eventually(
      () => rowOf('finished', '22'),
      row => expect(row).toMatchObject({ state: 'finished' }),
    )
  })

  test('shows a person who came before midnight for a shift of tomorrow', async () => {
    const { token, id: employee } = await invite(http, boss, {
      ...{ first_name: 'E', last_name: '23', workno: '23', department: departments.desk, role: 3 },
    })
    const times = { onDuty: '00:30', offDuty: '08:30', punchStart: '19:30-1', punchEnd: '12:00', breaks: [] }
    const { id: shift } = await http.call('shift/add', { name: 'Small hours', ...times }, boss)
    const rows = [{ employees: [employee], cells: [[0]] }]
    const plan = { from: addDays(today, 1), shifts: [shift], rows }
    const { task } = await http.call('schedule/preview', { plan }, boss)
    expect((await taskEnd(http, boss, { task })).state).toBe('done')
    const planned = await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
    expect(planned).toMatchObject({ state: 'done', problemCount: 0 })
    const night = await openTerminal('Nightdoor', departments.desk)
    await night.send([punch(23, today, '19:55:00')])
    await eventually(
      () => rowOf('in', '23'),
      row => expect(row).toMatchObject({ state: 'in', shift: 'Small hours', isLate: false }),
    )
    const own = { token, headers }
    expect(await http.call('personal/dashboard/record', {}, own)).toMatchObject({ state: 'in' })
  })
})

describe('dashboard/attention', () => {
  const kindsOf = async (by: Signed | undefined) => {
    const { list } = await http.call('dashboard/attention', {}, by ?? boss)
    return Object.fromEntries(list.map(({ kind, ...matter }) => [kind, matter]))
  }

  test('lists what waits for the caller, each with its count', async () => {
    const { token: employee } = await invite(http, boss, {
      ...{ first_name: 'A', last_name: 'Asker', workno: '30', department: departments.works, role: 3 },
    })
    const form = { leaveType: 3, date: addDays(today, 5), isAllDay: true }
    await http.call('personal/request/leave/add', form, { token: employee })
    const back = await openTerminal('Gate', departments.works)
    back.close()
    const invitation = invitationIn((await http.call('employee/qrcode', {}, boss)).url)
    const email = freshEmail('new')
    const password = { password: strongPassword, confirm_password: strongPassword }
    await http.call('user/invite/join', {
      ...{ token: invitation, account: 'new', email, first_name: 'Nia', last_name: 'New', terms: true },
      ...{ ...password, ...(await askCode(http, 'user/invite/code', { token: invitation, email })) },
    })
    // A disabled person has no role either, but waits for nothing.
    const disabled = { first_name: 'D', last_name: 'Disabled', workno: '44', department: departments.works, role: 0 }
    await http.call('employee/add', disabled as Person, boss)
    await eventually(
      () => kindsOf(boss),
      found =>
        expect(found).toMatchObject({
          requests: { count: 1, since: expect.any(String) },
          exceptions: { count: 1, from: today, minutes: expect.any(Number) },
          devices: { count: 1, name: 'Gate', sn: expect.stringContaining('NOWGATE') },
          orphans: { count: 1, name: '999' },
          waiting: { count: 1 },
        }),
    )
  })

  test('omits what the caller cannot open', async () => {
    expect(Object.keys(await kindsOf(workshop))).toEqual(['requests', 'exceptions', 'devices'])
    expect(await kindsOf(office)).toEqual({})
  })
})
