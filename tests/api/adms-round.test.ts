import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import { openTerminalKey, serialNumberKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { addDays } from '../../shared/local-day.ts'
import { punchKey } from '../../shared/punch.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { type Command, commandKey, settledCommandKey } from '../../shared/terminal/command.ts'
import { stampKey } from '../../shared/terminal/stamp.ts'
import { formerUserKey } from '../../shared/terminal/user.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// Timeouts of HTTP terminals. No event handler runs here, and rewritten timestamps replace waiting.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let queue: typeof import('../../functions/terminal/command.ts')
let iclock: typeof import('../../functions/iclock.ts').handler
let poll: typeof import('../../events/poll.ts').handler
let sn: string
let company: string
const zone = 'Europe/Athens'
const minute = 60_000
const iso = (at: number) => new Date(at).toISOString()
const today = () => localTimeAt(zone, Date.now()).slice(0, 10)

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment, { RECORDS_PER_MINUTE: '1200' })
  kit = await import('../../functions/kit/table.ts')
  queue = await import('../../functions/terminal/command.ts')
  iclock = (await import('../../functions/iclock.ts')).handler
  poll = (await import('../../events/poll.ts')).handler
})
afterAll(() => world.close())
afterEach(() => void vi.restoreAllMocks())

const table = () => kit.openTable(company)
const device = async () => {
  const stored = await table().get(deviceKey(sn))
  if (!stored) throw new Error('No device')
  return stored
}
const alter = async (fields: Partial<Device>) =>
  kit.save(table().replace(deviceKey(sn), { ...(await device()), ...fields }))
const commands = () => table().all<Command>({ pk: commandKey(sn, '').pk })

const call = (method: string, action: string, query = '', body = '', headers: Record<string, string> = {}) =>
  iclock({
    ...{ version: '2.0', routeKey: `${method} /iclock/{path+}`, rawPath: `/iclock/${action}`, headers },
    rawQueryString: `SN=${sn}${query}`,
    requestContext: {
      http: { method, path: `/iclock/${action}`, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
      ...{ requestId: 'r', accountId: '0', apiId: 'a', domainName: '', domainPrefix: '', routeKey: '', stage: '' },
      ...{ time: '', timeEpoch: 0 },
    },
    ...{ body, isBase64Encoded: false },
  })
const statusOf = async (...called: Parameters<typeof call>) => (await call(...called)).statusCode
const send = async (...called: Parameters<typeof call>) => {
  const { body: text = '', statusCode } = await call(...called)
  expect(statusCode).toBe(200)
  return text
}
const ordersOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line.startsWith('C:'))
    .map(line => line.split(':').slice(2).join(':'))
const ask = async () => ordersOf(await send('GET', 'getrequest'))

beforeEach(async () => {
  const random = randomBytes(6).toString('hex')
  company = `z${random}`.padEnd(16, '0')
  sn = `Z${random.toUpperCase()}`
  const at = iso(Date.now())
  await kit.save(
    table().insert(companyKey(), {
      ...{ id: company, name: 'Round', company_num: '1', timezone: zone, dateformat_id: 3, timeformat_id: 2 },
      ...{ timeUnit: [0, 0, 0, 0, 0], createdAt: at },
    }),
    kit.directory().insert(serialNumberKey(sn), { company }),
    table().insert(deviceKey(sn), {
      ...{ serialNumber: sn, name: 'Gate', department: 'd'.repeat(16), voice: 5, language: 2, authentication: 'claim' },
      ...{ edition: 1, registeredAt: at, claimedAt: at, state: 'claimed', generation: 0, reconciledOn: '9999-12-31' },
    }),
  )
  await send('GET', 'cdata', '&options=all')
})

/** Runs the round over five minutes, so that each terminal gets its turn. */
const lookAfter = async () => {
  for (let i = 0; i < 5; i++) await poll({ time: iso(Date.now() + i * minute) })
}

test('a terminal that misses two polls goes offline, and its next poll returns a time command', async () => {
  await lookAfter()
  expect((await device()).connection).toBeDefined()
  await alter({ lastSeenAt: iso(Date.now() - 20 * minute) })
  await lookAfter()
  expect((await device()).connection).toBeUndefined()
  expect(await kit.directory().get(openTerminalKey(sn))).toBeUndefined()
  // The company may have changed its zone while the terminal was offline. So the terminal gets the time before it
  // delivers.
  await kit.save(queue.queueCommand(table(), sn, { cmd: 'getnewlog', body: {} }))
  expect(await ask()).toEqual(['CHECK', 'LOG'])
  expect((await device()).connection).toBeDefined()
  expect(await kit.directory().get(openTerminalKey(sn))).toMatchObject({ company, zone })
})

test('the round asks each terminal once a day for the records of two days', async () => {
  const day = today()
  await alter({ reconciledOn: '2020-01-01' })
  // Each terminal has its own minute of the day. By the last minute, every terminal has had its turn.
  const lastMinute = Date.parse(`${day}T23:59:00Z`) - (Date.parse(`${localTimeAt(zone, Date.now())}Z`) - Date.now())
  const { lookAfter: look } = await import('../../functions/terminal/round.ts')
  const open = await kit.directory().get(openTerminalKey(sn))
  if (!open) throw new Error('It is not there')
  await alter({ lastSeenAt: iso(lastMinute) })
  for (let i = 0; i < 3; i++) await look(open, lastMinute)
  const daily = (await commands()).filter(({ cmd }) => cmd === 'getalllog')
  expect(daily.map(({ body }) => body)).toEqual([{ from: addDays(day, -1) }])
  expect((await device()).reconciledOn).toBe(day)
})

test.each([
  ['forward', '2027-03-28T01:00:00Z'],
  ['back', '2027-10-31T01:00:00Z'],
])('a terminal gets the time when clocks go %s, neither before nor long after', async (_, changedAt) => {
  const change = Date.parse(changedAt)
  const { lookAfter: look } = await import('../../functions/terminal/round.ts')
  const open = await kit.directory().get(openTerminalKey(sn))
  if (!open) throw new Error('It is not there')
  const countTimeCommands = async (minutes: number) => {
    const at = change + minutes * minute
    await alter({ lastSeenAt: iso(at) })
    await look(open, at)
    const timeCommands = (await commands()).filter(({ cmd }) => cmd === 'settime')
    for (const { id } of timeCommands) await kit.save(table().remove(commandKey(sn, id)))
    return timeCommands.length
  }
  // The round visits each terminal once in five minutes, so one of two rounds finds the change.
  expect([
    await countTimeCommands(-1),
    await countTimeCommands(0),
    await countTimeCommands(5),
    await countTimeCommands(11),
  ]).toEqual([0, 1, 1, 0])
})

test('records keep the former zone until the terminal requests its options and receives the new zone', async () => {
  const day = addDays(today(), -1)
  const zoneOfNext = async (time: string) => {
    await send('POST', 'cdata', '&table=ATTLOG&Stamp=9', `1\t${day} ${time}\t0\t1\n`)
    return (await table().get(punchKey({ number: '1', localTime: `${day}T${time}`, sn })))?.zone
  }
  expect(await zoneOfNext('08:00:00')).toBe(zone)
  await alter({ timezone: 'Asia/Tokyo' })
  expect(await zoneOfNext('08:00:01')).toBe(zone)
  expect(await send('GET', 'cdata', '&options=all')).toMatch(/TimeZone=9\r?$/m)
  expect(await zoneOfNext('08:00:02')).toBe('Asia/Tokyo')
})

test('the server sends an unanswered command again, unless the command may run only once', async () => {
  await kit.save(
    queue.queueCommand(table(), sn, { id: '1', cmd: 'getnewlog', body: {} }),
    queue.queueCommand(table(), sn, { id: '2', cmd: 'opendoor', body: {}, isOnce: true }),
  )
  expect(await ask()).toEqual(['LOG', 'AC_UNLOCK'])
  expect(await ask()).toEqual([])
  for (const command of await commands())
    await kit.save(
      table().replace(commandKey(sn, command.id), {
        ...(command as Command & { version: number }),
        sentAt: iso(Date.now() - 2 * minute),
      }),
    )
  expect(await ask()).toEqual(['LOG'])
  expect(await table().get(settledCommandKey(sn, '2'))).toMatchObject({ state: 'failed', result: 'no answer' })
})

/** Queues a reset that waits only for the terminal to deliver its records. */
const reset = async ({ isForced = false, ...more }: Partial<Command> & { isForced?: boolean } = {}) => {
  await kit.save(
    queue.queueCommand(table(), sn, { id: '1', cmd: 'getalllog', body: {} }),
    queue.queueCommand(table(), sn, {
      ...{ id: '2', cmd: 'initsys', body: {}, isOnce: true, ...(!isForced && { needs: '1' }), ...more },
    }),
  )
  const [line = ''] = (await send('GET', 'getrequest')).split('\n')
  await send('POST', 'devicecmd', '', `ID=${line.split(':')[1]}&Return=0&CMD=DATA`)
}
/** Backdates the quiet time of the terminal and its last poll. */
const wasQuiet = async (quietFor = 3 * minute, askedBefore = minute / 2) => {
  const command = await table().get(commandKey(sn, '2'))
  if (!command) throw new Error('It is over')
  const quiet = { since: iso(Date.now() - quietFor), askedAt: iso(Date.now() - askedBefore) }
  await kit.save(table().replace(commandKey(sn, '2'), { ...command, quiet }))
}
const attlog = (...lines: string[]) => ['POST', 'cdata', '&table=ATTLOG&Stamp=9', lines.join('')] as const
const line = (second: string) => `1\t${addDays(today(), -1)} 08:00:${second}\t0\t1\n`

test('a reset runs after the terminal has polled for two minutes without a delivery', async () => {
  await reset()
  expect(await ask()).toEqual([])
  // The terminal is still delivering.
  await wasQuiet()
  await send(...attlog(line('01')))
  expect(await ask()).toEqual([])
  const stamp = await table().get(stampKey(sn, 'ATTLOG'))
  if (!stamp) throw new Error('No stamp')
  await kit.save(table().put(stampKey(sn, 'ATTLOG'), { ...stamp, at: iso(Date.now() - 4 * minute) }))
  // After an outage, the terminal polls before it delivers the punches made meanwhile.
  await wasQuiet(3 * minute, 2 * minute)
  expect(await ask()).toEqual([])
  await wasQuiet(minute)
  expect(await ask()).toEqual([])
  await wasQuiet()
  expect(await ask()).toEqual(['CLEAR DATA'])
})

describe('a refused delivery', () => {
  const tooLong = `${line('02')}${'x'.repeat(4 * 1024 * 1024)}\n${line('03')}`
  const open = async () => (await device()).refusedDeliveries ?? []

  test.each([{ isForced: false }, { isForced: true }])(
    'holds back a reset until its records are stored (forced: $isForced)',
    async options => {
      await reset(options)
      expect(await statusOf(...attlog(tooLong))).toBe(413)
      // The server refuses each retry, for longer than the two quiet minutes.
      await wasQuiet()
      expect(await statusOf(...attlog(tooLong))).toBe(413)
      expect(await open()).toMatchObject([{ table: 'ATTLOG', status: 413 }])
      expect(await ask()).toEqual([])
      // The server accepts a new punch meanwhile, and the refused delivery stays open.
      await send(...attlog(line('04')))
      await wasQuiet()
      expect(await ask()).toEqual([])
      await send(...attlog(line('02')))
      await send(...attlog(line('03'), line('04')))
      expect(await open()).toEqual([])
      const stamp = await table().get(stampKey(sn, 'ATTLOG'))
      if (!stamp) throw new Error('No stamp')
      await kit.save(table().put(stampKey(sn, 'ATTLOG'), { ...stamp, at: iso(Date.now() - 4 * minute) }))
      await wasQuiet()
      expect(await ask()).toEqual(['CLEAR DATA'])
    },
  )

  test.each<[string, number, Parameters<typeof call>]>([
    ['an unnamed table', 400, ['POST', 'cdata', '', 'x']],
    ['an unknown path', 404, ['POST', 'exchange', '', 'x']],
    ['a body too long for the server', 413, ['POST', 'cdata', '&table=OPERLOG', '', { 'content-length': '9000000' }]],
  ])('holds back a reset after %s', async (_, status, refused) => {
    await reset({ isForced: true })
    expect(await statusOf(...refused)).toBe(status)
    expect(await open()).toMatchObject([{ status }])
    expect(await ask()).toEqual([])
  })

  test('holds back a reset after a table error', async () => {
    await reset({ isForced: true })
    rightBefore(
      input => input.includes('STAMP#') && input.includes('OPERLOG'),
      () => Promise.reject(new Error('The table fails')),
    )
    expect(await statusOf('POST', 'cdata', '&table=OPERLOG', 'OPLOG 4\n')).toBe(500)
    vi.restoreAllMocks()
    expect(await ask()).toEqual([])
    await send('POST', 'cdata', '&table=OPERLOG', 'OPLOG 4\n')
    expect(await ask()).toEqual(['CLEAR DATA'])
  })

  test('holds back a reset after throttling', { tags: 'long' }, async () => {
    await reset({ isForced: true })
    const now = Date.now()
    // Count in a past second, which the real clock never reaches again.
    vi.spyOn(Date, 'now').mockReturnValue(now - 10_000)
    for (let i = 0; i < 50; i++) await call('GET', 'ping')
    expect(await statusOf('GET', 'ping')).toBe(429)
    expect(await statusOf(...attlog(line('05')))).toBe(429)
    vi.restoreAllMocks()
    expect(await open()).toMatchObject([{ table: 'ATTLOG', status: 429 }])
    expect(await ask()).toEqual([])
  })

  test('holds back a reset even when the refusal and the sending coincide', { tags: 'long' }, async () => {
    await reset({ isForced: true })
    const wasRefused = rightBefore(
      input => input.includes('TransactItems') && input.includes('initsys'),
      () => statusOf('POST', 'cdata', '', 'x'),
    )
    expect(await ask()).toEqual([])
    expect(wasRefused()).toBe(true)
    vi.restoreAllMocks()
    expect(await ask()).toEqual([])
  })

  test('is already on record while the server stores a long delivery, in case the function ends early', {
    tags: 'long',
  }, async () => {
    let during: unknown[] = []
    rightBefore(
      input => input.includes('INSERT INTO'),
      async () => {
        during = await open()
      },
    )
    const lines = Array.from({ length: 12_000 }, (_, i) => line(String(10 + (i % 50))))
    await send(...attlog(...lines))
    expect(during).toMatchObject([{ table: 'ATTLOG', status: 503 }])
    expect(await open()).toEqual([])
  })

  test('is counted in the failure reason of an expired reset', async () => {
    await reset({ isForced: true, deadline: iso(Date.now() + 2000) })
    expect(await statusOf('POST', 'cdata', '', 'x')).toBe(400)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + minute)
    expect(await ask()).toEqual([])
    expect(await table().get(settledCommandKey(sn, '2'))).toMatchObject({ result: 'unmet', reason: 'refused 1' })
  })

  test('from replaced hardware does not count against the terminal', { tags: 'long' }, async () => {
    await send('POST', 'cdata', '&table=options', '~MAC=00:11:22:33:44:55')
    expect(await statusOf('POST', 'cdata', '&table=options', '~MAC=00:11:22:33:44:66')).toBe(403)
    expect(await open()).toEqual([])
  })
})

test('each retry of a throttled long delivery stores more records until all are stored', { tags: 'long' }, async () => {
  const day = addDays(today(), -1)
  const time = (i: number) => new Date(Date.parse(`${day}T00:00:00Z`) + i * 1000).toISOString().slice(11, 19)
  const lines = Array.from({ length: 3000 }, (_, i) => `1\t${day} ${time(i)}\t0\t1\n`)
  const stored = () => table().count({ pk: punchKey({ sn, number: '1', localTime: '' }).pk })
  const counts: number[] = []
  let status: number | undefined
  for (let tries = 0; tries < 5 && status !== 200; tries++) {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + tries * minute)
    status = await statusOf(...attlog(...lines))
    vi.restoreAllMocks()
    counts.push(await stored())
  }
  expect(counts).toEqual([1000, 2000, 3000])
  expect(status).toBe(200)
})

test('two concurrent polls never receive the same command', { tags: 'long' }, async () => {
  for (let n = 0; n < 10; n++) {
    const id = String(n)
    await kit.save(queue.queueCommand(table(), sn, { id, cmd: 'getalllog', body: {} }))
    const orders = (await Promise.all([ask(), wait(n).then(ask)])).flat()
    expect(orders).toHaveLength(1)
    const sent = (await commands()).find(({ state }) => state === 'sent')
    await queue.takeOutcome(table(), { serialNumber: sn, id: sent?.id ?? '', generation: 1 }, { result: 'ok' })
  }
})

test('the server requests again the records that arrived within the last day, and no older records', async () => {
  await send('POST', 'cdata', '&table=ATTLOG&Stamp=100', `1\t${addDays(today(), -1)} 08:00:01\t0\t1\n`)
  const key = stampKey(sn, 'ATTLOG')
  const stamp = await table().get(key)
  if (!stamp) throw new Error('No stamp')
  expect(await send('GET', 'cdata', '&options=all')).toContain('ATTLOGStamp=0\n')
  await kit.save(table().put(key, { ...stamp, day: addDays(today(), -2) }))
  expect(await send('GET', 'cdata', '&options=all')).toContain('ATTLOGStamp=100\n')
  await send('POST', 'cdata', '&table=ATTLOG&Stamp=200', `1\t${addDays(today(), -1)} 08:00:02\t0\t1\n`)
  expect(await send('GET', 'cdata', '&options=all')).toContain('ATTLOGStamp=100\n')
})

test('an unused claim expires after a day, and either the terminal or a second company wins a race', async () => {
  const { bindTo, claimFor } = await import('../../functions/terminal/claim.ts')
  const { forgetTerminal } = await import('../../functions/terminal/user.ts')
  const key = serialNumberKey(sn)
  const claim = () => kit.directory().get(key)
  const rival = company.replace('z', 'y')
  const taken = { code: 60015 }
  const hour = 60 * minute
  const now = Date.now()
  /** Restores the state before the terminal first connected. */
  const unbind = async (openUntil: number) => {
    const existing = await claim()
    if (!existing) throw new Error('No claim')
    await kit.save(kit.directory().replace(key, { company, openUntil: iso(openUntil), version: existing.version }))
    await forgetTerminal(table(), sn)
    await alter({ state: 'claimed', protocol: undefined, claimedAt: iso(openUntil - 24 * hour) })
  }
  // The terminal has connected, so the claim no longer expires.
  await expect(claimFor(rival, sn, now + 999 * hour)).rejects.toMatchObject(taken)
  await unbind(now + hour)
  await expect(claimFor(rival, sn, now)).rejects.toMatchObject(taken)

  // The terminal connects while the rival takes over the claim.
  const late = await claimFor(rival, sn, now + 2 * hour)
  await send('GET', 'cdata', '&options=all')
  expect(await claim()).toMatchObject({ company })
  expect(await claim()).not.toHaveProperty('openUntil')
  await expect(kit.save(...late)).rejects.toMatchObject({ code: 60006 })
  await expect(claimFor(rival, sn, now + 999 * hour)).rejects.toMatchObject(taken)

  // The rival takes over the claim while the terminal connects.
  await unbind(now + hour)
  const [existing, before] = [await claim(), await device()]
  await kit.save(...(await claimFor(rival, sn, now + 2 * hour)))
  if (!existing) throw new Error('No claim')
  const bound = { ...before, state: 'bound' as const }
  await expect(kit.save(...bindTo(table(), existing)(before, bound))).rejects.toMatchObject(taken)
  expect(await claim()).toMatchObject({ company: rival, openUntil: iso(now + 26 * hour) })
  // The first company may claim again after the claim of the rival has expired.
  await expect(claimFor(company, sn, now + 25 * hour)).rejects.toMatchObject(taken)
  await kit.save(...(await claimFor(company, sn, now + 27 * hour)))
  expect(await claim()).toMatchObject({ company })
})

test('a terminal has listed its earlier users after two quiet minutes, or when it reports no users', async () => {
  const ago = (milliseconds: number) => iso(Date.now() - milliseconds)
  const wait = (since: number, asked = 30_000) => alter({ quiet: { since: ago(since), askedAt: ago(asked) } })
  const deliver = (name: string, body: string) => send('POST', 'cdata', `&table=${name}&Stamp=1`, body)
  const formerOf = async (number: string) => Object.keys((await table().get(formerUserKey(sn, number)))?.parts ?? {})
  await ask()
  await wait(110_000)
  await ask()
  expect(await device()).not.toHaveProperty('listed')
  // A delivery restarts the quiet time, and a long pause between polls does not count as quiet.
  const finger = (pin: number) => `FP PIN=${pin}\tFID=0\tSize=8\tValid=1\tTMP=abcdefgh\n`
  for (const [name, body] of [
    ['ATTLOG', `7\t${today()} 00:00:01\t0\t1\t0\t0\n`],
    ['OPERLOG', finger(7)],
    ['BIODATA', 'BIODATA Pin=7\tNo=1\tIndex=0\tValid=1\tDuress=0\tType=1\tMajorVer=10\tTmp=abcdefgh\n'],
  ] as const) {
    await wait(130_000)
    await deliver(name, body)
    await ask()
    expect(await device(), name).not.toHaveProperty('listed')
  }
  await wait(300_000, 90_000)
  await ask()
  expect(await device()).not.toHaveProperty('listed')
  expect(await formerOf('7')).toEqual(['0', '1'])
  await wait(130_000)
  await ask()
  expect(await device()).toHaveProperty('listed')
  expect((await device()).quiet).toBeUndefined()
  await deliver('OPERLOG', finger(8))
  expect(await formerOf('8')).toEqual([])

  await alter({ listed: undefined })
  await ask()
  // The server has not requested the earlier users yet, so no quiet time starts.
  expect(await device()).not.toHaveProperty('quiet')
  await send('GET', 'getrequest', '&INFO=Ver%208.0.4,0,0,0,192.168.1.201,10,7,12,0,111')
  expect(await device()).toHaveProperty('listed')
})

test('an enrolment waits until the terminal has listed its earlier users', async () => {
  const employee = 'e'.repeat(16)
  const person = { id: employee, first_name: 'Per', last_name: 'Son', workno: '7', department: 'd'.repeat(16) }
  await kit.save(table().insert(employeeKey(employee), person as Employee))
  await kit.save(queue.queueCommand(table(), sn, { cmd: 'adduser', body: { employee, backupnum: 0 }, isOnce: true }))
  const isEnrolment = (words: string) => words.startsWith('ENROLL_FP')
  for (let i = 0; i < 2; i++) expect((await ask()).filter(isEnrolment)).toEqual([])
  for (const { id, state } of await commands())
    if (state === 'sent') await queue.takeOutcome(table(), { serialNumber: sn, id, generation: 1 }, { result: 'ok' })
  await alter({ listed: { at: iso(Date.now()) } })
  expect((await ask()).filter(isEnrolment)).toHaveLength(1)
})
