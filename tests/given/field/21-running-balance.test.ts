import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { PathCall } from '../../../shared/api.ts'
import { addDays, addMonths } from '../../../shared/local-day.ts'
import { client, eventually, type Registered, register } from '../../kit/client.ts'
import { dayIn } from '../../kit/evening.ts'
import { addGate, type Gate, planDays } from '../../kit/gate.ts'

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
let gate: Gate

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
    await planDays(http, boss, plan)
  }
  gate = await addGate(http, boss, company.department)
})
afterAll(() => gate.close())

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
  await gate.punch(`7 ${longDay} 09:00`, `7 ${longDay} 19:00`, `7 ${shortDay} 09:00`, `7 ${shortDay} 16:00`)
  await eventually(balances, months => expect(months).toEqual([60, 60, 480 + 120 - 60]))
})
