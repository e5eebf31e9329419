import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadLambda } from '../../infra/local/invoke.ts'
import { type Company, companyKey, defaultPrevention } from '../../shared/company.ts'
import { type Connection, connectionKey, type Newcomer, newcomerKey } from '../../shared/connection.ts'
import { partOf } from '../../shared/day.ts'
import { type Department, departmentKey } from '../../shared/department.ts'
import { dueTerminalKey, openTerminalKey, serialNumberKey } from '../../shared/device/claim.ts'
import { mostAllAsked, warningsOf } from '../../shared/device/warning.ts'
import { type Device, deviceKey, pollMinutes } from '../../shared/device.ts'
import { type Employee, employeeKey, worknoKey } from '../../shared/employee.ts'
import { erasureKey, erasureOfKey } from '../../shared/erasure.ts'
import { source } from '../../shared/jobs.ts'
import { addDays } from '../../shared/local-day.ts'
import { punchKey } from '../../shared/punch.ts'
import type { Key } from '../../shared/table.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { type Command, commandKey, settledCommandKey } from '../../shared/terminal/command.ts'
import { deviceUserKey, doubtfulMark, formerUserKey, newDeviceUser } from '../../shared/terminal/user.ts'
import { eventData } from '../../shared/webhooks/shape.ts'
import { eventually } from '../kit/client.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { openWorld, type World } from '../kit/world.ts'

// What a terminal is led through, and what the clock does for it: nobody tells any facts here, and time passes by what is written.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let queue: typeof import('../../functions/terminal/command.ts')
let answer: typeof import('../../functions/terminal/answer.ts')
let terminal: typeof import('../../functions/terminal/talk.ts')
let poll: typeof import('../../events/poll.ts').handler
let address: string
let sn: string
let company: string
const sockets: Socket[] = []
const zone = 'Europe/Athens'
const minute = 60_000
const recordsPerMinute = 200
const iso = (at: number) => new Date(at).toISOString()

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment, { RECORDS_PER_MINUTE: String(recordsPerMinute) })
  address = world.environment.AWS_ENDPOINT_URL_S3 ?? ''
  kit = await import('../../functions/kit/table.ts')
  queue = await import('../../functions/terminal/command.ts')
  answer = await import('../../functions/terminal/answer.ts')
  terminal = await import('../../functions/terminal/talk.ts')
  poll = (await import('../../events/poll.ts')).handler
  const socket = await loadLambda('functions', 'socket')
  if (!socket) throw new Error('functions/socket.ts is missing')
  world.serve(new Map(), socket)
})
afterAll(() => world.close())

const table = () => kit.openTable(company)
const look = <T>(key: Key<T>) => table().get(key)
const device = async () => {
  const found = await look(deviceKey(sn))
  if (!found) throw new Error('No device')
  return found
}
const alter = async (fields: Partial<Device>) => {
  const { change } = await import('../../functions/kit/table/change.ts')
  await change(table(), deviceKey(sn), known => ({ ...known, ...fields }))
}
const connection = async () => {
  const { connection: id = '' } = await device()
  const found = await kit.directory().get(connectionKey(id))
  if (!found) throw new Error('No connection')
  return { id, found }
}
/** What it was asked it was asked so long ago. */
const agedBy = async (milliseconds: number) => {
  const { id, found } = await connection()
  const at = iso(Date.parse(found.asked?.at ?? '') - milliseconds)
  await kit.save(
    kit
      .directory()
      .replace(connectionKey(id), { ...found, asked: { ...(found.asked as NonNullable<Connection['asked']>), at } }),
  )
}
/** What it is to be asked later it is to be asked so much later than now. */
const putOff = async (milliseconds: number) => {
  const { id, found } = await connection()
  const steps = found.steps?.map(step => ({ ...step, notBefore: iso(Date.now() + milliseconds) }))
  await kit.save(kit.directory().replace(connectionKey(id), { ...found, steps }))
}
const settings = (more: Partial<Company> = {}): Company => ({
  ...{ id: company, name: 'Round', company_num: '1', timezone: zone, dateformat_id: 3, timeformat_id: 2 },
  ...{ timeUnit: [0, 0, 0, 0, 0], createdAt: '2026-01-01T00:00:00Z', ...more },
})

beforeEach(async () => {
  const random = randomBytes(6).toString('hex')
  company = `r${random}`.padEnd(16, '0')
  sn = `R${random.toUpperCase()}`
  const at = iso(Date.now() - 3 * 24 * 60 * minute)
  await kit.save(
    table().insert(companyKey(), settings()),
    kit.directory().insert(serialNumberKey(sn), { company }),
    table().insert(deviceKey(sn), {
      ...{ serialNumber: sn, name: 'Gate', department: 'd'.repeat(16), voice: 5, language: 2, authentication: 'claim' },
      ...{ edition: 1, registeredAt: at, claimedAt: iso(Date.now()), state: 'claimed', generation: 0 },
      reconciledOn: '9999-12-31',
    }),
  )
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const socket of sockets.splice(0)) socket.close()
  await kit.save(kit.directory().remove(openTerminalKey(sn)), kit.directory().remove(dueTerminalKey(sn)))
})

const oldest = { modelname: 'tfs30', firmware: 'th600w v6.1' }
const newest = { modelname: 'AiFace', firmware: 'ai518_f43h_v1.27' }
const topdata = { modelname: 'Inner Face', firmware: 'ai518_fp26v_v2.16' }
const connect = async (devinfo: object = oldest, takesSettings = true) => {
  const socket = await openSocket(address, { takesSettings })
  sockets.push(socket)
  socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  return socket
}
const empty = (ret: string) => ({ ret, result: true, count: 0, from: 0, to: 0, record: [] })
const untilIdle = () =>
  eventually(
    () => connection(),
    ({ found }) => expect([found.asked, found.steps ?? []]).toEqual([undefined, []]),
  )
const settled = async (devinfo?: object) => {
  const socket = await connect(devinfo)
  await socket.hear({ cmd: 'getnewlog' })
  socket.say(empty('getnewlog'))
  await untilIdle()
  return socket
}
const add = async (command: Partial<Command> & Pick<Command, 'cmd'>, at = Date.now()) => {
  const { newId } = await import('../../functions/kit/id.ts')
  const id = newId(at)
  await kit.save(queue.queueCommand(table(), sn, { body: {}, ...command, id }))
  return id
}
const goOn = () => terminal.goOn(company, sn)
const outcome = async (id: string) => {
  const { state, result, attempts } = (await look(settledCommandKey(sn, id))) ?? {}
  return [state, result, attempts]
}
/** A minute that is another terminal's: only what is overdue is looked at. */
const pollElsewhen = () => {
  const next = Date.now() + minute
  const isOwn = partOf(sn, pollMinutes) === Math.floor(next / minute) % pollMinutes
  return poll({ time: iso(isOwn ? next + minute : next) })
}
/** Goes through the minutes in which every terminal has its own. */
const pollRound = async (from = Date.now()) => {
  for (let n = 0; n < 5; n++) await poll({ time: iso(from + n * minute) })
}
const open = () => kit.directory().get(openTerminalKey(sn))
const silentFor = async (minutes: number) => {
  const { change } = await import('../../functions/kit/table/change.ts')
  await change(table(), deviceKey(sn), known => ({ ...known, lastSeenAt: iso(Date.now() - minutes * minute) }))
}
/** What is told of the terminal, as it is now. */
const tell = async (event: 'terminal.updated' | 'terminal.offline') => {
  const { tellingOf } = await import('../../functions/webhooks/body.ts')
  const told = await tellingOf(table(), { type: 'event.happened', company, of: '', at: iso(Date.now()), event, sn })
  return eventData[event].strict().parse(told?.data)
}
/** Somebody with this number who is to be on the terminal. */
const employeeOf = (number: string) => number.padStart(16, 'e')
const employ = async (number: string) => {
  const { department } = await device()
  const employee = { id: employeeOf(number), first_name: 'Per', last_name: 'Son', workno: number, department }
  await kit.save(
    table().put(departmentKey(department), { id: department, name: 'D' } as Department),
    table().insert(employeeKey(employee.id), employee as Employee),
    table().insert(worknoKey(number), { employee: employee.id }),
  )
  return employee.id
}
const localNow = () => localTimeAt(zone, Date.now())
const today = () => localNow().slice(0, 10)

describe('a terminal that registers', () => {
  test('is set up first, then asked for its records, and then told what is queued', async () => {
    const opened = await add({ cmd: 'opendoor', isOnce: true })
    const socket = await connect(oldest, false)
    const set = { use_logphoto: 0, stranger_photo: 0, verifymode: 0, volume: 10, language: 9 }
    expect(await socket.hear({ cmd: 'setdevinfo' })).toEqual({ cmd: 'setdevinfo', ...set })
    await goOn()
    expect(socket.unheard).toEqual([])
    socket.say({ ret: 'setdevinfo', result: true })
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await goOn()
    expect(socket.unheard).toEqual([])
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'opendoor' })
    socket.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcome(opened),
      found => expect(found).toEqual(['done', 'ok', 1]),
    )
    expect(await device()).toMatchObject({ profile: 'v24', protocol: 'ai-face', settings: JSON.stringify(set) })
    socket.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    const again = await connect(oldest, false)
    // What it has confirmed it is not told again.
    await again.hear({ cmd: 'getnewlog' })
  })

  test('is set right where its clock is far off, and by how much is kept until it is', async () => {
    const ahead = localTimeAt(zone, Date.now() + 10 * minute).replace('T', ' ')
    const socket = await connect({ ...oldest, time: ahead })
    const { cloudtime } = await socket.hear({ cmd: 'settime' })
    expect(Math.abs(Date.parse(`${cloudtime}Z`) - Date.parse(`${localNow()}Z`))).toBeLessThan(60_000)
    const { driftSeconds = 0 } = await device()
    expect(Math.abs(driftSeconds - 600)).toBeLessThan(60)
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    expect(await device()).toMatchObject({ driftSeconds: 0 })
  })

  test('that is ours for the first time says whom it holds before anybody is sent to it', async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    await add({ cmd: 'deleteuser', body: { enrollid: 7, backupnum: 0 } })
    socket.say({ ret: 'setdevinfo', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'getuserlist', stn: true })
    expect(socket.unheard).toEqual([])
    expect(await device()).not.toHaveProperty('listed')
    socket.say(empty('getuserlist'))
    await socket.hear({ cmd: 'deleteuser' })
    expect(await device()).toHaveProperty('listed')
  })

  test('that will not say whom it holds just now holds anybody, until it has said it to the end', async () => {
    const socket = await connect(oldest, false)
    for (const cmd of ['setdevinfo', 'getnewlog']) {
      await socket.hear({ cmd })
      socket.say(empty(cmd))
    }
    await socket.hear({ cmd: 'getuserlist', stn: true })
    socket.say({ ret: 'getuserlist', result: false, reason: 1 })
    await untilIdle()
    await employ('7')
    await add({ cmd: 'getuserlist' })
    await goOn()
    await socket.hear({ cmd: 'getuserlist', stn: true })
    const page = (to: number, enrollid: number, backupnum: number) =>
      socket.say({
        ret: 'getuserlist',
        result: true,
        count: 2,
        from: to,
        to,
        record: [{ enrollid, admin: 0, backupnum }],
      })
    page(1, 7, 0)
    await socket.hear({ cmd: 'getuserlist', stn: false })
    expect(await device()).not.toHaveProperty('listed')
    page(2, 8, 11)
    await eventually(device, found => expect(found).toHaveProperty('listed'))
    await employ('8')
    const holds = async (number: string) => (await look(deviceUserKey(sn, employeeOf(number))))?.holds
    expect(await holds('7')).toMatchObject({ 0: 'own' })
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    await kit.save(table().insert(deviceUserKey(sn, employeeOf('8')), newDeviceUser(sn, employeeOf('8'), '8')))
    for (const backupnum of [0, 1])
      await takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '7', backupnum }])
    for (const backupnum of [10, 11])
      await takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '8', backupnum }])
    // What came since was registered here by whoever has the number; what was there before was not, whoever has it by now.
    expect([await holds('7'), await holds('8')]).toMatchObject([
      { 0: 'own', 1: 'own' },
      { 10: '?', 11: 'own' },
    ])
  })

  const card = (enrollid: number) => ({ enrollid, admin: 0, backupnum: 11 })
  test.each([
    ['does not turn pages', { count: 90, from: 0, to: 39, record: [card(9)] }],
    ['says nothing of those it says it holds', {}],
    ['lists nobody of those it says it holds', { count: 0, from: 0, to: 0, record: [] }],
  ])('that %s is believed no list before one is whole, and what it delivers is', async (_, page) => {
    const isPage = 'record' in page && page.record.length > 0
    const socket = await connect({ ...oldest, useduser: 90 }, false)
    for (const cmd of ['setdevinfo', 'getnewlog']) {
      await socket.hear({ cmd })
      socket.say(empty(cmd))
    }
    await socket.hear({ cmd: 'getuserlist', stn: true })
    socket.say({ ret: 'getuserlist', result: true, ...page })
    if (isPage) {
      await socket.hear({ cmd: 'getuserlist', stn: false })
      socket.say({ ret: 'getuserlist', result: true, ...page })
    }
    await eventually(device, found => expect(found.listed).toMatchObject({ isPartial: true }))
    await alter({ authentication: 'claim+path' })
    const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
    for (const number of ['7', '8']) {
      await employ(number)
      await kit.save(
        table().insert(deviceUserKey(sn, employeeOf(number)), newDeviceUser(sn, employeeOf(number), number)),
      )
    }
    await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record: '4711' }])
    const markOf = async (number: string) => (await look(deviceUserKey(sn, employeeOf(number))))?.holds[11]
    expect(['own', '?', '', undefined]).not.toContain(await markOf('7'))
    const id = await add({ cmd: 'getuserlist' })
    await goOn()
    await socket.hear({ cmd: 'getuserlist', stn: true })
    socket.say({ ret: 'getuserlist', result: true, count: 2, from: 1, to: 2, record: [card(7), card(8)] })
    await eventually(
      () => outcome(id),
      found => expect(found).toEqual(['done', 'ok', 1]),
    )
    expect(await markOf('8')).toBe('own')
    expect(await look(formerUserKey(sn, '8'))).toMatchObject({ parts: { 11: [] } })
    expect(await look(formerUserKey(sn, '7'))).toBeUndefined()
    expect((await device()).listed).not.toHaveProperty('isPartial')
  })

  test.each([
    ['told it in its list', { at: iso(0) }, { 11: [] }],
    ['told no list to its end', { at: iso(0), isPartial: true as const }, undefined],
    ['has told no list yet', undefined, undefined],
  ])(
    'that %s and answers with what was there before whatever it is to register, has registered nothing',
    async (_, listed, parts) => {
      await settled()
      await employ('7')
      await alter({ authentication: 'claim+path', listed })
      if (parts) await kit.save(table().insert(formerUserKey(sn, '7'), { number: '7', parts }))
      const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
      const by = 'b'.repeat(16)
      const tell = (record: string, of: { by: string } | { isLook: true }) =>
        takeHeld({ company, serialNumber: sn, ...of }, [{ number: '7', backupnum: 11, record }])
      const markOf = async () => (await look(deviceUserKey(sn, employeeOf('7'))))?.holds[11]
      // It was asked what it is.
      await tell('4040', { isLook: true })
      expect(await markOf()).toBe('own')
      expect(await tell('4040', { by })).toBe('held before')
      expect(await markOf()).toBe('own')
      expect(await tell('5151', { by })).toBeUndefined()
      expect(['own', '?', '', undefined]).not.toContain(await markOf())
      expect(await look(formerUserKey(sn, '7'))).toBeUndefined()
    },
  )

  test.each([
    ['with an empty record', { result: true, enrollid: 7, backupnum: 11, record: '' }],
    ['as a refusal', { result: false, reason: 5 }],
  ])(
    'that says that a place is empty %s has nothing there from before, whatever it pushed of it since',
    async (_, answer) => {
      const socket = await settled()
      await employ('7')
      await alter({ authentication: 'claim+path' })
      await kit.save(table().insert(formerUserKey(sn, '7'), { number: '7', parts: { 10: [], 11: [] } }))
      const body = { employee: employeeOf('7'), backupnum: 11 }
      const id = await add({ cmd: 'getuserinfo', body, isFinal: true })
      const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
      const record = '6161'
      await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record }])
      expect(await look(formerUserKey(sn, '7'))).toMatchObject({ parts: { 10: [], 11: [] } })
      await goOn()
      await socket.hear({ cmd: 'getuserinfo', enrollid: 7, backupnum: 11 })
      socket.say({ ret: 'getuserinfo', ...answer })
      await eventually(
        () => outcome(id),
        found => expect(found).toEqual(['failed', 'refused', 1]),
      )
      expect((await look(formerUserKey(sn, '7')))?.parts).toEqual({ 10: [] })
      await takeHeld({ company, serialNumber: sn, by: 'b'.repeat(16) }, [{ number: '7', backupnum: 11, record }])
      expect(['own', '?', '', undefined]).not.toContain((await look(deviceUserKey(sn, employeeOf('7'))))?.holds[11])
    },
  )

  test.each([0, 11])(
    'that says by a digit that there is no finger has none there; a card may be one (place %i)',
    async backupnum => {
      await settled()
      await employ('7')
      await alter({ authentication: 'claim+path' })
      const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
      await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum, record: '5' }])
      const { holds = {} } = (await look(deviceUserKey(sn, employeeOf('7')))) ?? {}
      expect(backupnum in holds).toBe(backupnum === 11)
    },
  )

  test('in whose place other hardware came holds of that one nothing that we sent the former', async () => {
    await settled()
    await employ('7')
    const user = { ...newDeviceUser(sn, employeeOf('7'), '7'), holds: { name: 'n', 0: 'ours' } }
    await kit.save(table().insert(deviceUserKey(sn, employeeOf('7')), user))
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    const take = async () =>
      takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '7', backupnum: 0 }])
    await alter({ listed: undefined })
    await take()
    expect(await look(formerUserKey(sn, '7'))).toBeUndefined()
    const at = iso(Date.now())
    await alter({ emptiedAt: at, resetAt: at })
    await take()
    expect(await look(formerUserKey(sn, '7'))).toMatchObject({ parts: { 0: [] }, resetAt: at })
  })

  test('in whose place other hardware came has that one register nothing', async () => {
    await settled()
    await employ('7')
    const [employee, by] = [employeeOf('7'), 'b'.repeat(16)]
    const id = await add({ cmd: 'adduser', body: { employee, backupnum: 11 }, by, subject: employee, isOnce: true })
    const command = await look(commandKey(sn, id))
    if (command) await queue.giveUp(table(), command, { result: 'ok' }, Date.now())
    const { takeDelivered } = await import('../../functions/terminal/enrolment.ts')
    const deliver = (record: string) =>
      takeDelivered({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record }], Date.now())
    const markOf = async () => (await look(deviceUserKey(sn, employee)))?.holds[11]
    const { listed } = await device()
    const at = iso(Date.now() + 1000)
    await alter({ replacedAt: at, resetAt: at, listed: undefined })
    await deliver('4711')
    expect(['own', undefined]).toContain(await markOf())
    // It is its own that is asked for.
    await alter({ replacedAt: undefined, listed })
    await deliver('5353')
    expect(['own', '?', '', undefined]).not.toContain(await markOf())
  })

  test('that refuses for good to say whom it holds is believed no list', async () => {
    await settled()
    await alter({ listed: undefined })
    const id = await add({ cmd: 'getuserlist', body: { isFirst: true }, mostAttempts: 1 })
    const { version: _, ...command } = (await look(commandKey(sn, id))) as Command & { version: number }
    await kit.save(table().put(commandKey(sn, id), { ...command, state: 'sent', attempts: 1 }))
    const place = { serialNumber: sn, id, generation: 1 }
    await queue.takeOutcome(table(), place, { result: 'refused', reason: '1' })
    expect((await device()).listed).toMatchObject({ isPartial: true })
  })

  test('goes on with the next step where it leaves one without an answer', async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    await agedBy(30_000)
    await goOn()
    await socket.hear({ cmd: 'getnewlog' })
    expect((await device()).settings).toBeUndefined()
  })

  test('takes people only while it is disabled, where it is made so, and is never left like that', async () => {
    const socket = await connect(topdata)
    await socket.hear({ cmd: 'enabledevice' })
    socket.say({ ret: 'enabledevice', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    const now = Date.now()
    await add({ cmd: 'deleteuser', body: { enrollid: 1, backupnum: 13 } }, now)
    await add({ cmd: 'deleteuser', body: { enrollid: 2, backupnum: 13 } }, now + 1)
    await add({ cmd: 'opendoor', isOnce: true }, now + 2)
    socket.say(empty('getnewlog'))
    const order: unknown[] = []
    for (const cmd of ['disabledevice', 'deleteuser', 'deleteuser', 'enabledevice', 'opendoor']) {
      order.push((await socket.hear({ cmd })).enrollid)
      expect(socket.unheard).toEqual([])
      socket.say({ ret: cmd, result: true })
    }
    expect(order).toEqual([undefined, 1, 2, undefined, undefined])
    await untilIdle()
  })
})

describe('by the minute', () => {
  test('what may not be done twice is given up without an answer, and never sent again', async () => {
    const socket = await settled()
    const id = await add({ cmd: 'opendoor', isOnce: true })
    await goOn()
    await socket.hear({ cmd: 'opendoor' })
    await pollElsewhen()
    expect(await look(commandKey(sn, id))).toMatchObject({ state: 'sent' })
    await agedBy(30_000)
    await pollElsewhen()
    expect(await outcome(id)).toEqual(['failed', 'no answer', 1])
    await goOn()
    expect(socket.unheard.filter(({ cmd }) => cmd === 'opendoor')).toEqual([])
    // Too late.
    socket.say({ ret: 'opendoor', result: true })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    expect(await outcome(id)).toEqual(['failed', 'no answer', 1])
  })

  test('what may be done twice is sent again, three times in a registration, and given up after as many as were said', async () => {
    const id = await add({ cmd: 'setuserlock', mostAttempts: 4 })
    const delivered = async () => {
      const socket = await connect()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      return socket
    }
    let socket = await delivered()
    for (const attempts of [1, 2, 3]) {
      await socket.hear({ cmd: 'setuserlock' })
      expect(await look(commandKey(sn, id))).toMatchObject({ state: 'sent', attempts })
      await agedBy(30_000)
      await pollElsewhen()
      await socket.hear({ cmd: 'settime' })
      socket.say({ ret: 'settime', result: true })
    }
    await untilIdle()
    expect(await look(commandKey(sn, id))).toMatchObject({ state: 'queued', attempts: 3 })
    await goOn()
    expect(socket.unheard.filter(({ cmd }) => cmd === 'setuserlock')).toEqual([])
    socket = await delivered()
    await socket.hear({ cmd: 'setuserlock' })
    await agedBy(30_000)
    await pollElsewhen()
    expect(await outcome(id)).toEqual(['failed', 'no answer', 4])
  })

  test('what one drops its line over each time lets the others by, and is given up after as many as were said', async () => {
    const id = await add({ cmd: 'setuserlock', mostAttempts: 4 })
    const door = await add({ cmd: 'opendoor' })
    const delivered = async () => {
      const socket = await connect()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      return socket
    }
    const drop = async (socket: Socket) => {
      socket.close()
      await eventually(device, found => expect(found.connection).toBeUndefined())
    }
    const isLongAgo = async () => {
      const { change } = await import('../../functions/kit/table/change.ts')
      await change(table(), commandKey(sn, id), known => ({ ...known, sentAt: iso(Date.now() - minute) }))
    }
    for (const attempts of [1, 2, 3]) {
      const socket = await delivered()
      await socket.hear({ cmd: 'setuserlock' })
      expect(await look(commandKey(sn, id))).toMatchObject({ state: 'sent', attempts })
      await drop(socket)
    }
    const socket = await delivered()
    await socket.hear({ cmd: 'opendoor' })
    socket.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcome(door),
      found => expect(found).toEqual(['done', 'ok', 1]),
    )
    await untilIdle()
    await isLongAgo()
    await goOn()
    expect(await look(commandKey(sn, id))).toMatchObject({ state: 'queued', attempts: 3 })
    expect(socket.unheard.filter(({ cmd }) => cmd === 'setuserlock')).toEqual([])
    await drop(socket)
    const last = await delivered()
    await last.hear({ cmd: 'setuserlock' })
    await drop(last)
    await isLongAgo()
    await delivered()
    await eventually(
      () => outcome(id),
      found => expect(found).toEqual(['failed', 'no answer', 4]),
    )
  })

  test('a page that was lost where somebody had it asked for one is not forgotten by the next question', async () => {
    const socket = await settled()
    await alter({ uploadedAt: iso(Date.now() - 3 * minute) })
    const id = await add({ cmd: 'getnewlog', mostAttempts: 5 })
    await goOn()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await agedBy(30_000)
    await pollElsewhen()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.say(empty('getnewlog'))
    await eventually(
      () => outcome(id),
      found => expect(found).toEqual(['done', 'ok', 2]),
    )
    expect((await device()).reconcileFrom).toBe(today())
  })

  test('a page that comes twice at once is answered by one question', async () => {
    const socket = await settled()
    await add({ cmd: 'getnewlog', mostAttempts: 5 })
    await goOn()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    const record = [{ enrollid: 77, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    for (let n = 0; n < 2; n++) socket.say({ ...empty('getnewlog'), count: 2, record })
    await socket.hear({ cmd: 'getnewlog', stn: false })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    await wait(100)
    expect(socket.unheard).toEqual([])
    expect((await connection()).found.asked).toMatchObject({ command: 'getnewlog' })
  })

  test('one that kept what was punched until it was approved is asked for all of that where a page was lost', async () => {
    const recordsFrom = iso(Date.now() - 3 * 24 * 60 * minute)
    await alter({ recordsFrom })
    const first = await connect()
    await first.hear({ cmd: 'getnewlog' })
    first.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    const from = localTimeAt(zone, Date.parse(recordsFrom)).slice(0, 10)
    expect((await device()).reconcileFrom).toBe(from)
    const socket = await connect()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await eventually(connection, ({ found }) => expect(found.asked).toBeUndefined())
    await putOff(-minute)
    await goOn()
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ from })
  })

  test('what one could not do for an erasure is still owed, and over when it is done', async () => {
    const { handler } = await import('../../events/command.ts')
    const ids = await Promise.all([1, 2].map(n => add({ cmd: 'deleteuser', erasure: 'e' }, Date.now() + n)))
    const steps = ids.map(command => ({ serialNumber: sn, command }))
    await kit.save(
      table().insert(erasureKey('e'), {
        ...{ id: 'e', by: 'b', employee: 'p', startedAt: iso(Date.now()), state: 'waiting', waiting: steps, total: 2 },
      }),
      table().insert(erasureOfKey('p'), { erasure: 'e' }),
    )
    const settle = async (id: string, result: 'ok' | 'unsupported') => {
      const command = await look(commandKey(sn, id))
      if (!command) throw new Error('No command')
      await queue.giveUp(table(), command, { result }, Date.now())
      const detail = { type: 'command.settled', company, sn, command: id, erasure: 'e' }
      const body = JSON.stringify({ version: '0', id, 'detail-type': detail.type, source, detail })
      await handler({ Records: [{ messageId: id, body }] } as unknown as SQSEvent)
      return (await look(erasureKey('e')))?.waiting.map(({ command }) => command)
    }
    const [first = '', second = ''] = ids
    expect(await settle(first, 'unsupported')).toEqual([first, second])
    expect(await settle(second, 'ok')).toEqual([first])
    // Somebody has it tried once more; the erasure waits for it by the same name.
    expect(await queue.retryCommand(table(), sn, first, 'b')).toBe(first)
    expect(await settle(first, 'ok')).toBeUndefined()
    expect(await look(erasureOfKey('p'))).toBeUndefined()
  })

  test('what nobody waits for any more is over, whether a terminal is there or not', async () => {
    const deadline = Date.now() + 30_000
    await queue.watch(company, sn, deadline)
    const id = await add({ cmd: 'opendoor', isOnce: true, deadline: iso(deadline) })
    await poll({ time: iso(Date.now()) })
    expect(await look(commandKey(sn, id))).toMatchObject({ state: 'queued' })
    const { change } = await import('../../functions/kit/table/change.ts')
    await change(table(), commandKey(sn, id), command => ({ ...command, deadline: iso(Date.now() - 1000) }))
    await pollElsewhen()
    expect(await outcome(id)).toEqual(['expired', 'expired', 0])
    expect(await kit.directory().get(dueTerminalKey(sn))).toBeUndefined()
  })

  test('a terminal is asked for its records in its own minute, and in no other', async () => {
    const socket = await settled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await goOn()
    expect(socket.unheard).toEqual([])
    socket.say(empty('getnewlog'))
    await untilIdle()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
  })

  test('one that says nothing is sent away, and one that has gone is asked nothing', async () => {
    const socket = await settled()
    await silentFor(12)
    await pollRound()
    await socket.closed
    await eventually(device, found => expect(found.connection).toBeUndefined())
    await kit.save(kit.directory().put(openTerminalKey(sn), { company, serialNumber: sn, connection: 'gone', zone }))
    await pollRound()
    await silentFor(12)
    await pollRound()
    expect(await open()).toBeUndefined()
  })

  test('one whose line is cut for a moment is told to be nothing; one that stays away is silent until it comes back', async () => {
    const socket = await settled()
    socket.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    await pollRound()
    expect(await device()).not.toHaveProperty('isSilent')
    expect(await open()).toBeDefined()
    // As nobody is told that it went or came, whatever else is told of it meanwhile says that it is there.
    expect(await tell('terminal.updated')).toMatchObject({ serial_number: sn, online: true })
    await silentFor(12)
    expect(await tell('terminal.updated')).toMatchObject({ online: true })
    await pollRound()
    expect(await device()).toHaveProperty('isSilent', true)
    expect(await open()).toBeUndefined()
    expect(await tell('terminal.updated')).toMatchObject({ online: false })
    expect(await tell('terminal.offline')).toMatchObject({ serial_number: sn, online: false })
    await connect()
    expect(await device()).not.toHaveProperty('isSilent')
  })

  test('one that is asked for a page over its old line just when it registers over a new one may have lost that', async () => {
    await settled()
    const { id } = await connection()
    const socket = await openSocket(address)
    sockets.push(socket)
    const { change } = await import('../../functions/kit/table/change.ts')
    const wasAsked = rightBefore(
      input => input.includes('"firstOnlineAt"') && input.includes('"cpusn"'),
      () =>
        change(kit.directory(), connectionKey(id), known => ({
          ...known,
          asked: { command: 'getnewlog', at: iso(Date.now()) },
        })),
    )
    socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    await socket.hear({ ret: 'reg', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    expect(wasAsked()).toBe(true)
    expect((await connection()).found.steps).toMatchObject([{ command: 'getalllog' }])
  })

  test('what was to be asked for when nothing was lost does not say that nothing is, where a page was lost meanwhile', async () => {
    const socket = await settled()
    await add({ cmd: 'getnewlog', mostAttempts: 1 })
    await goOn()
    await socket.hear({ cmd: 'getnewlog' })
    const { id } = await connection()
    await alter({ uploadedAt: iso(Date.now() - 5 * minute) })
    await terminal.lead(company, sn, id, [{ command: 'getnewlog' }])
    await agedBy(30_000)
    await goOn()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect(await device()).toHaveProperty('reconcileFrom')
  })

  test('what one says over a line it has no more sets nothing of the hardware that took its place', async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    const { id, found } = await connection()
    await alter({ connection: 'another' })
    const said = { command: 'setdevinfo', ok: true, fields: {} }
    await answer.takeAnswer(company, { id, connection: found, now: Date.now() }, said)
    expect((await device()).settings).toBeUndefined()
    await alter({ connection: id })
    await answer.takeAnswer(company, { id, connection: found, now: Date.now() }, said)
    expect((await device()).settings).toBeDefined()
  })

  test('one whose line is cut while it registers has not registered', async () => {
    const socket = await openSocket(address)
    sockets.push(socket)
    const before = await device()
    let id = ''
    const wasCut = rightBefore(
      input => {
        id = /"connection":"([^"]+)"/.exec(input)?.[1] ?? id
        return input.includes('"firstOnlineAt"')
      },
      () => kit.save(kit.directory().remove(connectionKey(id))),
    )
    socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    // Nobody is there who could be answered.
    await eventually(
      async () => wasCut(),
      isOver => expect(isOver).toBe(true),
    )
    await wait(300)
    expect(socket.unheard).toEqual([])
    expect(await device()).toEqual(before)
    expect(await open()).toBeUndefined()
    await connect()
    expect(await device()).toMatchObject({ state: 'bound', generation: 1 })
  })

  test('one that speaks is written down to be there once a minute, silent no more, and what stands still goes on', async () => {
    const socket = await settled()
    const { id, found } = await connection()
    const asked = { command: 'settime', at: iso(Date.now() - 5 * minute) }
    const steps = [{ command: 'getnewlog' as const }]
    const connectedAt = iso(Date.now() - 6 * minute)
    await kit.save(kit.directory().replace(connectionKey(id), { ...found, connectedAt, asked, steps }))
    await alter({ lastSeenAt: iso(Date.now() - 12 * minute), isSilent: true })
    const record = [{ enrollid: 1, time: localNow().replace('T', ' '), mode: 0, inout: 0, event: 0 }]
    socket.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await socket.hear({ ret: 'sendlog', result: true })
    const { version, isSilent, lastSeenAt = '' } = await device()
    expect(isSilent).toBeUndefined()
    expect(Date.now() - Date.parse(lastSeenAt)).toBeLessThan(minute)
    socket.say({ cmd: 'sendlog', count: 1, logindex: 2, record })
    await socket.hear({ ret: 'sendlog', result: true })
    expect((await device()).version).toBe(version)
  })

  test('one of which nobody said that it went is found to be gone when it is asked, and what it was asked waits', async () => {
    const socket = await settled()
    const { id: known, found } = await connection()
    // The process that held its line was killed.
    const { version: _, ...left } = found
    await kit.save(kit.directory().put(connectionKey('gone'), left))
    await alter({ connection: 'gone' })
    const command = await add({ cmd: 'settime' })
    await goOn()
    expect((await device()).connection).toBeUndefined()
    const waiting = await look(commandKey(sn, command))
    expect(waiting).toMatchObject({ state: 'queued', attempts: 0 })
    expect(waiting).not.toHaveProperty('sentAt')
    await kit.save(kit.directory().remove(connectionKey(known)))
    socket.close()
    await kit.save(table().remove(commandKey(sn, command)))
    // Of what was said once nobody heard, either: it is done if the terminal is back in time.
    for (const cmd of ['opendoor', 'reboot']) {
      await alter({ connection: 'gone' })
      await kit.save(kit.directory().put(connectionKey('gone'), { ...left, asked: undefined }))
      const id = await add({ cmd, isOnce: true, deadline: iso(Date.now() + minute) })
      await goOn()
      expect((await device()).connection).toBeUndefined()
      const kept = await look(commandKey(sn, id))
      expect(kept, cmd).toMatchObject({ state: 'queued', attempts: 0 })
      if (kept) await kit.save(table().replace(commandKey(sn, id), { ...kept, deadline: iso(Date.now()) }))
      await goOn()
      expect(await outcome(id), cmd).toEqual(['expired', 'expired', 0])
    }
  })

  test('one that may have lost a page still owes it when somebody had it asked for something else', async () => {
    const socket = await settled()
    const lostFrom = addDays(today(), -3)
    await alter({ reconcileFrom: lostFrom })
    for (const asked of [
      { cmd: 'getnewlog', body: {} },
      { cmd: 'getalllog', body: { from: addDays(today(), -1) } },
    ]) {
      const id = await add(asked)
      await goOn()
      await socket.hear({ cmd: asked.cmd })
      socket.say(empty(asked.cmd))
      await eventually(
        () => outcome(id),
        found => expect(found).toEqual(['done', 'ok', 1]),
      )
      expect((await device()).reconcileFrom).toBe(lostFrom)
    }
    await alter({ unsent: 30 })
    await add({ cmd: 'getalllog', body: { from: lostFrom } })
    await goOn()
    await socket.hear({ cmd: 'getalllog', from: lostFrom })
    socket.say(empty('getalllog'))
    await eventually(device, found => expect(found.reconcileFrom).toBeUndefined())
    // What it has not sent may be older.
    expect((await device()).unsent).toBe(30)
  })

  test('what one answers late of somebody else is no answer to what it was asked since', async () => {
    const socket = await settled()
    const id = await add({ cmd: 'deleteuser', body: { enrollid: 2, backupnum: 13 } })
    await goOn()
    await socket.hear({ cmd: 'deleteuser', enrollid: 2 })
    socket.say({ ret: 'deleteuser', result: true, enrollid: 1 })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    expect(await look(commandKey(sn, id))).toMatchObject({ state: 'sent' })
    socket.say({ ret: 'deleteuser', result: true, enrollid: '2' })
    await eventually(
      () => outcome(id),
      found => expect(found).toEqual(['done', 'ok', 1]),
    )
  })

  test('what comes too late is no answer to what is asked in the same words next: something else is asked between them', async () => {
    const socket = await settled()
    const first = await add({ cmd: 'setuserlock', body: { count: 1 } })
    const second = await add({ cmd: 'setuserlock', body: { count: 2 } })
    await goOn()
    await socket.hear({ cmd: 'setuserlock', count: 1 })
    await agedBy(30_000)
    await pollElsewhen()
    await socket.hear({ cmd: 'settime' })
    // It answers what it was asked, one after the other.
    socket.say({ ret: 'setuserlock', result: true })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'setuserlock', count: 1 })
    expect(await look(commandKey(sn, second))).toMatchObject({ state: 'queued', attempts: 0 })
    socket.say({ ret: 'setuserlock', result: true })
    await socket.hear({ cmd: 'setuserlock', count: 2 })
    await eventually(
      () => outcome(first),
      found => expect(found).toEqual(['done', 'ok', 2]),
    )
  })

  test('one that did not answer a reset may have done it: who is to be there is sent there again', async () => {
    const socket = await settled()
    const id = await add({ cmd: 'initsys', isOnce: true })
    await goOn()
    await socket.hear({ cmd: 'initsys' })
    expect((await device()).emptiedAt).toBeUndefined()
    await agedBy(30_000)
    await pollElsewhen()
    expect(await outcome(id)).toEqual(['failed', 'no answer', 1])
    const { emptiedAt, resetAt } = await device()
    expect(emptiedAt).toBeDefined()
    expect(resetAt).toBeUndefined()
  })

  test('one whose line nobody knows any more is asked for what it may have answered on it', async () => {
    const socket = await settled()
    const { id } = await connection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    await pollRound()
    expect(await device()).toMatchObject({ reconcileFrom: expect.any(String) })
    expect((await device()).connection).toBeUndefined()
    socket.close()
  })

  test('one whose clock goes wrong is seen to by a record of later than now, and to be right again by one of now', async () => {
    const socket = await settled()
    const send = async (...seconds: number[]) => {
      const record = seconds.map(ahead => ({
        ...{ enrollid: 1, time: localTimeAt(zone, Date.now() + ahead * 1000).replace('T', ' ') },
        ...{ mode: 0, inout: 0, event: 0 },
      }))
      socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
      return (await device()).driftSeconds
    }
    expect(await send(20)).toBeUndefined()
    const ahead = await send(-7200, 300)
    expect(ahead).toBeGreaterThan(290)
    expect(ahead).toBeLessThanOrEqual(300)
    const { version } = await device()
    expect(await send(301)).toBe(ahead)
    expect((await device()).version).toBe(version)
    // What was kept back tells nothing; it is looked up once a minute whether it is right again.
    const { id, found } = await connection()
    await kit.save(kit.directory().replace(connectionKey(id), { ...found, connectedAt: iso(Date.now() - 5 * minute) }))
    expect(await send(-300)).toBe(ahead)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * minute)
    expect(Math.abs((await send(0)) ?? 99)).toBeLessThan(10)
  })

  test('a clock that one record says to be wrong is set, once in a connection: what was wrong of the record alone is over by that', async () => {
    const socket = await settled()
    const send = async (ahead: number) => {
      const time = localTimeAt(zone, Date.now() + ahead * 1000).replace('T', ' ')
      const record = [{ enrollid: 1, time, mode: 0, inout: 0, event: 0 }]
      socket.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
    }
    await send(3 * 24 * 3600)
    expect((await device()).driftSeconds).toBeGreaterThan(2 * 24 * 3600)
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await eventually(device, found => expect(found.driftSeconds).toBe(0))
    // One that says it was set and goes on wrong is wrong.
    await send(600)
    await untilIdle()
    expect((await device()).driftSeconds).toBeGreaterThan(590)
    expect(socket.unheard).toEqual([])
  })

  test('a socket that has not said in time who it is, and says nothing, is closed', async () => {
    const newcomers = () => kit.directory().all<Newcomer>({ pk: newcomerKey('').pk })
    await poll({ time: iso(Date.now()) })
    const others = new Set((await newcomers()).map(({ connection }) => connection))
    const come = async () => (await newcomers()).filter(({ connection }) => !others.has(connection))
    const silent = await openSocket(address)
    const known = await settled()
    const late = await come()
    expect(late).toHaveLength(2)
    const fresh = await openSocket(address)
    sockets.push(silent, fresh)
    for (const one of late) {
      const connectedAt = iso(Date.now() - 91_000)
      await kit.save(kit.directory().put(newcomerKey(one.connection), { ...one, connectedAt }))
    }
    await pollElsewhen()
    expect(await silent.closed).toBe(1000)
    expect(await come()).toHaveLength(1)
    known.say({ cmd: 'checklive' })
    await known.hear({ ret: 'checklive' })
    fresh.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    expect(await fresh.hear({ ret: 'reg' })).toMatchObject({ result: true })
  })

  test('one of which nobody said that it went is offline, and silent when it stays away', async () => {
    await settled()
    const { id } = await connection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    await pollRound()
    expect((await device()).connection).toBeUndefined()
    await silentFor(12)
    await pollRound()
    expect(await device()).toHaveProperty('isSilent', true)
    expect(await open()).toBeUndefined()
  })

  test('a first page that went with the connection is asked for again by the next one', async () => {
    const socket = await settled()
    expect((await device()).reconcileFrom).toBeUndefined()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    expect((await device()).reconcileFrom).toMatch(/^\d{4}-/)
    const again = await connect()
    await again.hear({ cmd: 'getnewlog', stn: true })
    await putOff(10 * minute)
    again.say(empty('getnewlog'))
    // What is new, and what is queued, comes first.
    await eventually(connection, ({ found }) => expect(found.asked).toBeUndefined())
    const door = await add({ cmd: 'opendoor' })
    await goOn()
    await again.hear({ cmd: 'opendoor' })
    again.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcome(door),
      found => expect(found).toEqual(['done', 'ok', 1]),
    )
    expect(again.unheard).toEqual([])
    expect((await device()).reconcileFrom).toBeDefined()
    await putOff(-minute)
    await pollElsewhen()
    await again.hear({ cmd: 'getalllog', stn: true })
    again.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeUndefined()
  })

  test('one is asked for two days once a day, and told of where it had kept something back', async () => {
    const socket = await settled()
    const yesterday = addDays(today(), -1)
    const uploadedAt = iso(Date.now() - 10 * minute)
    await alter({ reconciledOn: yesterday, uploadedAt })
    const { id, found } = await connection()
    const step = { command: 'getalllog' as const, from: yesterday, isDaily: true }
    await kit.save(kit.directory().replace(connectionKey(id), { ...found, steps: [step] }))
    await goOn()
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ stn: true, from: yesterday, to: today() })
    const record = [{ enrollid: 7, time: `${yesterday} 08:00:00`, mode: 0, inout: 0, event: 0 }]
    socket.say({ ret: 'getalllog', result: true, count: 1, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await untilIdle()
    expect(await device()).toMatchObject({ reconciledOn: today(), recovered: { count: 1, at: expect.any(String) } })
    // What is known by then is no news.
    await alter({ recovered: undefined })
    const second = await connection()
    await kit.save(kit.directory().replace(connectionKey(second.id), { ...second.found, steps: [step] }))
    await goOn()
    await socket.hear({ cmd: 'getalllog', stn: true })
    socket.say({ ret: 'getalllog', result: true, count: 1, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).recovered).toBeUndefined()
  })

  test('what a page was lost of is asked for again while it is connected', async () => {
    const socket = await settled()
    await alter({ reconcileFrom: addDays(today(), -3) })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.say(empty('getnewlog'))
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ stn: true, from: addDays(today(), -3) })
    expect((await device()).reconcileFrom).toBe(addDays(today(), -3))
    socket.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeUndefined()
  })

  test('what was lost since it was asked for what is new is asked for, whatever it answers to that', async () => {
    const socket = await settled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const record = [{ enrollid: 1, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    socket.say({ cmd: 'sendlog', count: 5, logindex: 1, record })
    await socket.hear({ ret: 'sendlog', result: true })
    expect((await device()).reconcileFrom).toBeDefined()
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    // What it was asked for of all its records before that may have been of a page before.
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'getalllog', stn: true })
    socket.say({ ret: 'getalllog', result: true, count: 9, from: 0, to: 0, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say({ cmd: 'sendlog', count: 4, logindex: 2, record })
    await socket.hear({ ret: 'sendlog', result: true })
    socket.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'getalllog', stn: true })
    socket.say(empty('getalllog'))
    await untilIdle()
    const { reconcileFrom, pageLostAt } = await device()
    expect([reconcileFrom, pageLostAt]).toEqual([undefined, undefined])
  })

  const daily = () => ({ command: 'getalllog' as const, from: addDays(today(), -1), isDaily: true })
  const ask = async (...steps: NonNullable<Connection['steps']>) => {
    const { id, found } = await connection()
    await kit.save(kit.directory().replace(connectionKey(id), { ...found, steps }))
    await goOn()
  }
  /** What a reset begins with, and the reset. */
  const addReset = async () => {
    const all = await add({ cmd: 'getalllog', body: { from: addDays(today(), -3) }, mostAttempts: 5 })
    return { all, reset: await add({ cmd: 'initsys', isOnce: true, needs: all }, Date.now() + 1) }
  }

  test('an answer that comes too late is no answer to the same question about more days: a reset waits for that', async () => {
    const socket = await settled()
    await ask(daily())
    await socket.hear({ cmd: 'getalllog' })
    await agedBy(30_000)
    // Also where nothing is to be asked just then.
    await goOn()
    await socket.hear({ cmd: 'settime' })
    const { all, reset } = await addReset()
    // This answers what was asked first.
    socket.say(empty('getalllog'))
    socket.say({ ret: 'settime', result: true })
    expect(await socket.hear({ cmd: 'getalllog', stn: true })).toMatchObject({ from: addDays(today(), -3) })
    expect(socket.unheard).toEqual([])
    expect(await outcome(reset)).toEqual([undefined, undefined, undefined])
    const record = [{ enrollid: 7, time: `${addDays(today(), -3)} 08:00:00`, mode: 0, inout: 0, event: 0 }]
    socket.say({ ret: 'getalllog', result: true, count: 1, from: 0, to: 0, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await socket.hear({ cmd: 'initsys' })
    expect(await outcome(all)).toEqual(['done', 'ok', 1])
  })

  test.each(['before', 'behind'])(
    'where nobody can know what an answer answers, for the clock was set without one %s the question, it is asked over a new line',
    async order => {
      const socket = await settled()
      const giveUp = async (cmd: string) => {
        await socket.hear({ cmd })
        await agedBy(30_000)
        await goOn()
      }
      if (order === 'before') {
        await ask({ command: 'settime' }, daily())
        await giveUp('settime')
      } else await ask(daily())
      await giveUp('getalllog')
      const { all, reset } = await addReset()
      if (order === 'behind') await giveUp('settime')
      else await goOn()
      await socket.hear({ cmd: 'getalllog', stn: true })
      socket.say(empty('getalllog'))
      expect(await socket.closed).toBe(1000)
      expect(socket.unheard).toEqual([])
      await eventually(device, found => expect(found.connection).toBeUndefined())
      expect((await device()).reconcileFrom).toBeDefined()
      const again = await connect()
      await again.hear({ cmd: 'getnewlog' })
      again.say(empty('getnewlog'))
      expect(await again.hear({ cmd: 'getalllog' })).toMatchObject({ from: addDays(today(), -3) })
      expect(await outcome(reset)).toEqual([undefined, undefined, undefined])
      again.say(empty('getalllog'))
      await eventually(
        () => outcome(all),
        found => expect(found).toEqual(['done', 'ok', 2]),
      )
    },
  )

  test('what people asked before other hardware was approved it does not do: a reset empties nothing, no door is opened', async () => {
    const socket = await settled()
    const by = 'b'.repeat(16)
    const asked = [await add({ cmd: 'initsys', isOnce: true, by }), await add({ cmd: 'opendoor', isOnce: true, by })]
    asked.push(await add({ cmd: 'getuserlist', body: { isFirst: false } }))
    asked.push(await add({ cmd: 'getuserinfo', body: { enrollid: 7, backupnum: 0 } }))
    await alter({ replacedAt: iso(Date.now() + 1000) })
    await goOn()
    for (const one of asked) expect(await outcome(one)).toEqual(['cancelled', 'cancelled', 0])
    const door = await add({ cmd: 'opendoor' })
    await goOn()
    await socket.hear({ cmd: 'opendoor' })
    expect(await outcome(door)).toEqual([undefined, undefined, undefined])
    expect(socket.unheard).toEqual([])
  })

  test('who is always slow is not sent away for ever', async () => {
    const socket = await settled()
    await alter({ allAsked: { at: iso(Date.now()), times: mostAllAsked } })
    await ask({ command: 'settime' }, { command: 'getnewlog' })
    for (const cmd of ['settime', 'getnewlog']) {
      await socket.hear({ cmd })
      await agedBy(30_000)
      await goOn()
    }
    await ask({ command: 'getnewlog' })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    // By the hour it is, for what is lost is told nowhere but over a new line.
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).allAsked?.times).toBe(mostAllAsked)
    await alter({ allAsked: { at: iso(Date.now() - 61 * minute), times: mostAllAsked } })
    await pollRound()
    await socket.closed
    expect((await device()).reconcileFrom).toBeDefined()
  })

  test('what was lost is asked for over whichever connection that was, and no more than by the hour where it is never told', async () => {
    const socket = await settled()
    const { id } = await connection()
    const record = [{ enrollid: 1, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    await alter({ connection: 'another' })
    socket.say({ cmd: 'sendlog', count: 5, logindex: 1, record })
    await socket.hear({ ret: 'sendlog', result: true })
    await alter({ connection: id })
    expect((await device()).reconcileFrom).toBeDefined()
    let asked = 0
    for (let round = 0; round < 7; round++) {
      await pollRound()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await eventually(connection, ({ found }) => expect(found.asked?.command).not.toBe('getnewlog'))
      if ((await connection()).found.asked) {
        await socket.hear({ cmd: 'getalllog' })
        asked++
        socket.say({ ret: 'getalllog', result: false, reason: 1 })
      }
      await untilIdle()
    }
    expect(asked).toBe(mostAllAsked)
    expect(warningsOf(await device(), Date.now())).toContain('owed')
    // What is new is not all that may be lost.
    await alter({ pageLostAt: undefined })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    await alter({ allAsked: { at: iso(Date.now() - 61 * minute), times: mostAllAsked } })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'getalllog' })
    socket.say(empty('getalllog'))
    await untilIdle()
    const { allAsked, reconcileFrom } = await device()
    expect([allAsked, reconcileFrom]).toEqual([undefined, undefined])
    expect(warningsOf(await device(), Date.now())).not.toContain('owed')
  })

  test('what one was asked over a line that was ended without a word may be lost', async () => {
    const socket = await settled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const { id } = await connection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    const again = await connect()
    await again.hear({ cmd: 'getnewlog' })
    await putOff(-minute)
    again.say(empty('getnewlog'))
    await again.hear({ cmd: 'getalllog' })
    socket.close()
  })

  test('one that did not answer how it is to be set is set anew, also as it was before', async () => {
    const prevent = (mask_detection: 0 | 1 | 2) =>
      kit.save(table().put(companyKey(), settings({ prevention: { ...defaultPrevention, mask_detection } })))
    const round = await import('../../functions/terminal/round.ts')
    await alter({ state: 'bound' })
    const socket = await connect(newest, false)
    const hear = async (from = socket) => {
      const { devinfo } = await from.hear({ cmd: 'setdevinfo' })
      return devinfo
    }
    const emptied = async (from = socket) => {
      await from.hear({ cmd: 'getnewlog' })
      from.say(empty('getnewlog'))
      await untilIdle()
    }
    expect(await hear()).toMatchObject({ mask_detection: 0 })
    socket.say({ ret: 'setdevinfo', result: true })
    await emptied()
    for (const isCut of [false, true]) {
      await prevent(2)
      await round.setTerminals(company)
      expect(await hear()).toMatchObject({ mask_detection: 2 })
      await prevent(0)
      if (isCut) break
      await agedBy(30_000)
      await goOn()
      await round.setTerminals(company)
      expect(await hear()).toMatchObject({ mask_detection: 0 })
      socket.say({ ret: 'setdevinfo', result: true })
      await untilIdle()
    }
    socket.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    expect(await hear(await connect(newest, false))).toMatchObject({ mask_detection: 0 })
  })

  test('what one holds of people is counted when it was told of them and is quiet, as far as it said how many', async () => {
    const socket = await connect({ ...newest, useduser: 3, usedfp: 2 })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    const hold = (employee: string, holds: Record<string, string>) =>
      kit.save(table().put(deviceUserKey(sn, employee), { ...newDeviceUser(sn, employee, '7'), holds }))
    const quiet = async () => {
      const { id, found } = await connection()
      expect(found.wroteAt).toBeDefined()
      await kit.save(kit.directory().replace(connectionKey(id), { ...found, wroteAt: iso(Date.now() - 30_000) }))
    }
    // Of what was sent and is not confirmed nobody knows.
    await hold('b'.repeat(16), { name: '', 1: '' })
    await hold('c'.repeat(16), { name: '' })
    await add({ cmd: 'deleteuser', body: { enrollid: 9, backupnum: 13 } })
    await goOn()
    await socket.hear({ cmd: 'deleteuser' })
    await hold('a'.repeat(16), { name: 'n', 0: 'm', 50: 'f' })
    await hold('b'.repeat(16), { name: 'n', 1: '' })
    socket.say({ ret: 'deleteuser', result: true })
    await untilIdle()
    await pollElsewhen()
    expect(await device()).toMatchObject({ users: 3, templates: 2 })
    await quiet()
    await pollElsewhen()
    const { users, templates, faces } = await device()
    expect([users, templates, faces]).toEqual([5, 3, undefined])
    expect(await kit.directory().get(dueTerminalKey(sn))).toBeUndefined()
    // Somebody does something at the terminal itself.
    await kit.save(table().remove(deviceUserKey(sn, 'a'.repeat(16))))
    socket.say({ cmd: 'senduser', enrollid: 7, backupnum: 0, name: 'N', record: 'ABCDEF0123' })
    await socket.hear({ ret: 'senduser' })
    await quiet()
    await pollElsewhen()
    expect(await device()).toMatchObject({ users: 4, templates: 2 })
    // What it took last is counted though it goes.
    await hold('d'.repeat(16), { name: 'n', 0: 'm' })
    socket.say({ cmd: 'senduser', enrollid: 7, backupnum: 0, name: 'N', record: 'ABCDEF0123' })
    await socket.hear({ ret: 'senduser' })
    socket.close()
    await eventually(device, found => expect(found.wroteAt).toBeDefined())
    await pollElsewhen()
    expect(await device()).toMatchObject({ users: 4, templates: 2 })
    await alter({ wroteAt: iso(Date.now() - 30_000) })
    await kit.save(kit.directory().put(dueTerminalKey(sn), { company, serialNumber: sn, dueAt: iso(Date.now()) }))
    await pollElsewhen()
    const left = await device()
    expect([left.users, left.templates, left.wroteAt]).toEqual([5, 3, undefined])
  })

  test('what is in doubt when one says how many it holds is there as far as that leaves room, and not counted twice', async () => {
    const hold = (employee: string, holds: Record<string, string>) =>
      kit.save(table().put(deviceUserKey(sn, employee), { ...newDeviceUser(sn, employee, '7'), holds }))
    const people = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(16))
    const settle = async () => {
      const { id, found } = await connection()
      await kit.save(kit.directory().replace(connectionKey(id), { ...found, wroteAt: iso(Date.now() - 30_000) }))
      await pollElsewhen()
    }
    // All are sent again, and one of them has come. It said all four, and one that is not ours; or it had lost two of them.
    for (const [said, base, after] of [
      [5, 4, 5],
      [2, 2, 4],
      [0, 1, 3],
    ] as const) {
      for (const [n, employee] of people.entries())
        await hold(employee, n === 0 ? { name: 'n', 0: 'm' } : { name: doubtfulMark })
      const socket = await connect({ ...newest, useduser: said })
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await untilIdle()
      await add({ cmd: 'deleteuser', body: { enrollid: 9, backupnum: 13 } })
      await goOn()
      await socket.hear({ cmd: 'deleteuser' })
      expect((await device()).counted?.held).toMatchObject({ users: base })
      for (const employee of people) await hold(employee, { name: 'n', 0: 'm' })
      socket.say({ ret: 'deleteuser', result: true })
      await untilIdle()
      await settle()
      expect((await device()).users).toBe(after)
    }
  })

  test('what one says of people it had counted already is not counted again', async () => {
    const listed = async (devinfo: object) => {
      const socket = await connect({ ...newest, ...devinfo })
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await untilIdle()
      await add({ cmd: 'getuserlist' })
      await goOn()
      await untilIdle()
    }
    await listed({ useduser: 3, usedfp: 2, usedface: 0 })
    const employee = { id: await employ('7') }
    await kit.save(table().insert(deviceUserKey(sn, employee.id), newDeviceUser(sn, employee.id, '7')))
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    const list = async (isEnrolment: boolean, backupnum: number) =>
      takeListed(company, { device: await device(), isEnrolment }, [{ number: '7', backupnum }])
    await list(false, 0)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
    // What somebody has just had it register it had not.
    await list(true, 50)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
    expect(await look(deviceUserKey(sn, employee.id))).toMatchObject({ holds: { 0: 'own', 50: 'own' } })
    // Who was in doubt when it counted was counted then.
    const holds = { name: doubtfulMark }
    await kit.save(table().put(deviceUserKey(sn, employee.id), { ...newDeviceUser(sn, employee.id, '7'), holds }))
    await listed({ useduser: 1, usedfp: 1, usedface: 0 })
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 0, faces: 0 })
    await list(false, 1)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
  })

  test('how many records one holds is counted as they come, but for those it counted before', async () => {
    const socket = await connect({ ...newest, usedlog: 9, usednewlog: 2 })
    const of = (second: number) => ({
      enrollid: 8,
      time: `${addDays(today(), -1)} 08:00:0${second}`,
      mode: 3,
      inout: 0,
      event: 0,
    })
    const send = async (...record: object[]) => {
      socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
    }
    await socket.hear({ cmd: 'getnewlog' })
    socket.say({ ret: 'getnewlog', result: true, count: 2, from: 0, to: 1, record: [of(1), of(2)] })
    await socket.hear({ cmd: 'getnewlog', stn: false })
    socket.say(empty('getnewlog'))
    await untilIdle()
    await send(of(3))
    await send(of(4), of(5))
    await send(of(3))
    // What came in this very moment is counted the next time.
    await poll({ time: iso(Date.now()) })
    expect((await device()).records).toBe(9)
    for (const minutes of [1, 2]) {
      await poll({ time: iso(Date.now() + minutes * minute) })
      expect((await device()).records).toBe(12)
    }
  })

  test('what is found where all records are asked for was among those one said it holds, but for what was made since', async () => {
    await alter({ reconcileFrom: today() })
    const socket = await connect({ ...newest, usedlog: 3, usednewlog: 0 })
    await socket.hear({ cmd: 'getnewlog' })
    await putOff(-minute)
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'getalllog', stn: true })
    const since = localTimeAt(zone, Date.now() + minute).replace('T', ' ')
    const record = [1, 2, 3]
      .map(second => `${today()} 00:00:0${second}`)
      .concat(since)
      .map(time => ({ enrollid: 8, time, mode: 3, inout: 0, event: 0 }))
    socket.say({ ret: 'getalllog', result: true, count: 4, from: 0, to: 3, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await untilIdle()
    for (const minutes of [1, 2]) {
      await poll({ time: iso(Date.now() + minutes * minute) })
      expect((await device()).records).toBe(4)
    }
  })

  test('one hears of temperature and mask where it measures them, once, whether it takes that or not', async () => {
    const socket = await settled(newest)
    await kit.save(table().put(companyKey(), settings({ prevention: { ...defaultPrevention, mask_detection: 2 } })))
    const before = (await device()).settings ?? ''
    expect(JSON.parse(before).devinfo).toMatchObject({ mask_detection: 0, fever_threshold: 37.3, use_logphoto: 0 })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const { settings: told = '' } = await device()
    expect(JSON.parse(told).devinfo).toMatchObject({ mask_detection: 2 })
    socket.say(empty('getnewlog'))
    await untilIdle()
    socket.close()
    await eventually(device, found => expect(found.connection).toBeUndefined())
    await alter({ settings: undefined })
    const deaf = await connect(newest, false)
    await deaf.hear({ cmd: 'setdevinfo' })
    deaf.say({ ret: 'setdevinfo', result: false, reason: 1 })
    await deaf.hear({ cmd: 'getnewlog' })
    deaf.say(empty('getnewlog'))
    await untilIdle()
    await pollRound()
    await deaf.hear({ cmd: 'getnewlog' })
    expect(deaf.unheard).toEqual([])
    expect((await device()).settings).toBeUndefined()
  })
})

test('of two that watch a terminal at once the earlier time stays', async () => {
  const now = Date.now()
  for (const [first, other] of [
    [10, 20],
    [20, 10],
  ] as const) {
    await kit.save(kit.directory().remove(dueTerminalKey(sn)))
    const isOver = rightBefore(
      input => input.includes('DUE_TERMINAL') && input.includes('"Item"'),
      () => queue.watch(company, sn, now + other * minute),
    )
    await queue.watch(company, sn, now + first * minute)
    expect(isOver()).toBe(true)
    vi.restoreAllMocks()
    expect((await kit.directory().get(dueTerminalKey(sn)))?.dueAt).toBe(iso(now + 10 * minute))
  }
})

test('of a terminal that was given up many people are forgotten at once', async () => {
  const { forgetTerminal } = await import('../../functions/terminal/user.ts')
  for (let i = 0; i < 60; i++) {
    const employee = String(i).padStart(16, 'e')
    await kit.save(table().put(deviceUserKey(sn, employee), newDeviceUser(sn, employee, String(i))))
  }
  const { send } = DynamoDBDocumentClient.prototype
  let [underWay, most] = [0, 0]
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...args: Parameters<typeof send>
  ) {
    most = Math.max(most, ++underWay)
    try {
      return await send.apply(this, args)
    } finally {
      underWay--
    }
  } as typeof send)
  await forgetTerminal(table(), sn)
  expect(most).toBeGreaterThan(10)
  expect(await table().count({ pk: deviceUserKey(sn, '').pk })).toBe(0)
})

test('what a company sends beyond measure is not acknowledged, and nobody else’s is kept waiting', async () => {
  const { mayTake } = await import('../../functions/terminal/pressure.ts')
  const socket = await settled()
  const yesterday = addDays(today(), -1)
  const record = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ enrollid: 1000 + n, time: `${yesterday} 08:00:00`, mode: 0, inout: 0, event: 0 },
    }))
  socket.say({ cmd: 'sendlog', count: 10, logindex: 1, record: record(10) })
  await socket.hear({ ret: 'sendlog', result: true })
  const flood = record(recordsPerMinute + 1)
  socket.say({ cmd: 'sendlog', count: flood.length, logindex: 2, record: flood })
  // Without an answer it would register anew, and be asked for all of it.
  await socket.hear({ ret: 'sendlog', result: false, logindex: 2 })
  expect(await table().count({ pk: punchKey({ number: '1150', localTime: '', sn: '' }).pk })).toBe(0)
  // Nor are pages that nobody asked for another way in; whether any was lost is looked after.
  socket.say({ ret: 'getalllog', result: true, count: flood.length, record: flood })
  await eventually(device, found => expect(found.reconcileFrom).toBeDefined())
  expect(await table().count({ pk: punchKey({ number: '1150', localTime: '', sn: '' }).pk })).toBe(0)
  const now = Date.now()
  expect(await mayTake('another', 1, now)).toBe(true)
  // Later it may.
  expect(await mayTake(company, 1, now + 2 * minute)).toBe(true)
})

test('who tries on and on under a terminal’s number is written down once a minute, and once more when it was too often', async () => {
  const { noteRefusal } = await import('../../functions/terminal/proof.ts')
  const at = Date.now()
  const note = async (reason: 'path' | 'password' | 'tries', later: number) => {
    await noteRefusal(table(), await device(), { reason, path: {} }, { ip: '1.2.3.4', protocol: 'ai-face' }, at + later)
    const { refused, version } = await device()
    return [refused?.reason, version]
  }
  const first = await note('password', 0)
  expect(first).toEqual(['password', 2])
  expect(await note('path', 1000)).toEqual(first)
  expect(await note('password', 2000)).toEqual(first)
  expect(await note('tries', 3000)).toEqual(['tries', 3])
  // Whichever way it tries next.
  expect([await note('path', 4000), await note('tries', 5000)]).toEqual(Array(2).fill(['tries', 3]))
  expect(await note('path', 3000 + minute)).toEqual(['path', 4])
})

test('who guesses a password from many networks has five guesses together, and keeps no terminal out where it came from last', async () => {
  const { refusalOf } = await import('../../functions/terminal/proof.ts')
  const { seal } = await import('../../functions/kit/secrets.ts')
  const known = { ...(await device()), authentication: 'claim+password' as const, ip: '192.0.2.7' }
  const owner = settings({ comm_pwd: await seal('471100', { company, purpose: 'comm_pwd' }) })
  const attempt = async (ip: string, password: string) => {
    const proof = { path: {}, said: { companyNumber: '1', password }, ip }
    return (await refusalOf(known, owner, proof, Date.now()))?.reason
  }
  const guesses = ['198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.0.1', '100.64.0.1']
  for (const ip of guesses) expect(await attempt(ip, 'guess')).toBe('password')
  for (const password of ['guess', '471100']) expect(await attempt('233.252.0.1', password)).toBe('tries')
  expect(await attempt('192.0.2.7', 'guess')).toBe('password')
  expect(await attempt('192.0.2.7', '471100')).toBeUndefined()
  // What is right is counted nowhere, and forgives what was wrong before.
  for (const password of Array(6).fill('471100')) expect(await attempt('192.0.2.7', password)).toBeUndefined()
})

describe('no reset erases a terminal, though it is forced,', () => {
  const open = async () => (await device()).refusedDeliveries ?? []
  const pushOf = (count: number) => ({
    ...{ cmd: 'sendlog', count, logindex: 1 },
    record: Array.from({ length: count }, (_, n) => ({
      ...{ enrollid: 1 + n, time: `${addDays(today(), -1)} 08:00:00`, mode: 0, inout: 0, event: 0 },
    })),
  })
  const reset = () => add({ cmd: 'initsys', isOnce: true })
  const failStoring = () =>
    rightBefore(
      input => input.includes('INSERT INTO'),
      () => Promise.reject(new Error('The table fails')),
      { isAlways: true },
    )
  const isUnasked = async (socket: Socket) => {
    await goOn()
    expect((await connection()).found.asked).toBeUndefined()
    expect(socket.unheard).toEqual([])
  }

  test('that was refused what it pushed, until it pushes the same again', async () => {
    const socket = await settled()
    failStoring()
    socket.say(pushOf(2))
    await socket.hear({ ret: 'sendlog', result: false })
    vi.restoreAllMocks()
    await reset()
    await isUnasked(socket)
    socket.say(pushOf(1))
    await socket.hear({ ret: 'sendlog', result: true })
    expect(await open()).toHaveLength(1)
    await isUnasked(socket)
    socket.say(pushOf(2))
    await socket.hear({ cmd: 'initsys' })
    expect(await open()).toEqual([])
  })

  test('that was refused over an earlier line, until it says that it has nothing new left', async () => {
    const socket = await settled()
    failStoring()
    socket.say(pushOf(2))
    await socket.hear({ ret: 'sendlog', result: false })
    vi.restoreAllMocks()
    const next = await connect()
    await next.hear({ cmd: 'getnewlog' })
    await reset()
    expect((await connection()).found.hasRefused).toBe(true)
    next.say(empty('getnewlog'))
    await next.hear({ cmd: 'initsys' })
    expect(await open()).toEqual([])
  })

  test('whose frame was too large, until it says that it has nothing new left', async () => {
    const socket = await settled()
    socket.say({ ...pushOf(1), image: 'x'.repeat(40_000) })
    expect(await socket.closed).toBe(1009)
    await eventually(open, list => expect(list).toMatchObject([{ table: 'sendlog', status: 413 }]))
    await reset()
    const next = await connect()
    await next.hear({ cmd: 'getnewlog' })
    // What somebody punches meanwhile is taken, and is not what was refused.
    next.say(pushOf(1))
    await next.hear({ ret: 'sendlog', result: true })
    expect(await open()).toHaveLength(1)
    expect(next.unheard).toEqual([])
    next.say(empty('getnewlog'))
    await next.hear({ cmd: 'initsys' })
  })

  test('of which a page was not stored, until it has told all its records', async () => {
    const socket = await settled()
    await terminal.lead(company, sn, (await device()).connection ?? '', [{ command: 'getnewlog' }])
    await socket.hear({ cmd: 'getnewlog' })
    failStoring()
    socket.say({ ...pushOf(2), cmd: undefined, ret: 'getnewlog', result: true, from: 0, to: 1 })
    await eventually(open, list => expect(list).toMatchObject([{ table: 'getnewlog', status: 503 }]))
    await eventually(device, ({ pageLostAt }) => expect(pageLostAt).toBeDefined())
    vi.restoreAllMocks()
    await reset()
    await agedBy(30_000)
    await goOn()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await untilIdle()
    await isUnasked(socket)
    const from = (await device()).reconcileFrom
    await terminal.lead(company, sn, (await device()).connection ?? '', [{ command: 'getalllog', from }])
    await socket.hear({ cmd: 'getalllog' })
    socket.say(empty('getalllog'))
    await socket.hear({ cmd: 'initsys' })
    expect(await open()).toEqual([])
  })
})
