import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { onTheWire, startAnswering } from '../../../infra/local/terminal/command.ts'
import { planDay } from '../../../infra/local/terminal/day.ts'
import { introduce } from '../../../infra/local/terminal/identity.ts'
import { openMemory } from '../../../infra/local/terminal/memory.ts'
import { type ProfileName, profileNames, profiles } from '../../../infra/local/terminal/profile.ts'

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const memoryIn = (folder: string) => {
  const memory = openMemory(folder, 'T1')
  cleanups.push(() => memory.close())
  return memory
}
const entry = (enrollid: number, time = '2026-03-02 09:00:00') => ({ enrollid, time, mode: 3, inout: 0, event: 0 })

describe('the memory of the terminal', () => {
  test('keeps unacknowledged records, users, settings and clock over a restart', () => {
    const folder = newFolder()
    const before = openMemory(folder, 'T1')
    const [first, second] = before.record([entry(1), entry(2)])
    if (!first || !second) throw new Error('not recorded')
    before.acknowledge([first])
    before.putUser({ enrollid: 7, name: 'Ada', admin: 0, enabled: true, records: { 11: 4711 } })
    before.changeSettings({ volume: 6 })
    before.setTime('2030-01-01 00:00:00')
    before.close()

    const after = memoryIn(folder)
    expect(after.unacknowledged()).toEqual([second])
    expect([...after.log.values()]).toEqual([first, second])
    expect(after.users.get(7)?.name).toBe('Ada')
    expect(after.settings).toEqual({ volume: 6 })
    expect(after.time()).toMatch(/^2030-01-01 00:00:/)
    expect(after.record([entry(3)])[0]?.index).toBe(3)
  })

  test('skips an incomplete line, and keeps all lines before and after that line', () => {
    const folder = newFolder()
    const before = openMemory(folder, 'T1')
    before.record([entry(1)])
    before.close()
    appendFileSync(join(folder, 'T1.jsonl'), '{"log":{"index":2,"enr')
    const reopened = openMemory(folder, 'T1')
    reopened.record([entry(3)])
    reopened.close()
    expect(
      memoryIn(folder)
        .unacknowledged()
        .map(({ enrollid }) => enrollid),
    ).toEqual([1, 3])
  })

  test('cannot be opened twice, but ignores the lock of a killed process', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'T1.lock'), String(process.ppid))
    expect(() => openMemory(folder, 'T1')).toThrow(/already running .* --sn/)
    writeFileSync(join(folder, 'T1.lock'), String(2 ** 22 + 1))
    memoryIn(folder)
  })
})

describe('a command of the server', () => {
  const startTerminal = () => {
    const memory = memoryIn(newFolder())
    let reboots = 0
    const { answer } = startAnswering(memory, () => reboots++)
    return { memory, answer, reboots: () => reboots }
  }

  test('reads new entries page by page until an empty page, and does not acknowledge them', () => {
    const { memory, answer } = startTerminal()
    memory.record(Array.from({ length: 60 }, (_, i) => entry(i + 1)))
    expect(answer('getnewlog', { stn: true })).toMatchObject({ result: true, count: 60, from: 0, to: 49 })
    memory.record([entry(99)])
    expect(answer('getnewlog', { stn: false })).toMatchObject({ count: 60, from: 50, to: 59 })
    expect(answer('getnewlog', { stn: false })).toEqual({
      ret: 'getnewlog',
      result: true,
      count: 0,
      from: 0,
      to: 0,
      record: [],
    })
    expect(memory.unacknowledged()).toHaveLength(61)
  })

  test('reads all entries of a range of days, written without leading zeros', () => {
    const { memory, answer } = startTerminal()
    memory.record([entry(1, '2026-02-28 09:00:00'), entry(2, '2026-03-01 09:00:00'), entry(3, '2026-03-02 09:00:00')])
    expect(answer('getalllog', { stn: true, from: '2026-3-1', to: '2026-3-1' })).toMatchObject({
      record: [{ enrollid: 2 }],
    })
  })

  test('writes, lists, renames and deletes users', () => {
    const { answer } = startTerminal()
    expect(answer('setuserinfo', { enrollid: 5, name: 'Bo', backupnum: 11, admin: 0, record: 4711 })).toMatchObject({
      result: true,
    })
    answer('setuserinfo', { enrollid: 5, name: 'Bo', backupnum: 10, record: 1234 })
    answer('setusername', { count: 1, record: [{ enrollid: 5, name: 'Bob' }] })
    expect(answer('getuserinfo', { enrollid: 5, backupnum: 11 })).toMatchObject({ name: 'Bob', record: 4711 })
    expect(answer('getuserlist', { stn: true })).toMatchObject({
      count: 2,
      record: [
        { enrollid: 5, backupnum: 10 },
        { enrollid: 5, backupnum: 11 },
      ],
    })
    answer('deleteuser', { enrollid: 5, backupnum: 11 })
    expect(answer('getuserinfo', { enrollid: 5, backupnum: 11 })).toEqual({
      ret: 'getuserinfo',
      result: false,
      reason: 5,
    })
    answer('deleteuser', { enrollid: 5, backupnum: 13 })
    expect(answer('getuserlist', { stn: true })).toMatchObject({ count: 0, record: [] })
  })

  test('that is unknown gets a refusal, and a reboot gets no answer', () => {
    const { answer, reboots } = startTerminal()
    expect(answer('constructor', {})).toEqual({ ret: 'constructor', result: false, reason: 1 })
    expect(answer('reboot', {})).toBeUndefined()
    expect(reboots()).toBe(1)
  })
})

describe.each(profileNames)('the firmware %s', name => {
  interface Message {
    cmd?: string
    sn: string
    devinfo?: Record<string, unknown>
    record?: Record<string, unknown>[]
    [name: string]: unknown
  }
  const transcript: { frames: { said: Message; kind: string }[] } = JSON.parse(
    readFileSync(new URL(`../../given/terminal/${name}.json`, import.meta.url), 'utf8'),
  )
  const registration = () => transcript.frames.find(({ said }) => said.cmd === 'reg')?.said ?? { sn: '' }
  /** The type of each field. The fields for sizes have many names. */
  const fieldTypes = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        /^(use|fp|face|card|pwd|log)/.test(name) ? 'size' : typeof value,
      ]),
    )
  const memory = () => {
    const memory = memoryIn(newFolder())
    memory.putUser({ enrollid: 7, name: 'Ada', admin: 0, enabled: true, records: {} })
    return memory
  }

  test('registers with the recorded fields', () => {
    const { cmd: _cmd, sn, ...recorded } = registration()
    const { devinfo: recordedInfo = {}, ...recordedFields } = recorded
    const { devinfo = {}, ...fields } = introduce({ sn }, memory(), profiles[name]) as { devinfo?: object }
    expect(fieldTypes(fields)).toEqual(expect.objectContaining(fieldTypes(recordedFields)))
    const { curip: _ip, ...info } = fieldTypes(recordedInfo)
    expect(fieldTypes(devinfo)).toEqual(expect.objectContaining(info))
    expect(Object.keys(devinfo).length > 0).toBe(Object.keys(recordedInfo).length > 0)
    for (const field of ['cpusn', 'mac'])
      expect(field in { ...fields, ...devinfo }).toBe(field in { ...recordedFields, ...recordedInfo })
    const registered = { ...fields, ...devinfo } as Record<string, unknown>
    expect(registered).toMatchObject({
      modelname: (recordedInfo.modelname ?? recorded.modelname) as string,
      firmware: recordedInfo.firmware ?? recorded.firmware,
    })
  })

  test('sends an entry with the recorded fields', () => {
    const records = transcript.frames.flatMap(({ said }) => said.record ?? [])
    const plainRecords = records.filter(
      record =>
        (Number(record.enrollid) > 0 && Number(record.enrollid) < 99999999) || Number(record.enrollid) > 99999999,
    )
    const sent = onTheWire({ index: 1, ...entry(7, '2026-09-03 09:05:00') }, memory(), profiles[name])
    const optional = new Set(['image', 'temp', 'temperature', 'mask', 'verifymode', 'aliasid', 'note', 'name'])
    const fields = (record: object) =>
      Object.keys(record)
        .filter(field => !optional.has(field))
        .sort()
    for (const record of plainRecords) expect(fields(sent)).toEqual(fields(record))
    expect(plainRecords.map(record => typeof record.enrollid)).toContain(typeof sent.enrollid)
    const modes = [1, 2, 3].map(mode => profiles[name].modes[mode] ?? mode)
    expect(modes).toEqual(expect.arrayContaining(plainRecords.map(record => Number(record.mode))))
  })

  test('names its answers as recorded', () => {
    const { answer } = startAnswering(memory(), () => undefined, { profile: profiles[name] })
    const recorded = transcript.frames.find(({ kind }) => kind === 'reply')?.said
    if (recorded) expect('ret' in (answer('getnewlog', { stn: true }) ?? {})).toBe('ret' in recorded)
  })
})

test('some firmware repeats an answered page, and other firmware forgets it', () => {
  const pages = (name: ProfileName) => {
    const memory = memoryIn(newFolder())
    memory.record(Array.from({ length: 60 }, (_, i) => entry(i + 1)))
    const ask = () =>
      startAnswering(memory, () => undefined, { profile: profiles[name] }).answer('getnewlog', { stn: true })
    return [ask()?.count, ask()?.count]
  }
  expect(pages('new')).toEqual([60, 60])
  expect(pages('echo-cmd')).toEqual([60, 10])
})

test('the firmware topdata accepts users only while the server has disabled the terminal', () => {
  const { answer } = startAnswering(memoryIn(newFolder()), () => undefined, { profile: profiles.topdata })
  const person = { enrollid: 5, name: 'Bo', backupnum: 0, admin: 0, record: '0' }
  expect(answer('setuserinfo', person)).toMatchObject({ result: false })
  answer('disabledevice', {})
  expect(answer('setuserinfo', person)).toMatchObject({ result: true })
  answer('enabledevice', {})
  expect(answer('setuserinfo', person)).toMatchObject({ result: false })
})

test('the simulated user enrols on request, and the terminal reports the status', async () => {
  const memory = memoryIn(newFolder())
  const enrolled = Promise.withResolvers<unknown>()
  const { answer } = startAnswering(memory, () => undefined, { onEnrolled: enrolled.resolve })
  expect(answer('adduser', { enrollid: 9, backupnum: 0, admin: 0 })).toMatchObject({ result: true })
  expect(answer('checkregstatus', {})).toMatchObject({ result: false })
  expect(await enrolled.promise).toMatchObject({ enrollid: 9, backupnum: 0 })
  expect(answer('checkregstatus', {})).toMatchObject({ result: true })
  expect(answer('getuserinfo', { enrollid: 9, backupnum: 0 })).toMatchObject({ result: true, admin: 0 })
})

describe('a replayed day', () => {
  test('is the same for the same seed, differs for another seed, and is in order', () => {
    const plan = (seed: number) => planDay({ day: '2026-03-02', people: 24, seed })
    expect(plan(1)).toEqual(plan(1))
    expect(plan(1)).not.toEqual(plan(2))
    expect(plan(1).map(({ time }) => time)).toEqual(
      plan(1)
        .map(({ time }) => time)
        .sort(),
    )
    expect(plan(1).every(({ time }) => /^2026-03-02 (0[89]|1\d|2[01]):[0-5]\d:[0-5]\d$/.test(time))).toBe(true)
  })

  test('has employees on time, late, absent and without a clock-out', () => {
    const times = Map.groupBy(planDay({ day: '2026-03-02', people: 1000, seed: 1 }), ({ enrollid }) => enrollid)
    const share = (matches: (clocks: string[]) => boolean) =>
      [...times.values()].filter(entries => matches(entries.map(({ time }) => time.slice(11)))).length / 1000
    expect(1 - times.size / 1000).toBeCloseTo(0.05, 1)
    expect(share(([first = '']) => first > '09:01:00')).toBeCloseTo(0.1, 1)
    expect(share(clocks => (clocks.at(-1) ?? '') < '13:30:00')).toBeGreaterThan(0.005)
    expect(share(clocks => (clocks.at(-1) ?? '') >= '18:00:00')).toBeGreaterThan(0.7)
  })
})

describe('the program', () => {
  /** Starts a server that sends the answers of the test. `received` contains the messages of the terminal. */
  const listen = async (answer: (message: Record<string, unknown>, socket: WebSocket) => object | undefined) => {
    const received: Record<string, unknown>[] = []
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    cleanups.push(() => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    })
    server.on('connection', socket =>
      socket.on('message', data => {
        const message = JSON.parse(String(data))
        received.push(message)
        const reply = answer(message, socket)
        if (reply) socket.send(JSON.stringify(reply))
      }),
    )
    await new Promise(resolve => server.once('listening', resolve))
    return { received, address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/web` }
  }
  const run = (folder: string, ...words: string[]) => {
    const program = spawn(process.execPath, ['infra/local/terminal.ts', '--data', folder, '--sn', 'T1', ...words])
    cleanups.push(() => void program.kill('SIGKILL'))
    return program
  }
  const outcome = async (program: ChildProcess, input = '') => {
    let output = ''
    let errors = ''
    program.stdout?.on('data', text => {
      output += text
    })
    program.stderr?.on('data', text => {
      errors += text
    })
    program.stdin?.end(input)
    const code = await new Promise<number | null>(resolve => program.once('close', resolve))
    return { output, errors, code }
  }
  const accept = (message: Record<string, unknown>) =>
    message.cmd === 'reg'
      ? { ret: 'reg', result: true, cloudtime: '2030-05-06 08:59:12', nosenduser: true }
      : { ret: message.cmd, result: true, count: message.count, logindex: message.logindex, mark: true }

  test('registers like a terminal, punches with the server’s time, and ends after all acknowledgements', async () => {
    const { received, address } = await listen(accept)
    const { output, errors, code } = await outcome(run(newFolder(), '--address', address), '7\n\nx\n012\n')
    expect({ errors, code }).toEqual({ errors: '', code: 0 })
    expect(output).toMatch(/08:59:1\d {2}employee 7 {2}stored\n/)
    expect(output).toMatch(/08:59:1\d {2}employee 12 {2}stored\n/)
    expect(output).toContain('x is not an employee ID')
    expect(received[0]).toMatchObject({
      cmd: 'reg',
      sn: 'T1',
      devinfo: { modelname: 'AiFace', usednewlog: 0, useduser: 0 },
    })
    const sent = received.filter(({ cmd }) => cmd === 'sendlog').flatMap(({ record }) => record as { time: string }[])
    expect(sent).toMatchObject([{ enrollid: 7 }, { enrollid: 12 }])
    expect(sent.every(({ time }) => time.startsWith('2030-05-06 08:59:1'))).toBe(true)
  })

  test('sends refused and unanswered records again', async () => {
    let turn = 0
    const { received, address } = await listen((message, socket) => {
      if (message.cmd === 'reg') return accept(message)
      turn++
      if (turn === 1) return { ret: 'sendlog', result: false, reason: 1 }
      if (turn > 2) return accept(message)
      socket.terminate()
      return undefined
    })
    const { code, output } = await outcome(run(newFolder(), '--address', address), '7\n')
    expect(code).toBe(0)
    expect(output).toContain('employee 7  stored')
    const sent = received.filter(({ cmd }) => cmd === 'sendlog')
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map(({ record }) => JSON.stringify(record))).size).toBe(1)
  })

  test('keeps a punch when it is killed', async () => {
    const folder = newFolder()
    const silentServer = await listen(message => (message.cmd === 'reg' ? accept(message) : undefined))
    const program = run(folder, '--address', silentServer.address)
    program.stdin?.write('7\n')
    await expect.poll(() => silentServer.received.length, { timeout: 10_000 }).toBe(2)
    const closed = new Promise(resolve => program.once('close', resolve))
    program.kill('SIGKILL')
    await closed
    const { received, address } = await listen(accept)
    expect((await outcome(run(folder, '--address', address))).output).toMatch(
      /sending stored punches: 1[\s\S]*employee 7 {2}stored/,
    )
    expect(received[0]).toMatchObject({ devinfo: { usednewlog: 1 } })
    expect(readFileSync(join(folder, 'T1.jsonl'), 'utf8')).toContain('"acknowledged"')
  })

  test('replays a day, answers commands meanwhile, and ends', async () => {
    const { received, address } = await listen((message, socket) => {
      if (message.cmd === 'sendlog') socket.send('{"cmd":"getnewlog","stn":true}')
      return message.cmd ? accept(message) : undefined
    })
    const { code, output } = await outcome(
      run(newFolder(), '--address', address, '--day', '2026-03-02', '--people', '30'),
    )
    expect(code).toBe(0)
    const planned = planDay({ day: '2026-03-02', people: 30, seed: 1 })
    expect(received.filter(({ cmd }) => cmd === 'sendlog').flatMap(({ record }) => record)).toEqual(planned)
    expect(output.match(/2026-03-02 [\d:]+ {2}employee \d+ {2}stored/g)).toHaveLength(planned.length)
    expect(received.filter(({ ret }) => ret === 'getnewlog').length).toBeGreaterThan(0)
  })

  test('also ends if the server requests its last entries', async () => {
    const ask = (stn: boolean) => ({ cmd: 'getnewlog', stn })
    const { received, address } = await listen(message => {
      if (message.cmd === 'reg') return accept(message)
      if (message.cmd === 'sendlog') return ask(true)
      return (message.record as unknown[] | undefined)?.length ? ask(false) : undefined
    })
    const words = ['--profile', 'v24', '--address', address]
    expect(await outcome(run(newFolder(), ...words), '7\n8\n')).toMatchObject({ code: 0, errors: '' })
    expect(received.filter(({ ret }) => ret === 'getnewlog').map(({ record }) => (record as unknown[]).length)).toEqual(
      [2, 0],
    )
  })

  test.each([
    [
      ['--address', 'ws://127.0.0.1:1/web'],
      'Cannot connect to 127.0.0.1:1: no server listens there; start it, or pass its port with --address ws://127.0.0.1:PORT/web.\n',
    ],
    [['--address', 'nonsense'], 'nonsense is not a websocket address such as ws://127.0.0.1:8080/web.\n'],
    [['--day', '2026-02-30'], '2026-02-30 is not a calendar date such as 2026-03-02.\n'],
    [['--people', 'many'], '--people must be a number from 0 to 100000.\n'],
    [['--profile', 'v99'], 'Unknown profile v99; choose one of v24, new, dixi, topdata, echo-cmd, adms.\n'],
    [
      ['--fault', 'fire'],
      'Unknown fault fire; choose from drop-before, drop-after, duplicate, reorder, stall, skew, dst, photo, double.\n',
    ],
    [['--frequency', '2'], 'Unknown option --frequency; --help lists all options.\n'],
  ])('explains a wrong option in one sentence: %j', async (words, sentence) => {
    expect(await outcome(run(newFolder(), ...words))).toEqual({ output: '', errors: sentence, code: 1 })
  })

  test.each([
    ['did not reg', 'Add the terminal on the device page'],
    ['needs approval', 'approve this terminal on its device page'],
  ])('explains a refusal of the server and what to do: %s', async (reason, advice) => {
    const { address } = await listen(() => ({ ret: 'reg', result: false, reason }))
    const { errors, code } = await outcome(run(newFolder(), '--address', address))
    expect(errors).toContain(`The server refused the serial number T1: ${reason}. `)
    expect(errors).toContain(advice)
    expect(code).toBe(1)
  })
})
