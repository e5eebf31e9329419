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
import { deviceKey } from '../../shared/device/key.ts'
import { mostAllAsked, warningsOf } from '../../shared/device/warning.ts'
import { type Device, pollMinutes } from '../../shared/device.ts'
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

// The steps of a terminal’s connection, and the round that the server runs every minute. No event handler runs here,
// and rewritten timestamps replace waiting.

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
const getItem = <T>(key: Key<T>) => table().get(key)
const device = async () => {
  const stored = await getItem(deviceKey(sn))
  if (!stored) throw new Error('No device')
  return stored
}
const updateDevice = async (fields: Partial<Device>) => {
  const { change } = await import('../../functions/kit/table/change.ts')
  await change(table(), deviceKey(sn), stored => ({ ...stored, ...fields }))
}
const readConnection = async () => {
  const { connection: id = '' } = await device()
  const connection = await kit.directory().get(connectionKey(id))
  if (!connection) throw new Error('No connection')
  return { id, connection }
}
/** Backdates the pending request by this time. */
const ageRequest = async (milliseconds: number) => {
  const { id, connection } = await readConnection()
  const at = iso(Date.parse(connection.asked?.at ?? '') - milliseconds)
  await kit.save(
    kit.directory().replace(connectionKey(id), {
      ...connection,
      asked: { ...(connection.asked as NonNullable<Connection['asked']>), at },
    }),
  )
}
/** Delays the remaining steps by this time. */
const delaySteps = async (milliseconds: number) => {
  const { id, connection } = await readConnection()
  const steps = connection.steps?.map(step => ({ ...step, notBefore: iso(Date.now() + milliseconds) }))
  await kit.save(kit.directory().replace(connectionKey(id), { ...connection, steps }))
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
    () => readConnection(),
    ({ connection }) => expect([connection.asked, connection.steps ?? []]).toEqual([undefined, []]),
  )
const connectSettled = async (devinfo?: object) => {
  const socket = await connect(devinfo)
  await socket.hear({ cmd: 'getnewlog' })
  socket.say(empty('getnewlog'))
  await untilIdle()
  return socket
}
const addCommand = async (command: Partial<Command> & Pick<Command, 'cmd'>, at = Date.now()) => {
  const { newId } = await import('../../functions/kit/id.ts')
  const id = newId(at)
  await kit.save(queue.queueCommand(table(), sn, { body: {}, ...command, id }))
  return id
}
const continueTerminal = () => terminal.goOn(company, sn)
const outcomeOf = async (id: string) => {
  const { state, result, attempts } = (await getItem(settledCommandKey(sn, id))) ?? {}
  return [state, result, attempts]
}
/** Runs the round in a minute of other terminals. In such a minute it handles only overdue work of this terminal. */
const pollOtherMinute = () => {
  const next = Date.now() + minute
  const isOwn = partOf(sn, pollMinutes) === Math.floor(next / minute) % pollMinutes
  return poll({ time: iso(isOwn ? next + minute : next) })
}
/** Runs the round for consecutive minutes, so that it polls each terminal once. */
const pollRound = async (from = Date.now()) => {
  for (let n = 0; n < 5; n++) await poll({ time: iso(from + n * minute) })
}
const open = () => kit.directory().get(openTerminalKey(sn))
const setSilent = async (minutes: number) => {
  const { change } = await import('../../functions/kit/table/change.ts')
  await change(table(), deviceKey(sn), stored => ({ ...stored, lastSeenAt: iso(Date.now() - minutes * minute) }))
}
/** The webhook event of the terminal in its current state. */
const readEvent = async (event: 'terminal.updated' | 'terminal.offline') => {
  const { tellingOf } = await import('../../functions/webhooks/body.ts')
  const body = await tellingOf(table(), { type: 'event.happened', company, of: '', at: iso(Date.now()), event, sn })
  return eventData[event].strict().parse(body?.data)
}
/** The id of the employee with this number. */
const employeeOf = (number: string) => number.padStart(16, 'e')
const addEmployee = async (number: string) => {
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
  test('gets its settings first, then the request for its records, and then its queued commands', async () => {
    const command = await addCommand({ cmd: 'opendoor', isOnce: true })
    const socket = await connect(oldest, false)
    const set = { use_logphoto: 0, stranger_photo: 0, verifymode: 0, volume: 10, language: 9 }
    expect(await socket.hear({ cmd: 'setdevinfo' })).toEqual({ cmd: 'setdevinfo', ...set })
    await continueTerminal()
    expect(socket.unheard).toEqual([])
    socket.say({ ret: 'setdevinfo', result: true })
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await continueTerminal()
    expect(socket.unheard).toEqual([])
    socket.say(empty('getnewlog'))
    await socket.hear({ cmd: 'opendoor' })
    socket.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcomeOf(command),
      actual => expect(actual).toEqual(['done', 'ok', 1]),
    )
    expect(await device()).toMatchObject({ profile: 'v24', protocol: 'ai-face', settings: JSON.stringify(set) })
    socket.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    const reconnected = await connect(oldest, false)
    // The terminal has confirmed its settings, so the server does not send them again.
    await reconnected.hear({ cmd: 'getnewlog' })
  })

  test('with a wrong clock gets the time, and managers see the drift until it confirms the time', {
    tags: 'long',
  }, async () => {
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

  test('for the first time lists its users before it gets any user command', async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    await addCommand({ cmd: 'deleteuser', body: { enrollid: 7, backupnum: 0 } })
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

  test('and refuses to list its users has no trusted user list until it completes the list', async () => {
    const socket = await connect(oldest, false)
    for (const cmd of ['setdevinfo', 'getnewlog']) {
      await socket.hear({ cmd })
      socket.say(empty(cmd))
    }
    await socket.hear({ cmd: 'getuserlist', stn: true })
    socket.say({ ret: 'getuserlist', result: false, reason: 1 })
    await untilIdle()
    await addEmployee('7')
    await addCommand({ cmd: 'getuserlist' })
    await continueTerminal()
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
    await eventually(device, current => expect(current).toHaveProperty('listed'))
    await addEmployee('8')
    const holdsOf = async (number: string) => (await getItem(deviceUserKey(sn, employeeOf(number))))?.holds
    expect(await holdsOf('7')).toMatchObject({ 0: 'own' })
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    await kit.save(table().insert(deviceUserKey(sn, employeeOf('8')), newDeviceUser(sn, employeeOf('8'), '8')))
    for (const backupnum of [0, 1])
      await takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '7', backupnum }])
    for (const backupnum of [10, 11])
      await takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '8', backupnum }])
    // A template that appears after the list was enrolled for the employee of the number. An earlier template may
    // belong to a former user.
    expect([await holdsOf('7'), await holdsOf('8')]).toMatchObject([
      { 0: 'own', 1: 'own' },
      { 10: '?', 11: 'own' },
    ])
  })

  const card = (enrollid: number) => ({ enrollid, admin: 0, backupnum: 11 })
  test.each([
    ['repeats its page', { count: 90, from: 0, to: 39, record: [card(9)] }],
    ['answers without its counted users', {}],
    ['lists none of its counted users', { count: 0, from: 0, to: 0, record: [] }],
  ])('that %s has no trusted list until a list is complete, but its deliveries are trusted', async (_, page) => {
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
    await eventually(device, current => expect(current.listed).toMatchObject({ isPartial: true }))
    await updateDevice({ authentication: 'claim+path' })
    const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
    for (const number of ['7', '8']) {
      await addEmployee(number)
      await kit.save(
        table().insert(deviceUserKey(sn, employeeOf(number)), newDeviceUser(sn, employeeOf(number), number)),
      )
    }
    await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record: '4711' }])
    const markOf = async (number: string) => (await getItem(deviceUserKey(sn, employeeOf(number))))?.holds[11]
    expect(['own', '?', '', undefined]).not.toContain(await markOf('7'))
    const id = await addCommand({ cmd: 'getuserlist' })
    await continueTerminal()
    await socket.hear({ cmd: 'getuserlist', stn: true })
    socket.say({ ret: 'getuserlist', result: true, count: 2, from: 1, to: 2, record: [card(7), card(8)] })
    await eventually(
      () => outcomeOf(id),
      actual => expect(actual).toEqual(['done', 'ok', 1]),
    )
    expect(await markOf('8')).toBe('own')
    expect(await getItem(formerUserKey(sn, '8'))).toMatchObject({ parts: { 11: [] } })
    expect(await getItem(formerUserKey(sn, '7'))).toBeUndefined()
    expect((await device()).listed).not.toHaveProperty('isPartial')
  })

  test.each([
    ['listed a template', { at: iso(0) }, { 11: [] }],
    ['completed no list', { at: iso(0), isPartial: true as const }, undefined],
    ['has sent no list yet', undefined, undefined],
  ])('that %s and answers an enrolment with the earlier template has enrolled nothing', async (_, listed, parts) => {
    await connectSettled()
    await addEmployee('7')
    await updateDevice({ authentication: 'claim+path', listed })
    if (parts) await kit.save(table().insert(formerUserKey(sn, '7'), { number: '7', parts }))
    const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
    const by = 'b'.repeat(16)
    const deliver = (record: string, recordAt: { by: string } | { isLook: true }) =>
      takeHeld({ company, serialNumber: sn, ...recordAt }, [{ number: '7', backupnum: 11, record }])
    const markOf = async () => (await getItem(deviceUserKey(sn, employeeOf('7'))))?.holds[11]
    // The server reads the stored card first.
    await deliver('4040', { isLook: true })
    expect(await markOf()).toBe('own')
    expect(await deliver('4040', { by })).toBe('held before')
    expect(await markOf()).toBe('own')
    expect(await deliver('5151', { by })).toBeUndefined()
    expect(['own', '?', '', undefined]).not.toContain(await markOf())
    expect(await getItem(formerUserKey(sn, '7'))).toBeUndefined()
  })

  test.each([
    ['with an empty record', { result: true, enrollid: 7, backupnum: 11, record: '' }],
    ['as a refusal', { result: false, reason: 5 }],
  ])(
    'that reports an empty template slot %s has no earlier template there, even if it pushed one meanwhile',
    async (_, answer) => {
      const socket = await connectSettled()
      await addEmployee('7')
      await updateDevice({ authentication: 'claim+path' })
      await kit.save(table().insert(formerUserKey(sn, '7'), { number: '7', parts: { 10: [], 11: [] } }))
      const body = { employee: employeeOf('7'), backupnum: 11 }
      const id = await addCommand({ cmd: 'getuserinfo', body, isFinal: true })
      const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
      const record = '6161'
      await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record }])
      expect(await getItem(formerUserKey(sn, '7'))).toMatchObject({ parts: { 10: [], 11: [] } })
      await continueTerminal()
      await socket.hear({ cmd: 'getuserinfo', enrollid: 7, backupnum: 11 })
      socket.say({ ret: 'getuserinfo', ...answer })
      await eventually(
        () => outcomeOf(id),
        actual => expect(actual).toEqual(['failed', 'refused', 1]),
      )
      expect((await getItem(formerUserKey(sn, '7')))?.parts).toEqual({ 10: [] })
      await takeHeld({ company, serialNumber: sn, by: 'b'.repeat(16) }, [{ number: '7', backupnum: 11, record }])
      expect(['own', '?', '', undefined]).not.toContain((await getItem(deviceUserKey(sn, employeeOf('7'))))?.holds[11])
    },
  )

  test.each([0, 11])(
    'that sends a digit as a template has no finger in slot 0, but may have a card in slot 11 (slot %i)',
    async backupnum => {
      await connectSettled()
      await addEmployee('7')
      await updateDevice({ authentication: 'claim+path' })
      const { takeHeld } = await import('../../functions/terminal/enrolment.ts')
      await takeHeld({ company, serialNumber: sn }, [{ number: '7', backupnum, record: '5' }])
      const { holds = {} } = (await getItem(deviceUserKey(sn, employeeOf('7')))) ?? {}
      expect(backupnum in holds).toBe(backupnum === 11)
    },
  )

  test('that replaces other hardware has none of the templates that the former hardware received', {
    tags: 'long',
  }, async () => {
    await connectSettled()
    await addEmployee('7')
    const user = { ...newDeviceUser(sn, employeeOf('7'), '7'), holds: { name: 'n', 0: 'ours' } }
    await kit.save(table().insert(deviceUserKey(sn, employeeOf('7')), user))
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    const takeList = async () =>
      takeListed(company, { device: await device(), isEnrolment: false }, [{ number: '7', backupnum: 0 }])
    await updateDevice({ listed: undefined })
    await takeList()
    expect(await getItem(formerUserKey(sn, '7'))).toBeUndefined()
    const at = iso(Date.now())
    await updateDevice({ emptiedAt: at, resetAt: at })
    await takeList()
    expect(await getItem(formerUserKey(sn, '7'))).toMatchObject({ parts: { 0: [] }, resetAt: at })
  })

  test('that replaces other hardware does not count the former hardware’s enrolment', { tags: 'long' }, async () => {
    await connectSettled()
    await addEmployee('7')
    const [employee, by] = [employeeOf('7'), 'b'.repeat(16)]
    const id = await addCommand({
      cmd: 'adduser',
      body: { employee, backupnum: 11 },
      by,
      subject: employee,
      isOnce: true,
    })
    const command = await getItem(commandKey(sn, id))
    if (command) await queue.giveUp(table(), command, { result: 'ok' }, Date.now())
    const { takeDelivered } = await import('../../functions/terminal/enrolment.ts')
    const deliver = (record: string) =>
      takeDelivered({ company, serialNumber: sn }, [{ number: '7', backupnum: 11, record }], Date.now())
    const markOf = async () => (await getItem(deviceUserKey(sn, employee)))?.holds[11]
    const { listed } = await device()
    const at = iso(Date.now() + 1000)
    await updateDevice({ replacedAt: at, resetAt: at, listed: undefined })
    await deliver('4711')
    expect(['own', undefined]).toContain(await markOf())
    // An enrolment at the new hardware counts.
    await updateDevice({ replacedAt: undefined, listed })
    await deliver('5353')
    expect(['own', '?', '', undefined]).not.toContain(await markOf())
  })

  test('that refuses the last attempt to list its users has no trusted list', { tags: 'long' }, async () => {
    await connectSettled()
    await updateDevice({ listed: undefined })
    const id = await addCommand({ cmd: 'getuserlist', body: { isFirst: true }, mostAttempts: 1 })
    const { version: _, ...command } = (await getItem(commandKey(sn, id))) as Command & { version: number }
    await kit.save(table().put(commandKey(sn, id), { ...command, state: 'sent', attempts: 1 }))
    const position = { serialNumber: sn, id, generation: 1 }
    await queue.takeOutcome(table(), position, { result: 'refused', reason: '1' })
    expect((await device()).listed).toMatchObject({ isPartial: true })
  })

  test('gets the next request when it does not answer a request', async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    await ageRequest(30_000)
    await continueTerminal()
    await socket.hear({ cmd: 'getnewlog' })
    expect((await device()).settings).toBeUndefined()
  })

  test('is disabled during user commands when its model needs that, and always enabled afterwards', async () => {
    const socket = await connect(topdata)
    await socket.hear({ cmd: 'enabledevice' })
    socket.say({ ret: 'enabledevice', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    const now = Date.now()
    await addCommand({ cmd: 'deleteuser', body: { enrollid: 1, backupnum: 13 } }, now)
    await addCommand({ cmd: 'deleteuser', body: { enrollid: 2, backupnum: 13 } }, now + 1)
    await addCommand({ cmd: 'opendoor', isOnce: true }, now + 2)
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

describe('the round', () => {
  test('gives up an unanswered one-time command and never sends it again', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    const id = await addCommand({ cmd: 'opendoor', isOnce: true })
    await continueTerminal()
    await socket.hear({ cmd: 'opendoor' })
    await pollOtherMinute()
    expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'sent' })
    await ageRequest(30_000)
    await pollOtherMinute()
    expect(await outcomeOf(id)).toEqual(['failed', 'no answer', 1])
    await continueTerminal()
    expect(socket.unheard.filter(({ cmd }) => cmd === 'opendoor')).toEqual([])
    // A late answer changes nothing.
    socket.say({ ret: 'opendoor', result: true })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    expect(await outcomeOf(id)).toEqual(['failed', 'no answer', 1])
  })

  test('sends a repeatable command three times per connection, and gives it up after its maximum', {
    tags: 'long',
  }, async () => {
    const id = await addCommand({ cmd: 'setuserlock', mostAttempts: 4 })
    const connectDelivered = async () => {
      const socket = await connect()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      return socket
    }
    let socket = await connectDelivered()
    for (const attempts of [1, 2, 3]) {
      await socket.hear({ cmd: 'setuserlock' })
      expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'sent', attempts })
      await ageRequest(30_000)
      await pollOtherMinute()
      await socket.hear({ cmd: 'settime' })
      socket.say({ ret: 'settime', result: true })
    }
    await untilIdle()
    expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'queued', attempts: 3 })
    await continueTerminal()
    expect(socket.unheard.filter(({ cmd }) => cmd === 'setuserlock')).toEqual([])
    socket = await connectDelivered()
    await socket.hear({ cmd: 'setuserlock' })
    await ageRequest(30_000)
    await pollOtherMinute()
    expect(await outcomeOf(id)).toEqual(['failed', 'no answer', 4])
  })

  test('sends other commands before a command that disconnects the terminal, and finally gives it up', {
    tags: 'long',
  }, async () => {
    const id = await addCommand({ cmd: 'setuserlock', mostAttempts: 4 })
    const door = await addCommand({ cmd: 'opendoor' })
    const connectDelivered = async () => {
      const socket = await connect()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      return socket
    }
    const drop = async (socket: Socket) => {
      socket.close()
      await eventually(device, actual => expect(actual.connection).toBeUndefined())
    }
    const ageCommand = async () => {
      const { change } = await import('../../functions/kit/table/change.ts')
      await change(table(), commandKey(sn, id), stored => ({ ...stored, sentAt: iso(Date.now() - minute) }))
    }
    for (const attempts of [1, 2, 3]) {
      const socket = await connectDelivered()
      await socket.hear({ cmd: 'setuserlock' })
      expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'sent', attempts })
      await drop(socket)
    }
    const socket = await connectDelivered()
    await socket.hear({ cmd: 'opendoor' })
    socket.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcomeOf(door),
      actual => expect(actual).toEqual(['done', 'ok', 1]),
    )
    await untilIdle()
    await ageCommand()
    await continueTerminal()
    expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'queued', attempts: 3 })
    expect(socket.unheard.filter(({ cmd }) => cmd === 'setuserlock')).toEqual([])
    await drop(socket)
    const last = await connectDelivered()
    await last.hear({ cmd: 'setuserlock' })
    await drop(last)
    await ageCommand()
    await connectDelivered()
    await eventually(
      () => outcomeOf(id),
      actual => expect(actual).toEqual(['failed', 'no answer', 4]),
    )
  })

  test('still requests a page that a delivery lost, even after another delivery succeeds', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    await updateDevice({ uploadedAt: iso(Date.now() - 3 * minute) })
    const id = await addCommand({ cmd: 'getnewlog', mostAttempts: 5 })
    await continueTerminal()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await ageRequest(30_000)
    await pollOtherMinute()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.say(empty('getnewlog'))
    await eventually(
      () => outcomeOf(id),
      actual => expect(actual).toEqual(['done', 'ok', 2]),
    )
    expect((await device()).reconcileFrom).toBe(today())
  })

  test('sends only one request after a page that arrives twice at the same time', async () => {
    const socket = await connectSettled()
    await addCommand({ cmd: 'getnewlog', mostAttempts: 5 })
    await continueTerminal()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    const record = [{ enrollid: 77, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    for (let n = 0; n < 2; n++) socket.say({ ...empty('getnewlog'), count: 2, record })
    await socket.hear({ cmd: 'getnewlog', stn: false })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    await wait(100)
    expect(socket.unheard).toEqual([])
    expect((await readConnection()).connection.asked).toMatchObject({ command: 'getnewlog' })
  })

  test('requests all records since the approval when a page of held records was lost', { tags: 'long' }, async () => {
    const recordsFrom = iso(Date.now() - 3 * 24 * 60 * minute)
    await updateDevice({ recordsFrom })
    const first = await connect()
    await first.hear({ cmd: 'getnewlog' })
    first.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    const from = localTimeAt(zone, Date.parse(recordsFrom)).slice(0, 10)
    expect((await device()).reconcileFrom).toBe(from)
    const socket = await connect()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await eventually(readConnection, ({ connection }) => expect(connection.asked).toBeUndefined())
    await delaySteps(-minute)
    await continueTerminal()
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ from })
  })

  test('keeps an erasure waiting for an unsupported command until a retry of the command succeeds', {
    tags: 'long',
  }, async () => {
    const { handler } = await import('../../events/command.ts')
    const ids = await Promise.all([1, 2].map(n => addCommand({ cmd: 'deleteuser', erasure: 'e' }, Date.now() + n)))
    const steps = ids.map(command => ({ serialNumber: sn, command }))
    await kit.save(
      table().insert(erasureKey('e'), {
        ...{ id: 'e', by: 'b', employee: 'p', startedAt: iso(Date.now()), state: 'waiting', waiting: steps, total: 2 },
      }),
      table().insert(erasureOfKey('p'), { erasure: 'e' }),
    )
    const settleCommand = async (id: string, result: 'ok' | 'unsupported') => {
      const command = await getItem(commandKey(sn, id))
      if (!command) throw new Error('No command')
      await queue.giveUp(table(), command, { result }, Date.now())
      const detail = { type: 'command.settled', company, sn, command: id, erasure: 'e' }
      const body = JSON.stringify({ version: '0', id, 'detail-type': detail.type, source, detail })
      await handler({ Records: [{ messageId: id, body }] } as unknown as SQSEvent)
      return (await getItem(erasureKey('e')))?.waiting.map(({ command }) => command)
    }
    const [first = '', second = ''] = ids
    expect(await settleCommand(first, 'unsupported')).toEqual([first, second])
    expect(await settleCommand(second, 'ok')).toEqual([first])
    // A manager retries the command, and the erasure waits for it under the same id.
    expect(await queue.retryCommand(table(), sn, first, 'b')).toBe(first)
    expect(await settleCommand(first, 'ok')).toBeUndefined()
    expect(await getItem(erasureOfKey('p'))).toBeUndefined()
  })

  test('expires commands past their deadline, for connected and disconnected terminals', async () => {
    const deadline = Date.now() + 30_000
    await queue.watch(company, sn, deadline)
    const id = await addCommand({ cmd: 'opendoor', isOnce: true, deadline: iso(deadline) })
    await poll({ time: iso(Date.now()) })
    expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'queued' })
    const { change } = await import('../../functions/kit/table/change.ts')
    await change(table(), commandKey(sn, id), command => ({ ...command, deadline: iso(Date.now() - 1000) }))
    await pollOtherMinute()
    expect(await outcomeOf(id)).toEqual(['expired', 'expired', 0])
    expect(await kit.directory().get(dueTerminalKey(sn))).toBeUndefined()
  })

  test('requests records in the terminal’s own minute only', async () => {
    const socket = await connectSettled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    await continueTerminal()
    expect(socket.unheard).toEqual([])
    socket.say(empty('getnewlog'))
    await untilIdle()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
  })

  test('disconnects a silent terminal, and removes a terminal whose connection is unknown', async () => {
    const socket = await connectSettled()
    await setSilent(12)
    await pollRound()
    await socket.closed
    await eventually(device, current => expect(current.connection).toBeUndefined())
    await kit.save(kit.directory().put(openTerminalKey(sn), { company, serialNumber: sn, connection: 'gone', zone }))
    await pollRound()
    await setSilent(12)
    await pollRound()
    expect(await open()).toBeUndefined()
  })

  test('ignores a short interruption, but marks a terminal as silent until it returns', async () => {
    const socket = await connectSettled()
    socket.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    await pollRound()
    expect(await device()).not.toHaveProperty('isSilent')
    expect(await open()).toBeDefined()
    // No event reports the short interruption, so events of other changes still show the terminal as online.
    expect(await readEvent('terminal.updated')).toMatchObject({ serial_number: sn, online: true })
    await setSilent(12)
    expect(await readEvent('terminal.updated')).toMatchObject({ online: true })
    await pollRound()
    expect(await device()).toHaveProperty('isSilent', true)
    expect(await open()).toBeUndefined()
    expect(await readEvent('terminal.updated')).toMatchObject({ online: false })
    expect(await readEvent('terminal.offline')).toMatchObject({ serial_number: sn, online: false })
    await connect()
    expect(await device()).not.toHaveProperty('isSilent')
  })

  test('repeats a request that the old connection received during a registration over a new connection', {
    tags: 'long',
  }, async () => {
    await connectSettled()
    const { id } = await readConnection()
    const socket = await openSocket(address)
    sockets.push(socket)
    const { change } = await import('../../functions/kit/table/change.ts')
    const hasRequested = rightBefore(
      input => input.includes('"firstOnlineAt"') && input.includes('"cpusn"'),
      () =>
        change(kit.directory(), connectionKey(id), stored => ({
          ...stored,
          asked: { command: 'getnewlog', at: iso(Date.now()) },
        })),
    )
    socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    await socket.hear({ ret: 'reg', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    expect(hasRequested()).toBe(true)
    expect((await readConnection()).connection.steps).toMatchObject([{ command: 'getalllog' }])
  })

  test('does not clear a loss after the answer to a request that was planned before the loss', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    await addCommand({ cmd: 'getnewlog', mostAttempts: 1 })
    await continueTerminal()
    await socket.hear({ cmd: 'getnewlog' })
    const { id } = await readConnection()
    await updateDevice({ uploadedAt: iso(Date.now() - 5 * minute) })
    await terminal.lead(company, sn, id, [{ command: 'getnewlog' }])
    await ageRequest(30_000)
    await continueTerminal()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect(await device()).toHaveProperty('reconcileFrom')
  })

  test('ignores an answer about settings that arrives over an old connection', { tags: 'long' }, async () => {
    const socket = await connect(oldest, false)
    await socket.hear({ cmd: 'setdevinfo' })
    const { id, connection } = await readConnection()
    await updateDevice({ connection: 'another' })
    const reply = { command: 'setdevinfo', ok: true, fields: {} }
    await answer.takeAnswer(company, { id, connection, now: Date.now() }, reply)
    expect((await device()).settings).toBeUndefined()
    await updateDevice({ connection: id })
    await answer.takeAnswer(company, { id, connection, now: Date.now() }, reply)
    expect((await device()).settings).toBeDefined()
  })

  test('treats a registration as failed when its connection ends meanwhile', { tags: 'long' }, async () => {
    const socket = await openSocket(address)
    sockets.push(socket)
    const before = await device()
    let id = ''
    const hasCut = rightBefore(
      input => {
        // A late write of another test's terminal must not count.
        if (!input.includes(sn)) return false
        id = /"connection":"([^"]+)"/.exec(input)?.[1] ?? id
        return id !== '' && input.includes('"firstOnlineAt"')
      },
      () => kit.save(kit.directory().remove(connectionKey(id))),
    )
    socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    // The connection is gone, so the server sends no answer.
    await eventually(
      async () => hasCut(),
      hasRaced => expect(hasRaced).toBe(true),
    )
    await wait(300)
    expect(socket.unheard).toEqual([])
    expect(await device()).toEqual(before)
    expect(await open()).toBeUndefined()
    await connect()
    expect(await device()).toMatchObject({ state: 'bound', generation: 1 })
  })

  test('stores once a minute that a terminal sends messages, ends its silence, and resumes its requests', async () => {
    const socket = await connectSettled()
    const { id, connection } = await readConnection()
    const request = { command: 'settime', at: iso(Date.now() - 5 * minute) }
    const steps = [{ command: 'getnewlog' as const }]
    const connectedAt = iso(Date.now() - 6 * minute)
    await kit.save(kit.directory().replace(connectionKey(id), { ...connection, connectedAt, asked: request, steps }))
    await updateDevice({ lastSeenAt: iso(Date.now() - 12 * minute), isSilent: true })
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

  test('detects an unreported disconnection with the next request, and queues the command again', async () => {
    const socket = await connectSettled()
    const { id: connectionId, connection } = await readConnection()
    // Plants a connection that no longer exists, as after a kill.
    const { version: _, ...withoutVersion } = connection
    await kit.save(kit.directory().put(connectionKey('gone'), withoutVersion))
    await updateDevice({ connection: 'gone' })
    const command = await addCommand({ cmd: 'settime' })
    await continueTerminal()
    expect((await device()).connection).toBeUndefined()
    const queued = await getItem(commandKey(sn, command))
    expect(queued).toMatchObject({ state: 'queued', attempts: 0 })
    expect(queued).not.toHaveProperty('sentAt')
    await kit.save(kit.directory().remove(connectionKey(connectionId)))
    socket.close()
    await kit.save(table().remove(commandKey(sn, command)))
    // A one-time command without a receiver is queued again too, until its deadline.
    for (const cmd of ['opendoor', 'reboot']) {
      await updateDevice({ connection: 'gone' })
      await kit.save(kit.directory().put(connectionKey('gone'), { ...withoutVersion, asked: undefined }))
      const id = await addCommand({ cmd, isOnce: true, deadline: iso(Date.now() + minute) })
      await continueTerminal()
      expect((await device()).connection).toBeUndefined()
      const queued = await getItem(commandKey(sn, id))
      expect(queued, cmd).toMatchObject({ state: 'queued', attempts: 0 })
      if (queued) await kit.save(table().replace(commandKey(sn, id), { ...queued, deadline: iso(Date.now()) }))
      await continueTerminal()
      expect(await outcomeOf(id), cmd).toEqual(['expired', 'expired', 0])
    }
  })

  test('still requests a lost page after requests for other records', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    const lostFrom = addDays(today(), -3)
    await updateDevice({ reconcileFrom: lostFrom })
    for (const request of [
      { cmd: 'getnewlog', body: {} },
      { cmd: 'getalllog', body: { from: addDays(today(), -1) } },
    ]) {
      const id = await addCommand(request)
      await continueTerminal()
      await socket.hear({ cmd: request.cmd })
      socket.say(empty(request.cmd))
      await eventually(
        () => outcomeOf(id),
        actual => expect(actual).toEqual(['done', 'ok', 1]),
      )
      expect((await device()).reconcileFrom).toBe(lostFrom)
    }
    await updateDevice({ unsent: 30 })
    await addCommand({ cmd: 'getalllog', body: { from: lostFrom } })
    await continueTerminal()
    await socket.hear({ cmd: 'getalllog', from: lostFrom })
    socket.say(empty('getalllog'))
    await eventually(device, current => expect(current.reconcileFrom).toBeUndefined())
    // The undelivered records may be older than the requested days.
    expect((await device()).unsent).toBe(30)
  })

  test('does not match a late reply about another employee', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    const id = await addCommand({ cmd: 'deleteuser', body: { enrollid: 2, backupnum: 13 } })
    await continueTerminal()
    await socket.hear({ cmd: 'deleteuser', enrollid: 2 })
    socket.say({ ret: 'deleteuser', result: true, enrollid: 1 })
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    expect(await getItem(commandKey(sn, id))).toMatchObject({ state: 'sent' })
    socket.say({ ret: 'deleteuser', result: true, enrollid: '2' })
    await eventually(
      () => outcomeOf(id),
      actual => expect(actual).toEqual(['done', 'ok', 1]),
    )
  })

  test('does not match a late reply to a repeated request, because a time request comes in between', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    const first = await addCommand({ cmd: 'setuserlock', body: { count: 1 } })
    const second = await addCommand({ cmd: 'setuserlock', body: { count: 2 } })
    await continueTerminal()
    await socket.hear({ cmd: 'setuserlock', count: 1 })
    await ageRequest(30_000)
    await pollOtherMinute()
    await socket.hear({ cmd: 'settime' })
    // The terminal answers its requests in order.
    socket.say({ ret: 'setuserlock', result: true })
    socket.say({ ret: 'settime', result: true })
    await socket.hear({ cmd: 'setuserlock', count: 1 })
    expect(await getItem(commandKey(sn, second))).toMatchObject({ state: 'queued', attempts: 0 })
    socket.say({ ret: 'setuserlock', result: true })
    await socket.hear({ cmd: 'setuserlock', count: 2 })
    await eventually(
      () => outcomeOf(first),
      actual => expect(actual).toEqual(['done', 'ok', 2]),
    )
  })

  test('sends users again after an unanswered reset, because the terminal may have done the reset', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    const id = await addCommand({ cmd: 'initsys', isOnce: true })
    await continueTerminal()
    await socket.hear({ cmd: 'initsys' })
    expect((await device()).emptiedAt).toBeUndefined()
    await ageRequest(30_000)
    await pollOtherMinute()
    expect(await outcomeOf(id)).toEqual(['failed', 'no answer', 1])
    const { emptiedAt, resetAt } = await device()
    expect(emptiedAt).toBeDefined()
    expect(resetAt).toBeUndefined()
  })

  test('requests the records that an unreported disconnection may have lost', async () => {
    const socket = await connectSettled()
    const { id } = await readConnection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    await pollRound()
    expect(await device()).toMatchObject({ reconcileFrom: expect.any(String) })
    expect((await device()).connection).toBeUndefined()
    socket.close()
  })

  test('detects a wrong clock by a record from the future, and a correct clock by a current record', async () => {
    const socket = await connectSettled()
    const sendRecords = async (...seconds: number[]) => {
      const record = seconds.map(ahead => ({
        ...{ enrollid: 1, time: localTimeAt(zone, Date.now() + ahead * 1000).replace('T', ' ') },
        ...{ mode: 0, inout: 0, event: 0 },
      }))
      socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
      return (await device()).driftSeconds
    }
    expect(await sendRecords(20)).toBeUndefined()
    const ahead = await sendRecords(-7200, 300)
    expect(ahead).toBeGreaterThan(290)
    expect(ahead).toBeLessThanOrEqual(300)
    const { version } = await device()
    expect(await sendRecords(301)).toBe(ahead)
    expect((await device()).version).toBe(version)
    // Records with a past time say nothing about the clock. The server checks once a minute whether the clock is right
    // again.
    const { id, connection } = await readConnection()
    await kit.save(
      kit.directory().replace(connectionKey(id), { ...connection, connectedAt: iso(Date.now() - 5 * minute) }),
    )
    expect(await sendRecords(-300)).toBe(ahead)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * minute)
    expect(Math.abs((await sendRecords(0)) ?? 99)).toBeLessThan(10)
  })

  test('sets a terminal’s clock once per connection if a record shows drift, and then clears the drift', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    const sendRecord = async (ahead: number) => {
      const time = localTimeAt(zone, Date.now() + ahead * 1000).replace('T', ' ')
      const record = [{ enrollid: 1, time, mode: 0, inout: 0, event: 0 }]
      socket.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
    }
    await sendRecord(3 * 24 * 3600)
    expect((await device()).driftSeconds).toBeGreaterThan(2 * 24 * 3600)
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await eventually(device, current => expect(current.driftSeconds).toBe(0))
    // The terminal confirmed the time, but its clock is wrong again. The server keeps the drift and sends no second
    // time.
    await sendRecord(600)
    await untilIdle()
    expect((await device()).driftSeconds).toBeGreaterThan(590)
    expect(socket.unheard).toEqual([])
  })

  test('closes a socket that never registers', async () => {
    const newcomers = () => kit.directory().all<Newcomer>({ pk: newcomerKey('').pk })
    await poll({ time: iso(Date.now()) })
    const others = new Set((await newcomers()).map(({ connection }) => connection))
    const listNewcomers = async () => (await newcomers()).filter(({ connection }) => !others.has(connection))
    const silent = await openSocket(address)
    const registered = await connectSettled()
    const overdue = await listNewcomers()
    expect(overdue).toHaveLength(2)
    const fresh = await openSocket(address)
    sockets.push(silent, fresh)
    for (const newcomer of overdue) {
      const connectedAt = iso(Date.now() - 91_000)
      await kit.save(kit.directory().put(newcomerKey(newcomer.connection), { ...newcomer, connectedAt }))
    }
    await pollOtherMinute()
    expect(await silent.closed).toBe(1000)
    expect(await listNewcomers()).toHaveLength(1)
    registered.say({ cmd: 'checklive' })
    await registered.hear({ ret: 'checklive' })
    fresh.say({ cmd: 'reg', sn, cpusn: sn, devinfo: oldest })
    expect(await fresh.hear({ ret: 'reg' })).toMatchObject({ result: true })
  })

  test('marks a terminal as offline after an unreported disconnection, and as silent when it stays away', async () => {
    await connectSettled()
    const { id } = await readConnection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    await pollRound()
    expect((await device()).connection).toBeUndefined()
    await setSilent(12)
    await pollRound()
    expect(await device()).toHaveProperty('isSilent', true)
    expect(await open()).toBeUndefined()
  })

  test('requests a page lost with its connection again over the next connection', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    expect((await device()).reconcileFrom).toBeUndefined()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    expect((await device()).reconcileFrom).toMatch(/^\d{4}-/)
    const reconnected = await connect()
    await reconnected.hear({ cmd: 'getnewlog', stn: true })
    await delaySteps(10 * minute)
    reconnected.say(empty('getnewlog'))
    // The server requests new records and sends queued commands before it requests a lost page.
    await eventually(readConnection, ({ connection }) => expect(connection.asked).toBeUndefined())
    const door = await addCommand({ cmd: 'opendoor' })
    await continueTerminal()
    await reconnected.hear({ cmd: 'opendoor' })
    reconnected.say({ ret: 'opendoor', result: true })
    await eventually(
      () => outcomeOf(door),
      current => expect(current).toEqual(['done', 'ok', 1]),
    )
    expect(reconnected.unheard).toEqual([])
    expect((await device()).reconcileFrom).toBeDefined()
    await delaySteps(-minute)
    await pollOtherMinute()
    await reconnected.hear({ cmd: 'getalllog', stn: true })
    reconnected.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeUndefined()
  })

  test('requests two days once a day, and reports records that the terminal had not delivered before', async () => {
    const socket = await connectSettled()
    const yesterday = addDays(today(), -1)
    const uploadedAt = iso(Date.now() - 10 * minute)
    await updateDevice({ reconciledOn: yesterday, uploadedAt })
    const { id, connection } = await readConnection()
    const step = { command: 'getalllog' as const, from: yesterday, isDaily: true }
    await kit.save(kit.directory().replace(connectionKey(id), { ...connection, steps: [step] }))
    await continueTerminal()
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ stn: true, from: yesterday, to: today() })
    const record = [{ enrollid: 7, time: `${yesterday} 08:00:00`, mode: 0, inout: 0, event: 0 }]
    socket.say({ ret: 'getalllog', result: true, count: 1, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await untilIdle()
    expect(await device()).toMatchObject({ reconciledOn: today(), recovered: { count: 1, at: expect.any(String) } })
    // The server already has these records, so it does not report them.
    await updateDevice({ recovered: undefined })
    const second = await readConnection()
    await kit.save(kit.directory().replace(connectionKey(second.id), { ...second.connection, steps: [step] }))
    await continueTerminal()
    await socket.hear({ cmd: 'getalllog', stn: true })
    socket.say({ ret: 'getalllog', result: true, count: 1, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).recovered).toBeUndefined()
  })

  test('requests lost pages again while the terminal is connected', async () => {
    const socket = await connectSettled()
    await updateDevice({ reconcileFrom: addDays(today(), -3) })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog', stn: true })
    socket.say(empty('getnewlog'))
    expect(await socket.hear({ cmd: 'getalllog' })).toMatchObject({ stn: true, from: addDays(today(), -3) })
    expect((await device()).reconcileFrom).toBe(addDays(today(), -3))
    socket.say(empty('getalllog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeUndefined()
  })

  test('still requests a loss that happened after a request, regardless of the answer to that request', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const record = [{ enrollid: 1, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    socket.say({ cmd: 'sendlog', count: 5, logindex: 1, record })
    await socket.hear({ ret: 'sendlog', result: true })
    expect((await device()).reconcileFrom).toBeDefined()
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    // A request for all records covers only losses before that request.
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
  const planSteps = async (...steps: NonNullable<Connection['steps']>) => {
    const { id, connection } = await readConnection()
    await kit.save(kit.directory().replace(connectionKey(id), { ...connection, steps }))
    await continueTerminal()
  }
  /** Queues a reset, and the delivery that must come before it. */
  const addReset = async () => {
    const delivery = await addCommand({ cmd: 'getalllog', body: { from: addDays(today(), -3) }, mostAttempts: 5 })
    return { all: delivery, reset: await addCommand({ cmd: 'initsys', isOnce: true, needs: delivery }, Date.now() + 1) }
  }

  test('does not match a late reply to a request for fewer days, so a reset waits for the new reply', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    await planSteps(daily())
    await socket.hear({ cmd: 'getalllog' })
    await ageRequest(30_000)
    // After an unanswered request, the server sends a time request even without further work.
    await continueTerminal()
    await socket.hear({ cmd: 'settime' })
    const { all, reset } = await addReset()
    // The terminal sends a late reply to the first request.
    socket.say(empty('getalllog'))
    socket.say({ ret: 'settime', result: true })
    expect(await socket.hear({ cmd: 'getalllog', stn: true })).toMatchObject({ from: addDays(today(), -3) })
    expect(socket.unheard).toEqual([])
    expect(await outcomeOf(reset)).toEqual([undefined, undefined, undefined])
    const record = [{ enrollid: 7, time: `${addDays(today(), -3)} 08:00:00`, mode: 0, inout: 0, event: 0 }]
    socket.say({ ret: 'getalllog', result: true, count: 1, from: 0, to: 0, record })
    await socket.hear({ cmd: 'getalllog', stn: false })
    socket.say(empty('getalllog'))
    await socket.hear({ cmd: 'initsys' })
    expect(await outcomeOf(all)).toEqual(['done', 'ok', 1])
  })

  test.each(['before', 'behind'])(
    'repeats a request over a new connection if the terminal answers neither the request nor a time request %s it',
    async order => {
      const socket = await connectSettled()
      const ignoreRequest = async (cmd: string) => {
        await socket.hear({ cmd })
        await ageRequest(30_000)
        await continueTerminal()
      }
      if (order === 'before') {
        await planSteps({ command: 'settime' }, daily())
        await ignoreRequest('settime')
      } else await planSteps(daily())
      await ignoreRequest('getalllog')
      const { all, reset } = await addReset()
      if (order === 'behind') await ignoreRequest('settime')
      else await continueTerminal()
      await socket.hear({ cmd: 'getalllog', stn: true })
      socket.say(empty('getalllog'))
      expect(await socket.closed).toBe(1000)
      expect(socket.unheard).toEqual([])
      await eventually(device, current => expect(current.connection).toBeUndefined())
      expect((await device()).reconcileFrom).toBeDefined()
      const reconnected = await connect()
      await reconnected.hear({ cmd: 'getnewlog' })
      reconnected.say(empty('getnewlog'))
      expect(await reconnected.hear({ cmd: 'getalllog' })).toMatchObject({ from: addDays(today(), -3) })
      expect(await outcomeOf(reset)).toEqual([undefined, undefined, undefined])
      reconnected.say(empty('getalllog'))
      await eventually(
        () => outcomeOf(all),
        actual => expect(actual).toEqual(['done', 'ok', 2]),
      )
    },
  )

  test('cancels the commands for the former hardware after an approval, such as a reset', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    const by = 'b'.repeat(16)
    const commands = [
      await addCommand({ cmd: 'initsys', isOnce: true, by }),
      await addCommand({ cmd: 'opendoor', isOnce: true, by }),
    ]
    commands.push(await addCommand({ cmd: 'getuserlist', body: { isFirst: false } }))
    commands.push(await addCommand({ cmd: 'getuserinfo', body: { enrollid: 7, backupnum: 0 } }))
    await updateDevice({ replacedAt: iso(Date.now() + 1000) })
    await continueTerminal()
    for (const command of commands) expect(await outcomeOf(command)).toEqual(['cancelled', 'cancelled', 0])
    const door = await addCommand({ cmd: 'opendoor' })
    await continueTerminal()
    await socket.hear({ cmd: 'opendoor' })
    expect(await outcomeOf(door)).toEqual([undefined, undefined, undefined])
    expect(socket.unheard).toEqual([])
  })

  test('disconnects a slow terminal at most once an hour', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    await updateDevice({ allAsked: { at: iso(Date.now()), times: mostAllAsked } })
    await planSteps({ command: 'settime' }, { command: 'getnewlog' })
    for (const cmd of ['settime', 'getnewlog']) {
      await socket.hear({ cmd })
      await ageRequest(30_000)
      await continueTerminal()
    }
    await planSteps({ command: 'getnewlog' })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    socket.say({ cmd: 'checklive' })
    await socket.hear({ ret: 'checklive' })
    // Once an hour the server disconnects the terminal, because only a new connection can deliver the loss.
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).allAsked?.times).toBe(mostAllAsked)
    await updateDevice({ allAsked: { at: iso(Date.now() - 61 * minute), times: mostAllAsked } })
    await pollRound()
    await socket.closed
    expect((await device()).reconcileFrom).toBeDefined()
  })

  test('requests a loss over any connection, but after several refusals only once an hour', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    const { id } = await readConnection()
    const record = [{ enrollid: 1, time: `${addDays(today(), -1)} 08:00:01`, mode: 0, inout: 0, event: 0 }]
    await updateDevice({ connection: 'another' })
    socket.say({ cmd: 'sendlog', count: 5, logindex: 1, record })
    await socket.hear({ ret: 'sendlog', result: true })
    await updateDevice({ connection: id })
    expect((await device()).reconcileFrom).toBeDefined()
    let requests = 0
    for (let round = 0; round < 7; round++) {
      await pollRound()
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await eventually(readConnection, ({ connection }) => expect(connection.asked?.command).not.toBe('getnewlog'))
      if ((await readConnection()).connection.asked) {
        await socket.hear({ cmd: 'getalllog' })
        requests++
        socket.say({ ret: 'getalllog', result: false, reason: 1 })
      }
      await untilIdle()
    }
    expect(requests).toBe(mostAllAsked)
    expect(warningsOf(await device(), Date.now())).toContain('owed')
    // An answer to a request for new records does not cover the loss.
    await updateDevice({ pageLostAt: undefined })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    expect((await device()).reconcileFrom).toBeDefined()
    await updateDevice({ allAsked: { at: iso(Date.now() - 61 * minute), times: mostAllAsked } })
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

  test('requests a page again after its connection ended without notice', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const { id } = await readConnection()
    await kit.save(kit.directory().remove(connectionKey(id)))
    const reconnected = await connect()
    await reconnected.hear({ cmd: 'getnewlog' })
    await delaySteps(-minute)
    reconnected.say(empty('getnewlog'))
    await reconnected.hear({ cmd: 'getalllog' })
    socket.close()
  })

  test('sends settings again after an unanswered change, even when they are back to the former values', {
    tags: 'long',
  }, async () => {
    const setMaskDetection = (mask_detection: 0 | 1 | 2) =>
      kit.save(table().put(companyKey(), settings({ prevention: { ...defaultPrevention, mask_detection } })))
    const round = await import('../../functions/terminal/round.ts')
    await updateDevice({ state: 'bound' })
    const socket = await connect(newest, false)
    const hearSettings = async (from = socket) => {
      const { devinfo } = await from.hear({ cmd: 'setdevinfo' })
      return devinfo
    }
    const answerBacklog = async (from = socket) => {
      await from.hear({ cmd: 'getnewlog' })
      from.say(empty('getnewlog'))
      await untilIdle()
    }
    expect(await hearSettings()).toMatchObject({ mask_detection: 0 })
    socket.say({ ret: 'setdevinfo', result: true })
    await answerBacklog()
    for (const isCut of [false, true]) {
      await setMaskDetection(2)
      await round.setTerminals(company)
      expect(await hearSettings()).toMatchObject({ mask_detection: 2 })
      await setMaskDetection(0)
      if (isCut) break
      await ageRequest(30_000)
      await continueTerminal()
      await round.setTerminals(company)
      expect(await hearSettings()).toMatchObject({ mask_detection: 0 })
      socket.say({ ret: 'setdevinfo', result: true })
      await untilIdle()
    }
    socket.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    expect(await hearSettings(await connect(newest, false))).toMatchObject({ mask_detection: 0 })
  })

  test('counts users from the terminal’s reported number and the confirmed changes, after a quiet time', async () => {
    const socket = await connect({ ...newest, useduser: 3, usedfp: 2 })
    await socket.hear({ cmd: 'getnewlog' })
    socket.say(empty('getnewlog'))
    await untilIdle()
    const setHolds = (employee: string, holds: Record<string, string>) =>
      kit.save(table().put(deviceUserKey(sn, employee), { ...newDeviceUser(sn, employee, '7'), holds }))
    const makeQuiet = async () => {
      const { id, connection } = await readConnection()
      expect(connection.wroteAt).toBeDefined()
      await kit.save(kit.directory().replace(connectionKey(id), { ...connection, wroteAt: iso(Date.now() - 30_000) }))
    }
    // The terminal has not confirmed these templates, so they count as doubtful.
    await setHolds('b'.repeat(16), { name: '', 1: '' })
    await setHolds('c'.repeat(16), { name: '' })
    await addCommand({ cmd: 'deleteuser', body: { enrollid: 9, backupnum: 13 } })
    await continueTerminal()
    await socket.hear({ cmd: 'deleteuser' })
    await setHolds('a'.repeat(16), { name: 'n', 0: 'm', 50: 'f' })
    await setHolds('b'.repeat(16), { name: 'n', 1: '' })
    socket.say({ ret: 'deleteuser', result: true })
    await untilIdle()
    await pollOtherMinute()
    expect(await device()).toMatchObject({ users: 3, templates: 2 })
    await makeQuiet()
    await pollOtherMinute()
    const { users, templates, faces } = await device()
    expect([users, templates, faces]).toEqual([5, 3, undefined])
    expect(await kit.directory().get(dueTerminalKey(sn))).toBeUndefined()
    // An employee enrols at the terminal itself.
    await kit.save(table().remove(deviceUserKey(sn, 'a'.repeat(16))))
    socket.say({ cmd: 'senduser', enrollid: 7, backupnum: 0, name: 'N', record: 'ABCDEF0123' })
    await socket.hear({ ret: 'senduser' })
    await makeQuiet()
    await pollOtherMinute()
    expect(await device()).toMatchObject({ users: 4, templates: 2 })
    // The last change counts although the terminal disconnects.
    await setHolds('d'.repeat(16), { name: 'n', 0: 'm' })
    socket.say({ cmd: 'senduser', enrollid: 7, backupnum: 0, name: 'N', record: 'ABCDEF0123' })
    await socket.hear({ ret: 'senduser' })
    socket.close()
    await eventually(device, current => expect(current.wroteAt).toBeDefined())
    await pollOtherMinute()
    expect(await device()).toMatchObject({ users: 4, templates: 2 })
    await updateDevice({ wroteAt: iso(Date.now() - 30_000) })
    await kit.save(kit.directory().put(dueTerminalKey(sn), { company, serialNumber: sn, dueAt: iso(Date.now()) }))
    await pollOtherMinute()
    const final = await device()
    expect([final.users, final.templates, final.wroteAt]).toEqual([5, 3, undefined])
  })

  test('counts a doubtful user once, if the terminal’s reported number can include it', { tags: 'long' }, async () => {
    const setHolds = (employee: string, holds: Record<string, string>) =>
      kit.save(table().put(deviceUserKey(sn, employee), { ...newDeviceUser(sn, employee, '7'), holds }))
    const people = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(16))
    const runQuietRound = async () => {
      const { id, connection } = await readConnection()
      await kit.save(kit.directory().replace(connectionKey(id), { ...connection, wroteAt: iso(Date.now() - 30_000) }))
      await pollOtherMinute()
    }
    // The server sends four users again, and one has arrived. The terminal reports these four and a foreign user, or
    // fewer users after a loss.
    for (const [reported, base, after] of [
      [5, 4, 5],
      [2, 2, 4],
      [0, 1, 3],
    ] as const) {
      for (const [n, employee] of people.entries())
        await setHolds(employee, n === 0 ? { name: 'n', 0: 'm' } : { name: doubtfulMark })
      const socket = await connect({ ...newest, useduser: reported })
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await untilIdle()
      await addCommand({ cmd: 'deleteuser', body: { enrollid: 9, backupnum: 13 } })
      await continueTerminal()
      await socket.hear({ cmd: 'deleteuser' })
      expect((await device()).counted?.held).toMatchObject({ users: base })
      for (const employee of people) await setHolds(employee, { name: 'n', 0: 'm' })
      socket.say({ ret: 'deleteuser', result: true })
      await untilIdle()
      await runQuietRound()
      expect((await device()).users).toBe(after)
    }
  })

  test('does not count users again that the terminal’s reported number already contains', {
    tags: 'long',
  }, async () => {
    const connectListed = async (devinfo: object) => {
      const socket = await connect({ ...newest, ...devinfo })
      await socket.hear({ cmd: 'getnewlog' })
      socket.say(empty('getnewlog'))
      await untilIdle()
      await addCommand({ cmd: 'getuserlist' })
      await continueTerminal()
      await untilIdle()
    }
    await connectListed({ useduser: 3, usedfp: 2, usedface: 0 })
    const employee = { id: await addEmployee('7') }
    await kit.save(table().insert(deviceUserKey(sn, employee.id), newDeviceUser(sn, employee.id, '7')))
    const { takeListed } = await import('../../functions/terminal/enrolment.ts')
    const takeList = async (isEnrolment: boolean, backupnum: number) =>
      takeListed(company, { device: await device(), isEnrolment }, [{ number: '7', backupnum }])
    await takeList(false, 0)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
    // The terminal reported its number before this enrolment.
    await takeList(true, 50)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
    expect(await getItem(deviceUserKey(sn, employee.id))).toMatchObject({ holds: { 0: 'own', 50: 'own' } })
    // The reported number contains the doubtful user.
    const holds = { name: doubtfulMark }
    await kit.save(table().put(deviceUserKey(sn, employee.id), { ...newDeviceUser(sn, employee.id, '7'), holds }))
    await connectListed({ useduser: 1, usedfp: 1, usedface: 0 })
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 0, faces: 0 })
    await takeList(false, 1)
    expect((await device()).counted?.held).toEqual({ users: 1, templates: 1, faces: 0 })
  })

  test('counts records as they arrive, except for records in the terminal’s reported number', async () => {
    const socket = await connect({ ...newest, usedlog: 9, usednewlog: 2 })
    const recordAt = (second: number) => ({
      enrollid: 8,
      time: `${addDays(today(), -1)} 08:00:0${second}`,
      mode: 3,
      inout: 0,
      event: 0,
    })
    const sendRecords = async (...record: object[]) => {
      socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await socket.hear({ ret: 'sendlog', result: true })
    }
    await socket.hear({ cmd: 'getnewlog' })
    socket.say({ ret: 'getnewlog', result: true, count: 2, from: 0, to: 1, record: [recordAt(1), recordAt(2)] })
    await socket.hear({ cmd: 'getnewlog', stn: false })
    socket.say(empty('getnewlog'))
    await untilIdle()
    await sendRecords(recordAt(3))
    await sendRecords(recordAt(4), recordAt(5))
    await sendRecords(recordAt(3))
    // The next run counts records of this minute.
    await poll({ time: iso(Date.now()) })
    expect((await device()).records).toBe(9)
    for (const minutes of [1, 2]) {
      await poll({ time: iso(Date.now() + minutes * minute) })
      expect((await device()).records).toBe(12)
    }
  })

  test('does not count records of a full delivery again, except for records after the reported number', {
    tags: 'long',
  }, async () => {
    await updateDevice({ reconcileFrom: today() })
    const socket = await connect({ ...newest, usedlog: 3, usednewlog: 0 })
    await socket.hear({ cmd: 'getnewlog' })
    await delaySteps(-minute)
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

  test('sends changed temperature and mask settings once, even if a measuring terminal refuses them', async () => {
    const socket = await connectSettled(newest)
    await kit.save(table().put(companyKey(), settings({ prevention: { ...defaultPrevention, mask_detection: 2 } })))
    const before = (await device()).settings ?? ''
    expect(JSON.parse(before).devinfo).toMatchObject({ mask_detection: 0, fever_threshold: 37.3, use_logphoto: 0 })
    await pollRound()
    await socket.hear({ cmd: 'getnewlog' })
    const { settings: confirmed = '' } = await device()
    expect(JSON.parse(confirmed).devinfo).toMatchObject({ mask_detection: 2 })
    socket.say(empty('getnewlog'))
    await untilIdle()
    socket.close()
    await eventually(device, current => expect(current.connection).toBeUndefined())
    await updateDevice({ settings: undefined })
    const refusing = await connect(newest, false)
    await refusing.hear({ cmd: 'setdevinfo' })
    refusing.say({ ret: 'setdevinfo', result: false, reason: 1 })
    await refusing.hear({ cmd: 'getnewlog' })
    refusing.say(empty('getnewlog'))
    await untilIdle()
    await pollRound()
    await refusing.hear({ cmd: 'getnewlog' })
    expect(refusing.unheard).toEqual([])
    expect((await device()).settings).toBeUndefined()
  })
})

test('the server keeps the earlier of two simultaneous due times of a terminal', { tags: 'long' }, async () => {
  const now = Date.now()
  for (const [first, other] of [
    [10, 20],
    [20, 10],
  ] as const) {
    await kit.save(kit.directory().remove(dueTerminalKey(sn)))
    const hasRaced = rightBefore(
      input => input.includes('DUE_TERMINAL') && input.includes('"Item"'),
      () => queue.watch(company, sn, now + other * minute),
    )
    await queue.watch(company, sn, now + first * minute)
    expect(hasRaced()).toBe(true)
    vi.restoreAllMocks()
    expect((await kit.directory().get(dueTerminalKey(sn)))?.dueAt).toBe(iso(now + 10 * minute))
  }
})

test('deleting a terminal deletes its user records in parallel', async () => {
  const { forgetTerminal } = await import('../../functions/terminal/user.ts')
  for (let i = 0; i < 60; i++) {
    const employee = String(i).padStart(16, 'e')
    await kit.save(table().put(deviceUserKey(sn, employee), newDeviceUser(sn, employee, String(i))))
  }
  const { send } = DynamoDBDocumentClient.prototype
  let [pending, most] = [0, 0]
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...args: Parameters<typeof send>
  ) {
    most = Math.max(most, ++pending)
    try {
      return await send.apply(this, args)
    } finally {
      pending--
    }
  } as typeof send)
  await forgetTerminal(table(), sn)
  expect(most).toBeGreaterThan(10)
  expect(await table().count({ pk: deviceUserKey(sn, '').pk })).toBe(0)
})

test('a company beyond its rate limit gets no acknowledgement, and other companies are not delayed', async () => {
  const { mayTake } = await import('../../functions/terminal/pressure.ts')
  const socket = await connectSettled()
  const yesterday = addDays(today(), -1)
  const record = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ enrollid: 1000 + n, time: `${yesterday} 08:00:00`, mode: 0, inout: 0, event: 0 },
    }))
  socket.say({ cmd: 'sendlog', count: 10, logindex: 1, record: record(10) })
  await socket.hear({ ret: 'sendlog', result: true })
  const flood = record(recordsPerMinute + 1)
  socket.say({ cmd: 'sendlog', count: flood.length, logindex: 2, record: flood })
  // The server answers with a refusal. Without an answer, the terminal would register again, and the server would
  // request all records.
  await socket.hear({ ret: 'sendlog', result: false, logindex: 2 })
  expect(await table().count({ pk: punchKey({ number: '1150', localTime: '', sn: '' }).pk })).toBe(0)
  // The rate limit also covers unrequested pages, and the server stores the possible loss.
  socket.say({ ret: 'getalllog', result: true, count: flood.length, record: flood })
  await eventually(device, current => expect(current.reconcileFrom).toBeDefined())
  expect(await table().count({ pk: punchKey({ number: '1150', localTime: '', sn: '' }).pk })).toBe(0)
  const now = Date.now()
  expect(await mayTake('another', 1, now)).toBe(true)
  // After the window of the rate limit, the server accepts records again.
  expect(await mayTake(company, 1, now + 2 * minute)).toBe(true)
})

test('the server stores one refused registration a minute, and one more when no tries are left', async () => {
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
  // Later tries change nothing, for any reason.
  expect([await note('path', 4000), await note('tries', 5000)]).toEqual(Array(2).fill(['tries', 3]))
  expect(await note('path', 3000 + minute)).toEqual(['path', 4])
})

test('guesses from unknown networks share five tries, and a terminal’s last network has its own tries', async () => {
  const { refusalOf } = await import('../../functions/terminal/proof.ts')
  const { seal } = await import('../../functions/kit/secrets.ts')
  const storedDevice = { ...(await device()), authentication: 'claim+password' as const, ip: '192.0.2.7' }
  const owner = settings({ comm_pwd: await seal('471100', { company, purpose: 'comm_pwd' }) })
  const attempt = async (ip: string, password: string) => {
    const proof = { path: {}, said: { companyNumber: '1', password }, ip }
    return (await refusalOf(storedDevice, owner, proof, Date.now()))?.reason
  }
  const guesses = ['198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.0.1', '100.64.0.1']
  for (const ip of guesses) expect(await attempt(ip, 'guess')).toBe('password')
  for (const password of ['guess', '471100']) expect(await attempt('233.252.0.1', password)).toBe('tries')
  expect(await attempt('192.0.2.7', 'guess')).toBe('password')
  expect(await attempt('192.0.2.7', '471100')).toBeUndefined()
  // A right password does not count as a try, and clears the wrong guesses.
  for (const password of Array(6).fill('471100')) expect(await attempt('192.0.2.7', password)).toBeUndefined()
})

describe('even a forced reset does not erase a terminal', () => {
  const listRefused = async () => (await device()).refusedDeliveries ?? []
  const pushOf = (count: number) => ({
    ...{ cmd: 'sendlog', count, logindex: 1 },
    record: Array.from({ length: count }, (_, n) => ({
      ...{ enrollid: 1 + n, time: `${addDays(today(), -1)} 08:00:00`, mode: 0, inout: 0, event: 0 },
    })),
  })
  const reset = () => addCommand({ cmd: 'initsys', isOnce: true })
  const failStoring = () =>
    rightBefore(
      input => input.includes('INSERT INTO'),
      () => Promise.reject(new Error('The table fails')),
      { isAlways: true },
    )
  const expectNoRequest = async (socket: Socket) => {
    await continueTerminal()
    expect((await readConnection()).connection.asked).toBeUndefined()
    expect(socket.unheard).toEqual([])
  }

  test('whose delivery was refused, until it delivers the same again', async () => {
    const socket = await connectSettled()
    failStoring()
    socket.say(pushOf(2))
    await socket.hear({ ret: 'sendlog', result: false })
    vi.restoreAllMocks()
    await reset()
    await expectNoRequest(socket)
    socket.say(pushOf(1))
    await socket.hear({ ret: 'sendlog', result: true })
    expect(await listRefused()).toHaveLength(1)
    await expectNoRequest(socket)
    socket.say(pushOf(2))
    await socket.hear({ cmd: 'initsys' })
    expect(await listRefused()).toEqual([])
  })

  test('whose delivery was refused over an earlier connection, until it reports no new records', {
    tags: 'long',
  }, async () => {
    const socket = await connectSettled()
    failStoring()
    socket.say(pushOf(2))
    await socket.hear({ ret: 'sendlog', result: false })
    vi.restoreAllMocks()
    const next = await connect()
    await next.hear({ cmd: 'getnewlog' })
    await reset()
    expect((await readConnection()).connection.hasRefused).toBe(true)
    next.say(empty('getnewlog'))
    await next.hear({ cmd: 'initsys' })
    expect(await listRefused()).toEqual([])
  })

  test('whose frame was too large, until it reports no new records', async () => {
    const socket = await connectSettled()
    socket.say({ ...pushOf(1), image: 'x'.repeat(40_000) })
    expect(await socket.closed).toBe(1009)
    await eventually(listRefused, list => expect(list).toMatchObject([{ table: 'sendlog', status: 413 }]))
    await reset()
    const next = await connect()
    await next.hear({ cmd: 'getnewlog' })
    // The server accepts a new punch meanwhile, but the refused delivery stays open.
    next.say(pushOf(1))
    await next.hear({ ret: 'sendlog', result: true })
    expect(await listRefused()).toHaveLength(1)
    expect(next.unheard).toEqual([])
    next.say(empty('getnewlog'))
    await next.hear({ cmd: 'initsys' })
  })

  test('whose page was not stored, until it delivers all its records', { tags: 'long' }, async () => {
    const socket = await connectSettled()
    await terminal.lead(company, sn, (await device()).connection ?? '', [{ command: 'getnewlog' }])
    await socket.hear({ cmd: 'getnewlog' })
    failStoring()
    socket.say({ ...pushOf(2), cmd: undefined, ret: 'getnewlog', result: true, from: 0, to: 1 })
    await eventually(listRefused, list => expect(list).toMatchObject([{ table: 'getnewlog', status: 503 }]))
    await eventually(device, ({ pageLostAt }) => expect(pageLostAt).toBeDefined())
    vi.restoreAllMocks()
    await reset()
    await ageRequest(30_000)
    await continueTerminal()
    await socket.hear({ cmd: 'settime' })
    socket.say({ ret: 'settime', result: true })
    await untilIdle()
    await expectNoRequest(socket)
    const from = (await device()).reconcileFrom
    await terminal.lead(company, sn, (await device()).connection ?? '', [{ command: 'getalllog', from }])
    await socket.hear({ cmd: 'getalllog' })
    socket.say(empty('getalllog'))
    await socket.hear({ cmd: 'initsys' })
    expect(await listRefused()).toEqual([])
  })
})
