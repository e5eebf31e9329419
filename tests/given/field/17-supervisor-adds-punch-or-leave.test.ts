import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../../shared/api.ts'
import { addDays } from '../../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../../kit/client.ts'
import { dayIn, eveningZone } from '../../kit/evening.ts'
import { openSocket, type Socket } from '../../kit/socket.ts'

// Field case 17: a worker without a sign-in forgot to clock out, or phones in sick. A manager enters it for the worker.
// It counts as the worker's own, and follows the same rules, locks and two-person rule.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const yesterday = addDays(today, -1)
const tomorrow = addDays(today, 1)
const reason = 'Told the foreman that he forgot'

interface Signed {
  id: string
  token: string
}
interface World {
  company: Registered
  boss: { token: string; headers: Record<string, string> }
  site: string
  /** Nora and Ned correct and approve for the site; Sam does for another department. */
  nora: Signed
  ned: Signed
  sam: Signed
  shift: string
  terminal: Socket
  serialNumber: string
}

let number = 700
let logs = 0

const found = async (): Promise<World> => {
  const company = await register(http, { timezone: zone })
  const boss = { token: company.token, headers: { 'x-timezone': zone } }
  const addDepartment = async (name: string) =>
    (await http.call('department/add', { name, parent: company.department }, boss)).id
  const [site, yard] = [await addDepartment('Site'), await addDepartment('Yard')]
  const addManager = async (first_name: string, department: string): Promise<Signed> => {
    const role = { name: first_name, permissions: [8, 9, 10] as (8 | 9 | 10)[], departments: [department] }
    const { id: roleId } = await http.call('role/add', role, boss)
    const person = { first_name, last_name: 'M', workno: String(++number), department, role: 2 as const, roleId }
    return invite(http, boss, person)
  }
  const [nora, ned, sam] = [await addManager('Nora', site), await addManager('Ned', site), await addManager('Sam', yard)]
  const hours = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  const { id: shift } = await http.call('shift/add', { name: 'Early', ...hours }, boss)
  const serialNumber = `F${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const { serverPath } = await http.call('device/add', { serialNumber, name: 'Gate', department: site }, boss)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
  return { company, boss, site, nora, ned, sam, shift, terminal, serialNumber }
}

let world: World
beforeAll(async () => {
  world = await found()
})

/** A worker of the site who is scheduled today and tomorrow, without a sign-in unless `password` is set. */
const addWorker = async ({ boss, site, shift }: World, password?: string) => {
  const workno = String(++number)
  const person = { first_name: 'Will', last_name: workno, workno, department: site, ...(password && { password }) }
  const { id } = await http.call('employee/add', person, boss)
  await http.call('schedule/add', { employees: [id], days: [today, tomorrow], shift }, boss)
  return { id, workno }
}
const signIn = ({ company }: World, workno: string) =>
  http.call('personal/login', { code: company.company_num, workno, password: strongPassword }, {})

const clockIn = async ({ terminal }: World, workno: string) => {
  const record = [{ enrollid: Number(workno), time: `${today} 05:00:00`, mode: 8, inout: 0, event: 0 }]
  terminal.say({ cmd: 'sendlog', count: 1, logindex: ++logs, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}

type Day = PathOutput<'report/day'>['list'][number]
const dayOf = ({ boss }: World, employee: string, holds: (day: Day | undefined) => void) =>
  eventually(
    () => http.call('report/day', { employee, day: today }, boss),
    ({ list }) => holds(list[0]),
  )
const isForgotten = (day: Day | undefined) => expect(day?.exceptions).toEqual(['missingOut'])
const isWhole = (day: Day | undefined) => expect(day).toMatchObject({ workMinutes: 480, exceptions: [] })

const auditOf = async ({ boss }: World, noun: 'correction' | 'request', by: Signed) =>
  (await http.call('audit/grid', { filters: { noun, employee: by.id } }, boss)).list[0]
const kindsOf = async (token: string) =>
  (await http.call('notice/grid', {}, { token })).list
    // Until the clock-out is entered, the worker may also hear that it is missing.
    .flatMap(({ kind, name }) => (kind === 'punch.forgotten' ? [] : [[kind, name]]))

describe('a worker without a sign-in who forgot to clock out', () => {
  test('gets the clock-out from the manager as a correction, and the audit names the manager', async () => {
    const { nora } = world
    const { id, workno } = await addWorker(world)
    await clockIn(world, workno)
    await dayOf(world, id, isForgotten)
    const form = { employee: id, date: today, time: '13:00', inout: 1 as const, reason }
    const { punch } = await http.call('record/add', form, nora)
    await dayOf(world, id, day => {
      isWhole(day)
      expect(day?.punches.map(({ device }) => device)).toEqual([world.serialNumber, 'manager'])
      expect(day?.punches[1]).toMatchObject({ id: punch, correction: { by: 'Nora M', reason } })
    })
    expect(await auditOf(world, 'correction', nora)).toMatchObject({
      ...{ path: 'record/add', changes: [{ noun: 'correction', id, change: 'added' }] },
    })
  })

  test('gets the clock-out as an approved request of their own that the manager entered', async () => {
    const { nora } = world
    const { id, workno } = await addWorker(world)
    await clockIn(world, workno)
    await dayOf(world, id, isForgotten)
    const form = { employees: [id], date: today, time: '13:00', inout: 1 as const, notes: reason }
    const { status, requests } = await http.call('approve/shift/add', form, nora)
    expect([status, requests.map(({ employee }) => employee)]).toEqual([1, [id]])
    await dayOf(world, id, isWhole)
    const { list } = await http.call('approve/grid', { filters: { employee: id } }, world.ned)
    expect(list).toMatchObject([
      { employee: id, type: 1, status: 1, enteredBy: 'Nora M', notes: reason, steps: [{ status: 1, by: 'Nora M' }] },
    ])
    const audit = await auditOf(world, 'request', nora)
    expect(audit).toMatchObject({ path: 'approve/shift/add' })
    expect(JSON.stringify(audit)).toContain(id)
  })
})

describe('a worker without a sign-in who phones in sick', () => {
  test('gets the leave from the manager, and the day counts as leave', async () => {
    const { nora } = world
    const { id } = await addWorker(world)
    const form = { employees: [id], leaveType: 2, date: today, isAllDay: true, notes: 'Phoned at six' }
    expect((await http.call('leave/add', form, nora)).status).toBe(1)
    await dayOf(world, id, day => expect(day).toMatchObject({ leaveMinutes: 480, absentMinutes: 0, exceptions: [] }))
    const { list } = await http.call('approve/grid', { filters: { employee: id } }, world.ned)
    expect(list).toMatchObject([{ type: 2, status: 1, enteredBy: 'Nora M', total: { days: 1 } }])
  })

  test('gets worked overtime from the manager', async () => {
    const { id } = await addWorker(world)
    const form = { employees: [id], date: today, from: '13:00', to: '15:00' }
    expect((await http.call('approve/overtime/add', form, world.nora)).status).toBe(1)
    const { list } = await http.call('approve/grid', { filters: { employee: id } }, world.ned)
    expect(list).toMatchObject([{ type: 3, status: 1, enteredBy: 'Nora M' }])
  })
})

test('a worker with a sign-in hears of the leave, the punch and the correction that the manager entered', async () => {
  const { nora } = world
  const { id, workno } = await addWorker(world, strongPassword)
  const { token } = await signIn(world, workno)
  await http.call('leave/add', { employees: [id], leaveType: 2, date: tomorrow, isAllDay: true }, nora)
  await http.call('approve/shift/add', { employees: [id], date: today, time: '05:00', inout: 0 }, nora)
  await http.call('record/add', { employee: id, date: today, time: '13:00', inout: 1, reason }, nora)
  await eventually(
    () => kindsOf(token),
    kinds =>
      expect(kinds.toSorted()).toEqual([
        ['correction.made', 'Nora M'],
        ['request.entered', 'Nora M'],
        ['request.entered', 'Nora M'],
      ]),
  )
  const { list } = await http.call('personal/request/grid', {}, { token })
  expect(list.map(({ enteredBy }) => enteredBy)).toEqual(['Nora M', 'Nora M'])
})

/** Every way to enter something for a person on a day, with the field that names the person. */
const entries = (id: string, day: string) =>
  [
    ['record/add', { employee: id, date: day, time: '13:00', reason }, 'employee'],
    ['approve/shift/add', { employees: [id], date: day, time: '13:00' }, 'employees.0'],
    ['approve/overtime/add', { employees: [id], date: day, from: '13:00', to: '15:00' }, 'employees.0'],
    ['leave/add', { employees: [id], leaveType: 2, date: day, isAllDay: true }, 'employees.0'],
  ] as const

describe('a manager is refused', () => {
  test('for a worker of another department', async () => {
    const { id } = await addWorker(world)
    for (const [path, form, field] of entries(id, today))
      expect(await http.ask(path, form as never, world.sam), path).toMatchObject({
        ...{ code: 60004, fields: { [field]: 60004 } },
      })
  })

  test('for themselves', async () => {
    const { nora } = world
    for (const [path, form, field] of entries(nora.id, today)) {
      const code = path === 'record/add' ? 60088 : 60082
      expect(await http.ask(path, form as never, nora), path).toMatchObject({ code, fields: { [field]: code } })
    }
  })

  test('on a locked day', { tags: 'long' }, async () => {
    const own = await found()
    const { id } = await addWorker(own)
    const { settledTo: lockedTo, version } = await http.call('report/lock', {}, own.boss)
    await http.call('report/lock/update', { lockedTo, version }, own.boss)
    for (const [path, form] of entries(id, lockedTo))
      expect(await http.ask(path, form as never, own.nora), path).toMatchObject({
        ...{ code: 60061, fields: { date: 60061 } },
      })
    own.terminal.close()
  })

  test('without the permission', async () => {
    const { id } = await addWorker(world)
    const { boss, site } = world
    const { id: roleId } = await http.call('role/add', { name: 'Reader', permissions: [8], departments: [site] }, boss)
    const person = { first_name: 'Rita', last_name: 'R', workno: String(++number), department: site }
    const rita = await invite(http, boss, { ...person, role: 2, roleId })
    for (const [path, form] of entries(id, yesterday)) {
      const { code } = await http.ask(path, form as never, rita)
      expect([path, code]).toEqual([path, 60005])
    }
  })
})

test('where two people must approve, the entry is the first approval and counts after the second', { tags: 'long' }, async () => {
  const own = await found()
  const { version } = await http.call('approve/params', {}, own.boss)
  await http.call('approve/params/update', { version, secondStep: [1, 2, 3] }, own.boss)
  const { id, workno } = await addWorker(own)
  await clockIn(own, workno)
  await dayOf(own, id, isForgotten)
  const form = { employees: [id], date: today, time: '13:00', inout: 1 as const }
  const { status, requests } = await http.call('approve/shift/add', form, own.nora)
  expect(status).toBe(0)
  await dayOf(own, id, isForgotten)
  const approve = (by: Signed) => http.ask('approve/update', { requests, status: 1 }, by)
  expect(await approve(own.nora)).toMatchObject({ code: 60083 })
  expect(await approve(own.sam)).toMatchObject({ code: 60004 })
  expect(await approve(own.ned)).toMatchObject({ code: 0 })
  await dayOf(own, id, isWhole)
  own.terminal.close()
})
