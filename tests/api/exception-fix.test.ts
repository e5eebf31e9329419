import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Managers fix exceptions: as proposed, or as absent.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const reason = 'Told me on the phone'

type Exception = PathOutput<'exception/grid'>['list'][number]
type Fix = PathCall<'exception/fix'>
type Signed = { token: string; headers?: Record<string, string> }

let company: Registered
let boss: { token: string; headers: Record<string, string> }
/** A manager of the department `other`, who also works there. */
let manager: { token: string }
let managerId: string
let other: string
let shift: string
let terminal: Socket
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
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  shift = (await http.call('shift/add', { name: 'Early', ...form }, boss)).id
  const serialNumber = `F${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Door', department: company.department }
  const { serverPath } = await http.call('device/add', device, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
})

const plan = (employee: string) => http.call('schedule/add', { employees: [employee], days: [day], shift }, boss)
const list = async (employee: string, state?: Exception['state'], by: Signed = boss) =>
  (await http.call('exception/grid', { filters: { from: day, to: day, employee, ...(state && { state }) } }, by)).list
const isOpen = (employee: string) =>
  eventually(
    () => list(employee, 'open'),
    found => expect(found).toHaveLength(1),
  )
const named = ({ employee, day, shift, type, minutes }: Exception) => ({ employee, day, shift, type, minutes })

/** An employee who is scheduled from 05:00 to 13:00, with these punches, and the exception that they raise. */
const worker = async (department = other, ...times: string[]) => {
  const workno = String(++number)
  const { id } = await http.call('employee/add', { first_name: 'E', last_name: workno, workno, department }, boss)
  await plan(id)
  await punch(Number(workno), ...(times.length > 0 ? times : ['05:30:00']))
  const [exception] = await isOpen(id)
  return { id, workno: Number(workno), exception: named(exception as Exception) }
}
type Day = PathOutput<'report/day'>['list'][number]
const dayOf = async (employee: string, holds: (day: Day | undefined) => void, by: Signed = boss): Promise<Day> => {
  const { list } = await eventually(
    () => http.call('report/day', { employee, day }, by),
    ({ list }) => holds(list[0]),
  )
  return list[0] as Day
}
const raises =
  (...exceptions: string[]) =>
  (row: Day | undefined) =>
    expect(row?.exceptions).toEqual(exceptions)
const fix = (action: Fix['action'], exceptions: Fix['exceptions'], by: Signed = manager) =>
  http.call('exception/fix', { exceptions, action, reason }, by)
const ask = (action: Fix['action'], exceptions: Fix['exceptions'], by: Signed = manager) =>
  http.ask('exception/fix', { exceptions, action, reason }, by)
const setCompany = async (rule: object) => {
  const { version } = await http.call('company/correction', {}, boss)
  await http.call('company/correction/update', { version, correctionRule: 'manager', objectionDays: 7, ...rule }, boss)
}

describe('the proposal', () => {
  test('adds the missing punch at the end or start of the shift, and undo removes all added punches', async () => {
    const [late, early] = [await worker(), await worker(other, '13:00:00')]
    expect((await list(late.id))[0]).toMatchObject({ canBeAbsent: true, proposal: { kind: 'out' } })
    expect((await list(early.id))[0]).toMatchObject({ type: 'missingIn', proposal: { kind: 'in' } })

    const fixed = await fix('proposed', [late.exception, early.exception])
    expect(fixed).toMatchObject({ punches: [{ employee: late.id }, { employee: early.id }], absences: [] })
    expect(await dayOf(late.id, raises())).toMatchObject({ workMinutes: 450, lateMinutes: 30 })
    const row = await dayOf(early.id, raises())
    expect(row).toMatchObject({ workMinutes: 480, unresolvedMinutes: 0, cause: { kind: 'correction', by: 'Mona M' } })
    expect(row.punches[0]).toMatchObject({ device: 'manager', correction: { reason, by: 'Mona M' } })
    const audit = await http.call('audit/grid', { filters: { noun: 'correction', employee: managerId } }, boss)
    expect(audit.list[0]).toMatchObject({ path: 'exception/fix', changes: [{ id: late.id }, { id: early.id }] })

    await http.call('exception/restore', fixed, manager)
    await dayOf(late.id, raises('missingOut'))
    await dayOf(early.id, raises('missingIn'))
    expect(await http.ask('exception/restore', fixed, manager)).toMatchObject({
      ...{ code: 60004, fields: { 'punches.0': 60004, 'punches.1': 60004 } },
    })
  })

  test('ignores the punches of a leave day, and undo lets them count again', async () => {
    const { id, workno } = await worker()
    const leave = { leaveType: 2, isAllDay: true, date: day }
    await http.call('leave/add', { employees: [id], ...leave }, boss)
    await dayOf(id, raises('punchedOnLeave'))
    await punch(workno, '07:00:00')
    await dayOf(id, row => expect(row?.punches).toHaveLength(2))
    const [found] = await isOpen(id)
    expect(found).toMatchObject({
      type: 'punchedOnLeave',
      canBeAbsent: false,
      proposal: { kind: 'ignore', punches: 2 },
    })
    const exceptions = [named(found as Exception)]
    expect(await ask('absent', exceptions)).toMatchObject({ code: 10002, fields: { 'exceptions.0': 10002 } })
    const fixed = await fix('proposed', exceptions)
    expect(fixed.punches).toHaveLength(2)
    expect((await dayOf(id, raises())).ignored).toHaveLength(2)
    await http.call('exception/restore', fixed, manager)
    await dayOf(id, raises('punchedOnLeave'))
  })

  test('of an employee who must agree waits for the agreement', async () => {
    const { id, exception } = await worker()
    await setCompany({ correctionRule: 'agreement' })
    const fixed = await fix('proposed', [exception])
    await setCompany({})
    const row = await dayOf(id, row => expect(row?.ignored).toHaveLength(1))
    expect(row.ignored[0]?.correction?.state).toBe('proposed')
    expect(await list(id, 'open')).toHaveLength(1)
    expect(await ask('proposed', [exception])).toMatchObject({ code: 60089, fields: { 'exceptions.0': 60089 } })
    await http.call('exception/restore', fixed, manager)
  })
})

describe('a mark of absence', () => {
  test('moves the unresolved minutes to absence, shows its author and reason, and can be removed', async () => {
    const { id, exception } = await worker()
    const before = await dayOf(id, raises('missingOut'))
    expect(before).toMatchObject({ absentMinutes: 0, unresolvedMinutes: 450, lateMinutes: 30 })
    const fixed = await fix('absent', [exception])
    expect(fixed).toEqual({ punches: [], absences: [{ employee: id, day, shift, version: 1 }] })
    const row = await dayOf(id, raises())
    expect(row).toMatchObject({ absentMinutes: 450, unresolvedMinutes: 0, workMinutes: 0, lateMinutes: 30 })
    expect(row.cause).toMatchObject({ kind: 'absence', by: 'Mona M' })
    // The day may also have had a result before its punch arrived.
    expect(row.history.at(-1)).toMatchObject({ exceptions: ['missingOut'] })
    expect(row.absence).toMatchObject({ reason, by: 'Mona M', minutes: 450, counts: true, version: 1 })
    expect(row.reasons).toContainEqual({ rule: 'markedAbsent', minutes: 450 })
    expect(await list(id)).toMatchObject([{ state: 'settled', cause: 'absence', canBeAbsent: false }])
    const audit = await http.call('audit/grid', { filters: { noun: 'absence' } }, boss)
    expect(audit.list[0]).toMatchObject({
      ...{ name: 'Mona M', path: 'exception/fix' },
      changes: [{ noun: 'absence', id, fields: { day: { after: day }, reason: { after: reason } } }],
    })

    await http.call('exception/restore', fixed, manager)
    expect(await dayOf(id, raises('missingOut'))).toMatchObject({ absentMinutes: 0, unresolvedMinutes: 450 })
    expect(await http.ask('exception/restore', fixed, manager)).toMatchObject({
      ...{ code: 60006, fields: { 'absences.0': 60006 } },
    })
  })

  test('has no effect after a late punch, and the exception with other minutes opens again', {
    tags: 'long',
  }, async () => {
    const { id, workno, exception } = await worker()
    await fix('absent', [exception])
    await dayOf(id, raises())
    await punch(workno, '13:00:00')
    const row = await dayOf(id, row => expect(row?.workMinutes).toBe(450))
    expect(row).toMatchObject({ absentMinutes: 0, absence: { counts: false } })

    const second = await worker()
    await fix('absent', [second.exception])
    await dayOf(second.id, raises())
    // An earlier clock-in changes the unresolved minutes.
    await punch(second.workno, '05:00:00')
    const [correction] = (await dayOf(second.id, row => expect(row?.punches).toHaveLength(2))).punches.slice(1)
    await http.call('record/ignore', { employee: second.id, punch: correction?.id ?? '', reason }, manager)
    const open = await dayOf(second.id, raises('missingOut'))
    expect(open).toMatchObject({ unresolvedMinutes: 480, absentMinutes: 0, absence: { counts: false, minutes: 450 } })
    // The manager judges the new minutes, and the new mark replaces the old one.
    const fixed = await fix('absent', [named((await isOpen(second.id))[0] as Exception)])
    expect(fixed.absences).toMatchObject([{ version: 2 }])
    expect(await dayOf(second.id, raises())).toMatchObject({ absentMinutes: 480, unresolvedMinutes: 0 })
  })
})

describe('a refusal', () => {
  test('names each exception, and fixes no other exception of the call', async () => {
    const [mine, foreign] = [await worker(), await worker(company.department)]
    const stale = { ...(await worker()).exception, minutes: 1 }
    for (const action of ['proposed', 'absent'] as const) {
      const all = [mine.exception, foreign.exception, stale]
      const fields = { 'exceptions.1': 60004, 'exceptions.2': 60006 }
      expect(await ask(action, all)).toMatchObject({ code: 60004, fields })
    }
    const unknown = { ...mine.exception, employee: '0'.repeat(16) }
    expect(await ask('absent', [unknown])).toMatchObject({ code: 60004, fields: { 'exceptions.0': 60004 } })
    const tooMany = Array.from({ length: 31 }, () => mine.exception)
    expect(await ask('absent', tooMany)).toMatchObject({ code: 10002 })
    const thousand = Array.from({ length: 1000 }, () => mine.exception)
    expect(await ask('absent', thousand)).toMatchObject({ code: 10002, fields: { exceptions: 60002 } })
    const blank = { exceptions: [mine.exception], action: 'absent' as const, reason: ' ' }
    expect(await http.ask('exception/fix', blank, manager)).toMatchObject({ code: 10002, fields: { reason: 60001 } })
    expect((await dayOf(mine.id, raises('missingOut'))).absence).toBeUndefined()
    // An exception named twice counts once.
    expect((await fix('absent', [mine.exception, mine.exception])).absences).toHaveLength(1)
  })

  test('concerns the caller’s own days', async () => {
    await plan(managerId)
    await punch(300, '05:00:00')
    const [own] = await isOpen(managerId)
    for (const action of ['proposed', 'absent'] as const)
      expect(await ask(action, [named(own as Exception)])).toMatchObject({
        ...{ code: 60088, fields: { 'exceptions.0': 60088 } },
      })
    const taken = { employee: managerId, day, shift, version: 1 }
    expect(await http.ask('exception/restore', { punches: [], absences: [taken] }, manager)).toMatchObject({
      ...{ code: 60088, fields: { 'absences.0': 60088 } },
    })
  })

  test('concerns proposals, but no marks, if the company corrects only by request', async () => {
    const { exception, id } = await worker()
    await setCompany({ correctionRule: 'request' })
    expect(await ask('proposed', [exception])).toMatchObject({ code: 60092, fields: { 'exceptions.0': 60092 } })
    const fixed = await fix('absent', [exception])
    await setCompany({})
    await dayOf(id, raises())
    await http.call('exception/restore', fixed, manager)
    await isOpen(id)
  })

  test('concerns days too far back, for each of two managers at the same moment', async () => {
    const past = addDays(day, -6)
    const person = { first_name: 'E', last_name: 'Far', workno: '901', department: other, hireDay: past }
    const { id: employee } = await http.call('employee/add', person, boss)
    const plan = { from: past, shifts: [shift], rows: [{ employees: [employee], cells: [[0]] }] }
    const { task } = await http.call('schedule/preview', { plan }, boss)
    await taskEnd(http, boss, { task })
    await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
    const record = [{ enrollid: 901, time: `${past} 05:00:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', count: 1, logindex: ++logs, record })
    const { list } = await eventually(
      () => http.call('exception/grid', { filters: { from: past, to: past, employee } }, boss),
      ({ list }) => expect(list).toMatchObject([{ type: 'missingOut', proposal: { kind: 'out' } }]),
    )
    await setCompany({ correctionReachDays: 1 })
    const answers = await Promise.all([boss, manager].map(by => ask('proposed', list.map(named), by)))
    await setCompany({})
    for (const answer of answers) expect(answer).toMatchObject({ code: 60093, fields: { 'exceptions.0': 60093 } })
    const shown = await http.call('report/day', { employee, day: past }, boss)
    expect(shown.list[0]?.punches).toHaveLength(1)
    await fix('proposed', list.map(named), boss)
    await eventually(
      () => http.call('exception/grid', { filters: { from: past, to: past, employee, state: 'open' } }, boss),
      ({ list }) => expect(list).toEqual([]),
    )
  })

  test('tells all managers but one who fix an exception at the same moment', { tags: 'long' }, async () => {
    for (const action of ['proposed', 'absent'] as const) {
      const { id, exception } = await worker()
      const answers = await Promise.all(
        [boss, manager, boss, manager].map(by =>
          http.ask('exception/fix', { exceptions: [exception], action, reason }, by),
        ),
      )
      expect(answers.map(({ code }) => code).sort()).toEqual([0, 60006, 60006, 60006])
      const lost = answers.filter(({ code }) => code === 60006)
      for (const answer of lost) expect(answer).toMatchObject({ fields: { 'exceptions.0': 60006 } })
      const row = await dayOf(id, raises())
      expect(row.punches).toHaveLength(action === 'proposed' ? 2 : 1)
      // The second manager is told even before the day is calculated again.
      expect(await ask(action === 'absent' ? 'proposed' : 'absent', [exception])).toMatchObject({ code: 60006 })
    }
  })
})

test('the count contains the open exceptions of the departments that the caller manages', async () => {
  const open = async (by: Signed) =>
    (await http.call('exception/grid', { filters: { from: day, to: day, state: 'open' }, size: 200 }, by)).list.length
  await worker(company.department)
  expect((await http.call('exception/count', {}, boss)).count).toBe(await open(boss))
  expect((await http.call('exception/count', {}, manager)).count).toBe(await open(manager))
})

test('the manager filter shows the rows of the departments that a person manages', async () => {
  const { list } = await http.call('exception/manager/all', {}, boss)
  expect(list).toEqual([{ employee: managerId, first_name: 'Mona', last_name: 'M', workno: '300' }])
  const of = async (manager: string) =>
    (await http.call('exception/grid', { filters: { from: day, to: day, manager }, size: 200 }, boss)).list
  const found = await of(managerId)
  expect(found.length).toBeGreaterThan(0)
  for (const { department } of found) expect(department).toBe(other)
  expect(await of('0'.repeat(16))).toEqual([])
})

describe('a locked day', () => {
  test('refuses fixes and their undo, and its rows offer none', async () => {
    const past = addDays(day, -6)
    const person = { first_name: 'E', last_name: 'Past', workno: '900', department: other, hireDay: past }
    const { id: employee } = await http.call('employee/add', person, boss)
    const record = [{ enrollid: 900, time: `${past} 05:00:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', count: 1, logindex: ++logs, record })
    const ofPast = { filters: { from: past, to: past, employee } }
    const { list: open } = await eventually(
      () => http.call('exception/grid', ofPast, boss),
      ({ list }) => expect(list).toHaveLength(1),
    )
    // Nobody can know when a day without a shift ends.
    expect(open[0]?.proposal).toBeUndefined()
    const exceptions = open.map(named)
    for (const action of ['proposed', 'absent'] as const)
      expect(await ask(action, exceptions)).toMatchObject({ code: 10002, fields: { 'exceptions.0': 10002 } })
    const added = await http.call('record/add', { employee, date: past, time: '13:00', reason }, manager)
    await eventually(
      () => http.call('exception/grid', ofPast, boss),
      ({ list }) => expect(list[0]?.state).toBe('settled'),
    )
    await eventually(
      () => http.call('report/lock', {}, boss),
      ({ settledTo }) => expect(settledTo >= past).toBe(true),
    )
    await http.call('report/lock/update', { lockedTo: past }, boss)
    for (const action of ['proposed', 'absent'] as const)
      expect(await ask(action, exceptions)).toMatchObject({ code: 60061, fields: { 'exceptions.0': 60061 } })
    const taken = {
      punches: [{ employee, punch: added.punch, version: 1 }],
      absences: [{ employee, day: past, shift: null, version: 1 }],
    }
    const fields = { 'punches.0': 60061 }
    const onlyPunches = { ...taken, absences: [] }
    expect(await http.ask('exception/restore', onlyPunches, manager)).toMatchObject({ code: 60061, fields })
    expect(await http.ask('exception/restore', taken, manager)).toMatchObject({ fields: { 'absences.0': 60061 } })
  })
})
