import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { listen } from '../../infra/local/gateway/http.ts'
import { type Database, startDatabase } from '../../infra/local/stack/database.ts'
import type { PathCall } from '../../shared/api.ts'
import { browserKey } from '../../shared/connection.ts'
import { sessionKey } from '../../shared/session.ts'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { type Stack, startStack, temporaryFolder } from '../kit/stack.ts'

const address = inject('address')
const http = client(address)
let olga: Registered
let rival: Registered
const sockets: Socket[] = []

beforeAll(async () => {
  olga = await register(http)
  rival = await register(http, { company_name: 'Rival', timezone: 'Asia/Tokyo' })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

const open = async (path?: string, origin?: string) => {
  const socket = await openSocket(address, { ...(path && { path }), ...(origin && { origin }) })
  sockets.push(socket)
  return socket
}
const newSerialNumber = () => `T${randomBytes(6).toString('hex').toUpperCase()}`
const addDevice = async (owner = olga, form: Partial<PathCall<'device/add'>> = {}) => {
  const serialNumber = newSerialNumber()
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber, name: 'Gate', department: owner.department, authentication: 'claim', ...form },
    owner,
  )
  return { sn: serialNumber, path: serverPath }
}
const getDevice = (serialNumber: string, owner = olga) => http.call('device/get', { serialNumber }, owner)
const reg = (sn: string, more: object = {}) => ({
  cmd: 'reg',
  sn,
  cpusn: `cpu-${sn}`,
  devinfo: {
    modelname: 'AiFace',
    firmware: 'v1',
    useduser: 3,
    usedfp: 2,
    usedface: 1,
    usedlog: 9,
    usednewlog: 4,
    mac: sn,
  },
  ...more,
})
/** A registered terminal whose backlog has been asked for and is empty. */
const register1 = async (sn: string, path?: string) => {
  const terminal = await open(path)
  terminal.say(reg(sn))
  const answer = await terminal.hear({ ret: 'reg' })
  expect(answer).toMatchObject({ result: true })
  await terminal.hear({ cmd: 'getnewlog' })
  terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  return { terminal, answer }
}
const punch = (enrollid: number | string, time: string) => ({ enrollid, time, mode: 3, inout: 0, event: 0 })
const sendlog = (...record: object[]) => ({ cmd: 'sendlog', count: record.length, logindex: 7, record })
const clockIn = (zone: string, at = Date.now()) =>
  new Date(at).toLocaleString('sv', { timeZone: zone }).replace('T', ' ')
const yesterday = clockIn('Europe/Athens', Date.now() - 86_400_000).slice(0, 10)

/** A new employee, so that a test sees its own punches only. */
let people = 100
const addEmployee = async (workno = String(people++)) => {
  const form = { first_name: 'Per', last_name: 'Son', workno, department: olga.department }
  return { ...(await http.call('employee/add', form, olga)), workno }
}
const recordsOf = async (employee: string, day = yesterday) =>
  (await http.call('record/grid', { size: 200, filters: { from: day, to: day, employee } }, olga)).list
const orphans = async () => (await http.call('record/orphan/grid', {}, olga)).list

describe('a terminal registers', () => {
  test('by its claimed serial number, hears the time of its zone, and its company sees it online', async () => {
    const { sn } = await addDevice()
    expect(await getDevice(sn)).toMatchObject({ state: 'claimed', online: false, claimEndsAt: expect.any(String) })
    const { answer } = await register1(sn)
    expect(answer).toMatchObject({ nosenduser: true, nosendimage: true })
    const clock = Date.parse(`${answer.cloudtime}Z`) - Date.parse(`${clockIn('Europe/Athens')}Z`)
    expect(Math.abs(clock)).toBeLessThan(3000)
    const device = await getDevice(sn)
    expect(device).toMatchObject({
      state: 'bound',
      online: true,
      model: 'AiFace',
      firmware: 'v1',
      users: 3,
      templates: 2,
      faces: 1,
      records: 9,
      firstOnlineAt: expect.any(String),
    })
    expect(device).not.toHaveProperty('pathSecretHash')
    expect(device).not.toHaveProperty('claimEndsAt')
  })

  test('in the zone that was given to it, and its serial number has no case', async () => {
    const { sn } = await addDevice(olga, { timezone: 'America/New_York' })
    const { answer } = await register1(sn.toLowerCase())
    expect(String(answer.cloudtime).slice(0, 13)).toBe(clockIn('America/New_York').slice(0, 13))
  })

  test('is offline once its connection is gone', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.close()
    await eventually(
      () => getDevice(sn),
      device => expect(device.online).toBe(false),
    )
  })

  test('on a second socket: the first one is closed, and both its records and the second one’s are kept', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const first = await register1(sn)
    first.terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await first.terminal.hear({ ret: 'sendlog', result: true })
    const second = await register1(sn)
    expect(await first.terminal.closed).toBe(1000)
    second.terminal.say(sendlog(punch(workno, `${yesterday} 17:00:00`)))
    await second.terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(await getDevice(sn)).toMatchObject({ online: true })
  })

  test('and is refused alike whether nobody knows it, it is another company’s, or it brings no proof', async () => {
    const foreign = await addDevice(rival, { authentication: 'claim+path' })
    const own = await addDevice(olga, { authentication: 'claim+path' })
    const withPassword = await addDevice(olga, { authentication: 'claim+password' })
    const tries: [string, string][] = [
      [newSerialNumber(), '/web'],
      [foreign.sn, '/web'],
      [foreign.sn, own.path],
      [own.sn, '/web'],
      [own.sn, own.path.replace(/k=./, 'k=!')],
      [own.sn, own.path.replace(/c=\d+/, `c=${rival.company_num}`)],
      [own.sn, foreign.path],
      [withPassword.sn, own.path],
    ]
    for (const [sn, path] of tries) {
      const terminal = await open(path)
      terminal.say(reg(sn, { company_num: olga.company_num, comm_pwd: '123456' }))
      expect(await terminal.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
      // What it sends all the same is not acknowledged, so that it keeps it.
      terminal.say(sendlog(punch(1, `${yesterday} 08:00:00`)))
      await wait(100)
      expect(terminal.unheard).toEqual([])
    }
    await register1(own.sn, own.path)
    await register1(foreign.sn, foreign.path)
  })

  test('by its serial number alone, but not at another company’s address', async () => {
    const own = await addDevice(olga)
    const foreign = await addDevice(rival, { authentication: 'claim+path' })
    const terminal = await open(foreign.path)
    terminal.say(reg(own.sn))
    await terminal.hear({ ret: 'reg', result: false })
    await register1(own.sn)
  })

  test('as one terminal and no other over one connection, also where it names two at once', async () => {
    const own = await addDevice(olga)
    const foreign = await addDevice(rival)
    const terminal = await open()
    for (const { sn } of [own, foreign]) terminal.say(reg(sn))
    const answers = [await terminal.hear({ ret: 'reg' }), await terminal.hear({ ret: 'reg' })]
    expect(answers.map(({ result }) => result).sort()).toEqual([false, true])
    const states = [(await getDevice(own.sn)).state, (await getDevice(foreign.sn, rival)).state]
    expect(states.sort()).toEqual(['bound', 'claimed'])
  })

  test('and a communication password can be guessed five times; each guess is answered alike', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const terminal = await open()
    for (const comm_pwd of ['1', '2', '3', '4', '5', '6', '471100']) {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      expect(await terminal.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
    }
  })

  test('nor does a stranger guess more often where the terminal has proven itself before', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const say = (terminal: Socket, comm_pwd: string) => {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      return terminal.hear({ ret: 'reg' })
    }
    expect(await say(await open(), '471100')).toMatchObject({ result: true })
    const stranger = await open()
    for (const guess of ['1', '2', '3', '4', '5', '471100'])
      expect(await say(stranger, guess), guess).toMatchObject({ result: false })
  })

  test('and tried too often says so and until when', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const say = async (terminal: Socket, comm_pwd: string) => {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      return (await terminal.hear({ ret: 'reg' })).result
    }
    const mistyped = await open()
    for (const guess of ['1', '2', '3', '4', '5']) expect(await say(mistyped, guess)).toBe(false)
    expect((await getDevice(sn, rival)).refused).toEqual({ at: expect.any(String), reason: 'password' })
    // Put right, it is not compared any more.
    expect(await say(mistyped, '471100')).toBe(false)
    const { refused } = await getDevice(sn, rival)
    expect(refused).toMatchObject({ reason: 'tries' })
    const wait = Date.parse(refused?.until ?? '') - Date.parse(refused?.at ?? '')
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(15 * 60_000)
  })

  test('and is refused, too often, without an answer', async () => {
    const sn = newSerialNumber()
    const terminal = await open()
    for (let i = 0; i < 12; i++) terminal.say(reg(sn))
    expect(await terminal.closed).toBe(1000)
  })

  test.each([
    'a text',
    '[]',
    '{"cmd":"reg"}',
    '{"cmd":"reg","sn":{"a":1}}',
    '{"cmd":"reg","sn":"../DEVICE#1"}',
    '{"cmd":"reg","sn":"X","devinfo":7}',
    '{"ret":"getnewlog","record":[]}',
    '{"cmd":"sendlog","record":[{}]}',
  ])('and not by %s', async frame => {
    const terminal = await open()
    terminal.say(frame)
    await wait(100)
    for (const answer of terminal.unheard) expect(answer).toMatchObject({ ret: 'reg', result: false })
    const { sn } = await addDevice()
    terminal.say(reg(sn))
    await terminal.hear({ ret: 'reg', result: true })
  })

  test('but never from a page of a browser, and a strange page gets no socket at all', async () => {
    const { sn } = await addDevice()
    const page = await open('/web', address)
    page.say(reg(sn))
    expect(await page.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
    await expect(open('/web', 'https://evil.example')).rejects.toThrow('HTTP 403')
  })

  test('with other hardware than it was bound to only when somebody approves', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const other = await open()
    other.say(reg(sn, { cpusn: 'other' }))
    expect(await other.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    expect(await getDevice(sn)).toMatchObject({ state: 'needs approval' })
    // The terminal it is bound to is not silenced by that.
    terminal.say(sendlog(punch(1, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    const { pending } = await getDevice(sn)
    // Of what was shown, and of nothing that came since.
    const stale = { serialNumber: sn, pendingAt: '2026-01-01T00:00:00.000Z' }
    expect(await http.ask('device/approve', stale, olga)).toMatchObject({ code: 60006 })
    await http.call('device/approve', { serialNumber: sn, pendingAt: pending?.at }, olga)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other' })
    expect(await getDevice(sn)).not.toHaveProperty('pending')
    const third = await open()
    third.say(reg(sn, { cpusn: 'third' }))
    expect(await third.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    other.say(reg(sn, { cpusn: 'other' }))
    await other.hear({ ret: 'reg', result: true })
    expect(await getDevice(sn)).toMatchObject({ state: 'needs approval', cpusn: 'other', pending: { cpusn: 'third' } })
    // Who is refused is not asked about at every try.
    await http.call('device/approve', { serialNumber: sn, isApproved: false }, olga)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other', online: true })
    third.say(reg(sn, { cpusn: 'third' }))
    expect(await third.hear({ ret: 'reg' })).toMatchObject({ result: false })
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other' })
  })

  test('and what came with something wrong is told to who manages it, and not to who came', async () => {
    const { sn } = await addDevice(olga, { authentication: 'claim+path' })
    const stranger = await open()
    stranger.say(reg(sn))
    expect(await stranger.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: expect.any(String) })
    const { refused } = await getDevice(sn)
    const hardware = { ip: expect.any(String), cpusn: `cpu-${sn}`, mac: sn, model: 'AiFace', firmware: 'v1' }
    expect(refused).toEqual({ at: expect.any(String), reason: 'path', bare: hardware })
    stranger.say(reg(sn))
    await stranger.hear({ ret: 'reg', result: false })
    // Once a minute, however often it tries.
    expect((await getDevice(sn)).refused).toEqual(refused)
  })

  test('without a path where its firmware takes none, once somebody has seen which one it is', async () => {
    const { sn, path } = await addDevice(olga, { authentication: 'claim+path' })
    const wrong = await open(path.replace(/k=./, 'k=!'))
    wrong.say(reg(sn))
    await wrong.hear({ ret: 'reg', result: false })
    const first = await getDevice(sn)
    expect(first.refused).toEqual({ at: expect.any(String), reason: 'path' })
    expect(await http.ask('device/approve', { serialNumber: sn, pendingAt: first.refused?.at }, olga)).toMatchObject({
      code: 60006,
    })
    const own = await addDevice(olga, { authentication: 'claim+path' })
    const terminal = await open()
    terminal.say(reg(own.sn))
    await terminal.hear({ ret: 'reg', result: false })
    const { refused } = await getDevice(own.sn)
    const seen = { serialNumber: own.sn, pendingAt: refused?.at }
    expect(await http.ask('device/approve', seen, rival)).toMatchObject({ code: 60004 })
    await http.call('device/approve', seen, olga)
    expect(await getDevice(own.sn)).toMatchObject({ state: 'claimed', authentication: 'claim', warnings: ['unproven'] })
    // Another one by the same number is shown in its turn, and not let in.
    const other = await open()
    other.say(reg(own.sn, { cpusn: 'other' }))
    expect(await other.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'did not reg' })
    expect((await getDevice(own.sn)).refused).toMatchObject({ reason: 'path', bare: { cpusn: 'other' } })
    const { terminal: seenOne } = await register1(own.sn)
    expect(await getDevice(own.sn)).toMatchObject({ state: 'bound', cpusn: `cpu-${own.sn}`, online: true })
    seenOne.close()
    expect(await http.ask('device/approve', seen, olga)).toMatchObject({ code: 60006 })
  })

  test('and a socket that never says who it is is closed at its next message', { timeout: 25_000 }, async () => {
    const { sn } = await addDevice()
    const terminal = await open()
    await wait(15_200)
    terminal.say(reg(sn))
    expect(await terminal.closed).toBe(1000)
    expect(terminal.unheard).toEqual([])
  })
})

describe('a record', () => {
  test('is stored once, however often it is sent and by however many at once', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const log = sendlog(punch(workno, `${yesterday} 08:00:00`), punch(Number(workno), `${yesterday} 17:00:00`))
    for (let i = 0; i < 10; i++) terminal.say(log)
    for (let i = 0; i < 10; i++) {
      expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({
        result: true,
        count: 2,
        logindex: 7,
        cloudtime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })
    }
    const again = await register1(sn)
    again.terminal.say(log)
    await again.terminal.hear({ ret: 'sendlog', result: true })
    const records = await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(records).toMatchObject([
      { device: sn, day: yesterday, workno },
      { device: sn, day: yesterday, workno },
    ])
    await wait(300)
    expect(await recordsOf(id)).toHaveLength(2)
  })

  test('tells by what somebody was recognised as its terminal meant it then, whatever becomes of that', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const say = async (modelname: string, time: string, mode: number) => {
      const terminal = await open()
      terminal.say(reg(sn, { devinfo: { modelname, firmware: '1' } }))
      await terminal.hear({ ret: 'reg', result: true })
      terminal.say(sendlog({ ...punch(workno, `${yesterday} ${time}`), mode }))
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    await say('TM-1', '08:00:00', 0)
    // One code of the two makes for different things.
    await say('AiFace', '17:00:00', 0)
    const meant = (list: { at: string; means?: string | undefined }[]) =>
      [...list].sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ means }) => means)
    const list = await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(meant(list)).toEqual(['finger', 'password'])
    const logged = await http.call('device/log/grid', { filters: { serialNumber: sn } }, olga)
    expect(meant(logged.list)).toEqual(['finger', 'password'])
    await http.call('device/delete', { serialNumber: sn }, olga)
    expect(meant(await recordsOf(id))).toEqual(['finger', 'password'])
  })

  test('of a number nobody has is kept, shown, and counts for who gets the number', async () => {
    const workno = String(5000 + people++)
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    await eventually(orphans, list =>
      expect(list).toContainEqual(expect.objectContaining({ workno, serialNumber: sn })),
    )
    const { id } = await addEmployee(workno)
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
    await eventually(orphans, list => expect(list.map(orphan => orphan.workno)).not.toContain(workno))
  })

  test.each([
    { zone: 'Europe/Athens', days: 1, logged: 3 },
    // The evening there is the next day here; so long ago is no more in the log.
    { zone: 'America/New_York', days: 40, logged: 2 },
  ])(
    'of $days days before somebody was there is held up until their hire day is set right, whatever they punch since',
    async ({ zone, days, logged }) => {
      const hireDay = yesterday
      const before = clockIn(zone, Date.parse(hireDay) - (days - 0.5) * 86_400_000).slice(0, 10)
      const workno = String(people++)
      const form = { first_name: 'New', last_name: 'Here', workno, department: olga.department }
      const { id } = await http.call('employee/add', { ...form, hireDay }, olga)
      const { sn } = await addDevice(olga, { timezone: zone })
      const { terminal } = await register1(sn)
      const isHeld = () =>
        eventually(orphans, list =>
          expect(list).toContainEqual(expect.objectContaining({ workno, heldBy: 'New Here', serialNumber: sn })),
        )
      terminal.say(sendlog(punch(workno, `${hireDay} 12:00:01`)))
      terminal.say(sendlog(punch(workno, `${before} 22:00:00`)))
      await isHeld()
      // Another one of theirs takes nothing away from it.
      terminal.say(sendlog(punch(workno, `${hireDay} 12:00:02`)))
      await eventually(
        () => recordsOf(id, hireDay),
        records => expect(records).toHaveLength(2),
      )
      const log = async () => (await http.call('device/log/grid', { filters: { serialNumber: sn } }, olga)).list
      await isHeld()
      expect(await log()).toHaveLength(logged)
      const { list } = await http.call('record/orphan/get', { workno }, olga)
      expect(list.map(({ at }) => clockIn(zone, Date.parse(at)))).toEqual([`${before} 22:00:00`])
      const all = (await http.call('employee/grid', { filters: { search: workno } }, olga)).list
      const { version = 0, role = 1 } = all.find(one => one.id === id) ?? {}
      await http.call('employee/update', { ...form, id, version, role, hireDay: before }, olga)
      await eventually(orphans, left => expect(left.map(orphan => orphan.workno)).not.toContain(workno))
      await eventually(log, list => expect(list).toHaveLength(logged))
    },
  )

  test('that cannot be one is acknowledged and held for a person to look at', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const odd = [
      punch(1, '2000-01-01 00:00:00'),
      punch(1, clockIn('Europe/Athens', Date.now() + 49 * 3_600_000)),
      { ...punch('x', `${yesterday} 08:00:00`), image: '/9j/4AAQ' },
      'nothing',
    ] as object[]
    for (let i = 0; i < 2; i++) {
      terminal.say(sendlog(...odd, punch(0, `${yesterday} 08:00:00`), punch(99999999, `${yesterday} 08:00:00`)))
      await terminal.hear({ ret: 'sendlog', result: true, count: 6 })
    }
    terminal.say('{"cmd":"sendlog","record":[{"enrollid":1')
    const held = await eventually(
      async () =>
        (await http.call('device/quarantine', { size: 200 }, olga)).list.filter(item => item.serialNumber === sn),
      list => expect(list).toHaveLength(5),
    )
    expect(held.map(({ reason }) => reason).sort()).toEqual([
      'bad number',
      'bad record',
      'in the future',
      'not JSON',
      'too old',
    ])
    expect(JSON.stringify(held)).not.toContain('4AAQ')
    const page = (of: string, size: number, page?: string) =>
      http.call('device/quarantine', { size, page, filters: { serialNumber: of } }, olga)
    const first = await page(sn.toLowerCase(), 3)
    const second = await page(sn, 3, first.next)
    expect([...first.list, ...second.list]).toEqual(held)
    expect(second).not.toHaveProperty('next')
    for (const other of [sn.slice(0, -1), `${sn}0`]) expect(await page(other, 3)).toEqual({ list: [], count: 0 })
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ ret: 'checklive', result: true })
    expect((await http.call('device/quarantine', { size: 200 }, rival)).list).toEqual([])
  })

  test('in a frame nobody can read is held without its picture, and not without end', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.say(`{"cmd":"sendlog","record":[{"enrollid":1,"image":"\\/9j\\/${'4AAQSkZJRg'.repeat(500)}`)
    terminal.say(`{"cmd":"sendlog","record":[${'{"enrollid": 1}, '.repeat(1000)}`)
    const hold = (count: number) =>
      eventually(
        async () =>
          (await http.call('device/quarantine', { size: 200 }, olga)).list.filter(item => item.serialNumber === sn),
        list => expect(list).toHaveLength(count),
      )
    const held = await hold(2)
    expect(JSON.stringify(held)).not.toContain('4AAQ')
    for (const { raw } of held) expect(raw.length).toBeLessThanOrEqual(8 * 1024)
    for (let i = 0; i < 25; i++) terminal.say(`{"cmd":${i}`)
    await hold(20)
    await wait(300)
    await hold(20)
  })

  test('in a frame that is no JSON is acknowledged once all of it is held, so that what comes behind it is heard', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const broken = `{"cmd":"sendlog","sn":"${sn}","count":1,"logindex":12,"record":[{"enrollid":1,"name":"Bob "B" Smith"}]}`
    terminal.say(broken)
    await terminal.hear({ ret: 'sendlog', result: true, count: 1, logindex: 12 })
    const { list } = await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)
    expect(list).toMatchObject([{ reason: 'not JSON', raw: broken }])
    // More than is kept of it, and what counts nothing, it has to go on having.
    terminal.say(broken.replace('Smith', 'S '.repeat(5000)))
    terminal.say(broken.replace('"count":1,', ''))
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ ret: 'checklive' })
    expect(terminal.unheard).toEqual([])
  })

  test.each([
    ['sendrtlog', 'record'],
    ['pushlog', 'records'],
    ['rtlog', 'record'],
    ['checklive', 'records'],
  ])('under the name %s is stored once, and then acknowledged under that name', async (cmd, list) => {
    const { id, workno } = await addEmployee()
    const { terminal } = await register1((await addDevice()).sn)
    const row = punch(workno, `${yesterday} 08:00:00`)
    for (const given of [[row], row]) {
      terminal.say({ cmd, count: 1, logindex: 3, [list]: given })
      await terminal.hear({ ret: cmd, result: true, count: 1, logindex: 3 })
    }
    await eventually(
      () => recordsOf(id),
      found => expect(found).toHaveLength(1),
    )
  })

  test('in an answer nobody waits for is stored', async () => {
    const { id, workno } = await addEmployee()
    const { terminal } = await register1((await addDevice()).sn)
    terminal.say({ cmd: 'getalllog', count: 1, record: [punch(workno, `${yesterday} 08:00:00`)] })
    await terminal.hear({ ret: 'getalllog', result: true })
    terminal.say({ ret: 'getrtlog', result: true, count: 1, record: [punch(workno, `${yesterday} 09:00:00`)] })
    await eventually(
      () => recordsOf(id),
      found => expect(found).toHaveLength(2),
    )
  })

  test('that nobody understands is held whole before it is acknowledged, whatever its name', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const logs = Array.from({ length: 150 }, (_, i) => ({ who: 7, when: `${yesterday} 08:00`, number: i }))
    const frame = { cmd: 'pushlog', sn, count: logs.length, logs }
    terminal.say(frame)
    await terminal.hear({ ret: 'pushlog', result: true, count: logs.length })
    const broken = `{"cmd":"sendrtlog","count":1,"record":[{"enrollid":1,"name":"Bob "B" Smith"}]}`
    terminal.say(broken)
    await terminal.hear({ ret: 'sendrtlog', result: true, count: 1 })
    const { list } = await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)
    expect(list.filter(({ reason }) => reason === 'not JSON').map(({ raw }) => raw)).toEqual([broken])
    const parts = list.filter(({ reason }) => reason === 'bad number')
    const texts = parts
      .map(({ raw }) => raw)
      .sort((one, other) => Number(other.startsWith('{"cmd"')) - Number(one.startsWith('{"cmd"')))
    expect(texts.join('')).toBe(JSON.stringify(frame))
  })

  test.each([
    { data: { count: 1, record: [{ enrollid: 7, time: '2026-03-02 08:00:00' }] } },
    { list: [{ enrollid: 7, checktime: '2026-03-02 08:00:00' }] },
    { logs: { first: { enrollid: 7, time: '2026-03-02 08:00:00' } } },
    { record: '7,2026-03-02 08:00:00' },
  ])('in a form nobody knows is held before it is acknowledged: %j', async form => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.say({ cmd: 'pushlog', ...form })
    await terminal.hear({ ret: 'pushlog', result: true })
    const { list } = await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)
    expect(list.map(({ raw }) => raw).join()).toContain('2026-03-02 08:00:00')
  })

  test('of a broken enrolment is held without its card or password', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const enrolment = `{"cmd":"senduser","enrollid":7,"name":"A "B" C","backupnum":`
    terminal.say(`${enrolment}10,"record":"1048001"}`)
    terminal.say(`${enrolment}11,"record":7654321}`)
    terminal.say(`${enrolment}10,"record":"104`)
    terminal.say(`{"cmd":"senduser","record":"104`)
    const list = await eventually(
      async () => (await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)).list,
      list => expect(list).toHaveLength(4),
    )
    const held = [`${enrolment}10,"record":"…"}`, `${enrolment}11,"record":"…"}`, `${enrolment}10,"record":"…"`]
    expect(list.map(({ raw }) => raw).sort()).toEqual([...held, `{"cmd":"senduser","record":"…"`].sort())
  })

  test('that was counted and not sent is asked for at the next registration', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    // That nothing is left unsent, which it said before, is written down before.
    await eventually(
      () => getDevice(sn),
      ({ unsent }) => expect(unsent).toBe(0),
    )
    terminal.say({ ...sendlog(punch(1, `${yesterday} 08:00:00`)), count: 5 })
    await terminal.hear({ ret: 'sendlog', result: true, count: 5 })
    terminal.close()
    const { terminal: again } = await register1(sn)
    // What is new comes first for a while.
    await wait(2100)
    again.say({ cmd: 'checklive' })
    await again.hear({ cmd: 'getalllog' })
  })

  test('of a time of which something may be kept no longer is not asked for again', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    await http.call('device/reconcile', { serialNumber: sn, from: '2015-01-01' }, olga)
    const { from } = await terminal.hear({ cmd: 'getalllog' })
    expect(Number(String(from).slice(0, 4))).toBe(Number(yesterday.slice(0, 4)) - 5)
  })

  test('among more messages in a second than a terminal sends ends the link', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    for (let i = 0; i < 40; i++) terminal.say({ cmd: 'checklive' })
    for (let i = 0; i < 40; i++) await terminal.hear({ ret: 'checklive', result: true })
    for (let i = 0; i < 200; i++) terminal.say({ cmd: 'checklive' })
    expect(await terminal.closed).toBe(1000)
    const page = await open('/web', address)
    for (let i = 0; i < 45; i++) page.say({ cmd: 'home.ping' })
    expect(await page.closed).toBe(1000)
  })

  test('in a frame over 32 KB ends the link, and the next link takes it in smaller ones', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.say(sendlog({ ...punch(workno, `${yesterday} 08:00:00`), image: 'A'.repeat(40_000) }))
    expect(await terminal.closed).toBe(1009)
    const again = await register1(sn)
    again.terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await again.terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('that was not delivered is asked for page by page, until a page is empty or comes twice', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const terminal = await open()
    terminal.say(reg(sn))
    expect(await terminal.hear({ cmd: 'getnewlog' })).toEqual({ cmd: 'getnewlog', stn: true })
    terminal.say({
      ret: 'getnewlog',
      result: true,
      count: 2,
      from: 0,
      to: 0,
      record: [punch(workno, `${yesterday} 08:00:00`)],
    })
    expect(await terminal.hear({ cmd: 'getnewlog' })).toEqual({ cmd: 'getnewlog', stn: false })
    // Some firmware answers with cmd in place of ret.
    terminal.say({ cmd: 'getnewlog', count: 2, from: 1, to: 1, record: [punch(workno, `${yesterday} 17:00:00`)] })
    await terminal.hear({ cmd: 'getnewlog', stn: false })
    terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
    await eventually(
      () => getDevice(sn),
      device => expect(device.unsent).toBe(0),
    )
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(terminal.unheard.filter(({ cmd }) => cmd)).toEqual([])

    const deaf = await addDevice()
    const stubborn = await open()
    stubborn.say(reg(deaf.sn))
    const page = { ret: 'getnewlog', result: true, count: 1, record: [punch(workno, `${yesterday} 08:00:00`)] }
    await stubborn.hear({ cmd: 'getnewlog', stn: true })
    stubborn.say(page)
    await stubborn.hear({ cmd: 'getnewlog', stn: false })
    stubborn.say(page)
    await wait(300)
    expect(stubborn.unheard.filter(({ cmd }) => cmd)).toEqual([])
  })

  test('of a night when the clock is set back keeps the order it was punched in', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    // What is sent again was given its instants before, and moves nothing.
    for (let i = 0; i < 2; i++) {
      terminal.say(sendlog(punch(workno, '2025-10-26 03:40:00'), punch(workno, '2025-10-26 03:10:00')))
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    terminal.say(sendlog(punch(workno, '2025-10-26 03:15:00')))
    await terminal.hear({ ret: 'sendlog', result: true })
    const list = await eventually(
      () => recordsOf(id, '2025-10-26'),
      list => expect(list).toHaveLength(3),
    )
    expect(list.map(({ at }) => Date.parse(at))).toEqual(
      ['2025-10-26T01:15:00Z', '2025-10-26T01:10:00Z', '2025-10-26T00:40:00Z'].map(Date.parse),
    )
  })

  test('of such a night a lost punch is read out into the hour it was made in', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    for (const time of ['2025-10-26 03:30:00', '2025-10-26 03:10:00']) {
      terminal.say(sendlog(punch(workno, time)))
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    await http.call('device/reconcile', { serialNumber: sn, from: '2025-10-26' }, olga)
    await terminal.hear({ cmd: 'getalllog' })
    const times = ['02:55:00', '03:30:00', '03:50:00', '03:05:00', '03:10:00', '04:20:00']
    const record = times.map(time => punch(workno, `2025-10-26 ${time}`))
    terminal.say({ ret: 'getalllog', result: true, count: record.length, from: 0, to: record.length - 1, record })
    await terminal.hear({ cmd: 'getalllog', stn: false })
    terminal.say({ ret: 'getalllog', result: true, count: 0, from: 0, to: 0, record: [] })
    const list = await eventually(
      () => recordsOf(id, '2025-10-26'),
      list => expect(list).toHaveLength(6),
    )
    expect(list.map(({ at }) => at.slice(11, 16)).reverse()).toEqual([
      ...['23:55', '00:30', '00:50', '01:05', '01:10', '02:20'],
    ])
  })
})

describe('a manager', () => {
  test('cannot add a serial number twice, whoever has it', async () => {
    const { sn } = await addDevice()
    for (const [owner, serialNumber] of [
      [olga, sn],
      [rival, sn],
      [rival, sn.toLowerCase()],
    ] as const)
      expect(
        await http.ask('device/add', { serialNumber, name: 'Mine', department: owner.department }, owner),
      ).toMatchObject({
        code: 60015,
        fields: { serialNumber: 60015 },
      })
    for (const path of ['device/get', 'device/delete', 'device/approve', 'device/secret'] as const)
      expect(await http.ask(path, { serialNumber: sn }, rival)).toMatchObject({ code: 60004 })
  })

  test('changes what people decide while the terminal is at work, and not over another person’s change', async () => {
    const { sn } = await addDevice()
    const { version } = await getDevice(sn)
    const { terminal } = await register1(sn)
    const form = { serialNumber: sn, name: 'Back door', department: olga.department, authentication: 'claim' as const }
    await http.call('device/update', { ...form, version, voice: 5, language: 2 }, olga)
    expect(await getDevice(sn)).toMatchObject({
      name: 'Back door',
      voice: 5,
      language: 2,
      online: true,
      version: version + 1,
    })
    expect(await http.ask('device/update', { ...form, version }, olga)).toMatchObject({ code: 60006 })
    await eventually(
      () => getDevice(sn),
      found => expect(found.unsent).toBe(0),
    )
    await http.call('device/poll', { serialNumber: sn }, olga)
    await terminal.hear({ cmd: 'getnewlog' })
    // Another zone is another clock: the terminal has to ask what time it is.
    await http.call('device/update', { ...form, version: version + 1, timezone: 'Asia/Tokyo' }, olga)
    expect(await terminal.closed).toBe(1000)
    const { answer, terminal: back } = await register1(sn)
    expect(String(answer.cloudtime).slice(0, 13)).toBe(clockIn('Asia/Tokyo').slice(0, 13))
    // What was on its way when it was cut is asked for.
    await back.hear({ cmd: 'getnewlog' })
    back.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
    await wait(2100)
    back.say(sendlog(punch('1', `${yesterday} 08:00:00`)))
    await back.hear({ cmd: 'getalllog' })
  })

  test('gives a terminal a new secret, and the old one opens nothing', async () => {
    const { sn, path } = await addDevice(olga, { authentication: 'claim+path' })
    expect(path).toMatch(new RegExp(`^/web\\?c=${olga.company_num}&k=[a-z2-7]{26}$`))
    const { terminal } = await register1(sn, path)
    const { serverPath } = await http.call('device/secret', { serialNumber: sn }, olga)
    expect(await terminal.closed).toBe(1000)
    const old = await open(path)
    old.say(reg(sn))
    await old.hear({ ret: 'reg', result: false })
    await register1(sn, serverPath)
  })

  test('gives a terminal up: it is disconnected, what it sent stays, and another company may have it', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    await http.call('device/delete', { serialNumber: sn }, olga)
    expect(await terminal.closed).toBe(1000)
    expect(await http.ask('device/get', { serialNumber: sn }, olga)).toMatchObject({ code: 60004 })
    const form = { serialNumber: sn, name: 'Theirs', department: rival.department, authentication: 'claim' as const }
    await http.call('device/add', form, rival)
    await register1(sn)
    expect(await getDevice(sn, rival)).toMatchObject({ online: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('gives a terminal up with all it was to do: added again, it is told nothing of that', async () => {
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    await eventually(
      () => getDevice(sn),
      device => expect(device).toMatchObject({ online: true, unsent: 0 }),
    )
    terminal.close()
    await eventually(
      () => getDevice(sn),
      device => expect(device.online).toBe(false),
    )
    const { command } = await http.call('device/reset', { serialNumber: sn, isForced: true }, olga)
    await http.call('device/delete', { serialNumber: sn }, olga)
    const form = { serialNumber: sn, name: 'Again', department: olga.department, authentication: 'claim' as const }
    await http.call('device/add', form, olga)
    const { terminal: next } = await register1(sn)
    await http.call('device/open', { serialNumber: sn }, olga)
    await next.hear({ cmd: 'opendoor' })
    expect(next.unheard).not.toContainEqual(expect.objectContaining({ cmd: 'initsys' }))
    next.say({ ret: 'opendoor', result: true })
    const { list } = await http.call('device/command/grid', { filters: { serialNumber: sn } }, olga)
    expect(list.find(({ id }) => id === command)).toMatchObject({ cmd: 'initsys', state: 'cancelled' })
    expect(list.filter(({ id, state }) => id <= command && state !== 'cancelled' && state !== 'done')).toEqual([])
  })

  test('finds terminals by name, serial number and department', async () => {
    const { sn } = await addDevice(olga, { name: 'Warehouse 7' })
    const find = (search: string) => http.call('device/grid', { filters: { search } }, olga)
    expect(await find('warehouse')).toMatchObject({ count: 1, list: [{ serialNumber: sn }] })
    expect(await find(sn.toLowerCase())).toMatchObject({ list: [{ name: 'Warehouse 7' }] })
    expect((await http.call('device/grid', { filters: { search: sn } }, rival)).list).toEqual([])
    const { list, next } = await http.call('device/grid', { size: 1 }, olga)
    expect(list).toHaveLength(1)
    expect((await http.call('device/grid', { size: 1, page: next }, olga)).list).not.toEqual(list)
  })
})

describe('a browser', () => {
  test('signs in, pings, and learns that its session has ended', async () => {
    const { token, ...owner } = await register(http)
    const page = await open('/web', address)
    page.say({ cmd: 'home.ping' })
    expect(await page.hear({ ret: 'home.ping' })).toEqual({ ret: 'home.ping', result: false })
    page.say({ cmd: 'home.login', token: 'nonsense' })
    expect(await page.hear({ ret: 'home.login' })).toEqual({ ret: 'home.login', result: false })
    page.say({ command: 'home.login', token })
    expect(await page.hear({ ret: 'home.login' })).toEqual({ ret: 'home.login', result: true })
    page.say({ cmd: 'home.ping' })
    expect(await page.hear({ ret: 'home.ping' })).toEqual({ ret: 'home.ping', result: true })
    await http.call('department/add', { name: 'New' }, { token })
    expect(await page.hear({})).toMatchObject({ refresh: expect.arrayContaining(['department/']) })
    await http.call('user/login/off', {}, { token })
    page.say({ cmd: 'home.ping' })
    expect(await page.hear({ ret: 'home.ping' })).toEqual({ ret: 'home.ping', result: false })
    expect(await page.closed).toBe(1000)
    expect(owner.company).toBeTruthy()
  })

  test('is told to look again soon after a punch', async () => {
    const { workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await register1(sn)
    const page = await open('/web', address)
    page.say({ cmd: 'home.login', token: olga.token })
    await page.hear({ ret: 'home.login', result: true })
    await wait(500)
    page.unheard.splice(0)
    terminal.say(sendlog(punch(workno, clockIn('Europe/Athens'))))
    await terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      async () => page.unheard.flatMap(({ refresh }) => refresh),
      told => expect(told).toContain('record/'),
    )
  })
})

describe('where the table is slow or fails', () => {
  type Meddle = (operation: string, body: string) => Promise<unknown> | 'fail' | undefined
  const data = temporaryFolder()
  let database: Database
  let stack: Stack
  let meddle: Meddle = () => undefined
  let mine: Registered

  /** The way to the engine: what the stack asks of its table can be held up here, or refused. */
  const line = createServer(async (request, response) => {
    const body = await text(request)
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    if ((await meddle(operation, body)) === 'fail') {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      return response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'The line is cut.' }))
    }
    const headers = Object.entries(request.headers).filter(([name]) =>
      /^(x-amz-|authorization|content-type)/.test(name),
    )
    const answer = await fetch(database.endpoint, { method: 'POST', headers: headers as [string, string][], body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })

  /** Holds up the first request that fits until it is let go. */
  const holdUp = (fits: (operation: string, body: string) => boolean) => {
    const came = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    meddle = (operation, body) => {
      if (isHeld || !fits(operation, body)) return undefined
      isHeld = true
      came.resolve()
      return gate.promise
    }
    return { came: came.promise, letGo: gate.resolve }
  }

  let theirs: ReturnType<typeof client>
  const openThere = async () => {
    const socket = await openSocket(stack.address)
    sockets.push(socket)
    return socket
  }
  const addThere = async () => {
    const serialNumber = newSerialNumber()
    const form = { serialNumber, name: 'Gate', department: mine.department, authentication: 'claim' as const }
    await theirs.call('device/add', form, mine)
    return form
  }
  const registerThere = async (sn: string) => {
    const terminal = await openThere()
    terminal.say(reg(sn))
    await terminal.hear({ ret: 'reg', result: true })
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    return terminal
  }
  const page = (ret: string, ...record: object[]) => ({ ret, result: true, count: record.length, record })
  const numbersThere = async () => (await theirs.call('record/orphan/grid', {}, mine)).list.map(({ workno }) => workno)

  beforeAll(async () => {
    database = await startDatabase({ data, table: 'attendance', say: () => undefined, onEnd: console.error })
    const endpoint = `http://127.0.0.1:${await listen(line, 0)}`
    stack = await startStack({ environment: { DYNAMODB_ENDPOINT: endpoint } })
    theirs = client(stack.address)
    mine = await register(theirs)
  })
  afterEach(() => {
    meddle = () => undefined
  })
  afterAll(async () => {
    await stack.stop()
    line.close()
    line.closeAllConnections()
    await database.stop()
    rmSync(data, { recursive: true, force: true })
  })

  test('a terminal that registers while it is given up is disconnected all the same', async () => {
    const { serialNumber } = await addThere()
    const held = holdUp((operation, body) => operation === 'TransactWriteItems' && body.includes('"Delete"'))
    const deleted = theirs.call('device/delete', { serialNumber }, mine)
    await held.came
    const terminal = await registerThere(serialNumber)
    held.letGo()
    await deleted
    expect(await terminal.closed).toBe(1000)
    expect(await theirs.ask('device/get', { serialNumber }, mine)).toMatchObject({ code: 60004 })
  })

  test('a terminal that registers while its zone is changed has to register again', async () => {
    const form = await addThere()
    const held = holdUp((operation, body) => operation === 'GetItem' && body.includes('#DEPARTMENT"'))
    const updated = theirs.call('device/update', { ...form, version: 1, timezone: 'Asia/Tokyo' }, mine)
    await held.came
    const terminal = await registerThere(form.serialNumber)
    held.letGo()
    await updated
    expect(await terminal.closed).toBe(1000)
  })

  test('nothing is read in the old zone of a terminal once its zone is changed', async () => {
    const form = await addThere()
    const terminal = await registerThere(form.serialNumber)
    const held = holdUp((operation, body) => operation === 'DeleteItem' && body.includes('"CONNECTION#'))
    const updated = theirs.call('device/update', { ...form, version: 1, timezone: 'Asia/Tokyo' }, mine)
    await held.came
    // First it cannot speak any more, then it is told to go.
    expect(await Promise.race([terminal.closed, wait(300)])).toBeUndefined()
    held.letGo()
    await updated
    expect(await terminal.closed).toBe(1000)
  })

  test('a page of what was not delivered is stored at another try', async () => {
    const { serialNumber } = await addThere()
    const terminal = await registerThere(serialNumber)
    let failures = 0
    meddle = (operation, body) =>
      operation === 'PutItem' && body.includes('PUNCH#') && failures++ === 0 ? 'fail' : undefined
    terminal.say(page('getnewlog', punch(81, `${yesterday} 08:00:00`)))
    await terminal.hear({ cmd: 'getnewlog', stn: false })
    expect(failures).toBe(2)
    await eventually(numbersThere, list => expect(list).toContain('81'))
  })

  test('a page that could not be stored is asked for again among all records, once', async () => {
    const { serialNumber } = await addThere()
    const lost = punch(82, `${yesterday} 08:00:00`)
    const first = await registerThere(serialNumber)
    meddle = (operation, body) => (operation === 'PutItem' && body.includes('PUNCH#') ? 'fail' : undefined)
    first.say(page('getnewlog', lost))
    const held = await eventually(
      async () => (await theirs.call('device/quarantine', {}, mine)).list,
      list => expect(list).toMatchObject([{ serialNumber, reason: 'not stored' }]),
    )
    expect(held[0]?.raw).toContain(lost.time)
    expect(first.unheard).toEqual([])
    meddle = () => undefined

    /** It is asked for a little later, or with the next thing somebody wants. */
    const pollLater = async () => {
      await wait(2000)
      await theirs.call('device/poll', { serialNumber }, mine)
    }
    const second = await registerThere(serialNumber)
    second.say(page('getnewlog'))
    await pollLater()
    const today = clockIn('Europe/Athens').slice(0, 10)
    expect(await second.hear({ cmd: 'getalllog' })).toEqual({ cmd: 'getalllog', stn: true, from: today, to: today })
    // Some firmware answers with cmd in place of ret.
    second.say({ cmd: 'getalllog', count: 2, record: [lost, punch(83, `${yesterday} 08:00:00`)] })
    expect(await second.hear({ cmd: 'getalllog' })).toMatchObject({ stn: false })
    second.say(page('getalllog'))
    await second.hear({ cmd: 'getnewlog', stn: true })
    second.say(page('getnewlog'))
    await eventually(numbersThere, list => expect(list).toEqual(expect.arrayContaining(['82', '83'])))
    await eventually(
      () => theirs.call('device/get', { serialNumber }, mine),
      device => expect(device.unsent).toBe(0),
    )

    const third = await registerThere(serialNumber)
    third.say(page('getnewlog'))
    await wait(300)
    expect(third.unheard).toEqual([])
    third.close()
    // Gone without an answer: what it was about to say may be lost.
    const fourth = await registerThere(serialNumber)
    fourth.close()
    const fifth = await registerThere(serialNumber)
    fifth.say(page('getnewlog'))
    await pollLater()
    await fifth.hear({ cmd: 'getalllog', stn: true })
  })

  test('one browser that cannot be told keeps nobody else from being told, nor the others from being told once', async () => {
    const told: string[] = []
    const sockets = createServer(async (request, response) => {
      const id =
        decodeURIComponent(request.url ?? '')
          .split('/')
          .at(-1) ?? ''
      told.push(id)
      response.writeHead(id === 'broken' ? 403 : 200, { 'x-amzn-errortype': 'ForbiddenException' }).end('{}')
    })
    Object.assign(process.env, {
      DYNAMODB_ENDPOINT: database.endpoint,
      SOCKET_ENDPOINT: `http://127.0.0.1:${await listen(sockets, 0)}`,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      TABLE: 'attendance',
    })
    try {
      const { directory, openTable, save } = await import('../../functions/kit/table.ts')
      const { handler } = await import('../../events/refresh.ts')
      const company = 'r'.repeat(16)
      const at = new Date().toISOString()
      const expiresAt = Math.floor(Date.now() / 1000) + 600
      const session = { company, employee: 'e', account: 'a', type: 'management' as const, startedAt: at, seenAt: at }
      await save(directory().put(sessionKey('hash'), { ...session, expiresAt }))
      for (const connection of ['broken', 'whole'])
        await save(
          openTable(company).put(browserKey(connection), {
            connection,
            type: 'management',
            tokenHash: 'hash',
            expiresAt,
          }),
        )
      const body = JSON.stringify({ detail: { type: 'department.changed', company } })
      const answer = await handler({ Records: [{ messageId: 'm', body }] as never })
      expect(answer).toEqual({ batchItemFailures: [] })
      expect(told.sort()).toEqual(['broken', 'whole'])
    } finally {
      sockets.close()
    }
  })
})
