import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  acceptLog,
  acceptRegistration,
  answerBrowser,
  answerRequest,
  askNewLog,
  type Fields,
  frameLimitBytes,
  mayBringLog,
  readFrame,
  readLog,
  readRegistration,
  refuseLog,
  refuseRegistration,
} from '../../../shared/terminal/ai-face.ts'

/** The frames of a firmware, and their expected meaning. `answer` is null if the terminal expects none. */
interface Transcript {
  profile: string
  localNow: string
  frames: {
    said: Fields
    inFlight?: string
    kind: 'request' | 'reply'
    registration?: object
    log?: object
    answer?: object | null
  }[]
}

const folder = new URL('../../given/terminal/', import.meta.url)
const transcripts = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .map((name): Transcript => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
const localNow = '2026-03-02T09:00:30'
const readRecord = (record: unknown) => readLog({ record: [record] }, localNow).records[0]
const quarantineReason = (record: unknown) => {
  const read = readRecord(record)
  return read?.kind === 'quarantine' ? read.reason : read?.kind
}

describe.each(transcripts)('$profile', ({ frames, localNow }) => {
  test.each(frames)('$said', ({ said, inFlight, kind, registration, log, answer }) => {
    const frame = readFrame(JSON.stringify(said), inFlight)
    expect(frame).toMatchObject({ kind, command: said.ret ?? said.cmd })
    if (registration) expect(readRegistration(said)).toEqual(registration)
    if (log) expect(readLog(said, localNow)).toEqual(log)
    if (answer !== undefined) {
      expect(answerRequest(String(said.cmd), said, localNow)).toEqual(answer ?? undefined)
    }
  })
})

describe('a frame', () => {
  test('with an invalid tab or line break in a name is still read', () => {
    const frame = readFrame('{"cmd":"sendlog",\n"record":[{"name":"Ada\tL\u0000"}]}')
    expect(frame).toMatchObject({ kind: 'request', command: 'sendlog', fields: { record: [{ name: 'Ada L ' }] } })
    expect(readFrame('{"cmd":"sendlog"')).toEqual({ kind: 'unknown', reason: 'not JSON' })
  })

  test('of 128 KB is read, and one byte more is refused, in bytes and not characters', () => {
    const frame = (filler: string) => JSON.stringify({ cmd: 'x', note: filler })
    const room = frameLimitBytes - frame('').length
    expect(readFrame(frame('a'.repeat(room))).kind).toBe('request')
    expect(readFrame(frame('a'.repeat(room + 1)))).toEqual({ kind: 'unknown', reason: 'too large' })
    expect(readFrame(frame('€'.repeat(Math.floor(room / 3)))).kind).toBe('request')
    expect(readFrame(frame('€'.repeat(Math.floor(room / 3) + 1)))).toEqual({ kind: 'unknown', reason: 'too large' })
  })

  test('with eight nested levels is read, and with nine levels or many brackets is refused', () => {
    const nested = (levels: number) => `${'{"cmd":"x","a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(readFrame(nested(8)).kind).toBe('request')
    expect(readFrame(nested(9))).toEqual({ kind: 'unknown', reason: 'too deep' })
    expect(readFrame(`{"cmd":${'['.repeat(60_000)}${']'.repeat(60_000)}}`).kind).toBe('unknown')
  })

  test.each([
    ['', 'not JSON'],
    ['{"cmd":"reg"', 'not JSON'],
    ['null', 'not an object'],
    ['[]', 'not an object'],
    ['"reg"', 'not an object'],
    ['{}', 'no command'],
    ['{"cmd":1}', 'no command'],
    ['{"cmd":""}', 'no command'],
    [`{"cmd":"${'x'.repeat(41)}"}`, 'no command'],
  ])('%s is not understood: %s', (text, reason) => {
    expect(readFrame(text)).toEqual({ kind: 'unknown', reason })
  })

  test('may name its command in `cmd` or `command`', () => {
    expect(readFrame('{"command":"home.ping"}')).toEqual({ kind: 'browser', command: 'home.ping' })
    expect(readFrame('{"cmd":"home.login","token":"abc"}')).toEqual({
      kind: 'browser',
      command: 'home.login',
      token: 'abc',
    })
    expect(readFrame('{"cmd":"home.login","token":{"a":1}}')).toMatchObject({ command: 'home.login', token: '' })
  })

  test('that repeats a command is an answer only while the command is in flight', () => {
    const text = '{"cmd":"getnewlog","count":0,"record":[]}'
    expect(readFrame(text, 'getnewlog').kind).toBe('reply')
    expect(readFrame(text, 'settime').kind).toBe('request')
    expect(readFrame('{"cmd":"getnewlog","stn":true}', 'getnewlog').kind).toBe('request')
  })

  test('shows whether the terminal has executed the command', () => {
    expect(readFrame('{"ret":"settime","result":false,"reason":1}')).toMatchObject({ ok: false })
    expect(readFrame('{"ret":"settime","result":true}')).toMatchObject({ ok: true })
    expect(readFrame('{"ret":"getnewlog","count":0}')).toMatchObject({ ok: true })
  })

  test('never makes the reader throw', () => {
    const text = fc.oneof(fc.string(), fc.json({ maxDepth: 12 }))
    fc.assert(
      fc.property(text, fc.option(fc.string(), { nil: undefined }), (text, inFlight) => {
        expect(['browser', 'request', 'reply', 'unknown']).toContain(readFrame(text, inFlight).kind)
      }),
      { numRuns: 2_000 },
    )
  })

  test('with junk in any field never makes the reader throw, and the reader drops no record', () => {
    const junk = fc.jsonValue({ maxDepth: 3 })
    const time = fc.oneof(
      fc.date({ noInvalidDate: true }).map(date => date.toISOString().slice(0, 19).replace('T', ' ')),
      fc.string(),
      junk,
    )
    const record = fc.oneof(
      junk,
      fc.record({
        enrollid: fc.oneof(fc.nat(), junk),
        time,
        mode: junk,
        inout: junk,
        event: junk,
        temp: junk,
        mask: junk,
      }),
    )
    const frame = fc.record(
      {
        cmd: fc.constantFrom('reg', 'sendlog', 'pushlog'),
        sn: junk,
        devinfo: junk,
        count: fc.oneof(junk, fc.nat(), fc.nat().map(String)),
        logindex: junk,
        record: fc.array(record),
      },
      { requiredKeys: ['cmd', 'record'] },
    )
    const isCount = (count: unknown) =>
      typeof count === 'string'
        ? /^\d{1,15}$/.test(count) && Number(count) > 0
        : Number.isSafeInteger(count) && Number(count) > 0
    fc.assert(
      fc.property(frame, message => {
        const text = JSON.stringify(message)
        const read = readFrame(text)
        if (read.kind !== 'request') return
        readRegistration(read.fields)
        answerRequest(read.command, read.fields, localNow)
        // The reader quarantines a frame with a count but no records as a whole.
        const isOwed = message.record.length === 0 && isCount(message.count)
        expect(readLog(read.fields, localNow).records).toHaveLength(isOwed ? 1 : message.record.length)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a registration', () => {
  test.each([undefined, null, '', ' ', 'a b', 'é', 'x'.repeat(33), '../x', {}, [], true])(
    'with the serial number %j is invalid',
    sn => {
      expect(readRegistration({ cmd: 'reg', sn })).toBeUndefined()
    },
  )

  test('ignores the case of a serial number', () => {
    expect(readRegistration({ sn: ' zx01 ' })).toMatchObject({ sn: 'ZX01' })
  })

  test('keeps only fields of the right type', () => {
    const devinfo = { modelname: 7, firmware: {}, useduser: -1, usedfp: 1.5, usedface: '12', usednewlog: 'many' }
    expect(readRegistration({ sn: 123456, cpusn: 'x'.repeat(65), devinfo })).toEqual({
      sn: '123456',
      model: '7',
      counts: { faces: 12 },
      hasDevinfo: true,
    })
  })

  test('contains the company number and the communication password of terminals that send them', () => {
    expect(readRegistration({ sn: 'A1', company_num: 1000, comm_pwd: '123456' })).toMatchObject({
      companyNumber: '1000',
      password: '123456',
    })
  })
})

describe('a record', () => {
  const time = '2026-03-02 08:59:00'

  test.each([
    ['text', 'bad record'],
    [null, 'bad record'],
    [[1, time], 'bad record'],
    [{ time }, 'bad number'],
    [{ enrollid: -1, time }, 'bad number'],
    [{ enrollid: 1.5, time }, 'bad number'],
    [{ enrollid: 2 ** 60, time }, 'bad number'],
    [{ enrollid: 'x1', time }, 'bad number'],
    [{ enrollid: '1'.repeat(19), time }, 'bad number'],
    [{ enrollid: true, time }, 'bad number'],
    [{ enrollid: 1 }, 'bad time'],
    [{ enrollid: 1, time: 1772438400 }, 'bad time'],
    [{ enrollid: 1, time: '2026-02-30 09:00:00' }, 'bad time'],
    [{ enrollid: 1, time: '2026-03-02 24:00:00' }, 'bad time'],
    [{ enrollid: 1, time: '2026-03-02 09:00:60' }, 'bad time'],
    [{ enrollid: 1, time: '2026-03-02' }, 'bad time'],
    [{ enrollid: 1, time: '02.03.2026 09:00:00' }, 'bad time'],
    [{ enrollid: 1, time: '2014-12-31 23:59:59' }, 'too old'],
    [{ enrollid: 1, time: '2026-03-03 09:00:31' }, 'in the future'],
    [{ enrollid: 0, time: '2000-01-01 00:00:00' }, 'too old'],
  ])('%j goes to quarantine: %s', (record, reason) => {
    expect(quarantineReason(record)).toBe(reason)
  })

  test.each([
    [{ enrollid: 1, time: '2015-01-01 00:00:00' }, '2015-01-01T00:00:00'],
    [{ enrollid: 1, time: '2026-03-03 09:00:30' }, '2026-03-03T09:00:30'],
    [{ enrollid: 1, time: '2024-02-29T23:59:59' }, '2024-02-29T23:59:59'],
    [{ enrollid: 1, time: '2026-3-1 8:05:09' }, '2026-03-01T08:05:09'],
  ])('%j is a punch at %s', (record, localTime) => {
    expect(readRecord(record)).toMatchObject({ kind: 'punch', localTime })
  })

  test('has the same number in three notations', () => {
    expect([7, '7', '007'].map(enrollid => readRecord({ enrollid, time }))).toEqual(
      Array(3).fill({ kind: 'punch', number: '7', localTime: '2026-03-02T08:59:00' }),
    )
  })

  test('with an invalid mode is a punch without the mode', () => {
    expect(readRecord({ enrollid: 1, time, mode: 'face', inout: {}, temp: 'hot', mask: 'yes' })).toEqual({
      kind: 'punch',
      number: '1',
      localTime: '2026-03-02T08:59:00',
    })
  })

  test.each([
    [36.55, 366],
    ['36.5', 365],
    [0, undefined],
    [-3, undefined],
    [1e9, undefined],
    [19.9, undefined],
    [60, undefined],
    ['99.5', 375],
    [199, undefined],
    ['', undefined],
    [[36], undefined],
  ])('with the temperature %j has %j tenths', (temp, tenths) => {
    expect(readRecord({ enrollid: 1, time, temp })).toEqual({
      kind: 'punch',
      number: '1',
      localTime: '2026-03-02T08:59:00',
      temperature: tenths,
    })
  })

  test('in quarantine keeps its original fields without the picture', () => {
    expect(readRecord({ enrollid: 'x', time, image: '/9j/', photo: '/9j/', note: 'n' })).toEqual({
      kind: 'quarantine',
      reason: 'bad number',
      raw: { enrollid: 'x', time, note: 'n' },
    })
  })

  test('without a list in its log is one record in quarantine, and an empty log has no records', () => {
    expect(readLog({ cmd: 'sendlog', count: 2, record: 'x' }, localNow).records).toMatchObject([
      { reason: 'bad record' },
    ])
    expect(readLog({ cmd: 'sendlog', count: 2 }, localNow).records).toMatchObject([{ kind: 'quarantine' }])
    expect(readLog({ cmd: 'sendlog', count: 2, record: [] }, localNow).records).toMatchObject([{ kind: 'quarantine' }])
    expect(readLog({ cmd: 'sendlog', enrollid: 5, time }, localNow).records).toMatchObject([
      { kind: 'punch', number: '5' },
    ])
    expect(readLog({ cmd: 'sendlog', logs: [] }, localNow).records).toMatchObject([{ kind: 'quarantine' }])
    expect(readLog({ cmd: 'sendlog', count: 0 }, localNow).records).toEqual([])
    // The names of the command and of the list do not matter.
    for (const list of [{ record: { enrollid: 5, time } }, { records: [{ enrollid: 5, time }] }])
      expect(readLog({ cmd: 'pushlog', ...list }, localNow).records).toMatchObject([{ kind: 'punch', number: '5' }])
    expect(readLog({ cmd: 'rtlog', count: 2, logs: [1, 2] }, localNow)).toMatchObject({
      ...{ count: 2, records: [{ kind: 'quarantine', raw: { cmd: 'rtlog', count: 2, logs: [1, 2] } }] },
    })
    // The count of a page covers all pages.
    for (const record of [[], undefined])
      expect(readLog({ ret: 'getnewlog', ...(record && { count: 7, record }) }, localNow).records).toEqual([])
  })
})

describe('a request', () => {
  const row = { enrollid: 7, time: '2026-03-02 08:59:00' }

  test.each([
    { cmd: 'sendlog' },
    { cmd: 'sendrtlog', count: 1, record: [row] },
    { cmd: 'pushlog', records: row },
    { cmd: 'checklive', record: [row] },
    { cmd: 'rtlog', count: 3 },
    { cmd: 'rtlog', count: 'three' },
    { cmd: 'rtlog', record: ['7;2026-03-02 08:59:00'] },
    { cmd: 'rtlog', ...row },
    { cmd: 'pushlog', data: { count: 1, record: [row] } },
    { cmd: 'pushlog', logs: { first: row } },
    { cmd: 'pushlog', list: [{ enrollid: 7, checktime: row.time }] },
    { cmd: 'pushlog', record: '7,2026-03-02 08:59:00' },
    { cmd: 'checklive', logs: [row] },
  ])('%j may contain log records', message => expect(mayBringLog(message.cmd, message)).toBe(true))

  test.each([
    { cmd: 'checklive', count: 4 },
    { cmd: 'heartbeat', time: row.time },
    { cmd: 'heartbeat', count: 0, record: [], info: {} },
    { cmd: 'senduser', enrollid: 7, backupnum: 11, record: 4711 },
    { cmd: 'senduserinfo', enrollid: 7, backupnum: 0, record: 'AAEC' },
    { cmd: 'senduser', enrollid: 7, backupnum: 0, record: 'AAEC', zones: [{ starttime: '08:00' }] },
    { cmd: 'getuserlist', count: 1, record: [{ enrollid: 7, admin: 0, backupnum: 11 }] },
    { cmd: 'sendqrcode', record: '4711' },
    { cmd: 'sendimage', ...row, image: '/9j/' },
  ])('%j contains no log records', message => expect(mayBringLog(message.cmd, message)).toBe(false))
})

describe('an answer', () => {
  test.each([
    [
      acceptRegistration(localNow),
      { ret: 'reg', result: true, cloudtime: '2026-03-02 09:00:30', nosenduser: true, nosendimage: true },
    ],
    [refuseRegistration(), { ret: 'reg', result: false, reason: 'did not reg' }],
    [
      acceptLog('sendrtlog', { count: 3, logindex: 0 }, localNow),
      { ret: 'sendrtlog', result: true, count: 3, logindex: 0, cloudtime: '2026-03-02 09:00:30', mark: true },
    ],
    [
      refuseLog('sendlog', { count: 3, logindex: 9 }),
      { ret: 'sendlog', result: false, count: 3, logindex: 9, reason: 1 },
    ],
    [refuseLog('sendlog', { count: 1 }), { ret: 'sendlog', result: false, count: 1, reason: 1 }],
    [askNewLog(true), { cmd: 'getnewlog', stn: true }],
    [askNewLog(false), { cmd: 'getnewlog', stn: false }],
    [answerBrowser('home.ping', true), { ret: 'home.ping', result: true }],
    [answerBrowser('home.login', false), { ret: 'home.login', result: false }],
  ])('%j', (message, text) => {
    expect(JSON.parse(JSON.stringify(message))).toEqual(text)
  })
})
