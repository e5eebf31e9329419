import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../shared/api.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, eventually, invite, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// Employees leave and return. Hire and end dates may remove worked days.

const http = client(inject('address'))
const zone = 'Europe/Berlin'
const today = localDay(zone, Date.now())
const [firstDay, secondDay, gapDay] = [addDays(today, -20), addDays(today, -19), addDays(today, -10)]

let company: Registered
let boss: { token: string; headers: Record<string, string> }
let terminal: Socket
let logs = 0
let number = 500

beforeAll(async () => {
  company = await register(http, { timezone: zone })
  boss = { token: company.token, headers: { 'x-timezone': zone } }
  const serialNumber = `E${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const device = { serialNumber, name: 'Door', department: company.department }
  const { serverPath } = await http.call('device/add', device, boss)
  terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
})

const punch = async (enrollid: number, day: string, ...times: string[]) => {
  const record = times.map(time => ({ enrollid, time: `${day} ${time}:00`, mode: 8, inout: 0, event: 0 }))
  terminal.say({ cmd: 'sendlog', count: record.length, logindex: ++logs, record })
  expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
}

type Employee = PathOutput<'employee/grid'>['list'][number]
const find = async (id: string): Promise<Employee> => {
  const { list } = await http.call('employee/grid', { size: 200 }, boss)
  return list.find(employee => employee.id === id) as Employee
}
const formOf = ({ id, version, first_name, last_name, workno, department, hireDay, endDay, role }: Employee) => ({
  ...{ id, version, first_name, last_name, workno, department, role },
  ...(hireDay && { hireDay }),
  ...(endDay && { endDay }),
})
const update = async (id: string, change: object) =>
  http.ask('employee/update', { ...formOf(await find(id)), ...change }, boss)

const rowsOf = async (employee: string) => {
  const filters = { employee, from: addDays(today, -30), to: today }
  const { list } = await http.call('report/grid', { size: 50, filters }, boss)
  return list.toSorted((one, other) => one.day.localeCompare(other.day))
}

/** Adds an employee who worked on two days. */
const worker = async (more: object = {}) => {
  const workno = String(++number)
  const person = { first_name: 'Ann', last_name: workno, workno, department: company.department, ...more }
  const { id } = await http.call('employee/add', { hireDay: addDays(today, -30), ...person }, boss)
  for (const day of [firstDay, secondDay]) await punch(Number(workno), day, '09:00', '17:00')
  await eventually(
    () => rowsOf(id),
    rows =>
      expect(rows.map(row => [row.day, row.workMinutes + row.overtimeMinutes])).toEqual([
        [firstDay, 480],
        [secondDay, 480],
      ]),
  )
  return { id, workno }
}

describe('a new hire or end date', () => {
  test('of many people is refused for each person who would lose days, until the caller confirms their count', async () => {
    const [{ id }, { id: other }] = [await worker(), await worker()]
    const form = { ids: [id, other], change: { endDay: firstDay }, dryRun: false }
    const removed = { days: 1, from: secondDay, to: secondDay, workMinutes: 480 }
    const dry = await http.call('employee/update/many', { ...form, dryRun: true }, boss)
    expect(dry.list).toEqual([id, other].map(id => ({ id, result: 'changed', removed })))
    const { list } = await http.call('employee/update/many', { ...form, removesDays: [{ id, days: 1 }] }, boss)
    expect(list).toEqual([
      { id, result: 'changed' },
      { id: other, result: 'refused', code: 60090, field: 'endDay' },
    ])
    await eventually(
      () => rowsOf(id),
      rows => expect(rows.map(({ day }) => day)).toEqual([firstDay]),
    )
    expect(await rowsOf(other)).toHaveLength(2)
  })

  test('that would remove worked days is refused with their count, until the caller confirms the count', async () => {
    const { id } = await worker()
    const refused = await update(id, { hireDay: secondDay })
    expect(refused).toMatchObject({
      code: 60090,
      fields: { hireDay: 60090 },
      about: { days: 1, from: firstDay, to: firstDay, workMinutes: 480 },
    })
    expect((await rowsOf(id)).map(({ day }) => day)).toEqual([firstDay, secondDay])
    expect(await update(id, { hireDay: secondDay, removesDays: 2 })).toMatchObject({ code: 60090 })
    expect(await update(id, { endDay: firstDay })).toMatchObject({ code: 60090, fields: { endDay: 60090 } })
    expect(await update(id, { hireDay: secondDay, removesDays: 1 })).toMatchObject({ code: 0 })
    await eventually(
      () => rowsOf(id),
      rows => expect(rows.map(({ day }) => day)).toEqual([secondDay]),
    )
  })

  test('that removes no day needs no confirmation', async () => {
    const { id } = await worker()
    expect(await update(id, { hireDay: firstDay, endDay: addDays(today, 30) })).toMatchObject({ code: 0 })
    expect(await update(id, { hireDay: addDays(today, -40), endDay: undefined })).toMatchObject({ code: 0 })
  })
})

describe('a person who left', () => {
  test('is rehired with the same employee ID, earlier days stay, and punches since the rehire count', async () => {
    const { id, workno } = await worker()
    expect(await http.ask('employee/rehire', { id, hireDay: today }, boss)).toMatchObject({ code: 60091 })
    expect(await update(id, { endDay: secondDay })).toMatchObject({ code: 0 })
    expect(await http.ask('employee/rehire', { id, hireDay: secondDay }, boss)).toMatchObject({
      code: 10002,
      fields: { hireDay: 10002 },
    })
    const hireDay = addDays(today, -5)
    await http.call('employee/rehire', { id, hireDay }, boss)
    expect(await find(id)).toMatchObject({
      ...{ workno, hireDay },
      earlierEmployments: [{ hireDay: addDays(today, -30), endDay: secondDay }],
    })
    expect((await find(id)).endDay).toBeUndefined()
    await punch(Number(workno), gapDay, '09:00', '17:00')
    await punch(Number(workno), addDays(today, -3), '09:00', '12:00')
    await eventually(
      () => rowsOf(id),
      rows => expect(rows.map(({ day }) => day)).toEqual([firstDay, secondDay, addDays(today, -3)]),
    )
    await eventually(
      () => http.call('record/orphan/grid', {}, boss),
      ({ list }) => expect(list.find(orphan => orphan.workno === workno)?.lastAt.slice(0, 10)).toBe(gapDay),
    )
    // A hire date within the earlier employment would merge both employments.
    expect(await update(id, { hireDay: secondDay })).toMatchObject({ code: 10002, fields: { hireDay: 10002 } })
  })

  test('and was deleted can be rehired by administrators only, as a plain employee without a sign-in', async () => {
    const { id, workno } = await worker()
    const { id: roleId } = await http.call(
      'role/add',
      { name: `Staff ${workno}`, permissions: [3], departments: [company.department] },
      boss,
    )
    const person = { first_name: 'Mona', last_name: 'M', workno: String(++number), department: company.department }
    const manager = await invite(http, boss, { ...person, role: 2, roleId })
    await http.call('employee/delete', { id }, boss)
    const hireDay = addDays(today, 1)
    await eventually(
      () => http.ask('employee/rehire', { id, hireDay }, manager),
      answer => expect(answer).toMatchObject({ code: 60004, fields: { id: 60004 } }),
    )
    await http.call('employee/rehire', { id, hireDay }, boss)
    expect(await find(id)).toMatchObject({ workno, hireDay, role: 3, canSignIn: false })
    expect((await rowsOf(id)).map(({ day }) => day)).toEqual([firstDay, secondDay])
    const { list } = await http.call('employee/former/grid', { filters: { search: workno } }, boss)
    expect(list).toEqual([])
    expect(await http.ask('employee/rehire', { id: company.department, hireDay }, boss)).toMatchObject({ code: 60004 })
  })
})
