import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Exceptions of days, reviewed by managers while the days are recalculated.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const filters = { from: day, to: day }
const headers = { 'x-timezone': zone }

type Exception = PathOutput<'exception/grid'>['list'][number]

let company: Registered
let boss: { token: string; headers: Record<string, string> }
/** A manager of the department `other` only. */
let manager: { token: string }
let terminal: Socket
let other: string
let shift: string
const people: string[] = []
let logs = 0

const punch = async (enrollid: number, ...times: string[]) => {
  const record = times.map(time => ({ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++logs, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}
const list = async (more: Partial<PathCall<'exception/grid'>['filters']> = {}, by: { token: string } = boss) =>
  (await http.call('exception/grid', { filters: { ...filters, ...more } }, by)).list
const named = ({ employee, day, shift, type, minutes }: Exception) => ({ employee, day, shift, type, minutes })
const of = async (n: number, more = {}): Promise<Exception> => {
  const [exception] = await list({ employee: people[n] ?? '', ...more })
  if (!exception) throw new Error(`Nothing of ${n}`)
  return exception
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  other = (await http.call('department/add', { name: 'Other', parent: company.department }, boss)).id
  const below = (await http.call('department/add', { name: 'Below', parent: other }, boss)).id
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const breaks = [{ start: '08:00', end: '10:00', durationMinutes: 30, thresholdMinutes: 0 }]
  shift = (await http.call('shift/add', { name: 'Early', ...form, breaks }, boss)).id
  for (const [i, department] of [company.department, company.department, other, below, other].entries()) {
    const person = { first_name: 'E', last_name: String(i), workno: String(100 + i), department }
    people.push((await http.call('employee/add', person, boss)).id)
  }
  await http.call('schedule/add', { employees: people, days: [day], shift }, boss)
  const role = { name: 'Other', permissions: [8], departments: [other] }
  const { id: roleId } = await http.call('role/add', role, boss)
  const person = { first_name: 'Mona', last_name: 'M', workno: '300', department: other, role: 2, roleId }
  manager = await invite(http, boss, person)
  const serialNumber = `X${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber, name: 'Gate', department: company.department },
    boss,
  )
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  // Employees 0 to 3 miss a clock-out, and employee 4 takes a break of an hour.
  for (const n of [0, 1, 2, 3]) await punch(100 + n, '05:10:00')
  await punch(104, '05:00:00', '08:30:00', '09:30:00', '13:00:00')
  await eventually(list, found => expect(found).toHaveLength(5))
})

describe('the exception list', () => {
  test('shows the employee, the day, the shift and the affected minutes', async () => {
    expect(await of(0)).toMatchObject({
      ...{ first_name: 'E', last_name: '0', workno: '100', department: company.department, timezone: zone },
      ...{ day, shift, shiftName: 'Early', type: 'missingOut', state: 'open', minutes: 440 },
      firstIn: expect.any(String),
      dutyFrom: expect.any(String),
    })
    expect(await of(4)).toMatchObject({ type: 'longBreak', minutes: 30, lastOut: expect.any(String) })
  })

  test('filters by department tree, employee, type, state and days', async () => {
    expect(await list({ department: company.department })).toHaveLength(5)
    expect((await list({ department: other })).map(({ workno }) => workno).sort()).toEqual(['102', '103', '104'])
    expect(await list({ employee: people[1] ?? '' })).toHaveLength(1)
    expect(await list({ type: 'longBreak' })).toHaveLength(1)
    expect(await list({ type: 'missingIn' })).toEqual([])
    expect(await list({ state: 'open' })).toHaveLength(5)
    expect(await list({ state: 'accepted' })).toEqual([])
    expect(await list({ from: addDays(day, -9), to: addDays(day, -1) })).toEqual([])
    const backwards = { filters: { from: day, to: addDays(day, -1) } }
    expect(await http.ask('exception/grid', backwards, boss)).toMatchObject({ fields: { 'filters.to': 10002 } })
  })

  test('returns pages without a gap', async () => {
    const seen: string[] = []
    for (let page: string | undefined; ; ) {
      const part: PathOutput<'exception/grid'> = await http.call('exception/grid', { filters, size: 2, page }, boss)
      seen.push(...part.list.map(({ workno }) => workno))
      page = part.next
      if (!page) break
    }
    expect(seen.sort()).toEqual(['100', '101', '102', '103', '104'])
  })
})

describe('the manager of a department', () => {
  test('sees and decides only exceptions of that department', async () => {
    expect((await list({}, manager)).map(({ workno }) => workno).sort()).toEqual(['102', '104'])
    expect(await list({ department: company.department }, manager)).toHaveLength(2)
    const [own, foreign] = [named(await of(2)), named(await of(0))]
    const refused = { code: 60004, fields: { 'exceptions.1': 60004 } }
    expect(await http.ask('exception/accept', { exceptions: [own, foreign] }, manager)).toMatchObject(refused)
    expect((await of(2)).state).toBe('open')
    await http.call('exception/accept', { exceptions: [own], note: 'Told me so' }, manager)
    expect(await of(2)).toMatchObject({ state: 'accepted', by: 'Mona M', note: 'Told me so' })
    expect(await list({ state: 'open' })).toHaveLength(4)
    expect(await http.ask('exception/reopen', { exceptions: [foreign] }, manager)).toMatchObject({ code: 60004 })
    await http.call('exception/reopen', { exceptions: [own] }, manager)
    const reopened = await of(2)
    expect(reopened).toMatchObject({ state: 'open' })
    expect([reopened.by, reopened.note]).toEqual([undefined, undefined])
  })

  test('appears in the audit log', async () => {
    const entries = (await http.call('audit/grid', { filters: { noun: 'exception' } }, boss)).list
    expect(entries).toMatchObject([
      { name: 'Mona M', changes: [{ change: 'removed', id: people[2] }] },
      {
        name: 'Mona M',
        changes: [{ change: 'added', fields: { day: { after: day }, note: { after: 'Told me so' } } }],
      },
    ])
    expect(Object.values(entries[0]?.names ?? {})).toContain('E 2')
  })
})

describe('concurrent decisions', () => {
  test('accept an exception once, and the later decisions fail', async () => {
    const exceptions = [named(await of(0))]
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => http.ask('exception/accept', { exceptions }, boss)),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60006, 60006, 60006])
    expect(await list({ employee: people[0] ?? '' })).toMatchObject([{ state: 'accepted' }])
    const back = await Promise.all(Array.from({ length: 4 }, () => http.ask('exception/reopen', { exceptions }, boss)))
    expect(back.map(({ code }) => code).sort()).toEqual([0, 60006, 60006, 60006])
    expect(await list({ employee: people[0] ?? '' })).toMatchObject([{ state: 'open' }])
  })

  test('accept all exceptions of a call or no exception', async () => {
    const [first, second] = [named(await of(0)), named(await of(1))]
    await http.call('exception/accept', { exceptions: [first] }, boss)
    const both = { exceptions: [second, first] }
    const refused = { code: 60006, fields: { 'exceptions.1': 60006 } }
    expect(await http.ask('exception/accept', both, boss)).toMatchObject(refused)
    expect((await of(1)).state).toBe('open')
    await http.call('exception/reopen', { exceptions: [first] }, boss)
    // An exception named twice counts once.
    await http.call('exception/accept', { exceptions: [second, first, second] }, boss)
    expect(await list({ state: 'accepted' })).toHaveLength(2)
    await http.call('exception/reopen', both, boss)
  })
})

describe('after a recalculation', () => {
  test('an accepted exception stays accepted if its figures are unchanged', async () => {
    const exception = named(await of(0))
    await http.call('exception/accept', { exceptions: [exception] }, boss)
    // The punch lies outside the shift, so the row changes but its figures do not.
    const rows = () => http.call('report/day', { employee: exception.employee, day }, boss)
    await punch(100, '16:00:00')
    await eventually(rows, ({ list }) => expect(list[0]?.punches).toHaveLength(2))
    expect(await of(0)).toMatchObject({ state: 'accepted', minutes: 440 })
  })

  test('a late punch settles an exception, which stays listed for a while', async () => {
    await punch(100, '13:00:00')
    await punch(102, '13:00:00')
    for (const n of [0, 2])
      await eventually(
        () => of(n),
        found => expect(found).toMatchObject({ state: 'settled', cause: 'punch' }),
      )
    expect(await list({ employee: people[0] ?? '' })).toHaveLength(1)
    const exceptions = [named(await of(0))]
    for (const path of ['exception/accept', 'exception/reopen'] as const)
      expect(await http.ask(path, { exceptions }, boss)).toMatchObject({ code: 60006 })
  })

  test('an exception with other minutes reopens, and the stale form is refused', async () => {
    const before = named(await of(4))
    await http.call('exception/accept', { exceptions: [before] }, boss)
    const stored = (await http.call('shift/grid', {}, boss)).list.find(({ id }) => id === shift)
    if (!stored) throw new Error('No shift')
    const { isUsed: _, version, ...form } = stored
    const shorter = [{ start: '08:00', end: '10:00', durationMinutes: 20, thresholdMinutes: 0 }]
    await http.call('shift/update', { ...form, version, breaks: shorter }, boss)
    await eventually(
      () => of(4),
      now => expect(now).toMatchObject({ state: 'open', minutes: 40 }),
    )
    const stale = { exceptions: [before] }
    expect(await http.ask('exception/accept', stale, boss)).toMatchObject({ fields: { 'exceptions.0': 60006 } })
  })

  test('the removal of a row removes its open exceptions too', async () => {
    const { employee } = await of(3, { state: 'open' })
    await http.call('schedule/delete', { employee, day, shift }, boss)
    await eventually(
      () => list({ employee }),
      found => expect(found.filter(row => row.shift !== null)).toEqual([]),
    )
  })
})

test('the row of a deleted person offers no fix, because nobody can correct their days', async () => {
  const person = { first_name: 'E', last_name: 'Gone', workno: '400', department: other }
  const { id: employee } = await http.call('employee/add', person, boss)
  await http.call('schedule/add', { employees: [employee], days: [day], shift }, boss)
  await punch(400, '05:10:00')
  const [open] = await eventually(
    () => list({ employee }),
    found => expect(found).toHaveLength(1),
  )
  expect(open).toMatchObject({ canBeAbsent: true, proposal: { kind: 'out' } })
  await http.call('employee/delete', { id: employee }, boss)
  const [gone] = await list({ employee })
  expect(gone).toMatchObject({ last_name: 'Gone', state: 'open', canBeAbsent: false })
  expect(gone?.proposal).toBeUndefined()
})
