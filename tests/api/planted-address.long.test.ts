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

// An employee with the right to invite enters their own address for a colleague, then waits for the colleague’s
// promotion.

let world: StackWithTable
let http: Client
let company: Registered
let lead: { id: string; token: string }
let roleId: string
let numbers = 100

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  company = await register(http)
  const role = { name: 'Lead', permissions: [3], departments: [company.department] }
  roleId = (await http.call('role/add', role, company)).id
  lead = await invite(http, company, { ...person(), role: 2, roleId })
})
afterAll(() => world.stop())

const person = () => ({
  ...{ first_name: 'Pat', last_name: 'Person', workno: String(10 * numbers++) },
  department: company.department,
})
const freshEmail = () => `planted-${randomUUID()}@example.com`
/** Removes the authors of address and password, as in a row from before the product stored authors. */
const forgetSetters = async (id: string) => {
  const { pk, sk } = employeeKey(id)
  const rows = await world.everything()
  const row = rows.find(row => row.pk === companyPrefix(company.company) + pk && row.sk === sk)
  const { emailSetBy: _e, passwordSetBy: _p, ...aged } = row ?? {}
  await world.plant(aged)
}
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, company)
  const employee = list.find(employee => employee.id === id)
  if (!employee) throw new Error(`No employee ${id}`)
  return employee
}
type Form = Partial<PathCall<'employee/update'>>
const update = async (id: string, more: Form, by: { token: string } = company) => {
  const stored = await read(id)
  const { first_name, last_name, workno, department, version, email, role, roleId } = stored
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
/** Mails an invitation to the employee’s address, and joins with its link. */
const joinByMail = async (id: string, email: string, by: { token: string } = company) => {
  expect((await http.call('employee/send_qrcode', { ids: [id] }, by)).sent).toEqual([id])
  return joinBy(await mailedInvitation(http.address, email))
}
const login = async (email: string, password = strongPassword) =>
  (await http.ask('user/login', { email, password })).code

describe('an address that a person without administrator rights entered', () => {
  const promotions: [string, (id: string) => Promise<{ code: number; data: unknown }>][] = [
    ['made an administrator', id => update(id, { role: 1 })],
    ['given a role in the form', id => update(id, { role: 2, roleId })],
    [
      'added to the users of a role',
      id => http.ask('role/update/user', { id: 'departmentleader', add: [id] }, company),
    ],
  ]

  test.each(promotions)('cannot sign in after the employee is %s, regardless of the inviter', async (_, promote) => {
    for (const by of [lead, company]) {
      const email = freshEmail()
      const id = await add({ email })
      const joined = await joinByMail(id, email, by)
      const signed = { token: joined.data.token ?? '' }
      expect(await http.ask('user/employee', {}, signed)).toMatchObject({ code: 0 })
      const { data } = await promote(id)
      expect([true, [id]]).toContainEqual((data as { mustJoin?: unknown }).mustJoin)
      expect(await http.ask('user/employee', {}, signed)).toMatchObject({ code: 502 })
      expect(await login(email)).toBe(21014)
      // The next invitation needs an address from an administrator.
      expect(await read(id)).not.toHaveProperty('email')
      expect(await http.ask('employee/send_qrcode', { ids: [id] }, company)).toMatchObject({
        fields: { 'ids.0': 21001 },
      })
      const own = freshEmail()
      await update(id, { email: own })
      expect(await joinByMail(id, own)).toMatchObject({ code: 0, data: { type: 'management' } })
      expect(await login(own)).toBe(0)
    }
  })

  test('gets no management invitation when the employee had not joined yet', async () => {
    const email = freshEmail()
    const id = await add({ email })
    await http.call('employee/send_qrcode', { ids: [id] }, company)
    expect((await update(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await joinBy(await mailedInvitation(http.address, email))).toMatchObject({ code: 60013 })
    expect(await read(id)).toMatchObject({ role: 1, canSignIn: false })
    expect(await read(id)).not.toHaveProperty('email')
  })

  test('stays untrusted after a password reset and a new contact address from an administrator', async () => {
    const email = freshEmail()
    const id = await add({ email })
    await joinByMail(id, email)
    const code = await askCode(http, 'user/forgot', { email })
    const reset = { email, ...code, new_password: 'Saffron#43', confirm_password: 'Saffron#43' }
    await http.call('user/forgot/save', reset)
    // A later correction of the contact address does not make the sign-in address trusted.
    await update(id, { email: freshEmail() })
    expect((await update(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email, 'Saffron#43')).toBe(21014)
    expect(await read(id)).toHaveProperty('email')
  })

  test('stays untrusted after joining through the company’s invitation', async () => {
    const email = freshEmail()
    const id = await add({ email })
    const token = invitationIn((await http.call('employee/qrcode', {}, company)).url)
    const code = await askCode(http, 'user/invite/code', { token, email })
    const form = { email, ...code, first_name: 'Pat', last_name: 'P' }
    expect(await joinBy(token, form)).toMatchObject({ code: 0 })
    expect((await read(id)).canSignIn).toBe(true)
    expect((await update(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email)).toBe(21014)
  })

  test('stays untrusted even if it replaced an address from an administrator', async () => {
    const email = freshEmail()
    const id = await add({ email: freshEmail() }, company)
    await update(id, { email }, lead)
    await joinByMail(id, email)
    expect((await update(id, { role: 1 })).data).toEqual({ mustJoin: true })
    expect(await login(email)).toBe(21014)
  })

  test('becomes trusted when an administrator replaces it, or when its author becomes an administrator', async () => {
    const [first, second] = [freshEmail(), freshEmail()]
    const [id, other] = [await add({ email: freshEmail() }), await add({ email: second })]
    await update(id, { email: first })
    await joinByMail(id, first)
    expect((await update(id, { role: 1 })).data).toEqual({})
    expect(await login(first)).toBe(0)

    const promoted = await invite(http, company, { ...person(), role: 2, roleId })
    await update(other, { email: freshEmail() }, lead)
    const third = freshEmail()
    await update(other, { email: third }, promoted)
    await joinByMail(other, third)
    await update(promoted.id, { role: 1 })
    expect((await update(other, { role: 1 })).data).toEqual({})
    expect(await login(third)).toBe(0)
  })
})

test('an address is untrusted if an API key entered it or if its author is unknown', async () => {
  const { key: token } = await http.call('apikey/add', { name: 'HR', permissions: [3], canWrite: true }, company)
  const [byKey, unrecorded] = [freshEmail(), freshEmail()]
  const ids = [await add({ email: byKey }, { token }), await add({ email: unrecorded }, company)]
  for (const [i, email] of [byKey, unrecorded].entries()) await joinByMail(ids[i] ?? '', email)
  await forgetSetters(ids[1] ?? '')
  for (const id of ids) expect((await update(id, { role: 1 })).data).toEqual({ mustJoin: true })
  for (const email of [byKey, unrecorded]) expect(await login(email)).toBe(21014)
})

test('a manager who never joined cannot be invited at an address without a known author', async () => {
  const email = freshEmail()
  const id = await add({ email, role: 2, roleId }, company)
  await http.call('employee/send_qrcode', { ids: [id] }, company)
  await forgetSetters(id)
  expect(await joinBy(await mailedInvitation(http.address, email))).toMatchObject({ code: 60013 })
  expect(await http.ask('employee/send_qrcode', { ids: [id] }, company)).toMatchObject({
    code: 60033,
    fields: { 'ids.0': 60033 },
  })
})

test('an employee who joined by the company’s invitation keeps their own address after a promotion', async () => {
  const email = freshEmail()
  const token = invitationIn((await http.call('employee/qrcode', {}, company)).url)
  const code = await askCode(http, 'user/invite/code', { token, email })
  await joinBy(token, { email, ...code, first_name: 'Own', last_name: 'O' })
  const { list } = await http.call('employee/grid', { filters: { search: email } }, company)
  expect((await update(list[0]?.id ?? '', { role: 1 })).data).toEqual({})
  expect(await login(email)).toBe(0)
})

test('an administrator sees a person’s sign-in address and its author, and other managers do not', async () => {
  const [planted, own] = [freshEmail(), freshEmail()]
  const [id, other] = [await add({ email: planted }), await add({ email: own }, company)]
  expect(await http.call('employee/sign_in', { id }, company)).toEqual({
    ...{ canSignIn: false, email: planted, givenBy: 'Pat Person', mustJoin: true },
  })
  await joinByMail(id, planted)
  await joinByMail(other, own)
  await update(id, { email: freshEmail() })
  expect(await http.call('employee/sign_in', { id }, company)).toMatchObject({
    email: planted,
    canSignIn: true,
    mustJoin: true,
  })
  expect(await http.call('employee/sign_in', { id: other }, company)).toEqual({
    ...{ canSignIn: true, email: own, givenBy: 'Olga Owner', mustJoin: false },
  })
  expect(await http.ask('employee/sign_in', { id }, lead)).toMatchObject({ code: 60005 })
  expect(await read(id)).not.toHaveProperty('emailSetBy')
})
