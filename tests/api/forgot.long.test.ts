import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { networkOf } from '../../functions/kit/address.ts'
import { hashSecret } from '../../functions/kit/id.ts'
import { type CodePurpose, codeRequestKey, mailedCodeKey } from '../../shared/account.ts'
import { signCodeKey, signLinkMinutes } from '../../shared/session.ts'
import {
  askCode as askCodeOf,
  type Client,
  client,
  mailTo,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { awaitWindow } from '../kit/evening.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// Access without the password, by mail: expiry, rate limits and single use. Rewritten timestamps replace waiting,
// and distribution headers set the address of the caller.

const secret = 'only the distribution knows it'
let world: StackWithTable
let http: Client
let olga: Registered

beforeAll(async () => {
  world = await startStackWithTable({ DISTRIBUTION_SECRET: secret })
  http = client(world.stack.address)
  olga = await register(http)
})
afterAll(() => world.stop())

const from = (address: string) => ({
  headers: { 'x-distribution-secret': secret, 'cloudfront-viewer-address': `${address}:50123` },
})
const freshEmail = () => `nobody-${randomUUID()}@example.com`
const newPassword = 'Saffron#43'
interface Mailed {
  code: string
  nonce: string
}
const save = (email: string, { code, nonce }: Mailed, password = newPassword) => ({
  email,
  code,
  nonce,
  new_password: password,
  confirm_password: password,
})
const key = (email: string, nonce: string, purpose: CodePurpose = { for: 'forgot' }) =>
  mailedCodeKey(purpose, hashSecret(email), hashSecret(nonce))
/** The network of a caller without a distribution in front of the server. */
const loopback = networkOf('127.0.0.1')
const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
/** Backdates the last mail. */
const sentAgo = (email: string, seconds: number, network = loopback) =>
  world.set(codeRequestKey({ for: 'forgot' }, hashSecret(email), network), {
    sentAt: new Date(Date.now() - seconds * 1000).toISOString(),
  })
const wrong = ({ code, nonce }: Mailed): Mailed => ({ nonce, code: code === '111111' ? '222222' : '111111' })
const askCode = (email: string, signed = {}) => askCodeOf(http, 'user/forgot', { email }, signed)

describe('a forgotten password', () => {
  test('is reset by the mailed code, which ends every session in every company', async () => {
    const { email, token, company_num } = await register(http)
    const signedIn = await http.call('user/login', { email, password: strongPassword })
    const asEmployee = await http.call('personal/login', { code: company_num, workno: '1', password: strongPassword })
    const elsewhere = await http.call('company/add', { company_name: 'Elsewhere', timezone: 'Asia/Tokyo' }, signedIn)
    expect(await http.ask('auth/get', {}, elsewhere)).toMatchObject({ code: 0 })
    const code = await askCode(email)
    await http.call('user/forgot/save', save(email, code))
    for (const ended of [{ token }, asEmployee, elsewhere])
      expect(await http.ask('auth/get', {}, ended)).toMatchObject({ code: 502 })
    expect(await http.ask('user/login', { email, password: strongPassword })).toMatchObject({ code: 21014 })
    const signed = await http.call('user/login', { email, password: newPassword })
    const { passwordSetAt = '' } = await http.call('user/employee', {}, signed)
    expect(Date.now() - Date.parse(passwordSetAt)).toBeLessThan(60_000)
    expect(await mailTo(http.address, email)).toContain('Your sign-in password was changed')
    // The code works only once.
    expect(await http.ask('user/forgot/save', save(email, code, 'Celery#44'))).toMatchObject({
      code: 60012,
      fields: { code: 60012 },
    })
  })

  test('stays unchanged after a weak or mistyped new password, and the code stays valid', async () => {
    const { email } = await register(http)
    const input = save(email, await askCode(email))
    const refused: [object, number][] = [
      [{ new_password: 'weak', confirm_password: 'weak' }, 21012],
      [{ new_password: 'Password#1', confirm_password: 'Password#1' }, 60030],
      [{ confirm_password: 'Saffron#44' }, 21013],
    ]
    for (const [change, code] of refused)
      expect(await http.ask('user/forgot/save', { ...input, ...change })).toMatchObject({ code })
    await http.call('user/forgot/save', input)
  })

  test('cannot be reset with the code of another person, purpose or request', async () => {
    const [{ email }, other] = [await register(http), await register(http)]
    const code = await askCode(other.email)
    expect(await http.ask('user/forgot/save', save(email, code))).toMatchObject({ code: 60012 })

    const fresh = freshEmail()
    const registering = await askCodeOf(http, 'user/register/code', { email: fresh })
    expect(await http.ask('user/forgot/save', save(fresh, registering))).toMatchObject({ code: 60012 })

    const first = await askCode(email)
    await sentAgo(email, 61)
    const second = await askCode(email)
    expect(await http.ask('user/forgot/save', save(email, { ...first, nonce: second.nonce }))).toMatchObject({
      code: first.code === second.code ? 0 : 60012,
    })
    if (first.code !== second.code) await http.call('user/forgot/save', save(email, second))
  })

  test('cannot be reset with a code older than ten minutes', async () => {
    const { email } = await register(http)
    const code = await askCode(email)
    const { expiresAt = 0 } = (await world.look(key(email, code.nonce))) ?? {}
    expect(Math.abs(expiresAt - secondsFromNow(600))).toBeLessThan(30)
    await world.set(key(email, code.nonce), { expiresAt: secondsFromNow(-1) })
    expect(await http.ask('user/forgot/save', save(email, code))).toMatchObject({ code: 60012 })
  })

  test('allows five guesses per code, even in a burst of 200', async () => {
    const { email } = await register(http)
    const code = await askCode(email)
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => http.ask('user/forgot/save', save(email, wrong(code)))),
    )
    expect(answers.filter(({ code }) => code === 60012)).toHaveLength(5)
    expect(answers.filter(({ code }) => code === 60008)).toHaveLength(195)
    expect(await http.ask('user/forgot/save', save(email, code))).toMatchObject({
      code: 60008,
      fields: { code: 60008 },
    })
    // A new code allows new guesses.
    await sentAgo(email, 61)
    await http.call('user/forgot/save', save(email, await askCode(email)))
  })

  test('can be reset by the account holder despite requests and guesses by strangers', async () => {
    const { email } = await register(http)
    const stranger = from('198.51.100.77')
    const owned = await askCode(email)
    const { nonce: _, ...withoutNonce } = save(email, owned)
    expect(await http.ask('user/forgot/save', withoutNonce, stranger)).toMatchObject({ code: 60012 })
    // The stranger first guesses with wrong nonces. Then the stranger requests another code and guesses that code.
    for (let i = 0; i < 8; i++)
      expect(
        await http.ask('user/forgot/save', save(email, { ...wrong(owned), nonce: `n${i}` }), stranger),
      ).toMatchObject({
        code: 60012,
      })
    const { nonce } = await http.call('user/forgot', { email }, stranger)
    expect(nonce).not.toBe(owned.nonce)
    const guesses = await Promise.all(
      Array.from({ length: 8 }, () => http.ask('user/forgot/save', save(email, { ...wrong(owned), nonce }), stranger)),
    )
    expect(guesses.map(({ code }) => code).sort()).toEqual([...Array(5).fill(60012), ...Array(3).fill(60008)].sort())
    await http.call('user/forgot/save', save(email, owned))
  })

  test('can be reset by the account holder within a minute of a stranger’s request', async () => {
    const { email } = await register(http)
    await http.call('user/forgot', { email }, from('198.51.100.78'))
    await http.call('user/forgot/save', save(email, await askCode(email)))
  })

  test('cannot be reset once the address no longer belongs to the account', async () => {
    const { email } = await register(http)
    const code = await askCode(email)
    const account = (await world.look({ pk: `MAIL#${hashSecret(email)}`, sk: '-' })) as { account: string }
    expect(account.account).toMatch(/^[a-z0-9]{16}$/)
    const signed = await http.call('user/login', { email, password: strongPassword })
    const moved = freshEmail()
    const mailed = await askCodeOf(http, 'user/email/code', { email: moved }, signed)
    const input = { email: moved, ...mailed, password: strongPassword }
    await http.call('user/email/update', input, signed)
    expect(await http.ask('user/forgot/save', save(email, code))).toMatchObject({ code: 21004 })
    await http.call('user/login', { email: moved, password: strongPassword })
  })
})

describe('requested mails', () => {
  beforeEach(() => awaitWindow())

  test('are limited to one a minute and five an hour per network', async () => {
    const email = olga.email
    const address = '203.0.113.1'
    const signed = from(address)
    for (let sent = 1; sent <= 5; sent++) {
      expect(await http.call('user/forgot', { email }, signed)).toEqual({
        resendSeconds: 60,
        nonce: expect.any(String),
      })
      const soon = await http.ask('user/forgot', { email }, signed)
      expect(soon).toMatchObject({ status: 429, code: 60008 })
      const { seconds } = soon.about as { seconds: number }
      expect(seconds > 50 && seconds <= 60, String(seconds)).toBe(true)
      await sentAgo(email, 61, networkOf(address))
    }
    const late = await http.ask('user/forgot', { email }, signed)
    expect(late).toMatchObject({ status: 429, code: 60008 })
    const { seconds } = late.about as { seconds: number }
    expect(seconds > 0 && seconds <= 3600, String(seconds)).toBe(true)
  })

  test('are limited to ten an hour per address', async () => {
    const { email } = await register(http)
    const ask = async (i: number) => (await http.ask('user/forgot', { email }, from(`203.0.115.${i}`))).code
    // The registration code was one of the ten mails.
    const answers = []
    for (let i = 1; i <= 10; i++) answers.push(await ask(i))
    expect(answers).toEqual([...Array.from({ length: 9 }, () => 0), 60008])
  })

  test('are sent once for concurrent requests from one network', async () => {
    const { email } = await register(http)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => http.ask('user/forgot', { email }, from('203.0.114.1'))),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60008, 60008, 60008])
    for (const { code, about } of answers) if (code !== 0) expect(about).toEqual({ seconds: expect.any(Number) })
  })

  test('are limited to twenty an hour per IPv4 address or IPv6 network', async () => {
    const ask = async (address: string) =>
      (await http.ask('user/register/code', { email: freshEmail() }, from(address))).code
    const all = async (addressOf: (i: number) => string, count: number) =>
      (await Promise.all(Array.from({ length: count }, (_, i) => ask(addressOf(i))))).sort()
    const allowed = Array.from({ length: 20 }, () => 0)
    expect(await all(() => '198.51.100.7', 21)).toEqual([...allowed, 60008])
    expect(await ask('198.51.100.8')).toBe(0)
    expect(await all(i => `2001:db8:1:2:${i.toString(16)}::${i + 1}`, 21)).toEqual([...allowed, 60008])
    expect(await ask('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(60008)
    expect(await ask('2001:db8:1:3::1')).toBe(0)
    // A used code no longer counts towards the limit.
    const email = freshEmail()
    const code = await askCodeOf(http, 'user/register/code', { email }, from('192.0.2.1'))
    expect(await all(() => '192.0.2.1', 19)).toEqual(allowed.slice(1))
    const form = { email, password: strongPassword, confirm_password: strongPassword, first_name: 'R', last_name: 'R' }
    const place = { company_name: 'Used & Co', timezone: 'Asia/Tokyo', terms: true }
    await http.call('user/register', { ...form, ...place, ...code }, from('192.0.2.1'))
    expect(await all(() => '192.0.2.1', 2)).toEqual([0, 60008])
  })

  test('do not reveal to one network which of many addresses are registered', async () => {
    const answers: number[] = []
    for (let i = 0; i < 32; i++) {
      const email = i % 2 ? olga.email : freshEmail()
      const path = i % 2 ? 'user/register/code' : 'user/forgot'
      answers.push((await http.ask(path, { email }, from(`2001:db8:7:7::${i + 1}`))).code)
    }
    expect(answers.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, i) => (i % 2 ? 21003 : 21004)))
    expect(answers.slice(30)).toEqual([60008, 60008])
  })
})

describe('password guesses', () => {
  beforeEach(() => awaitWindow())

  const guess = async (email: string, address: string, password = 'Wrong#1') =>
    (await http.ask('user/login', { email, password }, from(address))).code

  test('count per account and network, so a stranger cannot lock the person out', async () => {
    const { email } = await register(http)
    for (let i = 0; i < 5; i++) expect(await guess(email, `2001:db8:9:1::${i + 1}`)).toBe(21014)
    expect(await guess(email, '2001:db8:9:1:ffff::1')).toBe(60008)
    expect(await guess(email, '2001:db8:9:1:ffff::1', strongPassword)).toBe(60008)
    expect(await guess(email, '203.0.113.200', strongPassword)).toBe(0)
  })

  test('count only when they are wrong', async () => {
    const { email } = await register(http)
    for (let i = 0; i < 8; i++) expect(await guess(email, '203.0.113.201', strongPassword)).toBe(0)
    for (let i = 0; i < 4; i++) expect(await guess(email, '203.0.113.201')).toBe(21014)
    for (let i = 0; i < 3; i++) expect(await guess(email, '203.0.113.201', strongPassword)).toBe(0)
    expect(await guess(email, '203.0.113.201')).toBe(21014)
    expect(await guess(email, '203.0.113.201')).toBe(60008)
  })

  test('from many networks slow sign-in down, but never lock the person out', async () => {
    const { email } = await register(http)
    const { account } = (await world.look({ pk: `MAIL#${hashSecret(email)}`, sk: '-' })) as { account: string }
    const window = String(Math.floor(Date.now() / 3_600_000))
    const key = { pk: `RATE#sign-in-account#${account}`, sk: window }
    await world.set(key, { count: 5000, expiresAt: secondsFromNow(3600) })
    expect(await guess(email, '203.0.113.210')).toBe(21014)
    expect(await guess(email, '203.0.113.211', strongPassword)).toBe(0)
    // A sign-in with the right password does not count as a guess.
    expect(await world.look(key)).toMatchObject({ count: 5001 })
  })

  test('at many accounts are limited to fifty in a quarter of an hour per network', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(freshEmail(), '198.51.100.50')))
    expect(answers.filter(code => code === 21014)).toHaveLength(50)
    expect(answers.filter(code => code === 60008)).toHaveLength(10)
  })
})

describe('a sign-in link', () => {
  const linkTo = async (email: string) => {
    const text = await mailTo(http.address, email)
    const [, token = 'no link', company_id = ''] = /\/login\/sign#token=([\w-]{43})&company_id=(\w+)/.exec(text) ?? []
    return { token, company_id }
  }

  test('is mailed, works once and appears in no server log', async () => {
    const { email, company } = await register(http)
    expect(await http.call('user/login/link', { email })).toEqual({ resendSeconds: 60 })
    const link = await linkTo(email)
    expect(link.company_id).toBe(company)
    const signed = await http.call('user/login/sign', link)
    expect(await http.call('auth/get', {}, signed)).toMatchObject({ uuid: email, type: 'management' })
    expect(await http.ask('user/login/sign', link)).toMatchObject({ status: 200, code: 60012 })
    const log = readFileSync(join(world.stack.data, 'log.jsonl'), 'utf8')
    expect(log).toContain('user/login/sign')
    expect(log).not.toContain(link.token)
    expect(log).not.toContain(signed.token)
  })

  test('is mailed at most once a minute, to registered addresses only', async () => {
    const { email } = await register(http)
    const answers = [await http.ask('user/login/link', { email }), await http.ask('user/login/link', { email })]
    // A new minute may begin between the two requests.
    expect([0, 60008]).toContain(answers[1]?.code)
    expect(answers[0]?.code).toBe(0)
    expect(await http.ask('user/login/link', { email: freshEmail() })).toMatchObject({ code: 21004 })
  })

  test('works for its own company, and expires after ten minutes or a password change', async () => {
    const { email, token } = await register(http)
    await http.call('user/login/link', { email })
    const link = await linkTo(email)
    const stored = await world.look(signCodeKey(hashSecret(link.token)))
    expect(Math.abs((stored?.expiresAt ?? 0) - secondsFromNow(signLinkMinutes * 60))).toBeLessThan(30)
    expect(JSON.stringify(stored)).not.toContain(link.token)
    expect(await http.ask('user/login/sign', { ...link, company_id: olga.company })).toMatchObject({ code: 60012 })
    const change = { password: strongPassword, new_password: newPassword, confirm_password: newPassword }
    await http.call('user/password/update', change, { token })
    expect(await http.ask('user/login/sign', link)).toMatchObject({ code: 60012 })

    const other = await register(http)
    await http.call('user/login/link', { email: other.email })
    const late = await linkTo(other.email)
    await world.set(signCodeKey(hashSecret(late.token)), { expiresAt: secondsFromNow(-1) })
    expect(await http.ask('user/login/sign', late)).toMatchObject({ code: 60012 })
  })
})
