import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Mail } from '../../infra/local/gateway/outbox.ts'
import type { PathOutput } from '../../shared/api.ts'
import type { Fact } from '../../shared/fact.ts'
import { addDays } from '../../shared/local-day.ts'
import { noticePk, toldOf } from '../../shared/notice.ts'
import { type OvertimeRequest, requestKey } from '../../shared/request.ts'
import { client, eventually, invite, type Registered, register, type Signed, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone, mondayOf } from '../kit/evening.ts'
import { openSocket } from '../kit/socket.ts'
import { departments, idOf, openWorked } from '../kit/worked.ts'

// Notices: the recipients, their chosen channels, and no duplicates.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const dayAt = (offset: number) => addDays(today, offset)
const headers = { 'x-timezone': zone }

type Person = Signed & { id: string; email: string }
type Notice = PathOutput<'notice/grid'>['list'][number]

let company: Registered
let boss: Person
/** Flora manages the field, Otto manages the office, and Ann works in the field. */
let flora: Person
let otto: Person
let ann: Person

const noticesOf = async (signed: Signed): Promise<Notice[]> => (await http.call('notice/grid', {}, signed)).list
const kinds = (list: Notice[]) => list.map(({ kind, name }) => `${kind} ${name}`)
/** The notices about a request. */
const noticesAbout = async (signed: Signed, request: string) =>
  (await noticesOf(signed)).filter(notice => notice.request === request)
const expectNotices = (signed: Signed, request: string, ...expected: string[]) =>
  eventually(
    () => noticesAbout(signed, request),
    list => expect(kinds(list)).toEqual(expected),
  )
const mailsTo = async ({ email }: Person): Promise<Mail[]> => {
  const mails = (await (await fetch(`${http.address}/outbox?format=json`)).json()) as Mail[]
  return mails.filter(({ to, text }) => to === email && /\/(approve|request)\?/.test(text))
}
const mailsAbout = async (person: Person, request: string) =>
  (await mailsTo(person)).filter(({ text }) => text.includes(request))

let requestCount = 0
/** Requests overtime on a different day each time. */
const ask = async () =>
  (
    await http.call(
      'personal/request/overtime/add',
      { date: dayAt(30 + requestCount++), from: '19:00', to: '20:00' },
      ann,
    )
  ).id
const decide = (by: Signed, id: string, status: 1 | 2 | 3) =>
  http.call('approve/update', { requests: [{ employee: ann.id, id }], status }, by)
const choose = (signed: Signed, kind: Notice['kind'], isInApp: boolean, isByMail: boolean) =>
  http.call('notice/params/update', { list: [{ kind, isInApp, isByMail }] }, signed)

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers, id: company.owner, email: company.email }
  const addDepartment = async (name: string) =>
    (await http.call('department/add', { name, parent: company.department }, boss)).id
  const [field, office] = [await addDepartment('Field'), await addDepartment('Office')]
  const leader = async (first_name: string, workno: string, department: string) => {
    const person = { first_name, last_name: 'Lead', workno, department, role: 2, roleId: 'departmentleader' }
    return { ...(await invite(http, boss, person)), headers }
  }
  flora = await leader('Flora', '11', field)
  otto = await leader('Otto', '12', office)
  await http.call('personal/update', { first_name: 'Flora', last_name: 'Lead', language: 'es' }, flora)
  const email = `ann-${Math.random().toString(36).slice(2)}@example.com`
  const worker = { first_name: 'Ann', last_name: 'Work', workno: '20', department: field, email }
  const { id } = await http.call('employee/add', { ...worker, password: strongPassword }, boss)
  const { token } = await http.call('personal/login', {
    ...{ code: company.company_num, workno: '20', password: strongPassword },
  })
  ann = { id, token, email, headers }
})

describe('a notice about a request', () => {
  test('reaches only the people who may decide the request', async () => {
    const id = await ask()
    for (const recipient of [boss, flora]) {
      const [notice] = await expectNotices(recipient, id, 'request.asked Ann Work')
      expect(notice).toMatchObject({
        ...{ isUnread: true, type: 3, date: dayAt(30), toDate: dayAt(30), employee: ann.id, side: 'management' },
        address: `/approve?employee=${ann.id}&id=${id}`,
      })
      expect((await http.call('notice/count', {}, recipient)).count).toBeGreaterThan(0)
    }
    const [spanish] = await eventually(
      () => mailsAbout(flora, id),
      mails => expect(mails).toHaveLength(1),
    )
    expect(spanish?.subject).toBe(`Nueva solicitud de Ann Work: Horas extra, ${dayAt(30)}`)
    const [english] = await eventually(
      () => mailsAbout(boss, id),
      mails => expect(mails).toHaveLength(1),
    )
    expect(english?.subject).toBe(`Ann Work requested Overtime, ${dayAt(30)}`)
    expect(english?.text).toContain('Hello Olga')
    expect(english?.text).toContain('Hours: 1')
    for (const recipient of [otto, ann]) expect(await noticesAbout(recipient, id)).toEqual([])
  })

  test('names the leave type, and its mail the length, the note and the reason of the decision', async () => {
    const [date, toDate] = [mondayOf(dayAt(26)), addDays(mondayOf(dayAt(26)), 1)]
    const leave = { leaveType: 2, isAllDay: true, date, toDate, notes: 'A {{url}} operation' }
    const { id } = await http.call('personal/request/leave/add', leave, ann)
    const [asked] = await eventually(
      () => mailsAbout(boss, id),
      mails => expect(mails).toHaveLength(1),
    )
    expect(asked?.subject).toBe(`Ann Work requested Sick leave, ${date} – ${toDate}`)
    expect(asked?.text).toMatch(/\nDays: \d\nNote: A \{\{url\}\} operation\n/)
    const refusal = { requests: [{ employee: ann.id, id }], status: 2 as const, reason: 'Stocktaking' }
    await http.call('approve/update', refusal, flora)
    const [declined] = await eventually(
      () => mailsAbout(ann, id),
      mails => expect(mails).toHaveLength(1),
    )
    expect(declined?.subject).toMatch(/^Flora Lead declined: Sick leave/)
    expect(declined?.text).toContain('Reason: Stocktaking')
  })

  test('tells the requester the decision and marks the notices of the other managers as read', async () => {
    const id = await ask()
    await expectNotices(boss, id, 'request.asked Ann Work')
    await decide(flora, id, 1)
    const [notice] = await expectNotices(ann, id, 'request.decided Flora Lead')
    expect(notice).toMatchObject({ status: 1, side: 'user', address: `/request?id=${id}`, isUnread: true })
    await eventually(
      () => noticesAbout(boss, id),
      list => expect(list.map(({ isUnread }) => isUnread)).toEqual([false]),
    )
    const [mail] = await eventually(
      () => mailsAbout(ann, id),
      mails => expect(mails).toHaveLength(1),
    )
    expect(mail?.subject).toMatch(/^Flora Lead approved: Overtime/)
    await decide(boss, id, 3)
    await expectNotices(ann, id, 'request.decided Olga Owner', 'request.decided Flora Lead')
    const other = await ask()
    await decide(flora, other, 2)
    const [declined] = await expectNotices(ann, other, 'request.decided Flora Lead')
    expect(declined?.status).toBe(2)
  })

  test('tells the approvers about a cancellation', async () => {
    const id = await ask()
    await expectNotices(flora, id, 'request.asked Ann Work')
    await http.call('personal/request/cancel', { id }, ann)
    await expectNotices(flora, id, 'request.cancelled Ann Work', 'request.asked Ann Work')
    expect(await noticesAbout(ann, id)).toEqual([])
  })

  test('tells the approvers about the employee’s comment, and the employee about an approver’s comment', async () => {
    const id = await ask()
    await http.call('personal/request/comment/add', { id, text: 'It is the stocktaking' }, ann)
    await expectNotices(flora, id, 'request.commented Ann Work', 'request.asked Ann Work')
    await http.call('approve/comment/add', { employee: ann.id, id, text: 'Until when?' }, flora)
    await expectNotices(ann, id, 'request.commented Flora Lead')
    expect(kinds(await noticesAbout(flora, id))).toHaveLength(2)
  })

  test('reaches a deputy while the delegation lasts', { tags: 'long' }, async () => {
    const delegation = { employee: otto.id, from: today, to: today }
    await http.call('approve/delegate/update', delegation, boss)
    const id = await ask()
    await expectNotices(otto, id, 'request.asked Ann Work')
    await http.call('approve/delegate/delete', {}, boss)
    const after = await ask()
    await expectNotices(flora, after, 'request.asked Ann Work')
    expect(await noticesAbout(otto, after)).toEqual([])
  })
})

describe('notice settings', () => {
  test('contain every kind that concerns the person, with site and mail on by default', async () => {
    const requests = ['request.entered', 'request.decided', 'request.commented']
    const own = [...requests, 'punch.forgotten', 'correction.made', 'schedule.published']
    const { list, hasAddress } = await http.call('notice/params', {}, ann)
    expect(hasAddress).toBe(true)
    expect(list).toEqual(own.map(kind => ({ kind, isInApp: true, isByMail: true })))
    expect((await http.call('notice/params', {}, flora)).list).toHaveLength(11)
    const side = await http.call('personal/login/switch', {}, otto)
    expect((await http.call('notice/params', {}, side)).list).toHaveLength(11)
    otto.token = (await http.call('user/login/switch', {}, side)).token
  })

  test('let a user choose the site, mail, both or neither for each kind', async () => {
    await choose(boss, 'request.asked', true, false)
    await choose(flora, 'request.asked', false, true)
    await choose(ann, 'request.decided', false, false)
    const [first, second] = [await ask(), await ask()]
    await expectNotices(boss, second, 'request.asked Ann Work')
    await eventually(
      () => mailsAbout(flora, second),
      mails => expect(mails).toHaveLength(1),
    )
    const before = (await http.call('notice/count', {}, flora)).count
    await decide(flora, first, 1)
    await http.call('approve/comment/add', { employee: ann.id, id: first, text: 'Done' }, boss)
    await expectNotices(ann, first, 'request.commented Olga Owner')
    for (const id of [first, second]) {
      expect(await noticesAbout(flora, id)).toEqual([])
      expect(await mailsAbout(boss, id)).toEqual([])
    }
    expect((await http.call('notice/count', {}, flora)).count).toBe(before)
    expect((await http.call('notice/params', {}, flora)).list[0]).toEqual({
      ...{ kind: 'request.asked', isInApp: false, isByMail: true },
    })
    await Promise.all([choose(boss, 'request.asked', true, true), choose(boss, 'request.commented', true, true)])
    await choose(flora, 'request.asked', true, true)
    await choose(ann, 'request.decided', true, true)
  })
})

describe('a received notice', () => {
  test('can be marked as read only by its recipient, alone or together with all notices', async () => {
    const id = await ask()
    const [notice] = await expectNotices(boss, id, 'request.asked Ann Work')
    const [others] = await expectNotices(flora, id, 'request.asked Ann Work')
    const wrong = { ids: [notice?.id ?? '', `${others?.id}0`] }
    expect(await http.ask('notice/read', wrong, boss)).toMatchObject({ code: 60004, fields: { 'ids.1': 60004 } })
    const { count } = await http.call('notice/count', {}, boss)
    await http.call('notice/read', { ids: [notice?.id ?? ''] }, boss)
    expect((await http.call('notice/count', {}, boss)).count).toBe(count - 1)
    const unread = await http.call('notice/grid', { filters: { isUnread: true }, size: 200 }, boss)
    expect(unread.list).toHaveLength(count - 1)
    await http.call('notice/read', {}, boss)
    expect(await http.call('notice/count', {}, boss)).toEqual({ count: 0 })
    expect((await noticesAbout(flora, id))[0]?.isUnread).toBe(true)
  })

  test('is pushed at once, to its recipient only', async () => {
    const listen = async ({ token }: Signed) => {
      const socket = await openSocket(http.address)
      socket.say({ cmd: 'home.login', token: token ?? '' })
      expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
      return socket
    }
    const [annHears, ottoHears] = [await listen(ann), await listen(otto)]
    const heard = (socket: typeof annHears) => socket.unheard.flatMap(({ refresh }) => refresh as string[])
    const id = await ask()
    await decide(flora, id, 1)
    await eventually(
      async () => heard(annHears),
      list => expect(list).toContain('notice/'),
    )
    expect(heard(ottoHears)).not.toContain('notice/')
    for (const socket of [annHears, ottoHears]) socket.close()
  })
})

describe('a record with an impossible time', () => {
  const held = async (signed: Signed) => (await noticesOf(signed)).filter(({ kind }) => kind === 'record.held')
  const mails = async ({ email }: { email: string }, sn: string) => {
    const all = (await (await fetch(`${http.address}/outbox?format=json`)).json()) as Mail[]
    return all.filter(({ to, text }) => to === email && text.includes(`/device?sn=${sn}`))
  }

  test('notifies only the managers of its terminal, once a day', { tags: 'long' }, async () => {
    const department = (await http.call('department/add', { name: 'Yard', parent: company.department }, boss)).id
    const role = { name: `Terminals ${Date.now()}`, permissions: [2] }
    const keeper = async (first_name: string, workno: string, of: string) => {
      const { id: roleId } = await http.call('role/add', { ...role, name: role.name + workno, departments: [of] }, boss)
      const person = { first_name, last_name: 'Keeper', workno, department: of, role: 2, roleId }
      return { ...(await invite(http, boss, person)), headers }
    }
    const [yara, zoe] = [await keeper('Yara', '31', department), await keeper('Zoe', '32', company.department)]
    const sends = async (name: string) => {
      const serialNumber = `HELD${name.toUpperCase()}${Date.now()}`
      const device = { serialNumber, name, department }
      const { serverPath } = await http.call('device/add', device, boss)
      const terminal = await openSocket(http.address, { path: serverPath })
      terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
      expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
      let logindex = 0
      const send = async () => {
        const record = ['25:61:00', '25:62:00'].map(time => ({
          enrollid: 20,
          time: `${today} ${time}`,
          mode: logindex,
        }))
        terminal.say({ cmd: 'sendlog', count: 2, logindex: ++logindex, record })
        expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
      }
      return { serialNumber, send, close: () => terminal.close() }
    }
    const gate = await sends('Gate')
    await gate.send()
    for (const recipient of [boss, yara]) {
      const [notice] = await eventually(
        () => held(recipient),
        list => expect(list).toHaveLength(1),
      )
      expect(notice).toMatchObject({ name: 'Gate', date: today, side: 'management', isUnread: true })
      expect(notice?.address).toBe(`/device?sn=${gate.serialNumber}`)
      const [mail] = await eventually(
        () => mails(recipient, gate.serialNumber),
        list => expect(list).toHaveLength(1),
      )
      expect(mail?.subject).toBe(`Gate sent unreadable records on ${today}`)
    }
    await choose(yara, 'record.held', true, false)
    await gate.send()
    const barn = await sends('Barn')
    await barn.send()
    for (const recipient of [boss, yara])
      await eventually(
        async () => (await held(recipient)).map(({ name }) => name),
        names => expect(names).toEqual(['Barn', 'Gate']),
      )
    await eventually(
      () => mails(boss, barn.serialNumber),
      list => expect(list).toHaveLength(1),
    )
    expect(await mails(boss, gate.serialNumber)).toHaveLength(1)
    expect(await mails(yara, barn.serialNumber)).toEqual([])
    for (const recipient of [flora, zoe, ann]) expect(await held(recipient)).toEqual([])
    expect((await http.call('notice/params', {}, flora)).list.map(({ kind }) => kind)).not.toContain('record.held')
    for (const terminal of [gate, barn]) terminal.close()
  })
})

describe('a forgotten clock-out', () => {
  test('notifies the employee once, with a link to the correction', async () => {
    const early = { onDuty: '05:00', offDuty: '08:00', punchStart: '04:00', punchEnd: '10:00' }
    const { id: shift } = await http.call('shift/add', { name: 'Early', ...early }, boss)
    await http.call('schedule/add', { employees: [ann.id], days: [today], shift }, boss)
    const serialNumber = `NOTICE${Date.now()}`
    const device = { serialNumber, name: 'Gate', department: company.department }
    const { serverPath } = await http.call('device/add', device, boss)
    const terminal = await openSocket(http.address, { path: serverPath })
    terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
    expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
    const punch = (day: string) => ({ enrollid: 20, time: `${day} 05:00:00`, mode: 8, inout: 0, event: 0 })
    terminal.say({ cmd: 'sendlog', count: 1, logindex: 1, record: [punch(today)] })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    terminal.close()
    const forgotten = async () => (await noticesOf(ann)).filter(({ kind }) => kind === 'punch.forgotten')
    const [notice] = await eventually(forgotten, list => expect(list).toHaveLength(1))
    expect(notice).toMatchObject({
      ...{ date: today, side: 'user', isUnread: true },
      address: `/request?new=shift&date=${today}&inout=1&time=08%3A00`,
    })
    const [mail] = await eventually(
      async () => (await mailsTo(ann)).filter(({ text }) => text.includes('new=shift')),
      mails => expect(mails).toHaveLength(1),
    )
    expect(mail?.subject).toBe(`Clock-out missing on ${today}`)
    const correction = { date: today, time: '08:00', inout: 1 as const }
    const { id } = await http.call('personal/request/shift/add', correction, ann)
    await decide(flora, id, 1)
    await expectNotices(ann, id, 'request.decided Flora Lead')
    await decide(flora, id, 3)
    await expectNotices(ann, id, 'request.decided Flora Lead', 'request.decided Flora Lead')
    expect(await forgotten()).toHaveLength(1)
  })
})

describe('the notify job', () => {
  let worked: Awaited<ReturnType<typeof openWorked>>
  let notify: typeof import('../../events/notify.ts').handler
  beforeAll(async () => {
    worked = await openWorked()
    notify = (await import('../../events/notify.ts')).handler
  })
  afterAll(() => worked.world.close())

  const tell = (...facts: Fact[]) =>
    notify({
      Records: facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })),
    } as never)

  /** A company with one approver and one requester. */
  const open = async () => {
    const tenant = await worked.found(2)
    const { employeeKey, rareMembers } = await import('../../shared/employee.ts')
    const email = `boss-${Math.random()}@example.com`
    const boss = {
      ...{ id: idOf(0), first_name: 'B', last_name: 'O', workno: '100', role: 1 as const, email },
      department: departments[0],
    }
    await worked.save(
      tenant.table.put(employeeKey(boss.id), boss),
      ...rareMembers(boss).map(([key, member]) => tenant.table.put(key, member)),
    )
    const createdAt = new Date().toISOString()
    const request: OvertimeRequest = {
      ...{ id: `${today}-${'r'.repeat(16)}`, employee: idOf(1), type: 3, status: 0, day: today, toDay: today, zone },
      ...{ createdAt, steps: [], from: createdAt, to: createdAt },
    }
    await worked.save(tenant.table.put(requestKey(request), request))
    const fact: Fact = {
      type: 'request.changed',
      company: tenant.company,
      employee: idOf(1),
      id: request.id,
      status: 0,
    }
    const mails = () => worked.world.outbox.list().filter(({ to }) => to === email)
    const notices = () => tenant.table.all<{ mail?: string; isUnread: boolean }>({ pk: noticePk(idOf(0)) })
    return { tenant, request, fact, mails, notices }
  }

  test('stores and mails a notice once despite repeated concurrent events', { tags: 'long' }, async () => {
    const { fact, mails, notices } = await open()
    await Promise.all([tell(fact, fact), tell(fact), tell(fact)])
    await tell(fact)
    expect(await notices()).toMatchObject([{ kind: 'request.asked', mail: 'sent' }])
    expect(mails()).toHaveLength(1)
  })

  test('leaves no unread notice for a request decided meanwhile', { tags: 'long' }, async () => {
    for (let round = 0; round < 10; round++) {
      const { tenant, request, fact, notices } = await open()
      const step = { status: 1 as const, by: idOf(0), at: new Date().toISOString() }
      const decided = { ...request, status: 1 as const, steps: [step] }
      const decide = async () => {
        await worked.save(tenant.table.put(requestKey(decided), decided))
        await tell(fact)
      }
      await Promise.all([tell(fact), decide()])
      expect((await notices()).filter(({ isUnread }) => isUnread)).toEqual([])
    }
  })

  test('retries only the failed mail', { tags: 'long' }, async () => {
    const { fact, mails, notices } = await open()
    const { add } = worked.world.outbox
    worked.world.outbox.add = () => {
      throw new Error('The disk is full')
    }
    try {
      expect(await tell(fact)).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] })
    } finally {
      worked.world.outbox.add = add
    }
    expect(await notices()).toMatchObject([{ mail: 'due' }])
    expect(await tell(fact)).toEqual({ batchItemFailures: [] })
    expect(mails()).toHaveLength(1)
    expect(await notices()).toMatchObject([{ mail: 'sent' }])
  })

  test('ignores stale events and deleted requests', { tags: 'long' }, async () => {
    const { tenant, request, fact, notices } = await open()
    const old = { ...request, createdAt: new Date(Date.now() - 3 * 24 * 3600_000).toISOString() }
    await worked.save(tenant.table.put(requestKey(request), old))
    expect(await tell(fact)).toEqual({ batchItemFailures: [] })
    await worked.save(tenant.table.remove(requestKey(request)))
    expect(await tell(fact)).toEqual({ batchItemFailures: [] })
    expect(await notices()).toEqual([])
  })

  test('sends no decision notice after the first of two approvals', async () => {
    const { request } = await open()
    const step = { status: 1 as const, by: idOf(0), at: new Date().toISOString() }
    expect(toldOf({ ...request, steps: [step] }).map(({ event }) => event.kind)).toEqual(['request.asked'])
    expect(toldOf({ ...request, status: 1, steps: [step, step] }).map(({ event }) => event.kind)).toEqual([
      'request.decided',
    ])
  })
})
