import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { jpeg, jpegOfSize } from '../kit/picture.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { upload } from '../kit/upload.ts'

// What people ask for, for themselves: what may be asked, what is refused and why, and what becomes of their days.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const password = strongPassword

let company: Registered
let boss: { token: string; headers: Record<string, string> }
let shift: string
let workno = 100
let terminal: { punch(workno: string, time: string): Promise<void> }

/** Somebody new, scheduled 05:00 to 13:00 on these days, signed in on their own side. */
const somebody = async (days: string[] = [day], more: Partial<PathCall<'employee/add'>> = {}) => {
  const number = String(++workno)
  const person = { first_name: 'E', last_name: number, workno: number, department: company.department, password }
  const { id } = await http.call('employee/add', { ...person, ...more }, boss)
  if (days.length > 0) await http.call('schedule/add', { employees: [id], days, shift }, boss)
  const { token } = await http.call('personal/login', { code: company.company_num, workno: number, password })
  return { id, workno: number, token }
}

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  const breaks = [{ start: '08:00', end: '10:00', durationMinutes: 30, thresholdMinutes: 0 }]
  shift = (await http.call('shift/add', { name: 'Early', ...form, breaks }, boss)).id
  const serialNumber = `Q${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Gate', department: company.department }
  const { serverPath } = await http.call('device/add', device, boss)
  const socket = await openSocket(http.address, { path: serverPath })
  socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logs = 0
  terminal = {
    async punch(workno, time) {
      const record = [{ enrollid: Number(workno), time: `${day} ${time}`, mode: 8, inout: 0, event: 0 }]
      socket.say({ cmd: 'sendlog', count: 1, logindex: ++logs, record })
      expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    },
  }
})

describe('a request', () => {
  test('of each kind is asked for, listed with its instants, and taken back', async () => {
    const tomorrow = addDays(day, 1)
    const me = await somebody([day, tomorrow])
    const punch = await http.call(
      'personal/request/shift/add',
      { date: day, time: '13:02', inout: 1, notes: 'Forgot' },
      me,
    )
    const leave = await http.call(
      'personal/request/leave/add',
      { leaveType: 3, date: tomorrow, isAllDay: false, from: '05:00', to: '08:45' },
      me,
    )
    const overtime = await http.call(
      'personal/request/overtime/add',
      { date: tomorrow, from: '22:00', to: '01:00+1' },
      me,
    )
    const { list, count } = await http.call('personal/request/grid', {}, me)
    expect(count).toBe(3)
    expect(list.map(({ id }) => id).sort()).toEqual([punch.id, leave.id, overtime.id].sort())
    const at = (date: string, time: string) => new Date(Date.parse(`${date}T${time}:00Z`) - offset()).toISOString()
    expect(list.find(({ id }) => id === punch.id)).toMatchObject({
      ...{
        type: 1,
        status: 0,
        date: day,
        toDate: day,
        timezone: zone,
        at: at(day, '13:02'),
        inout: 1,
        notes: 'Forgot',
      },
      ...{ workno: me.workno, steps: [], commentCount: 0, attachmentCount: 0, mayCancel: true },
    })
    expect(list.find(({ id }) => id === leave.id)).toMatchObject({
      ...{ type: 2, leaveType: 3, isAllDay: false, from: at(tomorrow, '05:00'), to: at(tomorrow, '08:45') },
      total: { days: 0.433, minutes: 195 },
    })
    expect(list.find(({ id }) => id === overtime.id)).toMatchObject({
      ...{ type: 3, from: at(tomorrow, '22:00'), to: at(addDays(tomorrow, 1), '01:00') },
    })
    for (const { id } of list) await http.call('personal/request/cancel', { id }, me)
    const after = await http.call('personal/request/grid', { filters: { status: 3 } }, me)
    expect(after.list.map(({ mayCancel, steps }) => [mayCancel, steps])).toEqual(
      list.map(() => [false, [{ status: 3, by: `E ${me.workno}`, at: expect.any(String) }]]),
    )
  })

  test('keeps what was attached, which its person is shown', async () => {
    const me = await somebody()
    const form = await http.call('personal/request/upload', { type: 'image/jpeg' }, me)
    expect(await upload(form, jpeg)).toMatchObject({ status: 204 })
    const attachments = [{ upload: form.upload, name: 'Note of the doctor' }]
    const { id } = await http.call('personal/request/shift/add', { date: day, time: '05:00', attachments }, me)
    const { comment } = await http.call('personal/request/comment/add', { id, text: 'Please look' }, me)
    const found = await http.call('personal/request/get', { id }, me)
    expect(found.comments).toEqual([
      { id: comment, by: `E ${me.workno}`, isOwn: true, text: 'Please look', at: expect.any(String) },
    ])
    expect(found.attachments).toMatchObject([{ name: 'Note of the doctor', type: 'image/jpeg' }])
    const shown = await fetch(found.attachments[0]?.url ?? '')
    expect([shown.status, (await shown.arrayBuffer()).byteLength]).toEqual([200, found.attachments[0]?.bytes])
  })
})

describe('what cannot be asked for', () => {
  let me: Awaited<ReturnType<typeof somebody>>
  beforeAll(async () => {
    me = await somebody([day, addDays(day, 1)], { hireDay: addDays(day, -5), endDay: addDays(day, 400) })
  })
  const refuses = async (answer: Promise<object>, code: number, field: string) =>
    expect(await answer).toMatchObject({ status: 200, code, fields: { [field]: code } })

  test('names its field', async () => {
    const punch = (more: object) => http.ask('personal/request/shift/add', { date: day, time: '05:00', ...more }, me)
    await refuses(punch({ time: '23:59' }), 10002, 'time')
    await refuses(punch({ date: addDays(day, 1) }), 10002, 'time')
    await refuses(punch({ date: addDays(day, -6) }), 10002, 'date')
    await refuses(punch({ time: '24:00' }), 10002, 'time')
    const overtime = (more: object) =>
      http.ask('personal/request/overtime/add', { date: day, from: '18:00', to: '19:00', ...more }, me)
    await refuses(overtime({ to: '18:00' }), 10002, 'to')
    await refuses(overtime({ from: '18:00-1', to: '18:01' }), 10002, 'to')
    await refuses(overtime({ date: addDays(day, 401) }), 10002, 'date')
    const form = { leaveType: 3, date: day, isAllDay: true }
    const leave = (more: object) => http.ask('personal/request/leave/add', { ...form, ...more }, me)
    await refuses(leave({ isAllDay: false, to: '09:00' }), 10002, 'from')
    await refuses(leave({ isAllDay: false, from: '09:00' }), 10002, 'to')
    await refuses(leave({ isAllDay: false, from: '09:00', to: '09:00' }), 10002, 'to')
    await refuses(leave({ from: '09:00' }), 10002, 'from')
    await refuses(leave({ to: '09:00' }), 10002, 'to')
    await refuses(leave({ toDate: addDays(day, -1) }), 10002, 'toDate')
    await refuses(leave({ toDate: addDays(day, 366) }), 10002, 'toDate')
    await refuses(leave({ date: addDays(day, 399), toDate: addDays(day, 401) }), 10002, 'toDate')
    expect(await leave({ leaveType: 11 })).toMatchObject({ code: 10002, fields: { leaveType: 60002 } })
    await refuses(leave({ isAllDay: false, from: '13:00', to: '14:00' }), 60085, 'date')
    const { list } = await http.call('personal/request/grid', {}, me)
    expect(list).toEqual([])
  })

  test('is what nobody sent, what is none of what may be attached, and what is too much', async () => {
    const ask = (attachments: { upload: string; name: string }[]) =>
      http.ask('personal/request/shift/add', { date: day, time: '05:00', attachments }, me)
    const send = async (bytes: Uint8Array, type: 'application/pdf' | 'image/jpeg' = 'application/pdf') => {
      const { upload: sent, ...form } = await http.call('personal/request/upload', { type }, me)
      return { upload: sent, name: 'It', answer: await upload(form, bytes) }
    }
    const pdf = Buffer.from('%PDF-1.4 and so on')
    const { answer, ...good } = await send(pdf)
    expect(answer.status).toBe(204)
    await refuses(ask([good, { upload: '0'.repeat(16), name: 'Nothing' }]), 60004, 'attachments.1.upload')
    const { answer: _, ...page } = await send(Buffer.from('<script>alert(1)</script>'))
    await refuses(ask([page]), 10002, 'attachments.0.upload')
    const { answer: __, ...vast } = await send(jpegOfSize(8001, 8000), 'image/jpeg')
    await refuses(ask([vast]), 60002, 'attachments.0.upload')
    expect((await send(Buffer.alloc(2 * 1024 * 1024 + 1, 'x'))).answer).toEqual({
      status: 400,
      error: 'EntityTooLarge',
    })
    const other = await somebody()
    const theirs = http.ask('personal/request/shift/add', { date: day, time: '05:00', attachments: [good] }, other)
    await refuses(theirs, 60004, 'attachments.0.upload')
    expect(await ask(Array.from({ length: 6 }, () => good))).toMatchObject({
      code: 10002,
      fields: { attachments: 60002 },
    })
    // What was refused was not used up.
    const { data } = await ask([good])
    const { attachments } = await http.call('personal/request/get', { id: data.id }, me)
    expect(attachments).toMatchObject([{ name: 'It', type: 'application/pdf', bytes: pdf.length }])
    const shown = await fetch(attachments[0]?.url ?? '')
    expect([await shown.text(), shown.headers.get('content-disposition')]).toEqual([
      pdf.toString(),
      expect.stringContaining('attachment'),
    ])
    await refuses(ask([good]), 60004, 'attachments.0.upload')
  })

  test('is what is sent twice at once, and takes back nothing that belongs to the one that came through', async () => {
    const pdf = Buffer.from('%PDF-1.4 and so on')
    const form = await http.call('personal/request/upload', { type: 'application/pdf' }, me)
    await upload(form, pdf)
    const attachments = [{ upload: form.upload, name: 'It' }]
    const ask = () => http.ask('personal/request/shift/add', { date: day, time: '06:00', attachments }, me)
    const answers = await Promise.all([ask(), ask(), ask()])
    const [kept, ...others] = answers.filter(({ code }) => code === 0)
    expect(others).toEqual([])
    const found = await http.call('personal/request/get', { id: kept?.data.id ?? '' }, me)
    expect(await (await fetch(found.attachments[0]?.url ?? '')).text()).toBe(pdf.toString())
  })

  test('is time that was asked for, and leave of a type that is off', async () => {
    const tomorrow = addDays(day, 1)
    const form = { leaveType: 3, date: tomorrow, isAllDay: true }
    const preview = () => http.ask('personal/request/leave/preview', form, me)
    expect(await preview()).toMatchObject({ code: 0, data: { total: { days: 1, minutes: 450 }, balances: [] } })
    const { id } = await http.call('personal/request/leave/add', form, me)
    await refuses(preview(), 60080, 'date')
    const part = { ...form, leaveType: 2, isAllDay: false, from: '06:00', to: '07:00' }
    await refuses(http.ask('personal/request/leave/add', part, me), 60080, 'date')
    await http.call('personal/request/overtime/add', { date: tomorrow, from: '06:00', to: '07:00' }, me)
    await http.call('personal/request/cancel', { id }, me)
    await http.call('personal/request/leave/add', part, me)

    const { version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday } = await http.call(
      'company/get',
      {},
      boss,
    )
    const time = { version, timezone, splitTime, firstWeekday }
    const formats = { dateformat_id: dateformat_id as 3, timeformat_id: timeformat_id as 2 }
    const leaveTypes = [{ id: 7, isOn: false, isPaid: true }]
    await http.call('company/time/update', { ...time, ...formats, leaveTypes }, boss)
    await refuses(http.ask('personal/request/leave/add', { ...form, leaveType: 7 }, me), 60004, 'leaveType')
  })

  test('is more than is left, where the company refuses that; who takes less has it', async () => {
    const asker = await somebody([day, addDays(day, 1), addDays(day, 2)])
    const { version } = await http.call('leave/params', {}, boss)
    const rule = { leaveType: 8, since: Number(day.slice(0, 4)), days: 2, mostCarriedDays: 0 }
    await http.call('leave/params/update', { version, rules: [{ ...rule, excess: 'refuse' }] }, boss)
    const form = { leaveType: 8, date: day, isAllDay: true }
    const three = { ...form, toDate: addDays(day, 2) }
    const told = await http.call('personal/request/leave/preview', three, asker)
    expect(told).toMatchObject({ total: { days: 3 }, exceeds: 'refuse', balances: [{ before: 2, after: -1 }] })
    await refuses(http.ask('personal/request/leave/add', three, asker), 60084, 'leaveType')
    // Two that are enough together for what is left, and two that are not, at the same moment.
    const each = [0, 1, 2].map(after =>
      http.ask('personal/request/leave/add', { ...form, date: addDays(day, after) }, asker),
    )
    const codes = (await Promise.all(each)).map(({ code }) => code)
    expect(codes.sort()).toEqual([0, 0, 60084])
  })

  test('is somebody else’s', async () => {
    const other = await somebody()
    const { id } = await http.call('personal/request/shift/add', { date: day, time: '05:30' }, other)
    await refuses(http.ask('personal/request/get', { id }, me), 60004, 'id')
    await refuses(http.ask('personal/request/cancel', { id }, me), 60004, 'id')
    await refuses(http.ask('personal/request/comment/add', { id, text: 'Mine' }, me), 60004, 'id')
    await http.call('personal/request/cancel', { id }, other)
    await refuses(http.ask('personal/request/cancel', { id }, other), 60081, 'id')
  })
})

test('the list is narrowed by kind, state and days, and comes page by page', async () => {
  const me = await somebody([])
  const dates = [1, 2, 3, 4, 5].map(after => addDays(day, after))
  for (const date of dates) await http.call('personal/request/overtime/add', { date, from: '20:00', to: '21:00' }, me)
  await http.call('personal/request/shift/add', { date: day, time: '05:00' }, me)
  const days = async (filters: PathCall<'personal/request/grid'>['filters']) =>
    (await http.call('personal/request/grid', { filters }, me)).list.map(({ date }) => date)
  expect(await days({})).toEqual([...dates].reverse().concat(day))
  expect(await days({ type: 1 })).toEqual([day])
  expect(await days({ status: 1 })).toEqual([])
  expect(await days({ from: addDays(day, 2), to: addDays(day, 3) })).toEqual([addDays(day, 3), addDays(day, 2)])
  const seen: string[] = []
  for (let page: string | undefined, first = true; first || page; first = false) {
    const part: { list: { id: string }[]; next?: string | undefined } = await http.call(
      'personal/request/grid',
      { size: 4, ...(page && { page }) },
      me,
    )
    seen.push(...part.list.map(({ id }) => id))
    page = part.next
  }
  expect(new Set(seen).size).toBe(6)
})

describe('a forgotten clock-out', () => {
  test('is asked for, approved, and everything that told it settles; cancelled, it is told again', async () => {
    const me = await somebody()
    await terminal.punch(me.workno, '05:00:00')
    const filters = { from: day, to: day, employee: me.id }
    const open = async () => (await http.call('exception/grid', { filters: { ...filters, state: 'open' } }, boss)).list
    await eventually(open, list => expect(list).toMatchObject([{ type: 'missingOut' }]))
    const { list: before } = await http.call('report/grid', { filters }, boss)
    expect(await http.call('personal/dashboard/info', {}, me)).toMatchObject({ month_exception: 1 })

    const { id } = await http.call('personal/request/shift/add', { date: day, time: '13:00', inout: 1 }, me)
    const name = { employee: me.id, id }
    await http.call('approve/update', { requests: [name], status: 1 }, boss)
    await eventually(open, list => expect(list).toEqual([]))
    const { list: settled } = await http.call('exception/grid', { filters: { ...filters, state: 'settled' } }, boss)
    expect(settled).toMatchObject([{ type: 'missingOut', cause: 'request' }])
    const { list: after } = await http.call('report/grid', { filters }, boss)
    expect(after).toMatchObject([{ workMinutes: 450, absentMinutes: 0 }])
    const records = await http.call('record/grid', { filters }, boss)
    expect(records.list).toMatchObject([
      { use: 'out', day, source: 'request', device: 'request' },
      { use: 'in', day, source: 'sendlog' },
    ])
    const narrowed = await http.call('record/grid', { filters: { ...filters, source: 'request' } }, boss)
    expect(narrowed.list).toMatchObject([{ use: 'out' }])
    const [explained] = (await http.call('personal/report/record', { day }, me)).list
    expect(explained).toMatchObject({
      cause: { kind: 'request' },
      punches: [{ use: 'in' }, { use: 'out', request: id, device: 'request' }],
    })
    const [told] = (await http.call('report/day', { employee: me.id, day }, boss)).list
    expect(told?.cause).toEqual({ kind: 'request', by: 'Olga Owner' })
    const work = await http.call('personal/dashboard/work', {}, me)
    expect(work).toMatchObject({ worktime: 450 * 60, dutytime: 450 * 60 })
    const { task } = await http.call('record/export', { type: 'csv', filters }, boss)
    const { file } = await taskEnd(http, boss, { task })
    const sheet = await (await fetch(file?.url ?? '')).text()
    expect(sheet.split('\n').filter(line => line.includes(',Request,'))).toHaveLength(1)

    const { list: mine } = await http.call('personal/request/grid', {}, me)
    expect(mine).toMatchObject([{ status: 1, mayCancel: false, steps: [{ status: 1, by: 'Olga Owner' }] }])
    expect(await http.ask('personal/request/cancel', { id }, me)).toMatchObject({ code: 60081 })
    await http.call('approve/update', { requests: [name], status: 3, reason: 'Not so' }, boss)
    await eventually(open, list => expect(list).toMatchObject([{ type: 'missingOut' }]))
    expect((await http.call('report/grid', { filters }, boss)).list).toEqual(before)
    expect((await http.call('record/grid', { filters }, boss)).list).toMatchObject([{ use: 'in' }])
  })

  test('is told at once to its person and to who looks at it', async () => {
    const me = await somebody([])
    const browserOf = async ({ token }: { token: string }) => {
      const socket = await openSocket(http.address)
      socket.say({ cmd: 'home.login', token })
      expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
      return socket
    }
    const [own, approver] = await Promise.all([browserOf(me), browserOf(boss)])
    await http.call('personal/request/shift/add', { date: day, time: '05:00' }, me)
    const heard = ({ unheard }: typeof own) => unheard.flatMap(({ refresh }) => refresh)
    await eventually(
      async () => ({ own: heard(own), approver: heard(approver) }),
      found => {
        expect(found.own).toContain('personal/')
        expect(found.approver).toContain('approve/')
      },
    )
    own.close()
    approver.close()
  })
})

test('a long leave takes the day at its end as well', async () => {
  const me = await somebody()
  const form = { leaveType: 5, date: addDays(day, -330), toDate: addDays(day, 30), isAllDay: true }
  const { id } = await http.call('personal/request/leave/add', form, me)
  await http.call('approve/update', { requests: [{ employee: me.id, id }], status: 1 }, boss)
  const filters = { from: day, to: day, employee: me.id }
  await eventually(
    () => http.call('report/grid', { filters }, boss),
    ({ list }) => expect(list).toMatchObject([{ kind: 'leave', leaveMinutes: 450 }]),
  )
})

test('whoever is deleted asks for nothing any more, and what was approved stays', async () => {
  const me = await somebody()
  const ask = async (from: string, to: string) =>
    (await http.call('personal/request/overtime/add', { date: day, from, to }, me)).id
  const [kept, open] = [await ask('18:00', '19:00'), await ask('19:00', '20:00')]
  await http.call('approve/update', { requests: [{ employee: me.id, id: kept }], status: 1 }, boss)
  await http.call('employee/delete', { id: me.id }, boss)
  const { list } = await http.call('approve/grid', { filters: { employee: me.id, status: 3 } }, boss)
  expect(list).toMatchObject([{ id: open, status: 3, steps: [{ by: `E ${me.workno}` }] }])
  expect(await http.ask('personal/request/grid', {}, me)).toMatchObject({ code: 502 })
})

/** How far the clocks of the tests' zone are ahead of UTC, in ms. */
function offset() {
  const [, sign, hours] = /GMT([+-])?(\d+)?/.exec(zone) ?? []
  return (sign === '-' ? 1 : -1) * Number(hours ?? 0) * 3_600_000
}
