import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { jpeg, jpegOfSize } from '../kit/picture.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { upload } from '../kit/upload.ts'

// Employees request corrections, leave and overtime. The server rejects invalid requests; valid requests change the
// days.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const password = strongPassword

let company: Registered
let boss: { token: string; headers: Record<string, string> }
let shift: string
let workno = 100
let terminal: { punch(workno: string, time: string): Promise<void> }

/** A new employee, scheduled from 05:00 to 13:00 on these days and signed in on the employee side. */
const addEmployee = async (days: string[] = [day], more: Partial<PathCall<'employee/add'>> = {}) => {
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
  test('of each kind can be added, listed with its instants, and withdrawn', async () => {
    const tomorrow = addDays(day, 1)
    const employee = await addEmployee([day, tomorrow])
    const punch = await http.call(
      'personal/request/shift/add',
      { date: day, time: '13:02', inout: 1, notes: 'Forgot' },
      employee,
    )
    const leave = await http.call(
      'personal/request/leave/add',
      { leaveType: 3, date: tomorrow, isAllDay: false, from: '05:00', to: '08:45' },
      employee,
    )
    const overtime = await http.call(
      'personal/request/overtime/add',
      { date: tomorrow, from: '22:00', to: '01:00+1' },
      employee,
    )
    const { list, count } = await http.call('personal/request/grid', {}, employee)
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
      ...{ workno: employee.workno, steps: [], commentCount: 0, attachmentCount: 0, mayCancel: true },
    })
    expect(list.find(({ id }) => id === leave.id)).toMatchObject({
      ...{ type: 2, leaveType: 3, isAllDay: false, from: at(tomorrow, '05:00'), to: at(tomorrow, '08:45') },
      total: { days: 0.433, minutes: 195 },
    })
    expect(list.find(({ id }) => id === overtime.id)).toMatchObject({
      ...{ type: 3, from: at(tomorrow, '22:00'), to: at(addDays(tomorrow, 1), '01:00') },
    })
    for (const { id } of list) await http.call('personal/request/cancel', { id }, employee)
    const after = await http.call('personal/request/grid', { filters: { status: 3 } }, employee)
    expect(after.list.map(({ mayCancel, steps }) => [mayCancel, steps])).toEqual(
      list.map(() => [false, [{ status: 3, by: `E ${employee.workno}`, at: expect.any(String) }]]),
    )
  })

  test('keeps its attachments and shows them to the employee', async () => {
    const employee = await addEmployee()
    const form = await http.call('personal/request/upload', { type: 'image/jpeg' }, employee)
    expect(await upload(form, jpeg)).toMatchObject({ status: 204 })
    const attachments = [{ upload: form.upload, name: 'Note of the doctor' }]
    const { id } = await http.call('personal/request/shift/add', { date: day, time: '05:00', attachments }, employee)
    const { comment } = await http.call('personal/request/comment/add', { id, text: 'Please look' }, employee)
    const request = await http.call('personal/request/get', { id }, employee)
    expect(request.comments).toEqual([
      { id: comment, by: `E ${employee.workno}`, isOwn: true, text: 'Please look', at: expect.any(String) },
    ])
    expect(request.attachments).toMatchObject([{ name: 'Note of the doctor', type: 'image/jpeg' }])
    const file = await fetch(request.attachments[0]?.url ?? '')
    expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, request.attachments[0]?.bytes])
  })
})

describe('a request is rejected', () => {
  let employee: Awaited<ReturnType<typeof addEmployee>>
  beforeAll(async () => {
    employee = await addEmployee([day, addDays(day, 1)], { hireDay: addDays(day, -5), endDay: addDays(day, 400) })
  })
  const expectRefusal = async (answer: Promise<object>, code: number, field: string) =>
    expect(await answer).toMatchObject({ status: 200, code, fields: { [field]: code } })

  test('when a field is wrong, and the response names the field', async () => {
    const punch = (more: object) =>
      http.ask('personal/request/shift/add', { date: day, time: '05:00', ...more }, employee)
    await expectRefusal(punch({ time: '23:59' }), 10002, 'time')
    await expectRefusal(punch({ date: addDays(day, 1) }), 10002, 'time')
    await expectRefusal(punch({ date: addDays(day, -6) }), 10002, 'date')
    await expectRefusal(punch({ time: '24:00' }), 10002, 'time')
    const overtime = (more: object) =>
      http.ask('personal/request/overtime/add', { date: day, from: '18:00', to: '19:00', ...more }, employee)
    await expectRefusal(overtime({ to: '18:00' }), 10002, 'to')
    await expectRefusal(overtime({ from: '18:00-1', to: '18:01' }), 10002, 'to')
    await expectRefusal(overtime({ date: addDays(day, 401) }), 10002, 'date')
    const form = { leaveType: 3, date: day, isAllDay: true }
    const leave = (more: object) => http.ask('personal/request/leave/add', { ...form, ...more }, employee)
    await expectRefusal(leave({ isAllDay: false, to: '09:00' }), 10002, 'from')
    await expectRefusal(leave({ isAllDay: false, from: '09:00' }), 10002, 'to')
    await expectRefusal(leave({ isAllDay: false, from: '09:00', to: '09:00' }), 10002, 'to')
    await expectRefusal(leave({ from: '09:00' }), 10002, 'from')
    await expectRefusal(leave({ to: '09:00' }), 10002, 'to')
    await expectRefusal(leave({ toDate: addDays(day, -1) }), 10002, 'toDate')
    await expectRefusal(leave({ toDate: addDays(day, 366) }), 10002, 'toDate')
    await expectRefusal(leave({ date: addDays(day, 399), toDate: addDays(day, 401) }), 10002, 'toDate')
    expect(await leave({ leaveType: 11 })).toMatchObject({ code: 10002, fields: { leaveType: 60002 } })
    await expectRefusal(leave({ isAllDay: false, from: '13:00', to: '14:00' }), 60085, 'date')
    const { list } = await http.call('personal/request/grid', {}, employee)
    expect(list).toEqual([])
  })

  test('when an attachment is missing, of another type or too large', async () => {
    const ask = (attachments: { upload: string; name: string }[]) =>
      http.ask('personal/request/shift/add', { date: day, time: '05:00', attachments }, employee)
    const send = async (bytes: Uint8Array, type: 'application/pdf' | 'image/jpeg' = 'application/pdf') => {
      const { upload: id, ...form } = await http.call('personal/request/upload', { type }, employee)
      return { upload: id, name: 'It', answer: await upload(form, bytes) }
    }
    const pdf = Buffer.from('%PDF-1.4 and so on')
    const { answer, ...attachment } = await send(pdf)
    expect(answer.status).toBe(204)
    await expectRefusal(ask([attachment, { upload: '0'.repeat(16), name: 'Nothing' }]), 60004, 'attachments.1.upload')
    const { answer: _, ...page } = await send(Buffer.from('<script>alert(1)</script>'))
    await expectRefusal(ask([page]), 10002, 'attachments.0.upload')
    const { answer: __, ...oversized } = await send(jpegOfSize(8001, 8000), 'image/jpeg')
    await expectRefusal(ask([oversized]), 60002, 'attachments.0.upload')
    expect((await send(Buffer.alloc(2 * 1024 * 1024 + 1, 'x'))).answer).toEqual({
      status: 400,
      error: 'EntityTooLarge',
    })
    const other = await addEmployee()
    const foreign = http.ask(
      'personal/request/shift/add',
      { date: day, time: '05:00', attachments: [attachment] },
      other,
    )
    await expectRefusal(foreign, 60004, 'attachments.0.upload')
    expect(await ask(Array.from({ length: 6 }, () => attachment))).toMatchObject({
      code: 10002,
      fields: { attachments: 60002 },
    })
    // A rejected request does not use up its attachment.
    const { data } = await ask([attachment])
    const { attachments } = await http.call('personal/request/get', { id: data.id }, employee)
    expect(attachments).toMatchObject([{ name: 'It', type: 'application/pdf', bytes: pdf.length }])
    const file = await fetch(attachments[0]?.url ?? '')
    expect([await file.text(), file.headers.get('content-disposition')]).toEqual([
      pdf.toString(),
      expect.stringContaining('attachment'),
    ])
    await expectRefusal(ask([attachment]), 60004, 'attachments.0.upload')
  })

  test('when it is sent several times at once, except for one request, which keeps its attachment', async () => {
    const pdf = Buffer.from('%PDF-1.4 and so on')
    const form = await http.call('personal/request/upload', { type: 'application/pdf' }, employee)
    await upload(form, pdf)
    const attachments = [{ upload: form.upload, name: 'It' }]
    const ask = () => http.ask('personal/request/shift/add', { date: day, time: '06:00', attachments }, employee)
    const answers = await Promise.all([ask(), ask(), ask()])
    const [stored, ...others] = answers.filter(({ code }) => code === 0)
    expect(others).toEqual([])
    const request = await http.call('personal/request/get', { id: stored?.data.id ?? '' }, employee)
    expect(await (await fetch(request.attachments[0]?.url ?? '')).text()).toBe(pdf.toString())
  })

  test('when its time is already requested, or when its leave type is disabled', async () => {
    const tomorrow = addDays(day, 1)
    const form = { leaveType: 3, date: tomorrow, isAllDay: true }
    const preview = () => http.ask('personal/request/leave/preview', form, employee)
    expect(await preview()).toMatchObject({ code: 0, data: { total: { days: 1, minutes: 450 }, balances: [] } })
    const { id } = await http.call('personal/request/leave/add', form, employee)
    await expectRefusal(preview(), 60080, 'date')
    const part = { ...form, leaveType: 2, isAllDay: false, from: '06:00', to: '07:00' }
    await expectRefusal(http.ask('personal/request/leave/add', part, employee), 60080, 'date')
    await http.call('personal/request/overtime/add', { date: tomorrow, from: '06:00', to: '07:00' }, employee)
    await http.call('personal/request/cancel', { id }, employee)
    await http.call('personal/request/leave/add', part, employee)

    const { version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday } = await http.call(
      'company/get',
      {},
      boss,
    )
    const time = { version, timezone, splitTime, firstWeekday }
    const formats = { dateformat_id: dateformat_id as 3, timeformat_id: timeformat_id as 2 }
    const leaveTypes = [{ id: 7, isOn: false, isPaid: true }]
    await http.call('company/time/update', { ...time, ...formats, leaveTypes }, boss)
    await expectRefusal(http.ask('personal/request/leave/add', { ...form, leaveType: 7 }, employee), 60004, 'leaveType')
  })

  test('when it exceeds a balance that the company enforces, but smaller requests are accepted', async () => {
    const requester = await addEmployee([day, addDays(day, 1), addDays(day, 2)])
    const { version } = await http.call('leave/params', {}, boss)
    const rule = { leaveType: 8, since: Number(day.slice(0, 4)), days: 2, mostCarriedDays: 0 }
    await http.call('leave/params/update', { version, rules: [{ ...rule, excess: 'refuse' }] }, boss)
    const form = { leaveType: 8, date: day, isAllDay: true }
    const three = { ...form, toDate: addDays(day, 2) }
    const preview = await http.call('personal/request/leave/preview', three, requester)
    expect(preview).toMatchObject({ total: { days: 3 }, exceeds: 'refuse', balances: [{ before: 2, after: -1 }] })
    await expectRefusal(http.ask('personal/request/leave/add', three, requester), 60084, 'leaveType')
    // Three simultaneous requests of one day: the balance covers two of them.
    const answers = [0, 1, 2].map(after =>
      http.ask('personal/request/leave/add', { ...form, date: addDays(day, after) }, requester),
    )
    const codes = (await Promise.all(answers)).map(({ code }) => code)
    expect(codes.sort()).toEqual([0, 0, 60084])
  })

  test('when it belongs to another employee', async () => {
    const other = await addEmployee()
    const { id } = await http.call('personal/request/shift/add', { date: day, time: '05:30' }, other)
    await expectRefusal(http.ask('personal/request/get', { id }, employee), 60004, 'id')
    await expectRefusal(http.ask('personal/request/cancel', { id }, employee), 60004, 'id')
    await expectRefusal(http.ask('personal/request/comment/add', { id, text: 'Mine' }, employee), 60004, 'id')
    await http.call('personal/request/cancel', { id }, other)
    await expectRefusal(http.ask('personal/request/cancel', { id }, other), 60081, 'id')
  })
})

test('the list filters by kind, state and days, and has pages', async () => {
  const employee = await addEmployee([])
  const dates = [1, 2, 3, 4, 5].map(after => addDays(day, after))
  for (const date of dates)
    await http.call('personal/request/overtime/add', { date, from: '20:00', to: '21:00' }, employee)
  await http.call('personal/request/shift/add', { date: day, time: '05:00' }, employee)
  const days = async (filters: PathCall<'personal/request/grid'>['filters']) =>
    (await http.call('personal/request/grid', { filters }, employee)).list.map(({ date }) => date)
  expect(await days({})).toEqual([...dates].reverse().concat(day))
  expect(await days({ type: 1 })).toEqual([day])
  expect(await days({ status: 1 })).toEqual([])
  expect(await days({ from: addDays(day, 2), to: addDays(day, 3) })).toEqual([addDays(day, 3), addDays(day, 2)])
  const listed: string[] = []
  for (let page: string | undefined, first = true; first || page; first = false) {
    const part: { list: { id: string }[]; next?: string | undefined } = await http.call(
      'personal/request/grid',
      { size: 4, ...(page && { page }) },
      employee,
    )
    listed.push(...part.list.map(({ id }) => id))
    page = part.next
  }
  expect(new Set(listed).size).toBe(6)
})

describe('a missing clock-out', () => {
  test('settles its exception when its correction is approved, and raises it again when revoked', async () => {
    const employee = await addEmployee()
    await terminal.punch(employee.workno, '05:00:00')
    const filters = { from: day, to: day, employee: employee.id }
    const openExceptions = async () =>
      (await http.call('exception/grid', { filters: { ...filters, state: 'open' } }, boss)).list
    await eventually(openExceptions, list => expect(list).toMatchObject([{ type: 'missingOut' }]))
    const { list: before } = await http.call('report/grid', { filters }, boss)
    expect(await http.call('personal/dashboard/info', {}, employee)).toMatchObject({ month_exception: 1 })

    const { id } = await http.call('personal/request/shift/add', { date: day, time: '13:00', inout: 1 }, employee)
    const name = { employee: employee.id, id }
    await http.call('approve/update', { requests: [name], status: 1 }, boss)
    await eventually(openExceptions, list => expect(list).toEqual([]))
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
    const [explained] = (await http.call('personal/report/record', { day }, employee)).list
    expect(explained).toMatchObject({
      cause: { kind: 'request' },
      punches: [{ use: 'in' }, { use: 'out', request: id, device: 'request' }],
    })
    const [reportRow] = (await http.call('report/day', { employee: employee.id, day }, boss)).list
    expect(reportRow?.cause).toEqual({ kind: 'request', by: 'Olga Owner' })
    const work = await http.call('personal/dashboard/work', {}, employee)
    expect(work).toMatchObject({ worktime: 450 * 60, dutytime: 450 * 60 })
    const { task } = await http.call('record/export', { type: 'csv', filters }, boss)
    const { file } = await taskEnd(http, boss, { task })
    const sheet = await (await fetch(file?.url ?? '')).text()
    expect(sheet.split('\n').filter(line => line.includes(',Request,'))).toHaveLength(1)

    const { list: ownRequests } = await http.call('personal/request/grid', {}, employee)
    expect(ownRequests).toMatchObject([{ status: 1, mayCancel: false, steps: [{ status: 1, by: 'Olga Owner' }] }])
    expect(await http.ask('personal/request/cancel', { id }, employee)).toMatchObject({ code: 60081 })
    await http.call('approve/update', { requests: [name], status: 3, reason: 'Not so' }, boss)
    await eventually(openExceptions, list => expect(list).toMatchObject([{ type: 'missingOut' }]))
    expect((await http.call('report/grid', { filters }, boss)).list).toEqual(before)
    expect((await http.call('record/grid', { filters }, boss)).list).toMatchObject([{ use: 'in' }])
  })

  test('refreshes the pages of the employee and of the approver at once', async () => {
    const employee = await addEmployee([])
    const browserOf = async ({ token }: { token: string }) => {
      const socket = await openSocket(http.address)
      socket.say({ cmd: 'home.login', token })
      expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
      return socket
    }
    const [own, approver] = await Promise.all([browserOf(employee), browserOf(boss)])
    await http.call('personal/request/shift/add', { date: day, time: '05:00' }, employee)
    const refreshesOf = ({ unheard }: typeof own) => unheard.flatMap(({ refresh }) => refresh)
    await eventually(
      async () => ({ own: refreshesOf(own), approver: refreshesOf(approver) }),
      refreshes => {
        expect(refreshes.own).toContain('personal/')
        expect(refreshes.approver).toContain('approve/')
      },
    )
    own.close()
    approver.close()
  })
})

test('a leave of a year also covers a day near its end', async () => {
  const employee = await addEmployee()
  const form = { leaveType: 5, date: addDays(day, -330), toDate: addDays(day, 30), isAllDay: true }
  const { id } = await http.call('personal/request/leave/add', form, employee)
  await http.call('approve/update', { requests: [{ employee: employee.id, id }], status: 1 }, boss)
  const filters = { from: day, to: day, employee: employee.id }
  await eventually(
    () => http.call('report/grid', { filters }, boss),
    ({ list }) => expect(list).toMatchObject([{ kind: 'leave', leaveMinutes: 450 }]),
  )
})

test('deleting an employee withdraws their open requests and keeps approved requests', async () => {
  const employee = await addEmployee()
  const addOvertime = async (from: string, to: string) =>
    (await http.call('personal/request/overtime/add', { date: day, from, to }, employee)).id
  const [approved, open] = [await addOvertime('18:00', '19:00'), await addOvertime('19:00', '20:00')]
  await http.call('approve/update', { requests: [{ employee: employee.id, id: approved }], status: 1 }, boss)
  await http.call('employee/delete', { id: employee.id }, boss)
  const { list } = await http.call('approve/grid', { filters: { employee: employee.id, status: 3 } }, boss)
  expect(list).toMatchObject([{ id: open, status: 3, steps: [{ by: `E ${employee.workno}` }] }])
  expect(await http.ask('personal/request/grid', {}, employee)).toMatchObject({ code: 502 })
})

/** The offset of the tests’ zone from UTC, in ms. */
function offset() {
  const [, sign, hours] = /GMT([+-])?(\d+)?/.exec(zone) ?? []
  return (sign === '-' ? 1 : -1) * Number(hours ?? 0) * 3_600_000
}
