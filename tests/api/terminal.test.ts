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

const openConnection = async (path?: string, origin?: string) => {
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
/** A registered terminal that has reported an empty backlog. */
const registerTerminal = async (sn: string, path?: string) => {
  const terminal = await openConnection(path)
  terminal.say(reg(sn))
  const answer = await terminal.hear({ ret: 'reg' })
  expect(answer).toMatchObject({ result: true })
  await terminal.hear({ cmd: 'getnewlog' })
  terminal.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
  return { terminal, answer }
}
const punch = (enrollid: number | string, time: string) => ({ enrollid, time, mode: 3, inout: 0, event: 0 })
const sendlog = (...record: object[]) => ({ cmd: 'sendlog', count: record.length, logindex: 7, record })
const localClock = (zone: string, at = Date.now()) =>
  new Date(at).toLocaleString('sv', { timeZone: zone }).replace('T', ' ')
const yesterday = localClock('Europe/Athens', Date.now() - 86_400_000).slice(0, 10)

/** The next free number: each test gets its own employee, so that it sees only its own punches. */
let people = 100
const addEmployee = async (workno = String(people++)) => {
  const form = { first_name: 'Per', last_name: 'Son', workno, department: olga.department }
  return { ...(await http.call('employee/add', form, olga)), workno }
}
const recordsOf = async (employee: string, day = yesterday) =>
  (await http.call('record/grid', { size: 200, filters: { from: day, to: day, employee } }, olga)).list
const listOrphans = async () => (await http.call('record/orphan/grid', {}, olga)).list

describe('a terminal registers', () => {
  test('by its claimed serial number, gets the time of its zone, and appears online', async () => {
    const { sn } = await addDevice()
    expect(await getDevice(sn)).toMatchObject({ state: 'claimed', online: false, claimEndsAt: expect.any(String) })
    const { answer } = await registerTerminal(sn)
    expect(answer).toMatchObject({ nosenduser: true, nosendimage: true })
    const clock = Date.parse(`${answer.cloudtime}Z`) - Date.parse(`${localClock('Europe/Athens')}Z`)
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

  test('in its own zone, with a serial number in upper or lower case', async () => {
    const { sn } = await addDevice(olga, { timezone: 'America/New_York' })
    const { answer } = await registerTerminal(sn.toLowerCase())
    expect(String(answer.cloudtime).slice(0, 13)).toBe(localClock('America/New_York').slice(0, 13))
  })

  test('and goes offline when its connection ends', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.close()
    await eventually(
      () => getDevice(sn),
      device => expect(device.online).toBe(false),
    )
  })

  test('on a second socket, which closes the first socket, and the records of both are stored', {
    tags: 'long',
  }, async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const first = await registerTerminal(sn)
    first.terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await first.terminal.hear({ ret: 'sendlog', result: true })
    const second = await registerTerminal(sn)
    expect(await first.terminal.closed).toBe(1000)
    second.terminal.say(sendlog(punch(workno, `${yesterday} 17:00:00`)))
    await second.terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(await getDevice(sn)).toMatchObject({ online: true })
  })

  test('but gets the same refusal when it is unknown, of another company or without proof', async () => {
    const foreign = await addDevice(rival, { authentication: 'claim+path' })
    const ownDevice = await addDevice(olga, { authentication: 'claim+path' })
    const withPassword = await addDevice(olga, { authentication: 'claim+password' })
    const tries: [string, string][] = [
      [newSerialNumber(), '/web'],
      [foreign.sn, '/web'],
      [foreign.sn, ownDevice.path],
      [ownDevice.sn, '/web'],
      [ownDevice.sn, ownDevice.path.replace(/k=./, 'k=!')],
      [ownDevice.sn, ownDevice.path.replace(/c=\d+/, `c=${rival.company_num}`)],
      [ownDevice.sn, foreign.path],
      [withPassword.sn, ownDevice.path],
    ]
    for (const [sn, path] of tries) {
      const terminal = await openConnection(path)
      terminal.say(reg(sn, { company_num: olga.company_num, comm_pwd: '123456' }))
      expect(await terminal.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
      // The server does not acknowledge records of a refused terminal, so the terminal keeps them.
      terminal.say(sendlog(punch(1, `${yesterday} 08:00:00`)))
      await wait(100)
      expect(terminal.unheard).toEqual([])
    }
    await registerTerminal(ownDevice.sn, ownDevice.path)
    await registerTerminal(foreign.sn, foreign.path)
  })

  test('by its serial number alone, but not at another company’s address', async () => {
    const ownDevice = await addDevice(olga)
    const foreign = await addDevice(rival, { authentication: 'claim+path' })
    const terminal = await openConnection(foreign.path)
    terminal.say(reg(ownDevice.sn))
    await terminal.hear({ ret: 'reg', result: false })
    await registerTerminal(ownDevice.sn)
  })

  test('as one terminal per connection, even when it sends two serial numbers at once', async () => {
    const ownDevice = await addDevice(olga)
    const foreign = await addDevice(rival)
    const terminal = await openConnection()
    for (const { sn } of [ownDevice, foreign]) terminal.say(reg(sn))
    const answers = [await terminal.hear({ ret: 'reg' }), await terminal.hear({ ret: 'reg' })]
    expect(answers.map(({ result }) => result).sort()).toEqual([false, true])
    const states = [(await getDevice(ownDevice.sn)).state, (await getDevice(foreign.sn, rival)).state]
    expect(states.sort()).toEqual(['bound', 'claimed'])
  })

  test('with at most five password guesses, which all get the same answer', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const terminal = await openConnection()
    for (const comm_pwd of ['1', '2', '3', '4', '5', '6', '471100']) {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      expect(await terminal.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
    }
  })

  test('and its successful registration gives a stranger no further guesses', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const attempt = (terminal: Socket, comm_pwd: string) => {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      return terminal.hear({ ret: 'reg' })
    }
    expect(await attempt(await openConnection(), '471100')).toMatchObject({ result: true })
    const stranger = await openConnection()
    for (const guess of ['1', '2', '3', '4', '5', '471100'])
      expect(await attempt(stranger, guess), guess).toMatchObject({ result: false })
  })

  test('and after too many guesses managers see the refusal and when it ends', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice(rival, { authentication: 'claim+password' })
    const attempt = async (terminal: Socket, comm_pwd: string) => {
      terminal.say(reg(sn, { company_num: rival.company_num, comm_pwd }))
      return (await terminal.hear({ ret: 'reg' })).result
    }
    const terminal = await openConnection()
    for (const guess of ['1', '2', '3', '4', '5']) expect(await attempt(terminal, guess)).toBe(false)
    expect((await getDevice(sn, rival)).refused).toEqual({ at: expect.any(String), reason: 'password' })
    // The server refuses even the right password without a check.
    expect(await attempt(terminal, '471100')).toBe(false)
    const { refused } = await getDevice(sn, rival)
    expect(refused).toMatchObject({ reason: 'tries' })
    const wait = Date.parse(refused?.until ?? '') - Date.parse(refused?.at ?? '')
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(15 * 60_000)
  })

  test('and loses its connection after too many refused registrations', async () => {
    const sn = newSerialNumber()
    const terminal = await openConnection()
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
  ])('but not with the frame %s', async frame => {
    const terminal = await openConnection()
    terminal.say(frame)
    await wait(100)
    for (const answer of terminal.unheard) expect(answer).toMatchObject({ ret: 'reg', result: false })
    const { sn } = await addDevice()
    terminal.say(reg(sn))
    await terminal.hear({ ret: 'reg', result: true })
  })

  test('but a browser page cannot register, and a page of another origin gets no socket', async () => {
    const { sn } = await addDevice()
    const page = await openConnection('/web', address)
    page.say(reg(sn))
    expect(await page.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: 'did not reg' })
    await expect(openConnection('/web', 'https://evil.example')).rejects.toThrow('HTTP 403')
  })

  test('with other hardware only after an approval', { tags: 'long' }, async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const other = await openConnection()
    other.say(reg(sn, { cpusn: 'other' }))
    expect(await other.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    expect(await getDevice(sn)).toMatchObject({ state: 'needs approval' })
    // The bound terminal still delivers.
    terminal.say(sendlog(punch(1, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    const { pending } = await getDevice(sn)
    // The approval must contain the time of the pending hardware that the manager has seen.
    const stale = { serialNumber: sn, pendingAt: '2026-01-01T00:00:00.000Z' }
    expect(await http.ask('device/approve', stale, olga)).toMatchObject({ code: 60006 })
    await http.call('device/approve', { serialNumber: sn, pendingAt: pending?.at }, olga)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other' })
    expect(await getDevice(sn)).not.toHaveProperty('pending')
    const third = await openConnection()
    third.say(reg(sn, { cpusn: 'third' }))
    expect(await third.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    other.say(reg(sn, { cpusn: 'other' }))
    await other.hear({ ret: 'reg', result: true })
    expect(await getDevice(sn)).toMatchObject({ state: 'needs approval', cpusn: 'other', pending: { cpusn: 'third' } })
    // Refused hardware does not become pending again.
    await http.call('device/approve', { serialNumber: sn, isApproved: false }, olga)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other', online: true })
    third.say(reg(sn, { cpusn: 'third' }))
    expect(await third.hear({ ret: 'reg' })).toMatchObject({ result: false })
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', cpusn: 'other' })
  })

  test('and a manager sees why it was refused, but the terminal does not', async () => {
    const { sn } = await addDevice(olga, { authentication: 'claim+path' })
    const stranger = await openConnection()
    stranger.say(reg(sn))
    expect(await stranger.hear({ ret: 'reg' })).toEqual({ ret: 'reg', result: false, reason: expect.any(String) })
    const { refused } = await getDevice(sn)
    const hardware = { ip: expect.any(String), cpusn: `cpu-${sn}`, mac: sn, model: 'AiFace', firmware: 'v1' }
    expect(refused).toEqual({ at: expect.any(String), reason: 'path', bare: hardware })
    stranger.say(reg(sn))
    await stranger.hear({ ret: 'reg', result: false })
    // The server stores at most one refusal a minute.
    expect((await getDevice(sn)).refused).toEqual(refused)
  })

  test('without the path secret, after a manager approves the hardware whose firmware cannot send it', {
    tags: 'long',
  }, async () => {
    const { sn, path } = await addDevice(olga, { authentication: 'claim+path' })
    const wrong = await openConnection(path.replace(/k=./, 'k=!'))
    wrong.say(reg(sn))
    await wrong.hear({ ret: 'reg', result: false })
    const first = await getDevice(sn)
    expect(first.refused).toEqual({ at: expect.any(String), reason: 'path' })
    expect(await http.ask('device/approve', { serialNumber: sn, pendingAt: first.refused?.at }, olga)).toMatchObject({
      code: 60006,
    })
    const ownDevice = await addDevice(olga, { authentication: 'claim+path' })
    const terminal = await openConnection()
    terminal.say(reg(ownDevice.sn))
    await terminal.hear({ ret: 'reg', result: false })
    const { refused } = await getDevice(ownDevice.sn)
    const approval = { serialNumber: ownDevice.sn, pendingAt: refused?.at }
    expect(await http.ask('device/approve', approval, rival)).toMatchObject({ code: 60004 })
    await http.call('device/approve', approval, olga)
    expect(await getDevice(ownDevice.sn)).toMatchObject({
      state: 'claimed',
      authentication: 'claim',
      warnings: ['unproven'],
    })
    // Other hardware with the same number is refused and shown for approval too.
    const other = await openConnection()
    other.say(reg(ownDevice.sn, { cpusn: 'other' }))
    expect(await other.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'did not reg' })
    expect((await getDevice(ownDevice.sn)).refused).toMatchObject({ reason: 'path', bare: { cpusn: 'other' } })
    const { terminal: approvedTerminal } = await registerTerminal(ownDevice.sn)
    expect(await getDevice(ownDevice.sn)).toMatchObject({ state: 'bound', cpusn: `cpu-${ownDevice.sn}`, online: true })
    approvedTerminal.close()
    expect(await http.ask('device/approve', approval, olga)).toMatchObject({ code: 60006 })
  })

  test('within 15 seconds, or the server closes its socket at its next message', {
    tags: 'long',
    timeout: 25_000,
  }, async () => {
    const { sn } = await addDevice()
    const terminal = await openConnection()
    await wait(15_200)
    terminal.say(reg(sn))
    expect(await terminal.closed).toBe(1000)
    expect(terminal.unheard).toEqual([])
  })
})

describe('a record', () => {
  test('is stored once, however often and over however many connections it arrives', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const listLog = sendlog(punch(workno, `${yesterday} 08:00:00`), punch(Number(workno), `${yesterday} 17:00:00`))
    for (let i = 0; i < 10; i++) terminal.say(listLog)
    for (let i = 0; i < 10; i++) {
      expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({
        result: true,
        count: 2,
        logindex: 7,
        cloudtime: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })
    }
    const reconnected = await registerTerminal(sn)
    reconnected.terminal.say(listLog)
    await reconnected.terminal.hear({ ret: 'sendlog', result: true })
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

  test('keeps the means of identification of its terminal’s model, even after a new model or a deletion', {
    tags: 'long',
  }, async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const attempt = async (modelname: string, time: string, mode: number) => {
      const terminal = await openConnection()
      terminal.say(reg(sn, { devinfo: { modelname, firmware: '1' } }))
      await terminal.hear({ ret: 'reg', result: true })
      terminal.say(sendlog({ ...punch(workno, `${yesterday} ${time}`), mode }))
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    await attempt('TM-1', '08:00:00', 0)
    // The same code means different things on the two models.
    await attempt('AiFace', '17:00:00', 0)
    const meansOf = (list: { at: string; means?: string | undefined }[]) =>
      [...list].sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ means }) => means)
    const list = await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(2),
    )
    expect(meansOf(list)).toEqual(['finger', 'password'])
    const logged = await http.call('device/log/grid', { filters: { serialNumber: sn } }, olga)
    expect(meansOf(logged.list)).toEqual(['finger', 'password'])
    await http.call('device/delete', { serialNumber: sn }, olga)
    expect(meansOf(await recordsOf(id))).toEqual(['finger', 'password'])
  })

  test('of an unknown number is stored and listed, and counts for an employee who later gets the number', async () => {
    const workno = String(5000 + people++)
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    await eventually(listOrphans, list =>
      expect(list).toContainEqual(expect.objectContaining({ workno, serialNumber: sn })),
    )
    const { id } = await addEmployee(workno)
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
    await eventually(listOrphans, list => expect(list.map(orphan => orphan.workno)).not.toContain(workno))
  })

  const expectHeldUntil = async ({ zone, days, logged }: { zone: string; days: number; logged: number }) => {
    const hireDay = yesterday
    const before = localClock(zone, Date.parse(hireDay) - (days - 0.5) * 86_400_000).slice(0, 10)
    const workno = String(people++)
    const form = { first_name: 'New', last_name: 'Here', workno, department: olga.department }
    const { id } = await http.call('employee/add', { ...form, hireDay }, olga)
    const { sn } = await addDevice(olga, { timezone: zone })
    const { terminal } = await registerTerminal(sn)
    const expectHeld = () =>
      eventually(listOrphans, list =>
        expect(list).toContainEqual(expect.objectContaining({ workno, heldBy: 'New Here', serialNumber: sn })),
      )
    terminal.say(sendlog(punch(workno, `${hireDay} 12:00:01`)))
    terminal.say(sendlog(punch(workno, `${before} 22:00:00`)))
    await expectHeld()
    // A later punch of the employee does not release the held punch.
    terminal.say(sendlog(punch(workno, `${hireDay} 12:00:02`)))
    await eventually(
      () => recordsOf(id, hireDay),
      records => expect(records).toHaveLength(2),
    )
    const listLog = async () => (await http.call('device/log/grid', { filters: { serialNumber: sn } }, olga)).list
    await expectHeld()
    expect(await listLog()).toHaveLength(logged)
    const { list } = await http.call('record/orphan/get', { workno }, olga)
    expect(list.map(({ at }) => localClock(zone, Date.parse(at)))).toEqual([`${before} 22:00:00`])
    const employees = (await http.call('employee/grid', { filters: { search: workno } }, olga)).list
    const { version = 0, role = 1 } = employees.find(employee => employee.id === id) ?? {}
    await http.call('employee/update', { ...form, id, version, role, hireDay: before }, olga)
    await eventually(listOrphans, orphans => expect(orphans.map(orphan => orphan.workno)).not.toContain(workno))
    await eventually(listLog, list => expect(list).toHaveLength(logged))
  }
  test('of the day before the hire date is held until the hire date is corrected, despite later punches', () =>
    expectHeldUntil({ zone: 'Europe/Athens', days: 1, logged: 3 }))
  // 22:00 in New York is the next day in Athens. The log of the terminal omits a punch of 40 days ago.
  test('of 40 days before the hire date is held just as long', { tags: 'long' }, () =>
    expectHeldUntil({ zone: 'America/New_York', days: 40, logged: 2 }),
  )

  test('that is invalid is acknowledged and quarantined', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const invalidRecords = [
      punch(1, '2000-01-01 00:00:00'),
      punch(1, localClock('Europe/Athens', Date.now() + 49 * 3_600_000)),
      { ...punch('x', `${yesterday} 08:00:00`), image: '/9j/4AAQ' },
      'nothing',
    ] as object[]
    for (let i = 0; i < 2; i++) {
      terminal.say(
        sendlog(...invalidRecords, punch(0, `${yesterday} 08:00:00`), punch(99999999, `${yesterday} 08:00:00`)),
      )
      await terminal.hear({ ret: 'sendlog', result: true, count: 6 })
    }
    terminal.say('{"cmd":"sendlog","record":[{"enrollid":1')
    const quarantined = await eventually(
      async () =>
        (await http.call('device/quarantine', { size: 200 }, olga)).list.filter(item => item.serialNumber === sn),
      list => expect(list).toHaveLength(5),
    )
    expect(quarantined.map(({ reason }) => reason).sort()).toEqual([
      'bad number',
      'bad record',
      'in the future',
      'not JSON',
      'too old',
    ])
    expect(JSON.stringify(quarantined)).not.toContain('4AAQ')
    const readPage = (serialNumber: string, size: number, readPage?: string) =>
      http.call('device/quarantine', { size, page: readPage, filters: { serialNumber } }, olga)
    const first = await readPage(sn.toLowerCase(), 3)
    const second = await readPage(sn, 3, first.next)
    expect([...first.list, ...second.list]).toEqual(quarantined)
    expect(second).not.toHaveProperty('next')
    for (const other of [sn.slice(0, -1), `${sn}0`]) expect(await readPage(other, 3)).toEqual({ list: [], count: 0 })
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ ret: 'checklive', result: true })
    expect((await http.call('device/quarantine', { size: 200 }, rival)).list).toEqual([])
  })

  test('in an unreadable frame is quarantined without its picture, up to a limit', { tags: 'long' }, async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.say(`{"cmd":"sendlog","record":[{"enrollid":1,"image":"\\/9j\\/${'4AAQSkZJRg'.repeat(500)}`)
    terminal.say(`{"cmd":"sendlog","record":[${'{"enrollid": 1}, '.repeat(1000)}`)
    const expectQuarantined = (count: number) =>
      eventually(
        async () =>
          (await http.call('device/quarantine', { size: 200 }, olga)).list.filter(item => item.serialNumber === sn),
        list => expect(list).toHaveLength(count),
      )
    const quarantined = await expectQuarantined(2)
    expect(JSON.stringify(quarantined)).not.toContain('4AAQ')
    for (const { raw } of quarantined) expect(raw.length).toBeLessThanOrEqual(8 * 1024)
    for (let i = 0; i < 25; i++) terminal.say(`{"cmd":${i}`)
    await expectQuarantined(20)
    await wait(300)
    await expectQuarantined(20)
  })

  test('in a frame of invalid JSON is acknowledged once the whole frame is in quarantine', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const broken = `{"cmd":"sendlog","sn":"${sn}","count":1,"logindex":12,"record":[{"enrollid":1,"name":"Bob "B" Smith"}]}`
    terminal.say(broken)
    await terminal.hear({ ret: 'sendlog', result: true, count: 1, logindex: 12 })
    const { list } = await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)
    expect(list).toMatchObject([{ reason: 'not JSON', raw: broken }])
    // The server does not acknowledge a frame that is too long or has no count, so the terminal keeps it.
    terminal.say(broken.replace('Smith', 'S '.repeat(5000)))
    terminal.say(broken.replace('"count":1,', ''))
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ ret: 'checklive' })
    expect(terminal.unheard).toEqual([])
  })

  const expectStored = async (cmd: string, list: string) => {
    const { id, workno } = await addEmployee()
    const { terminal } = await registerTerminal((await addDevice()).sn)
    const row = punch(workno, `${yesterday} 08:00:00`)
    for (const payload of [[row], row]) {
      terminal.say({ cmd, count: 1, logindex: 3, [list]: payload })
      await terminal.hear({ ret: cmd, result: true, count: 1, logindex: 3 })
    }
    await eventually(
      () => recordsOf(id),
      records => expect(records).toHaveLength(1),
    )
  }
  test.each([
    ['sendrtlog', 'record'],
    ['pushlog', 'records'],
  ])('under the name %s is stored once, and acknowledged under that name', expectStored)
  test.each([
    ['rtlog', 'record'],
    ['checklive', 'records'],
  ])('under the other name %s is stored once, and acknowledged under that name', { tags: 'long' }, expectStored)

  test('in an unrequested answer is stored', { tags: 'long' }, async () => {
    const { id, workno } = await addEmployee()
    const { terminal } = await registerTerminal((await addDevice()).sn)
    terminal.say({ cmd: 'getalllog', count: 1, record: [punch(workno, `${yesterday} 08:00:00`)] })
    await terminal.hear({ ret: 'getalllog', result: true })
    terminal.say({ ret: 'getrtlog', result: true, count: 1, record: [punch(workno, `${yesterday} 09:00:00`)] })
    await eventually(
      () => recordsOf(id),
      records => expect(records).toHaveLength(2),
    )
  })

  test('in an unknown form is completely quarantined before its acknowledgement, under any command name', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
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
      .sort((a, b) => Number(b.startsWith('{"cmd"')) - Number(a.startsWith('{"cmd"')))
    expect(texts.join('')).toBe(JSON.stringify(frame))
  })

  test.each([
    { data: { count: 1, record: [{ enrollid: 7, time: '2026-03-02 08:00:00' }] } },
    { list: [{ enrollid: 7, checktime: '2026-03-02 08:00:00' }] },
    { logs: { first: { enrollid: 7, time: '2026-03-02 08:00:00' } } },
    { record: '7,2026-03-02 08:00:00' },
  ])('in an unknown form is quarantined before its acknowledgement: %j', async form => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.say({ cmd: 'pushlog', ...form })
    await terminal.hear({ ret: 'pushlog', result: true })
    const { list } = await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)
    expect(list.map(({ raw }) => raw).join()).toContain('2026-03-02 08:00:00')
  })

  test('of a broken enrolment is quarantined without its card or password', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const enrolment = `{"cmd":"senduser","enrollid":7,"name":"A "B" C","backupnum":`
    terminal.say(`${enrolment}10,"record":"1048001"}`)
    terminal.say(`${enrolment}11,"record":7654321}`)
    terminal.say(`${enrolment}10,"record":"104`)
    terminal.say(`{"cmd":"senduser","record":"104`)
    const list = await eventually(
      async () => (await http.call('device/quarantine', { size: 200, filters: { serialNumber: sn } }, olga)).list,
      list => expect(list).toHaveLength(4),
    )
    const expected = [`${enrolment}10,"record":"…"}`, `${enrolment}11,"record":"…"}`, `${enrolment}10,"record":"…"`]
    expect(list.map(({ raw }) => raw).sort()).toEqual([...expected, `{"cmd":"senduser","record":"…"`].sort())
  })

  test('that is counted in a frame but missing from it is requested after the next registration', {
    tags: 'long',
  }, async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    // Waits until the server has stored that the terminal has no undelivered records.
    await eventually(
      () => getDevice(sn),
      ({ unsent }) => expect(unsent).toBe(0),
    )
    terminal.say({ ...sendlog(punch(1, `${yesterday} 08:00:00`)), count: 5 })
    await terminal.hear({ ret: 'sendlog', result: true, count: 5 })
    terminal.close()
    const { terminal: reconnected } = await registerTerminal(sn)
    // New records have priority for a while.
    await wait(2100)
    reconnected.say({ cmd: 'checklive' })
    await reconnected.hear({ cmd: 'getalllog' })
  })

  test('older than five years is not requested from the terminal', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    await http.call('device/reconcile', { serialNumber: sn, from: '2015-01-01' }, olga)
    const { from } = await terminal.hear({ cmd: 'getalllog' })
    expect(Number(String(from).slice(0, 4))).toBe(Number(yesterday.slice(0, 4)) - 5)
  })

  test('among too many messages per second ends the connection', async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    for (let i = 0; i < 40; i++) terminal.say({ cmd: 'checklive' })
    for (let i = 0; i < 40; i++) await terminal.hear({ ret: 'checklive', result: true })
    for (let i = 0; i < 200; i++) terminal.say({ cmd: 'checklive' })
    expect(await terminal.closed).toBe(1000)
    const page = await openConnection('/web', address)
    for (let i = 0; i < 45; i++) page.say({ cmd: 'home.ping' })
    expect(await page.closed).toBe(1000)
  })

  test('in a frame over 32 KB ends the connection, and is stored when a smaller frame delivers it again', {
    tags: 'long',
  }, async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.say(sendlog({ ...punch(workno, `${yesterday} 08:00:00`), image: 'A'.repeat(40_000) }))
    expect(await terminal.closed).toBe(1009)
    const reconnected = await registerTerminal(sn)
    reconnected.terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await reconnected.terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('of the backlog is requested by pages, until a page is empty or repeated', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const terminal = await openConnection()
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
    // Some firmware answers with `cmd` instead of `ret`.
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

    const repeating = await addDevice()
    const repeatingTerminal = await openConnection()
    repeatingTerminal.say(reg(repeating.sn))
    const page = { ret: 'getnewlog', result: true, count: 1, record: [punch(workno, `${yesterday} 08:00:00`)] }
    await repeatingTerminal.hear({ cmd: 'getnewlog', stn: true })
    repeatingTerminal.say(page)
    await repeatingTerminal.hear({ cmd: 'getnewlog', stn: false })
    repeatingTerminal.say(page)
    await wait(300)
    expect(repeatingTerminal.unheard.filter(({ cmd }) => cmd)).toEqual([])
  })

  test('of a night when clocks go back keeps the order of the punches', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    // A repeated delivery keeps its instants and moves no punch.
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

  test('of such a night, lost and delivered later, gets the instant that fits the order of the punches', {
    tags: 'long',
  }, async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
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
  test('cannot add a serial number that any company has', async () => {
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

  test('changes settings while the terminal works, and gets an error on an old version', { tags: 'long' }, async () => {
    const { sn } = await addDevice()
    const { version } = await getDevice(sn)
    const { terminal } = await registerTerminal(sn)
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
      current => expect(current.unsent).toBe(0),
    )
    await http.call('device/poll', { serialNumber: sn }, olga)
    await terminal.hear({ cmd: 'getnewlog' })
    // The terminal must register again, because its clock must change to the new zone.
    await http.call('device/update', { ...form, version: version + 1, timezone: 'Asia/Tokyo' }, olga)
    expect(await terminal.closed).toBe(1000)
    const { answer, terminal: reconnected } = await registerTerminal(sn)
    expect(String(answer.cloudtime).slice(0, 13)).toBe(localClock('Asia/Tokyo').slice(0, 13))
    // The server requests the interrupted page again.
    await reconnected.hear({ cmd: 'getnewlog' })
    reconnected.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] })
    await wait(2100)
    reconnected.say(sendlog(punch('1', `${yesterday} 08:00:00`)))
    await reconnected.hear({ cmd: 'getalllog' })
  })

  test('renews the terminal’s secret, and the old secret stops working', async () => {
    const { sn, path } = await addDevice(olga, { authentication: 'claim+path' })
    expect(path).toMatch(new RegExp(`^/web\\?c=${olga.company_num}&k=[a-z2-7]{26}$`))
    const { terminal } = await registerTerminal(sn, path)
    const { serverPath } = await http.call('device/secret', { serialNumber: sn }, olga)
    expect(await terminal.closed).toBe(1000)
    const oldTerminal = await openConnection(path)
    oldTerminal.say(reg(sn))
    await oldTerminal.hear({ ret: 'reg', result: false })
    await registerTerminal(sn, serverPath)
  })

  test('deletes a terminal: it is disconnected, its records stay, and another company may add it', async () => {
    const { id, workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    terminal.say(sendlog(punch(workno, `${yesterday} 08:00:00`)))
    await terminal.hear({ ret: 'sendlog', result: true })
    await http.call('device/delete', { serialNumber: sn }, olga)
    expect(await terminal.closed).toBe(1000)
    expect(await http.ask('device/get', { serialNumber: sn }, olga)).toMatchObject({ code: 60004 })
    const form = { serialNumber: sn, name: 'Theirs', department: rival.department, authentication: 'claim' as const }
    await http.call('device/add', form, rival)
    await registerTerminal(sn)
    expect(await getDevice(sn, rival)).toMatchObject({ online: true })
    await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(1),
    )
  })

  test('deletes a terminal with its commands, and after another addition it gets no old command', {
    tags: 'long',
  }, async () => {
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
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
    const { terminal: reconnected } = await registerTerminal(sn)
    await http.call('device/open', { serialNumber: sn }, olga)
    await reconnected.hear({ cmd: 'opendoor' })
    expect(reconnected.unheard).not.toContainEqual(expect.objectContaining({ cmd: 'initsys' }))
    reconnected.say({ ret: 'opendoor', result: true })
    const { list } = await http.call('device/command/grid', { filters: { serialNumber: sn } }, olga)
    expect(list.find(({ id }) => id === command)).toMatchObject({ cmd: 'initsys', state: 'cancelled' })
    expect(list.filter(({ id, state }) => id <= command && state !== 'cancelled' && state !== 'done')).toEqual([])
  })

  test('finds terminals by name, serial number and department', async () => {
    const { sn } = await addDevice(olga, { name: 'Warehouse 7' })
    const search = (search: string) => http.call('device/grid', { filters: { search } }, olga)
    expect(await search('warehouse')).toMatchObject({ count: 1, list: [{ serialNumber: sn }] })
    expect(await search(sn.toLowerCase())).toMatchObject({ list: [{ name: 'Warehouse 7' }] })
    expect((await http.call('device/grid', { filters: { search: sn } }, rival)).list).toEqual([])
    const { list, next } = await http.call('device/grid', { size: 1 }, olga)
    expect(list).toHaveLength(1)
    expect((await http.call('device/grid', { size: 1, page: next }, olga)).list).not.toEqual(list)
  })
})

describe('a browser', () => {
  test('signs in, pings, and receives the end of its session', async () => {
    const { token, ...owner } = await register(http)
    const page = await openConnection('/web', address)
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
    // A refresh that finds the ended session first closes the connection without an answer.
    expect(await page.closed).toBe(1000)
    expect(page.unheard).not.toContainEqual({ ret: 'home.ping', result: true })
    expect(owner.company).toBeTruthy()
  })

  test('refreshes soon after a punch', async () => {
    const { workno } = await addEmployee()
    const { sn } = await addDevice()
    const { terminal } = await registerTerminal(sn)
    const page = await openConnection('/web', address)
    page.say({ cmd: 'home.login', token: olga.token })
    await page.hear({ ret: 'home.login', result: true })
    await wait(500)
    page.unheard.splice(0)
    terminal.say(sendlog(punch(workno, localClock('Europe/Athens'))))
    await terminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      async () => page.unheard.flatMap(({ refresh }) => refresh),
      refreshes => expect(refreshes).toContain('record/'),
    )
  })
})

describe('when the table is slow or fails', { tags: 'long' }, () => {
  type Intercept = (operation: string, body: string) => Promise<unknown> | 'fail' | undefined
  const data = temporaryFolder()
  let database: Database
  let stack: Stack
  let intercept: Intercept = () => undefined
  let company: Registered

  /** A proxy between the stack and the engine, which can delay or refuse requests. */
  const proxy = createServer(async (request, response) => {
    const body = await text(request)
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    if ((await intercept(operation, body)) === 'fail') {
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

  /** Holds the first matching request until released. */
  const holdRequest = (matches: (operation: string, body: string) => boolean) => {
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    let expectHeld = false
    intercept = (operation, body) => {
      if (expectHeld || !matches(operation, body)) return undefined
      expectHeld = true
      reached.resolve()
      return gate.promise
    }
    return { came: reached.promise, letGo: gate.resolve }
  }

  let api: ReturnType<typeof client>
  const openOnStack = async () => {
    const socket = await openSocket(stack.address)
    sockets.push(socket)
    return socket
  }
  const addOnStack = async () => {
    const serialNumber = newSerialNumber()
    const form = { serialNumber, name: 'Gate', department: company.department, authentication: 'claim' as const }
    await api.call('device/add', form, company)
    return form
  }
  const registerOnStack = async (sn: string) => {
    const terminal = await openOnStack()
    terminal.say(reg(sn))
    await terminal.hear({ ret: 'reg', result: true })
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    return terminal
  }
  const page = (ret: string, ...record: object[]) => ({ ret, result: true, count: record.length, record })
  const listNumbers = async () => (await api.call('record/orphan/grid', {}, company)).list.map(({ workno }) => workno)

  beforeAll(async () => {
    database = await startDatabase({ data, table: 'attendance', say: () => undefined, onEnd: console.error })
    const endpoint = `http://127.0.0.1:${await listen(proxy, 0)}`
    stack = await startStack({ environment: { DYNAMODB_ENDPOINT: endpoint } })
    api = client(stack.address)
    company = await register(api)
  })
  afterEach(() => {
    intercept = () => undefined
  })
  afterAll(async () => {
    await stack.stop()
    proxy.close()
    proxy.closeAllConnections()
    await database.stop()
    rmSync(data, { recursive: true, force: true })
  })

  test('a terminal that registers during its deletion is disconnected', async () => {
    const { serialNumber } = await addOnStack()
    const held = holdRequest((operation, body) => operation === 'TransactWriteItems' && body.includes('"Delete"'))
    const deletion = api.call('device/delete', { serialNumber }, company)
    await held.came
    const terminal = await registerOnStack(serialNumber)
    held.letGo()
    await deletion
    expect(await terminal.closed).toBe(1000)
    expect(await api.ask('device/get', { serialNumber }, company)).toMatchObject({ code: 60004 })
  })

  test('a terminal that registers during a change of its zone must register again', async () => {
    const form = await addOnStack()
    const held = holdRequest((operation, body) => operation === 'GetItem' && body.includes('#DEPARTMENT"'))
    const update = api.call('device/update', { ...form, version: 1, timezone: 'Asia/Tokyo' }, company)
    await held.came
    const terminal = await registerOnStack(form.serialNumber)
    held.letGo()
    await update
    expect(await terminal.closed).toBe(1000)
  })

  test('the server reads no record in the old zone after a change of the zone', async () => {
    const form = await addOnStack()
    const terminal = await registerOnStack(form.serialNumber)
    const held = holdRequest((operation, body) => operation === 'DeleteItem' && body.includes('"CONNECTION#'))
    const update = api.call('device/update', { ...form, version: 1, timezone: 'Asia/Tokyo' }, company)
    await held.came
    // The server deletes the connection before it closes the socket.
    expect(await Promise.race([terminal.closed, wait(300)])).toBeUndefined()
    held.letGo()
    await update
    expect(await terminal.closed).toBe(1000)
  })

  test('the server retries to store a page of the backlog after a table error', async () => {
    const { serialNumber } = await addOnStack()
    const terminal = await registerOnStack(serialNumber)
    let failures = 0
    intercept = (operation, body) =>
      operation === 'PutItem' && body.includes('PUNCH#') && failures++ === 0 ? 'fail' : undefined
    terminal.say(page('getnewlog', punch(81, `${yesterday} 08:00:00`)))
    await terminal.hear({ cmd: 'getnewlog', stn: false })
    expect(failures).toBe(2)
    await eventually(listNumbers, list => expect(list).toContain('81'))
  })

  test('the server requests all records once after it could not store a page', async () => {
    const { serialNumber } = await addOnStack()
    const lost = punch(82, `${yesterday} 08:00:00`)
    const first = await registerOnStack(serialNumber)
    intercept = (operation, body) => (operation === 'PutItem' && body.includes('PUNCH#') ? 'fail' : undefined)
    first.say(page('getnewlog', lost))
    const quarantined = await eventually(
      async () => (await api.call('device/quarantine', {}, company)).list,
      list => expect(list).toMatchObject([{ serialNumber, reason: 'not stored' }]),
    )
    expect(quarantined[0]?.raw).toContain(lost.time)
    expect(first.unheard).toEqual([])
    intercept = () => undefined

    /** The server requests lost records after a while, together with the next command. */
    const pollLater = async () => {
      await wait(2000)
      await api.call('device/poll', { serialNumber }, company)
    }
    const second = await registerOnStack(serialNumber)
    second.say(page('getnewlog'))
    await pollLater()
    const today = localClock('Europe/Athens').slice(0, 10)
    expect(await second.hear({ cmd: 'getalllog' })).toEqual({ cmd: 'getalllog', stn: true, from: today, to: today })
    // Some firmware answers with `cmd` instead of `ret`.
    second.say({ cmd: 'getalllog', count: 2, record: [lost, punch(83, `${yesterday} 08:00:00`)] })
    expect(await second.hear({ cmd: 'getalllog' })).toMatchObject({ stn: false })
    second.say(page('getalllog'))
    await second.hear({ cmd: 'getnewlog', stn: true })
    second.say(page('getnewlog'))
    await eventually(listNumbers, list => expect(list).toEqual(expect.arrayContaining(['82', '83'])))
    await eventually(
      () => api.call('device/get', { serialNumber }, company),
      device => expect(device.unsent).toBe(0),
    )

    const third = await registerOnStack(serialNumber)
    third.say(page('getnewlog'))
    await wait(300)
    expect(third.unheard).toEqual([])
    third.close()
    // The terminal disconnects without an answer, so its page may be lost.
    const fourth = await registerOnStack(serialNumber)
    fourth.close()
    const fifth = await registerOnStack(serialNumber)
    fifth.say(page('getnewlog'))
    await pollLater()
    await fifth.hear({ cmd: 'getalllog', stn: true })
  })

  test('the server notifies each browser once, even if one browser cannot be reached', async () => {
    const notified: string[] = []
    const sockets = createServer(async (request, response) => {
      const id =
        decodeURIComponent(request.url ?? '')
          .split('/')
          .at(-1) ?? ''
      notified.push(id)
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
      expect(notified.sort()).toEqual(['broken', 'whole'])
    } finally {
      sockets.close()
    }
  })
})
