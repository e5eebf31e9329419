import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { addDays } from '../../shared/local-day.ts'
import { commandKey } from '../../shared/terminal/command.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { openSocket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// A manager approves a terminal days after its claim. The terminal still holds the punches since the claim.

let world: StackWithTable
let http: Client
let olga: Registered
const day = 24 * 3_600_000
const sn = `LET${Date.now()}`

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  olga = await register(http, { timezone: 'UTC' })
})
afterAll(() => world.stop())

test('a terminal approved without a secret delivers all records since its claim, despite a lost page', {
  tags: 'long',
}, async () => {
  const form = { serialNumber: sn, name: 'Gate', department: olga.department, authentication: 'claim+path' as const }
  await http.call('device/add', form, olga)
  const knock = async () => {
    const socket = await openSocket(http.address)
    socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: { usednewlog: 0 } })
    return { socket, answer: await socket.hear({ ret: 'reg' }) }
  }
  const outside = await knock()
  expect(outside.answer).toMatchObject({ result: false })
  const claimedAt = new Date(Date.now() - 3 * day).toISOString()
  await world.set(deviceKey(sn), { claimedAt }, olga.company)
  const { refused } = await http.call('device/get', { serialNumber: sn }, olga)
  await http.call('device/approve', { serialNumber: sn, pendingAt: refused?.at }, olga)
  const first = await knock()
  expect(first.answer).toMatchObject({ result: true })
  await first.socket.hear({ cmd: 'getnewlog' })
  const record = [{ enrollid: 1, time: `${addDays(claimedAt.slice(0, 10), 1)} 08:00:00`, mode: 0, inout: 0, event: 0 }]
  first.socket.say({ cmd: 'sendlog', count: 2, logindex: 1, record })
  await first.socket.hear({ ret: 'sendlog' })
  first.socket.close()
  const again = await knock()
  await again.socket.hear({ cmd: 'getnewlog' })
  again.socket.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  // The server requests new records before the records since the claim.
  await wait(2100)
  again.socket.say({ cmd: 'checklive' })
  expect(await again.socket.hear({ cmd: 'getalllog' })).toMatchObject({ from: claimedAt.slice(0, 10) })
  for (const { socket } of [outside, again]) socket.close()
})

test('approved replacement hardware gets its own requests, and no requests for the former terminal', {
  tags: 'long',
}, async () => {
  const serialNumber = `${sn}B`
  await http.call(
    'device/add',
    { serialNumber, name: 'Door', department: olga.department, authentication: 'claim' },
    olga,
  )
  const knock = async (cpusn: string) => {
    const socket = await openSocket(http.address)
    socket.say({ cmd: 'reg', sn: serialNumber, cpusn, devinfo: { usednewlog: 0 } })
    expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: cpusn === 'former' })
    return socket
  }
  const lists = async () => {
    const { pk } = commandKey(serialNumber, '')
    return (await world.everything()).filter(item => String(item.pk).endsWith(`#${pk}`) && item.cmd === 'getuserlist')
  }
  const former = await knock('former')
  await eventually(lists, found => expect(found).toHaveLength(1))
  await former.hear({ cmd: 'getnewlog' })
  former.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  await http.call('device/open', { serialNumber }, olga)
  await former.hear({ cmd: 'opendoor' })
  await http.call('device/reboot', { serialNumber }, olga)
  await http.call('device/sync', { serialNumber }, olga)
  const [behind] = await eventually(lists, found => expect(found).toHaveLength(1))
  const other = await knock('other')
  const { pending } = await http.call('device/get', { serialNumber }, olga)
  await http.call('device/approve', { serialNumber, pendingAt: pending?.at }, olga)
  expect(await lists()).toMatchObject([{ body: { isFirst: true } }])
  const { list } = await http.call('device/command/grid', { filters: { serialNumber } }, olga)
  const stateOf = (cmd: string) => list.find(command => command.cmd === cmd)?.state
  // The former hardware may already have opened the door, so the state of the command stays `sent`.
  expect([stateOf('opendoor'), stateOf('reboot')]).toEqual(['sent', 'cancelled'])
  expect(list.find(({ id }) => id === behind?.id)).toMatchObject({ state: 'cancelled' })
  for (const socket of [former, other]) socket.close()
})

test('a terminal cannot move into a department being deleted', async () => {
  const serialNumber = `${sn}M`
  const form = { serialNumber, name: 'Moved', department: olga.department, authentication: 'claim' as const }
  await http.call('device/add', form, olga)
  const { id: department } = await http.call('department/add', { name: 'Closing' }, olga)
  await world.set(departmentKey(department), { leavingAt: new Date().toISOString() }, olga.company)
  const { version } = await http.call('device/get', { serialNumber }, olga)
  expect(await http.ask('device/update', { ...form, version, department }, olga)).toMatchObject({
    code: 60004,
    fields: { department: 60004 },
  })
  expect(await http.call('device/get', { serialNumber }, olga)).toMatchObject({ department: olga.department, version })
})
