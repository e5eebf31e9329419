import { beforeAll, describe, expect, inject, test } from 'vitest'
import { allPermissions, roles } from '../../shared/permissions.ts'
import { mostRoleDepartments } from '../../shared/role.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { importSheet } from '../kit/sheet.ts'

const http = client(inject('address'))
let mine: Registered
let signed: { token: string }
let workno = 100

beforeAll(async () => {
  mine = await register(http)
  signed = { token: mine.token }
})

const person = (department: string, more: object = {}) => ({
  first_name: 'Ria',
  last_name: 'R',
  workno: String(workno++),
  department,
  ...more,
})
const addPerson = async (department = mine.department, more: object = {}) =>
  (await http.call('employee/add', person(department, more), signed)).id
const addDepartment = async (name: string, parent?: string) =>
  (await http.call('department/add', { name: `${name} ${workno++}`, ...(parent && { parent }) }, signed)).id
const addRole = async (name: string, permissions: number[] = [], departments: string[] = []) =>
  (await http.call('role/add', { name, permissions, departments }, signed)).id
const read = async (id: string) => {
  const found = (await http.call('role/grid', { size: 200 }, signed)).list.find(role => role.id === id)
  if (!found) throw new Error(`No role ${id}`)
  return found
}
const users = async (role: string, search?: string) =>
  (await http.call('role/get/user', { filters: { role, ...(search && { search }) } }, signed)).list.map(({ id }) => id)
const give = (id: string, changes: { add?: string[]; remove?: string[] }) =>
  http.ask('role/update/user', { id, ...changes }, signed)
const employee = async (id: string) => {
  const found = (await http.call('employee/grid', { size: 200 }, signed)).list.find(found => found.id === id)
  if (!found) throw new Error(`No employee ${id}`)
  return found
}

describe('the roles of the system', () => {
  test('stand first in every list, with their reach, in the language of the caller', async () => {
    const named = async (language: string) => {
      const { list } = await http.call('role/grid', {}, { ...signed, headers: { 'x-language': language } })
      return list.slice(0, 2).map(({ name }) => name)
    }
    const { list } = await http.call('role/grid', {}, signed)
    expect(list.slice(0, 2)).toMatchObject([
      { id: 'personnelmanager', reach: 'all', isSystem: true, permissions: allPermissions },
      { id: 'departmentleader', reach: 'own', isSystem: true, permissions: [7, 8, 9, 10] },
    ])
    const names = await Promise.all(['en', 'zh', 'es', 'el'].map(named))
    expect(names[0]).toEqual(['Personnel manager', 'Department leader'])
    expect(new Set(names.flat()).size).toBe(8)
  })

  test('cannot be changed or deleted', async () => {
    for (const id of ['personnelmanager', 'departmentleader']) {
      const refused = { code: 60051 }
      expect(await http.ask('role/update', { id, version: 1, name: 'Mine' }, signed)).toMatchObject(refused)
      const items = { id, version: 1, permissions: [], departments: [] }
      expect(await http.ask('role/update/item', items, signed)).toMatchObject(refused)
      expect(await http.ask('role/delete', { id }, signed)).toMatchObject(refused)
    }
  })

  test('a personnel manager does everything everywhere but what is the administrator’s', async () => {
    const shop = await addDepartment('Shop')
    const pat = await invite(http, signed, person(mine.department, { role: 2, roleId: 'personnelmanager' }))
    const { auth_item, managesAll } = await http.call('auth/get', {}, pat)
    expect(auth_item.map(({ id }) => id)).toEqual(allPermissions)
    expect(managesAll).toBe(true)
    expect((await http.call('department/all', {}, pat)).list.map(({ id }) => id)).toContain(shop)
    await http.call('employee/add', person(shop), pat)
    await http.call('department/add', { name: `On top ${workno++}` }, pat)
    const refused = { code: 60005 }
    expect(await http.ask('role/grid', {}, pat)).toMatchObject(refused)
    expect(await http.ask('company/prevention', {}, pat)).toMatchObject(refused)
    expect(await http.ask('employee/add', person(shop, { role: 1 }), pat)).toMatchObject({ fields: { role: 60005 } })
  })

  test('a department leader leads their own departments and all below, as the tree stands at the moment', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const counter = await addDepartment('Counter', await addDepartment('Floor', shop))
    const lea = await invite(http, signed, person(shop, { departments: [yard], role: 2, roleId: 'departmentleader' }))
    const led = async () => (await http.call('department/all', {}, lea)).list.map(({ id }) => id)
    expect(await led()).toHaveLength(4)
    expect(await led()).toEqual(expect.arrayContaining([shop, yard, counter]))
    const { auth_item } = await http.call('auth/get', {}, lea)
    expect(auth_item.map(({ id }) => id)).toEqual([7, 8, 9, 10])
    // What is put below is led from the next call on, and no longer when it is taken away.
    const other = await addDepartment('Other')
    const under = await addDepartment('Under', other)
    expect(await led()).not.toContain(under)
    const move = async (parent?: string) => {
      const { list } = await http.call('department/grid', { size: 200 }, signed)
      const { version, name } = list.find(({ id }) => id === other) ?? { version: 0, name: '' }
      await http.call('department/update', { id: other, version, name, ...(parent && { parent }) }, signed)
    }
    await move(counter)
    expect(await led()).toEqual(expect.arrayContaining([other, under]))
    await move()
    expect(await led()).not.toContain(under)
    // Nor when the leader works elsewhere.
    const self = await employee(lea.id)
    const { id, version, first_name, last_name, workno: number } = self
    const form = { id, version, first_name, last_name, workno: number, email: lea.email, role: 2 }
    await http.call('employee/update', { ...form, department: other, roleId: 'departmentleader' }, signed)
    expect((await led()).sort()).toEqual([other, under].sort())
  })
})

describe('a custom role', () => {
  test('keeps its name, its notes, and what it permits where; of two changes on one version the second is refused', async () => {
    const department = await addDepartment('Shop')
    const id = await addRole('Clerk', [1], [mine.department])
    await http.call('role/update', { id, version: 1, name: 'Cashier', notes: 'Takes money' }, signed)
    await http.call('role/update/item', { id, version: 2, permissions: [7, 8], departments: [department] }, signed)
    expect(await read(id)).toMatchObject({
      ...{ name: 'Cashier', notes: 'Takes money', permissions: [7, 8], departments: [department] },
      ...{ reach: 'assigned', isSystem: false, userCount: 0, version: 3 },
    })
    expect(await http.ask('role/update', { id, version: 2, name: 'Late' }, signed)).toMatchObject({ code: 60006 })
    await http.call('role/update', { id, version: 3, name: 'Cashier' }, signed)
    expect(await read(id)).not.toHaveProperty('notes')
  })

  test('has a name nobody else has, whatever its case and accents, also of many made at once', async () => {
    const taken = { code: 60052, fields: { name: 60052 } }
    const form = { permissions: [], departments: [] }
    const add = (name: string) => http.ask('role/add', { ...form, name }, signed)
    const answers = await Promise.all(Array.from({ length: 6 }, () => add('Gärtner')))
    expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(5).fill(60052)])
    const id = answers.find(({ code }) => code === 0)?.data.id ?? ''
    for (const name of ['GARTNER', ' gärtner ', 'ｇärtner', 'Personnel manager', 'Jefe de departamento', '员工'])
      expect(await add(name), name).toMatchObject(taken)
    // Its own it may write otherwise; the one it gave up is free, and so is that of one that was deleted.
    await http.call('role/update', { id, version: 1, name: 'Gartner' }, signed)
    const other = await addRole('Baumpfleger')
    const rename = (name: string) => http.ask('role/update', { id: other, version: 1, name }, signed)
    expect(await rename('gärtner')).toMatchObject(taken)
    await http.call('role/update', { id, version: 2, name: 'Florist' }, signed)
    const [renamed, added] = await Promise.all([rename('Gärtner'), add('Gärtner')])
    expect([renamed.code, added.code].sort()).toEqual([0, 60052])
    await http.call('role/delete', { id }, signed)
    expect(await add('Florist')).toMatchObject({ code: 0 })
  })

  test('is refused where a permission or a department does not exist', async () => {
    const form = { name: 'Odd', permissions: [1], departments: [mine.department] }
    expect(await http.ask('role/add', { ...form, permissions: [12] }, signed)).toMatchObject({
      fields: { 'permissions.0': 10002 },
    })
    const departments = [mine.department, '0'.repeat(16)]
    expect(await http.ask('role/add', { ...form, departments }, signed)).toMatchObject({
      fields: { 'departments.1': 60004 },
    })
  })

  test('is found by its name, and only once on all pages', async () => {
    for (const name of ['Zebra one', 'Zebra two', 'zébra three']) await addRole(name)
    const find = (page?: string) =>
      http.call('role/grid', { size: 2, filters: { search: 'ZEBRA' }, ...(page && { page }) }, signed)
    const first = await find()
    const second = await find(first.next)
    expect(first.count).toBe(3)
    expect([...first.list, ...second.list].map(({ name }) => name)).toEqual(['Zebra one', 'zébra three', 'Zebra two'])
    expect(second.next).toBeUndefined()
  })

  test('a change of it counts from the next call of who holds it', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const id = await addRole('Changing', [3], [shop])
    const max = await invite(http, signed, person(shop, { role: 2, roleId: id }))
    expect(await http.ask('employee/grid', {}, max)).toMatchObject({ code: 0, data: { list: [{ id: max.id }] } })
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 60005 })
    const items = { id, version: 1, permissions: [2], departments: [yard] }
    await http.call('role/update/item', items, signed)
    expect(await http.ask('employee/grid', {}, max)).toMatchObject({ code: 60005 })
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 0 })
    expect((await http.call('department/all', {}, max)).list.map(({ id }) => id)).toEqual([yard])
    // Nothing was ended; but without the role the management side is closed.
    await http.call('role/update/user', { id, remove: [max.id] }, signed)
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 502 })
  })

  test('loses a department that is deleted', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const id = await addRole('Both', [1], [shop, yard])
    await http.call('department/delete', { id: shop }, signed)
    expect((await read(id)).departments).toEqual([yard])
  })

  test('names a deleted department never, however its deletion and the naming meet', async () => {
    const id = await addRole('Racing', [1])
    for (let round = 0; round < 6; round++) {
      const department = await addDepartment('Gone')
      const { version } = await read(id)
      const items = { id, version, permissions: [1], departments: [department] }
      const [named] = await Promise.all([
        http.ask('role/update/item', items, signed),
        http.call('department/delete', { id: department }, signed),
      ])
      expect([0, 60004, 60006]).toContain(named.code)
      expect((await read(id)).departments).toEqual([])
    }
  })

  test('keeps a department that is kept because somebody changed it while it was being deleted', async () => {
    for (let round = 0; round < 6; round++) {
      const department = await addDepartment('Kept')
      const id = await addRole(`Keeps ${round}`, [1], [department])
      const form = { id: department, name: `Kept ${workno++}` }
      const change = (version: number) => http.ask('department/update', { ...form, version }, signed)
      const [deleted] = await Promise.all([
        http.ask('department/delete', { id: department }, signed),
        // The version it has while it is being deleted, as often as it fits in between.
        (async () => {
          for (let tries = 0; tries < 20; tries++) if ((await change(2)).code !== 60006) return
        })(),
      ])
      expect([0, 60006]).toContain(deleted.code)
      const isThere = (await http.call('department/all', {}, signed)).list.some(one => one.id === department)
      expect([isThere, (await read(id)).departments]).toEqual(deleted.code === 0 ? [false, []] : [true, [department]])
    }
  })

  test('names all departments its holders add at the same time', async () => {
    const above = await addDepartment('Shared')
    const id = await addRole('Sharing', [1], [above])
    const holders = await Promise.all(
      Array.from({ length: 3 }, () => invite(http, signed, person(above, { role: 2, roleId: id }))),
    )
    const added = await Promise.all(
      holders.map((by, i) => http.call('department/add', { name: `Shared ${workno++} ${i}`, parent: above }, by)),
    )
    expect((await read(id)).departments.toSorted()).toEqual([above, ...added.map(({ id }) => id)].sort())
  })

  test('names no more departments than it can be given', { timeout: 120_000 }, async () => {
    const theirs = await register(http)
    const lines = Array.from({ length: mostRoleDepartments }, (_, i) => `Level ${i}`)
    await importSheet(http, theirs, `name\n${lines.join('\n')}`, { path: 'department/import' })
    const { list } = await http.call('department/all', {}, theirs)
    const departments = list.map(({ id }) => id).slice(0, mostRoleDepartments)
    const { id: roleId } = await http.call('role/add', { name: 'Full', permissions: [1], departments }, theirs)
    const [parent = ''] = departments
    const manager = await invite(http, theirs, person(parent, { role: 2, roleId }))
    expect(await http.ask('department/add', { name: 'One more', parent }, manager)).toMatchObject({ code: 60002 })
    const end = await importSheet(http, manager, `name,parent\nTwo more,${lines[0]}`, { path: 'department/import' })
    expect(end).toMatchObject({ state: 'failed' })
    expect((await http.call('department/all', {}, theirs)).list).toHaveLength(list.length)
  })
})

describe('the users of a role', () => {
  test('are given it and lose it, are listed in the order of names, searched, and counted', async () => {
    const id = await addRole('Held')
    const people = await Promise.all(
      ['Zoe', 'Anna', 'Mia'].map(first_name => addPerson(mine.department, { first_name })),
    )
    const [zoe = '', anna = '', mia = ''] = people
    expect(await give(id, { add: people })).toMatchObject({ code: 0 })
    expect(await users(id)).toEqual([anna, mia, zoe])
    expect(await users(id, 'mia')).toEqual([mia])
    expect((await read(id)).userCount).toBe(3)
    expect(await employee(zoe)).toMatchObject({ role: roles.manager, roleId: id })
    // A second time changes nothing.
    const { version } = await employee(anna)
    expect(await give(id, { add: [anna], remove: [zoe] })).toMatchObject({ code: 0 })
    expect(await employee(anna)).toMatchObject({ version })
    expect(await users(id)).toEqual([anna, mia])
    const without = await employee(zoe)
    expect(without.role).toBe(roles.employee)
    expect(without).not.toHaveProperty('roleId')
    // Another role takes the place of the one they had.
    const other = await addRole('Taken')
    expect(await give(other, { add: [anna] })).toMatchObject({ code: 0 })
    expect([await users(id), await users(other)]).toEqual([[mia], [anna]])
  })

  test('follow every way an employee is changed: by the form, by a new name, by leaving', async () => {
    const id = await addRole('Followed')
    const eve = await addPerson(mine.department, { first_name: 'Eve', role: 2, roleId: id })
    expect(await users(id)).toEqual([eve])
    const change = async (more: object) => {
      const { version, first_name, last_name, workno: number, department } = await employee(eve)
      const form = { id: eve, version, first_name, last_name, workno: number, department, ...more }
      await http.call('employee/update', form, signed)
    }
    await change({ first_name: 'Yves', role: 2, roleId: id })
    expect(await users(id, 'yves')).toEqual([eve])
    expect(await users(id, 'eve ')).toEqual([])
    await change({ role: 3 })
    expect(await users(id)).toEqual([])
    await change({ role: 2, roleId: id })
    await http.call('employee/delete', { id: eve }, signed)
    expect(await users(id)).toEqual([])
    expect((await read(id)).userCount).toBe(0)
  })

  test('are refused as a whole where one of them cannot be', async () => {
    const id = await addRole('Whole')
    const one = await addPerson()
    expect(await give(id, { add: [one, '0'.repeat(16)] })).toMatchObject({ fields: { 'add.1': 60004 } })
    expect(await give(id, { add: [one, mine.owner] })).toMatchObject({ code: 60054, fields: { 'add.1': 60054 } })
    expect(await give(id, { add: [], remove: [one] })).toMatchObject({ fields: { 'remove.0': 60004 } })
    expect(await give(id, { add: [one], remove: [one] })).toMatchObject({ fields: { 'remove.0': 10002 } })
    expect(await give('0'.repeat(16), { add: [one] })).toMatchObject({ fields: { id: 60004 } })
    expect(await users(id)).toEqual([])
  })

  test('are told each once that their password was taken away, whoever is refused for somebody else was quicker', async () => {
    const id = await addRole('Crowded')
    const lead = await addRole('Giver', [3], [mine.department])
    const giver = await invite(http, signed, person(mine.department, { role: 2, roleId: lead }))
    const add = async () =>
      (await http.call('employee/add', { ...person(mine.department), password: strongPassword }, giver)).id
    const crowd = await Promise.all(Array.from({ length: 3 }, add))
    const others = ['personnelmanager', 'departmentleader', lead, id]
    const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => give(others[i % 4] ?? '', { add: crowd })))
    const told = answers.flatMap(({ code, data }) => (code === 0 ? data.mustJoin : []))
    expect(told.sort()).toEqual(crowd.sort())
    for (const { code, data } of answers) {
      // Refused altogether is who was quicker for nobody.
      if (code !== 0) expect(code).toBe(60006)
      else expect(data.refused.filter(person => data.mustJoin.includes(person))).toEqual([])
    }
    for (const person of crowd) expect(await employee(person)).toMatchObject({ role: 2, canSignIn: false })
  })

  test('keep it from being deleted', async () => {
    const id = await addRole('Kept')
    const one = await addPerson()
    await give(id, { add: [one] })
    expect(await http.ask('role/delete', { id }, signed)).toMatchObject({ code: 60050 })
    expect(await users(id)).toEqual([one])
    await give(id, { remove: [one] })
    await http.call('role/delete', { id }, signed)
    expect(await http.ask('role/delete', { id }, signed)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    expect(await give(id, { add: [one] })).toMatchObject({ code: 60004 })
    const form = person(mine.department, { role: 2, roleId: id })
    expect(await http.ask('employee/add', form, signed)).toMatchObject({ fields: { roleId: 60004 } })
  })

  test('nobody holds a role that was deleted, however the giving and the deleting meet', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await addRole(`Meeting ${round}`)
      const one = await addPerson()
      const [given, deleted] = await Promise.all([give(id, { add: [one] }), http.ask('role/delete', { id }, signed)])
      expect([given.code, deleted.code].sort(), JSON.stringify([given, deleted])).not.toEqual([0, 0])
      const holds = (await employee(one)).roleId === id
      expect(holds).toBe(given.code === 0)
      const { list } = await http.call('role/all', {}, signed)
      expect(list.some(role => role.id === id)).toBe(deleted.code !== 0)
    }
  })
})

describe('the names of roles to choose from', () => {
  test('for who manages some departments are their own, and those that count in one of these', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const [own, beside, elsewhere] = [
      await addRole('Own', [3], [shop]),
      await addRole('Beside', [1], [shop, yard]),
      await addRole('Elsewhere', [1], [yard]),
    ]
    const ann = await invite(http, signed, person(shop, { role: 2, roleId: own }))
    expect(await http.call('auth/get', {}, ann)).toMatchObject({ managesAll: false })
    const { list } = await http.call('role/all', {}, ann)
    expect(list.map(({ id }) => id).sort()).toEqual([own, beside].sort())
    for (const role of list) expect(Object.keys(role).sort()).toEqual(['id', 'isSystem', 'name'])
    const all = (await http.call('role/all', {}, signed)).list.map(({ id }) => id)
    expect(all).toEqual(expect.arrayContaining(['departmentleader', 'personnelmanager', own, beside, elsewhere]))
    const lea = await invite(http, signed, person(shop, { role: 2, roleId: 'departmentleader' }))
    expect((await http.call('role/all', {}, lea)).list.map(({ id }) => id)).toContain('departmentleader')
  })
})

test('who did what with a role is told by the audit', async () => {
  const id = await addRole('Audited', [1])
  await http.call('role/update/item', { id, version: 1, permissions: [2], departments: [] }, signed)
  await http.call('role/delete', { id }, signed)
  const { list } = await http.call('audit/grid', { filters: { object: id } }, signed)
  expect(list.map(({ path }) => path)).toEqual(['role/delete', 'role/update/item', 'role/add'])
  expect(list.find(({ path }) => path === 'role/update/item')?.changes[0]?.fields).toEqual({
    permissions: { before: [1], after: [2] },
  })
})
