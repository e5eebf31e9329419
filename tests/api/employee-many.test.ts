import { beforeAll, expect, inject, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'

// One change for many people. The removed days of a person are tested with the hire and end dates.

const http = client(inject('address'))
let company: Registered
let boss: { token: string }
let sales: string
let number = 100

beforeAll(async () => {
  company = await register(http)
  boss = { token: company.token }
  sales = (await http.call('department/add', { name: 'Sales' }, boss)).id
})

const add = async (more: Partial<PathCall<'employee/add'>> = {}) => {
  const workno = String(++number)
  const person = { first_name: 'Many', last_name: workno, workno, department: company.department, ...more }
  return (await http.call('employee/add', person, boss)).id
}
const find = async (id: string): Promise<PathOutput<'employee/grid'>['list'][number]> => {
  const { list } = await http.call('employee/grid', { size: 200 }, boss)
  const existing = list.find(employee => employee.id === id)
  if (!existing) throw new Error(`No employee ${id}`)
  return existing
}
type Change = PathCall<'employee/update/many'>['change']
const change = (ids: string[], change: Change, more: object = {}, by = boss) =>
  http.ask('employee/update/many', { ids, change, dryRun: false, ...more }, by)
const entriesOf = async (object: string) => (await http.call('audit/grid', { filters: { object } }, boss)).list

test('a manager changes only the chosen fields of many people; a repeated change changes nothing', async () => {
  const ids = [await add({ position: 'Baker', endDay: '2099-05-01' }), await add({ hireDay: '2020-01-01' })]
  const wanted = { department: sales, hireDay: '2024-03-01', endDay: null }
  const dry = await change(ids, wanted, { dryRun: true })
  const changed = { list: ids.map(id => ({ id, result: 'changed' })) }
  expect(dry).toMatchObject({ code: 0, data: changed })
  expect(await find(ids[0] ?? '')).toMatchObject({ department: company.department, endDay: '2099-05-01' })
  expect(await change(ids, wanted)).toMatchObject({ code: 0, data: changed })
  for (const id of ids) {
    const person = await find(id)
    expect(person).toMatchObject({ department: sales, hireDay: '2024-03-01', role: 3 })
    expect(person.endDay).toBeUndefined()
    expect(await entriesOf(id)).toHaveLength(2)
  }
  expect((await find(ids[0] ?? '')).position).toBe('Baker')
  expect(await change(ids, wanted)).toMatchObject({ data: { list: ids.map(id => ({ id, result: 'same' })) } })
  for (const id of ids) expect(await entriesOf(id)).toHaveLength(2)
})

test('the answer names each refused person with the reason, and the others are changed', async () => {
  const [fine, wrong] = [await add(), await add({ hireDay: '2030-01-01' })]
  const gone = '0'.repeat(16)
  const answer = await change([fine, wrong, gone, company.owner], { endDay: '2026-01-01' })
  expect(answer.data).toEqual({
    list: [
      { id: fine, result: 'changed' },
      { id: wrong, result: 'refused', code: 10002, field: 'endDay' },
      { id: gone, result: 'refused', code: 60004, field: 'id' },
      { id: company.owner, result: 'refused', code: 60054, field: 'endDay' },
    ],
  })
  expect(await change([gone], { endDay: '2026-01-01' })).toMatchObject({ code: 60004, fields: { 'ids.0': 60004 } })
})

test('a manager of one department changes its people only, keeps them there, and gives nobody a role', async () => {
  const permissions = [3]
  const { id: roleId } = await http.call('role/add', { name: 'Lead', permissions, departments: [sales] }, boss)
  const lead = await invite(http, boss, {
    ...{ first_name: 'Lea', last_name: 'Lead', workno: String(++number), department: sales },
    ...{ role: 2, roleId },
  })
  const [own, other] = [await add({ department: sales }), await add()]
  const answer = await change([own, other], { hireDay: '2024-01-01' }, {}, lead)
  expect(answer.data).toEqual({
    list: [
      { id: own, result: 'changed' },
      { id: other, result: 'refused', code: 60004, field: 'id' },
    ],
  })
  expect(await change([other], { hireDay: '2024-01-01' }, {}, lead)).toMatchObject({ code: 60004 })
  expect(await change([own], { department: company.department }, {}, lead)).toMatchObject({
    code: 60004,
    fields: { 'change.department': 60004 },
  })
  expect(await change([own], { role: 1 }, {}, lead)).toMatchObject({ code: 60005, fields: { 'change.role': 60005 } })
})

test('a role for many people takes a sign-in that a manager set up, and no role signs people out', async () => {
  const password = strongPassword
  const workno = String(++number)
  const id = await add({ workno, password })
  const session = await http.call('personal/login', { code: company.company_num, workno, password })
  expect(await change([id, company.owner], { role: 0 })).toMatchObject({
    data: { list: [{ result: 'changed' }, { result: 'refused', code: 60054, field: 'role' }] },
  })
  expect(await http.ask('auth/get', {}, session)).toMatchObject({ code: 502 })
  expect(await change([id], { role: 2 })).toMatchObject({ code: 10002, fields: { 'change.roleId': 60001 } })
  expect(await change([id], { role: 2, roleId: '0'.repeat(16) })).toMatchObject({ fields: { 'change.roleId': 60004 } })
  const { id: roleId } = await http.call('role/add', { name: 'Clerk', permissions: [3], departments: [] }, boss)
  expect(await change([id], { role: 2, roleId })).toMatchObject({ data: { list: [{ result: 'changed' }] } })
  expect(await find(id)).toMatchObject({ role: 2, roleId })
})

test('a new punch mode keeps card and password', async () => {
  const [id, other] = [await add(), await add()]
  const card = String((Date.now() % 4_000_000_000) + 1)
  await http.call('employee/attendance/update', { id, punchMode: 0, card, password: '4711' }, boss)
  expect(await change([id, other], { punchMode: 2 })).toMatchObject({
    data: { list: [{ result: 'changed' }, { result: 'changed' }] },
  })
  expect(await http.call('employee/attendance/get', { id }, boss)).toMatchObject({
    ...{ punchMode: 2, card, password: '4711' },
  })
  expect(await http.call('employee/attendance/get', { id: other }, boss)).toMatchObject({ punchMode: 2 })
  expect(await change([id, other], { punchMode: 2 })).toMatchObject({
    data: { list: [{ result: 'same' }, { result: 'same' }] },
  })
})

test('a request without a change or with too many people is refused', async () => {
  expect(await change(['0'.repeat(16)], {})).toMatchObject({ code: 10002, fields: { change: 60001 } })
  const ids = Array.from({ length: 26 }, (_, i) => String(i).padStart(16, '0'))
  expect(await change(ids, { punchMode: 1 })).toMatchObject({ code: 10002, fields: { ids: 60002 } })
})
