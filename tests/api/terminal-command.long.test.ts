import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// What people have a terminal do, as the terminal and they see it.

const http = client(inject('address'))
let mine: Registered
const sockets: Socket[] = []
let people = 500

beforeAll(async () => {
  mine = await register(http)
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

const newSerialNumber = () => `Q${randomBytes(6).toString('hex').toUpperCase()}`
const add = async (form: Partial<PathCall<'device/add'>> = {}) => {
  const serialNumber = newSerialNumber()
  const device = { serialNumber, name: 'Gate', department: mine.department, authentication: 'claim' as const, ...form }
  await http.call('device/add', device, mine)
  return serialNumber
}
const newest = { modelname: 'AiFace', firmware: 'ai518_f43h_v1.27', usednewlog: 0 }
const connect = async (sn: string, devinfo: object = newest, takesSettings = true) => {
  const socket = await openSocket(http.address, { takesSettings })
  sockets.push(socket)
  socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  return socket
}
const empty = (ret: string) => ({ ret, result: true, count: 0, from: 0, to: 0, record: [] })
/** A terminal that is there and has nothing left to deliver. */
const settled = async (sn: string, devinfo: object = newest) => {
  const socket = await connect(sn, devinfo)
  await socket.hear({ cmd: 'getnewlog' })
  socket.say(empty('getnewlog'))
  await eventually(
    () => http.call('device/get', { serialNumber: sn }, mine),
    ({ unsent }) => expect(unsent).toBe(0),
  )
  return socket
}
/** Whom it holds it has told. */
const hasListed = (sn: string) =>
  eventually(
    () => http.call('device/command/grid', { filters: { serialNumber: sn } }, mine),
    ({ list }) => expect(list).toContainEqual(expect.objectContaining({ cmd: 'getuserlist', state: 'done' })),
  )
const addPerson = async () => {
  const form = { first_name: 'Ada', last_name: 'L', workno: String(people++), department: mine.department }
  return { ...(await http.call('employee/add', form, mine)), ...form }
}
const list = async (serialNumber: string) =>
  (await http.call('device/command/grid', { filters: { serialNumber } }, mine)).list
const untilState = (serialNumber: string, id: string, fields: object) =>
  eventually(
    () => list(serialNumber),
    found => expect(found.find(command => command.id === id)).toMatchObject(fields),
  )
const punch = (enrollid: number | string, time: string) => ({ enrollid, time, mode: 3, inout: 0, event: 0 })
const today = () => new Date().toLocaleDateString('sv', { timeZone: 'Europe/Athens' })

describe('the queue of a terminal', () => {
  test('shows what was asked of it, by whom, and what became of it', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const { command } = await http.call('device/open', { serialNumber: sn, door: 2 }, mine)
    const ofKind = async (kind: 'people' | 'records' | 'care') =>
      (await http.call('device/command/grid', { filters: { serialNumber: sn, kind } }, mine)).list.map(({ cmd }) => cmd)
    expect(await ofKind('care')).toContain('opendoor')
    expect(await ofKind('people')).not.toContain('opendoor')
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

  test('keeps what was refused, in the words of the terminal, and does it again for who asks again', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const { command } = await http.call('device/open', { serialNumber: sn }, mine)
    expect(await terminal.hear({ cmd: 'opendoor' })).toEqual({ cmd: 'opendoor' })
    terminal.say({ ret: 'opendoor', result: false, reason: 3 })
    await untilState(sn, command, { state: 'failed', result: 'refused', reason: '3', canRetry: true })
    const again = await http.call('device/command/retry', { serialNumber: sn, id: command }, mine)
    await terminal.hear({ cmd: 'opendoor' })
    terminal.say({ ret: 'opendoor', result: true })
    await untilState(sn, again.command, { state: 'done' })
    await untilState(sn, command, { state: 'failed' })
    expect(await http.ask('device/command/retry', { serialNumber: sn, id: again.command }, mine)).toMatchObject({
      code: 60005,
      fields: { id: 60005 },
    })
  })

  test('lets go of what was not sent, and of nothing else', async () => {
    const sn = await add()
    const { command } = await http.call('device/poll', { serialNumber: sn }, mine)
    await untilState(sn, command, { state: 'queued', canCancel: true })
    await http.call('device/command/cancel', { serialNumber: sn, id: command }, mine)
    await untilState(sn, command, { state: 'cancelled', result: 'cancelled', attempts: 0 })
    expect(await http.ask('device/command/cancel', { serialNumber: sn, id: command }, mine)).toMatchObject({
      code: 60004,
      fields: { id: 60004 },
    })
    const terminal = await settled(sn)
    const sent = await http.call('device/open', { serialNumber: sn }, mine)
    await terminal.hear({ cmd: 'opendoor' })
    expect(await http.ask('device/command/cancel', { serialNumber: sn, id: sent.command }, mine)).toMatchObject({
      code: 60006,
    })
  })

  test('is told page by page, the newest first, what is over among what is not', async () => {
    const sn = await add()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await http.call('device/poll', { serialNumber: sn }, mine)).command)
    for (const id of [ids[1], ids[3]])
      await http.call('device/command/cancel', { serialNumber: sn, id: id ?? '' }, mine)
    const found: string[] = []
    let page: string | undefined
    do {
      const input = { filters: { serialNumber: sn }, size: 2, ...(page && { page }) }
      const answer = await http.call('device/command/grid', input, mine)
      found.push(...answer.list.map(({ id }) => id))
      page = answer.next
    } while (page)
    expect(found).toEqual(ids.toReversed())
  })

  test('is nobody else’s to look at or to add to', async () => {
    const sn = await add()
    const { command } = await http.call('device/poll', { serialNumber: sn }, mine)
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

  test('names nobody to who manages the terminal and not them', async () => {
    const { id: below } = await http.call('department/add', { name: newSerialNumber(), parent: mine.department }, mine)
    const form = { first_name: 'Bela', last_name: 'Below', workno: String(people++), department: below }
    await http.call('employee/add', form, mine)
    const { id: roleId } = await http.call(
      'role/add',
      { name: newSerialNumber(), permissions: [2], departments: [mine.department] },
      mine,
    )
    const post = { first_name: 'M', last_name: 'M', workno: String(people++), department: mine.department }
    const manager = await invite(http, mine, { ...post, role: 2, roleId })
    const sn = await add()
    await settled(sn)
    const subjects = async (who: { token: string }) => {
      const input = { filters: { serialNumber: sn, kind: 'people' as const }, size: 200 }
      return (await http.call('device/command/grid', input, who)).list.map(({ subject }) => subject)
    }
    await eventually(
      () => subjects(mine),
      found => expect(found).toEqual(expect.arrayContaining(['Bela Below', 'M M'])),
    )
    const seen = await subjects(manager)
    expect(seen).toContain('M M')
    expect(seen).not.toContain('Bela Below')
  })
})

describe('a terminal', () => {
  test('that starts anew says nothing to it, and comes back', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const { command } = await http.call('device/reboot', { serialNumber: sn }, mine)
    await terminal.hear({ cmd: 'reboot' })
    await untilState(sn, command, { state: 'done', result: 'ok', attempts: 1 })
    terminal.close()
    const back = await settled(sn)
    expect(back.unheard).toEqual([])
  })

  test('is asked for its new records, and for those of some days, by whoever wants them', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const polled = await http.call('device/poll', { serialNumber: sn }, mine)
    expect(await terminal.hear({ cmd: 'getnewlog' })).toEqual({ cmd: 'getnewlog', stn: true })
    terminal.say({ ret: 'getnewlog', result: true, count: 1, record: [punch(77, `${today()} 00:00:01`)] })
    await terminal.hear({ cmd: 'getnewlog', stn: false })
    await untilState(sn, polled.command, { state: 'sent' })
    terminal.say(empty('getnewlog'))
    await untilState(sn, polled.command, { state: 'done' })
    expect(await http.ask('device/reconcile', { serialNumber: sn, from: '2099-01-01' }, mine)).toMatchObject({
      code: 10002,
      fields: { from: 10002 },
    })
    const reconciled = await http.call('device/reconcile', { serialNumber: sn, from: '2026-01-31' }, mine)
    expect(await terminal.hear({ cmd: 'getalllog' })).toEqual({
      ...{ cmd: 'getalllog', stn: true, from: '2026-01-31' },
      to: today(),
    })
    terminal.say({ ret: 'getalllog', result: true, count: 1, record: [punch(78, '2026-01-31 08:00:00')] })
    await terminal.hear({ cmd: 'getalllog', stn: false })
    terminal.say(empty('getalllog'))
    await untilState(sn, reconciled.command, { state: 'done' })
    await eventually(
      async () => (await http.call('record/orphan/grid', {}, mine)).list.map(({ workno }) => workno),
      numbers => expect(numbers).toEqual(expect.arrayContaining(['77', '78'])),
    )
  })

  test('is set as somebody says at once where it is there, and with its next registration where it is not', async () => {
    // Where nobody works whom it would have to know.
    const { id: department } = await http.call(
      'department/add',
      { name: `Empty ${Date.now()}`, parent: mine.department },
      mine,
    )
    const sn = await add({ department })
    const terminal = await connect(sn, newest, false)
    const hear = async () => (await terminal.hear({ cmd: 'setdevinfo' })).devinfo
    expect(await hear()).toMatchObject({ volume: 6, language: 0 })
    terminal.say({ ret: 'setdevinfo', result: true })
    await terminal.hear({ cmd: 'getnewlog' })
    terminal.say(empty('getnewlog'))
    await terminal.hear({ cmd: 'getuserlist' })
    terminal.say(empty('getuserlist'))
    const set = async (voice: number, language: number) => {
      const { version, name, department, authentication } = await http.call('device/get', { serialNumber: sn }, mine)
      const form = { serialNumber: sn, version, name, department, authentication, voice, language }
      await http.call('device/update', form, mine)
    }
    await set(5, 2)
    expect(await hear()).toMatchObject({ volume: 10, language: 9 })
    const id = (await list(sn)).find(({ cmd }) => cmd === 'setdevinfo')?.id ?? ''
    await untilState(sn, id, { cmd: 'setdevinfo', state: 'sent', by: expect.any(String) })
    terminal.say({ ret: 'setdevinfo', result: true })
    await untilState(sn, id, { state: 'done' })
    expect((await http.call('device/get', { serialNumber: sn }, mine)).warnings).toEqual(['unproven'])
    terminal.close()
    await eventually(
      () => http.call('device/get', { serialNumber: sn }, mine),
      ({ online }) => expect(online).toBe(false),
    )
    await set(0, 4)
    const back = await connect(sn, newest, false)
    expect(await back.hear({ cmd: 'setdevinfo' })).toMatchObject({ devinfo: { volume: 0, language: 11 } })
    back.say({ ret: 'setdevinfo', result: true })
    await back.hear({ cmd: 'getnewlog' })
    back.say(empty('getnewlog'))
    // What the company asks of all that measure is told them at once, too.
    const prevention = await http.call('company/prevention', {}, mine)
    await http.call('company/prevention/update', { ...prevention, mask_detection: 2, mask_alarm: 1 }, mine)
    expect(await back.hear({ cmd: 'setdevinfo' })).toMatchObject({ devinfo: { mask_detection: 2, mask_alarm: 1 } })
  })

  test('is told whom to register, by the number they have, where it can', async () => {
    const { id, workno } = await addPerson()
    const sn = await add()
    const terminal = await settled(sn)
    await hasListed(sn)
    const form = { serialNumber: sn, employee: id, kind: 'finger' as const, sign: 1 as const }
    const { command } = await http.call('device/enroll', form, mine)
    expect(await terminal.hear({ cmd: 'adduser' })).toMatchObject({ enrollid: Number(workno), backupnum: 1, admin: 0 })
    await untilState(sn, command, { state: 'sent', subject: 'Ada L', backupnum: 1 })
    const old = await add()
    await settled(old, { modelname: 'tfs30', firmware: 'th600w v6.1', usednewlog: 0 })
    await hasListed(old)
    const cannot = await http.call('device/enroll', { ...form, serialNumber: old }, mine)
    await untilState(old, cannot.command, { state: 'failed', result: 'unsupported', attempts: 0, canRetry: false })
    expect(await http.ask('device/enroll', { ...form, employee: 'a'.repeat(16) }, mine)).toMatchObject({
      code: 60004,
      fields: { employee: 60004 },
    })
  })

  test('is asked what is in the place before somebody registers there, where it has not told yet whom it holds', async () => {
    const { id, workno } = await addPerson()
    const sn = await add()
    await http.call('device/enroll', { serialNumber: sn, employee: id, kind: 'finger' }, mine)
    const looks = (await list(sn)).filter(({ cmd }) => cmd === 'getuserinfo')
    expect(looks).toMatchObject([{ state: 'queued', canCancel: false }])
    const terminal = await settled(sn)
    const place = { enrollid: Number(workno), backupnum: 0 }
    expect(await terminal.hear({ cmd: 'getuserinfo' })).toMatchObject(place)
    expect(terminal.unheard.filter(({ cmd }) => cmd === 'adduser')).toEqual([])
    terminal.say({ ret: 'getuserinfo', result: false, reason: 5 })
    expect(await terminal.hear({ cmd: 'adduser' })).toMatchObject(place)
  })

  test.each([
    ['says so', { result: false, reason: 5 }],
    ['tells nothing of it', { result: true }],
    ['says so without a record', { result: true, enrollid: 0, record: null }],
    ['puts a single digit there', { result: true, enrollid: 0, backupnum: 0, record: '0' }],
  ])('that has none of what it was to register and %s is waited for no longer', async (_, answer) => {
    const { id } = await addPerson()
    const sn = await add()
    const terminal = await settled(sn)
    await hasListed(sn)
    await http.call('device/enroll', { serialNumber: sn, employee: id, kind: 'finger' }, mine)
    for (const cmd of ['adduser', 'checkregstatus']) {
      await terminal.hear({ cmd })
      terminal.say({ ret: cmd, result: true })
    }
    await terminal.hear({ cmd: 'getuserinfo' })
    terminal.say({ ret: 'getuserinfo', ...answer })
    await eventually(
      () => list(sn),
      found =>
        expect(found.find(({ cmd }) => cmd === 'getuserinfo')).toMatchObject({
          ...{ state: 'failed', result: 'refused', reason: '5', attempts: 1 },
        }),
    )
  })

  test('is emptied when it has delivered everything, and the audit knows who wanted it', async () => {
    const sn = await add()
    const terminal = await settled(sn, { ...newest, useduser: 7, usedlog: 3 })
    const { command } = await http.call('device/reset', { serialNumber: sn }, mine)
    await terminal.hear({ cmd: 'getalllog', stn: true })
    terminal.say(empty('getalllog'))
    // What was punched while it told all of that is asked for last.
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    await untilState(sn, command, { cmd: 'initsys', state: 'queued' })
    terminal.say(empty('getnewlog'))
    expect(await terminal.hear({ cmd: 'initsys' })).toEqual({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, command, { state: 'done' })
    expect(await http.call('device/get', { serialNumber: sn }, mine)).toMatchObject({ users: 0, records: 0, unsent: 0 })
    const { list: entries } = await http.call('audit/grid', { size: 200 }, mine)
    expect(entries.flatMap(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({ noun: 'device', id: sn, fields: expect.objectContaining({ reset: { after: true } }) }),
    )
  })

  test('is not emptied while it holds what it has not sent, whatever it answers of some days', async () => {
    const sn = await add()
    const terminal = await connect(sn, { ...newest, usednewlog: 30 })
    await terminal.hear({ cmd: 'getnewlog' })
    const { command } = await http.call('device/reset', { serialNumber: sn }, mine)
    terminal.say({ ret: 'getnewlog', result: false, reason: 1 })
    await terminal.hear({ cmd: 'getalllog' })
    terminal.say(empty('getalllog'))
    // It gives the same page for ever.
    const page = { ...empty('getnewlog'), count: 1, record: [punch('1', `${today()} 00:00:05`)] }
    for (const stn of [true, false]) {
      await terminal.hear({ cmd: 'getnewlog', stn })
      terminal.say(page)
    }
    await untilState(sn, command, { cmd: 'initsys', state: 'failed', result: 'unmet', reason: '30', attempts: 0 })
    expect(terminal.unheard).toEqual([])
  })

  test('is not emptied while a page of its new records may be lost with the line', async () => {
    const sn = await add()
    const first = await settled(sn)
    const { command } = await http.call('device/reset', { serialNumber: sn }, mine)
    await first.hear({ cmd: 'getalllog', stn: true })
    first.say(empty('getalllog'))
    await first.hear({ cmd: 'getnewlog', stn: true })
    // What it said then nobody heard.
    first.close()
    const terminal = await connect(sn)
    for (let n = 0; n < 2; n++) {
      await terminal.hear({ cmd: 'getnewlog', stn: true })
      terminal.say(empty('getnewlog'))
    }
    // What is new comes first for a while.
    await wait(2100)
    terminal.say({ cmd: 'checklive' })
    await terminal.hear({ cmd: 'getalllog', stn: true })
    await untilState(sn, command, { cmd: 'initsys', state: 'queued', attempts: 0 })
    terminal.say(empty('getalllog'))
    await terminal.hear({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, command, { state: 'done' })
  })

  test('is emptied once, whoever asks for it again, also where they insist', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const first = await http.call('device/reset', { serialNumber: sn }, mine)
    await terminal.hear({ cmd: 'getalllog', stn: true })
    const second = await http.call('device/reset', { serialNumber: sn, isForced: true }, mine)
    await untilState(sn, first.command, { cmd: 'initsys', state: 'cancelled' })
    terminal.say(empty('getalllog'))
    await untilState(sn, first.command, { state: 'cancelled' })
    for (const cmd of ['getnewlog', 'getalllog', 'getnewlog']) {
      await terminal.hear({ cmd, stn: true })
      terminal.say(empty(cmd))
    }
    await terminal.hear({ cmd: 'initsys' })
    // While it does so nobody asks it anew.
    expect(await http.call('device/reset', { serialNumber: sn }, mine)).toEqual(second)
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, second.command, { state: 'done' })
    expect((await list(sn)).filter(({ cmd, state }) => cmd === 'initsys' && state !== 'cancelled')).toHaveLength(1)
  })

  test('is not emptied where it gives one page of many again and again', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const { command } = await http.call('device/reset', { serialNumber: sn }, mine)
    const page = { ret: 'getalllog', result: true, count: 150, from: 0, to: 49 }
    await terminal.hear({ cmd: 'getalllog', stn: true })
    terminal.say({ ...page, frame: 1, record: [punch('1', `${today()} 00:00:05`)] })
    await terminal.hear({ cmd: 'getalllog', stn: false })
    terminal.say({ ...page, frame: 2, record: [punch('1', `${today()} 00:00:05`)] })
    await eventually(
      () => list(sn),
      all => expect(all.find(({ cmd }) => cmd === 'getalllog')).toMatchObject({ state: 'queued' }),
    )
    expect((await list(sn)).find(({ id }) => id === command)).toMatchObject({ state: 'queued', attempts: 0 })
    expect(terminal.unheard).toEqual([])
  })

  test('is not emptied where it would not deliver, unless somebody insists', async () => {
    const sn = await add()
    const terminal = await settled(sn)
    const refuse = async (isForced: boolean) => {
      const { command } = await http.call('device/reset', { serialNumber: sn, isForced }, mine)
      await terminal.hear({ cmd: 'getalllog', stn: true })
      terminal.say({ ret: 'getalllog', result: false, reason: 1 })
      if (isForced) {
        await terminal.hear({ cmd: 'getnewlog', stn: true })
        terminal.say(empty('getnewlog'))
      }
      return command
    }
    const first = await refuse(false)
    const asked = (await list(sn)).find(({ cmd }) => cmd === 'getalllog')
    // It may have been busy, and is asked again when it has registered anew; nobody waits for that.
    await http.call('device/command/cancel', { serialNumber: sn, id: asked?.id ?? '' }, mine)
    await http.call('device/poll', { serialNumber: sn }, mine)
    await terminal.hear({ cmd: 'getnewlog', stn: true })
    terminal.say(empty('getnewlog'))
    await untilState(sn, first, { state: 'failed', result: 'unmet', attempts: 0 })
    expect((await list(sn)).find(({ cmd, result }) => cmd === 'getnewlog' && result === 'unmet')).toBeDefined()
    expect(terminal.unheard).toEqual([])
    // Nor by trying that alone once more: what it would deliver first is asked for again by another reset.
    expect((await list(sn)).find(({ id }) => id === first)).toMatchObject({ canRetry: false })
    expect(await http.ask('device/command/retry', { serialNumber: sn, id: first }, mine)).toMatchObject({ code: 60005 })
    const second = await refuse(true)
    await terminal.hear({ cmd: 'initsys' })
    terminal.say({ ret: 'initsys', result: true })
    await untilState(sn, second, { state: 'done' })
  })

  test('shows its last records to who manages it, as they come', async () => {
    const { id, workno } = await addPerson()
    const sn = await add()
    const terminal = await settled(sn)
    const record = [{ ...punch(workno, `${addDays(today(), -1)} 08:00:05`), temp: 36.6, mask: 1 }]
    terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const { list: log } = await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: sn } }, mine),
      found => expect(found.list).toHaveLength(1),
    )
    expect(log).toMatchObject([
      { employee: id, first_name: 'Ada', workno, mode: 3, means: 'face', temperature: 36.6, mask: true },
    ])
    const rival = await register(http)
    expect(await http.call('device/log/grid', { filters: { serialNumber: sn } }, rival)).toEqual({ list: [] })
  })

  test('shows what was punched with a number that is nobody’s among the rest, page by page', async () => {
    const { id, workno } = await addPerson()
    const nobodys = String(people++)
    const sn = await add()
    const terminal = await settled(sn)
    const record = [1, 2, 3, 4].map(second =>
      punch(second % 2 === 1 ? workno : nobodys, `${addDays(today(), -1)} 08:00:0${second}`),
    )
    terminal.say({ cmd: 'sendlog', count: 4, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const page = (size: number, page?: string) =>
      http.call('device/log/grid', { filters: { serialNumber: sn }, size, page }, mine)
    const whole = await eventually(
      () => page(50),
      found => expect(found.list).toHaveLength(4),
    )
    expect(whole.list.map(({ employee, workno }) => employee ?? workno)).toEqual([nobodys, id, nobodys, id])
    expect(whole.list[0]).toMatchObject({ first_name: '', mode: 3, means: 'face' })
    const first = await page(1)
    const second = await page(1, first.next)
    expect([...first.list, ...second.list]).toEqual(whole.list)

    // Where else it was punched it stands as well.
    const other = await add()
    const elsewhere = await settled(other)
    elsewhere.say({
      cmd: 'sendlog',
      count: 1,
      logindex: 1,
      record: [punch(nobodys, `${addDays(today(), -1)} 08:00:05`)],
    })
    await elsewhere.hear({ ret: 'sendlog', result: true })
    await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: other } }, mine),
      found => expect(found.list.map(({ workno }) => workno)).toEqual([nobodys]),
    )
    expect((await page(50)).list).toEqual(whole.list)
    const { list: numbers } = await http.call('record/orphan/grid', {}, mine)
    expect(numbers.find(({ workno }) => workno === nobodys)).toMatchObject({ serialNumber: other, alsoAt: [sn] })
  })

  test('with other hardware is shown to who may approve it, and is new then', async () => {
    const sn = await add()
    const first = await settled(sn, { ...newest, useduser: 7 })
    first.close()
    const other = await openSocket(http.address)
    sockets.push(other)
    const registration = { cmd: 'reg', sn, cpusn: 'another', devinfo: { ...newest, mac: 'AA-BB' } }
    other.say(registration)
    expect(await other.hear({ ret: 'reg' })).toMatchObject({ result: false, reason: 'needs approval' })
    expect(await http.call('device/get', { serialNumber: sn }, mine)).toMatchObject({
      state: 'needs approval',
      warnings: expect.arrayContaining(['unproven', 'otherHardware']),
      pending: { cpusn: 'another', mac: 'AA-BB', model: 'AiFace', at: expect.any(String), ip: expect.any(String) },
    })
    // Nor is it to do, once approved, what was meant for the other one.
    const opened = await http.call('device/open', { serialNumber: sn }, mine)
    const reset = await http.call('device/reset', { serialNumber: sn, isForced: true }, mine)
    await http.call('device/approve', { serialNumber: sn }, mine)
    for (const { command } of [opened, reset]) await untilState(sn, command, { state: 'cancelled' })
    const { pending, state, users } = await http.call('device/get', { serialNumber: sn }, mine)
    expect([pending, state, users]).toEqual([undefined, 'bound', undefined])
    // What the other one was set to it is not.
    const approved = await openSocket(http.address, { takesSettings: false })
    sockets.push(approved)
    approved.say(registration)
    await approved.hear({ ret: 'reg', result: true })
    await approved.hear({ cmd: 'setdevinfo' })
  })
})

describe('what nobody could file', () => {
  test('is thrown away for one terminal as a whole, and for no other', async () => {
    const [here, there] = [await add(), await add()]
    const held = async (serialNumber: string) =>
      (await http.call('device/quarantine', { filters: { serialNumber }, size: 200 }, mine)).list
    for (const sn of [here, there]) {
      const terminal = await settled(sn)
      // More than one save carries.
      const record = Array.from({ length: 120 }, (_, i) =>
        punch(4, `2035-01-01 08:0${i % 10}:${10 + Math.floor(i / 10)}`),
      )
      terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
      await terminal.hear({ ret: 'sendlog', result: true })
    }
    expect(await held(here)).toEqual(expect.arrayContaining([expect.objectContaining({ deviceName: 'Gate' })]))
    const before = await held(there)
    const rival = await register(http)
    expect(before).toHaveLength(120)
    expect(await http.ask('device/quarantine/delete', { serialNumber: here }, rival)).toMatchObject({
      code: 60004,
      fields: { serialNumber: 60004 },
    })
    expect(await http.ask('device/quarantine/delete', {}, mine)).toMatchObject({ code: 10002, fields: { id: 10002 } })
    await http.call('device/quarantine/delete', { serialNumber: here }, mine)
    expect(await held(here)).toEqual([])
    expect(await held(there)).toEqual(before)
  })

  test('is read again and becomes a punch once that is possible; else it stays, or is thrown away', async () => {
    const { id, workno } = await addPerson()
    const sn = await add({ timezone: 'Pacific/Pago_Pago' })
    const terminal = await settled(sn)
    // In a few seconds it will be no more than a day ahead.
    const soon = Math.floor(Date.now() / 1000) * 1000 + 24 * 3_600_000 + 6000
    const ahead = new Date(soon).toLocaleString('sv', { timeZone: 'Pacific/Pago_Pago' })
    const record = [punch(workno, ahead.replace('T', ' ')), 'rubbish']
    terminal.say({ cmd: 'sendlog', count: 2, logindex: 1, record })
    await terminal.hear({ ret: 'sendlog', result: true })
    const held = async () =>
      (await http.call('device/quarantine', { size: 200 }, mine)).list.filter(({ serialNumber }) => serialNumber === sn)
    const both = await held()
    expect(both.map(({ reason }) => reason).sort()).toEqual(['bad record', 'in the future'])
    const early = both.find(({ reason }) => reason === 'in the future')?.id ?? ''
    const rubbish = both.find(({ reason }) => reason === 'bad record')?.id ?? ''
    expect(await http.call('device/quarantine/replay', { id: early }, mine)).toEqual({ filed: 0, left: 1 })
    expect(await held()).toHaveLength(2)
    const { version, name, department, authentication } = await http.call('device/get', { serialNumber: sn }, mine)
    const moved = { serialNumber: sn, version, name, department, authentication, timezone: 'Pacific/Kiritimati' }
    await http.call('device/update', moved, mine)
    await eventually(
      () => http.call('device/quarantine/replay', { id: early }, mine),
      found => expect(found).toEqual({ filed: 1, left: 0 }),
    )
    // It is still read by the clock it was made by.
    await eventually(
      () => http.call('device/log/grid', { filters: { serialNumber: sn } }, mine),
      found => expect(found.list).toMatchObject([{ employee: id, at: new Date(soon).toISOString() }]),
    )
    expect(await http.call('device/quarantine/replay', { id: rubbish }, mine)).toEqual({ filed: 0, left: 1 })
    const rival = await register(http)
    for (const path of ['device/quarantine/replay', 'device/quarantine/delete'] as const)
      expect(await http.ask(path, { id: rubbish }, rival)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    await http.call('device/quarantine/delete', { id: rubbish }, mine)
    expect(await held()).toEqual([])
    expect(await http.ask('device/quarantine/replay', { id: early }, mine)).toMatchObject({ code: 60004 })
  })
})
