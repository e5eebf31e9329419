import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../shared/api.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { client, eventually, invite, register, type Signed } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'

// The dashboard shows the figures of the report, for the employees of the caller.

const address = inject('address')
const http = client(address)
const zone = eveningZone()
const today = dayIn(zone)
const [yesterday, before] = [addDays(today, -1), addDays(today, -2)]

let boss: Signed
/** Managers of the workshop with its sub-department, and of the office. */
let [workshop, office]: Signed[] = []
let send: (record: object[]) => Promise<void>
const punch = (enrollid: number, day: string, time: string) => ({
  ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
})

type Row = PathOutput<'report/grid'>['list'][number]
const rowsOf = async (by: Signed, from: string, to = from): Promise<Row[]> => {
  const rows: Row[] = []
  for (let page: string | undefined; ; ) {
    const answer = await http.call('report/grid', { filters: { from, to }, ...(page && { page }) }, by)
    rows.push(...answer.list)
    if (!answer.next) return rows
    page = answer.next
  }
}
const people = (rows: Row[], has: (row: Row) => boolean) =>
  new Set(rows.filter(has).map(({ employee }) => employee)).size
const sum = (rows: Row[], of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0)
const isThere = ({ firstIn, lastOut }: Row) => (firstIn ?? lastOut) !== undefined
/** The dashboard figures of a day, computed from its report rows. */
const counted = (rows: Row[], day: string) => ({
  day,
  early: people(rows, row => row.earlyLeaveMinutes > 0),
  late: people(rows, row => row.lateMinutes > 0),
  exception: people(rows, row => row.exceptions.length > 0),
  over: people(rows, row => row.overtimeMinutes > 0),
  absent: people(rows, row => row.absentMinutes > 0),
  should_num: people(rows, ({ shift }) => shift !== undefined),
  active_num: people(rows, row => row.shift !== undefined && isThere(row)),
  workMinutes: sum(rows, row => row.workMinutes),
  overtimeMinutes: sum(rows, row => row.overtimeMinutes),
})

beforeAll(async () => {
  const company = await register(http, { timezone: zone })
  const headers = { 'x-timezone': zone }
  boss = { token: company.token, headers }
  const add = async (name: string, parent?: string) =>
    (await http.call('department/add', { name, ...(parent && { parent }) }, boss)).id
  const works = await add('Workshop')
  const [paint, desk] = [await add('Paint', works), await add('Office')]
  const shift = async (name: string, onDuty: string, offDuty: string, punchStart: string, punchEnd: string) =>
    (await http.call('shift/add', { name, onDuty, offDuty, punchStart, punchEnd, breaks: [] }, boss)).id
  const [day, long] = [
    await shift('Day', '09:00', '18:00', '07:00', '19:30'),
    // The night shift is still running on the next evening.
    await shift('Long', '21:30', '21:15+1', '21:25', '21:20+1'),
  ]
  const ids: Record<string, string> = {}
  const join = async (workno: string, department: string) => {
    ids[workno] = (await http.call('employee/add', { first_name: 'E', last_name: workno, workno, department }, boss)).id
  }
  for (const workno of ['11', '12', '13']) await join(workno, works)
  for (const workno of ['14', '15']) await join(workno, paint)
  for (const workno of ['16', '17', '18']) await join(workno, desk)
  const idsOf = (...worknos: string[]) => worknos.map(workno => ids[workno] ?? '')
  const plan = {
    from: before,
    shifts: [day, long],
    rows: [
      { employees: idsOf('11', '12', '14', '16', '17'), cells: [[0], [0], [0]] },
      { employees: idsOf('15', '18'), cells: [null, [1]] },
    ],
  }
  const { task } = await http.call('schedule/preview', { plan }, boss)
  expect((await taskEnd(http, boss, { task })).state).toBe('done')
  const planned = await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
  expect(planned).toMatchObject({ state: 'done', problemCount: 0 })
  const manager = async (workno: string, name: string, departments: string[]): Promise<Signed> => {
    const { id } = await http.call('role/add', { name, permissions: [7, 8], departments }, boss)
    const { token } = await invite(http, boss, {
      ...{ first_name: name, last_name: 'Manager', workno, department: company.department, role: 2, roleId: id },
    })
    return { token, headers }
  }
  workshop = await manager('2', 'Works', [works, paint])
  office = await manager('3', 'Desk', [desk])

  const sn = `DASH${Date.now()}`
  const { serverPath } = await http.call('device/add', { serialNumber: sn, name: 'Door', department: works }, boss)
  const terminal = await openSocket(address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn, cpusn: 'c1', devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logindex = 0
  send = async record => {
    logindex += record.length
    terminal.say({ cmd: 'sendlog', sn, count: record.length, logindex, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  await send([
    ...[punch(11, before, '09:00:00'), punch(11, before, '18:00:00'), punch(14, before, '10:30:00')],
    ...[punch(11, yesterday, '09:20:00'), punch(11, yesterday, '18:00:00')],
    ...[punch(12, yesterday, '08:50:00'), punch(12, yesterday, '17:00:00')],
    ...[punch(13, yesterday, '10:00:00'), punch(13, yesterday, '12:00:00')],
    ...[punch(14, yesterday, '09:00:00'), punch(15, yesterday, '21:28:00')],
    ...[punch(16, yesterday, '09:00:00'), punch(16, yesterday, '18:00:00')],
    ...[punch(11, today, '09:00:00'), punch(16, today, '08:59:00')],
  ])
})

const callers = () => [boss, workshop, office].map(by => by ?? boss)

describe('the dashboard', () => {
  test('shows today as in the report, and a running night shift separately', async () => {
    const seen = (by: Signed | undefined) => () => http.call('dashboard/today', {}, by ?? boss)
    await eventually(seen(boss), found =>
      expect(found).toEqual({
        ...{ day: today, active_num: 2, should_num: 5, percentage: 40 },
        running: { day: yesterday, active_num: 1, should_num: 2 },
      }),
    )
    await eventually(seen(workshop), found =>
      expect(found).toEqual({
        ...{ day: today, active_num: 1, should_num: 3, percentage: 33 },
        running: { day: yesterday, active_num: 1, should_num: 1 },
      }),
    )
    await eventually(seen(office), found =>
      expect(found).toEqual({
        ...{ day: today, active_num: 1, should_num: 2, percentage: 50 },
        running: { day: yesterday, active_num: 0, should_num: 1 },
      }),
    )
  })

  test('names absent employees to their managers, earliest shift first', async () => {
    const missing = async (by: Signed) => {
      const { count, list } = await http.call('dashboard/today/absent', {}, by)
      return [count, list.map(({ workno, shift }) => `${workno} ${shift}`).sort()]
    }
    const lists = () => Promise.all(callers().map(missing))
    await eventually(lists, found =>
      expect(found).toEqual([
        [3, ['12 Day', '14 Day', '17 Day']],
        [2, ['12 Day', '14 Day']],
        [1, ['17 Day']],
      ]),
    )
  })

  test('matches the report for yesterday and the thirty days before today', async () => {
    for (const by of callers()) {
      await eventually(
        async () => {
          const [rows, { list }] = await Promise.all([
            rowsOf(by, before, yesterday),
            http.call('dashboard/history', {}, by),
          ])
          return { rows, list }
        },
        ({ rows, list }) => {
          expect(list.map(({ day }) => day)).toEqual(daysBetween(addDays(today, -30), yesterday))
          for (const day of [before, yesterday])
            expect(list.find(entry => entry.day === day)).toEqual(
              counted(
                rows.filter(row => row.day === day),
                day,
              ),
            )
          expect(sum(rows, row => row.workMinutes)).toBeGreaterThan(0)
        },
      )
      const { list } = await http.call('dashboard/history', {}, by)
      const last = list.at(-1)
      expect(last).toMatchObject(await http.call('dashboard/yesterday', {}, by))
    }
  })

  test('counts employees, terminals and today’s records of the caller’s departments', async () => {
    const counts = () =>
      Promise.all(
        callers().map(async by => {
          const { employee_num, record_num, device_num, device_online_num } = await http.call('dashboard/info', {}, by)
          return [employee_num, record_num, device_num, device_online_num]
        }),
      )
    await eventually(counts, found =>
      expect(found).toEqual([
        [11, 2, 1, 1],
        [5, 1, 1, 1],
        [3, 1, 0, 0],
      ]),
    )
  })

  test('pushes a refresh to an open browser once the figure is ready', async () => {
    const browser = await openSocket(address)
    browser.say({ cmd: 'home.login', token: boss.token })
    expect(await browser.hear({ ret: 'home.login' })).toMatchObject({ result: true })
    const active = async () => (await http.call('dashboard/today', {}, boss)).active_num
    const initial = await active()
    browser.unheard.length = 0
    await send([punch(17, today, '09:30:00')])
    // The test reads the figure again only after a pushed refresh, as a page does.
    let seen = initial
    let heard = 0
    await eventually(
      async () => {
        const refreshes = browser.unheard.filter(
          ({ refresh }) => Array.isArray(refresh) && refresh.includes('dashboard/'),
        )
        if (refreshes.length > heard) seen = await active()
        heard = refreshes.length
        return seen
      },
      active => expect(active).toBe(initial + 1),
    )
    browser.close()
  })
})
