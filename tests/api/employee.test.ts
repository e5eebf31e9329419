import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import {
  askCode,
  client,
  invitationIn,
  invite,
  mailedInvitation,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'

const http = client(inject('address'))
let olga: Registered
let signed: { token: string }

beforeAll(async () => {
  olga = await register(http)
  signed = { token: olga.token }
})

const person = (workno: string) => ({ first_name: 'Pat', last_name: 'Person', workno, department: olga.department })
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', {}, signed)
  const existing = list.find(employee => employee.id === id)
  if (!existing) throw new Error(`No employee ${id}`)
  return existing
}

test('an employee ID is numeric and unique, ignoring leading zeros', async () => {
  expect(await http.ask('employee/add', person('12a'), signed)).toMatchObject({
    code: 59013,
    fields: { workno: 59013 },
  })
  await http.call('employee/add', person('120'), signed)
  expect(await http.ask('employee/add', person('000120'), signed)).toMatchObject({
    code: 59014,
    fields: { workno: 59014 },
  })
})

test('only one of many concurrent requests gets an employee ID', { tags: 'long' }, async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => http.ask('employee/add', person('121'), signed)))
  expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(7).fill(59014)])
})

test('an employee ID is never reused, even after the employee leaves', async () => {
  const { id } = await http.call('employee/add', person('122'), signed)
  await http.call('employee/delete', { id }, signed)
  expect(await http.ask('employee/add', person('122'), signed)).toMatchObject({ code: 59014 })
})

test('the owner cannot delete their own record and stays an administrator', async () => {
  expect(await http.ask('employee/delete', { id: olga.owner }, signed)).toMatchObject({ code: 59012 })
  const { canSignIn: _c, isOwner: _o, passwordSetAt: _p, ...owner } = await read(olga.owner)
  expect(await http.ask('employee/update', { ...owner, role: 3 }, signed)).toMatchObject({
    code: 60054,
    fields: { role: 60054 },
  })
})

test('disabling, deleting or setting a password signs a person out everywhere', async () => {
  const { id } = await http.call('employee/add', { ...person('123'), password: strongPassword }, signed)
  const login = () => http.call('personal/login', { code: olga.company_num, workno: '123', password: strongPassword })
  const change = async (changes: object) => {
    const { canSignIn: _, isOwner: _o, passwordSetAt: _p, ...now } = await read(id)
    await http.call('employee/update', { ...now, ...changes }, signed)
  }
  const first = await login()
  await change({ password: strongPassword })
  expect(await http.ask('auth/get', {}, first)).toMatchObject({ code: 502 })
  const second = await login()
  await change({ role: 0 })
  expect(await http.ask('auth/get', {}, second)).toMatchObject({ code: 502 })
  expect(
    await http.ask('personal/login', { code: olga.company_num, workno: '123', password: strongPassword }),
  ).toMatchObject({ code: 21021 })
  await change({ role: 3 })
  const third = await login()
  await http.call('employee/delete', { id }, signed)
  expect(await http.ask('auth/get', {}, third)).toMatchObject({ code: 502 })
})

test('a manager sees and changes only the people of their department, and cannot create administrators', async () => {
  const { id: sales } = await http.call('department/add', { name: 'Sales' }, signed)
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Sales lead', permissions: [1, 3, 7], departments: [sales] },
    signed,
  )
  const lead = await invite(http, signed, { ...person('130'), department: sales, role: 2, roleId })
  const { id: outside } = await http.call('employee/add', person('131'), signed)

  const { list } = await http.call('employee/grid', {}, lead)
  expect(list.map(({ workno }) => workno)).toEqual(['130'])
  expect((await http.call('department/grid', {}, lead)).list.map(({ id }) => id)).toEqual([sales])
  expect((await http.call('department/all', {}, lead)).list.map(({ id }) => id)).toEqual([sales])
  const board = await http.call('schedule/grid', { filters: { from: '2099-01-01', to: '2099-01-07' } }, lead)
  expect(board.list.map(({ workno }) => workno)).toEqual(['130'])
  expect(await http.ask('employee/delete', { id: outside }, lead)).toMatchObject({ code: 60004 })
  expect(await http.ask('employee/add', person('132'), lead)).toMatchObject({
    code: 60004,
    fields: { department: 60004 },
  })
  expect(await http.ask('employee/add', { ...person('132'), department: sales, role: 1 }, lead)).toMatchObject({
    code: 60005,
  })
  expect(await http.ask('report/grid', { filters: { from: '2099-01-01', to: '2099-01-02' } }, lead)).toMatchObject({
    code: 60005,
  })
  await http.call('employee/add', { ...person('133'), department: sales }, lead)
})

test('an employee cannot sign in with an e-mail address before confirming the address', async () => {
  const email = `shared-${Date.now()}@example.com`
  const { id } = await http.call('employee/add', { ...person('140'), email, password: strongPassword }, signed)
  expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 21014 })
  expect(await http.ask('user/forgot', { email })).toMatchObject({ code: 21004 })
  await http.call('employee/add', { ...person('141'), email }, signed)
  expect((await read(id)).email).toBe(email)
})

/** Updates an employee with the values that the list returns. */
const changeTo = async (id: string, changes: object, as: { token: string } = signed) => {
  const { canSignIn: _c, isOwner: _o, passwordSetAt: _p, isWaiting: _w, photo: _f, ...now } = await read(id)
  return http.ask('employee/update', { ...now, ...changes }, as)
}
const dayFrom = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('an employee keeps every given field and loses omitted fields', async () => {
  const { id: kitchen } = await http.call('department/add', { name: 'Kitchen' }, signed)
  const all = {
    ...person('150'),
    departments: [kitchen, olga.department, kitchen],
    position: 'Cook',
    email: 'pat@example.com',
    tel: '+30 210 1234567',
    hireDay: '2024-02-29',
    endDay: '2099-12-31',
  }
  const { id } = await http.call('employee/add', all, signed)
  // Each department counts once, and the main department does not count as an additional department.
  expect(await read(id)).toMatchObject({ ...all, departments: [kitchen] })
  await http.call('employee/update', { id, version: 1, ...person('150') }, signed)
  const left = await read(id)
  for (const field of ['departments', 'position', 'email', 'tel', 'hireDay', 'endDay'])
    expect(left).not.toHaveProperty(field)
  expect(await http.ask('employee/update', { id, version: 1, ...person('150') }, signed)).toMatchObject({ code: 60006 })
  const wrong: [object, string, number][] = [
    [{ departments: ['0'.repeat(16)] }, 'departments.0', 60004],
    [{ departments: Array.from({ length: 21 }, () => kitchen) }, 'departments', 60002],
    [{ hireDay: '2024-02-02', endDay: '2024-02-01' }, 'endDay', 10002],
    [{ hireDay: '2023-02-29' }, 'hireDay', 10002],
    [{ tel: '1'.repeat(41) }, 'tel', 60002],
    [{ role: 4 }, 'role', 60002],
  ]
  for (const [fields, field, code] of wrong)
    expect(await changeTo(id, fields), field).toMatchObject({ fields: { [field]: code } })
})

test('an employee needs an existing role', async () => {
  const { id } = await http.call('employee/add', person('151'), signed)
  expect(await changeTo(id, { role: 2 })).toMatchObject({ code: 10002, fields: { roleId: 60001 } })
  expect(await changeTo(id, { role: 2, roleId: '0'.repeat(16) })).toMatchObject({ fields: { roleId: 60004 } })
  expect(await changeTo(id, { role: 3, roleId: 'personnelmanager' })).toMatchObject({ fields: { roleId: 60004 } })
  for (const changes of [{ role: 2, roleId: 'departmentleader' }, { role: 1, roleId: undefined }, { role: 0 }])
    expect(await changeTo(id, changes), JSON.stringify(changes)).toMatchObject({ code: 0 })
})

test('administrators cannot lock out the owner or themselves', async () => {
  const admin = await invite(http, signed, { ...person('152'), role: 1 })
  expect(await changeTo(admin.id, { role: 0 }, admin)).toMatchObject({ code: 60054, fields: { role: 60054 } })
  for (const as of [admin, signed]) {
    expect(await changeTo(olga.owner, { endDay: dayFrom(-3) }, as)).toMatchObject({ fields: { endDay: 60054 } })
    expect(await changeTo(olga.owner, { role: 0 }, as)).toMatchObject({ code: 60054 })
    expect(await http.ask('employee/delete', { id: olga.owner }, as)).toMatchObject({ code: 59012 })
  }
  expect(await http.ask('employee/delete', { id: admin.id }, admin)).toMatchObject({ code: 59012 })
  expect(await changeTo(admin.id, { endDay: dayFrom(3) }, admin)).toMatchObject({ code: 0 })
})

test('a past last day signs an employee out and blocks sign-in until it is removed', async () => {
  const { id } = await http.call('employee/add', { ...person('153'), password: strongPassword }, signed)
  const login = () => http.ask('personal/login', { code: olga.company_num, workno: '153', password: strongPassword })
  const before = (await login()).data
  expect(await changeTo(id, { endDay: dayFrom(2) })).toMatchObject({ code: 0 })
  expect(await http.ask('user/employee', {}, before)).toMatchObject({ code: 0 })
  expect(await changeTo(id, { endDay: dayFrom(-2) })).toMatchObject({ code: 0 })
  expect(await http.ask('user/employee', {}, before)).toMatchObject({ code: 502 })
  expect(await login()).toMatchObject({ code: 21021 })
  expect(await changeTo(id, { endDay: undefined })).toMatchObject({ code: 0 })
  expect(await login()).toMatchObject({ code: 0 })
  expect(await http.ask('user/employee', {}, before)).toMatchObject({ code: 502 })
})

test('a manager of an additional department edits the person, but not the person’s other departments', async () => {
  const { id: bar } = await http.call('department/add', { name: 'Bar' }, signed)
  const { id: terrace } = await http.call('department/add', { name: 'Terrace' }, signed)
  const { id: roleId } = await http.call(
    'role/add',
    { name: 'Bar lead', permissions: [3, 7, 8], departments: [bar] },
    signed,
  )
  const lead = await invite(http, signed, { ...person('160'), department: bar, role: 2, roleId })
  const { id } = await http.call('employee/add', { ...person('161'), departments: [terrace, bar] }, signed)
  const seen = async () => (await http.call('employee/grid', {}, lead)).list.map(({ workno }) => workno)
  const board = async () => {
    const filters = { from: '2099-01-01', to: '2099-01-07' }
    return (await http.call('schedule/grid', { filters }, lead)).list.map(({ workno }) => workno)
  }
  expect(await seen()).toEqual(['160', '161'])
  expect(await board()).toEqual(['160', '161'])
  expect(await changeTo(id, { position: 'Barkeeper' }, lead)).toMatchObject({ code: 0 })
  // The manager can neither remove the person from other departments nor add the person there.
  expect(await changeTo(id, { department: bar, departments: [olga.department, terrace] }, lead)).toMatchObject({
    code: 60005,
    fields: { department: 60005 },
  })
  expect(await changeTo(id, { departments: [bar] }, lead)).toMatchObject({
    code: 60005,
    fields: { departments: 60005 },
  })
  const { id: barkeeper } = await http.call('employee/add', { ...person('162'), department: bar }, lead)
  expect(await changeTo(barkeeper, { departments: [terrace] }, lead)).toMatchObject({
    code: 60004,
    fields: { 'departments.0': 60004 },
  })
  // Worked days belong to the main department.
  const filters = { from: '2099-01-01', to: '2099-01-07', employee: id }
  expect((await http.call('report/grid', { filters }, lead)).list).toEqual([])
  expect(await changeTo(id, { departments: [terrace] }, lead)).toMatchObject({ code: 0 })
  expect(await seen()).toEqual(['160', '162'])
  expect(await changeTo(id, { position: 'Nobody' }, lead)).toMatchObject({ code: 60004 })
})

test('administrators find deleted employees again', async () => {
  const { id } = await http.call('employee/add', { ...person('170'), last_name: 'Ünder' }, signed)
  await http.call('employee/delete', { id }, signed)
  for (const search of ['under', '170']) {
    const { list } = await http.call('employee/former/grid', { filters: { search } }, signed)
    expect(list).toMatchObject([{ id, workno: '170', endDay: expect.any(String) }])
  }
  const { list, next } = await http.call('employee/former/grid', { size: 1 }, signed)
  expect(list).toHaveLength(1)
  expect((await http.call('employee/former/grid', { size: 1, page: next }, signed)).list[0]?.id).not.toBe(list[0]?.id)
})

describe('a password set by another person', () => {
  const inviteLead = async (workno: string) => {
    const { id: roleId } = await http.call(
      'role/add',
      { name: `Lead ${workno}`, permissions: [3], departments: [olga.department] },
      signed,
    )
    return { roleId, ...(await invite(http, signed, { ...person(workno), role: 2, roleId })) }
  }
  const login = (workno: string, password = strongPassword) =>
    http.ask('personal/login', { code: olga.company_num, workno, password })
  const joinAsNew = (token: string, password = strongPassword) =>
    http.call('user/invite/join', { token, account: 'new', password, confirm_password: password, terms: true })
  const joinedBy = async (id: string, password: string) => {
    const { url } = await http.call('employee/login_link', { id }, signed)
    return joinAsNew(invitationIn(url), password)
  }
  /** Adds an e-mail address to the signed-in account. */
  const addAddress = async (session: { token: string }, password: string) => {
    const email = `address-${randomUUID()}@example.com`
    const code = await askCode(http, 'user/email/code', { email }, session)
    await http.call('user/email/update', { email, password, ...code }, session)
    return email
  }
  /** Resets the password with a mailed code. */
  const resetPassword = async (email: string, password: string) => {
    const code = await askCode(http, 'user/forgot', { email })
    await http.call('user/forgot/save', { email, ...code, new_password: password, confirm_password: password })
  }
  const raiseHere = async (workno: string) => {
    const { list } = await http.call('employee/grid', { filters: { search: workno } }, signed)
    return (await changeTo(list.find(employee => employee.workno === workno)?.id ?? '', { role: 1 })).data
  }

  test('is revoked when the employee is promoted, unless an administrator set it', { tags: 'long' }, async () => {
    const lead = await inviteLead('460')
    const raises = [
      (id: string) => changeTo(id, { role: 1 }),
      (id: string) => changeTo(id, { role: 2, roleId: lead.roleId }),
      (id: string) => http.ask('role/update/user', { id: 'departmentleader', add: [id] }, signed),
    ]
    for (const [i, raise] of raises.entries()) {
      const [number, own] = [`46${2 * i + 1}`, `46${2 * i + 2}`]
      const { id } = await http.call('employee/add', { ...person(number), password: strongPassword }, lead)
      const session = (await login(number)).data
      const raised = await raise(id)
      expect(raised).toMatchObject({ code: 0, data: { mustJoin: i === 2 ? [id] : true } })
      expect(await http.ask('user/employee', {}, session)).toMatchObject({ code: 502 })
      expect(await login(number)).toMatchObject({ code: 21014 })
      const updated = await read(id)
      expect(updated).toMatchObject({ canSignIn: false, role: i === 0 ? 1 : 2 })
      expect(updated).not.toHaveProperty('passwordSetAt')
      expect(updated).not.toHaveProperty('passwordSetBy')
      const { token } = await joinedBy(id, 'Rhubarb#4771')
      expect(await http.ask('auth/get', {}, { token: token ?? '' })).toMatchObject({ code: 0 })
      expect(await login(number)).toMatchObject({ code: 21014 })
      expect(await login(number, 'Rhubarb#4771')).toMatchObject({ code: 0 })

      const added = await http.call('employee/add', { ...person(own), password: strongPassword }, signed)
      const kept = await raise(added.id)
      expect(kept).toMatchObject({ code: 0, data: i === 2 ? { mustJoin: [] } : {} })
      expect(kept.data).not.toHaveProperty('mustJoin', true)
      expect(await login(own)).toMatchObject({ code: 0 })
    }
  })

  test('is trusted once the employee has rejoined or an administrator has replaced it', async () => {
    const lead = await inviteLead('470')
    const add = async (workno: string) =>
      (await http.call('employee/add', { ...person(workno), password: strongPassword }, lead)).id
    const [joined, given] = await Promise.all(['472', '473'].map(add))
    await joinedBy(joined ?? '', 'Rhubarb#4772')
    await changeTo(given ?? '', { password: 'Rhubarb#4773' })
    for (const [workno, id, password] of [
      ['472', joined ?? '', 'Rhubarb#4772'],
      ['473', given ?? '', 'Rhubarb#4773'],
    ] as const) {
      expect((await changeTo(id, { role: 1 })).data).toEqual({})
      expect(await login(workno, password)).toMatchObject({ code: 0 })
    }
  })

  test('stays distrusted after its holder changes it, adds an address and resets the password by mail', {
    tags: 'long',
  }, async () => {
    const lead = await inviteLead('474')
    const { id } = await http.call('employee/add', { ...person('475'), password: strongPassword }, lead)
    const session = (await login('475')).data
    const form = { password: strongPassword, new_password: 'Rhubarb#4771', confirm_password: 'Rhubarb#4771' }
    await http.call('user/password/update', form, session)
    const email = await addAddress(session, 'Rhubarb#4771')
    await resetPassword(email, 'Rhubarb#4772')
    // The author could have added this address, so a password from an administrator does not make the account trusted.
    await changeTo(id, { password: 'Rhubarb#4773' })
    expect((await changeTo(id, { role: 1, password: 'Rhubarb#4774' })).data).toEqual({ mustJoin: true })
    for (const password of ['Rhubarb#4772', 'Rhubarb#4773', 'Rhubarb#4774'])
      expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21014 })
  })

  test('can be chosen through a manager’s link or address, but not through an administrator’s address', {
    tags: 'long',
  }, async () => {
    const lead = await inviteLead('476')
    const add = async (workno: string, more: object = {}) =>
      (await http.call('employee/add', { ...person(workno), ...more }, lead)).id
    const byLink = await add('477')
    const { url } = await http.call('employee/login_link', { id: byLink }, lead)
    await joinAsNew(invitationIn(url))
    expect((await changeTo(byLink, { role: 1 })).data).toEqual({ mustJoin: true })

    for (const [workno, by, answer] of [
      ['479', lead, { mustJoin: true }],
      ['4790', signed, {}],
    ] as const) {
      const email = `mailed-${workno}-${randomUUID()}@example.com`
      const id = await add(workno, { password: strongPassword })
      await changeTo(id, { email }, by)
      await http.call('employee/send_qrcode', { ids: [id] }, lead)
      await joinAsNew(await mailedInvitation(http.address, email))
      expect((await changeTo(id, { role: 1 })).data).toEqual(answer)
    }
  })

  test('does not open the management side of another company until its holder resets it by mail', {
    tags: 'long',
  }, async () => {
    const lead = await inviteLead('484')
    await http.call('employee/add', { ...person('485'), password: strongPassword }, lead)
    const session = (await login('485')).data
    const email = await addAddress(session, strongPassword)

    const other = await register(http, { company_name: 'Other' })
    const guest = async (workno: string, role: number) =>
      (await http.call('employee/add', { ...person(workno), department: other.department, role }, other)).id
    const joinThere = async (id: string, password: string) => {
      const { url } = await http.call('employee/login_link', { id }, other)
      return http.ask('user/invite/join', {
        token: invitationIn(url),
        account: 'existing',
        email,
        password,
        terms: true,
      })
    }
    const [manager, employee] = [await guest('2', 1), await guest('3', 3)]
    expect(await joinThere(manager, strongPassword)).toMatchObject({ code: 60032, fields: { password: 60032 } })
    expect(await joinThere(employee, strongPassword)).toMatchObject({ code: 0 })
    const raiseThere = async () => {
      const { list } = await http.call('employee/grid', {}, other)
      const { version, workno } = list.find(({ id }) => id === employee) ?? { version: 0, workno: '' }
      const form = { ...person(workno), department: other.department, role: 1 }
      return http.call('employee/update', { ...form, id: employee, version }, other)
    }
    expect(await raiseThere()).toEqual({ mustJoin: true })
    // The other company revokes the password. This company keeps it, so it opens only the employee side here.
    const here = await http.call('user/login', { email, password: strongPassword })
    expect(await http.call('auth/get', {}, here)).toMatchObject({ type: 'user', company: { id: olga.company } })
    expect(await login('485')).toMatchObject({ code: 0 })
    expect(await joinThere(employee, strongPassword)).toMatchObject({ code: 60032 })
    await resetPassword(email, 'Rhubarb#4771')
    expect(await joinThere(employee, 'Rhubarb#4771')).toMatchObject({ code: 0 })
    expect(await http.ask('user/login', { email, password: 'Rhubarb#4771' })).toMatchObject({ code: 0 })
    expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 21014 })
    // This company still distrusts the account and revokes the password. The other company keeps the password.
    expect(await raiseHere('485')).toEqual({ mustJoin: true })
    expect(await http.ask('user/login', { email, password: 'Rhubarb#4771' })).toMatchObject({ code: 0 })
    expect(await login('485', 'Rhubarb#4771')).toMatchObject({ code: 21014 })
  })

  test('does not allow its holder to found a company until the holder resets it by mail', {
    tags: 'long',
  }, async () => {
    await http.call('employee/add', { ...person('486'), role: 1, password: strongPassword }, signed)
    const session = await http.call('user/login/switch', {}, (await login('486')).data)
    const email = await addAddress(session, strongPassword)
    const form = { company_name: 'Third', timezone: 'Europe/Athens' }
    expect(await http.ask('company/add', form, session)).toMatchObject({ code: 60032 })
    await resetPassword(email, 'Rhubarb#4771')
    const own = await http.call('user/login', { email, password: 'Rhubarb#4771' })
    expect(await http.ask('company/add', form, own)).toMatchObject({ code: 0 })
  })

  test('is revoked even if its author has left or is no longer an administrator', { tags: 'long' }, async () => {
    const admin = await invite(http, signed, { ...person('480'), role: 1 })
    const { id } = await http.call('employee/add', { ...person('481'), password: strongPassword }, admin)
    await http.call('employee/delete', { id: admin.id }, signed)
    expect((await changeTo(id, { role: 1 })).data).toEqual({ mustJoin: true })
    // Changes without a promotion revoke nothing.
    const lead = await inviteLead('482')
    const other = await http.call('employee/add', { ...person('483'), password: strongPassword }, lead)
    await changeTo(other.id, { position: 'Baker' })
    expect(await login('483')).toMatchObject({ code: 0 })
  })
})

test('the employee count covers a company or a department, but no other filter', async () => {
  const counted = await register(http)
  const form = { first_name: 'Ann', last_name: 'Q', department: counted.department }
  for (const workno of ['2', '3']) await http.call('employee/add', { ...form, workno }, counted)
  const count = (filters: PathCall<'employee/count'>['filters']) => http.call('employee/count', { filters }, counted)
  expect(await count({})).toEqual({ count: 3 })
  expect(await count({ department: counted.department })).toEqual({ count: 3 })
  expect(await count({ department: 'a'.repeat(16) })).toEqual({ count: 0 })
  for (const filters of [{ search: 'Ann' }, { role: 3 }, { state: 'left' as const }])
    expect(await count(filters)).toEqual({})
})
