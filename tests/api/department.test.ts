import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../kit/client.ts'

const http = client(inject('address'))
let olga: Registered
let signed: { token: string }

beforeAll(async () => {
  olga = await register(http)
  signed = { token: olga.token }
})

const read = async (id: string) => {
  const { list } = await http.call('department/grid', { size: 200 }, signed)
  const existing = list.find(department => department.id === id)
  if (!existing) throw new Error(`No department ${id}`)
  return existing
}

test('a department name is unique regardless of case, and free again after a change', async () => {
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

test('a department keeps every given field and loses omitted fields', async () => {
  const { id } = await http.call('department/add', { name: 'Particular' }, signed)
  const place = { country: 'GR', state: 'Attica', city: 'Piraeus' }
  const form = { name: 'Particular', location: 'Second floor', tel: '210 1234567', address: 'Akti Miaouli 1', ...place }
  await http.call('department/update', { id, version: 1, ...form }, signed)
  expect(await read(id)).toMatchObject({ ...form, version: 2 })
  await http.call('department/update', { id, version: 2, name: 'Particular' }, signed)
  const bare = await read(id)
  for (const field of ['location', 'tel', 'address', 'country', 'state', 'city']) expect(bare).not.toHaveProperty(field)
})

describe('a department cannot be deleted', () => {
  const refusal = (id: string) => http.ask('department/delete', { id }, signed)
  const person = (workno: string, department: string, departments?: string[]) => ({
    ...{ first_name: 'A', last_name: 'B', workno, department },
    ...(departments && { departments }),
  })

  test('if it is the default (59003)', async () => {
    expect(await refusal(olga.department)).toMatchObject({ code: 59003 })
  })

  test('while it has sub-departments (59004)', async () => {
    const { id: above } = await http.call('department/add', { name: 'Above' }, signed)
    const { id: below } = await http.call('department/add', { name: 'Below', parent: above }, signed)
    expect(await read(above)).toMatchObject({ subdepartmentCount: 1 })
    expect(await refusal(above)).toMatchObject({ code: 59004 })
    await http.call('department/update', { id: below, version: 1, name: 'Below' }, signed)
    await http.call('department/delete', { id: above }, signed)
    await http.call('department/delete', { id: below }, signed)
  })

  test('while it has employees (59005), even as an additional department', async () => {
    const { id } = await http.call('department/add', { name: 'Peopled' }, signed)
    const { id: main } = await http.call('employee/add', person('501', id), signed)
    const { id: other } = await http.call('employee/add', person('502', olga.department, [id]), signed)
    expect(await read(id)).toMatchObject({ employeeCount: 2, mainEmployeeCount: 1 })
    expect(await refusal(id)).toMatchObject({ code: 59005 })
    await http.call('employee/delete', { id: main }, signed)
    expect(await refusal(id)).toMatchObject({ code: 59005 })
    await http.call('employee/update', { id: other, version: 1, ...person('502', olga.department) }, signed)
    await http.call('department/delete', { id }, signed)
  })

  test('while it has a terminal (59006)', async () => {
    const { id } = await http.call('department/add', { name: 'Gate' }, signed)
    const serialNumber = `GATE${Date.now()}`
    await http.call('device/add', { serialNumber, name: 'Gate', department: id }, signed)
    expect(await read(id)).toMatchObject({ deviceCount: 1 })
    expect(await refusal(id)).toMatchObject({ code: 59006 })
    await http.call('device/delete', { serialNumber }, signed)
    await http.call('department/delete', { id }, signed)
  })
})

describe('the department tree', () => {
  const add = async (name: string, parent?: string) =>
    (await http.call('department/add', { name, ...(parent && { parent }) }, signed)).id
  const move = async (id: string, parent?: string) => {
    const { version, name } = await read(id)
    return http.ask('department/update', { id, version, name, ...(parent && { parent }) }, signed)
  }
  const parents = async () => {
    const { list } = await http.call('department/all', {}, signed)
    return new Map(list.map(({ id, parent }) => [id, parent]))
  }
  /** Whether the chain of parents from a department reaches the top, without a cycle. */
  const isBelowTop = (parents: Map<string, string | undefined>, id: string) => {
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined; at = parents.get(at)) {
      if (seen.has(at)) return false
      seen.add(at)
    }
    return true
  }

  test('allows any depth, and a department moves with its sub-departments', async () => {
    const ids: string[] = []
    for (let depth = 0; depth < 12; depth++) ids.push(await add(`Depth ${depth}`, ids.at(-1)))
    const other = await add('Another top')
    const [, , third = ''] = ids
    expect(await move(third, other)).toMatchObject({ code: 0 })
    const moved = await parents()
    expect(moved.get(third)).toBe(other)
    expect(ids.slice(3).map(id => moved.get(id))).toEqual(ids.slice(2, -1))
    expect(await move(third)).toMatchObject({ code: 0 })
    expect((await parents()).get(third)).toBeUndefined()
  })

  test('refuses cycles and unknown parents', async () => {
    const top = await add('One')
    const middle = await add('Two', top)
    const bottom = await add('Three', middle)
    const refused = { code: 10002, fields: { parent: 10002 } }
    for (const below of [top, middle, bottom]) expect(await move(top, below)).toMatchObject(refused)
    expect(await move(top, '0'.repeat(16))).toMatchObject({ code: 60004, fields: { parent: 60004 } })
    expect((await parents()).get(top)).toBeUndefined()
  })

  test('stays free of cycles under concurrent moves', { tags: 'long' }, async () => {
    for (let round = 0; round < 4; round++) {
      const ring = [await add(`A${round}`), await add(`B${round}`), await add(`C${round}`)]
      const [a = '', b = '', c = ''] = ring
      const moves = await Promise.all([move(a, b), move(b, c), move(c, a)])
      // Two of the three moves succeed. The third would close a cycle.
      expect(moves.map(({ code }) => code).sort(), JSON.stringify(moves)).toEqual([0, 0, 10002])
      const tree = await parents()
      for (const id of ring) expect(isBelowTop(tree, id)).toBe(true)
    }
  })

  test('never leaves a department below a deleted parent, even after a simultaneous move', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < 3; round++) {
      const [above, below] = [await add(`Up ${round}`), await add(`Down ${round}`)]
      const [moved, deleted] = await Promise.all([
        move(below, above),
        http.ask('department/delete', { id: above }, signed),
      ])
      expect([moved.code, deleted.code], JSON.stringify([moved, deleted])).not.toEqual([0, 0])
      const tree = await parents()
      const parent = tree.get(below)
      expect(parent === undefined || tree.has(parent)).toBe(true)
    }
  })
})

test('only one of two updates to the same version succeeds', async () => {
  const { id } = await http.call('department/add', { name: 'Twice' }, signed)
  const { version } = await read(id)
  const both = await Promise.all(
    ['First', 'Second'].map(name => http.ask('department/update', { id, version, name }, signed)),
  )
  expect(both.map(({ code }) => code).sort()).toEqual([0, 60006])
})

test('a list returns pages, and a forged or foreign cursor is refused', async () => {
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

test('the default department stays at the top but is otherwise editable', async () => {
  const own = await register(http)
  const by = { token: own.token }
  const { id: parent } = await http.call('department/add', { name: 'Above' }, by)
  const form = { id: own.department, version: 1, name: 'Head office' }
  expect(await http.ask('department/update', { ...form, parent }, by)).toMatchObject({
    code: 60053,
    fields: { parent: 60053 },
  })
  await http.call('department/update', form, by)
  const { list } = await http.call('department/all', {}, by)
  expect(list.find(({ id }) => id === own.department)).toEqual({ id: own.department, name: 'Head office' })
})

test('the server reports a value of the wrong type as invalid, and an absent value as missing', async () => {
  const { token } = await register(http)
  const ask = async (form: object) =>
    (await http.send('department/add', JSON.stringify(form), { 'x-token': token })).fields
  expect(await ask({})).toEqual({ name: 60001 })
  expect(await ask({ name: '' })).toEqual({ name: 60001 })
  for (const name of [5, null, ['a'], {}, true]) expect(await ask({ name }), String(name)).toEqual({ name: 10002 })
  expect(await ask({ name: 'Right', parent: 5, city: null })).toEqual({ parent: 10002, city: 10002 })
})
