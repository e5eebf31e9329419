import { beforeAll, describe, expect, inject, test } from 'vitest'
import { allPermissions, roles } from '../../shared/permissions.ts'
import { mostRoleDepartments } from '../../shared/role.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { importSheet } from '../kit/sheet.ts'

const http = client(inject('address'))
let company: Registered
let caller: { token: string }
let workno = 100

beforeAll(async () => {
  company = await register(http)
  caller = { token: company.token }
})

const person = (department: string, more: object = {}) => ({
  first_name: 'Ria',
  last_name: 'R',
  workno: String(workno++),
  department,
  ...more,
})
const addPerson = async (department = company.department, more: object = {}) =>
  (await http.call('employee/add', person(department, more), caller)).id
const addDepartment = async (name: string, parent?: string) =>
  (await http.call('department/add', { name: `${name} ${workno++}`, ...(parent && { parent }) }, caller)).id
const addRole = async (name: string, permissions: number[] = [], departments: string[] = []) =>
  (await http.call('role/add', { name, permissions, departments }, caller)).id
const readRole = async (id: string) => {
  const role = (await http.call('role/grid', { size: 200 }, caller)).list.find(role => role.id === id)
  if (!role) throw new Error(`No role ${id}`)
  return role
}
const listUsers = async (role: string, search?: string) =>
  (await http.call('role/get/user', { filters: { role, ...(search && { search }) } }, caller)).list.map(({ id }) => id)
const updateUsers = (id: string, changes: { add?: string[]; remove?: string[] }) =>
  http.ask('role/update/user', { id, ...changes }, caller)
const readEmployee = async (id: string) => {
  const stored = (await http.call('employee/grid', { size: 200 }, caller)).list.find(stored => stored.id === id)
  if (!stored) throw new Error(`No employee ${id}`)
  return stored
}

describe('the system roles', () => {
  test('are at the top of every list, with their reach, in the caller’s language', async () => {
    const listNames = async (language: string) => {
      const { list } = await http.call('role/grid', {}, { ...caller, headers: { 'x-language': language } })
      return list.slice(0, 2).map(({ name }) => name)
    }
    const { list } = await http.call('role/grid', {}, caller)
    expect(list.slice(0, 2)).toMatchObject([
      { id: 'personnelmanager', reach: 'all', isSystem: true, permissions: allPermissions },
      { id: 'departmentleader', reach: 'own', isSystem: true, permissions: [7, 8, 9, 10] },
    ])
    const names = await Promise.all(['en', 'zh', 'es', 'el'].map(listNames))
    expect(names[0]).toEqual(['Personnel manager', 'Department leader'])
    expect(new Set(names.flat()).size).toBe(8)
  })

  test('cannot be changed or deleted', async () => {
    for (const id of ['personnelmanager', 'departmentleader']) {
      const refused = { code: 60051 }
      expect(await http.ask('role/update', { id, version: 1, name: 'Mine' }, caller)).toMatchObject(refused)
      const items = { id, version: 1, permissions: [], departments: [] }
      expect(await http.ask('role/update/item', items, caller)).toMatchObject(refused)
      expect(await http.ask('role/delete', { id }, caller)).toMatchObject(refused)
    }
  })

  test('give a personnel manager every permission in every department, except the administrator’s', async () => {
    const shop = await addDepartment('Shop')
    const pat = await invite(http, caller, person(company.department, { role: 2, roleId: 'personnelmanager' }))
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

  test('give a department leader their departments and all departments below, in the current tree', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const counter = await addDepartment('Counter', await addDepartment('Floor', shop))
    const lea = await invite(http, caller, person(shop, { departments: [yard], role: 2, roleId: 'departmentleader' }))
    const listDepartments = async () => (await http.call('department/all', {}, lea)).list.map(({ id }) => id)
    expect(await listDepartments()).toHaveLength(4)
    expect(await listDepartments()).toEqual(expect.arrayContaining([shop, yard, counter]))
    const { auth_item } = await http.call('auth/get', {}, lea)
    expect(auth_item.map(({ id }) => id)).toEqual([7, 8, 9, 10])
    // Departments moved below count from the next call, and stop counting when moved away.
    const other = await addDepartment('Other')
    const under = await addDepartment('Under', other)
    expect(await listDepartments()).not.toContain(under)
    const move = async (parent?: string) => {
      const { list } = await http.call('department/grid', { size: 200 }, caller)
      const { version, name } = list.find(({ id }) => id === other) ?? { version: 0, name: '' }
      await http.call('department/update', { id: other, version, name, ...(parent && { parent }) }, caller)
    }
    await move(counter)
    expect(await listDepartments()).toEqual(expect.arrayContaining([other, under]))
    await move()
    expect(await listDepartments()).not.toContain(under)
    // The leader moves to another department, and then reaches only that department and its sub-departments.
    const leader = await readEmployee(lea.id)
    const { id, version, first_name, last_name, workno: number } = leader
    const form = { id, version, first_name, last_name, workno: number, email: lea.email, role: 2 }
    await http.call('employee/update', { ...form, department: other, roleId: 'departmentleader' }, caller)
    expect((await listDepartments()).sort()).toEqual([other, under].sort())
  })
})

describe('a custom role', () => {
  test('keeps its name, notes, permissions and departments, and rejects a change of an old version', async () => {
    const department = await addDepartment('Shop')
    const id = await addRole('Clerk', [1], [company.department])
    await http.call('role/update', { id, version: 1, name: 'Cashier', notes: 'Takes money' }, caller)
    await http.call('role/update/item', { id, version: 2, permissions: [7, 8], departments: [department] }, caller)
    expect(await readRole(id)).toMatchObject({
      ...{ name: 'Cashier', notes: 'Takes money', permissions: [7, 8], departments: [department] },
      ...{ reach: 'assigned', isSystem: false, userCount: 0, version: 3 },
    })
    expect(await http.ask('role/update', { id, version: 2, name: 'Late' }, caller)).toMatchObject({ code: 60006 })
    await http.call('role/update', { id, version: 3, name: 'Cashier' }, caller)
    expect(await readRole(id)).not.toHaveProperty('notes')
  })

  test('has a unique name, regardless of case and accents, also for simultaneous additions', async () => {
    const taken = { code: 60052, fields: { name: 60052 } }
    const form = { permissions: [], departments: [] }
    const add = (name: string) => http.ask('role/add', { ...form, name }, caller)
    const answers = await Promise.all(Array.from({ length: 6 }, () => add('Gärtner')))
    expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(5).fill(60052)])
    const id = answers.find(({ code }) => code === 0)?.data.id ?? ''
    for (const name of ['GARTNER', ' gärtner ', 'ｇärtner', 'Personnel manager', 'Jefe de departamento', '员工'])
      expect(await add(name), name).toMatchObject(taken)
    // A role may change the spelling of its name. The former names of renamed and deleted roles are free.
    await http.call('role/update', { id, version: 1, name: 'Gartner' }, caller)
    const other = await addRole('Baumpfleger')
    const rename = (name: string) => http.ask('role/update', { id: other, version: 1, name }, caller)
    expect(await rename('gärtner')).toMatchObject(taken)
    await http.call('role/update', { id, version: 2, name: 'Florist' }, caller)
    const [renamed, added] = await Promise.all([rename('Gärtner'), add('Gärtner')])
    expect([renamed.code, added.code].sort()).toEqual([0, 60052])
    await http.call('role/delete', { id }, caller)
    expect(await add('Florist')).toMatchObject({ code: 0 })
  })

  test('rejects an unknown permission and an unknown department', async () => {
    const form = { name: 'Odd', permissions: [1], departments: [company.department] }
    expect(await http.ask('role/add', { ...form, permissions: [12] }, caller)).toMatchObject({
      fields: { 'permissions.0': 10002 },
    })
    const departments = [company.department, '0'.repeat(16)]
    expect(await http.ask('role/add', { ...form, departments }, caller)).toMatchObject({
      fields: { 'departments.1': 60004 },
    })
  })

  test('is found by name, once across all pages', async () => {
    for (const name of ['Zebra one', 'Zebra two', 'zébra three']) await addRole(name)
    const find = (page?: string) =>
      http.call('role/grid', { size: 2, filters: { search: 'ZEBRA' }, ...(page && { page }) }, caller)
    const first = await find()
    const second = await find(first.next)
    expect(first.count).toBe(3)
    expect([...first.list, ...second.list].map(({ name }) => name)).toEqual(['Zebra one', 'zébra three', 'Zebra two'])
    expect(second.next).toBeUndefined()
  })

  test('applies its changes from the user’s next call', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const id = await addRole('Changing', [3], [shop])
    const max = await invite(http, caller, person(shop, { role: 2, roleId: id }))
    expect(await http.ask('employee/grid', {}, max)).toMatchObject({ code: 0, data: { list: [{ id: max.id }] } })
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 60005 })
    const items = { id, version: 1, permissions: [2], departments: [yard] }
    await http.call('role/update/item', items, caller)
    expect(await http.ask('employee/grid', {}, max)).toMatchObject({ code: 60005 })
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 0 })
    expect((await http.call('department/all', {}, max)).list.map(({ id }) => id)).toEqual([yard])
    // The session continues, but without a role it cannot use the management side.
    await http.call('role/update/user', { id, remove: [max.id] }, caller)
    expect(await http.ask('device/grid', {}, max)).toMatchObject({ code: 502 })
  })

  test('loses a deleted department', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const id = await addRole('Both', [1], [shop, yard])
    await http.call('department/delete', { id: shop }, caller)
    expect((await readRole(id)).departments).toEqual([yard])
  })

  test('never keeps a deleted department, even if the deletion and a change of the role coincide', {
    tags: 'long',
  }, async () => {
    const id = await addRole('Racing', [1])
    for (let round = 0; round < 6; round++) {
      const department = await addDepartment('Gone')
      const { version } = await readRole(id)
      const items = { id, version, permissions: [1], departments: [department] }
      const [listNames] = await Promise.all([
        http.ask('role/update/item', items, caller),
        http.call('department/delete', { id: department }, caller),
      ])
      expect([0, 60004, 60006]).toContain(listNames.code)
      expect((await readRole(id)).departments).toEqual([])
    }
  })

  test('keeps a department when a simultaneous change makes the deletion of the department fail', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < 6; round++) {
      const department = await addDepartment('Kept')
      const id = await addRole(`Keeps ${round}`, [1], [department])
      const form = { id: department, name: `Kept ${workno++}` }
      const change = (version: number) => http.ask('department/update', { ...form, version }, caller)
      const [deleted] = await Promise.all([
        http.ask('department/delete', { id: department }, caller),
        // Changes the department with the version that it has during its deletion. Retries until the change hits that
        // moment.
        (async () => {
          for (let tries = 0; tries < 20; tries++) if ((await change(2)).code !== 60006) return
        })(),
      ])
      expect([0, 60006]).toContain(deleted.code)
      const isThere = (await http.call('department/all', {}, caller)).list.some(item => item.id === department)
      expect([isThere, (await readRole(id)).departments]).toEqual(
        deleted.code === 0 ? [false, []] : [true, [department]],
      )
    }
  })

  test('gets all departments that its users add at the same time', { tags: 'long' }, async () => {
    const above = await addDepartment('Shared')
    const id = await addRole('Sharing', [1], [above])
    const users = await Promise.all(
      Array.from({ length: 3 }, () => invite(http, caller, person(above, { role: 2, roleId: id }))),
    )
    const added = await Promise.all(
      users.map((holder, i) => http.call('department/add', { name: `Shared ${workno++} ${i}`, parent: above }, holder)),
    )
    expect((await readRole(id)).departments.toSorted()).toEqual([above, ...added.map(({ id }) => id)].sort())
  })

  test('gets no more departments than its maximum', { tags: 'long', timeout: 120_000 }, async () => {
    const otherCompany = await register(http)
    const lines = Array.from({ length: mostRoleDepartments }, (_, i) => `Level ${i}`)
    await importSheet(http, otherCompany, `name\n${lines.join('\n')}`, { path: 'department/import' })
    const { list } = await http.call('department/all', {}, otherCompany)
    const departments = list.map(({ id }) => id).slice(0, mostRoleDepartments)
    const { id: roleId } = await http.call('role/add', { name: 'Full', permissions: [1], departments }, otherCompany)
    const [parent = ''] = departments
    const manager = await invite(http, otherCompany, person(parent, { role: 2, roleId }))
    expect(await http.ask('department/add', { name: 'One more', parent }, manager)).toMatchObject({ code: 60002 })
    const end = await importSheet(http, manager, `name,parent\nTwo more,${lines[0]}`, { path: 'department/import' })
    expect(end).toMatchObject({ state: 'failed' })
    expect((await http.call('department/all', {}, otherCompany)).list).toHaveLength(list.length)
  })
})

describe('the users of a role', () => {
  test('can be added and removed, and are listed by name, searched and counted', async () => {
    const id = await addRole('Held')
    const people = await Promise.all(
      ['Zoe', 'Anna', 'Mia'].map(first_name => addPerson(company.department, { first_name })),
    )
    const [zoe = '', anna = '', mia = ''] = people
    expect(await updateUsers(id, { add: people })).toMatchObject({ code: 0 })
    expect(await listUsers(id)).toEqual([anna, mia, zoe])
    expect(await listUsers(id, 'mia')).toEqual([mia])
    expect((await readRole(id)).userCount).toBe(3)
    expect(await readEmployee(zoe)).toMatchObject({ role: roles.manager, roleId: id })
    // A repetition changes nothing.
    const { version } = await readEmployee(anna)
    expect(await updateUsers(id, { add: [anna], remove: [zoe] })).toMatchObject({ code: 0 })
    expect(await readEmployee(anna)).toMatchObject({ version })
    expect(await listUsers(id)).toEqual([anna, mia])
    const former = await readEmployee(zoe)
    expect(former.role).toBe(roles.employee)
    expect(former).not.toHaveProperty('roleId')
    // Another role replaces the previous role.
    const other = await addRole('Taken')
    expect(await updateUsers(other, { add: [anna] })).toMatchObject({ code: 0 })
    expect([await listUsers(id), await listUsers(other)]).toEqual([[mia], [anna]])
  })

  test('follow each change of an employee: the form, a new name, a deletion', async () => {
    const id = await addRole('Followed')
    const eve = await addPerson(company.department, { first_name: 'Eve', role: 2, roleId: id })
    expect(await listUsers(id)).toEqual([eve])
    const updateEmployee = async (more: object) => {
      const { version, first_name, last_name, workno: number, department } = await readEmployee(eve)
      const form = { id: eve, version, first_name, last_name, workno: number, department, ...more }
      await http.call('employee/update', form, caller)
    }
    await updateEmployee({ first_name: 'Yves', role: 2, roleId: id })
    expect(await listUsers(id, 'yves')).toEqual([eve])
    expect(await listUsers(id, 'eve ')).toEqual([])
    await updateEmployee({ role: 3 })
    expect(await listUsers(id)).toEqual([])
    await updateEmployee({ role: 2, roleId: id })
    await http.call('employee/delete', { id: eve }, caller)
    expect(await listUsers(id)).toEqual([])
    expect((await readRole(id)).userCount).toBe(0)
  })

  test('stay unchanged when a single user of the call is invalid', async () => {
    const id = await addRole('Whole')
    const personId = await addPerson()
    expect(await updateUsers(id, { add: [personId, '0'.repeat(16)] })).toMatchObject({ fields: { 'add.1': 60004 } })
    expect(await updateUsers(id, { add: [personId, company.owner] })).toMatchObject({
      code: 60054,
      fields: { 'add.1': 60054 },
    })
    expect(await updateUsers(id, { add: [], remove: [personId] })).toMatchObject({ fields: { 'remove.0': 60004 } })
    expect(await updateUsers(id, { add: [personId], remove: [personId] })).toMatchObject({
      fields: { 'remove.0': 10002 },
    })
    expect(await updateUsers('0'.repeat(16), { add: [personId] })).toMatchObject({ fields: { id: 60004 } })
    expect(await listUsers(id)).toEqual([])
  })

  test('are reported once when they lose their password, even in partly rejected calls', { tags: 'long' }, async () => {
    const id = await addRole('Crowded')
    const lead = await addRole('Giver', [3], [company.department])
    const giver = await invite(http, caller, person(company.department, { role: 2, roleId: lead }))
    const add = async () =>
      (await http.call('employee/add', { ...person(company.department), password: strongPassword }, giver)).id
    const crowd = await Promise.all(Array.from({ length: 3 }, add))
    const others = ['personnelmanager', 'departmentleader', lead, id]
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => updateUsers(others[i % 4] ?? '', { add: crowd })),
    )
    const reported = answers.flatMap(({ code, data }) => (code === 0 ? data.mustJoin : []))
    expect(reported.sort()).toEqual(crowd.sort())
    for (const { code, data } of answers) {
      // A rejected call has changed no employee.
      if (code !== 0) expect(code).toBe(60006)
      else expect(data.refused.filter(person => data.mustJoin.includes(person))).toEqual([])
    }
    for (const person of crowd) expect(await readEmployee(person)).toMatchObject({ role: 2, canSignIn: false })
  })

  test('prevent the deletion of the role', async () => {
    const id = await addRole('Kept')
    const personId = await addPerson()
    await updateUsers(id, { add: [personId] })
    expect(await http.ask('role/delete', { id }, caller)).toMatchObject({ code: 60050 })
    expect(await listUsers(id)).toEqual([personId])
    await updateUsers(id, { remove: [personId] })
    await http.call('role/delete', { id }, caller)
    expect(await http.ask('role/delete', { id }, caller)).toMatchObject({ code: 60004, fields: { id: 60004 } })
    expect(await updateUsers(id, { add: [personId] })).toMatchObject({ code: 60004 })
    const form = person(company.department, { role: 2, roleId: id })
    expect(await http.ask('employee/add', form, caller)).toMatchObject({ fields: { roleId: 60004 } })
  })

  test('never keep a deleted role, even if the deletion and a change of the users coincide', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < 6; round++) {
      const id = await addRole(`Meeting ${round}`)
      const personId = await addPerson()
      const [updated, deleted] = await Promise.all([
        updateUsers(id, { add: [personId] }),
        http.ask('role/delete', { id }, caller),
      ])
      expect([updated.code, deleted.code].sort(), JSON.stringify([updated, deleted])).not.toEqual([0, 0])
      const isUser = (await readEmployee(personId)).roleId === id
      expect(isUser).toBe(updated.code === 0)
      const { list } = await http.call('role/all', {}, caller)
      expect(list.some(role => role.id === id)).toBe(deleted.code !== 0)
    }
  })
})

describe('the role names to choose from', () => {
  test('contain for a manager the own role and the roles that apply in the manager’s departments', async () => {
    const [shop, yard] = [await addDepartment('Shop'), await addDepartment('Yard')]
    const [ownRole, sharedRole, foreignRole] = [
      await addRole('Own', [3], [shop]),
      await addRole('Beside', [1], [shop, yard]),
      await addRole('Elsewhere', [1], [yard]),
    ]
    const ann = await invite(http, caller, person(shop, { role: 2, roleId: ownRole }))
    expect(await http.call('auth/get', {}, ann)).toMatchObject({ managesAll: false })
    const { list } = await http.call('role/all', {}, ann)
    expect(list.map(({ id }) => id).sort()).toEqual([ownRole, sharedRole].sort())
    for (const role of list) expect(Object.keys(role).sort()).toEqual(['id', 'isSystem', 'name'])
    const all = (await http.call('role/all', {}, caller)).list.map(({ id }) => id)
    expect(all).toEqual(
      expect.arrayContaining(['departmentleader', 'personnelmanager', ownRole, sharedRole, foreignRole]),
    )
    const lea = await invite(http, caller, person(shop, { role: 2, roleId: 'departmentleader' }))
    expect((await http.call('role/all', {}, lea)).list.map(({ id }) => id)).toContain('departmentleader')
  })
})

test('the audit log records the changes of a role', async () => {
  const id = await addRole('Audited', [1])
  await http.call('role/update/item', { id, version: 1, permissions: [2], departments: [] }, caller)
  await http.call('role/delete', { id }, caller)
  const { list } = await http.call('audit/grid', { filters: { object: id } }, caller)
  expect(list.map(({ path }) => path)).toEqual(['role/delete', 'role/update/item', 'role/add'])
  expect(list.find(({ path }) => path === 'role/update/item')?.changes[0]?.fields).toEqual({
    permissions: { before: [1], after: [2] },
  })
})
