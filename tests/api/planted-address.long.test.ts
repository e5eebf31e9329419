import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import { employeeKey } from '../../shared/employee.ts'
import { companyPrefix } from '../../shared/table.ts'
import {
  askCode,
  type Client,
  client,
  invitationIn,
  invite,
  mailedInvitation,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// An employee who may invite people enters an address of their own for a colleague, and waits until the colleague is promoted.

let world: StackWithTable
let http: Client
let mine: Registered
let lead: { id: string; token: string }
let roleId: string
let numbers = 100

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  mine = await register(http)
  const role = { name: 'Lead', permissions: [3], departments: [mine.department] }
  roleId = (await http.call('role/add', role, mine)).id
  lead = await invite(http, mine, { ...person(), role: 2, roleId })
})
afterAll(() => world.stop())

const person = () => ({
  ...{ first_name: 'Pat', last_name: 'Person', workno: String(10 * numbers++) },
  department: mine.department,
})
const freshEmail = () => `planted-${randomUUID()}@example.com`
/** Makes the employee's row as old as if nothing had recorded a setter yet. */
const age = async (id: string) => {
  const { pk, sk } = employeeKey(id)
  const rows = await world.everything()
  const row = rows.find(row => row.pk === companyPrefix(mine.company) + pk && row.sk === sk)
  const { emailSetBy: _e, passwordSetBy: _p, ...old } = row ?? {}
  await world.plant(old)
}
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, mine)
  const found = list.find(employee => employee.id === id)
  if (!found) throw new Error(`No employee ${id}`)
  return found
}
type Form = Partial<PathCall<'employee/update'>>
const change = async (id: string, more: Form, by: { token: string } = mine) => {
  const found = await read(id)
  const { first_name, last_name, workno, department, version, email, role, roleId } = found
  const form = {
    id,
    first_name,
    last_name,
    workno,
    department,
    version,
    ...(email && { email }),
    role,
    roleId,
    ...more,
  }
  const answer = await http.ask('employee/update', { ...form, roleId: form.role === 2 ? form.roleId : undefined }, by)
  expect(answer, JSON.stringify(answer)).toMatchObject({ code: 0 })
  return answer
}
const add = async (more: object, by: { token: string; headers?: Record<string, string> } = lead) =>
  (await http.call('employee/add', { ...person(), ...more }, by)).id
const joinBy = (token: string, more: object = {}) =>
  http.ask('user/invite/join', {
    ...{ token, account: 'new', password: strongPassword, confirm_password: strongPassword, terms: true },
    ...more,
  })
/** Mails an invitation to the person's address, and joins as its reader. */
const joinByMail = async (id: string, email: string, by: { token: string } = mine) => {
  expect((await http.call('employee/send_qrcode', { ids: [id] }, by)).sent).toEqual([id])
  return joinBy(await mailedInvitation(http.address, email))
}
const login = async (email: string, password = strongPassword) =>
  (await http.ask('user/login', { email, password })).code

describe('an address that an employee without the rights of an administrator entered', () => {
  const promotions: [string, (id: string) => Promise<{ code: number; data: unknown }>][] = [
    ['made an administrator', id => change(id, { role: 1 })],
    ['given a role in the form', id => change(id, { role: 2, roleId })],
    ['added to the users of a role', id => http.ask('role/update/user', { id: 'departmentleader', add: [id] }, mine)],
  ]

  test.each(promotions)('opens nothing once the person is %s, whoever mailed the invitation', async (_, promote) => {
    for (const by of [lead, mine]) {
      const email = freshEmail()
      const id = await add({ email })
      const joined = await joinByMail(id, email, by)
      const signed = { token: joined.data.token ?? '' }
      expect(await http.ask('user/employee', {}, signed)).toMatchObject({ code: 0 })
      const { data } = await promote(id)
      expect([true, [id]]).toContainEqual((data as { mustJoin?: unknown }).mustJoin)
      expect(await http.ask('user/employee', {}, signed)).toMatchObject({ code: 502 })
      expect(await login(email)).toBe(21014)
      // The next invitation goes where an administrator says.
      expect(await read(id)).not.toHaveProperty('email')
      expect(await http.ask('employee/send_qrcode', { ids: [id] }, mine)).toMatchObject({ fields: { 'ids.0': 21001 } })
      const own = freshEmail()
      await change(id, { email: own })
      expect(await joinByMail(id, own)).toMatchObject({ code: 0, data: { type: 'management' } })
      expect(await login(own)).toBe(0)
    }
  })

  test('is not invited to the management side, where the person had not joined yet', async () => {
    const email = freshEmail()
    const id = await add({ email })
    await http.call('employee/send_qrcode', { ids: [id] }, mine)
    expect((await change(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await joinBy(await mailedInvitation(http.address, email))).toMatchObject({ code: 60013 })
    expect(await read(id)).toMatchObject({ role: 1, canSignIn: false })
    expect(await read(id)).not.toHaveProperty('email')
  })

  test('stays planted whatever its reader does: another password, another address, a password by a mailed code', async () => {
    const email = freshEmail()
    const id = await add({ email })
    await joinByMail(id, email)
    const code = await askCode(http, 'user/forgot', { email })
    const taken = { email, ...code, new_password: 'Saffron#43', confirm_password: 'Saffron#43' }
    await http.call('user/forgot/save', taken)
    // An administrator who corrects the contact address afterwards does not vouch for the sign-in.
    await change(id, { email: freshEmail() })
    expect((await change(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email, 'Saffron#43')).toBe(21014)
    expect(await read(id)).toHaveProperty('email')
  })

  test('counts as theirs by the invitation of the company too', async () => {
    const email = freshEmail()
    const id = await add({ email })
    const token = invitationIn((await http.call('employee/qrcode', {}, mine)).url)
    const code = await askCode(http, 'user/invite/code', { token, email })
    const form = { email, ...code, first_name: 'Pat', last_name: 'P' }
    expect(await joinBy(token, form)).toMatchObject({ code: 0 })
    expect((await read(id)).canSignIn).toBe(true)
    expect((await change(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email)).toBe(21014)
  })

  test('counts as theirs where they entered it over the one an administrator had entered', async () => {
    const email = freshEmail()
    const id = await add({ email: freshEmail() }, mine)
    await change(id, { email }, lead)
    await joinByMail(id, email)
    expect((await change(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email)).toBe(21014)
  })

  test('is no longer theirs after an administrator entered another one, or has become one', async () => {
    const [first, second] = [freshEmail(), freshEmail()]
    const [id, other] = [await add({ email: freshEmail() }), await add({ email: second })]
    await change(id, { email: first })
    await joinByMail(id, first)
    expect((await change(id, { role: 1 })).data).toEqual({})
    expect(await login(first)).toBe(0)

    const riser = await invite(http, mine, { ...person(), role: 2, roleId })
    await change(other, { email: freshEmail() }, lead)
    const third = freshEmail()
    await change(other, { email: third }, riser)
    await joinByMail(other, third)
    await change(riser.id, { role: 1 })
    expect((await change(other, { role: 1 })).data).toEqual({})
    expect(await login(third)).toBe(0)
  })
})

test('an address that an API key entered, or that is older than the record of setters, is nobody’s word', async () => {
  const { key: token } = await http.call('apikey/add', { name: 'HR', permissions: [3], canWrite: true }, mine)
  const [byKey, old] = [freshEmail(), freshEmail()]
  const ids = [await add({ email: byKey }, { token }), await add({ email: old }, mine)]
  for (const [i, email] of [byKey, old].entries()) await joinByMail(ids[i] ?? '', email)
  await age(ids[1] ?? '')
  for (const id of ids) expect((await change(id, { role: 1 })).data).toEqual({ mustJoin: true })
  for (const email of [byKey, old]) expect(await login(email)).toBe(21014)
})

test('a manager who never joined is not invited by an address whose setter is not known', async () => {
  const email = freshEmail()
  const id = await add({ email, role: 2, roleId }, mine)
  await http.call('employee/send_qrcode', { ids: [id] }, mine)
  await age(id)
  expect(await joinBy(await mailedInvitation(http.address, email))).toMatchObject({ code: 60013 })
  expect(await http.ask('employee/send_qrcode', { ids: [id] }, mine)).toMatchObject({
    code: 60033,
    fields: { 'ids.0': 60033 },
  })
})

test('a person who joined by the company’s invitation keeps their own address when they rise', async () => {
  const email = freshEmail()
  const token = invitationIn((await http.call('employee/qrcode', {}, mine)).url)
  const code = await askCode(http, 'user/invite/code', { token, email })
  await joinBy(token, { email, ...code, first_name: 'Own', last_name: 'O' })
  const { list } = await http.call('employee/grid', { filters: { search: email } }, mine)
  expect((await change(list[0]?.id ?? '', { role: 1 })).data).toEqual({})
  expect(await login(email)).toBe(0)
})

test('an administrator is told by what a person signs in and who set that up, and nobody else is', async () => {
  const [planted, own] = [freshEmail(), freshEmail()]
  const [id, other] = [await add({ email: planted }), await add({ email: own }, mine)]
  expect(await http.call('employee/sign_in', { id }, mine)).toEqual({
    ...{ canSignIn: false, email: planted, givenBy: 'Pat Person', mustJoin: true },
  })
  await joinByMail(id, planted)
  await joinByMail(other, own)
  await change(id, { email: freshEmail() })
  expect(await http.call('employee/sign_in', { id }, mine)).toMatchObject({
    email: planted,
    canSignIn: true,
    mustJoin: true,
  })
  expect(await http.call('employee/sign_in', { id: other }, mine)).toEqual({
    ...{ canSignIn: true, email: own, givenBy: 'Olga Owner', mustJoin: false },
  })
  expect(await http.ask('employee/sign_in', { id }, lead)).toMatchObject({ code: 60005 })
  expect(await read(id)).not.toHaveProperty('emailSetBy')
})
