import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Decisions on requests: the deciders, batches, races and the effect on the days. request-transition.test.ts covers
// every transition.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const tomorrow = addDays(day, 1)
const password = strongPassword

type Row = PathOutput<'approve/grid'>['list'][number]
type Filters = PathCall<'approve/grid'>['filters']
interface Signed {
  id: string
  token: string
}

let company: Registered
let boss: Signed & { headers: Record<string, string> }
let shift: string
/** The department `below` belongs to `north`. */
let north: string
let below: string
let south: string
/** Nora approves for `north` and `below`, Ned for `north`, Sam for `south`. */
let nora: Signed
let ned: Signed
let sam: Signed
let terminal: Socket
let logs = 0
let workno = 100

const manager = async (name: string, departments: string[], permissions = [3, 8, 10]) => {
  const { id: roleId } = await http.call('role/add', { name: `${name} ${++workno}`, permissions, departments }, boss)
  const [department = ''] = departments
  return {
    ...(await invite(http, boss, {
      first_name: name,
      last_name: 'M',
      workno: String(workno),
      department,
      role: 2,
      roleId,
    })),
    roleId,
  }
}
/** Adds an employee, scheduled 05:00 to 13:00 on these days and signed in to the personal side. */
const addEmployee = async (department = north, days: string[] = [day, tomorrow], name = 'E') => {
  const number = String(++workno)
  const person = { first_name: name, last_name: number, workno: number, department, password }
  const { id } = await http.call('employee/add', person, boss)
  if (days.length > 0) await http.call('schedule/add', { employees: [id], days, shift }, boss)
  const { token } = await http.call('personal/login', { code: company.company_num, workno: number, password })
  return { id, token, workno: number }
}
const askLeave = async (requester: Signed, date = tomorrow, toDate = date) => {
  const form = { leaveType: 3, date, toDate, isAllDay: true }
  return { employee: requester.id, ...(await http.call('personal/request/leave/add', form, requester)) }
}
const askOvertime = async (requester: Signed, date = tomorrow) => {
  const form = { date, from: '18:00', to: '20:00' }
  return { employee: requester.id, ...(await http.call('personal/request/overtime/add', form, requester)) }
}
const list = async (filters: Filters = {}, by: { token: string } = nora): Promise<Row[]> =>
  (await http.call('approve/grid', { filters, size: 200 }, by)).list
const get = (request: PathCall<'approve/get'>, by: { token: string } = nora) =>
  http.call('approve/get', { employee: request.employee, id: request.id }, by)
const move = (requests: PathCall<'approve/get'>[], status: 1 | 2 | 3, by: { token: string } = nora, reason?: string) =>
  http.ask('approve/update', { requests, status, ...(reason && { reason }) }, by)
const countOf = async (by: { token: string }) => (await http.call('approve/count', {}, by)).count
const setSecondStep = async (secondStep: (1 | 2 | 3)[]) => {
  const { version } = await http.call('approve/params', {}, boss)
  await http.call('approve/params/update', { version, secondStep }, boss)
}
const delegate = (by: { token: string }, to: string, from = day, until = day) =>
  http.ask('approve/delegate/update', { employee: to, from, to: until }, by)

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { id: company.owner, token: company.token, headers: { 'x-timezone': zone } }
  north = (await http.call('department/add', { name: 'North', parent: company.department }, boss)).id
  below = (await http.call('department/add', { name: 'Below', parent: north }, boss)).id
  south = (await http.call('department/add', { name: 'South', parent: company.department }, boss)).id
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  shift = (await http.call('shift/add', { name: 'Early', ...form, breaks: [] }, boss)).id
  nora = await manager('Nora', [north, below])
  ned = await manager('Ned', [north])
  sam = await manager('Sam', [south])
  const serialNumber = `A${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const gate = { serialNumber, name: 'Gate', department: company.department }
  const { serverPath } = await http.call('device/add', gate, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
})

describe('the request list', () => {
  test('shows the requests that a manager may see, filtered, sorted and paged', async () => {
    const [ada, ben, cara] = [
      await addEmployee(north, [day, tomorrow, addDays(day, 30)], 'Ada'),
      await addEmployee(below),
      await addEmployee(south),
    ]
    const [late, soon] = [await askLeave(ada, addDays(day, 30)), await askLeave(ada, tomorrow)]
    const [lower, other] = [await askOvertime(ben), await askLeave(cara)]
    const idsOf = async (filters: Filters, by = nora) => (await list(filters, by)).map(({ id }) => id)
    expect(await idsOf({ status: 0 })).toEqual([soon.id, lower.id, late.id].sort())
    expect((await idsOf({ status: 0 }, boss)).sort()).toEqual([soon.id, lower.id, late.id, other.id].sort())
    expect(await idsOf({ status: 0 }, sam)).toEqual([other.id])
    expect(await idsOf({})).toEqual([soon.id, lower.id, late.id].sort().reverse())
    expect(await idsOf({ status: 1 })).toEqual([])
    expect(await idsOf({ type: 3 })).toEqual([lower.id])
    expect(await idsOf({ department: north, type: 2 })).toEqual([late.id, soon.id])
    expect(await idsOf({ department: below })).toEqual([lower.id])
    expect(await idsOf({ department: south })).toEqual([])
    expect(await idsOf({ employee: ada.id })).toEqual([late.id, soon.id])
    expect(await idsOf({ employee: cara.id })).toEqual([])
    expect(await idsOf({ search: 'ADA' })).toEqual([late.id, soon.id])
    expect(await idsOf({ search: ben.workno })).toEqual([lower.id])
    expect(await idsOf({ from: addDays(day, 2) })).toEqual([late.id])
    expect(await idsOf({ to: addDays(day, 29), type: 2 })).toEqual([soon.id])
    const backwards = { filters: { from: tomorrow, to: day } }
    expect(await http.ask('approve/grid', backwards, nora)).toMatchObject({ fields: { 'filters.to': 10002 } })
    const seen: string[] = []
    for (let page: string | undefined; ; ) {
      const part: PathOutput<'approve/grid'> = await http.call('approve/grid', { size: 1, page }, nora)
      seen.push(...part.list.map(({ id }) => id))
      page = part.next
      if (!page) break
    }
    expect(seen).toEqual(await idsOf({}))
    expect([await countOf(nora), await countOf(ned), await countOf(sam), await countOf(boss)]).toEqual([3, 2, 1, 4])
    const [row] = await list({ employee: ben.id })
    expect(row).toMatchObject({ first_name: 'E', workno: ben.workno, department: below, moves: [1, 2] })
    expect([row?.refused, row?.needsSecond]).toEqual([undefined, false])
    // Decided requests leave the pending list and the pending count.
    expect(await move([soon, lower], 1)).toMatchObject({ code: 0 })
    expect(await move([late], 2, nora, 'Too far off')).toMatchObject({ code: 0 })
    await eventually(
      () => idsOf({ status: 0 }),
      ids => expect(ids).toEqual([]),
    )
    expect(await idsOf({ status: 1 })).toEqual([soon.id, lower.id].sort().reverse())
    expect(await list({ status: 2 })).toMatchObject([{ moves: [], steps: [{ by: 'Nora M', reason: 'Too far off' }] }])
    expect(await countOf(nora)).toBe(0)
  })

  test('moves a request to the new manager when its employee moves', async () => {
    const requester = await addEmployee(south)
    const request = await askLeave(requester)
    expect(await move([request], 1)).toMatchObject({ code: 60004, fields: { 'requests.0': 60004 } })
    const employee = (await http.call('employee/grid', { filters: { search: requester.workno } }, boss)).list[0]
    if (!employee) throw new Error('Nobody')
    const { id, version, first_name, last_name } = employee
    const moved = { id, version, first_name, last_name, workno: requester.workno, department: north }
    await http.call('employee/update', moved, boss)
    expect(await move([request], 1, sam)).toMatchObject({ code: 60004 })
    expect(await move([request], 1)).toMatchObject({ code: 0 })
  })
})

describe('the request details', () => {
  test('show the current days and the days after a decision, before and after approval', async () => {
    const requester = await addEmployee()
    const record = [{ enrollid: Number(requester.workno), time: `${day} 05:00:00`, mode: 8, inout: 0, event: 0 }]
    terminal.say({ cmd: 'sendlog', count: 1, logindex: ++logs, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    const exceptions = { filters: { from: day, to: day, employee: requester.id, state: 'open' as const } }
    await eventually(
      () => http.call('exception/grid', exceptions, nora),
      found => expect(found.list).toMatchObject([{ type: 'missingOut' }]),
    )
    const form = { date: day, time: '13:00', inout: 1 as const, notes: 'Forgot it' }
    const request = { employee: requester.id, ...(await http.call('personal/request/shift/add', form, requester)) }
    const without = { workMinutes: 0, exceptions: ['missingOut'], kind: 'work' }
    const withIt = { workMinutes: 480, exceptions: [], kind: 'work' }
    const place = { day, shift: 'Early', timezone: zone }
    expect(await get(request)).toMatchObject({
      ...{
        type: 1,
        status: 0,
        notes: 'Forgot it',
        moves: [1, 2],
        dayCount: 1,
        colleagues: [],
        people: expect.any(Number),
      },
      days: [{ ...place, before: without, after: { ...withIt, lastOut: expect.any(String) } }],
    })
    expect(await move([request], 1)).toMatchObject({ code: 0 })
    // The days match the preview, and the exception is settled.
    await eventually(
      () => get(request),
      found => expect(found.days).toMatchObject([{ ...place, before: withIt, after: without }]),
    )
    expect((await http.call('exception/grid', exceptions, nora)).list).toEqual([])
    expect(await move([request], 3)).toMatchObject({ code: 0 })
    await eventually(
      () => get(request),
      found => expect(found).toMatchObject({ status: 3, moves: [], days: [{ before: without }] }),
    )
    expect((await get(request)).days[0]?.after).toBeUndefined()
  })

  test('show absent colleagues and the total of the leave', async () => {
    const [requester, colleague, elsewhere] = [
      await addEmployee(below),
      await addEmployee(below, [day, tomorrow], 'Zoe'),
      await addEmployee(south),
    ]
    const also = await askLeave(colleague, day, tomorrow)
    await askLeave(elsewhere)
    const request = await askLeave(requester)
    await eventually(
      () => get(request),
      found => expect(found.colleagues).toMatchObject([{ first_name: 'Zoe', status: 0, date: day, toDate: tomorrow }]),
    )
    expect(await move([also], 1)).toMatchObject({ code: 0 })
    await eventually(
      () => get(request),
      found => expect(found.colleagues).toMatchObject([{ employee: colleague.id, status: 1, isAllDay: true }]),
    )
    const details = await get(request)
    expect(details).toMatchObject({ total: { days: 1, minutes: 480 }, department: below, balances: [] })
    expect(details.days).toMatchObject([
      { day: tomorrow, before: { kind: 'work' }, after: { kind: 'leave', leaveMinutes: 480 } },
    ])
  })

  test('of a later leave show only the requested days', { tags: 'long' }, async () => {
    const days = [0, 1, 2, 3, 4, 5].map(offset => addDays(tomorrow, offset))
    const [, , , from = '', to = ''] = days
    const requester = await addEmployee(north, days)
    const request = await askLeave(requester, from, to)
    const [at, on] = [{ kind: 'work' }, { kind: 'leave', leaveMinutes: 480 }]
    const of = (before: object, after: object) => [from, to].map(date => ({ day: date, before, after }))
    expect(await get(request)).toMatchObject({ dayCount: 2, days: of(at, on) })
    expect(await move([request], 1)).toMatchObject({ code: 0 })
    await eventually(
      () => get(request),
      found => expect(found).toMatchObject({ dayCount: 2, days: of(on, at) }),
    )
  })

  test('are limited to managed employees and accept comments', async () => {
    const requester = await addEmployee()
    const request = await askLeave(requester)
    const stranger = { ...request, employee: (await addEmployee()).id }
    expect(await http.ask('approve/get', request, sam)).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    expect(await http.ask('approve/get', stranger, nora)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    const text = 'Can it wait until Monday?'
    expect(await http.ask('approve/comment/add', { ...request, text }, sam)).toMatchObject({ code: 60004 })
    await http.call('approve/comment/add', { ...request, text }, nora)
    await http.call('personal/request/comment/add', { id: request.id, text: 'No' }, requester)
    expect((await get(request)).comments).toMatchObject([
      { by: 'Nora M', isOwn: true, text },
      { isOwn: false, text: 'No' },
    ])
    expect(await list({ employee: requester.id })).toMatchObject([{ commentCount: 2, status: 0 }])
  })
})

describe('a batch of requests', () => {
  test('is decided completely or not at all', async () => {
    const [requester, other] = [await addEmployee(), await addEmployee(south)]
    const [leave, overtime, foreign] = [await askLeave(requester), await askOvertime(requester), await askLeave(other)]
    expect(await move([leave, foreign, overtime], 1)).toMatchObject({ code: 60004, fields: { 'requests.1': 60004 } })
    expect(await list({ employee: requester.id, status: 0 })).toHaveLength(2)
    expect(await move([leave], 2)).toMatchObject({ code: 0 })
    expect(await move([overtime, leave], 1)).toMatchObject({ code: 60081, fields: { 'requests.1': 60081 } })
    expect(await list({ employee: requester.id, status: 0 })).toMatchObject([{ id: overtime.id }])
    // A request named twice in a batch counts once.
    expect(await move([overtime, overtime], 1)).toMatchObject({ code: 0 })
    expect(await list({ employee: requester.id, status: 1 })).toMatchObject([
      { id: overtime.id, steps: [{ by: 'Nora M' }] },
    ])
  })
})

describe('concurrent decisions', () => {
  test('have one winner per request, and the later decisions fail', { tags: 'long' }, async () => {
    for (let round = 0; round < 4; round++) {
      const request = await askLeave(await addEmployee())
      const answers = await Promise.all([
        move([request], 1, nora),
        move([request], 2, ned),
        move([request], 1, boss),
        move([request], 2, nora),
      ])
      expect(answers.map(({ code }) => code).sort()).toEqual([0, 60081, 60081, 60081])
      const { status, steps } = await get(request)
      const done = answers.findIndex(({ code }) => code === 0)
      expect([status, steps.length]).toEqual([[1, 2, 1, 2][done], 1])
    }
  })

  test('never approve a cancelled request', { tags: 'long' }, async () => {
    for (let round = 0; round < 4; round++) {
      const requester = await addEmployee()
      const request = await askLeave(requester, day)
      const [cancelled, approved] = await Promise.all([
        http.ask('personal/request/cancel', { id: request.id }, requester),
        move([request], 1),
      ])
      // The requested day has begun, so after an approval the employee cannot cancel.
      expect([cancelled.code, approved.code].sort()).toEqual([0, 60081])
      expect((await get(request)).status).toBe(cancelled.code === 0 ? 3 : 1)
    }
  })

  test('never approve a request for a day locked meanwhile', { tags: 'long' }, async () => {
    const other = await register(http, { timezone: zone })
    const owner = { token: other.token, headers: { 'x-timezone': zone } }
    const [past, number] = [addDays(day, -7), '7']
    const person = { first_name: 'Late', last_name: 'L', workno: number, department: other.department, password }
    const { id: employee } = await http.call('employee/add', person, owner)
    const requester = await http.call('personal/login', { code: other.company_num, workno: number, password })
    const form = { date: past, time: '09:00', inout: 0 as const }
    const request = { employee, ...(await http.call('personal/request/shift/add', form, requester)) }
    const again = {
      employee,
      ...(await http.call('personal/request/shift/add', { ...form, time: '17:00' }, requester)),
    }
    const [locked, approved] = await Promise.all([
      http.ask('report/lock/update', { lockedTo: past }, owner),
      move([request], 1, owner),
    ])
    expect([locked.code, [0, 60061].includes(approved.code)]).toEqual([0, true])
    const refused = { code: 60061, fields: { 'requests.0': 60061 } }
    expect(await move([again], 1, owner)).toMatchObject(refused)
    expect(await list({}, owner)).toContainEqual(expect.objectContaining({ id: again.id, moves: [2], refused: 60061 }))
    expect(await move([again], 2, owner)).toMatchObject({ code: 0 })
  })
})

describe('a second approval step', () => {
  test('keeps a request pending after the first approval and needs another approver', async () => {
    await setSecondStep([3])
    const requester = await addEmployee()
    const [leave, overtime] = [await askLeave(requester), await askOvertime(requester)]
    expect(await list({ employee: requester.id, type: 3 })).toMatchObject([{ needsSecond: true, moves: [1, 2] }])
    const before = await countOf(nora)
    expect(await move([leave, overtime], 1)).toMatchObject({ code: 0 })
    expect(await get(leave)).toMatchObject({ status: 1 })
    expect(await get(overtime)).toMatchObject({ status: 0, steps: [{ status: 1, by: 'Nora M' }] })
    expect(await list({ employee: requester.id, type: 3 })).toMatchObject([
      { needsSecond: false, moves: [2], refused: 60083 },
    ])
    expect(await countOf(nora)).toBe(before - 2)
    expect(await move([overtime], 1)).toMatchObject({ code: 60083, fields: { 'requests.0': 60083 } })
    expect(await list({ employee: requester.id, type: 3 }, ned)).toMatchObject([{ moves: [1, 2] }])
    expect(await move([overtime], 1, ned)).toMatchObject({ code: 0 })
    expect(await get(overtime)).toMatchObject({ status: 1, steps: [{ by: 'Nora M' }, { status: 1, by: 'Ned M' }] })
  })

  test('counts two of several concurrent approvals', async () => {
    const request = await askOvertime(await addEmployee())
    const answers = await Promise.all([
      move([request], 1, nora),
      move([request], 1, ned),
      move([request], 1, boss),
      move([request], 1, nora),
    ])
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(2)
    const { status, steps } = await get(request)
    expect([status, new Set(steps.map(({ by }) => by)).size, steps.length]).toEqual([1, 2, 2])
  })

  test('no longer applies to pending requests once an administrator disables it', async () => {
    const request = await askOvertime(await addEmployee())
    expect(await move([request], 1)).toMatchObject({ code: 0 })
    await setSecondStep([])
    expect(await move([request], 1)).toMatchObject({ code: 0 })
    expect((await get(request)).status).toBe(1)
    const { version } = await http.call('approve/params', {}, nora)
    const form = { version, secondStep: [2 as const] }
    expect(await http.ask('approve/params/update', form, nora)).toMatchObject({ code: 60005 })
    expect(await http.ask('approve/params/update', { ...form, version: version - 1 }, boss)).toMatchObject({
      code: 60006,
    })
    expect((await http.call('approve/params', {}, nora)).secondStep).toEqual([])
  })
})

describe('an absent manager', () => {
  test('may choose a deputy among the current approvers', async () => {
    const number = String(++workno)
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Ada', last_name: 'A', workno: number, department: south },
      boss,
    )
    const isOffered = async () =>
      (await http.call('approve/delegate/all', {}, ned)).list.some(({ employee }) => employee === id)
    const become = async (role: { role: 1 | 2 | 3; roleId?: string }) => {
      const { list } = await http.call('employee/grid', { filters: { search: number } }, boss)
      const version = list.find(employee => employee.id === id)?.version ?? 0
      const form = { id, version, first_name: 'Ada', last_name: 'A', workno: number, department: south, ...role }
      await http.call('employee/update', form, boss)
    }
    expect(await isOffered()).toBe(false)
    for (const role of [{ role: 1 as const }, { role: 2 as const, roleId: 'personnelmanager' }]) {
      await become(role)
      expect(await isOffered(), JSON.stringify(role)).toBe(true)
      await become({ role: 3 })
      expect(await isOffered()).toBe(false)
    }
  })

  test('has a deputy decide within the delegated days only', { tags: 'long' }, async () => {
    const request = await askLeave(await addEmployee())
    expect(await move([request], 1, sam)).toMatchObject({ code: 60004 })
    expect(await delegate(ned, sam.id)).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    // A deputy must share a managed employee with the manager.
    const both = await manager('Bo', [north, south])
    const { list: candidates } = await http.call('approve/delegate/all', {}, ned)
    expect(candidates.map(({ employee }) => employee).sort()).toEqual([both.id, nora.id, boss.id].sort())
    const deputy = await manager('Dora', [south, north])
    expect(await delegate(nora, deputy.id, tomorrow, tomorrow)).toMatchObject({ code: 0 })
    const role = (await http.call('role/grid', { size: 200 }, boss)).list.find(({ id }) => id === deputy.roleId)
    const item = { id: deputy.roleId, version: role?.version ?? 0, permissions: [10], departments: [south] }
    await http.call('role/update/item', item, boss)
    // The delegation starts tomorrow.
    expect(await move([request], 1, deputy)).toMatchObject({ code: 60004 })
    expect(await http.call('approve/delegate/get', {}, deputy)).toMatchObject({
      list: [{ employee: nora.id, name: 'Nora M', from: tomorrow }],
    })
    const again = await manager('Dan', [south, north])
    expect(await delegate(nora, again.id)).toMatchObject({ code: 0 })
    expect((await http.call('approve/delegate/get', {}, nora)).own).toMatchObject({ name: 'Dan M', from: day, to: day })
    expect((await http.call('approve/delegate/get', {}, deputy)).list).toEqual([])
    const danRole = (await http.call('role/grid', { size: 200 }, boss)).list.find(({ id }) => id === again.roleId)
    const danItem = { id: again.roleId, version: danRole?.version ?? 0, permissions: [10], departments: [south] }
    await http.call('role/update/item', danItem, boss)
    expect(await list({ employee: request.employee }, again)).toMatchObject([{ id: request.id, moves: [1, 2] }])
    // A deputy cannot pass delegated requests on.
    expect(await delegate(again, sam.id)).toMatchObject({ code: 0 })
    expect(await move([request], 1, sam)).toMatchObject({ code: 60004 })
    expect(await move([request], 1, again)).toMatchObject({ code: 0 })
    expect((await get(request)).steps).toMatchObject([{ by: 'Dan M', onBehalfOf: 'Nora M', status: 1 }])
    await http.call('approve/delegate/delete', {}, nora)
    expect(await http.call('approve/delegate/get', {}, nora)).toMatchObject({ list: [] })
    expect(await list({ employee: request.employee }, again)).toEqual([])
    await http.call('approve/delegate/delete', {}, again)
  })

  test('cannot delegate to a person without permission, to an unknown person, to themselves or for invalid days', async () => {
    const powerless = await manager('Paul', [north], [3, 8])
    expect(await delegate(nora, powerless.id)).toMatchObject({ code: 60005, fields: { employee: 60005 } })
    expect(await delegate(nora, '0'.repeat(16))).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    expect(await delegate(nora, nora.id)).toMatchObject({ code: 10002, fields: { employee: 10002 } })
    expect(await delegate(nora, ned.id, tomorrow, day)).toMatchObject({ code: 10002, fields: { to: 10002 } })
    expect(await delegate(nora, ned.id, addDays(day, -3), addDays(day, -1))).toMatchObject({ fields: { to: 10002 } })
    expect(await delegate(nora, ned.id, day, addDays(day, 366))).toMatchObject({ fields: { to: 10002 } })
    expect((await http.call('approve/delegate/get', {}, nora)).own).toBeUndefined()
  })

  test('delegates only while both keep the approve permission', { tags: 'long' }, async () => {
    const [away, deputy] = [await manager('Away', [below]), await manager('Deputy', [below, south])]
    expect(await delegate(away, deputy.id)).toMatchObject({ code: 0 })
    const role = async (id: string, changes: { permissions?: number[]; departments?: string[] }) => {
      const stored = (await http.call('role/grid', { size: 200 }, boss)).list.find(item => item.id === id)
      if (!stored) throw new Error('No role')
      const { version, permissions, departments } = stored
      await http.call('role/update/item', { id, version, permissions, departments, ...changes }, boss)
    }
    await role(deputy.roleId, { departments: [south] })
    const request = await askLeave(await addEmployee(below))
    expect(await list({ employee: request.employee }, deputy)).toHaveLength(1)
    await role(away.roleId, { permissions: [3, 8] })
    expect(await list({ employee: request.employee }, deputy)).toEqual([])
    expect(await move([request], 1, deputy)).toMatchObject({ code: 60004 })
    await role(away.roleId, { permissions: [10] })
    expect(await list({ employee: request.employee }, deputy)).toHaveLength(1)
    await role(deputy.roleId, { permissions: [3, 8] })
    expect(await move([request], 1, deputy)).toMatchObject({ code: 60005 })
  })

  test('cannot have a deputy approve the manager’s own request or both steps of a request', async () => {
    const away = await manager('Alba', [below])
    const deputy = await manager('Dido', [below, south])
    expect(await delegate(away, deputy.id)).toMatchObject({ code: 0 })
    const role = (await http.call('role/grid', { size: 200 }, boss)).list.find(({ id }) => id === deputy.roleId)
    const item = { id: deputy.roleId, version: role?.version ?? 0, permissions: [10], departments: [south] }
    await http.call('role/update/item', item, boss)
    const { token } = await http.call('user/login', { email: away.email, password: strongPassword })
    const own = { id: away.id, ...(await http.call('personal/login/switch', {}, { token })) }
    const request = await askOvertime(own)
    expect(await list({ employee: away.id }, deputy)).toMatchObject([{ moves: [], refused: 60082 }])
    expect(await move([request], 1, deputy)).toMatchObject({ code: 60082, fields: { 'requests.0': 60082 } })
    expect(await move([request], 1, away)).toMatchObject({ code: 60082 })
    await setSecondStep([3])
    const pending = await askOvertime(await addEmployee(below))
    expect(await move([pending], 1, away)).toMatchObject({ code: 0 })
    expect(await move([pending], 1, deputy)).toMatchObject({ code: 60083 })
    expect(await move([pending], 1, nora)).toMatchObject({ code: 0 })
    await setSecondStep([])
  })
})

describe('the audit log', () => {
  test('records each decision with its author, the absent manager and the reason', async () => {
    const requester = await addEmployee()
    const request = await askLeave(requester)
    await move([request], 1)
    await move([request], 3, ned, 'We need you')
    const entries = (await http.call('audit/grid', { filters: { noun: 'request', object: requester.id } }, boss)).list
    const changes = entries.map(({ name, changes: [first] }) => [name, first?.change, first?.fields.status])
    expect(changes).toEqual([
      ['Ned M', 'changed', { before: 1, after: 3 }],
      ['Nora M', 'changed', { before: 0, after: 1 }],
      [`E ${requester.workno}`, 'added', { after: 0 }],
    ])
    expect(JSON.stringify(entries[0])).toContain('We need you')
    const delegations = (await http.call('audit/grid', { filters: { noun: 'delegation' } }, boss)).list
    expect(delegations.find(({ name }) => name === 'Alba M')).toMatchObject({
      changes: [{ change: 'added', fields: { from: { after: day }, delegate: { after: expect.any(String) } } }],
    })
    expect(Object.values(delegations[0]?.names ?? {})).toContain('Dido M')
  })
})
