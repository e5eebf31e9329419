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

// Each webhook event contains what the API description promises, and no more.

const zone = eveningZone()
const day = dayIn(zone)
const callerOf = (token: string) => ({ token, headers: { 'x-timezone': zone } })

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

const receivedEvents = () => bodies.map(body => eventBody.parse(JSON.parse(body)))
const receivedTypes = async () => new Set(receivedEvents().map(({ type }) => type))
/** The punch events without duplicates, because the server may send an event twice. */
const receivedRecords = async (type: string) => {
  const records = receivedEvents().flatMap(({ type: eventType, timestamp, data }) =>
    eventType === type ? [{ ...eventData['record.updated'].parse(data), timestamp }] : [],
  )
  return [...new Map(records.map(({ timestamp, ...record }) => [`${record.uuid} ${timestamp}`, record])).values()]
}

/** Unused employee IDs. */
const newNumbers = (): [hers: string, orphan: string, joining: string, changed: string, former: string] => {
  const first = 10_000 + Math.floor(Math.random() * 1_000_000)
  const at = (offset: number) => String(first + offset)
  return [at(0), at(1), at(2), at(3), at(4)]
}

test('every event has its described shape', async () => {
  const caller = callerOf(boss.token)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const events = ['employee', 'record', 'terminal', 'attendance'] as const
  const { id: webhook } = await http.call('webhooks/endpoint/add', { url, events: [...events] }, caller)
  await http.call('webhooks/endpoint/test', { id: webhook }, caller)

  const [workno, orphan] = newNumbers()
  const person = { first_name: 'Ada', last_name: 'Byron', workno, department: boss.department, hireDay: day }
  const { id } = await http.call('employee/add', { ...person, position: 'Analyst' }, caller)
  const form = { onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
  const { id: shift } = await http.call('shift/add', { name: 'Early', ...form }, caller)
  await http.call('schedule/add', { employees: [id], days: [day], shift }, caller)
  const serialNumber = `TOLD-${randomUUID().slice(0, 12)}`.toUpperCase()
  const gate = { serialNumber, name: 'Main gate', department: boss.department }
  const terminal = await openSocket(http.address, { path: (await http.call('device/add', gate, caller)).serverPath })
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
    receivedTypes,
    types => {
      for (const type of ['terminal.online', 'record.created', 'attendance.day_changed'])
        expect([...types]).toContain(type)
    },
    60,
  )
  // Assigns an orphan number to an employee.
  await eventually(
    () => http.call('record/orphan/grid', {}, caller),
    ({ list }) => expect(list.map(orphanEntry => orphanEntry.workno)).toContain(orphan),
    60,
  )
  await taskEnd(http, caller, await http.call('record/orphan/assign', { workno: orphan, employee: id }, caller))
  const correction = { employee: id, date: day, time: '08:00', reason: 'Forgot to clock in' }
  const { punch: added } = await http.call('record/add', correction, caller)
  const corrected = { employee: id, punch: added, reason: 'Wrong time' }
  await http.call('record/update', { ...corrected, date: day, time: '08:05', version: 1 }, caller)
  await http.call('record/ignore', { ...corrected, version: 2 }, caller)
  await http.call('record/restore', { employee: id, punch: added, version: 3 }, caller)
  terminal.close()
  const { version } = await http.call('device/get', { serialNumber }, caller)
  await http.call('device/update', { ...gate, name: 'Back gate', version }, caller)
  await http.call('device/delete', { serialNumber }, caller)
  const [stored] = (await http.call('employee/grid', { filters: { search: workno } }, caller)).list
  await http.call('employee/update', { ...person, id, version: stored?.version ?? 0, tel: '+30 210 1234567' }, caller)
  await http.call('employee/delete', { id }, caller)
  // Only retention removes punches, and a terminal goes offline only after two missed polls.
  const all = Object.keys(eventData).filter(type => type !== 'record.deleted' && type !== 'terminal.offline')
  await eventually(receivedTypes, types => expect([...types].toSorted()).toEqual(all.toSorted()), 60)

  for (const { type, company_id, data } of receivedEvents()) {
    expect(company_id).toBe(boss.company)
    const shape = eventData[type as keyof typeof eventData].strict()
    expect(shape.parse(data), type).toEqual(data)
  }
})

test('record/since lists the records of the webhooks with the same uuid, and an assignment sends each record again', {
  timeout: 240_000,
}, async () => {
  const caller = callerOf(boss.token)
  const apiKey = await http.call('apikey/add', { name: 'Payroll', permissions: [9] }, caller)
  const readSince = (cursor?: string) =>
    http.call('record/since', { size: 200, ...(cursor && { cursor }) }, { token: apiKey.key })
  // An employee has the first number. A manager assigns the second to an employee. A new employee gets the third. An
  // employee changes to the fourth.
  const [employeeNumber, orphanNumber, joiningNumber, changedNumber, formerNumber] = newNumbers()
  const grace = {
    first_name: 'Grace',
    last_name: 'Hopper',
    workno: employeeNumber,
    department: boss.department,
    hireDay: day,
  }
  const { id } = await http.call('employee/add', grace, caller)
  const alan = { ...grace, first_name: 'Alan', last_name: 'Turing' }
  const { id: alansId } = await http.call('employee/add', { ...alan, workno: formerNumber }, caller)
  const serialNumber = `SINCE-${randomUUID().slice(0, 12)}`.toUpperCase()
  const gate = { serialNumber, name: 'Side gate', department: boss.department }
  const terminal = await openSocket(http.address, { path: (await http.call('device/add', gate, caller)).serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const { cursor } = await readSince()
  const punch = (enrollid: number) => ({ enrollid, time: `${day} 10:00:00`, mode: 8, inout: 0, event: 0 })
  const numbers = [employeeNumber, orphanNumber, joiningNumber, changedNumber]
  terminal.say({ cmd: 'sendlog', count: 4, logindex: 1, record: numbers.map(number => punch(Number(number))) })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  const ofTerminal = <T extends EventData['record.created']>(list: T[]) =>
    list.filter(({ device }) => device.serial_number === serialNumber)
  /** A key may call ten times per second. */
  const readLater = async () => {
    await wait(1000)
    return (await readSince(cursor)).list
  }
  const created = await eventually(
    async () => ofTerminal(await receivedRecords('record.created')),
    list => expect(list).toHaveLength(4),
    60,
  )
  await eventually(
    () => http.call('record/orphan/grid', {}, caller),
    ({ list }) =>
      expect(list.map(orphanEntry => orphanEntry.workno)).toEqual(
        expect.arrayContaining([orphanNumber, joiningNumber, changedNumber]),
      ),
    60,
  )

  // Records appear a minute after their storage. The test reads from the cursor before the punches.
  const byNumber = <T extends EventData['record.created']>(list: T[]) =>
    list.toSorted((a, b) => Number(a.workno) - Number(b.workno))
  const stored = await eventually(
    async () => ofTerminal(await readLater()),
    list => expect(list).toHaveLength(4),
    120,
  )
  const expected = byNumber(created.map(record => ({ ...record, storedAt: expect.any(String) })))
  expect(byNumber(stored)).toEqual(expected)
  expect(expected.map(({ employee }) => employee?.workno)).toEqual([employeeNumber, undefined, undefined, undefined])

  // Each of the three ways to assign a number sends its record again.
  const uuidOf = (number: string) => expected.find(({ workno }) => workno === number)?.uuid
  const updatesOf = async (number: string) =>
    (await receivedRecords('record.updated')).filter(({ uuid }) => uuid === uuidOf(number))
  const number = { workno: orphanNumber, employee: id }
  await taskEnd(http, caller, await http.call('record/orphan/assign', number, caller))
  const ada = { ...grace, first_name: 'Ada', last_name: 'Byron', workno: joiningNumber }
  const { id: adasId } = await http.call('employee/add', ada, caller)
  await http.call('employee/update', { ...alan, workno: changedNumber, id: alansId, version: 1 }, caller)
  const holders = [
    { number: orphanNumber, workno: employeeNumber, first_name: 'Grace' },
    { number: joiningNumber, workno: joiningNumber, first_name: 'Ada' },
    { number: changedNumber, workno: changedNumber, first_name: 'Alan' },
  ]
  for (const { number, ...employee } of holders) {
    const updates = await eventually(
      () => updatesOf(number),
      list => expect(list, number).toHaveLength(1),
      60,
    )
    expect(updates).toMatchObject([{ uuid: uuidOf(number), workno: number, employee }])
  }
  // Later changes of the employees send no record again.
  await http.call('employee/update', { ...ada, hireDay: addDays(day, -1), id: adasId, version: 1 }, caller)
  const listed = await eventually(
    async () => ofTerminal(await readLater()),
    list => {
      for (const { number, ...employee } of holders)
        expect(list.find(({ uuid }) => uuid === uuidOf(number))).toMatchObject({ employee })
    },
    120,
  )
  // Each record is listed once, behind the records stored before its assignment.
  expect(listed).toHaveLength(4)
  expect(listed[0]?.uuid).toBe(uuidOf(employeeNumber))
  // Taking the number back from the employee sends the record again.
  await taskEnd(http, caller, await http.call('record/orphan/return', number, caller))
  const after = await eventually(
    () => updatesOf(orphanNumber),
    list => expect(list).toHaveLength(2),
    60,
  )
  expect(after.filter(({ employee }) => employee === undefined)).toHaveLength(1)
  for (const number of [joiningNumber, changedNumber]) expect(await updatesOf(number)).toHaveLength(1)
  terminal.close()
})
