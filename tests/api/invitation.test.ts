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

// Joining a company by mail, link or QR code: the right to invite, the granted access, usage limits and expiry.

let world: StackWithTable
let http: Client
let olga: Registered
let signed: { token: string }
/** Counts down, because a newcomer gets the employee ID after the largest one. */
let worknos = 5000

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  olga = await register(http)
  signed = { token: olga.token }
})
afterAll(() => world.stop())

const freshEmail = () => `iris-${randomUUID()}@example.com`
const person = (more: Partial<PathCall<'employee/add'>> = {}) => ({
  first_name: 'Iris',
  last_name: 'Invited',
  workno: String(worknos--),
  department: olga.department,
  ...more,
})
const addPerson = async (more: Partial<PathCall<'employee/add'>> = {}) =>
  (await http.call('employee/add', person(more), signed)).id
const read = async (id: string) => {
  const { list } = await http.call('employee/grid', { size: 200 }, signed)
  const existing = list.find(employee => employee.id === id)
  if (!existing) throw new Error(`No employee ${id}`)
  return existing
}
/** Updates an employee as the panel does: the form repeats the values that it shows. */
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
  test('shows its company, and lets the employee join once, with a password and the mailed address', async () => {
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
      company_num: olga.company_num,
      kind: 'employee',
      first_name: 'Iris',
      last_name: 'Invited',
      workno: (await read(id)).workno,
      email,
      canJoinExisting: false,
    })
    const joined = await http.call('user/invite/join', asNew(token))
    const { workno } = await read(id)
    expect(joined).toMatchObject({
      type: 'user',
      company_id: olga.company,
      company_num: olga.company_num,
      workno,
      isWaiting: false,
    })
    expect(await http.call('user/employee', {}, joined)).toMatchObject({ id, canSignIn: true })
    await http.call('personal/login', { code: olga.company_num, workno, password: strongPassword })
    await expectExpired(token)
    expect(await http.call('employee/send_qrcode', { ids: [id] }, signed)).toEqual({
      sent: [],
      joined: [id],
      failed: [],
    })
    expect(readFileSync(join(world.stack.data, 'log.jsonl'), 'utf8')).not.toContain(token)
    expect(JSON.stringify(await world.everything())).not.toContain(token)
  })

  test('signs a manager in to the management side', async () => {
    const { token, email } = await invite(http, signed, person({ role: 1 }))
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ type: 'management', uuid: email, role: 1 })
    await http.call('user/login', { email, password: strongPassword })
  })

  test('counts each mail towards the hourly limit of the company', { tags: 'long' }, async () => {
    const { token, department } = await register(http)
    const ids: string[] = []
    for (const workno of ['2', '3', '4']) {
      const form = { first_name: 'Ivo', last_name: 'I', workno, department, email: freshEmail() }
      ids.push((await http.call('employee/add', form, { token })).id)
    }
    await http.call('employee/send_qrcode', { ids }, { token })
    const counted = (await world.everything()).filter(({ pk }) => String(pk).startsWith('RATE#invite#'))
    const { company } = (await http.call('auth/get', {}, { token })) as { company: { id: string } }
    const counters = counted.filter(({ pk }) => pk === `RATE#invite#${company.id}`)
    expect(counters.reduce((sum, { count }) => sum + Number(count), 0)).toBe(3)
    for (const { pk, sk } of counters) await world.set({ pk: String(pk), sk: String(sk) }, { count: 198 })
    expect(await http.ask('employee/send_qrcode', { ids }, { token })).toMatchObject({ code: 60008 })
  })

  test('uses the language of its recipient', async () => {
    const email = freshEmail()
    const id = await addPerson({ email, password: strongPassword })
    const { workno } = await read(id)
    const self = await http.call('personal/login', { code: olga.company_num, workno, password: strongPassword })
    await http.call('personal/update', { first_name: 'Íris', last_name: 'Invited', language: 'es' }, self)
    await http.call('employee/send_qrcode', { ids: [id] }, signed)
    expect(await mailTo(http.address, email)).toContain('Hola, Íris')
  })

  test('goes to all chosen employees or to none, and the error names employees who cannot be invited', async () => {
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

  test('is void after an address change, a revocation, or once its employee is disabled or leaves', async () => {
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

  test('expires after seven days', async () => {
    const email = freshEmail()
    const id = await addPerson({ email })
    const token = await mailOne(id, email)
    const key = invitationKey(id, hashSecret(token))
    const { expiresAt = 0 } = (await world.look(key, olga.company)) ?? {}
    expect(Math.abs(expiresAt - Date.now() / 1000 - invitationDays * 86_400)).toBeLessThan(60)
    await world.set(key, { expiresAt: Math.floor(Date.now() / 1000) - 1 }, olga.company)
    await expectExpired(token)
  })

  test('is void while its author may not grant the role of the employee', async () => {
    const form = { name: 'Staff', permissions: [3], departments: [olga.department] }
    const { id: roleId } = await http.call('role/add', form, signed)
    const manager = await invite(http, signed, person({ role: 2, roleId }))
    const id = await addPerson()
    const createLink = async (by: { token: string }) => {
      const { url } = await http.call('employee/login_link', { id }, by)
      return invitationIn(url)
    }
    const [managerToken, ownerToken] = [await createLink(manager), await createLink(signed)]
    await change(id, { role: 1 })
    await expectExpired(managerToken)
    expect(await http.call('user/invite/get', { token: ownerToken })).toMatchObject({ kind: 'employee' })
    await change(id, { role: 3 })
    expect(await http.call('user/invite/get', { token: managerToken })).toMatchObject({ kind: 'employee' })
  })

  test('reaches one address at most five times an hour', async () => {
    const email = freshEmail()
    const ids = [await addPerson({ email }), await addPerson({ email })]
    for (let times = 0; times < 2; times++)
      expect(await http.call('employee/send_qrcode', { ids }, signed)).toMatchObject({ failed: [] })
    const { sent, failed } = await http.call('employee/send_qrcode', { ids }, signed)
    expect([sent.length, failed.length]).toEqual([1, 1])
  })

  test('lets one of many concurrent callers join', { tags: 'long' }, async () => {
    const email = freshEmail()
    const token = await mailOne(await addPerson({ email }), email)
    const answers = await Promise.all(Array.from({ length: 10 }, () => http.ask('user/invite/join', asNew(token))))
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 60013 || code === 21003)).toHaveLength(9)
  })

  test('survives a refused join', { tags: 'long' }, async () => {
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
      // An address other than the mailed address needs a code as proof.
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

  test('replaces a password set by the company and revokes its sessions', async () => {
    const email = freshEmail()
    const id = await addPerson({ email, password: 'Celery#43' })
    const { workno } = await read(id)
    const login = (password: string) => http.ask('personal/login', { code: olga.company_num, workno, password })
    const before = (await login('Celery#43')).data
    await http.call('user/invite/join', asNew(await mailOne(id, email)))
    expect(await http.ask('auth/get', {}, before)).toMatchObject({ code: 502 })
    expect(await login('Celery#43')).toMatchObject({ code: 21014 })
    expect(await login(strongPassword)).toMatchObject({ code: 0 })
  })
})

describe('a person with an account', () => {
  test('joins with it, even if it is newer than the invitation, and then belongs to both companies', {
    tags: 'long',
  }, async () => {
    const email = freshEmail()
    const id = await addPerson({ email, role: 1 })
    const token = await mailOne(id, email)
    // The person registers after the invitation.
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
    expect(joined).toMatchObject({ type: 'management', company_id: olga.company, isWaiting: false })
    const { list } = await http.call('company/list', {}, joined)
    expect(list.map(company => company.id).sort()).toEqual([own.company_id, olga.company].sort())
    const there = await http.call('company/select', { id: own.company_id }, joined)
    expect(await http.call('auth/get', {}, there)).toMatchObject({ company: { name: 'Iris Alone' } })
    await expectExpired(token)
    // The account already belongs to an employee of this company.
    const second = await addPerson()
    const { url } = await http.call('employee/login_link', { id: second }, signed)
    const again = { ...existing, token: invitationIn(url), email }
    expect(await http.ask('user/invite/join', again)).toMatchObject({ code: 60031 })
  })

  test('keeps their own password and drops the password set by the company', async () => {
    const id = await addPerson({ password: 'Celery#43' })
    const { workno } = await read(id)
    const { email } = await register(http, { company_name: 'Her Own' })
    const { url } = await http.call('employee/login_link', { id }, signed)
    await http.call('user/invite/join', {
      ...{ token: invitationIn(url), account: 'existing', email, password: strongPassword },
    })
    const login = (password: string) => http.ask('personal/login', { code: olga.company_num, workno, password })
    expect(await login('Celery#43')).toMatchObject({ code: 21014 })
    expect(await login(strongPassword)).toMatchObject({ code: 0 })
    // Other companies use this account too, so this company can no longer set its password.
    const { version } = await read(id)
    const form = { ...person({ workno }), id, version, password: 'Celery#43' }
    expect(await http.ask('employee/update', form, signed)).toMatchObject({ code: 60005, fields: { password: 60005 } })
  })
})

describe('a link or QR code for one employee', () => {
  test('lets an employee join without an address and sign in by number', async () => {
    const id = await addPerson()
    const { url, expiresAt } = await http.call('employee/login_link', { id }, signed)
    expect(url.startsWith(`${http.address}/join#`)).toBe(true)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - invitationDays * 86_400_000)).toBeLessThan(60_000)
    const token = invitationIn(url)
    expect(await http.call('user/invite/get', { token })).toEqual({
      company_name: 'Olive & Sons',
      company_num: olga.company_num,
      kind: 'employee',
      first_name: 'Iris',
      last_name: 'Invited',
      workno: (await read(id)).workno,
      canJoinExisting: true,
    })
    const { workno } = await http.call('user/invite/join', asNew(token))
    await http.call('personal/login', { code: olga.company_num, workno, password: strongPassword })
    await expectExpired(token)
    // A second invitation lets the employee add an e-mail address.
    await http.call('employee/login_link', { id }, signed)
  })

  test('lets an employee join once with a verified address', async () => {
    const id = await addPerson({ role: 1 })
    const { url, name, company_name } = await http.call('employee/qrcode', { id }, signed)
    expect([name, company_name]).toEqual(['Iris Invited', 'Olive & Sons'])
    const [token, email] = [invitationIn(url), freshEmail()]
    expect(await http.ask('user/invite/code', { token, email: olga.email })).toMatchObject({ code: 21003 })
    const code = await codeFor(token, email)
    // The code works only for joining, and only for its invitation.
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
    for (const path of ['employee/login_link', 'employee/qrcode'] as const)
      expect(await http.ask(path, { id }, signed)).toMatchObject({ code: 60031, fields: { id: 60031 } })
    expect(await http.ask('employee/login_link', { id: olga.owner }, signed)).toMatchObject({ code: 60031 })
  })

  test('is available only to a manager who may edit the employee', async () => {
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
      for (const path of ['employee/login_link', 'employee/qrcode', 'employee/qrcode/revoke'] as const)
        expect(await http.ask(path, { id }, lead), path).toMatchObject({ code })
      expect(await http.ask('employee/send_qrcode', { ids: [id] }, lead)).toMatchObject({ code })
    }
  })
})

describe('the company QR code', () => {
  const newcomer = async (token: string, email = freshEmail()) => ({
    ...asNew(token),
    email,
    ...(await codeFor(token, email)),
    first_name: 'Nia',
    last_name: 'Newcomer',
  })

  test('lets people join, and they wait until an administrator assigns a role', async () => {
    const token = await companyLink()
    expect(await http.call('user/invite/get', { token })).toEqual({
      company_name: 'Olive & Sons',
      company_num: olga.company_num,
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
    expect(joined).toMatchObject({ type: 'user', isWaiting: true, company_id: olga.company })
    expect(joined.token).toBeUndefined()

    const byNumber = { code: olga.company_num, workno: joined.workno, password: strongPassword }
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
    // A person whom an administrator disables later gets the error for disabled people.
    await change(id, { role: 0 })
    expect(await http.ask('personal/login', byNumber)).toMatchObject({ code: 21021 })
    expect(await http.ask('user/login', byEmail)).toMatchObject({ code: 21021 })
  })

  test('matches an employee by address, unless that employee is disabled', { tags: 'long' }, async () => {
    const token = await companyLink()
    const email = freshEmail()
    const id = await addPerson({ email })
    const joined = await http.call('user/invite/join', await newcomer(token, email))
    expect(await http.call('user/employee', {}, joined)).toMatchObject({ id, first_name: 'Iris', role: 3 })
    const gone = freshEmail()
    await addPerson({ email: gone, role: 0 })
    expect(await http.ask('user/invite/join', await newcomer(token, gone))).toMatchObject({ code: 21021 })
  })

  test('matches only an exact and unique address', { tags: 'long' }, async () => {
    const token = await companyLink()
    const email = freshEmail()
    await addPerson({ email: `jo${email}` })
    await addPerson({ position: email })
    expect(await http.call('user/invite/join', await newcomer(token, email))).toMatchObject({ isWaiting: true })
    // Two employees share this address, so neither is a match.
    const shared = freshEmail()
    for (let i = 0; i < 2; i++) await addPerson({ email: shared })
    expect(await http.call('user/invite/join', await newcomer(token, shared))).toMatchObject({ isWaiting: true })
  })

  test('assigns the employee ID after the largest ever used, ignoring the range of stranger numbers', {
    tags: 'long',
  }, async () => {
    const token = await companyLink()
    const largest = 4_000_000
    for (const workno of [String(largest), '100000000', '999999999999']) await addPerson({ workno })
    const gone = await addPerson({ workno: String(largest + 1) })
    await http.call('employee/delete', { id: gone }, signed)
    const { workno } = await http.call('user/invite/join', await newcomer(token))
    expect(workno).toBe(String(largest + 2))
  })

  test('lets a person with an account join once', { tags: 'long' }, async () => {
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
    // The person can still sign in to the other company.
    await http.call('user/login', { email, password: strongPassword })
  })

  test('gives concurrent newcomers distinct employee IDs and counts all of them', { tags: 'long' }, async () => {
    const token = await companyLink()
    const forms = await Promise.all(Array.from({ length: 8 }, () => newcomer(token)))
    const joined = await Promise.all(forms.map(form => http.call('user/invite/join', form)))
    expect(new Set(joined.map(({ workno }) => workno)).size).toBe(8)
    expect(await world.look(invitationKey(undefined, hashSecret(token)), olga.company)).toMatchObject({ joins: 8 })
  })

  test(`works for ${mostJoins} people or until it is revoked`, { tags: 'long' }, async () => {
    const [full, open] = [await companyLink(), await companyLink()]
    await world.set(invitationKey(undefined, hashSecret(full)), { joins: mostJoins }, olga.company)
    await expectExpired(full)
    await http.call('user/invite/get', { token: open })
    await http.call('employee/qrcode/revoke', {}, signed)
    await expectExpired(open)
  })
})

test('the app QR code opens the employee sign-in with the company filled in', async () => {
  expect(await http.call('qrcode/app_qrcode', {}, signed)).toEqual({
    url: `${http.address}/login/employee?code=${olga.company_num}`,
  })
})

test('an invalid token opens nothing', async () => {
  for (const token of ['', 'x', 'A'.repeat(43), hashSecret(await companyLink())]) await expectExpired(token)
})
