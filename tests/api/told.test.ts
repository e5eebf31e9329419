import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventBody, eventData } from '../../shared/webhook-shape.ts'
import { type Client, client, eventually, type Registered, register } from '../client.ts'
import { dayIn, eveningZone } from '../evening.ts'
import { openSocket } from '../socket.ts'
import { type Stack, startStack } from '../stack.ts'

// What is sent of each event is what the description of the API promises, and no more. (Punches are removed by retention alone.)

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

test('every event that is sent has the shape that is described', async () => {
  const me = signedIn(boss.token)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const events = ['employee', 'record', 'terminal', 'attendance'] as const
  const { id: webhook } = await http.call('webhooks/endpoint/add', { url, events: [...events] }, me)
  await http.call('webhooks/endpoint/test', { id: webhook }, me)

  const person = { first_name: 'Ada', last_name: 'Byron', workno: '1001', department: boss.department, hireDay: day }
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
  terminal.say({ cmd: 'sendlog', count: 2, logindex: 1, record: [{ ...punch(1001), temp: 36.6 }, punch(77)] })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(
    typesTold,
    types => {
      for (const type of ['terminal.online', 'record.created', 'attendance.day_changed'])
        expect([...types]).toContain(type)
    },
    60,
  )
  terminal.close()
  await eventually(typesTold, types => expect([...types]).toContain('terminal.offline'), 60)
  const { version } = await http.call('device/get', { serialNumber }, me)
  await http.call('device/update', { ...gate, name: 'Back gate', version }, me)
  await http.call('device/delete', { serialNumber }, me)
  await http.call('employee/update', { ...person, id, version: 1, tel: '+30 210 1234567' }, me)
  await http.call('employee/delete', { id }, me)
  const all = Object.keys(eventData).filter(type => type !== 'record.deleted')
  await eventually(typesTold, types => expect([...types].toSorted()).toEqual(all.toSorted()), 60)

  for (const { type, company_id, data } of told()) {
    expect(company_id).toBe(boss.company)
    const shape = eventData[type as keyof typeof eventData].strict()
    expect(shape.parse(data), type).toEqual(data)
  }
})
