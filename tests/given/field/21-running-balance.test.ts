import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { PathCall } from '../../../shared/api.ts'
import { addDays, addMonths } from '../../../shared/local-day.ts'
import { client, eventually, type Registered, register } from '../../kit/client.ts'
import { dayIn } from '../../kit/evening.ts'
import { taskEnd } from '../../kit/sheet.ts'
import { openSocket, type Socket } from '../../kit/socket.ts'

// Field case 21: two hours more on one day and one hour less on another are carried over the month, and taken as time
// off.

const http = client(inject('address'))
const zone = 'Europe/Berlin'
const today = dayIn(zone)
const first = `${addMonths(today, -2).slice(0, 7)}-01`
const [longDay, shortDay, freeDay] = [addDays(first, 5), addDays(first, 6), addDays(addMonths(first, 1), 5)]

let company: Registered
let boss: { token: string; headers: Record<string, string> }
let employee: string
let terminal: Socket

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  const form = { onDuty: '09:00', offDuty: '17:00', punchStart: '06:00', punchEnd: '22:00', breaks: [] }
  const lateOutOvertime = { counts: true, afterMinutes: 0 }
  const shift = (await http.call('shift/add', { name: 'Day', ...form, lateOutOvertime }, boss)).id
  const person = { first_name: 'Flora', last_name: 'Flex', workno: '7', department: company.department }
  employee = (await http.call('employee/add', person, boss)).id
  for (const from of [longDay, shortDay, freeDay]) {
    const plan = { from, shifts: [shift], rows: [{ employees: [employee], cells: [[0]] }] }
    const { task } = await http.call('schedule/preview', { plan }, boss)
    await taskEnd(http, boss, { task })
    await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
  }
  const device = { serialNumber: `FLEX${Date.now()}`, name: 'Gate', department: company.department }
  const { serverPath } = await http.call('device/add', device, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: device.serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
})
afterAll(() => terminal.close())

const account = async () => (await http.call('leave/account/get', { employee }, boss)).account
const balances = async () => (await account())?.months.map(({ balance }) => balance)

test('hours more and less are carried over months, and taken as time off', async () => {
  const entry = { employee, kind: 'opening' as const, day: first, minutes: 480, reason: 'Carried from last year' }
  await http.call('leave/account/entry/add', entry, boss)
  const { version, ...settings } = await http.call('company/get', {}, boss)
  const { timezone, dateformat_id, timeformat_id, splitTime, firstWeekday } = settings
  const leaveTypes = [{ id: 10, isOn: true, isPaid: true, fromAccount: true }]
  const time = { version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday, leaveTypes }
  await http.call('company/time/update', time as PathCall<'company/time/update'>, boss)
  const leave = { leaveType: 10, isAllDay: true, date: freeDay, toDate: freeDay, notes: 'Time off' }
  await http.call('leave/add', { ...leave, employees: [employee] }, boss)
  const times = [`${longDay} 09:00:00`, `${longDay} 19:00:00`, `${shortDay} 09:00:00`, `${shortDay} 16:00:00`]
  const record = times.map(time => ({ enrollid: 7, time, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(balances, months => expect(months).toEqual([60, 60, 480 + 120 - 60]))
})
