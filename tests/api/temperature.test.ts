import { beforeAll, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { loadRows, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'

// Managers with the permission for temperatures read temperatures and masks.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const headers = { 'x-timezone': zone }

let company: Registered
let boss: { token: string; headers: { 'x-timezone': string } }
let other: string
let people: string[]
let path: string
const serialNumber = `H${Math.random().toString(36).slice(2, 10)}`.toUpperCase()

type Filters = Partial<PathCall<'temperature/grid'>['filters']>
const days = { from: day, to: day }
const readTemperatures = async (filters: Filters = {}, by: { token: string } = boss) =>
  (await http.call('temperature/grid', { filters: { ...days, ...filters }, size: 200 }, by)).list
const readSummary = (filters: Filters = {}, by: { token: string } = boss) =>
  http.call('temperature/summary', { filters: { ...days, ...filters } }, by)

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  other = (await http.call('department/add', { name: 'Other', parent: company.department }, boss)).id
  people = []
  for (const [i, first_name] of ['Ada', 'Ben', 'Carl', 'Dora'].entries()) {
    const department = i < 2 ? company.department : other
    const person = { first_name, last_name: 'Warm', workno: String(500 + i), department }
    people.push((await http.call('employee/add', person, boss)).id)
  }
  const device = { serialNumber, name: 'Gate', department: company.department }
  path = (await http.call('device/add', device, boss)).serverPath
  const socket = await openSocket(http.address, { path })
  socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const punch = (enrollid: number, time: string, more: object) => ({
    ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
    ...more,
  })
  const record = [
    punch(500, '08:00:00', { temp: 36.6, mask: 1 }),
    punch(501, '08:01:00', { temp: 38.4, mask: 0 }),
    punch(502, '08:02:00', { temp: 37.3 }),
    punch(503, '08:03:00', { mask: 0 }),
    // A punch without a measurement.
    punch(500, '17:00:00', {}),
  ]
  socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
  expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(readTemperatures, list => expect(list).toHaveLength(4))
})

test('the list contains punches with a temperature or mask, newest first, and no other fields of a punch', async () => {
  const list = await readTemperatures()
  expect(list.map(({ workno }) => workno)).toEqual(['503', '502', '501', '500'])
  const { at } = list[2] ?? {}
  expect(list[2]).toEqual({
    ...{ employee: people[1], first_name: 'Ben', last_name: 'Warm', workno: '501', department: company.department },
    ...{ day, at, timezone: zone, device: serialNumber, deviceName: 'Gate' },
    ...{ temperature: 38.4, isHigh: true, mask: false },
  })
})

test('the list and its summary apply the same filters', async () => {
  const cases: [Filters, string[]][] = [
    [{ temperature: -1, mask: -1 }, ['500', '501', '502', '503']],
    [{ temperature: 0 }, ['500']],
    [{ temperature: 1 }, ['501', '502']],
    [{ mask: 0 }, ['501', '503']],
    [{ mask: 1 }, ['500']],
    [{ temperature: 1, mask: 0 }, ['501']],
    [{ department: other }, ['502', '503']],
    [{ employee: people[0] }, ['500']],
    [{ device: serialNumber, search: 'carl' }, ['502']],
    [{ device: 'NONE' }, []],
  ]
  for (const [filters, expected] of cases) {
    const list = await readTemperatures(filters)
    expect(list.map(({ workno }) => workno).sort(), JSON.stringify(filters)).toEqual(expected)
    expect(await readSummary(filters), JSON.stringify(filters)).toEqual({
      measured: list.filter(({ temperature }) => temperature !== undefined).length,
      high: list.filter(({ isHigh }) => isHigh).length,
      withoutMask: list.filter(({ mask }) => mask === false).length,
      ...{ isMore: false, temp_unit: 0, fever_threshold: 37.3 },
    })
  }
})

test('the summary counts old measurements, even after a long period without any', async () => {
  const longAgo = addDays(day, -60)
  const socket = await openSocket(http.address, { path })
  socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  const record = [{ enrollid: 500, time: `${longAgo} 08:00:00`, mode: 8, inout: 0, event: 0, temp: 39.1, mask: 0 }]
  socket.say({ cmd: 'sendlog', count: 1, logindex: 2, record })
  expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  await eventually(
    () => readSummary({ from: addDays(day, -80) }),
    summary => expect(summary).toMatchObject({ measured: 4, high: 3, withoutMask: 3, isMore: false }),
  )
  socket.close()
})

test('the pages of the list contain each measurement once', async () => {
  const listed: string[] = []
  for (let page: string | undefined; ; ) {
    const part = await http.call('temperature/grid', { filters: days, size: 3, page }, boss)
    listed.push(...part.list.map(({ workno }) => workno))
    page = part.next
    if (!page) break
  }
  expect(listed).toEqual(['503', '502', '501', '500'])
})

test('the record and temperature permissions both open temperatures, and only the first opens records', async () => {
  const inviteManager = async (permissions: number[], workno: string) => {
    const { id: roleId } = await http.call('role/add', { name: workno, permissions, departments: [other] }, boss)
    return invite(http, boss, { first_name: 'M', last_name: 'M', workno, department: other, role: 2, roleId })
  }
  const nurse = await inviteManager([11], '591')
  const manager = await inviteManager([9], '592')
  const planner = await inviteManager([7], '593')
  for (const reader of [nurse, manager]) {
    expect((await readTemperatures({}, reader)).map(({ workno }) => workno)).toEqual(['503', '502'])
    expect(await readSummary({}, reader)).toMatchObject({ measured: 1, high: 1, withoutMask: 1 })
  }
  expect(await http.ask('record/grid', { filters: days }, nurse)).toMatchObject({ code: 60005 })
  expect(await http.ask('temperature/grid', { filters: days }, planner)).toMatchObject({ code: 60005 })
  const input = { type: 'csv' as const, filters: days }
  const task = await taskEnd(http, nurse, await http.call('temperature/export', input, nurse))
  expect(task).toMatchObject({ state: 'done', rowCount: 2 })
  const [headings = [], ...rows] = await loadRows(task.file?.url ?? '')
  const [worknoAt, temperatureAt] = [headings.indexOf('Employee ID'), headings.indexOf('Temperature (°C)')]
  expect(rows.map(row => [row[worknoAt], row[temperatureAt]])).toEqual([
    ['503', ''],
    ['502', '37.3'],
  ])
})

test('the summary uses the company’s threshold and unit', async () => {
  const { version, ...settings } = await http.call('company/prevention', {}, boss)
  await http.call('company/prevention/update', { ...settings, temp_unit: 1, fever_threshold: 101, version }, boss)
  expect(await readSummary()).toMatchObject({ measured: 3, high: 1, temp_unit: 1, fever_threshold: 101 })
  expect((await readTemperatures({ temperature: 1 })).map(({ workno }) => workno)).toEqual(['501'])
  const task = await taskEnd(http, boss, await http.call('temperature/export', { type: 'csv', filters: days }, boss))
  const [headings = [], ...rows] = await loadRows(task.file?.url ?? '')
  const column = headings.indexOf('Temperature (°F)')
  expect(rows.map(row => row[column])).toContain('99.1')
})
