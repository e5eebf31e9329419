import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { client, invite, register, type Signed, strongPassword } from '../kit/client.ts'

// The absence calendar: leave across the ends of a month, several people, and the departments of a manager.

const http = client(inject('address'))
const march = { from: '2027-03-01', to: '2027-03-31' }
let boss: Signed
let manager: Signed
let departments: { office: string; works: string }
const ids: Record<string, string> = {}

const calendar = async (by: Signed, filters: PathCall<'leave/calendar'>['filters'] = march) => {
  const { list } = await http.call('leave/calendar', { filters }, by)
  return Object.fromEntries(list.map(({ workno, leaves }) => [workno, leaves.map(({ date }) => date)]))
}
const totalOn = async (day: string, by: Signed, filters: object = {}) => {
  const { list } = await http.call('leave/calendar/total', { ...march, ...filters }, by)
  const found = list.find(total => total.day === day)
  return [found?.awayCount, found?.pendingCount]
}

beforeAll(async () => {
  const company = await register(http, { timezone: 'Europe/Athens' })
  boss = { token: company.token, headers: { 'x-timezone': 'Europe/Athens' } }
  const department = async (name: string) => (await http.call('department/add', { name }, boss)).id
  departments = { office: await department('Office'), works: await department('Works') }
  const { office, works } = departments
  for (const [workno, home] of [
    ['11', office],
    ['12', office],
    ['13', works],
  ] as const) {
    const person = { first_name: 'E', last_name: workno, workno, department: home, password: strongPassword }
    ids[workno] = (await http.call('employee/add', person, boss)).id
  }
  const role = { name: 'Office', permissions: allPermissions, departments: [office] }
  const { id: roleId } = await http.call('role/add', role, boss)
  const person = { first_name: 'M', last_name: 'M', workno: '2', department: office, role: 2, roleId }
  manager = { token: (await invite(http, boss, person)).token, headers: { 'x-timezone': 'Europe/Athens' } }

  const enter = (workno: string, leaveType: number, date: string, toDate: string) =>
    http.call('leave/add', { employees: [ids[workno] ?? ''], leaveType, date, toDate, isAllDay: true }, boss)
  await enter('11', 3, '2027-02-22', '2027-03-02')
  await enter('11', 2, '2027-03-30', '2027-04-02')
  await enter('13', 3, '2027-03-01', '2027-03-05')
  await enter('12', 3, '2027-04-05', '2027-04-09')
  const { token } = await http.call('personal/login', {
    ...{ code: company.company_num, workno: '12', password: strongPassword },
  })
  const asked = { leaveType: 3, date: '2027-03-02', toDate: '2027-03-03', isAllDay: true }
  await http.call('personal/request/leave/add', asked, { token, headers: { 'x-timezone': 'Europe/Athens' } })
})

describe('the absence calendar', () => {
  test('shows approved and pending leave that touches the days, also across the ends of a month', async () => {
    expect(await calendar(boss)).toMatchObject({
      '11': ['2027-02-22', '2027-03-30'],
      '12': ['2027-03-02'],
      '13': ['2027-03-01'],
    })
  })

  test('filters by type and department, and finds a person by name', async () => {
    expect(await calendar(boss, { ...march, leaveType: 2 })).toMatchObject({ '11': ['2027-03-30'], '12': [], '13': [] })
    expect(await calendar(boss, { ...march, department: departments.works })).toEqual({ '13': ['2027-03-01'] })
    expect(Object.keys(await calendar(boss, { ...march, search: '12' }))).toEqual(['12'])
  })

  test('counts each person once a day, and people who only asked apart', async () => {
    expect(await totalOn('2027-03-02', boss)).toEqual([2, 1])
    expect(await totalOn('2027-03-03', boss)).toEqual([1, 1])
    expect(await totalOn('2027-03-10', boss)).toEqual([0, 0])
    expect(await totalOn('2027-03-02', boss, { department: departments.works })).toEqual([1, 0])
  })

  test('shows and counts the departments of the manager only', async () => {
    expect(Object.keys(await calendar(manager)).sort()).toEqual(['11', '12', '2'])
    expect(await totalOn('2027-03-02', manager)).toEqual([1, 1])
    expect(await http.ask('leave/calendar/total', { ...march, department: departments.works }, manager)).toMatchObject({
      code: 60004,
      fields: { department: 60004 },
    })
  })

  test('refuses days in the wrong order and more than 62 days', async () => {
    for (const days of [
      { from: '2027-03-02', to: '2027-03-01' },
      { from: '2027-03-01', to: '2027-05-02' },
    ]) {
      expect(await http.ask('leave/calendar', { filters: days }, boss)).toMatchObject({
        ...{ code: 10002, fields: { 'filters.to': expect.any(Number) } },
      })
      expect(await http.ask('leave/calendar/total', days, boss)).toMatchObject({
        ...{ code: 10002, fields: { to: expect.any(Number) } },
      })
    }
  })
})
