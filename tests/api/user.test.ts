import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { askCode, client, invitationIn, mailedCode, type Registered, register, strongPassword } from '../kit/client.ts'
import { awaitWindow } from '../kit/evening.ts'

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
/** A code that the server has not mailed. */
const noCode = { code: '000000', nonce: 'none' }
const requestCode = (email: string) => askCode(http, 'user/register/code', { email })
const freshEmail = () => `rita-${Math.random().toString(36).slice(2)}@example.com`

describe('registering', () => {
  test('creates a company with a default department and its owner as employee 1', async () => {
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

  test('rejects a known e-mail, unaccepted terms, a weak password and two different passwords', async () => {
    expect(await http.ask('user/register/code', { email: olga.email })).toMatchObject({ code: 21003 })
    const email = freshEmail()
    const completeForm = form(email, noCode)
    expect(await http.ask('user/register', { ...completeForm, terms: false })).toMatchObject({ code: 60014 })
    expect(await http.ask('user/register', { ...completeForm, password: 'weak' })).toMatchObject({ code: 21012 })
    expect(await http.ask('user/register', { ...completeForm, confirm_password: 'Other#42' })).toMatchObject({
      code: 21013,
    })
  })

  test('accepts a code without its nonce from the network that requested it', async () => {
    const email = freshEmail()
    const { nonce: _, ...complete } = form(email, await requestCode(email))
    expect(await http.ask('user/register', complete)).toMatchObject({ code: 0 })
  })

  test('accepts a code once, and refuses it after five wrong tries', async () => {
    const email = freshEmail()
    const mailed = await requestCode(email)
    const wrongCode = { ...mailed, code: mailed.code === '111111' ? '222222' : '111111' }
    for (let i = 0; i < 5; i++)
      expect(await http.ask('user/register', form(email, wrongCode))).toMatchObject({
        code: 60012,
        fields: { code: 60012 },
      })
    const blocked = await http.ask('user/register', form(email, mailed))
    expect(blocked).toMatchObject({ status: 429, code: 60008, fields: { code: 60008 } })
    expect(blocked.about).toEqual({ seconds: expect.any(Number) })

    const other = freshEmail()
    const validForm = form(other, await requestCode(other))
    expect(await http.ask('user/register', { ...validForm, email })).toMatchObject({ code: 60012 })
    await http.call('user/register', validForm)
    expect(await http.ask('user/register', validForm)).toMatchObject({ code: 60012 })
  })

  test('mails the code in the caller’s language', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email }, { headers: { 'x-language': 'zh-TW' } })
    expect(await mailedCode(http.address, email)).toMatch(/^\d{6}$/)
    const page = await (await fetch(`${http.address}/outbox`)).text()
    expect(page).toContain('您的验证码')
  })

  test('keeps the language of the registration for later mails', async () => {
    const email = freshEmail()
    const validForm = form(email, await requestCode(email))
    const { token } = await http.call('user/register', validForm, { headers: { 'x-language': 'zh-HK' } })
    expect((await http.call('user/employee', {}, { token })).language).toBe('zh')
  })

  test('mails at most one code a minute', async () => {
    const email = freshEmail()
    await http.call('user/register/code', { email })
    expect(await http.ask('user/register/code', { email })).toMatchObject({ status: 429, code: 60008 })
  })
})

describe('signing in', () => {
  test('gives the same response for an unknown account and a wrong password', async () => {
    const unknown = await http.ask('user/login', { email: freshEmail(), password: 'Wrong#1' })
    const wrong = await http.ask('user/login', { email: olga.email, password: 'Wrong#1' })
    expect(wrong).toEqual(unknown)
    expect(wrong).toMatchObject({ status: 200, code: 21014 })
  })

  test('names a missing e-mail or password', async () => {
    const send = (body: object) => http.send('user/login', JSON.stringify(body))
    expect(await send({ password: 'x' })).toMatchObject({ code: 21001, fields: { email: 21001 } })
    expect(await send({ email: 'nobody', password: 'x' })).toMatchObject({ code: 21002 })
    expect(await send({ email: olga.email })).toMatchObject({ code: 21011, fields: { password: 21011 } })
  })

  test('gives a token that gets 502 after signing out', async () => {
    const { token } = await http.call('user/login', { email: olga.email, password: strongPassword })
    await http.call('user/login/off', {}, { token })
    expect(await http.ask('auth/get', {}, { token })).toMatchObject({ code: 502 })
  })

  test('as an employee requires the company number, the employee ID and the password', async () => {
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
    const ownerCaller = await http.call('personal/login', { code, workno: '42', password: strongPassword })
    expect(await http.call('auth/get', {}, ownerCaller)).toMatchObject({
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
    expect(await http.ask('user/login/switch', {}, ownerCaller)).toMatchObject({ code: 21022 })
  })

  test('switches between the two sides with a new token each time', async () => {
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

const runTimes = <T>(count: number, call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)))
const countCode = (answers: { code: number }[], code: number) => answers.filter(answer => answer.code === code).length

describe('a burst of 200 simultaneous guesses', () => {
  beforeEach(() => awaitWindow())

  test('at a password gets five checks for any account; the rest are refused with the waiting time', {
    tags: 'long',
  }, async () => {
    const { email } = await register(http)
    for (const emailOf of [() => email, freshEmail]) {
      const email = emailOf()
      const answers = await runTimes(200, () => http.ask('user/login', { email, password: 'Wrong#1' }))
      expect([countCode(answers, 21014), countCode(answers, 60008)]).toEqual([5, 195])
      for (const { status, about } of answers.filter(({ code }) => code === 60008)) {
        expect(status).toBe(429)
        const { seconds } = about as { seconds: number }
        expect(seconds > 0 && seconds <= 15 * 60, String(seconds)).toBe(true)
      }
    }
    // The right password is blocked too, until the window ends.
    expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 60008 })
  })

  test('at a password shares five checks between the e-mail address and the employee ID of a person', async () => {
    const { email, company_num } = await register(http)
    const answers = await runTimes(40, i =>
      i % 2
        ? http.ask('user/login', { email, password: 'Wrong#1' })
        : http.ask('personal/login', { code: company_num, workno: '1', password: 'Wrong#1' }),
    )
    expect([countCode(answers, 21014), countCode(answers, 60008)]).toEqual([5, 35])
  })

  test('at a mailed code gets five checks', async () => {
    const email = freshEmail()
    const { code, nonce } = await requestCode(email)
    const guess = (i: number) => ({ nonce, code: String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0') })
    const answers = await runTimes(200, i => http.ask('user/register', form(email, guess(i))))
    expect([countCode(answers, 60012), countCode(answers, 60008)]).toEqual([5, 195])
  })

  test('with the right code registers once', async () => {
    const email = freshEmail()
    const mailed = await requestCode(email)
    const answers = await runTimes(5, () => http.ask('user/register', form(email, mailed)))
    expect(countCode(answers, 0)).toBe(1)
    expect(answers.every(({ code }) => [0, 60012, 21003].includes(code))).toBe(true)
  })
})

describe('a new password', () => {
  const rejected = ['Password#1', 'P@ssw0rd!', '1Qwerty!', '#Dragon2026', 'Rita#2026', 'Rita&Co#1', 'ritaCO!1']
  test.each(rejected)('%s is a common password or contains the company’s name: 60030', async password => {
    const completeForm = { ...form(freshEmail(), noCode), password, confirm_password: password }
    expect(await http.ask('user/register', completeForm)).toMatchObject({ code: 60030, fields: { password: 60030 } })
  })

  test.each(['short', 'alllower#1', 'ALLUPPER#1', 'NoDigit#', 'NoSymbol1'])('%s is too weak: 21012', async password => {
    const completeForm = { ...form(freshEmail(), noCode), password, confirm_password: password }
    expect(await http.ask('user/register', completeForm)).toMatchObject({ code: 21012, fields: { password: 21012 } })
  })
})

describe('each error code of identity occurs when', () => {
  const password = strongPassword
  const send = (path: string, body: object, headers?: Record<string, string>) =>
    http.send(path, JSON.stringify(body), headers)
  const ownerCaller = () => ({ token: olga.token })
  let worknos = 500
  /** An employee with this role, who signs in by employee ID only. */
  const addPerson = async (role: number) => {
    const workno = String(worknos++)
    const person = { first_name: 'Pia', last_name: 'P', workno, department: olga.department, role, password }
    await http.call('employee/add', person, ownerCaller())
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
      'an idempotency key is not valid',
      () =>
        http.ask(
          'personal/update',
          { first_name: 'O', last_name: 'O' },
          { ...ownerCaller(), headers: { 'idempotency-key': 'two words' } },
        ),
    ],
    [21001, 'the e-mail is missing', () => send('user/login', { password })],
    [21001, 'an e-mail is empty', () => send('user/forgot', { email: ' ' })],
    [21002, 'an e-mail is not valid', () => send('user/forgot', { email: 'olga@nowhere' })],
    [21003, 'an e-mail is registered', () => http.ask('user/register/code', { email: olga.email })],
    [
      21003,
      'an e-mail belongs to another account',
      () => http.ask('user/email/code', { email: olga.email }, ownerCaller()),
    ],
    [21004, 'an e-mail is not registered', () => http.ask('user/forgot', { email: freshEmail() })],
    [21004, 'the e-mail for a link is not registered', () => http.ask('user/login/link', { email: freshEmail() })],
    [21011, 'the password is missing', () => send('user/login', { email: olga.email })],
    [21011, 'a password is empty', () => send('personal/login', { code: '1', workno: '1', password: '' })],
    [
      21012,
      'a new password is weak',
      () =>
        http.ask('user/password/update', { password, new_password: 'weak', confirm_password: 'weak' }, ownerCaller()),
    ],
    [
      21012,
      'an employee’s new password is weak',
      async () =>
        http.ask(
          'employee/add',
          { first_name: 'W', last_name: 'W', workno: '400', department: olga.department, password: 'weak' },
          ownerCaller(),
        ),
    ],
    [
      21013,
      'two passwords differ',
      () =>
        http.ask(
          'user/password/update',
          { password, new_password: 'Saffron#43', confirm_password: 'Saffron#44' },
          ownerCaller(),
        ),
    ],
    [21014, 'a password is wrong', () => http.ask('user/login', { email: olga.email, password: 'Wrong#1' })],
    [21014, 'an account is unknown', () => http.ask('user/login', { email: freshEmail(), password })],
    [21021, 'a person is disabled', async () => http.ask('personal/login', await addPerson(0))],
    [
      21022,
      'an employee switches to the management side',
      async () => http.ask('user/login/switch', {}, await http.call('personal/login', await addPerson(3))),
    ],
    [
      21022,
      'the person does not belong to the company',
      () => http.ask('company/select', { id: 'a'.repeat(16) }, ownerCaller()),
    ],
    [
      21023,
      'the person waits for a role',
      async () => {
        // In a company of its own, because a newcomer takes the employee ID after the largest one.
        const { url } = await http.call('employee/qrcode', {}, await register(http))
        const [token, email] = [invitationIn(url), freshEmail()]
        const { nonce } = await http.call('user/invite/code', { token, email })
        const names = { first_name: 'Wanda', last_name: 'W' }
        const secrets = { password, confirm_password: password, code: await mailedCode(http.address, email), nonce }
        await http.call('user/invite/join', { token, account: 'new', email, ...names, ...secrets, terms: true })
        return http.ask('user/login', { email, password })
      },
    ],
    [101, 'the token is missing', () => http.ask('auth/get', {})],
    [101, 'a token is unknown', () => http.ask('auth/get', {}, { token: 'nobodys' })],
    [
      502,
      'a token has ended',
      async () => {
        const endedSession = await http.call('personal/login', await addPerson(3))
        await http.call('user/login/off', {}, endedSession)
        return http.ask('auth/get', {}, endedSession)
      },
    ],
  ]
  test.each(rows)('%i, %s', async (code, _, ask) => {
    const answer = await ask()
    expect(answer, JSON.stringify(answer)).toMatchObject({ status: 200, code })
  })

  test('21021 and 21023 require the right password', async () => {
    const disabled = await addPerson(0)
    expect(await http.ask('personal/login', { ...disabled, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
  })
})
