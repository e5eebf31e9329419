import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import { openTerminalKey, serialNumberKey } from '../../shared/device/claim.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { addDays } from '../../shared/local-day.ts'
import { punchKey } from '../../shared/punch.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { type Command, commandKey, settledCommandKey } from '../../shared/terminal/command.ts'
import { stampKey } from '../../shared/terminal/stamp.ts'
import { formerUserKey } from '../../shared/terminal/user.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// What time does to a terminal that comes over HTTP: nobody tells any facts here, and time passes by what is written.

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
  const found = await table().get(deviceKey(sn))
  if (!found) throw new Error('No device')
  return found
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

/** Looks after each terminal in each minute it may have. */
const lookAfter = async () => {
  for (let i = 0; i < 5; i++) await poll({ time: iso(Date.now() + i * minute) })
}

test('who was silent for two polls is offline, and is there again with its next question, and told the time', async () => {
  await lookAfter()
  expect((await device()).connection).toBeDefined()
  await alter({ lastSeenAt: iso(Date.now() - 20 * minute) })
  await lookAfter()
  expect((await device()).connection).toBeUndefined()
  expect(await kit.directory().get(openTerminalKey(sn))).toBeUndefined()
  // Its zone may have become another one meanwhile; what it stamps until it knows would be wrong.
  await kit.save(queue.queueCommand(table(), sn, { cmd: 'getnewlog', body: {} }))
  expect(await ask()).toEqual(['CHECK', 'LOG'])
  expect((await device()).connection).toBeDefined()
  expect(await kit.directory().get(openTerminalKey(sn))).toMatchObject({ company, zone })
})

test('once a day it is asked for the records of two days', async () => {
  const day = today()
  await alter({ reconciledOn: '2020-01-01' })
  // Each has a minute of the day of its own, which may be still to come: at the end of a day every one has had it.
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
])('it is told the time when clocks are put %s, and neither before nor long after', async (_, changedAt) => {
  const change = Date.parse(changedAt)
  const { lookAfter: look } = await import('../../functions/terminal/round.ts')
  const open = await kit.directory().get(openTerminalKey(sn))
  if (!open) throw new Error('It is not there')
  const toldAt = async (minutes: number) => {
    const now = change + minutes * minute
    await alter({ lastSeenAt: iso(now) })
    await look(open, now)
    const told = (await commands()).filter(({ cmd }) => cmd === 'settime')
    for (const { id } of told) await kit.save(table().remove(commandKey(sn, id)))
    return told.length
  }
  // It is looked after once in five minutes: whichever of them is its own, one of two rounds finds the change.
  expect([await toldAt(-1), await toldAt(0), await toldAt(5), await toldAt(11)]).toEqual([0, 1, 1, 0])
})

test('records are of the zone its clock was told to show until it has asked for another', async () => {
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

test('what it never answered to is told again, but nothing that may be done once', async () => {
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

/** Queues a reset that waits only for what the terminal delivers by itself. */
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
/** It was quiet for so long, and asked last so long ago. */
const wasQuiet = async (quietFor = 3 * minute, askedBefore = minute / 2) => {
  const known = await table().get(commandKey(sn, '2'))
  if (!known) throw new Error('It is over')
  const quiet = { since: iso(Date.now() - quietFor), askedAt: iso(Date.now() - askedBefore) }
  await kit.save(table().replace(commandKey(sn, '2'), { ...known, quiet }))
}
const attlog = (...lines: string[]) => ['POST', 'cdata', '&table=ATTLOG&Stamp=9', lines.join('')] as const
const line = (second: string) => `1\t${addDays(today(), -1)} 08:00:${second}\t0\t1\n`

test('it is emptied once it has gone on asking for two minutes and delivered nothing', async () => {
  await reset()
  expect(await ask()).toEqual([])
  // It delivers still.
  await wasQuiet()
  await send(...attlog(line('01')))
  expect(await ask()).toEqual([])
  const stamp = await table().get(stampKey(sn, 'ATTLOG'))
  if (!stamp) throw new Error('No stamp')
  await kit.save(table().put(stampKey(sn, 'ATTLOG'), { ...stamp, at: iso(Date.now() - 4 * minute) }))
  // While it was off the line somebody may have punched, and it asks before it delivers.
  await wasQuiet(3 * minute, 2 * minute)
  expect(await ask()).toEqual([])
  await wasQuiet(minute)
  expect(await ask()).toEqual([])
  await wasQuiet()
  expect(await ask()).toEqual(['CLEAR DATA'])
})

describe('no reset erases a terminal', () => {
  const tooLong = `${line('02')}${'x'.repeat(4 * 1024 * 1024)}\n${line('03')}`
  const open = async () => (await device()).refusedDeliveries ?? []

  test.each([{ isForced: false }, { isForced: true }])('that was refused records: forced $isForced', async given => {
    await reset(given)
    expect(await statusOf(...attlog(tooLong))).toBe(413)
    // Each retry is refused again, for more than the two minutes.
    await wasQuiet()
    expect(await statusOf(...attlog(tooLong))).toBe(413)
    expect(await open()).toMatchObject([{ table: 'ATTLOG', status: 413 }])
    expect(await ask()).toEqual([])
    // What somebody punches meanwhile is taken, and is not what was refused.
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
  })

  test.each<[string, number, Parameters<typeof call>]>([
    ['a table it did not name', 400, ['POST', 'cdata', '', 'x']],
    ['a path nobody knows', 404, ['POST', 'exchange', '', 'x']],
    [
      'a body that never came here whole',
      413,
      ['POST', 'cdata', '&table=OPERLOG', '', { 'content-length': '9000000' }],
    ],
  ])('that was refused %s', async (_, status, refused) => {
    await reset({ isForced: true })
    expect(await statusOf(...refused)).toBe(status)
    expect(await open()).toMatchObject([{ status }])
    expect(await ask()).toEqual([])
  })

  test('that was refused because the table failed', async () => {
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

  test('that was refused because it sends too much at once', async () => {
    await reset({ isForced: true })
    const now = Date.now()
    // A second that is over: the real clock never counts in it again.
    vi.spyOn(Date, 'now').mockReturnValue(now - 10_000)
    for (let i = 0; i < 50; i++) await call('GET', 'ping')
    expect(await statusOf('GET', 'ping')).toBe(429)
    expect(await statusOf(...attlog(line('05')))).toBe(429)
    vi.restoreAllMocks()
    expect(await open()).toMatchObject([{ table: 'ATTLOG', status: 429 }])
    expect(await ask()).toEqual([])
  })

  test('that is refused right before the reset is handed over', async () => {
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

  test('while a long delivery is stored, and a function that ends meanwhile leaves it refused', async () => {
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

  test('and says how many deliveries were refused where its time is over', async () => {
    await reset({ isForced: true, deadline: iso(Date.now() + 2000) })
    expect(await statusOf('POST', 'cdata', '', 'x')).toBe(400)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + minute)
    expect(await ask()).toEqual([])
    expect(await table().get(settledCommandKey(sn, '2'))).toMatchObject({ result: 'unmet', reason: 'refused 1' })
  })

  test('but what other hardware was refused in its place holds back nothing', async () => {
    await send('POST', 'cdata', '&table=options', '~MAC=00:11:22:33:44:55')
    expect(await statusOf('POST', 'cdata', '&table=options', '~MAC=00:11:22:33:44:66')).toBe(403)
    expect(await open()).toEqual([])
  })
})

test('of a long delivery that is too much at once, each retry stores more until all is stored', async () => {
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

test('two calls at the same moment are not told the same', async () => {
  for (let n = 0; n < 10; n++) {
    const id = String(n)
    await kit.save(queue.queueCommand(table(), sn, { id, cmd: 'getalllog', body: {} }))
    const told = (await Promise.all([ask(), wait(n).then(ask)])).flat()
    expect(told).toHaveLength(1)
    const sent = (await commands()).find(({ state }) => state === 'sent')
    await queue.takeOutcome(table(), { serialNumber: sn, id: sent?.id ?? '', generation: 1 }, { result: 'ok' })
  }
})

test('it delivers anew what came since the day before, and nothing older', async () => {
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

test('a claim that no terminal took up within the day lapses, whichever comes first then', async () => {
  const { bindTo, claimFor } = await import('../../functions/terminal/claim.ts')
  const { forgetTerminal } = await import('../../functions/terminal/user.ts')
  const key = serialNumberKey(sn)
  const claim = () => kit.directory().get(key)
  const rival = company.replace('z', 'y')
  const taken = { code: 60015 }
  const hour = 60 * minute
  const now = Date.now()
  /** As it was before its terminal came. */
  const unbind = async (openUntil: number) => {
    const known = await claim()
    if (!known) throw new Error('No claim')
    await kit.save(kit.directory().replace(key, { company, openUntil: iso(openUntil), version: known.version }))
    await forgetTerminal(table(), sn)
    await alter({ state: 'claimed', protocol: undefined, claimedAt: iso(openUntil - 24 * hour) })
  }
  // Its terminal came, so it is for good.
  await expect(claimFor(rival, sn, now + 999 * hour)).rejects.toMatchObject(taken)
  await unbind(now + hour)
  await expect(claimFor(rival, sn, now)).rejects.toMatchObject(taken)

  // The terminal comes while the other company is about to take it over.
  const late = await claimFor(rival, sn, now + 2 * hour)
  await send('GET', 'cdata', '&options=all')
  expect(await claim()).toMatchObject({ company })
  expect(await claim()).not.toHaveProperty('openUntil')
  await expect(kit.save(...late)).rejects.toMatchObject({ code: 60006 })
  await expect(claimFor(rival, sn, now + 999 * hour)).rejects.toMatchObject(taken)

  // The other company takes it over while the terminal is about to come.
  await unbind(now + hour)
  const [known, before] = [await claim(), await device()]
  await kit.save(...(await claimFor(rival, sn, now + 2 * hour)))
  if (!known) throw new Error('No claim')
  const bound = { ...before, state: 'bound' as const }
  await expect(kit.save(...bindTo(table(), known)(before, bound))).rejects.toMatchObject(taken)
  expect(await claim()).toMatchObject({ company: rival, openUntil: iso(now + 26 * hour) })
  // Whoever had it first may open their claim anew when that of the other has lapsed.
  await expect(claimFor(company, sn, now + 25 * hour)).rejects.toMatchObject(taken)
  await kit.save(...(await claimFor(company, sn, now + 27 * hour)))
  expect(await claim()).toMatchObject({ company })
})

test('what it held when it came it has told once it went on asking for two minutes and delivered nothing, or says that it holds nobody', async () => {
  const ago = (milliseconds: number) => iso(Date.now() - milliseconds)
  const wait = (since: number, asked = 30_000) => alter({ quiet: { since: ago(since), askedAt: ago(asked) } })
  const deliver = (name: string, body: string) => send('POST', 'cdata', `&table=${name}&Stamp=1`, body)
  const formerOf = async (number: string) => Object.keys((await table().get(formerUserKey(sn, number)))?.parts ?? {})
  await ask()
  await wait(110_000)
  await ask()
  expect(await device()).not.toHaveProperty('listed')
  // It delivers still, whatever that is, or was off the line.
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
  // Nobody told it to deliver.
  expect(await device()).not.toHaveProperty('quiet')
  await send('GET', 'getrequest', '&INFO=Ver%208.0.4,0,0,0,192.168.1.201,10,7,12,0,111')
  expect(await device()).toHaveProperty('listed')
})

test('nobody registers before it has told what it held when it came', async () => {
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
