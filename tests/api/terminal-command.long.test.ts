import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Managers give commands to a terminal. The tests check the frames of the terminal and the responses to the manager.

const http = client(inject('address'))
let company: Registered
const sockets: Socket[] = []
let people = 500

beforeAll(async () => {
  company = await register(http)
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

const newSerialNumber = () => `Q${randomBytes(6).toString('hex').toUpperCase()}`
const addTerminal = async (form: Partial<PathCall<'device/add'>> = {}) => {
  const serialNumber = newSerialNumber()
  const device = {
    serialNumber,
    name: 'Gate',
    department: company.department,
    authentication: 'claim' as const,
    ...form,
  }
  await http.call('device/add', device, company)
  return serialNumber
}
const currentInfo = { modelname: 'AiFace', firmware: 'ai518_f43h_v1.27', usednewlog: 0 }
const connect = async (sn: string, devinfo: object = currentInfo, takesSettings = true) => {
  const socket = await openSocket(http.address, { takesSettings })
  sockets.push(socket)
  socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  return socket
}
const emptyPage = (ret: string) => ({ ret, result: true, count: 0, from: 0, to: 0, record: [] })
/** A connected terminal without undelivered records. */
const connectSettled = async (sn: string, devinfo: object = currentInfo) => {
  const socket = await connect(sn, devinfo)
  await socket.hear({ cmd: 'getnewlog' })
  socket.say(emptyPage('getnewlog'))
  await eventually(
    () => http.call('device/get', { serialNumber: sn }, company),
    ({ unsent }) => expect(unsent).toBe(0),
  )
  return socket
}
/** Waits until the terminal has listed its users. */
const waitForUserList = (sn: string) =>
  eventually(
    () => http.call('device/command/grid', { filters: { serialNumber: sn } }, company),
    ({ list }) => expect(list).toContainEqual(expect.objectContaining({ cmd: 'getuserlist', state: 'done' })),
  )
const addPerson = async () => {
  const form = { first_name: 'Ada', last_name: 'L', workno: String(people++), department: company.department }
  return { ...(await http.call('employee/add', form, company)), ...form }
}
const listCommands = async (serialNumber: string) =>
  (await http.call('device/command/grid', { filters: { serialNumber } }, company)).list
const untilState = (serialNumber: string, id: string, fields: object) =>
  eventually(
    () => listCommands(serialNumber),
    commands => expect(commands.find(command => command.id === id)).toMatchObject(fields),
  )
const punch = (enrollid: number | string, time: string) => ({ enrollid, time, mode: 3, inout: 0, event: 0 })
const today = () => new Date().toLocaleDateString('sv', { timeZone: 'Europe/Athens' })

describe('the queue of a terminal', () => {
  test('shows each command with its author and its result', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const { command } = await http.call('device/open', { serialNumber: sn, door: 2 }, company)
    const listKind = async (kind: 'people' | 'records' | 'care') =>
      (await http.call('device/command/grid', { filters: { serialNumber: sn, kind } }, company)).list.map(
        ({ cmd }) => cmd,
      )
    expect(await listKind('care')).toContain('opendoor')
    expect(await listKind('people')).not.toContain('opendoor')
    expect(await terminal.hear({ cmd: 'opendoor' })).toEqual({ cmd: 'opendoor', doornum: 2 })
    await untilState(sn, command, { cmd: 'opendoor', state: 'sent', attempts: 1, canCancel: false, canRetry: false })
    terminal.say({ ret: 'opendoor', result: true })
    await untilState(sn, command, {
      state: 'done',
      result: 'ok',
      by: expect.any(String),
      settledAt: expect.any(String),
    })
  })

  test('keeps a refused command with the terminal’s reason, and a retry sends it again', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const { command } = await http.call('device/open', { serialNumber: sn }, company)
    expect(await terminal.hear({ cmd: 'opendoor' })).toEqual({ cmd: 'opendoor' })
    terminal.say({ ret: 'opendoor', result: false, reason: 3 })
    await untilState(sn, command, { state: 'failed', result: 'refused', reason: '3', canRetry: true })
    const retried = await http.call('device/command/retry', { serialNumber: sn, id: command }, company)
    await terminal.hear({ cmd: 'opendoor' })
    terminal.say({ ret: 'opendoor', result: true })
    await untilState(sn, retried.command, { state: 'done' })
    await untilState(sn, command, { state: 'failed' })
    expect(await http.ask('device/command/retry', { serialNumber: sn, id: retried.command }, company)).toMatchObject({
      code: 60005,
      fields: { id: 60005 },
    })
  })

  test('lets a manager cancel only commands that were not sent', async () => {
    const sn = await addTerminal()
    const { command } = await http.call('device/poll', { serialNumber: sn }, company)
    await untilState(sn, command, { state: 'queued', canCancel: true })
    await http.call('device/command/cancel', { serialNumber: sn, id: command }, company)
    await untilState(sn, command, { state: 'cancelled', result: 'cancelled', attempts: 0 })
    expect(await http.ask('device/command/cancel', { serialNumber: sn, id: command }, company)).toMatchObject({
      code: 60004,
      fields: { id: 60004 },
    })
    const terminal = await connectSettled(sn)
    const sent = await http.call('device/open', { serialNumber: sn }, company)
    await terminal.hear({ cmd: 'opendoor' })
    expect(await http.ask('device/command/cancel', { serialNumber: sn, id: sent.command }, company)).toMatchObject({
      code: 60006,
    })
  })

  test('is listed by pages, newest first, with finished and unfinished commands together', async () => {
    const sn = await addTerminal()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await http.call('device/poll', { serialNumber: sn }, company)).command)
    for (const id of [ids[1], ids[3]])
      await http.call('device/command/cancel', { serialNumber: sn, id: id ?? '' }, company)
    const listed: string[] = []
    let page: string | undefined
    do {
      const input = { filters: { serialNumber: sn }, size: 2, ...(page && { page }) }
      const answer = await http.call('device/command/grid', input, company)
      listed.push(...answer.list.map(({ id }) => id))
      page = answer.next
    } while (page)
    expect(listed).toEqual(ids.toReversed())
  })

  test('is closed to other companies', async () => {
    const sn = await addTerminal()
    const { command } = await http.call('device/poll', { serialNumber: sn }, company)
    const rival = await register(http)
    expect(await http.call('device/command/grid', { filters: { serialNumber: sn } }, rival)).toEqual({
      list: [],
      count: 0,
    })
    for (const path of ['device/open', 'device/reboot', 'device/poll', 'device/sync', 'device/reset'] as const)
      expect(await http.ask(path, { serialNumber: sn }, rival), path).toMatchObject({ code: 60004 })
    const id = command
    for (const path of ['device/command/cancel', 'device/command/retry'] as const)
      expect(await http.ask(path, { serialNumber: sn, id }, rival), path).toMatchObject({ code: 60004 })
  })

  test('hides employees’ names from managers of the terminal without access to those employees', async () => {
    const { id: below } = await http.call(
      'department/add',
      { name: newSerialNumber(), parent: company.department },
      company,
    )
    const form = { first_name: 'Bela', last_name: 'Below', workno: String(people++), department: below }
    await http.call('employee/add', form, company)
    const { id: roleId } = await http.call(
      'role/add',
      { name: newSerialNumber(), permissions: [2], departments: [company.department] },
      company,
    )
    const person = { first_name: 'M', last_name: 'M', workno: String(people++), department: company.department }
    const manager = await invite(http, company, { ...person, role: 2, roleId })
    const sn = await addTerminal()
    await connectSettled(sn)
    const listSubjects = async (caller: { token: string }) => {
      const input = { filters: { serialNumber: sn, kind: 'people' as const }, size: 200 }
      return (await http.call('device/command/grid', input, caller)).list.map(({ subject }) => subject)
    }
    await eventually(
      () => listSubjects(company),
      subjects => expect(subjects).toEqual(expect.arrayContaining(['Bela Below', 'M M'])),
    )
    const managerSubjects = await listSubjects(manager)
    expect(managerSubjects).toContain('M M')
    expect(managerSubjects).not.toContain('Bela Below')
  })
})

describe('a terminal', () => {
  test('that restarts gets no further command, and then reconnects', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const { command } = await http.call('device/reboot', { serialNumber: sn }, company)
    await terminal.hear({ cmd: 'reboot' })
    await untilState(sn, command, { state: 'done', result: 'ok', attempts: 1 })
    terminal.close()
    const reconnected = await connectSettled(sn)
    expect(reconnected.unheard).toEqual([])
  })

  test('delivers its new records, and the records of chosen days, on request', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const polled = await http.call('device/poll', { serialNumber: sn }, company)
    expect(await terminal.hear({ cmd: 'getnewlog' })).toEqual({ cmd: 'getnewlog', stn: true })
    terminal.say({ ret: 'getnewlog', result: true, count: 1, record: [punch(77, `${today()} 00:00:01`)] })
    await terminal.hear({ cmd: 'getnewlog', stn: false })
    await untilState(sn, polled.command, { state: 'sent' })
    terminal.say(emptyPage('getnewlog'))
    await untilState(sn, polled.command, { state: 'done' })
    expect(await http.ask('device/reconcile', { serialNumber: sn, from: '2099-01-01' }, company)).toMatchObject({
      code: 10002,
      fields: { from: 10002 },
    })
    const reconciled = await http.call('device/reconcile', { serialNumber: sn, from: '2026-01-31' }, company)
    expect(await terminal.hear({ cmd: 'getalllog' })).toEqual({
      ...{ cmd: 'getalllog', stn: true, from: '2026-01-31' },
      to: today(),
    })
    terminal.say({ ret: 'getalllog', result: true, count: 1, record: [punch(78, '2026-01-31 08:00:00')] })
    await terminal.hear({ cmd: 'getalllog', stn: false })
    terminal.say(emptyPage('getalllog'))
    await untilState(sn, reconciled.command, { state: 'done' })
    await eventually(
      async () => (await http.call('record/orphan/grid', {}, company)).list.map(({ workno }) => workno),
      numbers => expect(numbers).toEqual(expect.arrayContaining(['77', '78'])),
    )
  })

  test('gets changed settings at once when online, and with its next registration when offline', async () => {
    // The department has no employees that the terminal would need.
    const { id: department } = await http.call(
      'department/add',
      { name: `Empty ${Date.now()}`, parent: company.department },
      company,
    )
    const sn = await addTerminal({ department })
    const terminal = await connect(sn, currentInfo, false)
    const hearSettings = async () => (await terminal.hear({ cmd: 'setdevinfo' })).devinfo
    expect(await hearSettings()).toMatchObject({ volume: 6, language: 0 })
    terminal.say({ ret: 'setdevinfo', result: true })
    await terminal.hear({ cmd: 'getnewlog' })
    terminal.say(emptyPage('getnewlog'))
    await terminal.hear({ cmd: 'getuserlist' })
    terminal.say(emptyPage('getuserlist'))
    const saveSettings = async (voice: number, language: number) => {
      const { version, name, department, authentication } = await http.call('device/get', { serialNumber: sn }, company)
      const form = { serialNumber: sn, version, name, department, authentication, voice, language }
      await http.call('device/update', form, company)
    }
    await saveSettings(5, 2)
    expect(await hearSettings()).toMatchObject({ volume: 10, language: 9 })
    const id = (await listCommands(sn)).find(({ cmd }) => cmd === 'setdevinfo')?.id ?? ''
    await untilState(sn, id, { cmd: 'setdevinfo', state: 'sent', by: expect.any(String) })
    terminal.say({ ret: 'setdevinfo', result: true })
    await untilState(sn, id, { state: 'done' })
    expect((await http.call('device/get', { serialNumber: sn }, company)).warnings).toEqual(['unproven'])
    terminal.close()
    await eventually(
      () => http.call('device/get', { serialNumber: sn }, company),
      ({ online }) => expect(online).toBe(false),
    )
    await saveSettings(0, 4)
    const reconnected = await connect(sn, currentInfo, false)
    expect(await reconnected.hear({ cmd: 'setdevinfo' })).toMatchObject({ devinfo: { volume: 0, language: 11 } })
    reconnected.say({ ret: 'setdevinfo', result: true })
    await reconnected.hear({ cmd: 'getnewlog' })
    reconnected.say(emptyPage('getnewlog'))
    // Changed temperature and mask settings of the company also reach the terminal at once.
    const prevention = await http.call('company/prevention', {}, company)
    await http.call('company/prevention/update', { ...prevention, mask_detection: 2, mask_alarm: 1 }, company)
    expect(await reconnected.hear({ cmd: 'setdevinfo' })).toMatchObject({
      devinfo: { mask_detection: 2, mask_alarm: 1 },
    })
  })

  test('gets the employee ID to enrol, if it supports enrolment', async () => {
    const { id, workno } = await addPerson()
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    await waitForUserList(sn)
    const form = { serialNumber: sn, employee: id, kind: 'finger' as const, sign: 1 as const }
    const { command } = await http.call('device/enroll', form, company)
    expect(await terminal.hear({ cmd: 'adduser' })).toMatchObject({ enrollid: Number(workno), backupnum: 1, admin: 0 })
    await untilState(sn, command, { state: 'sent', subject: 'Ada L', backupnum: 1 })
    const oldTerminal = await addTerminal()
    await connectSettled(oldTerminal, { modelname: 'tfs30', firmware: 'th600w v6.1', usednewlog: 0 })
    await waitForUserList(oldTerminal)
    const unsupported = await http.call('device/enroll', { ...form, serialNumber: oldTerminal }, company)
    await untilState(oldTerminal, unsupported.command, {
      state: 'failed',
      result: 'unsupported',
      attempts: 0,
      canRetry: false,
    })
    expect(await http.ask('device/enroll', { ...form, employee: 'a'.repeat(16) }, company)).toMatchObject({
      code: 60004,
      fields: { employee: 60004 },
    })
  })

  test('that has not listed its users gets a request for the stored template before an enrolment', async () => {
    const { id, workno } = await addPerson()
    const sn = await addTerminal()
    await http.call('device/enroll', { serialNumber: sn, employee: id, kind: 'finger' }, company)
    const requests = (await listCommands(sn)).filter(({ cmd }) => cmd === 'getuserinfo')
    expect(requests).toMatchObject([{ state: 'queued', canCancel: false }])
    const terminal = await connectSettled(sn)
    const slot = { enrollid: Number(workno), backupnum: 0 }
    expect(await terminal.hear({ cmd: 'getuserinfo' })).toMatchObject(slot)
    expect(terminal.unheard.filter(({ cmd }) => cmd === 'adduser')).toEqual([])
    terminal.say({ ret: 'getuserinfo', result: false, reason: 5 })
    expect(await terminal.hear({ cmd: 'adduser' })).toMatchObject(slot)
  })

  test.each([
    ['reports it', { result: false, reason: 5 }],
    ['answers without data', { result: true }],
    ['answers without a record', { result: true, enrollid: 0, record: null }],
    ['answers with a single digit', { result: true, enrollid: 0, backupnum: 0, record: '0' }],
  ])('that has no enrolled template and %s ends the enrolment', async (_, answer) => {
    const { id } = await addPerson()
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    await waitForUserList(sn)
    await http.call('device/enroll', { serialNumber: sn, employee: id, kind: 'finger' }, company)
    for (const cmd of ['adduser', 'checkregstatus']) {
      await terminal.hear({ cmd })
      terminal.say({ ret: cmd, result: true })
    }
    await terminal.hear({ cmd: 'getuserinfo' })
    terminal.say({ ret: 'getuserinfo', ...answer })
    await eventually(
      () => listCommands(sn),
      commands =>
        expect(commands.find(({ cmd }) => cmd === 'getuserinfo')).toMatchObject({
          ...{ state: 'failed', result: 'refused', reason: '5', attempts: 1 },
        }),
    )
  })

  test('is reset after it has delivered all records, and the audit log names the author', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn, { ...currentInfo, useduser: 7, usedlog: 3 })
    const { command } = await http.call('device/reset', { serialNumber: sn }, company)
    await terminal.hear({ cmd: 'getalllog', stn: true })
    terminal.say(emptyPage('getalllog'))
    // Punches made during the delivery are requested last.
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    await untilState(sn, command, { cmd: 'initsys', state: 'queued' })
    terminal.say(emptyPage('getnewlog'))
    expect(await terminal.hear({ cmd: 'initsys' })).toEqual({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, command, { state: 'done' })
    expect(await http.call('device/get', { serialNumber: sn }, company)).toMatchObject({
      users: 0,
      records: 0,
      unsent: 0,
    })
    const { list: entries } = await http.call('audit/grid', { size: 200 }, company)
    expect(entries.flatMap(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({ noun: 'device', id: sn, fields: expect.objectContaining({ reset: { after: true } }) }),
    )
  })

  test('is not reset while it reports undelivered records, even after an empty page for the last days', async () => {
    const sn = await addTerminal()
    const terminal = await connect(sn, { ...currentInfo, usednewlog: 30 })
    await terminal.hear({ cmd: 'getnewlog' })
    const { command } = await http.call('device/reset', { serialNumber: sn }, company)
    terminal.say({ ret: 'getnewlog', result: false, reason: 1 })
    await terminal.hear({ cmd: 'getalllog' })
    terminal.say(emptyPage('getalllog'))
    // The terminal repeats the same page instead of the next page.
    const page = { ...emptyPage('getnewlog'), count: 1, record: [punch('1', `${today()} 00:00:05`)] }
    for (const stn of [true, false]) {
      await terminal.hear({ cmd: 'getnewlog', stn })
      terminal.say(page)
    }
    await untilState(sn, command, { cmd: 'initsys', state: 'failed', result: 'unmet', reason: '30', attempts: 0 })
    expect(terminal.unheard).toEqual([])
  })

  test('is not reset while a page of new records may be lost with the connection', async () => {
    const sn = await addTerminal()
    const first = await connectSettled(sn)
    const { command } = await http.call('device/reset', { serialNumber: sn }, company)
    await first.hear({ cmd: 'getalllog', stn: true })
    first.say(emptyPage('getalllog'))
    await first.hear({ cmd: 'getnewlog', stn: true })
    // The last page is lost with the connection.
    first.close()
    const terminal = await connect(sn)
    for (let n = 0; n < 2; n++) {
      await terminal.hear({ cmd: 'getnewlog', stn: true })
      terminal.say(emptyPage('getnewlog'))
    }
    // The server requests new records first.
    await wait(2100)
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ cmd: 'getalllog', stn: true })
    await untilState(sn, command, { cmd: 'initsys', state: 'queued', attempts: 0 })
    terminal.say(emptyPage('getalllog'))
    await terminal.hear({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, command, { state: 'done' })
  })

  test('is reset once, even after repeated and forced requests', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const first = await http.call('device/reset', { serialNumber: sn }, company)
    await terminal.hear({ cmd: 'getalllog', stn: true })
    const second = await http.call('device/reset', { serialNumber: sn, isForced: true }, company)
    await untilState(sn, first.command, { cmd: 'initsys', state: 'cancelled' })
    terminal.say(emptyPage('getalllog'))
    await untilState(sn, first.command, { state: 'cancelled' })
    for (const cmd of ['getnewlog', 'getalllog', 'getnewlog']) {
      await terminal.hear({ cmd, stn: true })
      terminal.say(emptyPage(cmd))
    }
    await terminal.hear({ cmd: 'initsys' })
    // Another request returns the running reset, and does not start a second one.
    expect(await http.call('device/reset', { serialNumber: sn }, company)).toEqual(second)
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, second.command, { state: 'done' })
    expect(
      (await listCommands(sn)).filter(({ cmd, state }) => cmd === 'initsys' && state !== 'cancelled'),
    ).toHaveLength(1)
  })

  test('is not reset when it repeats one of many pages', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const { command } = await http.call('device/reset', { serialNumber: sn }, company)
    const page = { ret: 'getalllog', result: true, count: 150, from: 0, to: 49 }
    await terminal.hear({ cmd: 'getalllog', stn: true })
    terminal.say({ ...page, frame: 1, record: [punch('1', `${today()} 00:00:05`)] })
    await terminal.hear({ cmd: 'getalllog', stn: false })
    terminal.say({ ...page, frame: 2, record: [punch('1', `${today()} 00:00:05`)] })
    await eventually(
      () => listCommands(sn),
      commands => expect(commands.find(({ cmd }) => cmd === 'getalllog')).toMatchObject({ state: 'queued' }),
    )
    expect((await listCommands(sn)).find(({ id }) => id === command)).toMatchObject({ state: 'queued', attempts: 0 })
    expect(terminal.unheard).toEqual([])
  })

  test('is not reset when it refuses to deliver, unless the reset is forced', async () => {
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const resetRefusing = async (isForced: boolean) => {
      const { command } = await http.call('device/reset', { serialNumber: sn, isForced }, company)
      await terminal.hear({ cmd: 'getalllog', stn: true })
      terminal.say({ ret: 'getalllog', result: false, reason: 1 })
      if (isForced) {
        await terminal.hear({ cmd: 'getnewlog', stn: true })
        terminal.say(emptyPage('getnewlog'))
      }
      return command
    }
    const first = await resetRefusing(false)
    const delivery = (await listCommands(sn)).find(({ cmd }) => cmd === 'getalllog')
    // The server would repeat the refused request after the next registration. The test cancels the request instead.
    await http.call('device/command/cancel', { serialNumber: sn, id: delivery?.id ?? '' }, company)
    await http.call('device/poll', { serialNumber: sn }, company)
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    terminal.say(emptyPage('getnewlog'))
    await untilState(sn, first, { state: 'failed', result: 'unmet', attempts: 0 })
    expect((await listCommands(sn)).find(({ cmd, result }) => cmd === 'getnewlog' && result === 'unmet')).toBeDefined()
    expect(terminal.unheard).toEqual([])
    // The server does not retry the reset alone. A new reset also requests the delivery again.
    expect((await listCommands(sn)).find(({ id }) => id === first)).toMatchObject({ canRetry: false })
    expect(await http.ask('device/command/retry', { serialNumber: sn, id: first }, company)).toMatchObject({
      code: 60005,
    })
    const second = await resetRefusing(true)
    await terminal.hear({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, second, { state: 'done' })
  })

  test('shows its latest records to its managers as they arrive', async () => {
    const { id, workno } = await addPerson()
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const record = [{ ...punch(workno, `${addDays(today(), -1)} 08:00:05`), temp: 36.6, mask: 1 }]
    terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const { list: records } = await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: sn } }, company),
      page => expect(page.list).toHaveLength(1),
    )
    expect(records).toMatchObject([
      { employee: id, first_name: 'Ada', workno, mode: 3, means: 'face', temperature: 36.6, mask: true },
    ])
    const rival = await register(http)
    expect(await http.call('device/log/grid', { filters: { serialNumber: sn } }, rival)).toEqual({ list: [] })
  })

  test('lists punches of orphan numbers and of employees together, in pages', async () => {
    const { id, workno } = await addPerson()
    const orphanNumber = String(people++)
    const sn = await addTerminal()
    const terminal = await connectSettled(sn)
    const record = [1, 2, 3, 4].map(second =>
      punch(second % 2 === 1 ? workno : orphanNumber, `${addDays(today(), -1)} 08:00:0${second}`),
    )
    terminal.say({ cmd: 'sendlog', count: 4, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const readPage = (size: number, readPage?: string) =>
      http.call('device/log/grid', { filters: { serialNumber: sn }, size, page: readPage }, company)
    const complete = await eventually(
      () => readPage(50),
      page => expect(page.list).toHaveLength(4),
    )
    expect(complete.list.map(({ employee, workno }) => employee ?? workno)).toEqual([
      orphanNumber,
      id,
      orphanNumber,
      id,
    ])
    expect(complete.list[0]).toMatchObject({ first_name: '', mode: 3, means: 'face' })
    const first = await readPage(1)
    const second = await readPage(1, first.next)
    expect([...first.list, ...second.list]).toEqual(complete.list)

    // A punch with the same number at another terminal appears only in the list of that terminal.
    const other = await addTerminal()
    const otherTerminal = await connectSettled(other)
    otherTerminal.say({
      cmd: 'sendlog',
      count: 1,
      logindex: 1,
      record: [punch(orphanNumber, `${addDays(today(), -1)} 08:00:05`)],
    })
    await otherTerminal.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: other } }, company),
      page => expect(page.list.map(({ workno }) => workno)).toEqual([orphanNumber]),
    )
    expect((await readPage(50)).list).toEqual(complete.list)
    const { list: numbers } = await http.call('record/orphan/grid', {}, company)
    expect(numbers.find(({ workno }) => workno === orphanNumber)).toMatchObject({ serialNumber: other, alsoAt: [sn] })
  })

  test('with other hardware waits for approval, and then starts without the old state', async () => {
    const sn = await addTerminal()
    const first = await connectSettled(sn, { ...currentInfo, useduser: 7 })
    first.close()
    const newHardware = await openSocket(http.address)
    sockets.push(newHardware)
    const registration = { cmd: 'reg', sn, cpusn: 'another', devinfo: { ...currentInfo, mac: 'AA-BB' } }
    newHardware.say(registration)
    expect(await newHardware.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    expect(await http.call('device/get', { serialNumber: sn }, company)).toMatchObject({
      state: 'needs approval',
      warnings: expect.arrayContaining(['unproven', 'otherHardware']),
      pending: { cpusn: 'another', mac: 'AA-BB', model: 'AiFace', at: expect.any(String), ip: expect.any(String) },
    })
    // The approval cancels the commands for the old hardware.
    const opened = await http.call('device/open', { serialNumber: sn }, company)
    const reset = await http.call('device/reset', { serialNumber: sn, isForced: true }, company)
    await http.call('device/approve', { serialNumber: sn }, company)
    for (const { command } of [opened, reset]) await untilState(sn, command, { state: 'cancelled' })
    const { pending, state, users } = await http.call('device/get', { serialNumber: sn }, company)
    expect([pending, state, users]).toEqual([undefined, 'bound', undefined])
    // The new hardware gets its settings again.
    const approved = await openSocket(http.address, { takesSettings: false })
    sockets.push(approved)
    approved.say(registration)
    await approved.hear({ ret: 'reg', result: true })
    await approved.hear({ cmd: 'setdevinfo' })
  })
})

describe('quarantined records', () => {
  test('of one terminal are all deleted, and the quarantined records of another terminal stay', async () => {
    const [ownSn, otherSn] = [await addTerminal(), await addTerminal()]
    const listQuarantined = async (serialNumber: string) =>
      (await http.call('device/quarantine', { filters: { serialNumber }, size: 200 }, company)).list
    for (const sn of [ownSn, otherSn]) {
      const terminal = await connectSettled(sn)
      // More records than one transaction holds.
      const record = Array.from({ length: 120 }, (_, i) =>
        punch(4, `2035-01-01 08:0${i % 10}:${10 + Math.floor(i / 10)}`),
      )
      terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    expect(await listQuarantined(ownSn)).toEqual(
      expect.arrayContaining([expect.objectContaining({ deviceName: 'Gate' })]),
    )
    const before = await listQuarantined(otherSn)
    const rival = await register(http)
    expect(before).toHaveLength(120)
    expect(await http.ask('device/quarantine/delete', { serialNumber: ownSn }, rival)).toMatchObject({
      code: 60004,
      fields: { serialNumber: 60004 },
    })
    expect(await http.ask('device/quarantine/delete', {}, company)).toMatchObject({
      code: 10002,
      fields: { id: 10002 },
    })
    await http.call('device/quarantine/delete', { serialNumber: ownSn }, company)
    expect(await listQuarantined(ownSn)).toEqual([])
    expect(await listQuarantined(otherSn)).toEqual(before)
  })

  test('become punches when a replay can read them, and otherwise stay until a manager deletes them', async () => {
    const { id, workno } = await addPerson()
    const sn = await addTerminal({ timezone: 'Pacific/Pago_Pago' })
    const terminal = await connectSettled(sn)
    // In a few seconds, this time is no more than a day ahead.
    const soon = Math.floor(Date.now() / 1000) * 1000 + 24 * 3_600_000 + 6000
    const ahead = new Date(soon).toLocaleString('sv', { timeZone: 'Pacific/Pago_Pago' })
    const record = [punch(workno, ahead.replace('T', ' ')), 'rubbish']
    terminal.say({ cmd: 'sendlog', count: 2, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const listQuarantined = async () =>
      (await http.call('device/quarantine', { size: 200 }, company)).list.filter(
        ({ serialNumber }) => serialNumber === sn,
      )
    const quarantined = await listQuarantined()
    expect(quarantined.map(({ reason }) => reason).sort()).toEqual(['bad record', 'in the future'])
    const early = quarantined.find(({ reason }) => reason === 'in the future')?.id ?? ''
    const rubbish = quarantined.find(({ reason }) => reason === 'bad record')?.id ?? ''
    expect(await http.call('device/quarantine/replay', { id: early }, company)).toEqual({ filed: 0, left: 1 })
    expect(await listQuarantined()).toHaveLength(2)
    const { version, name, department, authentication } = await http.call('device/get', { serialNumber: sn }, company)
    const moved = { serialNumber: sn, version, name, department, authentication, timezone: 'Pacific/Kiritimati' }
    await http.call('device/update', moved, company)
    await eventually(
      () => http.call('device/quarantine/replay', { id: early }, company),
      result => expect(result).toEqual({ filed: 1, left: 0 }),
    )
    // The replay uses the clock of the original delivery.
    await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: sn } }, company),
      page => expect(page.list).toMatchObject([{ employee: id, at: new Date(soon).toISOString() }]),
    )
    expect(await http.call('device/quarantine/replay', { id: rubbish }, company)).toEqual({ filed: 0, left: 1 })
    const rival = await register(http)
    for (const path of ['device/quarantine/replay', 'device/quarantine/delete'] as const)
      expect(await http.ask(path, { id: rubbish }, rival)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    await http.call('device/quarantine/delete', { id: rubbish }, company)
    expect(await listQuarantined()).toEqual([])
    expect(await http.ask('device/quarantine/replay', { id: early }, company)).toMatchObject({ code: 60004 })
  })
})
