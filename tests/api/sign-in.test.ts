import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import {
  client,
  invitationIn,
  invite,
  mailedInvitation,
  mailTo,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { freshEmail } from '../kit/fresh-email.ts'

// Employees who sign in by e-mail, the proposed employee ID, and the state of invitations.

const http = client(inject('address'))
let olga: Registered
let signed: { token: string }
let worknos = 900

beforeAll(async () => {
  olga = await register(http)
  signed = { token: olga.token }
})

const password = strongPassword
const person = (more: Partial<PathCall<'employee/add'>> = {}, department = olga.department) => ({
  ...{ first_name: 'Eva', last_name: 'Employed', workno: String(worknos--), department },
  ...more,
})
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, signed)
  const row = list.find(employee => employee.id === id)
  if (!row) throw new Error(`No employee ${id}`)
  return row
}
const change = async (id: string, changes: object) => {
  const { version, first_name, last_name, workno, department, email, role } = await read(id)
  const form = { id, version, first_name, last_name, workno, department, email, role }
  return http.call('employee/update', { ...form, ...changes }, signed)
}
const yesterday = () => new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
const stateOf = (id?: string) => http.call('employee/qrcode/get', id === undefined ? {} : { id }, signed)

describe('signing in by e-mail', () => {
  test('takes an employee to the employee side, and an administrator to the management side', async () => {
    const { email, id } = await invite(http, signed, person())
    const session = await http.call('user/login', { email, password })
    expect(await http.call('auth/get', {}, session)).toMatchObject({ type: 'user', role: 3, employee: { id } })
    expect(session).toMatchObject({ redirect: 0, company_id: olga.company })
    expect(await http.ask('user/login/switch', {}, session)).toMatchObject({ code: 21022 })
    expect(await http.ask('employee/grid', {}, session)).toMatchObject({ code: 60005 })
    const owner = await http.call('user/login', { email: olga.email, password })
    expect(await http.call('auth/get', {}, owner)).toMatchObject({ type: 'management', role: 1 })
  })

  test('gives an employee a one-time code for another address of the product', async () => {
    const { email } = await invite(http, signed, person())
    const { token, redirect, company_id } = await http.call('user/login', { email, password, redirect: 1 })
    expect(redirect).toBe(1)
    const session = await http.call('user/login/sign', { token, company_id })
    expect(await http.call('auth/get', {}, session)).toMatchObject({ type: 'user' })
    expect(await http.ask('user/login/sign', { token, company_id })).toMatchObject({ code: 60012 })
  })

  test('answers a wrong password of an employee like an unknown address, and counts the tries', async () => {
    const { email } = await invite(http, signed, person())
    const wrong = await http.ask('user/login', { email, password: 'Wrong#1' })
    expect(wrong).toEqual(await http.ask('user/login', { email: freshEmail('none'), password: 'Wrong#1' }))
    expect(wrong).toMatchObject({ code: 21014 })
    for (let tries = 1; tries < 5; tries++) await http.ask('user/login', { email, password: 'Wrong#1' })
    expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 60008 })
  })

  test('tells a former or disabled employee only after the right password', async () => {
    const former = await invite(http, signed, person())
    await change(former.id, { hireDay: '2020-01-01', endDay: yesterday() })
    const disabled = await invite(http, signed, person())
    await change(disabled.id, { role: 0 })
    for (const { email } of [former, disabled]) {
      expect(await http.ask('user/login', { email, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
      expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21021 })
    }
  })

  test('of two companies prefers the one that the person manages, and skips one that the person has left', async () => {
    const other = await register(http)
    const { email, id } = await invite(http, signed, person())
    const there = person({ workno: '2', role: 1 }, other.department)
    const { id: guest } = await http.call('employee/add', there, other)
    const { url } = await http.call('employee/login_link', { id: guest }, other)
    await http.call('user/invite/join', { token: invitationIn(url), account: 'existing', email, password })
    const companyOf = async () => {
      const session = await http.call('user/login', { email, password })
      const { type, company } = await http.call('auth/get', {}, session)
      return [type, company.id]
    }
    expect(await companyOf()).toEqual(['management', other.company])
    const { list } = await http.call('employee/grid', {}, other)
    const version = list.find(row => row.id === guest)?.version ?? 0
    await http.call('employee/update', { ...there, id: guest, version, role: 3 }, other)
    expect(await companyOf()).toEqual(['user', olga.company])
    await change(id, { hireDay: '2020-01-01', endDay: yesterday() })
    expect(await companyOf()).toEqual(['user', other.company])
  })
})

describe('the proposed employee ID', () => {
  test('is free, follows the largest ID in use, and stays taken after its holder left', async () => {
    const company = await register(http)
    const propose = async () => (await http.call('employee/workno', {}, company)).workno
    expect(await propose()).toBe('2')
    const form = (workno: string) => person({ workno }, company.department)
    const { id } = await http.call('employee/add', form('41'), company)
    expect(await propose()).toBe('42')
    await http.call('employee/delete', { id }, company)
    await http.call('employee/add', form('40'), company)
    expect(await propose()).toBe('42')
  })

  test('belongs to the first of two concurrent additions; the other gets 59014 and a new proposal', async () => {
    const company = await register(http)
    const { workno } = await http.call('employee/workno', {}, company)
    const add = () => http.ask('employee/add', person({ workno }, company.department), company)
    const answers = await Promise.all([add(), add()])
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 59014])
    expect(answers.find(({ code }) => code === 59014)?.fields).toEqual({ workno: 59014 })
    expect(await http.call('employee/workno', {}, company)).toEqual({ workno: String(Number(workno) + 1) })
  })
})

describe('an invitation', () => {
  test('states company ID and employee ID in its mail', async () => {
    const email = freshEmail('mail')
    const form = person({ email })
    const { id } = await http.call('employee/add', form, signed)
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    const text = await mailTo(http.address, email)
    expect(text).toContain(`Company ID: ${olga.company_num}`)
    expect(text).toContain(`Employee ID: ${form.workno}`)
  })

  test('appears in the list until the person joins, and can be sent again', async () => {
    const email = freshEmail('again')
    const { id } = await http.call('employee/add', person({ email }), signed)
    expect((await read(id)).invited).toBeUndefined()
    const open = { mayInvite: true, mayMail: true, maySetPassword: true }
    expect(await stateOf(id)).toEqual({ canSignIn: false, count: 0, ...open })
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    const first = (await read(id)).invited
    expect(first).toMatchObject({ isMailed: true })
    expect(await stateOf(id)).toEqual({ canSignIn: false, invited: first, count: 1, ...open })
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    expect(await stateOf(id)).toMatchObject({ count: 2 })
    const again = (await read(id)).invited
    expect(again && first && again.at > first.at).toBe(true)
    const token = await mailedInvitation(http.address, email)
    const join = { token, account: 'new' as const, password, confirm_password: password, terms: true }
    await http.call('user/invite/join', join)
    expect((await read(id)).invited).toBeUndefined()
    expect(await stateOf(id)).toMatchObject({ canSignIn: true, mayInvite: false, mayMail: false })
  })

  test('is no longer shown after its revocation or for another address', async () => {
    const { id } = await http.call('employee/add', person({ email: freshEmail('old') }), signed)
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    await change(id, { email: freshEmail('new') })
    expect((await read(id)).invited).toBeUndefined()
    await http.call('employee/login_link', { id }, signed)
    expect((await read(id)).invited).toMatchObject({ isMailed: false })
    await http.call('employee/qrcode/revoke', { id }, signed)
    expect((await read(id)).invited).toBeUndefined()
    expect(await stateOf(id)).toMatchObject({ count: 0 })
  })

  test('of the company tells whether a link works', async () => {
    const company = await register(http)
    const state = () => http.call('employee/qrcode/get', {}, company)
    expect(await state()).toMatchObject({ count: 0, mayInvite: true, mayMail: false })
    await http.call('employee/qrcode', {}, company)
    expect(await state()).toMatchObject({ count: 1, invited: { isMailed: false } })
  })

  test('is not offered for people without an address, former or disabled people and the owner', async () => {
    const { id } = await http.call('employee/add', person(), signed)
    expect(await stateOf(id)).toMatchObject({ mayInvite: true, mayMail: false })
    await change(id, { hireDay: '2020-01-01', endDay: yesterday() })
    expect(await stateOf(id)).toMatchObject({ mayInvite: false, mayMail: false })
    await change(id, { role: 0 })
    expect(await stateOf(id)).toMatchObject({ mayInvite: false })
    const { list } = await http.call('employee/grid', { filters: { role: 1 } }, signed)
    const owner = list.find(({ isOwner }) => isOwner)
    expect(await stateOf(owner?.id)).toMatchObject({ mayInvite: false, maySetPassword: false })
  })
})
