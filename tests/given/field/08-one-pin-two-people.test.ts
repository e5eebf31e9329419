import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../../shared/api.ts'
import { addDays } from '../../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../../kit/client.ts'
import { dayIn, eveningZone } from '../../kit/evening.ts'
import { taskEnd } from '../../kit/sheet.ts'
import { openSocket, type Socket } from '../../kit/socket.ts'

// Field case 08: two used terminals, each with its own numbers. 29 is John at one and Sarah at the other. John worked
// 09:00 to 16:30, Sarah 08:07 to 18:55.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const yesterday = addDays(today, -1)
const people = { john: '29', sarah: '290' }
type Name = keyof typeof people

interface Gate {
  serialNumber: string
  terminal: Socket
  logs: number
}
interface World {
  company: Registered
  boss: { token: string; headers: Record<string, string> }
  ids: Record<Name, string>
  main: Gate
  two: Gate
}

let count = 0
const addGate = async (
  { company, boss }: Pick<World, 'company' | 'boss'>,
  name: string,
  takesSettings = true,
  serialNumber = `P${Math.random().toString(36).slice(2, 8)}${++count}`.toUpperCase(),
): Promise<Gate> => {
  const form = { serialNumber, name, department: company.department }
  const { serverPath } = await http.call('device/add', form, boss)
  const terminal = await openSocket(http.address, { path: serverPath, takesSettings })
  terminal.say({ cmd: 'reg', sn: serialNumber, cpusn: serialNumber, devinfo: { modelname: 'tfs30', firmware: 'v6' } })
  await terminal.hear({ ret: 'reg' })
  return { serialNumber, terminal, logs: 0 }
}

const found = async (): Promise<World> => {
  const company = await register(http, { timezone: zone })
  const boss = { token: company.token, headers: { 'x-timezone': zone } }
  const add = async (first_name: string, workno: string) =>
    (await http.call('employee/add', { first_name, last_name: 'P', workno, department: company.department }, boss)).id
  const ids = { john: await add('John', people.john), sarah: await add('Sarah', people.sarah) }
  const base = { company, boss, ids }
  return { ...base, main: await addGate(base, 'Main'), two: await addGate(base, 'Two') }
}

const punch = async (gate: Gate, times: string[], day = today) => {
  const record = times.map(time => ({ enrollid: 29, time: `${day} ${time}:00`, mode: 8, inout: 0, event: 0 }))
  gate.terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++gate.logs, record })
  expect(await gate.terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}

const setOwn = async ({ boss }: World, { serialNumber }: Gate, isOwnNumbering = true) => {
  const { version } = await http.call('device/get', { serialNumber }, boss)
  await http.call('device/numbering/update', { serialNumber, version, isOwnNumbering }, boss)
}

type Change = Omit<PathCall<'device/number/update'>, 'serialNumber' | 'number'>
const changeOf = ({ serialNumber }: Gate, change: Change) => ({ serialNumber, number: '29', ...change })
const map = async ({ boss }: World, gate: Gate, change: Change) =>
  taskEnd(http, boss, await http.call('device/number/update', changeOf(gate, change), boss))

const minutesOf = async ({ boss, ids }: World, name: Name, day = today) => {
  const { list } = await http.call('report/day', { employee: ids[name], day }, boss)
  return list[0]?.overtimeMinutes ?? 0
}
const both = async (world: World, expected: Record<Name, number>, day = today) =>
  eventually(
    async () => ({ john: await minutesOf(world, 'john', day), sarah: await minutesOf(world, 'sarah', day) }),
    minutes => expect(minutes).toEqual(expected),
  )
const johns = ['09:00', '16:30']
const sarahs = ['08:07', '18:55']
/** 08:07 to 09:00, and 16:30 to 18:55. */
const mixed = { john: 198, sarah: 0 }

describe('a terminal with its own numbering', () => {
  let world: World
  beforeAll(async () => {
    world = await found()
    await setOwn(world, world.two)
    await punch(world.main, johns)
    await punch(world.two, sarahs)
  })

  test('leaves the day of the person who has the number elsewhere alone, and holds its own punches with the reason', async () => {
    await both(world, { john: 450, sarah: 0 })
    await eventually(
      () => http.call('record/orphan/grid', {}, world.boss),
      ({ list }) =>
        expect(list).toMatchObject([
          { workno: `29@${world.two.serialNumber}`, number: '29', reason: 'ownNumbering', deviceName: 'Two' },
        ]),
    )
    const { serialNumber } = world.two
    expect(await http.call('device/number/list', { serialNumber }, world.boss)).toMatchObject({
      ...{ isOwnNumbering: true, list: [], held: [{ number: '29' }] },
    })
    expect((await http.call('device/log/grid', { filters: { serialNumber } }, world.boss)).list).toMatchObject([
      { workno: '29' },
      { workno: '29' },
    ])
  })

  test('gives the held punches to the person whom a manager names, and keeps a repeated delivery single', async () => {
    const change = { employee: world.ids.sarah }
    const preview = await http.call('device/number/preview', changeOf(world.two, change), world.boss)
    expect(preview).toEqual({ taken: 2, held: 0, moved: [], locked: 0, corrected: 0 })
    expect(await map(world, world.two, change)).toMatchObject({ state: 'done' })
    await both(world, { john: 450, sarah: 648 })
    await punch(world.two, sarahs)
    await both(world, { john: 450, sarah: 648 })
    expect((await http.call('record/orphan/grid', {}, world.boss)).list).toEqual([])
    const filters = { from: today, to: today, employee: world.ids.sarah }
    expect((await http.call('record/grid', { filters }, world.boss)).list).toHaveLength(2)
  })

  test('holds the punches again after a manager removes the entry', async () => {
    const preview = await http.call('device/number/preview', changeOf(world.two, {}), world.boss)
    expect(preview).toMatchObject({ held: 2, moved: [{ first_name: 'Sarah', punches: 2, from: today, to: today }] })
    await map(world, world.two, {})
    await both(world, { john: 450, sarah: 0 })
    expect((await http.call('record/orphan/grid', {}, world.boss)).list).toHaveLength(1)
  })
})

describe('a number whose punches counted for another person', () => {
  let world: World
  beforeAll(async () => {
    world = await found()
    await punch(world.two, ['08:00', '12:00'], yesterday)
    await punch(world.main, johns)
    await punch(world.two, sarahs)
    // The punches of both terminals mix into pairs of one person: the fault of the case.
    await both(world, mixed)
  })

  test('moves from a day on after a preview that names the person who loses the punches', async () => {
    const change = { employee: world.ids.sarah, from: today }
    expect(await http.call('device/number/preview', changeOf(world.two, change), world.boss)).toEqual({
      ...{ taken: 0, held: 0, locked: 0, corrected: 0 },
      moved: [
        {
          ...{ employee: world.ids.john, first_name: 'John', last_name: 'P', workno: '29' },
          ...{ punches: 2, from: today, to: today },
        },
      ],
    })
    await map(world, world.two, change)
    await both(world, { john: 450, sarah: 648 })
    await both(world, { john: 240, sarah: 0 }, yesterday)
    await punch(world.two, sarahs)
    await punch(world.two, ['08:00', '12:00'], yesterday)
    await both(world, { john: 450, sarah: 648 })
    await both(world, { john: 240, sarah: 0 }, yesterday)
  })

  test('goes back to the employee ID if the terminal has no numbering of its own', async () => {
    await map(world, world.two, { from: today })
    await both(world, mixed)
  })
})

test('a terminal that a manager deletes and adds again keeps its numbers', async () => {
  const world = await found()
  const { boss, ids, two } = world
  const { serialNumber } = two
  await setOwn(world, two)
  await map(world, two, { employee: ids.sarah, from: today })
  const send = async (gate: Gate) => {
    await punch(gate, ['08:00', '12:00'], yesterday)
    await punch(gate, sarahs)
  }
  await send(two)
  await both(world, { john: 0, sarah: 648 })
  await http.call('device/delete', { serialNumber }, boss)
  const again = await addGate(world, 'Two', true, serialNumber)
  expect(await http.call('device/get', { serialNumber }, boss)).toMatchObject({ isOwnNumbering: true })
  await send(again)
  await both(world, { john: 0, sarah: 648 })
  await both(world, { john: 0, sarah: 0 }, yesterday)
  expect((await http.call('device/log/grid', { filters: { serialNumber } }, boss)).list).toHaveLength(4)
})

test('a corrected punch stays with its person, and the preview counts it', async () => {
  const world = await found()
  const { boss, ids, two } = world
  await punch(two, sarahs)
  await both(world, { john: 648, sarah: 0 })
  const { list } = await http.call('report/day', { employee: ids.john, day: today }, boss)
  const [first] = list[0]?.punches ?? []
  const form = { employee: ids.john, punch: first?.id ?? '', date: today, time: '08:10', reason: 'Told so' }
  await http.call('record/update', form, boss)
  const change = { employee: ids.sarah }
  const preview = await http.call('device/number/preview', changeOf(two, change), boss)
  expect(preview).toMatchObject({ corrected: 1, moved: [{ punches: 1 }] })
})

test('punches that stay under a removed entry are not stored again, and a manager sees them', { tags: 'long' }, async () => {
  const world = await found()
  const { boss, ids, two } = world
  const { serialNumber } = two
  const past = addDays(today, -5)
  await map(world, two, { employee: ids.sarah, from: past })
  await punch(two, ['08:00', '12:00'], past)
  await both(world, { john: 0, sarah: 240 }, past)
  await eventually(
    () => http.call('report/lock', {}, boss),
    ({ settledTo }) => expect(settledTo >= past).toBe(true),
  )
  await http.call('report/lock/update', { lockedTo: past }, boss)
  await map(world, two, { from: past })
  await punch(two, ['08:00', '12:00'], past)
  const { list } = await http.call('report/lock/change/grid', {}, boss)
  expect(list.filter(({ employee }) => employee === ids.john)).toEqual([])
  const workno = `29@${serialNumber}@${past}`
  expect((await http.call('record/orphan/get', { workno }, boss)).list).toHaveLength(2)
})

test('punches of locked days stay, also if the terminal sends them again', { tags: 'long' }, async () => {
  const world = await found()
  const { boss, ids, two } = world
  const past = addDays(today, -5)
  await punch(two, ['08:00', '12:00'], past)
  await both(world, { john: 240, sarah: 0 }, past)
  await eventually(
    () => http.call('report/lock', {}, boss),
    ({ settledTo }) => expect(settledTo >= past).toBe(true),
  )
  await http.call('report/lock/update', { lockedTo: past }, boss)
  const preview = await http.call('device/number/preview', changeOf(two, { employee: ids.sarah }), boss)
  expect(preview).toMatchObject({ locked: 2, moved: [] })
  await map(world, two, { employee: ids.sarah })
  await punch(two, ['08:00', '12:00'], past)
  await both(world, { john: 240, sarah: 0 }, past)
  // A record stored twice would ask for a change of the locked day.
  expect((await http.call('report/lock/change/grid', {}, boss)).list).toEqual([])
})

describe('a wrong change is refused', () => {
  test('with its field', async () => {
    const world = await found()
    const { boss, ids, two } = world
    const ask = (change: object) =>
      http.ask('device/number/update', { ...changeOf(two, { employee: ids.sarah }), ...change } as never, boss)
    expect(await ask({ number: 'x' })).toMatchObject({ fields: { number: 59013 } })
    expect(await ask({ from: '2026-13-01' })).toMatchObject({ code: 10002, fields: { from: 10002 } })
    expect(await ask({ employee: '0'.repeat(16) })).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    expect(await ask({ serialNumber: 'NONE' })).toMatchObject({ code: 60004, fields: { serialNumber: 60004 } })
    expect(await ask({ employee: undefined })).toMatchObject({ code: 60004, fields: { number: 60004 } })
    expect(await ask({ version: 7 })).toMatchObject({ code: 60006 })
  })

  test('for people of other departments', async () => {
    const world = await found()
    const { company, boss, ids, two } = world
    const { id: yard } = await http.call('department/add', { name: 'Yard', parent: company.department }, boss)
    const role = { name: 'Yard', permissions: [2, 9] as (2 | 9)[], departments: [yard] }
    const { id: roleId } = await http.call('role/add', role, boss)
    const person = { first_name: 'Yara', last_name: 'Y', workno: '77', department: yard, role: 2 as const, roleId }
    const yara = await invite(http, boss, person)
    const change = changeOf(two, { employee: ids.sarah })
    expect(await http.ask('device/number/update', change, yara)).toMatchObject({ code: 60004 })
    const { version, ...device } = await http.call('device/get', { serialNumber: two.serialNumber }, boss)
    const { serialNumber, name } = device
    await http.call('device/update', { serialNumber, name, version, department: yard }, boss)
    expect(await http.ask('device/number/update', change, yara)).toMatchObject({ fields: { employee: 60004 } })
    await punch(two, sarahs)
    await both(world, { john: 648, sarah: 0 })
    const own = changeOf(two, { employee: yara.id })
    expect(await http.ask('device/number/preview', own, yara)).toMatchObject({ fields: { number: 60004 } })
    expect(await http.ask('device/number/update', own, yara)).toMatchObject({ fields: { number: 60004 } })
  })
})

test('a terminal that arrives with people on it asks whether it has its own numbering', async () => {
  const world = await found()
  const { boss } = world
  const used = await addGate(world, 'Used', false)
  const { serialNumber, terminal } = used
  expect((await http.call('device/get', { serialNumber }, boss)).warnings).not.toContain('numbering')
  const answer = async (cmd: string, record: object[]) => {
    await terminal.hear({ cmd })
    terminal.say({ ret: cmd, result: true, count: record.length, from: 0, to: 0, record })
  }
  for (const cmd of ['setdevinfo', 'getnewlog']) await answer(cmd, [])
  await answer('getuserlist', [{ enrollid: 29, admin: 0, backupnum: 0 }])
  await eventually(
    () => http.call('device/get', { serialNumber }, boss),
    ({ warnings }) => expect(warnings).toContain('numbering'),
  )
  await setOwn(world, used, false)
  expect((await http.call('device/get', { serialNumber }, boss)).warnings).not.toContain('numbering')
})
