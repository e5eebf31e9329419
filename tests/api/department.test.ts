import { beforeAll, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../client.ts'

const http = client(inject('address'))
let mine: Registered
let signed: { token: string }

beforeAll(async () => {
  mine = await register(http)
  signed = { token: mine.token }
})

const read = async (id: string) => {
  const { list } = await http.call('department/grid', {}, signed)
  const found = list.find(department => department.id === id)
  if (!found) throw new Error(`No department ${id}`)
  return found
}

test('a name is given once, whatever its case, and free again after a change', async () => {
  const { id } = await http.call('department/add', { name: 'Kitchen' }, signed)
  expect(await http.ask('department/add', { name: 'KITCHEN' }, signed)).toMatchObject({
    code: 59002,
    fields: { name: 59002 },
  })
  const { version } = await read(id)
  await http.call('department/update', { id, version, name: 'Bakery', tel: '210 1234567' }, signed)
  await http.call('department/add', { name: 'Kitchen' }, signed)
  expect(await read(id)).toMatchObject({ name: 'Bakery', tel: '210 1234567' })
})

test('the default department, one with sub-departments and one with employees cannot be deleted', async () => {
  expect(await http.ask('department/delete', { id: mine.department }, signed)).toMatchObject({ code: 59003 })
  const { id: above } = await http.call('department/add', { name: 'Above' }, signed)
  const { id: below } = await http.call('department/add', { name: 'Below', parent: above }, signed)
  expect(await http.ask('department/delete', { id: above }, signed)).toMatchObject({ code: 59004 })
  const { id: employee } = await http.call(
    'employee/add',
    { first_name: 'A', last_name: 'B', workno: '501', department: below },
    signed,
  )
  expect(await read(below)).toMatchObject({ employeeCount: 1 })
  expect(await http.ask('department/delete', { id: below }, signed)).toMatchObject({ code: 59005 })
  await http.call('employee/delete', { id: employee }, signed)
  await http.call('department/delete', { id: below }, signed)
  await http.call('department/delete', { id: above }, signed)
})

test('a department with a terminal cannot be deleted', async () => {
  const { id } = await http.call('department/add', { name: 'Gate' }, signed)
  await http.call('device/add', { serialNumber: `GATE${Date.now()}`, name: 'Gate', department: id }, signed)
  expect(await http.ask('department/delete', { id }, signed)).toMatchObject({ code: 59006 })
})

test('a department cannot be moved below itself', async () => {
  const { id: above } = await http.call('department/add', { name: 'One' }, signed)
  const { id: below } = await http.call('department/add', { name: 'Two', parent: above }, signed)
  const { version } = await read(above)
  expect(await http.ask('department/update', { id: above, version, name: 'One', parent: below }, signed)).toMatchObject(
    {
      code: 10002,
      fields: { parent: 10002 },
    },
  )
})

test('of two changes on top of the same version the second is refused', async () => {
  const { id } = await http.call('department/add', { name: 'Twice' }, signed)
  const { version } = await read(id)
  const both = await Promise.all(
    ['First', 'Second'].map(name => http.ask('department/update', { id, version, name }, signed)),
  )
  expect(both.map(({ code }) => code).sort()).toEqual([0, 60006])
})

test('lists page by page, and a forged or foreign cursor opens nothing', async () => {
  const other = await register(http)
  for (const name of ['P1', 'P2', 'P3']) await http.call('department/add', { name }, { token: other.token })
  const first = await http.call('department/grid', { size: 2 }, { token: other.token })
  expect(first).toMatchObject({ count: 4, list: [{}, {}] })
  const second = await http.call('department/grid', { size: 2, page: first.next }, { token: other.token })
  expect(second.list).toHaveLength(2)
  expect(second.next).toBeUndefined()
  const seen = [...first.list, ...second.list].map(({ id }) => id)
  expect(new Set(seen).size).toBe(4)
  for (const page of [first.next ?? '', 'AAAA', `${first.next}A`])
    expect(await http.ask('department/grid', { size: 2, page }, signed)).toMatchObject({
      code: 10002,
      fields: { page: 10002 },
    })
})
