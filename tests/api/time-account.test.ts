import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays, addMonths } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { addGate, type Gate, planDays } from '../kit/gate.ts'
import { taskEnd } from '../kit/sheet.ts'

// A time account follows from worked days and entries: its month ends, its locks, and who may see and change it.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const first = `${addMonths(today, -2).slice(0, 7)}-01`
const second = addMonths(first, 1)
const lastOfFirst = addDays(second, -1)
const [longDay, shortDay, freeDay] = [addDays(first, 9), addDays(first, 10), addDays(second, 9)]
const nameOf = (day: string) => day.slice(0, 7)

let owner: Registered
let boss: Signed
let manager: Signed
let self: Signed
let other: string
let ann: string
let gate: Gate
let openingId: string

const get = async (employee = ann, by: Signed = boss) =>
  (await http.call('leave/account/get', { employee }, by)).account
const add = (entry: Partial<PathCall<'leave/account/entry/add'>>, by: Signed = boss) =>
  http.ask(
    'leave/account/entry/add',
    { employee: ann, kind: 'adjustment', day: today, minutes: 60, reason: 'Agreed', ...entry },
    by,
  )
const counter = (id: string, more: object = {}) =>
  http.ask('leave/account/entry/counter', { employee: ann, id, reason: 'Wrong', ...more }, boss)
const setRule = async (rule: object) => {
  const { version } = await http.call('leave/account/params', {}, boss)
  return http.ask('leave/account/params/update', { version, cut: 'lost', ...rule } as never, boss)
}
const months = async () => (await get())?.months.map(({ month, balance, cut }) => [month, balance, cut])

beforeAll(async () => {
  owner = await register(http, { timezone: zone })
  boss = { ...owner, headers: { 'x-timezone': zone } }
  other = (await http.call('department/add', { name: 'Other' }, boss)).id
  const { id: roleId } = await http.call('role/add', { name: 'Other', permissions: [10], departments: [other] }, boss)
  const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: other, role: 2, roleId }
  manager = { ...(await invite(http, boss, mona)), headers: { 'x-timezone': zone } }
  const form = { onDuty: '09:00', offDuty: '17:00', punchStart: '06:00', punchEnd: '22:00', breaks: [] }
  const lateOutOvertime = { counts: true, afterMinutes: 0 }
  const shift = (await http.call('shift/add', { name: 'Day', ...form, lateOutOvertime }, boss)).id
  const person = { first_name: 'Ann', last_name: 'Work', workno: '7', department: owner.department, role: 3 }
  self = await invite(http, boss, person)
  const { list } = await http.call('employee/grid', { filters: { search: 'Ann' } }, boss)
  ann = list[0]?.id ?? ''
  const row = (day: string) => ({ from: day, shifts: [shift], rows: [{ employees: [ann], cells: [[0]] }] })
  for (const day of [longDay, shortDay, freeDay]) await planDays(http, boss, row(day))
  gate = await addGate(http, boss, owner.department)
  await gate.punch(`7 ${longDay} 09:00`, `7 ${longDay} 19:00`, `7 ${shortDay} 09:00`, `7 ${shortDay} 16:00`)
})
afterAll(() => gate.close())

describe('a time account', () => {
  test('opens with a balance, and begins to count on that day', async () => {
    expect(await get()).toBeUndefined()
    expect(await add({})).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    const opened = await add({ kind: 'opening', day: first, minutes: 1200, reason: 'From the old system' })
    openingId = (opened as { data: { id: string } }).data.id
    await eventually(get, account => expect(account).toMatchObject({ since: first, balance: 1200 + 120 - 60 - 480 }))
    expect(await add({ kind: 'opening', minutes: 0 })).toMatchObject({ code: 10002, fields: { kind: 10002 } })
  })

  test('counts leave of a type that takes from it as duty, and other leave not', async () => {
    const leave = { leaveType: 10, isAllDay: true, date: freeDay, toDate: freeDay, notes: 'A day off' }
    await http.call('leave/add', { ...leave, employees: [ann] }, boss)
    await eventually(get, account => expect(account?.balance).toBe(1260))
    const { version, ...company } = await http.call('company/get', {}, boss)
    const { timezone, dateformat_id, timeformat_id, splitTime, firstWeekday } = company
    const leaveTypes = [{ id: 10, isOn: true, isPaid: true, fromAccount: true }]
    const time = { version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday, leaveTypes }
    await http.call('company/time/update', time as PathCall<'company/time/update'>, boss)
    expect((await http.call('leave/params', {}, boss)).types.find(({ id }) => id === 10)).toMatchObject({
      fromAccount: true,
    })
    expect((await get())?.balance).toBe(780)
  })

  test('is cut at the end of a month, and warns below the least', async () => {
    expect(await setRule({ most: 100, least: 200 })).toMatchObject({ code: 10002, fields: { least: 10002 } })
    expect(await setRule({ most: 1200, least: 800, cut: 'paid' })).toMatchObject({ code: 0 })
    expect(await get()).toMatchObject({ balance: 720, isBelow: true, rule: { cut: 'paid' } })
    expect(await months()).toEqual([
      [nameOf(today), 720, 0],
      [nameOf(second), 720, 0],
      [nameOf(first), 1200, 60],
    ])
  })

  test('takes entries with reason and author, which are countered and never changed', async () => {
    expect(await add({ kind: 'payout', minutes: -5 })).toMatchObject({ fields: { minutes: 10002 } })
    expect(await add({ day: addDays(today, 1) })).toMatchObject({ fields: { day: 10002 } })
    expect(await add({ day: addDays(first, -1) })).toMatchObject({ fields: { day: 10002 } })
    const payout = await add({ kind: 'payout', minutes: 300, reason: 'Paid in cash' })
    const { id } = (payout as { data: { id: string } }).data
    expect((await get())?.balance).toBe(420)
    expect(await counter(id)).toMatchObject({ code: 0 })
    expect(await counter(id)).toMatchObject({ code: 60006, fields: { id: 60006 } })
    const account = await get()
    expect(account?.balance).toBe(720)
    expect(account?.entries).toMatchObject([
      { kind: 'payout', minutes: 300, reason: 'Wrong', counters: id },
      { id, kind: 'payout', minutes: -300, reason: 'Paid in cash', by: expect.stringMatching(/./), isCountered: true },
      { id: openingId, kind: 'opening', minutes: 1200 },
    ])
  })

  test('shows to the person, and to managers of the department only', async () => {
    const { account } = await http.call('personal/account', {}, self)
    expect(account).toMatchObject({ balance: 720 })
    for (const path of ['leave/account/get', 'leave/account/entry/add'] as const)
      expect(
        await http.ask(
          path,
          {
            employee: ann,
            ...(path !== 'leave/account/get' && { kind: 'payout', day: today, minutes: 1, reason: 'x' }),
          } as never,
          manager,
        ),
      ).toMatchObject({ code: 60004, fields: { employee: 60004 } })
    const { list } = await http.call('leave/account/grid', {}, boss)
    expect(list).toMatchObject([{ employee: ann, balance: 720, since: first }])
    expect((await http.call('leave/account/grid', {}, manager)).list).toEqual([])
    const balanceOn = async (to: string) => {
      const filters = { from: addMonths(first, -1), to }
      return (await http.call('report/summary', { filters }, boss)).list.find(row => row.employee === ann)
        ?.accountMinutes
    }
    expect(await balanceOn(today)).toBe(720)
    expect(await balanceOn(longDay)).toBe(1320)
    expect(await balanceOn(addDays(first, -1))).toBeUndefined()
  })

  test('keeps its balance on the last locked day, and refuses entries before', async () => {
    await eventually(
      () => http.ask('report/lock/update', { lockedTo: lastOfFirst }, boss),
      answer => expect(answer).toMatchObject({ code: 0 }),
    )
    expect(await add({ day: lastOfFirst })).toMatchObject({ code: 60061, fields: { day: 60061 } })
    expect(await counter(openingId)).toMatchObject({ code: 60061, fields: { day: 60061 } })
    await setRule({ most: 600 })
    expect(await months()).toEqual([
      [nameOf(today), 600, 0],
      [nameOf(second), 600, 120],
    ])
    // Days that open again follow the balance that the first lock kept, not the rule of today.
    for (const lockedTo of [addDays(`${nameOf(today)}-01`, -1), addDays(second, 14)]) {
      const { task } = await http.call('report/lock/update', { lockedTo }, boss)
      if (task) await taskEnd(http, boss, { task })
    }
    expect(await months()).toEqual([
      [nameOf(today), 600, 0],
      [nameOf(second), 600, 120],
    ])
    const { task } = await http.call('report/lock/update', { lockedTo: null }, boss)
    if (task) await taskEnd(http, boss, { task })
    expect(await months()).toEqual([
      [nameOf(today), 120, 0],
      [nameOf(second), 120, 0],
      [nameOf(first), 600, 660],
    ])
  })

  test('closes when its opening is countered, and goes with the person', async () => {
    expect(await counter(openingId)).toMatchObject({ code: 0 })
    expect(await get()).toBeUndefined()
    await add({ kind: 'opening', minutes: 30 })
    expect((await get())?.entries).toHaveLength(1)
    const { list } = await http.call('audit/grid', { filters: { noun: 'timeAccount' } } as never, boss)
    expect(list.length).toBeGreaterThan(3)
  })
})
