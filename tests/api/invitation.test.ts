import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../functions/kit/id.ts'
import type { PathCall } from '../../shared/api.ts'
import { invitationDays, invitationKey, mostJoins } from '../../shared/invitation.ts'
import {
  askCode,
  type Client,
  client,
  invitationIn,
  invite,
  mailedCode,
  mailedInvitation,
  mailTo,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// Coming into a company by a mail, a link or a QR code: who may make an invitation, what it opens, how often and how long.

let world: StackWithTable
let http: Client
let mine: Registered
let signed: { token: string }
/** Downwards, because newcomers get the next number behind the largest one. */
let worknos = 5000

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  mine = await register(http)
  signed = { token: mine.token }
})
afterAll(() => world.stop())

const freshEmail = () => `iris-${randomUUID()}@example.com`
const person = (more: Partial<PathCall<'employee/add'>> = {}) => ({
  first_name: 'Iris',
  last_name: 'Invited',
  workno: String(worknos--),
  department: mine.department,
  ...more,
})
const addPerson = async (more: Partial<PathCall<'employee/add'>> = {}) =>
  (await http.call('employee/add', person(more), signed)).id
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, signed)
  const found = list.find(employee => employee.id === id)
  if (!found) throw new Error(`No employee ${id}`)
  return found
}
/** Changes an employee as the panel does: what it showed is sent back with what was changed. */
const change = async (id: string, changes: object) => {
  const { version, first_name, last_name, workno, department, email, role } = await read(id)
  const form = { id, version, first_name, last_name, workno, department, email, role }
  await http.call('employee/update', { ...form, ...changes }, signed)
}
const mailOne = async (id: string, email: string) => {
  await http.call('employee/send_qrcode', { ids: [id] }, signed)
  return mailedInvitation(http.address, email)
}
const asNew = (token: string, password = strongPassword) => ({
  token,
  account: 'new' as const,
  password,
  confirm_password: password,
  terms: true,
})
const expired = { status: 200, code: 60013, fields: { token: 60013 } }
const expectExpired = async (token: string) => {
  expect(await http.ask('user/invite/get', { token })).toMatchObject(expired)
  expect(await http.ask('user/invite/code', { token, email: freshEmail() })).toMatchObject(expired)
  expect(await http.ask('user/invite/join', asNew(token))).toMatchObject(expired)
}
const codeFor = async (token: string, email: string) => {
  const { nonce, ...rest } = await http.call('user/invite/code', { token, email })
  expect(rest).toEqual({ resendSeconds: 60 })
  return { code: await mailedCode(http.address, email), nonce }
}
const companyLink = async () => invitationIn((await http.call('employee/qrcode', {}, signed)).url)

describe('a mailed invitation', () => {
  test('tells what it is to, joins its employee with a password and the address it was mailed to, and is good once', async () => {
    const email = freshEmail()
    const id = await addPerson({ email })
    expect(await http.call('employee/send_qrcode', { ids: [id] }, signed)).toEqual({
      sent: [id],
      joined: [],
      failed: [],
    })
    expect(await mailTo(http.address, email)).toContain('Olga Owner invites you')
    const token = await mailedInvitation(http.address, email)
    expect(await http.call('user/invite/get', { token })).toEqual({
      company_name: 'Olive & Sons',
      kind: 'employee',
      first_name: 'Iris',
      last_name: 'Invited',
      email,
      canJoinExisting: false,
    })
    const joined = await http.call('user/invite/join', asNew(token))
    const { workno } = await read(id)
    expect(joined).toMatchObject({
      type: 'user',
      company_id: mine.company,
      company_num: mine.company_num,
      workno,
      isWaiting: false,
    })
    expect(await http.call('user/employee', {}, joined)).toMatchObject({ id, canSignIn: true })
    await http.call('personal/login', { code: mine.company_num, workno, password: strongPassword })
    await expectExpired(token)
    expect(await http.call('employee/send_qrcode', { ids: [id] }, signed)).toEqual({
      sent: [],
      joined: [id],
      failed: [],
    })
    expect(readFileSync(join(world.stack.data, 'log.jsonl'), 'utf8')).not.toContain(token)
    expect(JSON.stringify(await world.everything())).not.toContain(token)
  })

  test('brings a manager to the management side', async () => {
    const { token, email } = await invite(http, signed, person({ role: 1 }))
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ type: 'management', uuid: email, role: 1 })
    await http.call('user/login', { email, password: strongPassword })
  })

  test('counts towards what a company may send in an hour, however many a call sends', async () => {
    const { token, department } = await register(http)
    const ids: string[] = []
    for (const workno of ['2', '3', '4']) {
      const form = { first_name: 'Ivo', last_name: 'I', workno, department, email: freshEmail() }
      ids.push((await http.call('employee/add', form, { token })).id)
    }
    await http.call('employee/send_qrcode', { ids }, { token })
    const counted = (await world.everything()).filter(({ pk }) => String(pk).startsWith('RATE#invite#'))
    const { company } = (await http.call('auth/get', {}, { token })) as { company: { id: string } }
    const mine = counted.filter(({ pk }) => pk === `RATE#invite#${company.id}`)
    expect(mine.reduce((sum, { count }) => sum + Number(count), 0)).toBe(3)
    for (const { pk, sk } of mine) await world.set({ pk: String(pk), sk: String(sk) }, { count: 198 })
    expect(await http.ask('employee/send_qrcode', { ids }, { token })).toMatchObject({ code: 60008 })
  })

  test('is written in the language the person chose', async () => {
    const email = freshEmail()
    const id = await addPerson({ email, password: strongPassword })
    const { workno } = await read(id)
    const self = await http.call('personal/login', { code: mine.company_num, workno, password: strongPassword })
    await http.call('personal/update', { first_name: 'Íris', last_name: 'Invited', language: 'es' }, self)
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    expect(await mailTo(http.address, email)).toContain('Hola, Íris')
  })

  test('is sent to all or to nobody: who cannot be invited is named', async () => {
    const email = freshEmail()
    const ids = [
      await addPerson({ email }),
      await addPerson(),
      await addPerson({ email: freshEmail(), role: 0 }),
      await addPerson({ email: freshEmail(), endDay: '2020-01-01' }),
    ]
    expect(await http.ask('employee/send_qrcode', { ids }, signed)).toMatchObject({
      status: 200,
      code: 21001,
      fields: { 'ids.1': 21001, 'ids.2': 21021, 'ids.3': 21021 },
    })
    expect(await mailTo(http.address, email)).toBe('no mail')
    expect(await http.ask('employee/send_qrcode', { ids: ['a'.repeat(16)] }, signed)).toMatchObject({
      code: 60004,
      fields: { 'ids.0': 60004 },
    })
  })

  test('is void where the address was corrected since, the person was disabled or left, or somebody revoked it', async () => {
    const [first, second] = [freshEmail(), freshEmail()]
    const id = await addPerson({ email: first })
    const wrong = await mailOne(id, first)
    await change(id, { email: second })
    await expectExpired(wrong)
    const right = await mailOne(id, second)
    await http.call('user/invite/get', { token: right })
    await http.call('employee/qrcode/revoke', { id }, signed)
    await expectExpired(right)

    const third = await mailOne(id, second)
    await change(id, { role: 0 })
    await expectExpired(third)
    await change(id, { role: 3, endDay: '2020-01-01' })
    await expectExpired(third)
    await change(id, { endDay: undefined })
    await http.call('user/invite/get', { token: third })
    await http.call('employee/delete', { id }, signed)
    await expectExpired(third)
  })

  test('is good for seven days by the clock', async () => {
    const email = freshEmail()
    const id = await addPerson({ email })
    const token = await mailOne(id, email)
    const key = invitationKey(id, hashSecret(token))
    const { expiresAt = 0 } = (await world.look(key, mine.company)) ?? {}
    expect(Math.abs(expiresAt - Date.now() / 1000 - invitationDays * 86_400)).toBeLessThan(60)
    await world.set(key, { expiresAt: Math.floor(Date.now() / 1000) - 1 }, mine.company)
    await expectExpired(token)
  })

  test('opens no more than whoever made it could have opened', async () => {
    const form = { name: 'Staff', permissions: [3], departments: [mine.department] }
    const { id: roleId } = await http.call('role/add', form, signed)
    const manager = await invite(http, signed, person({ role: 2, roleId }))
    const id = await addPerson()
    const made = async (by: { token: string }) => {
      const { url } = await http.call('employee/login_link', { id }, by)
      return invitationIn(url)
    }
    const [theirs, owners] = [await made(manager), await made(signed)]
    await change(id, { role: 1 })
    await expectExpired(theirs)
    expect(await http.call('user/invite/get', { token: owners })).toMatchObject({ kind: 'employee' })
    await change(id, { role: 3 })
    expect(await http.call('user/invite/get', { token: theirs })).toMatchObject({ kind: 'employee' })
  })

  test('is mailed to one address five times an hour, whoever it is for', async () => {
    const email = freshEmail()
    const ids = [await addPerson({ email }), await addPerson({ email })]
    for (let times = 0; times < 2; times++)
      expect(await http.call('employee/send_qrcode', { ids }, signed)).toMatchObject({ failed: [] })
    const { sent, failed } = await http.call('employee/send_qrcode', { ids }, signed)
    expect([sent.length, failed.length]).toEqual([1, 1])
  })

  test('that many use at once lets one join', async () => {
    const email = freshEmail()
    const token = await mailOne(await addPerson({ email }), email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => http.ask('user/invite/join', asNew(token))))
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 60013 || code === 21003)).toHaveLength(9)
  })

  test('is not used by a join that is refused', async () => {
    const email = freshEmail()
    const token = await mailOne(await addPerson({ email }), email)
    const refused: [object, object][] = [
      [{ terms: false }, { code: 60014, fields: { terms: 60014 } }],
      [
        { password: 'weak', confirm_password: 'weak' },
        { code: 21012, fields: { password: 21012 } },
      ],
      [
        { password: 'Olive#2026', confirm_password: 'Olive#2026' },
        { code: 60030, fields: { password: 60030 } },
      ],
      [{ confirm_password: 'Saffron#43' }, { code: 21013, fields: { confirm_password: 21013 } }],
      [{ confirm_password: undefined }, { code: 10002, fields: { confirm_password: 60001 } }],
      // Another address than the mailed one has to be shown to be read.
      [{ email: freshEmail() }, { code: 10002, fields: { code: 60001, nonce: 60001 } }],
      [
        { email: freshEmail(), code: '123456', nonce: 'none' },
        { code: 60012, fields: { code: 60012 } },
      ],
    ]
    for (const [wrong, answer] of refused)
      expect(await http.ask('user/invite/join', { ...asNew(token), ...wrong })).toMatchObject(answer)
    await http.call('user/invite/join', asNew(token))
  })

  test('gives the person who had a password from the company one of their own, and ends what was signed in by it', async () => {
    const email = freshEmail()
    const id = await addPerson({ email, password: 'Celery#43' })
    const { workno } = await read(id)
    const login = (password: string) => http.ask('personal/login', { code: mine.company_num, workno, password })
    const before = (await login('Celery#43')).data
    await http.call('user/invite/join', asNew(await mailOne(id, email)))
    expect(await http.ask('auth/get', {}, before)).toMatchObject({ code: 502 })
    expect(await login('Celery#43')).toMatchObject({ code: 21014 })
    expect(await login(strongPassword)).toMatchObject({ code: 0 })
  })
})

describe('a person with an account', () => {
  test('joins with it, is known in both companies, and keeps the invitation through registering', async () => {
    const email = freshEmail()
    const id = await addPerson({ email, role: 1 })
    const token = await mailOne(id, email)
    // Invited first, registered then.
    const own = await http.call('user/register', {
      ...(await askCode(http, 'user/register/code', { email })),
      ...{ email, password: 'Saffron#43', confirm_password: 'Saffron#43' },
      ...{ first_name: 'Iris', last_name: 'I', company_name: 'Iris Alone', timezone: 'Asia/Tokyo', terms: true },
    })
    expect(await http.call('user/invite/get', { token })).toMatchObject({ email, canJoinExisting: true })
    expect(await http.ask('user/invite/join', asNew(token))).toMatchObject({ code: 21003, fields: { email: 21003 } })
    const existing = { token, account: 'existing' as const, password: 'Saffron#43' }
    expect(await http.ask('user/invite/join', { ...existing, password: strongPassword })).toMatchObject({ code: 21014 })
    const joined = await http.call('user/invite/join', existing)
    expect(joined).toMatchObject({ type: 'management', company_id: mine.company, isWaiting: false })
    const { list } = await http.call('company/list', {}, joined)
    expect(list.map(company => company.id).sort()).toEqual([own.company_id, mine.company].sort())
    const there = await http.call('company/select', { id: own.company_id }, joined)
    expect(await http.call('auth/get', {}, there)).toMatchObject({ company: { name: 'Iris Alone' } })
    await expectExpired(token)
    // She is somebody here already.
    const second = await addPerson()
    const { url } = await http.call('employee/login_link', { id: second }, signed)
    const again = { ...existing, token: invitationIn(url), email }
    expect(await http.ask('user/invite/join', again)).toMatchObject({ code: 60031 })
  })

  test('brings it in place of the password the company gave', async () => {
    const id = await addPerson({ password: 'Celery#43' })
    const { workno } = await read(id)
    const { email } = await register(http, { company_name: 'Her Own' })
    const { url } = await http.call('employee/login_link', { id }, signed)
    await http.call('user/invite/join', {
      ...{ token: invitationIn(url), account: 'existing', email, password: strongPassword },
    })
    const login = (password: string) => http.ask('personal/login', { code: mine.company_num, workno, password })
    expect(await login('Celery#43')).toMatchObject({ code: 21014 })
    expect(await login(strongPassword)).toMatchObject({ code: 0 })
    // Other companies know it too: no password is given to it here any more.
    const { version } = await read(id)
    const form = { ...person({ workno }), id, version, password: 'Celery#43' }
    expect(await http.ask('employee/update', form, signed)).toMatchObject({ code: 60005, fields: { password: 60005 } })
  })
})

describe('a link or QR code of one employee', () => {
  test('joins without an address, to sign in by number', async () => {
    const id = await addPerson()
    const { url, expiresAt } = await http.call('employee/login_link', { id }, signed)
    expect(url.startsWith(`${http.address}/join#`)).toBe(true)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - invitationDays * 86_400_000)).toBeLessThan(60_000)
    const token = invitationIn(url)
    expect(await http.call('user/invite/get', { token })).toEqual({
      company_name: 'Olive & Sons',
      kind: 'employee',
      first_name: 'Iris',
      last_name: 'Invited',
      canJoinExisting: true,
    })
    const { workno } = await http.call('user/invite/join', asNew(token))
    await http.call('personal/login', { code: mine.company_num, workno, password: strongPassword })
    await expectExpired(token)
    // Without an address of their own the person can be invited again, to bring one.
    await http.call('employee/login_link', { id }, signed)
  })

  test('joins with an address that is shown to be read; who has joined is invited no more', async () => {
    const id = await addPerson({ role: 1 })
    const { url, name, company_name } = await http.call('employee/qrcode', { id }, signed)
    expect([name, company_name]).toEqual(['Iris Invited', 'Olive & Sons'])
    const [token, email] = [invitationIn(url), freshEmail()]
    expect(await http.ask('user/invite/code', { token, email: mine.email })).toMatchObject({ code: 21003 })
    const code = await codeFor(token, email)
    // A code to join with is good for nothing else, and for no other invitation.
    expect(
      await http.ask('user/forgot/save', {
        email,
        ...code,
        new_password: 'Saffron#43',
        confirm_password: 'Saffron#43',
      }),
    ).toMatchObject({ code: 60012 })
    const other = invitationIn((await http.call('employee/login_link', { id: await addPerson() }, signed)).url)
    expect(await http.ask('user/invite/join', { ...asNew(other), email, ...code })).toMatchObject({ code: 60012 })
    await http.call('user/invite/join', { ...asNew(token), email, ...code })
    await http.call('user/login', { email, password: strongPassword })
    for (const made of ['employee/login_link', 'employee/qrcode'] as const)
      expect(await http.ask(made, { id }, signed)).toMatchObject({ code: 60031, fields: { id: 60031 } })
    expect(await http.ask('employee/login_link', { id: mine.owner }, signed)).toMatchObject({ code: 60031 })
  })

  test('is made by who may change the person only', async () => {
    const { id: sales } = await http.call('department/add', { name: 'Sales' }, signed)
    const role = { name: 'Sales lead', permissions: [3], departments: [sales] }
    const { id: roleId } = await http.call('role/add', role, signed)
    const lead = await invite(http, signed, person({ department: sales, role: 2, roleId }))
    const inside = await addPerson({ department: sales })
    await http.call('employee/login_link', { id: inside }, lead)
    for (const [id, code] of [
      [await addPerson(), 60004],
      [await addPerson({ department: sales, role: 1, email: freshEmail() }), 60005],
    ] as const) {
      for (const made of ['employee/login_link', 'employee/qrcode', 'employee/qrcode/revoke'] as const)
        expect(await http.ask(made, { id }, lead), made).toMatchObject({ code })
      expect(await http.ask('employee/send_qrcode', { ids: [id] }, lead)).toMatchObject({ code })
    }
  })
})

describe('the company’s QR code', () => {
  const newcomer = async (token: string, email = freshEmail()) => ({
    ...asNew(token),
    email,
    ...(await codeFor(token, email)),
    first_name: 'Nia',
    last_name: 'Newcomer',
  })

  test('lets people in who wait until an administrator gives them a role', async () => {
    const token = await companyLink()
    expect(await http.call('user/invite/get', { token })).toEqual({
      company_name: 'Olive & Sons',
      kind: 'company',
      canJoinExisting: true,
    })
    const form = await newcomer(token)
    const { code: _, ...uncoded } = form
    expect(await http.ask('user/invite/join', uncoded)).toMatchObject({ code: 10002, fields: { code: 60001 } })
    expect(await http.ask('user/invite/join', { ...form, first_name: undefined, email: undefined })).toMatchObject({
      code: 10002,
      fields: { first_name: 60001, email: 60001 },
    })
    const joined = await http.call('user/invite/join', form)
    expect(joined).toMatchObject({ type: 'user', isWaiting: true, company_id: mine.company })
    expect(joined.token).toBeUndefined()

    const byNumber = { code: mine.company_num, workno: joined.workno, password: strongPassword }
    const byEmail = { email: form.email, password: strongPassword }
    expect(await http.ask('personal/login', byNumber)).toMatchObject({ code: 21023 })
    expect(await http.ask('user/login', byEmail)).toMatchObject({ code: 21023 })
    expect(await http.ask('personal/login', { ...byNumber, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
    const { list } = await http.call('employee/grid', { filters: { search: joined.workno } }, signed)
    const id = list.find(({ workno }) => workno === joined.workno)?.id ?? ''
    expect(await read(id)).toMatchObject({ first_name: 'Nia', role: 0, isWaiting: true, email: form.email })
    await change(id, { role: 3 })
    expect((await read(id)).isWaiting).toBeUndefined()
    await http.call('personal/login', byNumber)
    // Disabled later, the person is told just that.
    await change(id, { role: 0 })
    expect(await http.ask('personal/login', byNumber)).toMatchObject({ code: 21021 })
    expect(await http.ask('user/login', byEmail)).toMatchObject({ code: 21021 })
  })

  test('makes somebody known by their address the employee they are, unless that one is disabled', async () => {
    const token = await companyLink()
    const email = freshEmail()
    const id = await addPerson({ email })
    const joined = await http.call('user/invite/join', await newcomer(token, email))
    expect(await http.call('user/employee', {}, joined)).toMatchObject({ id, first_name: 'Iris', role: 3 })
    const gone = freshEmail()
    await addPerson({ email: gone, role: 0 })
    expect(await http.ask('user/invite/join', await newcomer(token, gone))).toMatchObject({ code: 21021 })
  })

  test('takes nobody for another whose address or name only holds theirs', async () => {
    const token = await companyLink()
    const email = freshEmail()
    await addPerson({ email: `jo${email}` })
    await addPerson({ position: email })
    expect(await http.call('user/invite/join', await newcomer(token, email))).toMatchObject({ isWaiting: true })
    // Of two who have one address nobody knows which it is.
    const shared = freshEmail()
    for (let i = 0; i < 2; i++) await addPerson({ email: shared })
    expect(await http.call('user/invite/join', await newcomer(token, shared))).toMatchObject({ isWaiting: true })
  })

  test('gives the number behind the largest anybody has or had, those of strangers and beyond left aside', async () => {
    const token = await companyLink()
    const largest = 4_000_000
    for (const workno of [String(largest), '100000000', '999999999999']) await addPerson({ workno })
    const gone = await addPerson({ workno: String(largest + 1) })
    await http.call('employee/delete', { id: gone }, signed)
    const { workno } = await http.call('user/invite/join', await newcomer(token))
    expect(workno).toBe(String(largest + 2))
  })

  test('lets a person in with an account, once', async () => {
    const token = await companyLink()
    const { email } = await register(http, { company_name: 'Hers' })
    const form = {
      token,
      account: 'existing' as const,
      email,
      password: strongPassword,
      first_name: 'A',
      last_name: 'B',
    }
    expect(await http.call('user/invite/join', form)).toMatchObject({ isWaiting: true })
    expect(await http.ask('user/invite/join', form)).toMatchObject({ code: 60031 })
    // Where she may come in she still does.
    await http.call('user/login', { email, password: strongPassword })
  })

  test('gives many who come at once a number each, and counts them', async () => {
    const token = await companyLink()
    const forms = await Promise.all(Array.from({ length: 8 }, () => newcomer(token)))
    const joined = await Promise.all(forms.map(form => http.call('user/invite/join', form)))
    expect(new Set(joined.map(({ workno }) => workno)).size).toBe(8)
    expect(await world.look(invitationKey(undefined, hashSecret(token)), mine.company)).toMatchObject({ joins: 8 })
  })

  test(`is good for ${mostJoins} people, and until it is revoked`, async () => {
    const [full, open] = [await companyLink(), await companyLink()]
    await world.set(invitationKey(undefined, hashSecret(full)), { joins: mostJoins }, mine.company)
    await expectExpired(full)
    await http.call('user/invite/get', { token: open })
    await http.call('employee/qrcode/revoke', {}, signed)
    await expectExpired(open)
  })
})

test('an address in a QR code leads employees to their sign-in with the company filled in', async () => {
  expect(await http.call('qrcode/app_qrcode', {}, signed)).toEqual({
    url: `${http.address}/login/employee?code=${mine.company_num}`,
  })
})

test('what is no invitation opens nothing', async () => {
  for (const token of ['', 'x', 'A'.repeat(43), hashSecret(await companyLink())]) await expectExpired(token)
})
