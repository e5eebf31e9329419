import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDays } from '../../shared/local-day.ts'
import { type EventData, eventBody, eventData } from '../../shared/webhooks/shape.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { type Stack, startStack } from '../kit/stack.ts'

// What is sent of each event is what the description of the API promises, and no more.

const zone = eveningZone()
const day = dayIn(zone)
const signedIn = (token: string) => ({ token, headers: { 'x-timezone': zone } })

let stack: Stack
let http: Client
let boss: Registered
const bodies: string[] = []
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  bodies.push(Buffer.concat(chunks).toString())
  response.writeHead(204).end()
})

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  stack = await startStack({ environment: { WEBHOOK_LOOPBACK: 'on' } })
  http = client(stack.address)
  boss = await register(http, { timezone: zone })
})
afterAll(async () => {
  await stack.stop()
  receiver.closeAllConnections()
  receiver.close()
})

const told = () => bodies.map(body => eventBody.parse(JSON.parse(body)))
const typesTold = async () => new Set(told().map(({ type }) => type))
/** What was told of punches, each once: a telling may come twice. */
const recordsTold = async (type: string) => {
  const records = told().flatMap(({ type: one, timestamp, data }) =>
    one === type ? [{ ...eventData['record.updated'].parse(data), timestamp }] : [],
  )
  return [...new Map(records.map(({ timestamp, ...record }) => [`${record.uuid} ${timestamp}`, record])).values()]
}

/** Numbers nobody has yet. */
const newNumbers = (): [hers: string, orphan: string, joining: string, changed: string, former: string] => {
  const first = 10_000 + Math.floor(Math.random() * 1_000_000)
  const at = (offset: number) => String(first + offset)
  return [at(0), at(1), at(2), at(3), at(4)]
}

test('every event that is sent has the shape that is described', async () => {
  const me = signedIn(boss.token)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const events = ['employee', 'record', 'terminal', 'attendance'] as const
  const { id: webhook } = await http.call('webhooks/endpoint/add', { url, events: [...events] }, me)
  await http.call('webhooks/endpoint/test', { id: webhook }, me)

  const [workno, orphan] = newNumbers()
  const person = { first_name: 'Ada', last_name: 'Byron', workno, department: boss.department, hireDay: day }
  const { id } = await http.call('employee/add', { ...person, position: 'Analyst' }, me)
  const form = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
  const { id: shift } = await http.call('shift/add', { name: 'Early', ...form }, me)
  await http.call('schedule/add', { employees: [id], days: [day], shift }, me)
  const serialNumber = `TOLD-${randomUUID().slice(0, 12)}`.toUpperCase()
  const gate = { serialNumber, name: 'Main gate', department: boss.department }
  const terminal = await openSocket(http.address, { path: (await http.call('device/add', gate, me)).serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: { modelname: 'AiFace', firmware: '2.4.1' } })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number) => ({ enrollid, time: `${day} 09:07:00`, mode: 8, inout: 0, event: 0 })
  terminal.say({
    cmd: 'sendlog',
    count: 2,
    logindex: 1,
    record: [{ ...punch(Number(workno)), temp: 36.6 }, punch(Number(orphan))],
  })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(
    typesTold,
    types => {
      for (const type of ['terminal.online', 'record.created', 'attendance.day_changed'])
        expect([...types]).toContain(type)
    },
    60,
  )
  // A number that was nobody's is given to somebody.
  await eventually(
    () => http.call('record/orphan/grid', {}, me),
    ({ list }) => expect(list.map(one => one.workno)).toContain(orphan),
    60,
  )
  await taskEnd(http, me, await http.call('record/orphan/assign', { workno: orphan, employee: id }, me))
  terminal.close()
  const { version } = await http.call('device/get', { serialNumber }, me)
  await http.call('device/update', { ...gate, name: 'Back gate', version }, me)
  await http.call('device/delete', { serialNumber }, me)
  const [now] = (await http.call('employee/grid', { filters: { search: workno } }, me)).list
  await http.call('employee/update', { ...person, id, version: now?.version ?? 0, tel: '+30 210 1234567' }, me)
  await http.call('employee/delete', { id }, me)
  // Punches are removed by retention alone, and a terminal is told to be offline when it has been silent for two polls.
  const all = Object.keys(eventData).filter(type => type !== 'record.deleted' && type !== 'terminal.offline')
  await eventually(typesTold, types => expect([...types].toSorted()).toEqual(all.toSorted()), 60)

  for (const { type, company_id, data } of told()) {
    expect(company_id).toBe(boss.company)
    const shape = eventData[type as keyof typeof eventData].strict()
    expect(shape.parse(data), type).toEqual(data)
  }
})

test('record/since tells what a webhook told by the same uuid a minute later, and once more when it became another’s', {
  timeout: 240_000,
}, async () => {
  const me = signedIn(boss.token)
  const key = await http.call('apikey/add', { name: 'Payroll', permissions: [9] }, me)
  const since = (cursor?: string) =>
    http.call('record/since', { size: 200, ...(cursor && { cursor }) }, { token: key.key })
  // Of somebody, whose number punches; a number of nobody; that of who is typed in later; and one that becomes another's own.
  const [hers, nobodys, joining, changed, former] = newNumbers()
  const grace = { first_name: 'Grace', last_name: 'Hopper', workno: hers, department: boss.department, hireDay: day }
  const { id } = await http.call('employee/add', grace, me)
  const alan = { ...grace, first_name: 'Alan', last_name: 'Turing' }
  const { id: alansId } = await http.call('employee/add', { ...alan, workno: former }, me)
  const serialNumber = `SINCE-${randomUUID().slice(0, 12)}`.toUpperCase()
  const gate = { serialNumber, name: 'Side gate', department: boss.department }
  const terminal = await openSocket(http.address, { path: (await http.call('device/add', gate, me)).serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const { cursor } = await since()
  const punch = (enrollid: number) => ({ enrollid, time: `${day} 10:00:00`, mode: 8, inout: 0, event: 0 })
  const numbers = [hers, nobodys, joining, changed]
  terminal.say({ cmd: 'sendlog', count: 4, logindex: 1, record: numbers.map(number => punch(Number(number))) })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const mine = <T extends EventData['record.created']>(list: T[]) =>
    list.filter(({ device }) => device.serial_number === serialNumber)
  /** A key may call ten times in a second. */
  const later = async () => {
    await wait(1000)
    return (await since(cursor)).list
  }
  const created = await eventually(
    async () => mine(await recordsTold('record.created')),
    list => expect(list).toHaveLength(4),
    60,
  )
  await eventually(
    () => http.call('record/orphan/grid', {}, me),
    ({ list }) => expect(list.map(one => one.workno)).toEqual(expect.arrayContaining([nobodys, joining, changed])),
    60,
  )

  // A minute later, by the cursor that was there before.
  const byNumber = <T extends EventData['record.created']>(list: T[]) =>
    list.toSorted((one, other) => Number(one.workno) - Number(other.workno))
  const stored = await eventually(
    async () => mine(await later()),
    list => expect(list).toHaveLength(4),
    120,
  )
  const told = byNumber(created.map(record => ({ ...record, storedAt: expect.any(String) })))
  expect(byNumber(stored)).toEqual(told)
  expect(told.map(({ employee }) => employee?.workno)).toEqual([hers, undefined, undefined, undefined])

  // Once more when it became somebody's, in whatever way.
  const uuidOf = (number: string) => told.find(({ workno }) => workno === number)?.uuid
  const tellings = async (number: string) =>
    (await recordsTold('record.updated')).filter(({ uuid }) => uuid === uuidOf(number))
  const number = { workno: nobodys, employee: id }
  await taskEnd(http, me, await http.call('record/orphan/assign', number, me))
  const ada = { ...grace, first_name: 'Ada', last_name: 'Byron', workno: joining }
  const { id: adasId } = await http.call('employee/add', ada, me)
  await http.call('employee/update', { ...alan, workno: changed, id: alansId, version: 1 }, me)
  const holders = [
    { number: nobodys, workno: hers, first_name: 'Grace' },
    { number: joining, workno: joining, first_name: 'Ada' },
    { number: changed, workno: changed, first_name: 'Alan' },
  ]
  for (const { number, ...employee } of holders) {
    const given = await eventually(
      () => tellings(number),
      list => expect(list, number).toHaveLength(1),
      60,
    )
    expect(given).toMatchObject([{ uuid: uuidOf(number), workno: number, employee }])
  }
  // Whatever becomes of them afterwards, their punches are nothing new.
  await http.call('employee/update', { ...ada, hireDay: addDays(day, -1), id: adasId, version: 1 }, me)
  const listed = await eventually(
    async () => mine(await later()),
    list => {
      for (const { number, ...employee } of holders)
        expect(list.find(({ uuid }) => uuid === uuidOf(number))).toMatchObject({ employee })
    },
    120,
  )
  // Each stands once in the list, behind what was stored before it became somebody's.
  expect(listed).toHaveLength(4)
  expect(listed[0]?.uuid).toBe(uuidOf(hers))
  // And when it was taken back.
  await taskEnd(http, me, await http.call('record/orphan/return', number, me))
  const after = await eventually(
    () => tellings(nobodys),
    list => expect(list).toHaveLength(2),
    60,
  )
  expect(after.filter(({ employee }) => employee === undefined)).toHaveLength(1)
  for (const number of [joining, changed]) expect(await tellings(number)).toHaveLength(1)
  terminal.close()
})
