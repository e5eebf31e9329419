import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { openSocket } from '../kit/socket.ts'

// Terminals of the PUSH family use HTTP. These tests send the bytes of such terminals to the real stack.

const address = inject('address')
const http = client(address)
const zone = 'Asia/Kolkata'
const today = new Date().toLocaleString('sv', { timeZone: zone }).slice(0, 10)
const yesterday = addDays(today, -1)

let olga: Registered
let rival: Registered
beforeAll(async () => {
  olga = await register(http, { timezone: zone })
  rival = await register(http, { company_name: 'Rival', timezone: 'Asia/Tokyo' })
})

const newSerialNumber = () => `Z${randomBytes(6).toString('hex').toUpperCase()}`
const getDevice = (serialNumber: string) => http.call('device/get', { serialNumber }, olga)
const commandsOf = async (serialNumber: string) =>
  (await http.call('device/command/grid', { filters: { serialNumber } }, olga)).list

interface Reply {
  status: number
  text: string
}

/** A terminal at the stack. `before` is a path prefix; `from` is another source address of this machine. */
const terminalAt = (sn: string, before = '', from?: string) => {
  const send = async (
    method: string,
    action: string,
    query: Record<string, string> = {},
    body?: string,
  ): Promise<Reply> => {
    const search = new URLSearchParams({ SN: sn, ...query })
    const url = `${address}${before}/iclock/${action}?${search}`
    const headers = { 'content-type': 'application/push;charset=UTF-8' }
    if (from !== undefined) {
      const outgoing = request(url, { method, localAddress: from, ...(body !== undefined && { headers }) }).end(body)
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      return { status: answer.statusCode ?? 0, text: await text(answer) }
    }
    const answer = await fetch(url, { method, ...(body !== undefined && { body, headers }) })
    return { status: answer.status, text: await answer.text() }
  }
  return {
    sn,
    send,
    begin: (query: Record<string, string> = {}) => send('GET', 'cdata', { options: 'all', pushver: '2.4.1', ...query }),
    deliver: (table: string, body: string, stamp = '1') => send('POST', 'cdata', { table, Stamp: stamp }, body),
    poll: (info?: string) => send('GET', 'getrequest', info === undefined ? {} : { INFO: info }),
    report: (...lines: string[]) => send('POST', 'devicecmd', {}, lines.map(line => `${line}\n`).join('')),
  }
}
type Terminal = ReturnType<typeof terminalAt>

const addDevice = async (form: Partial<PathCall<'device/add'>> = {}, owner = olga) => {
  const serialNumber = newSerialNumber()
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber, name: 'Gate', department: owner.department, authentication: 'claim', ...form },
    owner,
  )
  const query = new URL(serverPath, address).searchParams
  return { sn: serialNumber, c: query.get('c') ?? '', k: query.get('k') ?? '' }
}
const openTerminal = async (form: Partial<PathCall<'device/add'>> = {}): Promise<Terminal> => {
  const terminal = terminalAt((await addDevice(form)).sn)
  expect((await terminal.begin()).status).toBe(200)
  expect((await terminal.deliver('options', 'UserCount=0')).status).toBe(200)
  return terminal
}
/** A terminal with a secret in its server address. The server accepts its enrolments once it has listed its users. */
const openProven = async (department: string, users = 0): Promise<Terminal> => {
  const { sn, c, k } = await addDevice({ department, authentication: 'claim+path' })
  const terminal = terminalAt(sn, `/iclock/${c}/${k}`)
  expect((await terminal.begin()).status).toBe(200)
  expect((await terminal.deliver('options', `UserCount=${users}`)).status).toBe(200)
  return terminal
}
const refused = { status: 403, text: 'UNKNOWN DEVICE\n' }

/** A department without employees, so that the terminal has no users to load. */
const addDepartment = async () =>
  (await http.call('department/add', { name: newSerialNumber(), parent: olga.department }, olga)).id

const storeTemplates = async () => {
  const { version } = await http.call('company/get', {}, olga)
  await http.call('company/update', { version, name: 'Olive', storesTemplates: true, retentionMonths: 60 }, olga)
}

let people = 700
const addEmployee = async () => {
  const workno = String(people++)
  const form = { first_name: 'Per', last_name: 'Son', workno, department: olga.department }
  return { ...(await http.call('employee/add', form, olga)), workno }
}
const recordsOf = async (employee: string, from = yesterday, to = today) =>
  (await http.call('record/grid', { size: 200, filters: { from, to, employee } }, olga)).list
const line = (number: string, time: string, rest = '0\t1\t0\t0') => `${number}\t${time}\t${rest}\n`

/** The commands in a reply, as pairs of number and text. */
const ordersOf = ({ text }: Reply): [string, string][] =>
  text.split('\n').flatMap(row => {
    const [, number, words] = /^C:(\d+):(.*)$/.exec(row) ?? []
    return number === undefined || words === undefined ? [] : [[number, words] as [string, string]]
  })
/** Polls until commands arrive: user commands are queued asynchronously. */
const ordersFor = async (terminal: Terminal) =>
  eventually(
    async () => ordersOf(await terminal.poll()),
    orders => expect(orders).not.toEqual([]),
  )
/** Executes commands until `isOver` passes, and returns their texts. */
const obey = async (terminal: Terminal, isOver: (done: string[]) => void, code = '0') => {
  const done: string[] = []
  await eventually(
    async () => {
      for (const [number, words] of ordersOf(await terminal.poll())) {
        done.push(words)
        await terminal.report(`ID=${number}&Return=${code}&CMD=DATA`)
      }
      return done
    },
    list => isOver(list),
  )
  return done
}

describe('a connecting terminal', () => {
  test('connects without its path secret after its owner approves that', async () => {
    const { sn } = await addDevice({ authentication: 'claim+path' })
    const terminal = terminalAt(sn)
    expect(await terminal.begin()).toEqual(refused)
    const seen = (await getDevice(sn)).refused
    expect(seen).toMatchObject({ reason: 'path', bare: { ip: '127.0.0.1' } })
    await http.call('device/approve', { serialNumber: sn, pendingAt: seen?.at }, olga)
    expect((await terminal.begin()).status).toBe(200)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', authentication: 'claim', online: true })
  })

  test('replaces a terminal of the other family with the same serial number after approval', {
    tags: 'long',
  }, async () => {
    const { sn } = await addDevice()
    const socket = await openSocket(address)
    socket.say({ cmd: 'reg', sn, cpusn: 'chip', devinfo: { modelname: 'AiFace' } })
    await socket.hear({ ret: 'reg', result: true })
    const terminal = terminalAt(sn)
    expect(await terminal.begin()).toEqual(refused)
    await http.call('device/approve', { serialNumber: sn, pendingAt: (await getDevice(sn)).pending?.at }, olga)
    expect((await terminal.begin()).status).toBe(200)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', online: true })
    socket.close()
  })

  test('connects without a path, but not through the path of another company', async () => {
    const { sn } = await addDevice()
    const foreign = await addDevice({ department: rival.department, authentication: 'claim+path' }, rival)
    expect(await terminalAt(sn, `/iclock/${foreign.c}/${foreign.k}`).begin()).toEqual(refused)
    expect((await terminalAt(sn).begin()).status).toBe(200)
  })

  test('connects by its claimed serial number, receives its options and zone, and shows online', async () => {
    const { sn } = await addDevice()
    const terminal = terminalAt(sn)
    const { status, text } = await terminal.begin()
    expect(status).toBe(200)
    const options = text.trim().split('\n')
    expect(options[0]).toBe(`GET OPTION FROM: ${sn}`)
    expect(options).toEqual(
      expect.arrayContaining(['ATTLOGStamp=0', 'OPERLOGStamp=0', 'TimeZone=330', 'Realtime=1', 'Encrypt=None']),
    )
    expect(await terminal.poll('Ver 8.0.4.3,5,4,61,192.168.1.201,10,7,12,3,111')).toEqual({ status: 200, text: 'OK\n' })
    expect(await terminal.send('GET', 'ping')).toEqual({ status: 200, text: 'OK\n' })
    expect(await getDevice(sn)).toMatchObject({ state: 'bound', online: true, protocol: 'adms', profile: 'adms' })
    const options2 = await terminal.deliver(
      'options',
      '~DeviceName=K40,MAC=00:17:61:10:9f:20,UserCount=5,FPCount=4,FWVersion=Ver 8',
    )
    expect(options2).toEqual({ status: 200, text: 'OK\n' })
    expect(await getDevice(sn)).toMatchObject({ model: 'K40', firmware: 'Ver 8', users: 5, templates: 4 })
  })

  test('receives its own zone, and may use paths with a suffix such as .aspx', async () => {
    const { sn } = await addDevice({ timezone: 'America/New_York' })
    const { text } = await terminalAt(sn.toLowerCase()).send('GET', 'cdata.aspx', { options: 'all' })
    expect(text).toMatch(/TimeZone=-[45]\n/)
    expect(text).toContain(`FROM: ${sn.toLowerCase()}\n`)
  })

  test('authenticates with the secret in its path or query until that secret is renewed', async () => {
    const { sn, c, k } = await addDevice({ authentication: 'claim+path' })
    const before = `/iclock/${c}/${k}`
    expect((await terminalAt(sn, before).begin()).status).toBe(200)
    expect((await terminalAt(sn).begin({ c, k })).status).toBe(200)
    expect(await terminalAt(sn).begin()).toEqual(refused)
    expect(await terminalAt(sn).deliver('ATTLOG', line('1', `${yesterday} 08:00:00`))).toEqual(refused)
    const { serverPath } = await http.call('device/secret', { serialNumber: sn }, olga)
    expect(await terminalAt(sn, before).poll()).toEqual(refused)
    const fresh = new URL(serverPath, address).searchParams.get('k')
    expect((await terminalAt(sn, `/iclock/${c}/${fresh}`).poll()).status).toBe(200)
  })

  test('gets the same refusal whether it is unknown, foreign or without proof', async () => {
    const foreign = await addDevice({ authentication: 'claim+path' }, rival)
    const own = await addDevice({ authentication: 'claim+path' })
    const withPassword = await addDevice({ authentication: 'claim+password' })
    const tries = [
      terminalAt(newSerialNumber()),
      terminalAt(foreign.sn, `/iclock/${own.c}/${own.k}`),
      terminalAt(own.sn, `/iclock/${own.c}/${own.k.replace(/^./, '0')}`),
      terminalAt(own.sn, `/iclock/${foreign.c}/${own.k}`),
      terminalAt(withPassword.sn, `/iclock/${own.c}/${own.k}`),
    ]
    for (const terminal of tries) {
      expect(await terminal.begin()).toEqual(refused)
      expect(await terminal.poll()).toEqual(refused)
      // The terminal keeps records until the server acknowledges them.
      expect(await terminal.deliver('ATTLOG', line('1', `${yesterday} 08:00:00`))).toEqual(refused)
    }
  })

  test('is refused after five wrong communication passwords', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, olga)
    const { sn } = await addDevice({ authentication: 'claim+password' })
    const terminal = terminalAt(sn)
    const credentials = (comm_pwd: string) => ({ company_num: olga.company_num, comm_pwd })
    for (const guess of ['1', '2', '3', '4', '5', '471100'])
      expect(await terminal.begin(credentials(guess)), guess).toEqual(refused)
  })

  test('stays connected despite wrong password guesses from other callers, until its password changes', async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice({ authentication: 'claim+password', department: rival.department }, rival)
    const terminal = terminalAt(sn)
    const credentials = (comm_pwd: string) => ({ company_num: rival.company_num, comm_pwd })
    const answers = async (...passwords: string[]) => {
      const seen: number[] = []
      for (const password of passwords) seen.push((await terminal.begin(credentials(password))).status)
      return seen
    }
    expect(await answers('471100', '471100', '1', '2', '3', '4', '5', '6')).toEqual([200, 200, ...Array(6).fill(403)])
    // No guesses are left, but the server still accepts the terminal with the proven password.
    expect(await answers('471100', '471100')).toEqual([200, 200])
    // The server refuses the old password. It also refuses the new password, because no guesses are left.
    await http.call('company/password', { comm_pwd: '471101' }, rival)
    expect(await answers('471100', '471101')).toEqual([403, 403])
  })

  test('authenticates from its usual address despite guesses from many other addresses', { tags: 'long' }, async () => {
    await http.call('company/password', { comm_pwd: '471100' }, rival)
    const { sn } = await addDevice({ authentication: 'claim+password', department: rival.department }, rival)
    const credentials = (comm_pwd: string) => ({ company_num: rival.company_num, comm_pwd })
    const begin = async (from: string, comm_pwd: string) =>
      (await terminalAt(sn, '', from).begin(credentials(comm_pwd))).status === 200
    const [home, elsewhere] = ['127.77.1.1', '127.77.1.2']
    expect(await begin(home, '471100')).toBe(true)
    for (let i = 0; i < 20; i++) expect(await begin(`127.77.2.${i + 1}`, String(i))).toBe(false)
    expect(await begin(elsewhere, '471100')).toBe(false)
    // The update discards the earlier proof, so the server compares the password again.
    const { version } = await http.call('device/get', { serialNumber: sn }, rival)
    const form = { name: 'Other', department: rival.department, authentication: 'claim+password' as const }
    await http.call('device/update', { serialNumber: sn, version, ...form }, rival)
    expect(await begin(home, '471100')).toBe(true)
    expect(await begin(elsewhere, '471100')).toBe(false)
  })

  test('is throttled after ten refusals', async () => {
    const terminal = terminalAt(newSerialNumber())
    const seen: number[] = []
    for (let i = 0; i < 12; i++) seen.push((await terminal.poll()).status)
    expect(seen.slice(0, 10)).toEqual(Array(10).fill(403))
    expect(seen.at(-1)).toBe(429)
  })

  test('needs approval when its hardware or protocol changes', async () => {
    const terminal = await openTerminal()
    const { sn } = terminal
    expect((await terminal.deliver('options', 'MAC=00:17:61:00:00:01')).status).toBe(200)
    expect(await terminal.deliver('options', 'MAC=00:17:61:00:00:02,~DeviceName=K99')).toEqual(refused)
    expect(await getDevice(sn)).toMatchObject({
      state: 'needs approval',
      warnings: expect.arrayContaining(['otherHardware']),
      pending: { mac: '00:17:61:00:00:02', model: 'K99' },
    })
    // Both terminals share one address, so the server cannot refuse only one of them.
    expect(await http.ask('device/approve', { serialNumber: sn, isApproved: false }, olga)).toMatchObject({
      code: 60074,
    })
    // The server acknowledges nothing from either terminal.
    expect(await terminal.deliver('ATTLOG', line('1', `${yesterday} 08:00:00`))).toEqual(refused)
    await http.call('device/approve', { serialNumber: sn }, olga)
    expect((await terminal.begin()).text).toContain('ATTLOGStamp=0\n')
    expect((await terminal.deliver('options', 'MAC=00:17:61:00:00:02')).status).toBe(200)
    const socket = await openSocket(address)
    socket.say({ cmd: 'reg', sn, cpusn: 'x', devinfo: { modelname: 'AiFace' } })
    expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    socket.close()
  })

  test('delivers nothing after a manager refuses its hardware, while the bound terminal continues', async () => {
    const right = await openTerminal()
    const other = terminalAt(right.sn, '', '127.77.1.2')
    expect((await right.deliver('options', 'MAC=00:17:61:00:00:01')).status).toBe(200)
    expect(await other.deliver('options', 'MAC=00:17:61:00:00:02')).toEqual(refused)
    await http.call('device/approve', { serialNumber: right.sn, isApproved: false }, olga)
    const record = line('1', `${yesterday} 08:00:00`)
    expect(await other.begin()).toEqual(refused)
    expect(await other.deliver('ATTLOG', record)).toEqual(refused)
    expect(await other.poll()).toEqual(refused)
    expect(await right.deliver('ATTLOG', record)).toEqual({ status: 200, text: 'OK: 1\n' })
    expect(await http.ask('device/approve', { serialNumber: right.sn }, olga)).toMatchObject({ code: 60006 })
  })

  test('keeps one pending approval from any address if it names no hardware', async () => {
    const { sn } = await addDevice()
    const socket = await openSocket(address)
    socket.say({ cmd: 'reg', sn, cpusn: 'chip' })
    await socket.hear({ ret: 'reg', result: true })
    const from = (last: number) => terminalAt(sn, '', `127.78.0.${last}`).begin()
    expect(await from(1)).toEqual(refused)
    const { pending, version } = await getDevice(sn)
    expect(await from(2)).toEqual(refused)
    expect(await getDevice(sn)).toMatchObject({ pending, version })
    await http.call('device/approve', { serialNumber: sn, isApproved: false, pendingAt: pending?.at }, olga)
    expect(await from(3)).toEqual(refused)
    expect(await getDevice(sn)).toMatchObject({ state: 'bound' })
    socket.close()
  })

  test('cannot take over a websocket terminal over HTTP', async () => {
    const { sn } = await addDevice()
    const socket = await openSocket(address)
    socket.say({ cmd: 'reg', sn, cpusn: 'x', devinfo: { modelname: 'AiFace' } })
    expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
    expect(await terminalAt(sn).begin()).toEqual(refused)
    expect(await getDevice(sn)).toMatchObject({ state: 'needs approval', protocol: 'ai-face' })
    socket.close()
  })
})

describe('attendance records', () => {
  test('the server stores each record once, with temperature and mask, before it acknowledges it', async () => {
    const terminal = await openTerminal()
    const { id, workno } = await addEmployee()
    const body =
      line(workno, `${yesterday} 08:00:00`, '0\t15\t0\t0\t0\t1\t36.6\t0') +
      line(workno, `${yesterday} 17:00:00`, '1\t1\t0\t0')
    expect(await terminal.deliver('ATTLOG', body, '100')).toEqual({ status: 200, text: 'OK: 2\n' })
    // The terminal missed the acknowledgement, so it sends both records again, with a third record.
    const more = body + line(workno, `${yesterday} 18:00:00`)
    expect(await terminal.deliver('ATTLOG', more, '101')).toEqual({ status: 200, text: 'OK: 3\n' })
    const list = await eventually(
      () => recordsOf(id),
      list => expect(list).toHaveLength(3),
    )
    expect(list.at(-1)).toMatchObject({
      ...{ device: terminal.sn, deviceName: 'Gate', source: 'adms', mode: 15, temperature: 36.6, mask: true },
      at: new Date(`${yesterday}T08:00:00+05:30`).toISOString(),
    })
    const { list: measured } = await http.call(
      'temperature/grid',
      { filters: { from: yesterday, to: today, employee: id } },
      olga,
    )
    expect(measured).toHaveLength(1)
  })

  test.each(['attendance', 'temperature'])('the server accepts recorded deliveries (%s)', async name => {
    const { attendance } = JSON.parse(readFileSync(`tests/given/terminal/adms/${name}.json`, 'utf8')) as {
      attendance: { said: string; records: object[] }[]
    }
    const terminal = await openTerminal()
    for (const { said, records } of attendance)
      expect(await terminal.deliver('ATTLOG', said)).toEqual({ status: 200, text: `OK: ${records.length}\n` })
  })

  test('the server quarantines and acknowledges records that it cannot store as punches', async () => {
    const terminal = await openTerminal()
    const body = `A7\t${yesterday} 08:00:00\t0\t1\nnothing\n`
    expect(await terminal.deliver('ATTLOG', body)).toEqual({ status: 200, text: 'OK: 2\n' })
    expect(await terminal.deliver('ATTLOG', body)).toEqual({ status: 200, text: 'OK: 2\n' })
    const { list } = await http.call('device/quarantine', { size: 200 }, olga)
    const held = list.filter(({ serialNumber }) => serialNumber === terminal.sn)
    expect(held.map(({ reason, raw }) => [reason, JSON.parse(raw)])).toEqual(
      expect.arrayContaining([
        ['bad number', { enrollid: 'A7', time: `${yesterday} 08:00:00`, inout: '0', mode: '1' }],
        ['bad number', { line: 'nothing' }],
      ]),
    )
    expect(held).toHaveLength(2)
  })

  test('the server quarantines records of access terminals and unknown tables, then acknowledges them', async () => {
    const terminal = await openTerminal()
    const row = `cardno=0\tpin=7\tverified=15\tdoorid=1\teventtype=3\tinoutstate=1\ttime_second=841082706\tindex=106`
    const live = (pin: number) => `time=${yesterday} 08:59:11\tpin=${pin}\tcardno=0\tevent=3\tindex=${pin}`
    const packet = (tablename: string) => ({ table: 'tabledata', tablename, count: '1' })
    const packets = ['transaction', 'news', 'ATTLOG']
    for (const name of packets) {
      const answer = await terminal.send('POST', 'cdata', packet(name), `${name} ${row}\r\n`)
      expect(answer).toEqual({ status: 200, text: `${name}=1\n` })
    }
    expect(await terminal.deliver('rtlog', `${live(7)}\n${live(8)}\n`)).toEqual({ status: 200, text: 'OK\n' })
    for (const [table, action] of [['NEWS', 'cdata'] as const, ['transaction', 'fdata'] as const])
      expect(await terminal.send('POST', action, { table }, row)).toEqual({ status: 200, text: 'OK: 1\n' })
    const filters = { serialNumber: terminal.sn }
    const { list } = await http.call('device/quarantine', { size: 200, filters }, olga)
    expect(list.map(({ reason, raw }) => [reason, JSON.parse(raw)])).toEqual(
      expect.arrayContaining(
        [
          ...packets.map(name => ({ table: name.toUpperCase(), pin: '7', line: `${name} ${row}` })),
          ...[7, 8].map(pin => ({ table: 'RTLOG', pin: String(pin), line: live(pin) })),
          ...['NEWS', 'TRANSACTION'].map(table => ({ table, pin: '7', line: row })),
        ].map(raw => ['unread', raw]),
      ),
    )
    expect(list).toHaveLength(packets.length + 4)
    // A replay leaves a record in quarantine while the server cannot read it.
    const id = list[0]?.id ?? ''
    expect(await http.call('device/quarantine/replay', { id }, olga)).toEqual({ filed: 0, left: 1 })
    // A door state is no punch, so the server does not quarantine it.
    expect(await terminal.deliver('rtstate', 'time=2026-03-02 08:59:16\tsensor=01')).toMatchObject({ status: 200 })
    expect((await http.call('device/quarantine', { size: 200, filters }, olga)).list).toHaveLength(list.length)
  })

  test('the server refuses an unnamed table and an oversized delivery', { tags: 'long' }, async () => {
    const terminal = await openTerminal()
    expect((await terminal.send('POST', 'cdata', { table: 'tabledata' }, 'x')).status).toBe(400)
    expect((await terminal.send('POST', 'cdata', {}, 'x')).status).toBe(400)
    expect((await terminal.deliver('ATTLOG', 'x'.repeat(4 * 1024 * 1024 + 1))).status).toBe(413)
    expect((await getDevice(terminal.sn)).refusedDeliveries).toBe(3)
    for (const megabytes of [5, 11, 30])
      expect(
        (await terminal.deliver('ATTLOG', `${line('8', `${yesterday} 08:00:00`)}\n`.repeat(megabytes * 40_000))).status,
      ).toBe(413)
    expect((await getDevice(terminal.sn)).refusedDeliveries).toBe(4)
    // The server accepts a new punch meanwhile, and the refused delivery stays open.
    expect(await terminal.deliver('ATTLOG', line('9', `${yesterday} 08:00:00`))).toMatchObject({ status: 200 })
    expect((await getDevice(terminal.sn)).refusedDeliveries).toBe(4)
    expect((await terminal.send('GET', 'exchange')).status).toBe(404)
    expect((await terminal.send('DELETE', 'cdata')).status).toBe(404)
    const nameless = await fetch(`${address}/iclock/cdata?SN=../DEVICE`)
    expect(nameless.status).toBe(400)
    // The server acknowledges and discards pictures, so that the terminal does not send them again.
    expect(await terminal.send('POST', 'fdata', { table: 'ATTPHOTO' }, 'JPEG')).toEqual({ status: 200, text: 'OK\n' })
    expect(await terminal.deliver('BIOPHOTO', 'a\nb\n')).toEqual({ status: 200, text: 'OK: 2\n' })
  })

  test('the server asks again for the records of the last day', async () => {
    const terminal = await openTerminal()
    expect((await terminal.begin()).text).toContain('ATTLOGStamp=0\n')
    await terminal.deliver('ATTLOG', line('5', `${yesterday} 08:00:00`), '7001')
    // Older records may still be on their way, so the server asks for a whole day again.
    expect((await terminal.begin()).text).toContain('ATTLOGStamp=0\n')
  })
})

describe('a terminal under command', () => {
  test('receives numbered commands when it polls, and its replies settle them', async () => {
    const terminal = await openTerminal({ department: await addDepartment() })
    const { sn } = terminal
    await http.call('device/poll', { serialNumber: sn }, olga)
    await http.call('device/reconcile', { serialNumber: sn, from: yesterday }, olga)
    const orders = ordersOf(await terminal.poll())
    expect(orders.map(([, words]) => words)).toEqual([
      'LOG',
      `DATA QUERY ATTLOG StartTime=${yesterday} 00:00:00\tEndTime=${today} 23:59:59`,
    ])
    // Two replies are outstanding, so the terminal receives no further command.
    await http.call('device/open', { serialNumber: sn }, olga)
    expect(ordersOf(await terminal.poll())).toEqual([])
    const [log, all] = orders.map(([number]) => number)
    await terminal.report(`ID=${log}&Return=0&CMD=LOG`, `ID=${all}&Return=-1002&CMD=DATA`, 'ID=5&Return=0&CMD=LOG')
    const [[door = '', words] = []] = ordersOf(await terminal.poll())
    expect(words).toBe('AC_UNLOCK')
    await terminal.report(`ID=${door}&Return=-1005&CMD=AC_UNLOCK`)
    expect((await commandsOf(sn)).map(({ cmd, state, result, reason }) => ({ cmd, state, result, reason }))).toEqual([
      { cmd: 'opendoor', state: 'failed', result: 'refused', reason: '-1005' },
      { cmd: 'getalllog', state: 'failed', result: 'unsupported', reason: '-1002' },
      { cmd: 'getnewlog', state: 'done', result: 'ok' },
    ])
  })

  test('receives no further command after a restart command, and an unsupported command fails', {
    tags: 'long',
  }, async () => {
    const department = await addDepartment()
    const terminal = await openTerminal({ department })
    const { sn } = terminal
    const form = { first_name: 'Per', last_name: 'Son', workno: String(people++), department }
    const { id } = await http.call('employee/add', form, olga)
    await obey(terminal, done => expect(done.join()).toContain(`PIN=${form.workno}\t`))
    await http.call('device/enroll', { serialNumber: sn, employee: id, kind: 'face' }, olga)
    await http.call('device/reboot', { serialNumber: sn }, olga)
    await http.call('device/poll', { serialNumber: sn }, olga)
    const texts = await eventually(
      async () => ordersOf(await terminal.poll()).map(([, words]) => words),
      words => expect(words).toEqual(['REBOOT']),
    )
    expect(texts).toEqual(['REBOOT'])
    const list = await commandsOf(sn)
    expect(list.find(({ cmd }) => cmd === 'adduser')).toMatchObject({ state: 'failed', result: 'unsupported' })
    expect(list.find(({ cmd }) => cmd === 'reboot')).toMatchObject({ state: 'sent' })
    // The terminal may restart before it replies.
    await terminal.begin()
    expect((await commandsOf(sn)).find(({ cmd }) => cmd === 'reboot')).toMatchObject({ state: 'done', result: 'ok' })
    expect((await ordersFor(terminal)).map(([, words]) => words)).toEqual(['LOG'])
  })

  test('receives its users and deletes them, and a name cannot inject a command', { tags: 'long' }, async () => {
    const department = await addDepartment()
    const name = 'Eve\tPri=14\r\nC:1:CLEAR DATA'
    const person = { first_name: 'Ann', last_name: name, workno: String(people++), department }
    const attempt = await http.ask('employee/add', person, olga)
    const eve = attempt.code === 0 ? person : { ...person, last_name: 'Eve' }
    if (attempt.code !== 0) await http.call('employee/add', eve, olga)
    const terminal = await openTerminal({ department })
    const done = await obey(terminal, list =>
      expect(list.some(words => words.includes(`PIN=${eve.workno}\t`))).toBe(true),
    )
    expect(done.filter(words => !words.startsWith('DATA UPDATE USERINFO PIN='))).toEqual([])
    const { list } = await http.call('employee/grid', { filters: { search: eve.workno } }, olga)
    await http.call('employee/delete', { id: list[0]?.id ?? '' }, olga)
    await obey(terminal, list => expect(list).toContain(`DATA DELETE USERINFO PIN=${eve.workno}`))
  })

  test('passes an enrolled finger on to other terminals that read its format', { tags: 'long' }, async () => {
    await storeTemplates()
    const department = await addDepartment()
    const workno = String(people++)
    const { id } = await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno, department }, olga)
    const info = 'Ver 8.0.4,1,1,1,192.168.1.201,10,7,12,0,111'
    const [source, target] = [await openProven(department), await openProven(department)]
    const unproven = await openTerminal({ department })
    for (const terminal of [source, target, unproven])
      await eventually(
        async () => {
          await terminal.deliver('options', 'FPVersion=10')
          return obey(terminal, done => expect(done.length).toBeGreaterThan(0))
        },
        done => expect(done.some(words => words.includes(`PIN=${workno}\t`))).toBe(true),
      )
    const template = Buffer.from('a finger of somebody').toString('base64')
    const operations = `OPLOG 6\t0\t${today} 08:00:00\t${workno}\t0\t0\t0\nFP PIN=${workno}\tFID=0\tSize=${template.length}\tValid=1\tTMP=${template}\n`
    // A serial number alone must not add a card: that card would open every door.
    const card = `USER PIN=${workno}\tName=\tPri=0\tCard=[55512345]\n`
    expect(await unproven.deliver('OPERLOG', card)).toMatchObject({ status: 200 })
    expect(await terminalAt(source.sn).deliver('OPERLOG', card)).toEqual(refused)
    expect(await source.deliver('OPERLOG', operations)).toEqual({ status: 200, text: 'OK: 2\n' })
    expect((await source.poll(info)).status).toBe(200)
    const finger = `DATA UPDATE FINGERTMP PIN=${workno}\tFID=0\tSize=${template.length}\tValid=1\tTMP=${template}`
    const done = await obey(target, list => expect(list).toContain(finger))
    expect(done.join('\n')).not.toContain('55512345')
    expect(await http.call('employee/attendance/get', { id }, olga)).not.toHaveProperty('card')
    // Every manager of the terminal reads the queue, so the queue must not contain a template.
    expect(JSON.stringify(await commandsOf(target.sn))).not.toContain(template)
  })

  test('without proof of identity may deliver only the requested enrolment', async () => {
    await storeTemplates()
    const department = await addDepartment()
    const workno = String(people++)
    const { id } = await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno, department }, olga)
    const terminal = await openTerminal({ department })
    const { sn: serialNumber } = terminal
    // The server refuses to enrol an employee without access to this terminal.
    const stranger = await addEmployee()
    const of = { serialNumber, kind: 'finger' as const }
    expect(await http.ask('device/enroll', { ...of, employee: stranger.id }, olga)).toMatchObject({
      ...{ code: 60075, fields: { employee: 60075 } },
    })
    await obey(terminal, done => expect(done.join()).toContain(`PIN=${workno}\t`))
    const finger = (sign: number, text: string) =>
      `FP PIN=${workno}\tFID=${sign}\tSize=${text.length}\tValid=1\tTMP=${text}\n`
    const fingers = async () => (await http.call('employee/attendance/finger/get', { id }, olga)).list
    await http.call('device/enroll', { ...of, employee: id, sign: 1 }, olga)
    // The terminal has not received the command yet.
    await terminal.deliver('OPERLOG', finger(1, 'from a stranger'))
    expect(await fingers()).toEqual([])
    const [[number = '', words] = []] = await ordersFor(terminal)
    expect(words).toContain(`ENROLL_FP PIN=${workno}\tFID=1`)
    const operations = `${finger(1, 'the asked one')}${finger(0, 'another one')}USER PIN=${workno}\tPri=0\tCard=[77]\n`
    expect(await terminal.deliver('OPERLOG', operations)).toEqual({ status: 200, text: 'OK: 3\n' })
    expect(await fingers()).toMatchObject([{ sign: 1, serialNumber }])
    expect(await http.call('employee/attendance/get', { id }, olga)).not.toHaveProperty('card')
    // The terminal may deliver the finger again after its reply.
    await terminal.report(`ID=${number}&Return=0&CMD=ENROLL_FP`)
    const [first] = await fingers()
    await terminal.deliver('OPERLOG', finger(1, 'a better one'))
    expect((await fingers())[0]?.registeredAt).not.toBe(first?.registeredAt)
  })

  test('delivers many users at once: the last value counts, and a repetition undoes no later change', {
    tags: 'long',
  }, async () => {
    const department = await addDepartment()
    const employees = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const workno = String(people++)
        const form = { first_name: 'Per', last_name: 'Son', workno, department }
        return { ...(await http.call('employee/add', form, olga)), workno }
      }),
    )
    const [ann, bob] = employees as [(typeof employees)[0], (typeof employees)[0]]
    const terminal = await openProven(department)
    const cardOf = async ({ id }: { id: string }) => (await http.call('employee/attendance/get', { id }, olga)).card
    const user = (workno: string, card: string) => `USER PIN=${workno}\tName=\tPri=0\tCard=[${card}]\n`
    const first = Number(ann.workno) * 1000
    const delivery =
      user(ann.workno, String(first + 500)) +
      employees.map(({ workno }, i) => user(workno, String(first + i)) + user(String(880_000 + i), '123')).join('')
    const all = { status: 200, text: 'OK: 13\n' }
    expect(await terminal.deliver('OPERLOG', delivery)).toEqual(all)
    expect(await Promise.all(employees.map(cardOf))).toEqual(employees.map((_, i) => String(first + i)))

    await obey(terminal, done => expect(done.some(words => words.includes(`PIN=${bob.workno}\t`))).toBe(true))
    const { version } = await http.call('employee/attendance/get', { id: bob.id }, olga)
    const form = { id: bob.id, version, punchMode: 0, card: String(first + 700) }
    await http.call('employee/attendance/update', form, olga)
    expect(await terminal.deliver('OPERLOG', delivery)).toEqual(all)
    expect(await cardOf(bob)).toBe(String(first + 700))
    await obey(terminal, done => expect(done.some(words => words.includes(`Card=${first + 700}`))).toBe(true))
    expect(await terminal.deliver('OPERLOG', delivery)).toEqual(all)
    expect(await cardOf(bob)).toBe(String(first + 700))
    expect(await terminal.deliver('OPERLOG', user(bob.workno, String(first + 800)))).toMatchObject({ status: 200 })
    expect(await cardOf(bob)).toBe(String(first + 800))
  })

  test('delivers newer templates, and the server stores fingers and notes that a face exists', async () => {
    const department = await addDepartment()
    const workno = String(people++)
    const { version } = await http.call('company/get', {}, olga)
    await http.call('company/update', { version, name: 'Olive', storesTemplates: true, retentionMonths: 60 }, olga)
    const { id } = await http.call('employee/add', { first_name: 'Bio', last_name: 'Data', workno, department }, olga)
    const terminal = await openProven(department)
    await terminal.deliver('options', 'FPVersion=10')
    const template = Buffer.from(`finger of ${workno}`).toString('base64')
    const bio = (type: number, no: number, index = 0) =>
      `BIODATA Pin=${workno}\tNo=${no}\tIndex=${index}\tValid=1\tDuress=0\tType=${type}\tMajorVer=${type === 1 ? 12 : 58}\tMinorVer=0\tFormat=0\tTmp=${template}\n`
    const delivery = bio(1, 1) + bio(2, 0, 0) + bio(2, 0, 1) + bio(8, 0)
    expect(await terminal.deliver('BIODATA', delivery)).toEqual({ status: 200, text: 'OK: 4\n' })
    const { list } = await http.call('employee/attendance/finger/get', { id }, olga)
    expect(list).toMatchObject([{ sign: 1, algorithm: 'zk12', serialNumber: terminal.sn }])
    const rows = await http.call('device/user/grid', { filters: { serialNumber: terminal.sn } }, olga)
    expect(rows.list).toMatchObject([{ employee: id, fingers: 1, face: true }])
  })

  test('reports an unfinished enrolment, and the command fails with the return code', { tags: 'long' }, async () => {
    const department = await addDepartment()
    const workno = String(people++)
    const form = { first_name: 'Per', last_name: 'Son', workno, department }
    const { id: employee } = await http.call('employee/add', form, olga)
    const terminal = await openTerminal({ department })
    await obey(terminal, done => expect(done.join()).toContain(`PIN=${workno}\t`))
    for (const code of ['4', '7']) {
      const enrolment = { serialNumber: terminal.sn, employee, kind: 'finger', sign: 0 } as const
      const { command } = await http.call('device/enroll', enrolment, olga)
      const [[number = '', words = ''] = []] = await ordersFor(terminal)
      expect(words).toContain('ENROLL_FP')
      await terminal.report(`ID=${number}&Return=${code}&CMD=ENROLL_FP`)
      const commands = await commandsOf(terminal.sn)
      expect(commands.find(({ id }) => id === command)).toMatchObject({
        ...{ state: 'failed', result: 'refused', reason: code },
      })
      // The terminal stored no finger, so the server does not request one.
      expect(commands.filter(({ cmd }) => cmd === 'checkregstatus')).toEqual([])
    }
  })

  test('delivers face pictures and fingers as operations, and the server quarantines unreadable lines', async () => {
    await storeTemplates()
    const department = await addDepartment()
    const workno = String(people++)
    await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno, department }, olga)
    const terminal = await openProven(department)
    const template = Buffer.from(`finger of ${workno}`).toString('base64')
    const lines = [
      `BIOPHOTO PIN=${workno}\tFileName=${workno}.jpg\tType=9\tNo=0\tSize=16\tContent=/9j/2wBDAAEBAQ==`,
      ...[4, 9].map(fid => `FP PIN=${workno}\tFID=${fid}\tSize=${template.length}\tValid=1\tTMP=${template}`),
      `FP PIN=A7\tFID=0\tSize=${template.length}\tValid=1\tTMP=${template}`,
      `FVEIN PIN=${workno}\tFID=0\tTMP=${template}`,
    ]
    const all = { status: 200, text: `OK: ${lines.length}\n` }
    expect(await terminal.deliver('OPERLOG', lines.join('\n'))).toEqual(all)
    const filters = { serialNumber: terminal.sn }
    const { list } = await http.call('device/user/grid', { filters }, olga)
    expect(list).toMatchObject([{ fingers: 2, face: true }])
    const held = await http.call('device/quarantine', { size: 200, filters }, olga)
    expect(held.list.map(({ reason }) => reason)).toEqual(['unread', 'unread'])
    expect(held.list.map(({ raw }) => JSON.parse(raw).pin)).toEqual(expect.arrayContaining(['A7', workno]))
    expect(JSON.stringify(held)).not.toContain(template)
  })

  test('delivers credentials of its earlier users, and no current employee gets them', { tags: 'long' }, async () => {
    await storeTemplates()
    const department = await addDepartment()
    const add = async (workno: string) =>
      (await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno, department }, olga)).id
    const [current, later] = [String(people++), String(people++)]
    const id = await add(current)
    const terminal = await openProven(department, 2)
    await terminal.deliver('options', 'FPVersion=10')
    const delivery = [current, later]
      .map(
        (workno, i) =>
          `USER PIN=${workno}\tName=Zoe\tPri=0\tCard=[6660${i}]\nFP PIN=${workno}\tFID=0\tSize=8\tValid=1\tTMP=abcdefg${i}\n`,
      )
      .join('')
    expect(await terminal.deliver('OPERLOG', delivery)).toEqual({ status: 200, text: 'OK: 4\n' })
    const hired = await add(later)
    // The terminal repeats its delivery whenever the server requests all users again.
    expect(await terminal.deliver('OPERLOG', delivery)).toEqual({ status: 200, text: 'OK: 4\n' })
    for (const employee of [id, hired]) {
      expect((await http.call('employee/attendance/finger/get', { id: employee }, olga)).list).toEqual([])
      expect(await http.call('employee/attendance/get', { id: employee }, olga)).not.toHaveProperty('card')
    }
    const { list } = await http.call('device/user/grid', { filters: { serialNumber: terminal.sn } }, olga)
    expect(list.find(row => row.employee === id)).toMatchObject({ fingers: 1, card: true })
    // A reply to an enrolment may repeat the earlier finger. Only a different finger belongs to the employee.
    const enrolment = { serialNumber: terminal.sn, employee: hired, kind: 'finger', sign: 0 } as const
    // No enrolment starts before the terminal has delivered its earlier users.
    expect(await http.ask('device/enroll', enrolment, olga)).toMatchObject({ code: 60076 })
    await terminal.deliver('options', 'UserCount=0')
    await http.call('device/enroll', enrolment, olga)
    await obey(terminal, done => expect(done.join()).toContain('ENROLL_FP'))
    const fingers = async () => (await http.call('employee/attendance/finger/get', { id: hired }, olga)).list
    await terminal.deliver('OPERLOG', delivery)
    expect(await fingers()).toEqual([])
    const finger = `FP PIN=${later}\tFID=0\tSize=8\tValid=1\tTMP=hersnow1\n`
    await terminal.deliver('OPERLOG', finger)
    expect(await fingers()).toMatchObject([{ sign: 0, serialNumber: terminal.sn }])
  })

  test('updates its counts with each poll', async () => {
    const terminal = await openTerminal({ department: await addDepartment() })
    const figures = async () => {
      const { users, templates, records, faces } = await getDevice(terminal.sn)
      return [users, templates, records, faces]
    }
    await terminal.poll('Ver 8.0.4,1,2,3,192.168.1.201,10,7,12,4,111')
    expect(await figures()).toEqual([1, 2, 3, 4])
    await terminal.poll('Ver 8.0.4,24,2,31,192.168.1.201,10,7,12,4,111')
    expect(await figures()).toEqual([24, 2, 31, 4])
  })

  test('gets a registry code and reports its model when it registers', async () => {
    const terminal = await openTerminal()
    const registration =
      '~DeviceName=SpeedFace-V5L,MAC=00:17:61:12:f8:db,FWVersion=ZAM170-NF50VA-Ver1.0.12,DeviceType=att'
    const { status, text } = await terminal.send('POST', 'registry', {}, registration)
    expect([status, text]).toEqual([200, expect.stringMatching(/^RegistryCode=\d{1,32}\n$/)])
    expect(await getDevice(terminal.sn)).toMatchObject({
      model: 'SpeedFace-V5L',
      mac: '00:17:61:12:f8:db',
      protocol: 'adms',
    })
    const unknown = `SN=NOBODY${Date.now()}`
    expect((await fetch(`${address}/iclock/registry?${unknown}`, { method: 'POST', body: registration })).status).toBe(
      403,
    )
  })

  test('shows its clock drift with the next punch, and then receives the time', async () => {
    const terminal = await openTerminal({ timezone: 'Etc/UTC' })
    const clock = (seconds: number) => {
      const shown = new Date(Date.now() + seconds * 1000).toISOString()
      return shown.slice(0, 19).replace('T', ' ')
    }
    const drift = async () => (await getDevice(terminal.sn)).driftSeconds ?? 0
    const week = 7 * 24 * 3600
    // An old punch from the buffer says nothing about the clock.
    await terminal.deliver('ATTLOG', line('7', clock(-3600)))
    expect(await drift()).toBe(0)
    await terminal.deliver('ATTLOG', line('7', clock(-150)))
    expect(await drift()).toBeLessThan(-140)
    await obey(terminal, done => expect(done).toContain('CHECK'))
    await terminal.deliver('ATTLOG', line('7', clock(0)))
    expect(Math.abs(await drift())).toBeLessThan(60)
    // The clock is so far ahead that the server cannot store punches with its time.
    await terminal.deliver('ATTLOG', line('7', clock(week)))
    expect(await drift()).toBeGreaterThan(week - 60)
    await obey(terminal, done => expect(done).toContain('CHECK'))
  })

  test('resets after its delivery and a quiet time, or at once if forced', async () => {
    const terminal = await openTerminal({ department: await addDepartment() })
    const { sn } = terminal
    await http.call('device/reset', { serialNumber: sn }, olga)
    const done = await obey(terminal, list =>
      expect(list.some(words => words.startsWith('DATA QUERY ATTLOG'))).toBe(true),
    )
    expect(done[0]).toBe('LOG')
    // The terminal has just replied, so its records may still be on their way.
    expect(ordersOf(await terminal.poll())).toEqual([])
    expect(await commandsOf(sn)).toEqual(
      expect.arrayContaining([expect.objectContaining({ cmd: 'initsys', state: 'queued' })]),
    )
    await http.call('device/reset', { serialNumber: sn, isForced: true }, olga)
    await obey(terminal, list => expect(list).toContain('CLEAR DATA'))
  })

  test('is not reset by force while the server refuses one of its deliveries', async () => {
    const terminal = await openTerminal({ department: await addDepartment() })
    const { sn } = terminal
    const sent = request(`${address}/iclock/cdata?SN=${sn}&table=OPERLOG`, { method: 'POST' })
    // The request has no Content-Length and exceeds the body limit of a function.
    for (let i = 0; i < 5; i++) sent.write('x'.repeat(1024 * 1024))
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(413)
    answer.resume()
    expect((await getDevice(sn)).refusedDeliveries).toBe(1)
    const { command } = await http.call('device/reset', { serialNumber: sn, isForced: true }, olga)
    await obey(terminal, list => expect(list.some(words => words.startsWith('DATA QUERY ATTLOG'))).toBe(true))
    expect(ordersOf(await terminal.poll())).toEqual([])
    expect((await commandsOf(sn)).find(({ id }) => id === command)?.state).toBe('queued')
    await terminal.deliver('OPERLOG', 'OPLOG 4\t0\t2026-03-02 08:00:00\t0\t0\t0\t0')
    expect((await getDevice(sn)).refusedDeliveries).toBe(0)
    expect((await ordersFor(terminal)).map(([, words]) => words)).toEqual(['CLEAR DATA'])
  })
})
