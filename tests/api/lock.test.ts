import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDays } from '../../shared/local-day.ts'
import { noSummary, summaryKey, wholeCompany } from '../../shared/summary.ts'
import { openTaskKey } from '../../shared/task.ts'
import { type Client, client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// Days that were paid: nothing changes them, what they would be is told, and when they are opened they become that.

const zone = eveningZone()
const today = dayIn(zone)
const [paidDay, lockedTo] = [addDays(today, -5), addDays(today, -3)]
let world: StackWithTable
let http: Client
let mine: Registered
let terminal: Socket
const sn = 'LOCK-1'

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  mine = await register(http, { timezone: zone })
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber: sn, name: 'Gate', department: mine.department },
    mine,
  )
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn, devinfo: { modelname: 'M', firmware: '1' } })
  await terminal.hear({ ret: 'reg' })
  await punch('08:00:00', '17:00:00')
  await eventually(workMinutes, minutes => expect(minutes).toBe(540))
})
afterAll(async () => {
  await terminal.close()
  await world.stop()
})

let logindex = 0
const punch = async (...times: string[]) => {
  const record = times.map(time => ({ enrollid: 1, time: `${paidDay} ${time}`, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++logindex, record })
  expect(await terminal.hear({ ret: 'sendlog', logindex })).toMatchObject({ result: true })
}
const workMinutes = async () => {
  const { list } = await http.call('report/grid', { filters: { from: paidDay, to: paidDay } }, mine)
  return list.reduce((sum, row) => sum + row.workMinutes + row.overtimeMinutes, 0)
}
const changes = async () => (await http.call('report/lock/change/grid', {}, mine)).list
const lock = (day: string | null) => http.call('report/lock/update', { lockedTo: day }, mine)

test('locked days stay as they were paid, tell what they would be, and become that once they are opened', async () => {
  await eventually(
    () => http.call('report/lock', {}, mine),
    ({ settledTo }) => expect(settledTo >= lockedTo).toBe(true),
  )
  expect(await lock(lockedTo)).toEqual({})
  expect(await http.call('report/lock', {}, mine)).toMatchObject({ lockedTo, by: 'Olga Owner' })
  await punch('18:00:00')
  await eventually(changes, list =>
    expect(list).toMatchObject([
      {
        employee: mine.owner,
        day: paidDay,
        before: { overtimeMinutes: 540 },
        after: { overtimeMinutes: 600 },
        cause: 'punch',
      },
    ]),
  )
  expect(await workMinutes()).toBe(540)

  const { preview } = await taskEnd(http, mine, await http.call('report/lock/preview', { lockedTo: null }, mine))
  expect(preview).toMatchObject({
    employees: 1,
    days: 1,
    before: { overtimeMinutes: 540 },
    after: { overtimeMinutes: 600 },
  })
  expect(await workMinutes()).toBe(540)

  const owed = await lock(addDays(paidDay, -1))
  expect(await taskEnd(http, mine, { task: owed.task ?? '' })).toMatchObject({
    state: 'done',
    recalculated: { rows: 1 },
  })
  expect(await workMinutes()).toBe(600)
  expect(await changes()).toEqual([])
  const { list } = await http.call('audit/grid', { filters: { noun: 'company' } }, mine)
  expect(list[0]?.changes[0]?.fields).toMatchObject({ lockedTo: { before: lockedTo, after: addDays(paidDay, -1) } })
})

describe('days are not locked', () => {
  const refusal = async (day: string) => {
    const { code, fields } = await http.ask('report/lock/update', { lockedTo: day }, mine)
    return { code, fields }
  }

  test('that are not over', async () => {
    expect(await refusal(today)).toEqual({ code: 60064, fields: { lockedTo: 60064 } })
  })

  test('of which something is still to come, as a week that goes on or what a terminal holds', async () => {
    const open = addDays(today, -4)
    const summary = { ...noSummary(open), scope: wholeCompany, open: { [addDays(open, 2)]: 1 } }
    await world.set(summaryKey(wholeCompany, open), summary, mine.company)
    expect(await refusal(addDays(open, 2))).toEqual({ code: 60064, fields: { lockedTo: 60064 } })
    expect(await http.call('report/lock', {}, mine)).toMatchObject({ settledTo: addDays(open, 1) })
    await lock(addDays(open, 1))
    await world.set(summaryKey(wholeCompany, open), { ...summary, open: {} }, mine.company)
  })

  test('while days are being calculated', async () => {
    const key = openTaskKey('t'.repeat(16))
    await world.set(key, { id: key.sk, kind: 'shift/update' }, mine.company)
    expect(await refusal(addDays(today, -2))).toEqual({ code: 60065, fields: undefined })
    await world.remove(key, mine.company)
    expect(await lock(addDays(today, -2))).not.toHaveProperty('code')
    await eventually(
      async () => (await world.everything()).filter(({ pk }) => String(pk).endsWith(openTaskKey('').pk)),
      left => expect(left).toEqual([]),
    )
  })

  test('by anybody but an administrator, and their changes are told of the people one manages', async () => {
    const { id: department } = await http.call('department/add', { name: 'Elsewhere' }, mine)
    const role = await http.call('role/add', { name: 'Reporter', permissions: [8], departments: [department] }, mine)
    const reporter = await invite(http, mine, {
      first_name: 'Rita',
      last_name: 'R',
      workno: '77',
      department,
      role: 2,
      roleId: role.id,
    })
    expect(await http.ask('report/lock/update', { lockedTo: null }, reporter)).toMatchObject({ code: 60005 })
    await punch('19:00:00')
    await eventually(changes, list => expect(list).toHaveLength(1))
    expect((await http.call('report/lock/change/grid', {}, reporter)).list).toEqual([])
  })
})
