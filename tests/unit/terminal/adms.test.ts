import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  composeCommand,
  composeOptions,
  composeTaken,
  linesOf,
  outcomeOf,
  readAddress,
  readAttendance,
  readDelivery,
  readInfo,
  readOptions,
  readPeople,
  readReturns,
  readUnread,
  translate,
} from '../../../shared/terminal/adms.ts'
import { beginningOf, noteStamp, type Stamp } from '../../../shared/terminal/stamp.ts'

/** The messages of a firmware, and their expected meaning. */
interface Transcript {
  profile: string
  localNow: string
  attendance?: { said: string; records: object[] }[]
  operations?: { said: string; count: number; held: object[]; unread?: string[] }[]
  info?: { said: string; meant: object }[]
  options?: { said: string; meant: object }[]
  returns?: { said: string; meant: object[] }[]
}

const folder = new URL('../../given/terminal/adms/', import.meta.url)
const transcripts = readdirSync(folder).map(
  (name): Transcript => JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
)
const localNow = '2026-03-02T18:00:00'
/** Removes undefined fields. */
const withoutUndefined = (value: unknown) => JSON.parse(JSON.stringify(value))

test.each(transcripts)('$profile', ({ localNow, attendance, operations, info, options, returns }) => {
  for (const { said, records } of attendance ?? []) {
    const read = readAttendance(said, localNow)
    expect(read.count).toBe(records.length)
    expect(
      withoutUndefined(
        read.records.map(record => (record.kind === 'quarantine' ? { ...record, raw: undefined } : record)),
      ),
    ).toEqual(records)
  }
  for (const { said, count, held, unread = [] } of operations ?? [])
    expect(withoutUndefined(readPeople('OPERLOG', said))).toEqual({ count, held, unread })
  for (const { said, meant } of info ?? []) expect(withoutUndefined(readInfo(said))).toEqual(meant)
  for (const { said, meant } of options ?? []) expect(withoutUndefined(readOptions(said))).toEqual(meant)
  for (const { said, meant } of returns ?? []) expect(readReturns(said)).toEqual(meant)
})

describe('an address', () => {
  const secret = { companyNumber: '12345678', pathSecret: 'abc' }
  test.each([
    ['/iclock/cdata', { action: 'cdata' }],
    ['/iclock/cdata.aspx', { action: 'cdata' }],
    ['/iclock/getrequest.aspx', { action: 'getrequest' }],
    ['/ICLOCK/GETREQUEST', { action: 'getrequest' }],
    ['/iclock/12345678/abc/iclock/devicecmd', { action: 'devicecmd', ...secret }],
    ['/iclock/12345678/abc/fdata', { action: 'fdata', ...secret }],
    ['/iclock/exchange', {}],
    ['/iclock/12345678/abc/exchange', secret],
  ])('%s', (path, meant) => expect(readAddress(path)).toEqual(meant))

  test.each(['/iclock/', '/iclock/a/cdata', '/iclock/a/b/c/cdata', '/api/cdata', '/iclock/../cdata'])(
    'is not %s',
    path => expect(readAddress(path)).toBeUndefined(),
  )
})

describe('a message to a terminal', () => {
  test('starts with its stamps, its zone in hours or minutes, and no photos', () => {
    const lines = (offset: number) =>
      composeOptions('ABC1', { attendance: '0', operations: '712345' }, offset).split('\n')
    expect(lines(120).slice(0, 4)).toEqual([
      'GET OPTION FROM: ABC1',
      'ATTLOGStamp=0',
      'OPERLOGStamp=712345',
      'ATTPHOTOStamp=None',
    ])
    expect(lines(120)).toEqual(
      expect.arrayContaining(['TimeZone=2', 'Realtime=1', 'Encrypt=None', 'Delay=30', 'MaxPostSize=1048576']),
    )
    expect(lines(330)).toContain('TimeZone=330')
    expect(lines(-210)).toContain('TimeZone=-210')
    expect(lines(120).join('\n')).not.toMatch(/AttPhoto|UserPic/)
  })

  const user = { enrollid: 7, name: 'Ada', admin: 0 }
  test.each([
    [{ cmd: 'getnewlog' }, 'LOG'],
    [
      { cmd: 'getalllog', from: '2026-02-27' },
      'DATA QUERY ATTLOG StartTime=2026-02-27 00:00:00\tEndTime=2026-03-02 23:59:59',
    ],
    [{ cmd: 'settime' }, 'CHECK'],
    [{ cmd: 'opendoor', doornum: 1 }, 'AC_UNLOCK'],
    [{ cmd: 'opendoor', doornum: 2 }, 'unsupported'],
    [{ cmd: 'reboot' }, 'REBOOT'],
    [{ cmd: 'initsys' }, 'CLEAR DATA'],
    [
      { cmd: 'setuserinfo', ...user, backupnum: 10, record: 4711 },
      'DATA UPDATE USERINFO PIN=7\tName=Ada\tPri=0\tPasswd=4711',
    ],
    [
      { cmd: 'setuserinfo', ...user, admin: 1, backupnum: 11, record: 12345 },
      'DATA UPDATE USERINFO PIN=7\tName=Ada\tPri=14\tCard=12345',
    ],
    [
      { cmd: 'setuserinfo', ...user, backupnum: 1, record: 'AAEC' },
      'DATA UPDATE FINGERTMP PIN=7\tFID=1\tSize=4\tValid=1\tTMP=AAEC',
    ],
    [{ cmd: 'setuserinfo', ...user, backupnum: 50, record: 'AAEC' }, 'unsupported'],
    [{ cmd: 'setusername', count: 1, record: [{ enrollid: 7, name: 'Ada' }] }, 'DATA UPDATE USERINFO PIN=7\tName=Ada'],
    [{ cmd: 'deleteuser', enrollid: 7, backupnum: 13 }, 'DATA DELETE USERINFO PIN=7'],
    [{ cmd: 'deleteuser', enrollid: 7, backupnum: 0 }, 'DATA DELETE FINGERTMP PIN=7\tFID=0'],
    [{ cmd: 'deleteuser', enrollid: 7, backupnum: 11 }, 'DATA UPDATE USERINFO PIN=7\tCard='],
    [{ cmd: 'deleteuser', enrollid: 7, backupnum: 50 }, 'unsupported'],
    [{ cmd: 'adduser', enrollid: 7, backupnum: 0 }, 'ENROLL_FP PIN=7\tFID=0\tRETRY=3\tOVERWRITE=1'],
    [{ cmd: 'adduser', enrollid: 7, backupnum: 50 }, 'unsupported'],
    [{ cmd: 'checkregstatus', enrollid: 7 }, 'done'],
    [{ cmd: 'setdevinfo' }, 'unsupported'],
    [{}, 'unsupported'],
  ])('%j', (message, line) => expect(translate(message, localNow)).toBe(line))

  test('is one line for any employee name, and a name cannot inject a field', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (name, enrollid) => {
        const message = {
          cmd: 'setuserinfo',
          enrollid,
          name: `${name}\r\nC:1:REBOOT\tPri=14`,
          admin: 0,
          backupnum: 11,
          record: 5,
        }
        const line = composeCommand('9', translate(message, localNow))
        expect(line.match(/[\r\n\u0085\u2028\u2029]/g)).toEqual(['\n'])
        expect(line.split('\t')).toHaveLength(4)
        expect(line.split('\t')[2]).toBe('Pri=0')
      }),
    )
  })
})

describe('a delivery', () => {
  test.each([
    ['table=ATTLOG', 'ATTLOG', 'OK: 2\n'],
    ['table=rtlog', 'RTLOG', 'OK\n'],
    ['table=tabledata&tablename=transaction', 'TRANSACTION', 'transaction=2\n'],
    ['table=news', 'NEWS', 'OK: 2\n'],
  ])('with %s has the table %s and the acknowledgement %j', (said, table, words) => {
    const delivery = readDelivery(new Map(new URLSearchParams(said)))
    expect([delivery.table, delivery.acknowledge(2)]).toEqual([table, words])
  })

  test.each(['', 'table=', 'table=tabledata', 'table=tabledata&tablename=a%0Ab', `table=${'x'.repeat(33)}`])(
    'with %j names no table',
    said => expect(readDelivery(new Map(new URLSearchParams(said))).table).toBe(''),
  )

  test('that is unreadable keeps number and card of a record, but no password, template or card of a user list', () => {
    const quarantine = (line: string) => readUnread('NEWS', [line])
    const record = 'transaction cardno=4711\tpin=7\ttime_second=841082706'
    const user = 'user pin=7\tpassword=12\tcardno=4711\tstarttime=0\tname=Ada'
    const finger = 'templatev10 pin=7\tvalid=1\ttemplate=AAEC'
    expect([record, user, finger, 'nothing'].map(line => quarantine(line)[0])).toEqual(
      [
        { table: 'NEWS', pin: '7', line: record },
        { table: 'NEWS', pin: '7', line: 'user pin=7\tpassword=…\tcardno=…\tstarttime=0\tname=Ada' },
        { table: 'NEWS', pin: '7', line: 'templatev10 pin=7\tvalid=1\ttemplate=…' },
        { table: 'NEWS', line: 'nothing' },
      ].map(raw => ({ kind: 'quarantine', reason: 'unread', raw })),
    )
  })
})

describe('a delivery of users', () => {
  const face = { number: '7', backupnum: 50 }
  test.each([
    ['OPERLOG', 'BIOPHOTO PIN=7\tType=9\tSize=8\tContent=/9j/2wBD', { ...face, record: '/9j/2wBD' }],
    ['OPERLOG', 'FACE PIN=7\tFID=0\tSIZE=4\tVALID=1\tTMP=AAEC', { ...face, record: 'template' }],
    ['OPERLOG', 'FP PIN=7\tFID=9\tSize=4\tValid=1\tTMP=AAEC', { number: '7', backupnum: 9, record: 'AAEC' }],
    ['BIODATA', 'BIODATA Pin=7\tNo=4\tType=1\tTmp=AAEC', { number: '7', backupnum: 4, record: 'AAEC' }],
    ['BIODATA', 'Pin=7\tNo=0\tType=8\tTmp=AAEC', { number: '7', backupnum: 30, record: 'template' }],
    ['USER', 'user uid=1\tcardno=4711\tpin=7\tprivilege=14', { number: '7', backupnum: 11, record: '4711', admin: 1 }],
  ] as const)('in %s: %j is read', (table, said, held) =>
    expect(readPeople(table, said)).toEqual({ count: 1, held: [held], unread: [] }),
  )

  test.each([
    ['OPERLOG', 'OPLOG 4\t14\t2026-03-02 08:00:00\t0\t0\t0\t0'],
    ['OPERLOG', 'USER PIN=7\tName=Ada\tCard='],
    ['BIODATA', 'BIODATA Pin=7\tNo=0\tValid=0\tType=1\tTmp=AAEC'],
  ] as const)('in %s: %j contains nothing to store', (table, said) =>
    expect(readPeople(table, said)).toEqual({ count: 1, held: [], unread: [] }),
  )

  test.each([
    ['OPERLOG', 'FVEIN PIN=7\tFID=0\tTMP=AAEC'],
    ['OPERLOG', 'FP PIN=A7\tFID=0\tTMP=AAEC'],
    ['OPERLOG', 'FP PIN=7\tFID=10\tTMP=AAEC'],
    ['BIODATA', 'BIODATA Pin=7\tNo=0\tType=7\tTmp=AAEC'],
    ['BIOPHOTO', 'nothing'],
  ] as const)('in %s: %j is unreadable', (table, said) =>
    expect(readPeople(table, said)).toEqual({ count: 1, held: [], unread: [said] }),
  )

  test('keeps the picture of a face and drops its templates, in any order', () => {
    const lines = ['FACE PIN=7\tFID=0\tTMP=AAEC', 'BIOPHOTO PIN=7\tContent=/9j/2wBD']
    for (const said of [lines, lines.toReversed()])
      expect(readPeople('OPERLOG', said.join('\n')).held).toEqual([{ ...face, record: '/9j/2wBD' }])
  })
})

describe('the return code of a terminal', () => {
  test.each([
    ['adduser', '0', 'ok'],
    ...['1', '2', '4', '5', '6', '7', '-1003'].map(code => ['adduser', code, 'refused'] as const),
    ['adduser', '-1002', 'unsupported'],
    ['getalllog', '61', 'ok'],
    ['getuserinfo', '1', 'ok'],
    ['getuserinfo', '-10', 'refused'],
    ['deleteuser', '-10', 'ok'],
    ['setuserinfo', '0', 'ok'],
    ['setuserinfo', '-1005', 'refused'],
    ['opendoor', '-1', 'unsupported'],
  ] as const)('for %s, %s, means %s', (cmd, code, result) => expect(outcomeOf(cmd, code)).toBe(result))
})

describe('any body', () => {
  test('is read without an error, and each of its lines counts once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), body => {
        const { count, records } = readAttendance(body, localNow)
        expect(records).toHaveLength(count)
        expect(count).toBe(linesOf(body).length)
        expect(readPeople('OPERLOG', body).count).toBe(count)
        readReturns(body)
        readOptions(body)
        readInfo(body)
        readAddress(body)
      }),
    )
  })

  test('returns the written records, with any line ends and any number of records', () => {
    const time = fc
      .date({ min: new Date('2015-01-01T00:00:00Z'), max: new Date('2026-03-02T18:00:00Z'), noInvalidDate: true })
      .map(date => date.toISOString().slice(0, 19))
    const record = fc.record({
      number: fc.integer({ min: 1, max: 99_999_998 }),
      localTime: time,
      inout: fc.nat(5),
      mode: fc.nat(25),
    })
    fc.assert(
      fc.property(fc.array(record), fc.constantFrom('\n', '\r\n', '\n\n'), (records, end) => {
        const body = records
          .map(
            ({ number, localTime, inout, mode }) =>
              [number, localTime.replace('T', ' '), inout, mode, 0, 0].join('\t') + end,
          )
          .join('')
        const read = readAttendance(body, localNow).records
        expect(withoutUndefined(read)).toEqual(
          records.map(record => ({ kind: 'punch', ...record, number: String(record.number) })),
        )
        expect(composeTaken(read.length)).toBe(`OK: ${records.length}\n`)
      }),
    )
  })
})

describe('a stamp', () => {
  const claimedAt = '2026-03-01T00:00:00.000Z'
  const note = (stored: Stamp | undefined, day: string, stamp: string) =>
    noteStamp(stored, { claimedAt, stamp, day, at: `${day}T12:00:00.000Z` })

  test('of another claim requests all records, and so does a missing stamp', () => {
    expect(beginningOf(undefined, claimedAt, '2026-03-01')).toBe('0')
    expect(beginningOf(note(undefined, '2026-03-01', '50'), 'later', '2026-03-01')).toBe('0')
  })

  test('goes back to the stamp of an earlier day, or to 0 without such a stamp', () => {
    const days = fc.array(fc.tuple(fc.nat(3), fc.nat(100)), { minLength: 1 })
    const dayOf = (n: number) => new Date(Date.UTC(2026, 2, 1 + n)).toISOString().slice(0, 10)
    fc.assert(
      fc.property(days, fc.nat(3), (steps, later) => {
        let [day, stamp]: [number, number] = [0, 0]
        let stored: Stamp | undefined
        const noted: { day: number; stamp: number }[] = []
        for (const [days, more] of steps) {
          day += days
          stamp += more
          noted.push({ day, stamp })
          stored = note(stored, dayOf(day), String(stamp))
        }
        const today = day + later
        const from = Number(beginningOf(stored, claimedAt, dayOf(today - 1)))
        const lastBefore = noted.findLast(entry => entry.day < today)?.stamp ?? 0
        expect(from).toBeLessThanOrEqual(lastBefore)
        // The terminal delivers the records of the last noted day again.
        expect(noted.some(entry => entry.stamp === from) || from === 0).toBe(true)
      }),
    )
  })
})
