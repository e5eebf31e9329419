import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { loadRows, taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// A period is closed in one step: its days are locked and its figures are exported.

const http = client(inject('address'))
const zone = eveningZone()
const today = dayIn(zone)
const period = { from: addDays(today, -9), to: addDays(today, -4) }
const [forgottenDay, workedDay] = [addDays(today, -6), addDays(today, -5)]

let owner: Registered
let boss: { token: string; headers: Record<string, string> }
let manager: { token: string }
let ann: string
let terminal: Socket

beforeAll(async () => {
  owner = await register(http, { timezone: zone })
  boss = { token: owner.token, headers: { 'x-timezone': zone } }
  const other = (await http.call('department/add', { name: 'Other', parent: owner.department }, boss)).id
  const { id: roleId } = await http.call('role/add', { name: 'Other', permissions: [8], departments: [other] }, boss)
  const mona = { first_name: 'Mona', last_name: 'M', workno: '300', department: other, role: 2, roleId }
  manager = await invite(http, boss, mona)
  const form = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '16:00', breaks: [] }
  const shift = (await http.call('shift/add', { name: 'Early', ...form }, boss)).id
  const person = { first_name: 'Ann', last_name: 'Work', workno: '7', department: owner.department }
  ann = (await http.call('employee/add', person, boss)).id
  const plan = { from: forgottenDay, shifts: [shift], rows: [{ employees: [ann], cells: [[0], [0]] }] }
  const { task } = await http.call('schedule/preview', { plan }, boss)
  await taskEnd(http, boss, { task })
  await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview: task }, boss))
  const device = { serialNumber: `CLOSE${Date.now()}`, name: 'Gate', department: owner.department }
  const { serverPath } = await http.call('device/add', device, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: device.serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
  const times = [`${forgottenDay} 05:00:00`, `${workedDay} 05:20:00`, `${workedDay} 13:00:00`]
  const record = times.map(time => ({ enrollid: 7, time, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(check, ({ exceptions }) => expect(exceptions.count).toBe(1))
  await eventually(check, ({ unfinishedFrom }) => expect(unfinishedFrom).toBeUndefined())
  // The totals come from summaries, which follow the days a little later.
  await eventually(
    () => http.call('report/total', { filters: period }, boss),
    ({ figures }) => expect(figures).toMatchObject({ unresolvedMinutes: 480, workMinutes: 460 }),
  )
})
afterAll(() => terminal.close())

const check = () => http.call('report/close/check', period, boss)
const openOnes = async () =>
  (await http.call('exception/grid', { filters: period }, boss)).list.map(
    ({ employee, day, shift, type, minutes }) => ({ employee, day, shift, type, minutes }),
  )
const close = (openExceptions?: number, range: object = {}, key: string = randomUUID()) =>
  http.ask(
    'report/close/add',
    { ...period, ...range, type: 'csv', ...(openExceptions !== undefined && { openExceptions }) },
    { ...boss, headers: { ...boss.headers, 'idempotency-key': key } },
  )
const closingKey = randomUUID()

describe('the checklist of a period', () => {
  test('counts the open exceptions and the minutes that they hold back', async () => {
    expect(await check()).toMatchObject({ exceptions: { count: 1, minutes: 480 }, requests: 0, unknownNumbers: 0 })
  })

  test('accounts for all unresolved minutes of the totals, before and after a review', async () => {
    const sumOf = async () => {
      const { exceptions } = await check()
      const { figures } = await http.call('report/total', { filters: period }, boss)
      expect(exceptions.minutes + exceptions.reviewedMinutes).toBe(figures?.unresolvedMinutes)
      return exceptions
    }
    expect(await sumOf()).toMatchObject({ count: 1, minutes: 480, reviewedMinutes: 0 })
    const exceptions = await openOnes()
    await http.call('exception/accept', { exceptions }, boss)
    expect(await sumOf()).toMatchObject({ count: 0, minutes: 0, reviewedMinutes: 480 })
    await http.call('exception/reopen', { exceptions }, boss)
    expect(await sumOf()).toMatchObject({ count: 1, minutes: 480, reviewedMinutes: 0 })
  })

  test('lists a terminal until it has delivered everything up to the end of the period', async () => {
    const { terminals } = await check()
    for (const { uploadedAt } of terminals)
      expect(uploadedAt === undefined || uploadedAt < `${today}T00:00:00`).toBe(true)
    expect((await http.call('report/close/check', { from: today, to: today }, boss)).terminals).toHaveLength(1)
  })

  test('counts only what concerns the departments of a manager', async () => {
    const own = await http.call('report/close/check', period, manager)
    expect(own).toMatchObject({ exceptions: { count: 0, minutes: 0 }, terminals: [], unknownNumbers: 0 })
  })

  test('includes open exceptions of earlier days, because closing locks those days too', async () => {
    const later = { from: workedDay, to: period.to }
    const { exceptions } = await http.call('report/close/check', later, boss)
    expect(exceptions).toEqual({ count: 1, minutes: 480, reviewedMinutes: 0, firstDay: forgottenDay })
  })

  test('names the corrections that wait for an agreement, in the departments of the caller', async () => {
    const setRule = async (correctionRule: 'agreement' | 'manager') => {
      const { version } = await http.call('company/correction', {}, boss)
      await http.call('company/correction/update', { version, correctionRule, objectionDays: 7 }, boss)
    }
    await setRule('agreement')
    const form = { employee: ann, date: forgottenDay, time: '13:00', inout: 1 as const, reason: 'Forgot' }
    const { punch } = await http.call('record/add', form, boss)
    const awaited = { employee: ann, name: 'Ann Work', day: forgottenDay }
    expect((await check()).corrections).toEqual({ count: 1, list: [awaited] })
    expect((await http.call('report/close/check', period, manager)).corrections).toEqual({ count: 0, list: [] })
    await http.call('record/restore', { employee: ann, punch, version: 1 }, boss)
    await setRule('manager')
    expect((await check()).corrections).toEqual({ count: 0, list: [] })
  })

  test('names the first day that is not final', async () => {
    const { unfinishedFrom } = await http.call('report/close/check', { ...period, to: today }, boss)
    expect(unfinishedFrom !== undefined && unfinishedFrom <= today).toBe(true)
  })

  test('rejects a range that ends before it begins', async () => {
    const reversed = { from: period.to, to: period.from }
    expect(await http.ask('report/close/check', reversed, boss)).toMatchObject({ code: 10002, fields: { to: 10002 } })
  })
})

describe('closing a period', () => {
  test('is refused to a manager, for days that are not final, and with unconfirmed open exceptions', async () => {
    const { code } = await http.ask('report/close/add', { ...period, type: 'csv' }, manager)
    expect(code).not.toBe(0)
    expect(await close(1, { to: today })).toMatchObject({ code: 60064, fields: { to: 60064 } })
    for (const count of [undefined, 0, 2])
      expect(await close(count)).toMatchObject({ code: 60105, fields: { openExceptions: 60105 } })
    const columns = { columns: ['name', 'in'] }
    expect(await close(1, columns)).toMatchObject({ code: 10002, fields: { 'columns.1': 10002 } })
    expect((await http.call('report/lock', {}, boss)).lockedTo).toBeUndefined()
    expect((await http.call('report/close/grid', {}, boss)).list).toEqual([])
  })

  test('locks its days and exports the figures of the report', async () => {
    const { data } = (await close(1, {}, closingKey)) as { data: { task: string; lockedTo: string } }
    expect(data.lockedTo).toBe(period.to)
    const { file } = await taskEnd(http, boss, data)
    expect(file?.name).toContain(`${period.from} ${period.to}`)
    const [headings = [], ...rows] = await loadRows(file?.url ?? '')
    const row = rows.find(cells => cells.includes('Ann Work')) ?? []
    const shown = (heading: string) => row[headings.findIndex(name => name?.startsWith(heading))]
    const { list } = await http.call('report/summary', { filters: period }, boss)
    const person = list.find(({ employee }) => employee === ann)
    expect(person).toMatchObject({ dutyMinutes: 960, workMinutes: 460, lateMinutes: 20, unresolvedMinutes: 480 })
    expect(shown('Scheduled hours')).toBe(String(person?.amounts.dutyMinutes))
    expect(shown('Worked')).toBe(String(person?.amounts.workMinutes))
    expect(shown('Unresolved')).toBe(String(person?.amounts.unresolvedMinutes))
    expect((await http.call('report/close/grid', {}, boss)).list).toMatchObject([
      { ...period, by: 'Olga Owner', openExceptions: 1, openMinutes: 480, isReopened: false },
    ])
  })

  test('repeated with its idempotency key gives the same answer and writes nothing more', async () => {
    const written = async () => ({
      periods: await http.call('report/close/grid', {}, boss),
      audited: (await http.call('audit/grid', { filters: { noun: 'period' } }, boss)).list,
      lock: await http.call('report/lock', {}, boss),
    })
    const before = await written()
    const [first, second] = await Promise.all([close(1, {}, closingKey), close(1, {}, closingKey)])
    expect(first).toMatchObject({ code: 0, data: { lockedTo: period.to } })
    expect(second).toEqual(first)
    expect(before.audited).toHaveLength(1)
    expect(await written()).toEqual(before)
  })

  test('makes corrections of its days fail', async () => {
    const form = { employee: ann, date: forgottenDay, time: '13:00', inout: 1 as const, reason: 'Forgot' }
    expect(await http.ask('record/add', form, boss)).toMatchObject({ code: 60061, fields: { date: 60061 } })
  })

  test('makes reviews of its exceptions fail', async () => {
    const exceptions = await openOnes()
    expect(exceptions).toHaveLength(1)
    for (const path of ['exception/accept', 'exception/reopen'] as const)
      expect(await http.ask(path, { exceptions }, boss)).toMatchObject({
        ...{ code: 60061, fields: { 'exceptions.0': 60061 } },
      })
  })

  test('happens once: closing it again is refused and keeps its record', async () => {
    const [before] = (await http.call('report/close/grid', {}, boss)).list
    for (const from of [period.from, period.to])
      expect(await close(1, { from, type: 'xlsx' })).toMatchObject({ code: 60061, fields: { to: 60061 } })
    expect((await http.call('report/close/grid', {}, boss)).list).toEqual([before])
  })

  test('is audited with the exceptions that stayed open', async () => {
    const { list } = await http.call('audit/grid', { filters: { noun: 'period' } }, boss)
    expect(list[0]?.changes[0]?.fields).toMatchObject({ openExceptions: { after: 1 }, openMinutes: { after: 480 } })
  })

  test('ends when an administrator unlocks its days', async () => {
    await http.call('report/lock/update', { lockedTo: addDays(period.from, -1) }, boss)
    expect((await http.call('report/close/grid', {}, boss)).list).toMatchObject([
      { ...period, isReopened: true, isLocked: false },
    ])
  })

  test('stays marked as reopened when a later period locks its days again', async () => {
    const later = { from: addDays(period.to, 1), to: addDays(today, -3) }
    // The recalculation of the unlocked days ends first.
    await eventually(
      () => close(1, later),
      ({ code }) => expect(code).toBe(0),
    )
    expect((await http.call('report/close/grid', {}, boss)).list).toMatchObject([
      { ...later, isReopened: false, isLocked: true },
      { ...period, isReopened: true, isLocked: true },
    ])
  })
})

test('a company sets its pay period, and a day that some months lack cannot begin one', async () => {
  const { version, timezone, dateformat_id, timeformat_id, splitTime, firstWeekday, payPeriod } = await http.call(
    'company/get',
    {},
    boss,
  )
  expect(payPeriod).toEqual({ every: 'monthly', from: '2026-01-01' })
  const form = {
    ...{ version, timezone, splitTime, firstWeekday },
    ...{ dateformat_id: dateformat_id as 1, timeformat_id: timeformat_id as 1 },
  }
  const update = (from: string) =>
    http.ask('company/time/update', { ...form, payPeriod: { every: 'halfMonthly', from } }, boss)
  expect(await update('2026-01-14')).toMatchObject({ code: 10002, fields: { 'payPeriod.from': 10002 } })
  expect(await update('2026-01-13')).toMatchObject({ code: 0 })
  expect((await http.call('auth/get', {}, boss)).payPeriod).toEqual({ every: 'halfMonthly', from: '2026-01-13' })
})
