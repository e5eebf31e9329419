import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDays } from '../../shared/local-day.ts'
import { noSummary, summaryKey, wholeCompany } from '../../shared/summary.ts'
import { openTaskKey } from '../../shared/task.ts'
import { type Client, client, countFirstToLast, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// No event changes locked days. The server lists pending changes of locked days, and applies them when the days are
// unlocked.

const zone = eveningZone()
const today = dayIn(zone)
const [paidDay, lockedTo] = [addDays(today, -5), addDays(today, -3)]
let world: StackWithTable
let http: Client
let olga: Registered
let terminal: Socket
const sn = 'LOCK-1'

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  olga = await register(http, { timezone: zone })
  await countFirstToLast(http, olga)
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber: sn, name: 'Gate', department: olga.department },
    olga,
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
  const { list } = await http.call('report/grid', { filters: { from: paidDay, to: paidDay } }, olga)
  return list.reduce((sum, row) => sum + row.workMinutes + row.overtimeMinutes, 0)
}
const changes = async () => (await http.call('report/lock/change/grid', {}, olga)).list
const lock = (day: string | null) => http.call('report/lock/update', { lockedTo: day }, olga)

test('locked days keep their figures, list pending changes, and apply them once unlocked', async () => {
  await eventually(
    () => http.call('report/lock', {}, olga),
    ({ settledTo }) => expect(settledTo >= lockedTo).toBe(true),
  )
  expect(await lock(lockedTo)).toEqual({})
  expect(await http.call('report/lock', {}, olga)).toMatchObject({ lockedTo, by: 'Olga Owner' })
  await punch('18:00:00')
  await eventually(changes, list =>
    expect(list).toMatchObject([
      {
        employee: olga.owner,
        day: paidDay,
        before: { overtimeMinutes: 540 },
        after: { overtimeMinutes: 600 },
        cause: 'punch',
      },
    ]),
  )
  expect(await workMinutes()).toBe(540)

  const { preview } = await taskEnd(http, olga, await http.call('report/lock/preview', { lockedTo: null }, olga))
  expect(preview).toMatchObject({
    employees: 1,
    days: 1,
    before: { overtimeMinutes: 540 },
    after: { overtimeMinutes: 600 },
  })
  expect(await workMinutes()).toBe(540)

  const owed = await lock(addDays(paidDay, -1))
  expect(await taskEnd(http, olga, { task: owed.task ?? '' })).toMatchObject({
    state: 'done',
    recalculated: { rows: 1 },
  })
  expect(await workMinutes()).toBe(600)
  expect(await changes()).toEqual([])
  const { list } = await http.call('audit/grid', { filters: { noun: 'company' } }, olga)
  expect(list[0]?.changes[0]?.fields).toMatchObject({ lockedTo: { before: lockedTo, after: addDays(paidDay, -1) } })
})

describe('locking is refused', () => {
  const refusal = async (day: string) => {
    const { code, fields } = await http.ask('report/lock/update', { lockedTo: day }, olga)
    return { code, fields }
  }

  test('for days that are not over', async () => {
    expect(await refusal(today)).toEqual({ code: 60064, fields: { lockedTo: 60064 } })
  })

  test('for days still open in a week or on a terminal', async () => {
    const open = addDays(today, -4)
    const summary = { ...noSummary(open), scope: wholeCompany, open: { [addDays(open, 2)]: 1 } }
    await world.set(summaryKey(wholeCompany, open), summary, olga.company)
    expect(await refusal(addDays(open, 2))).toEqual({ code: 60064, fields: { lockedTo: 60064 } })
    expect(await http.call('report/lock', {}, olga)).toMatchObject({ settledTo: addDays(open, 1) })
    await lock(addDays(open, 1))
    await world.set(summaryKey(wholeCompany, open), { ...summary, open: {} }, olga.company)
  })

  test('while days are being calculated', async () => {
    const key = openTaskKey('t'.repeat(16))
    await world.set(key, { id: key.sk, kind: 'shift/update' }, olga.company)
    expect(await refusal(addDays(today, -2))).toEqual({ code: 60065, fields: undefined })
    await world.remove(key, olga.company)
    expect(await lock(addDays(today, -2))).not.toHaveProperty('code')
    await eventually(
      async () => (await world.everything()).filter(({ pk }) => String(pk).endsWith(openTaskKey('').pk)),
      left => expect(left).toEqual([]),
    )
  })

  test('to a manager, who sees the pending changes of managed employees only', async () => {
    const { id: department } = await http.call('department/add', { name: 'Elsewhere' }, olga)
    const role = await http.call('role/add', { name: 'Reporter', permissions: [8], departments: [department] }, olga)
    const reporter = await invite(http, olga, {
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
