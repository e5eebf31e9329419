import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { addDays } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { loadRows, taskEnd } from '../kit/sheet.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Managers search punches, and assign numbers without an employee.

const http = client(inject('address'))
const zone = eveningZone()
const day = dayIn(zone)
const yesterday = addDays(day, -1)
const headers = { 'x-timezone': zone }

type Filters = PathCall<'record/grid'>['filters']
type Record = PathOutput<'record/grid'>['list'][number]

let company: Registered
let boss: { token: string; headers: { 'x-timezone': string } }
let other: string
let manager: { token: string }
const people: string[] = []

interface Terminal {
  serialNumber: string
  socket: Socket
  send(records: object[]): Promise<void>
}
let gate: Terminal
let door: Terminal

const openTerminal = async (name: string, department: string): Promise<Terminal> => {
  const serialNumber = `R${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const { serverPath } = await http.call('device/add', { serialNumber, name, department }, boss)
  const socket = await openSocket(http.address, { path: serverPath })
  socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logs = 0
  const send = async (records: object[]) => {
    const record = records.map(fields => ({ mode: 8, inout: 0, event: 0, ...fields }))
    socket.say({ cmd: 'sendlog', count: record.length, logindex: ++logs, record })
    expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
  }
  return { serialNumber, socket, send }
}

const readRecords = async (filters: Partial<Filters> = {}, by: { token: string } = boss) =>
  (await http.call('record/grid', { filters: { from: yesterday, to: day, ...filters }, size: 200 }, by)).list
const numbersOf = (list: Record[]) => list.map(({ workno }) => workno).sort()
const punch = (enrollid: number, time: string, more: object = {}) => ({ enrollid, time: `${day} ${time}`, ...more })

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers }
  other = (await http.call('department/add', { name: 'Other', parent: company.department }, boss)).id
  const names = ['Ada', 'Ben', 'Carl', 'Dora']
  for (const [i, first_name] of names.entries()) {
    const department = i < 2 ? company.department : other
    const person = { first_name, last_name: 'Record', workno: String(500 + i), department }
    people.push((await http.call('employee/add', person, boss)).id)
  }
  const role = { name: 'Other', permissions: [9], departments: [other] }
  const { id: roleId } = await http.call('role/add', role, boss)
  const person = { first_name: 'Mona', last_name: 'M', workno: '599', department: other, role: 2, roleId }
  manager = await invite(http, boss, person)
  gate = await openTerminal('Gate', company.department)
  door = await openTerminal('Door', other)
  await gate.send([
    punch(500, '08:00:00', { temp: 36.6, mask: 1 }),
    punch(501, '08:01:00', { temp: 38.4, mask: 0 }),
    punch(502, '08:02:00', { verifymode: 13 }),
    { enrollid: 500, time: `${yesterday} 17:00:00` },
  ])
  await door.send([punch(503, '08:03:00', { temp: 37.3 }), punch(502, '12:00:00', { mask: 1 })])
  await eventually(readRecords, list => expect(list).toHaveLength(6))
})

describe('the record list', () => {
  test('shows the data of a punch: time, terminal, temperature, mask and means of identification', async () => {
    const list = await readRecords({ to: day, from: day })
    expect(list.map(({ workno }) => workno)).toEqual(['502', '503', '502', '501', '500'])
    expect(list[4]).toMatchObject({
      ...{ employee: people[0], first_name: 'Ada', department: company.department, day, timezone: zone },
      ...{ device: gate.serialNumber, deviceName: 'Gate', source: 'sendlog', mode: 8, means: 'face' },
      ...{ temperature: 36.6, isHigh: false, mask: true },
    })
    expect(list[3]).toMatchObject({ temperature: 38.4, isHigh: true, mask: false })
    expect(list[2]).toMatchObject({ verifymode: 13, means: 'qr' })
    expect([list[2]?.temperature, list[2]?.mask]).toEqual([undefined, undefined])
  })

  test('applies each filter, and all filters together', async () => {
    expect(numbersOf(await readRecords({ employee: people[2] }))).toEqual(['502', '502'])
    expect(numbersOf(await readRecords({ department: other }))).toEqual(['502', '502', '503'])
    // Sub-departments count too.
    expect(await readRecords({ department: company.department })).toHaveLength(6)
    expect(numbersOf(await readRecords({ device: door.serialNumber }))).toEqual(['502', '503'])
    expect(await readRecords({ device: 'NONE' })).toEqual([])
    expect(numbersOf(await readRecords({ from: yesterday, to: yesterday }))).toEqual(['500'])
    expect(numbersOf(await readRecords({ search: 'ben' }))).toEqual(['501'])
    expect(numbersOf(await readRecords({ search: '503' }))).toEqual(['503'])
    expect(await readRecords({ source: 'sendlog' })).toHaveLength(6)
    expect(await readRecords({ source: 'getalllog' })).toEqual([])
    expect(await readRecords({ temperature: -1, mask: -1 })).toHaveLength(6)
    expect(numbersOf(await readRecords({ temperature: 0 }))).toEqual(['500'])
    expect(numbersOf(await readRecords({ temperature: 1 }))).toEqual(['501', '503'])
    expect(numbersOf(await readRecords({ mask: 0 }))).toEqual(['501'])
    expect(numbersOf(await readRecords({ mask: 1 }))).toEqual(['500', '502'])
    const all = { department: other, employee: people[2], device: door.serialNumber, source: 'sendlog' as const }
    expect(numbersOf(await readRecords({ ...all, mask: 1, search: 'carl' }))).toEqual(['502'])
    expect(await readRecords({ ...all, temperature: 1 })).toEqual([])
  })

  test('applies the company’s fever threshold', async () => {
    const { version, ...settings } = await http.call('company/prevention', {}, boss)
    const fahrenheit = { ...settings, temp_unit: 1 as const, fever_threshold: 101 }
    await http.call('company/prevention/update', { ...fahrenheit, version }, boss)
    expect(numbersOf(await readRecords({ temperature: 1 }))).toEqual(['501'])
    expect(numbersOf(await readRecords({ temperature: 0 }))).toEqual(['500', '503'])
    await http.call('company/prevention/update', { ...settings, version: version + 1 }, boss)
  })

  test('rejects a range that ends before it begins, and an unknown filter value', async () => {
    const filters = { from: day, to: yesterday }
    expect(await http.ask('record/grid', { filters }, boss)).toMatchObject({ fields: { 'filters.to': 10002 } })
    const invalid = { filters: { from: yesterday, to: day, mask: 2 } } as never
    expect(await http.ask('record/grid', invalid, boss)).toMatchObject({ fields: { 'filters.mask': 10002 } })
  })

  test('shows a manager only the punches of their departments', async () => {
    expect(numbersOf(await readRecords({}, manager))).toEqual(['502', '502', '503'])
    expect(await readRecords({ department: company.department }, manager)).toHaveLength(3)
    expect(await readRecords({ employee: people[0] }, manager)).toEqual([])
    expect(await readRecords({ search: 'Ada' }, manager)).toEqual([])
  })

  test('has no gaps and no duplicates while punches arrive between the pages', { tags: 'long' }, async () => {
    const expected = (await readRecords()).map(({ at, workno }) => `${at} ${workno}`)
    const listed: string[] = []
    let arrived = 0
    for (let page: string | undefined; ; ) {
      const filters = { from: yesterday, to: day }
      const part: PathOutput<'record/grid'> = await http.call('record/grid', { filters, size: 1, page }, boss)
      listed.push(...part.list.map(({ at, workno }) => `${at} ${workno}`))
      // A new punch arrives before the next page.
      await gate.send([punch(501, `13:00:${String(arrived++).padStart(2, '0')}`)])
      await eventually(
        () => readRecords({ employee: people[1] }),
        list => expect(list).toHaveLength(1 + arrived),
      )
      page = part.next
      if (!page) break
    }
    expect(listed).toEqual(expected)
    expect((await readRecords({ employee: people[1] })).length).toBe(1 + arrived)
  })
})

describe('a record export', () => {
  test.each(['csv', 'xlsx'] as const)('contains in %s the rows of the list, with its filters', async type => {
    const filters = { from: yesterday, to: day, device: door.serialNumber }
    const task = await taskEnd(http, boss, await http.call('record/export', { type, filters }, boss))
    expect(task).toMatchObject({
      state: 'done',
      rowCount: 2,
      file: { name: expect.stringMatching(`^Records ${yesterday} ${day} .+\\.${type}$`) },
    })
    const [head = [], ...rows] = await loadRows(task.file?.url ?? '')
    expect(head.slice(0, 4)).toEqual(['Employee ID', 'Employee', 'Day', 'Time'])
    // A workbook has cells of times, which the reader of workbooks shows to the minute.
    const seconds = type === 'csv' ? ':00' : ''
    expect(rows.map(([workno, name, , time]) => [workno, name, time])).toEqual([
      ['502', 'Carl Record', `12:00${seconds}`],
      ['503', 'Dora Record', `08:03${seconds}`],
    ])
    expect(rows[1]).toContain('37.3')
    expect(rows[0]).toEqual(expect.arrayContaining(['Door', 'Face']))
  })

  test('contains only rows of the manager’s departments', async () => {
    const filters = { from: yesterday, to: day }
    const task = await taskEnd(http, manager, await http.call('record/export', { type: 'csv', filters }, manager))
    const [, ...rows] = await loadRows(task.file?.url ?? '')
    expect(rows.map(([workno]) => workno).sort()).toEqual(['502', '502', '503'])
  })
})

describe('a number without an employee', () => {
  const listOrphans = () => http.call('record/orphan/grid', {}, boss)
  const workno = '7077'
  const countPunches = async (employee: string | undefined) => {
    const report = await http.call('report/day', { employee: employee ?? '', day }, boss)
    return report.list.reduce((sum, row) => sum + row.punches.length, 0)
  }

  beforeAll(async () => {
    await door.send([punch(7077, '09:00:00'), punch(7077, '17:00:00')])
    await eventually(listOrphans, ({ list }) => expect(list).toMatchObject([{ workno }]))
  })

  test('appears with its terminal and punches only for callers who see all employees', async () => {
    expect((await listOrphans()).list).toMatchObject([
      { workno, serialNumber: door.serialNumber, deviceName: 'Door', timezone: zone },
    ])
    expect((await http.call('record/orphan/get', { workno }, boss)).list).toMatchObject([
      { device: door.serialNumber, deviceName: 'Door' },
      {},
    ])
    expect(await http.call('record/orphan/grid', {}, manager)).toEqual({ list: [], assigned: [] })
    expect(await http.call('record/orphan/get', { workno }, manager)).toEqual({ list: [] })
    // The path returns no punches of a number that has an employee.
    expect(await http.call('record/orphan/get', { workno: '500' }, boss)).toEqual({ list: [] })
  })

  test('cannot be assigned to a missing employee, and not by a manager who does not see all employees', async () => {
    const employee = people[2] ?? ''
    const missing = (field: string) => ({ code: 60004, fields: { [field]: 60004 } })
    expect(await http.ask('record/orphan/assign', { workno: '500', employee }, boss)).toMatchObject(missing('workno'))
    expect(await http.ask('record/orphan/assign', { workno, employee: '0'.repeat(16) }, boss)).toMatchObject(
      missing('employee'),
    )
    expect(await http.ask('record/orphan/assign', { workno, employee }, manager)).toMatchObject(missing('workno'))
    expect(await http.ask('record/orphan/assign', { workno, employee: people[0] ?? '' }, manager)).toMatchObject(
      missing('employee'),
    )
    const newcomer = { first_name: 'Late', last_name: 'L', workno: '598', department: other, hireDay: addDays(day, 3) }
    const { id } = await http.call('employee/add', newcomer, boss)
    expect(await http.ask('record/orphan/assign', { workno, employee: id }, boss)).toMatchObject({
      fields: { employee: 10002 },
    })
  })

  test('counts for its employee, accepts one of two simultaneous assignments, and appears in the audit log', async () => {
    const [first = '', second = ''] = [people[2], people[3]]
    const before = [await countPunches(first), await countPunches(second)]
    const answers = await Promise.all(
      [first, second].map(employee => http.ask('record/orphan/assign', { workno, employee }, boss)),
    )
    expect(answers.map(({ code }) => code).sort((a, b) => a - b)[0]).toBe(0)
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    const winner = answers[0]?.code === 0 ? 0 : 1
    const employee = [first, second][winner] ?? ''
    const task = await taskEnd(http, boss, { task: String(answers[winner]?.data.task) })
    expect(task).toMatchObject({ state: 'done', kind: 'record/orphan/assign' })
    expect(await countPunches(employee)).toBe((before[winner] ?? 0) + 2)
    expect(await countPunches([first, second][1 - winner])).toBe(before[1 - winner])
    expect(await listOrphans()).toMatchObject({ list: [], assigned: [{ workno, employee, by: 'Olga Owner' }] })

    // Later punches with the number count for the employee too.
    await door.send([punch(7077, '17:30:00')])
    await eventually(
      () => countPunches(employee),
      count => expect(count).toBe((before[winner] ?? 0) + 3),
    )
    const entries = (await http.call('audit/grid', { filters: { noun: 'employee', object: employee } }, boss)).list
    expect(entries[0]?.changes).toMatchObject([{ change: 'changed', fields: { assignedWorkno: { after: workno } } }])
    // The number cannot become the employee ID of another employee.
    const taken = { first_name: 'T', last_name: 'T', workno, department: other }
    expect(await http.ask('employee/add', taken, boss)).toMatchObject({ fields: { workno: 59014 } })
  })

  test('can be taken back from its employee, and then its punches have no employee again', async () => {
    const [{ employee } = { employee: '' }] = (await listOrphans()).assigned
    const count = await countPunches(employee)
    const invalid = { workno, employee: people[0] ?? '' }
    expect(await http.ask('record/orphan/return', invalid, boss)).toMatchObject({ fields: { workno: 60004 } })
    expect(await http.ask('record/orphan/return', { workno, employee }, manager)).toMatchObject({
      fields: { workno: 60004 },
    })
    const task = await taskEnd(http, boss, await http.call('record/orphan/return', { workno, employee }, boss))
    expect(task.state).toBe('done')
    expect(await countPunches(employee)).toBe(count - 3)
    expect(await listOrphans()).toMatchObject({ list: [{ workno }], assigned: [] })
    const entries = (await http.call('audit/grid', { filters: { object: employee } }, boss)).list
    expect(entries[0]?.changes).toMatchObject([{ fields: { assignedWorkno: { before: workno } } }])
    // Now the number can become the employee ID of any employee.
    const person = { first_name: 'New', last_name: 'N', workno, department: other }
    const { id } = await http.call('employee/add', person, boss)
    await eventually(
      () => countPunches(id),
      punches => expect(punches).toBe(3),
    )
    expect((await listOrphans()).list).toEqual([])
  })

  test('cannot be taken back after it became the employee ID of its employee', async () => {
    const number = '7088'
    await door.send([punch(7088, '10:00:00')])
    await eventually(listOrphans, ({ list }) => expect(list).toMatchObject([{ workno: number }]))
    const employee = people[3] ?? ''
    await taskEnd(http, boss, await http.call('record/orphan/assign', { workno: number, employee }, boss))
    const stored = (await http.call('employee/grid', { filters: { search: '503' } }, boss)).list[0]
    if (!stored) throw new Error('Nobody')
    const { id, version, first_name, last_name, department, role } = stored
    const form = { id, version, first_name, last_name, department, role, workno: number }
    await http.call('employee/update', form, boss)
    expect((await listOrphans()).assigned).toEqual([])
    expect(await http.ask('record/orphan/return', { workno: number, employee }, boss)).toMatchObject({ code: 60004 })
  })

  test('can be assigned even if it is too long for an employee ID', async () => {
    const long = '707700000000077'
    await door.send([punch(Number(long), '09:30:00')])
    await eventually(listOrphans, ({ list }) => expect(list.map(orphan => orphan.workno)).toContain(long))
    expect((await http.call('record/orphan/get', { workno: long }, boss)).list).toHaveLength(1)
    const assignment = { workno: long, employee: people[1] ?? '' }
    await taskEnd(http, boss, await http.call('record/orphan/assign', assignment, boss))
    expect((await listOrphans()).assigned).toEqual(expect.arrayContaining([expect.objectContaining(assignment)]))
    await taskEnd(http, boss, await http.call('record/orphan/return', assignment, boss))
    expect((await listOrphans()).list.map(orphan => orphan.workno)).toContain(long)
  })
})
