import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, mailedCode, type Registered, register, strongPassword } from '../client.ts'

const http = client(inject('address'))
let olga: Registered

beforeAll(async () => {
  olga = await register(http)
})

const form = (email: string, code: string) => ({
  email,
  code,
  password: strongPassword,
  confirm_password: strongPassword,
  first_name: 'Rita',
  last_name: 'Register',
  company_name: 'Rita & Co',
  timezone: 'Asia/Tokyo',
  terms: true,
})
const freshEmail = () => `rita-${Math.random().toString(36).slice(2)}@example.com`

describe('registering', () => {
  test('makes a company with a default department and the person as its owner and employee 1', async () => {
    const { token } = olga
    expect(await http.call('auth/get', {}, { token })).toMatchObject({
      uuid: olga.email,
      type: 'management',
      role: 1,
      company: { name: 'Olive & Sons', timezone: 'Europe/Athens' },
    })
    expect(await http.call('user/employee', {}, { token })).toMatchObject({ workno: '1', isOwner: true })
    expect(await http.call('department/grid', {}, { token })).toMatchObject({
      list: [{ name: 'Olive & Sons', isDefault: true, employeeCount: 1 }],
    })
  })

  test('refuses a known e-mail, refused terms, a weak password and two that differ', async () => {
    expect(await http.ask('user/register/code', { email: olga.email })).toMatchObject({ code: 21003 })
    const email = freshEmail()
    const all = form(email, '000000')
    expect(await http.ask('user/register', { ...all, terms: false })).toMatchObject({ code: 60014 })
    expect(await http.ask('user/register', { ...all, password: 'weak' })).toMatchObject({ code: 21012 })
    expect(await http.ask('user/register', { ...all, confirm_password: 'Other#42' })).toMatchObject({ code: 21013 })
  })

  test('takes a code once, and not after five wrong tries', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email })
    const code = await mailedCode(http.address, email)
    const wrong = code === '111111' ? '222222' : '111111'
    for (let i = 0; i < 5; i++)
      expect(await http.ask('user/register', form(email, wrong))).toMatchObject({
        code: 60012,
        fields: { code: 60012 },
      })
    expect(await http.ask('user/register', form(email, code))).toMatchObject({ code: 60012 })
  })

  test('mails the code in the language of the caller', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email }, { headers: { 'x-language': 'zh-TW' } })
    expect(await mailedCode(http.address, email)).toMatch(/^\d{6}$/)
    const page = await (await fetch(`${http.address}/outbox`)).text()
    expect(page).toContain('您的验证码')
  })

  test('mails a code at most once a minute', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email })
    expect(await http.ask('user/register/code', { email })).toMatchObject({ status: 429, code: 60008 })
  })
})

describe('signing in', () => {
  test('answers an unknown account and a wrong password alike', async () => {
    const unknown = await http.ask('user/login', { email: freshEmail(), password: 'Wrong#1' })
    const wrong = await http.ask('user/login', { email: olga.email, password: 'Wrong#1' })
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 200, code: 21014 })
  })

  test('names what is missing in an e-mail or a password', async () => {
    const send = (body: object) => http.send('user/login', JSON.stringify(body))
    expect(await send({ password: 'x' })).toMatchObject({ code: 21001, fields: { email: 21001 } })
    expect(await send({ email: 'nobody', password: 'x' })).toMatchObject({ code: 21002 })
    expect(await send({ email: olga.email })).toMatchObject({ code: 21011, fields: { password: 21011 } })
  })

  test('lets five of a burst of wrong passwords through to the check', async () => {
    const { email } = await register(http)
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => http.ask('user/login', { email, password: 'Wrong#1' })),
    )
    expect(answers.filter(({ code }) => code === 21014)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 60008)).toHaveLength(35)
  })

  test('ends with signing out: the token is told 502 afterwards', async () => {
    const { token } = await http.call('user/login', { email: olga.email, password: strongPassword })
    await http.call('user/login/off', {}, { token })
    expect(await http.ask('auth/get', {}, { token })).toMatchObject({ code: 502 })
  })

  test('as an employee needs the company number, the employee number and the password', async () => {
    const { token } = olga
    await http.call(
      'employee/add',
      {
        first_name: 'Ed',
        last_name: 'Employee',
        workno: '0042',
        department: olga.department,
        password: strongPassword,
      },
      { token },
    )
    const code = olga.company_num
    const signed = await http.call('personal/login', { code, workno: '42', password: strongPassword })
    expect(await http.call('auth/get', {}, signed)).toMatchObject({
      type: 'user',
      uuid: `${code}-42`,
      role: 3,
      auth_item: [],
    })
    expect(await http.ask('personal/login', { code, workno: '43', password: strongPassword })).toMatchObject({
      code: 21014,
    })
    expect(await http.ask('personal/login', { code: '1', workno: '42', password: strongPassword })).toMatchObject({
      code: 21014,
    })
    expect(await http.ask('user/login/switch', {}, signed)).toMatchObject({ code: 21022 })
  })

  test('moves between the two sides with a new token each time', async () => {
    const first = await http.call('user/login', { email: olga.email, password: strongPassword })
    const employee = await http.call('personal/login/switch', {}, first)
    expect(await http.call('auth/get', {}, employee)).toMatchObject({ type: 'user' })
    expect(await http.ask('auth/get', {}, first)).toMatchObject({ code: 502 })
    const back = await http.call('user/login/switch', {}, employee)
    expect(await http.call('auth/get', {}, back)).toMatchObject({ type: 'management' })
  })

  test('changing the password ends every other session', async () => {
    const { email, token } = await register(http)
    const other = await http.call('user/login', { email, password: strongPassword })
    const change = { password: strongPassword, new_password: 'Saffron#43', confirm_password: 'Saffron#43' }
    expect(await http.ask('user/password/update', { ...change, password: 'Wrong#1' }, { token })).toMatchObject({
      code: 21014,
    })
    expect(
      await http.ask(
        'user/password/update',
        { ...change, new_password: 'short', confirm_password: 'short' },
        { token },
      ),
    ).toMatchObject({ code: 21012 })
    await http.call('user/password/update', change, { token })
    expect(await http.ask('auth/get', {}, other)).toMatchObject({ code: 502 })
    await http.call('auth/get', {}, { token })
    await http.call('user/login', { email, password: 'Saffron#43' })
  })
})
