import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { askCode, client, invite, mailedCode, type Registered, register, strongPassword } from '../kit/client.ts'
import { awaitWindow } from '../kit/window.ts'

const http = client(inject('address'))
let olga: Registered

beforeAll(async () => {
  olga = await register(http)
})

const form = (email: string, { code, nonce }: { code: string; nonce: string }) => ({
  email,
  code,
  nonce,
  password: strongPassword,
  confirm_password: strongPassword,
  first_name: 'Rita',
  last_name: 'Register',
  company_name: 'Rita & Co',
  timezone: 'Asia/Tokyo',
  terms: true,
})
/** A code that was never mailed. */
const noCode = { code: '000000', nonce: 'none' }
const ask = (email: string) => askCode(http, 'user/register/code', { email })
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
    const all = form(email, noCode)
    expect(await http.ask('user/register', { ...all, terms: false })).toMatchObject({ code: 60014 })
    expect(await http.ask('user/register', { ...all, password: 'weak' })).toMatchObject({ code: 21012 })
    expect(await http.ask('user/register', { ...all, confirm_password: 'Other#42' })).toMatchObject({ code: 21013 })
  })

  test('takes a code once, and not after five wrong tries', async () => {
    const email = freshEmail()
    const mailed = await ask(email)
    const wrong = { ...mailed, code: mailed.code === '111111' ? '222222' : '111111' }
    for (let i = 0; i < 5; i++)
      expect(await http.ask('user/register', form(email, wrong))).toMatchObject({
        code: 60012,
        fields: { code: 60012 },
      })
    const late = await http.ask('user/register', form(email, mailed))
    expect(late).toMatchObject({ status: 429, code: 60008, fields: { code: 60008 } })
    expect(late.about).toEqual({ seconds: expect.any(Number) })

    const other = freshEmail()
    const good = form(other, await ask(other))
    expect(await http.ask('user/register', { ...good, email })).toMatchObject({ code: 60012 })
    await http.call('user/register', good)
    expect(await http.ask('user/register', good)).toMatchObject({ code: 60012 })
  })

  test('mails the code in the language of the caller', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email }, { headers: { 'x-language': 'zh-TW' } })
    expect(await mailedCode(http.address, email)).toMatch(/^\d{6}$/)
    const page = await (await fetch(`${http.address}/outbox`)).text()
    expect(page).toContain('您的验证码')
  })

  test('keeps the language a company is registered in, for the mails to come', async () => {
    const email = freshEmail()
    const given = form(email, await ask(email))
    const { token } = await http.call('user/register', given, { headers: { 'x-language': 'zh-HK' } })
    expect((await http.call('user/employee', {}, { token })).language).toBe('zh')
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

const times = <T>(count: number, run: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)))
const count = (answers: { code: number }[], code: number) => answers.filter(answer => answer.code === code).length

describe('a burst of 200 guesses at once', () => {
  beforeEach(() => awaitWindow())

  test('at a password: exactly five come through to the check, whoever is asked for, and the others are told how long to wait', async () => {
    const { email } = await register(http)
    for (const asked of [() => email, freshEmail]) {
      const email = asked()
      const answers = await times(200, () => http.ask('user/login', { email, password: 'Wrong#1' }))
      expect([count(answers, 21014), count(answers, 60008)]).toEqual([5, 195])
      for (const { status, about } of answers.filter(({ code }) => code === 60008)) {
        expect(status).toBe(429)
        const { seconds } = about as { seconds: number }
        expect(seconds > 0 && seconds <= 15 * 60, String(seconds)).toBe(true)
      }
    }
    // The right one comes through no more, until the window is over.
    expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 60008 })
  })

  test('at a password by both names of a person counts as one', async () => {
    const { email, company_num } = await register(http)
    const answers = await times(40, i =>
      i % 2
        ? http.ask('user/login', { email, password: 'Wrong#1' })
        : http.ask('personal/login', { code: company_num, workno: '1', password: 'Wrong#1' }),
    )
    expect([count(answers, 21014), count(answers, 60008)]).toEqual([5, 35])
  })

  test('at a mailed code: exactly five come through to the check', async () => {
    const email = freshEmail()
    const { code, nonce } = await ask(email)
    const guess = (i: number) => ({ nonce, code: String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0') })
    const answers = await times(200, i => http.ask('user/register', form(email, guess(i))))
    expect([count(answers, 60012), count(answers, 60008)]).toEqual([5, 195])
  })

  test('with the right code: one registers', async () => {
    const email = freshEmail()
    const mailed = await ask(email)
    const answers = await times(5, () => http.ask('user/register', form(email, mailed)))
    expect(count(answers, 0)).toBe(1)
    expect(answers.every(({ code }) => [0, 60012, 21003].includes(code))).toBe(true)
  })
})

describe('a new password', () => {
  const rejected = ['Password#1', 'P@ssw0rd!', '1Qwerty!', '#Dragon2026', 'Rita#2026', 'Rita&Co#1', 'ritaCO!1']
  test.each(rejected)('%s is one of the most used ones or the name of the company: 60030', async password => {
    const all = { ...form(freshEmail(), noCode), password, confirm_password: password }
    expect(await http.ask('user/register', all)).toMatchObject({ code: 60030, fields: { password: 60030 } })
  })

  test.each(['short', 'alllower#1', 'ALLUPPER#1', 'NoDigit#', 'NoSymbol1'])('%s is too weak: 21012', async password => {
    const all = { ...form(freshEmail(), noCode), password, confirm_password: password }
    expect(await http.ask('user/register', all)).toMatchObject({ code: 21012, fields: { password: 21012 } })
  })
})

describe('every code of identity is reached:', () => {
  const password = strongPassword
  const send = (path: string, body: object, headers?: Record<string, string>) =>
    http.send(path, JSON.stringify(body), headers)
  const signed = () => ({ token: olga.token })
  let worknos = 500
  /** Somebody who signs in by number only, with the role that is given. */
  const addPerson = async (role: number) => {
    const workno = String(worknos++)
    const person = { first_name: 'Pia', last_name: 'P', workno, department: olga.department, role, password }
    await http.call('employee/add', person, signed())
    return { code: olga.company_num, workno, password }
  }
  const rows: [code: number, promise: string, ask: () => Promise<{ code: number }>][] = [
    [
      10002,
      'a parameter is missing',
      () => send('user/register', { ...form(freshEmail(), { code: '1', nonce: 'n' }), first_name: undefined }),
    ],
    [
      10002,
      'a parameter is not valid',
      () => send('user/register', form(freshEmail(), { code: 'abcdef', nonce: 'n' })),
    ],
    [20001, 'a required header is missing', () => send('schedule/grid', {}, { 'x-token': olga.token })],
    [20001, 'a header is not valid', () => send('user/login', {}, { 'x-api-version': '3.0' })],
    [
      20001,
      'an idempotency key is none',
      () =>
        http.ask(
          'personal/update',
          { first_name: 'O', last_name: 'O' },
          { ...signed(), headers: { 'idempotency-key': 'two words' } },
        ),
    ],
    [21001, 'there is no e-mail', () => send('user/login', { password })],
    [21001, 'an e-mail is empty', () => send('user/forgot', { email: ' ' })],
    [21002, 'an e-mail is none', () => send('user/forgot', { email: 'olga@nowhere' })],
    [21003, 'an e-mail is registered', () => http.ask('user/register/code', { email: olga.email })],
    [21003, 'an e-mail is another account’s', () => http.ask('user/email/code', { email: olga.email }, signed())],
    [21004, 'an e-mail is not registered', () => http.ask('user/forgot', { email: freshEmail() })],
    [
      21004,
      'a link is asked for to an e-mail that is not registered',
      () => http.ask('user/login/link', { email: freshEmail() }),
    ],
    [21011, 'there is no password', () => send('user/login', { email: olga.email })],
    [21011, 'a password is empty', () => send('personal/login', { code: '1', workno: '1', password: '' })],
    [
      21012,
      'a new password is weak',
      () => http.ask('user/password/update', { password, new_password: 'weak', confirm_password: 'weak' }, signed()),
    ],
    [
      21012,
      'a password that is given is weak',
      async () =>
        http.ask(
          'employee/add',
          { first_name: 'W', last_name: 'W', workno: '400', department: olga.department, password: 'weak' },
          signed(),
        ),
    ],
    [
      21013,
      'two passwords differ',
      () =>
        http.ask(
          'user/password/update',
          { password, new_password: 'Saffron#43', confirm_password: 'Saffron#44' },
          signed(),
        ),
    ],
    [21014, 'a password is wrong', () => http.ask('user/login', { email: olga.email, password: 'Wrong#1' })],
    [21014, 'an account is not known', () => http.ask('user/login', { email: freshEmail(), password })],
    [21021, 'a person is disabled', async () => http.ask('personal/login', await addPerson(0))],
    [
      21022,
      'a person may not go to the management side',
      async () => http.ask('user/login/switch', {}, await http.call('personal/login', await addPerson(3))),
    ],
    [21022, 'a company is not the person’s', () => http.ask('company/select', { id: 'a'.repeat(16) }, signed())],
    [
      21023,
      'a person may do nothing on the management side',
      async () => {
        const person = { first_name: 'Ed', last_name: 'E', workno: String(worknos++), department: olga.department }
        const { email } = await invite(http, signed(), person)
        return http.ask('user/login', { email, password })
      },
    ],
    [101, 'there is no token', () => http.ask('auth/get', {})],
    [101, 'a token is not known', () => http.ask('auth/get', {}, { token: 'nobodys' })],
    [
      502,
      'a token was ended',
      async () => {
        const ended = await http.call('personal/login', await addPerson(3))
        await http.call('user/login/off', {}, ended)
        return http.ask('auth/get', {}, ended)
      },
    ],
  ]
  test.each(rows)('%i, %s', async (code, _, ask) => {
    const answer = await ask()
    expect(answer, JSON.stringify(answer)).toMatchObject({ status: 200, code })
  })

  test('21021 and 21023 are told after the right password only', async () => {
    const disabled = await addPerson(0)
    expect(await http.ask('personal/login', { ...disabled, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
  })
})
