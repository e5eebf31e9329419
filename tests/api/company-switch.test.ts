import { expect, inject, test } from 'vitest'
import { client, invite, mailedInvitation, register, strongPassword } from '../kit/client.ts'

// One person founds, lists, selects and leaves several companies.

const http = client(inject('address'))
const password = strongPassword
const form = { company_name: 'Second & Daughters', timezone: 'America/New_York' }

test('a further company gets its founder as owner and employee 1, and no data from the first company', async () => {
  const first = await register(http)
  const signed = { token: first.token }
  await http.call('department/add', { name: 'Only here' }, signed)
  const added = await http.call('company/add', form, signed)
  expect(await http.ask('auth/get', {}, signed)).toMatchObject({ code: 502 })
  expect(await http.call('auth/get', {}, added)).toMatchObject({
    type: 'management',
    uuid: first.email,
    role: 1,
    company: { id: added.company_id, name: 'Second & Daughters', timezone: 'America/New_York' },
  })
  expect(await http.call('user/employee', {}, added)).toMatchObject({
    first_name: 'Olga',
    workno: '1',
    isOwner: true,
    email: first.email,
  })
  const { list } = await http.call('department/grid', {}, added)
  expect(list).toMatchObject([{ name: 'Second & Daughters', isDefault: true, employeeCount: 1 }])
  const { id, version, first_name, last_name, workno, department } = await http.call('user/employee', {}, added)
  const owner = { id, version, first_name, last_name, workno, department }
  expect(await http.ask('employee/delete', { id }, added)).toMatchObject({ code: 59012 })
  expect(await http.ask('employee/update', { ...owner, role: 3 }, added)).toMatchObject({ code: 60054 })
})

test('a person lists and selects their companies, each with its own token', async () => {
  const first = await register(http)
  const added = await http.call('company/add', form, { token: first.token })
  const { list } = await http.call('company/list', {}, added)
  expect(list.map(({ id, name }) => [id, name])).toEqual([
    [first.company, 'Olive & Sons'],
    [added.company_id, form.company_name],
  ])
  expect(new Set(list.map(({ company_num }) => company_num)).size).toBe(2)
  const back = await http.call('company/select', { id: first.company }, added)
  expect(await http.ask('auth/get', {}, added)).toMatchObject({ code: 502 })
  expect(await http.call('auth/get', {}, back)).toMatchObject({ company: { id: first.company } })
  // The company number of the second company works for sign-in too.
  const code = list[1]?.company_num ?? ''
  const employee = await http.call('personal/login', { code, workno: '1', password })
  expect(await http.call('auth/get', {}, employee)).toMatchObject({ type: 'user', company: { id: added.company_id } })
  const managing = await http.call('user/login/switch', {}, employee)
  expect(await http.call('auth/get', {}, managing)).toMatchObject({ company: { id: added.company_id } })
})

test('an employee lists and selects the companies in which they work, and no other', async () => {
  const first = await register(http)
  const second = await register(http)
  const person = { first_name: 'Two', last_name: 'Jobs', workno: '70', department: first.department }
  const { email, token } = await invite(http, { token: first.token }, person)
  const listed = async (by: { token: string }) => (await http.call('personal/company/list', {}, by)).list
  expect(await listed({ token })).toMatchObject([{ id: first.company }])
  expect(await http.ask('personal/company/select', { id: second.company }, { token })).toMatchObject({ code: 21022 })
  const { id } = await http.call(
    'employee/add',
    { ...person, email, department: second.department },
    { token: second.token },
  )
  await http.call('employee/send_qrcode', { ids: [id] }, { token: second.token })
  const joined = await http.call('user/invite/join', {
    ...{ token: await mailedInvitation(http.address, email), account: 'existing', email, password, terms: true },
  })
  const there = { token: joined.token ?? '' }
  expect((await listed(there)).map(company => company.id)).toEqual([first.company, second.company])
  const back = await http.call('personal/company/select', { id: first.company }, there)
  expect(await http.ask('auth/get', {}, there)).toMatchObject({ code: 502 })
  expect(await http.call('auth/get', {}, back)).toMatchObject({ type: 'user', company: { id: first.company } })
  // A person without a role in a company cannot select it.
  const ids = [id]
  await http.call('employee/update/many', { ids, change: { role: 0 }, dryRun: false }, { token: second.token })
  expect(await http.ask('personal/company/select', { id: second.company }, back)).toMatchObject({ code: 21022 })
})

test('repeated requests with an idempotency key found one company, and return no lost token', async () => {
  const { email, token } = await register(http)
  const keyed = { token, headers: { 'idempotency-key': `company-${email}` } }
  await http.call('company/add', form, keyed)
  // The first request has revoked its own token.
  expect(await http.ask('company/add', form, keyed)).toMatchObject({ code: 502 })
  const signed = await http.call('user/login', { email, password })
  expect((await http.call('company/list', {}, signed)).list).toHaveLength(2)
})

test('concurrent requests with the same token found only one company', async () => {
  const { email, token } = await register(http)
  const answers = await Promise.all(Array.from({ length: 4 }, () => http.ask('company/add', form, { token })))
  expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
  const signed = await http.call('user/login', { email, password })
  expect((await http.call('company/list', {}, signed)).list).toHaveLength(2)
})

test('a person without an e-mail address cannot found a company, because owners must be reachable', async () => {
  const { token, department, company_num } = await register(http)
  const person = { first_name: 'Nora', last_name: 'N', workno: '5', department, role: 1, password }
  await http.call('employee/add', person, { token })
  const self = await http.call('personal/login', { code: company_num, workno: '5', password })
  const managing = await http.call('user/login/switch', {}, self)
  expect(await http.ask('company/add', form, managing)).toMatchObject({ code: 21001 })
})

test('a company leaves the list of a person who was disabled, demoted or deleted there', { tags: 'long' }, async () => {
  const host = await register(http)
  const signed = { token: host.token }
  const person = { first_name: 'Mia', last_name: 'M', workno: '6', department: host.department, role: 1 }
  const { id, email, token } = await invite(http, signed, person)
  const own = await http.call('company/add', form, { token })
  const listed = async () => (await http.call('company/list', {}, own)).list.map(company => company.id)
  const change = async (role: number) => {
    const { list } = await http.call('employee/grid', { filters: { search: '6' } }, signed)
    const version = list.find(found => found.id === id)?.version ?? 0
    await http.call('employee/update', { ...person, email, id, version, role }, signed)
  }
  expect(await listed()).toEqual([host.company, own.company_id])
  for (const role of [0, 3]) {
    await change(role)
    expect(await listed()).toEqual([own.company_id])
    expect(await http.ask('company/select', { id: host.company }, own)).toMatchObject({ code: 21022 })
    await change(1)
    expect(await listed()).toEqual([host.company, own.company_id])
  }
  await http.call('employee/delete', { id }, signed)
  expect(await listed()).toEqual([own.company_id])
  // The person keeps their own company and account.
  const again = await http.call('user/login', { email, password })
  expect(await http.call('auth/get', {}, again)).toMatchObject({ company: { id: own.company_id } })
})

test('a person edits only their own profile fields, on both sides', async () => {
  const { token, department, company_num } = await register(http)
  const person = { first_name: 'Pia', last_name: 'P', workno: '9', department, position: 'Welder', password }
  await http.call('employee/add', person, { token })
  const self = await http.call('personal/login', { code: company_num, workno: '9', password })
  const profile = { first_name: 'Pía', last_name: 'Pérez', tel: '+30 210 000', language: 'el' as const }
  await http.call('personal/update', profile, self)
  expect(await http.call('user/employee', {}, self)).toMatchObject({ ...profile, position: 'Welder', workno: '9' })
  await http.call('personal/update', { first_name: 'Pía', last_name: 'Pérez' }, self)
  const { tel, language } = await http.call('user/employee', {}, self)
  expect([tel, language]).toEqual([undefined, undefined])
  const { list } = await http.call('employee/grid', { filters: { search: 'Pérez' } }, { token })
  expect(list).toMatchObject([{ workno: '9' }])
  for (const more of [{ role: 1 }, { workno: '10' }, { email: 'pia@example.com' }])
    expect(
      await http.send('personal/update', JSON.stringify({ ...profile, ...more }), { 'x-token': self.token }),
    ).toMatchObject({ code: 10002, fields: { [Object.keys(more)[0] ?? '']: 60003 } })
  expect(await http.ask('personal/update', { ...profile, language: 'fr' as 'en' }, self)).toMatchObject({
    code: 10002,
    fields: { language: 10002 },
  })
  await http.call('personal/update', { first_name: 'Olga', last_name: 'Boss' }, { token })
  expect(await http.call('auth/get', {}, { token })).toMatchObject({ employee: { last_name: 'Boss' } })
})
