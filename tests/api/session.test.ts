import { argon2Sync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hashSecret, newSecret } from '../../functions/kit/id.ts'
import { accountKey } from '../../shared/account.ts'
import { employeeKey } from '../../shared/employee.ts'
import {
  absoluteMinutes,
  employeeSessionKey,
  idleMinutes,
  type Session,
  sessionKey,
  signCodeKey,
  signCodeSeconds,
} from '../../shared/session.ts'
import {
  askCode,
  client,
  invite,
  mailedInvitation,
  mailTo,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { openSocket } from '../kit/socket.ts'
import { openTable } from '../kit/table.ts'

// Sessions expire, and an ended session stays ended. The test writes past times into the table.

const minute = 60_000
const world = openTable(inject('endpoint'))
const http = client(inject('address'))
let company: Registered

beforeAll(async () => {
  company = await register(http)
})
afterAll(() => world.close())

const signIn = async () => (await http.call('user/login', { email: company.email, password: strongPassword })).token
const readSession = async (token: string): Promise<Session> => {
  const session = await world.look(sessionKey(hashSecret(token)))
  if (!session) throw new Error('No such session')
  return session
}
const setSession = (token: string, changes: Partial<Session>) => world.set(sessionKey(hashSecret(token)), changes)
const seenAgo = (minutes: number) => ({ seenAt: new Date(Date.now() - minutes * minute).toISOString() })
const inMinutes = (minutes: number) => ({ expiresAt: Math.floor((Date.now() + minutes * minute) / 1000) })
const codeOf = async (token: string) => (await http.ask('auth/get', {}, { token })).code
/** Whether the socket accepts the session. */
const acceptsSocket = async (token: string) => {
  const socket = await openSocket(http.address)
  socket.say({ cmd: 'home.login', token })
  const { result } = await socket.hear({ ret: 'home.login' })
  socket.close()
  return result
}

describe('a session', () => {
  test('expires 12 hours after the last call, and each call renews it', async () => {
    const token = await signIn()
    await setSession(token, seenAgo(idleMinutes - 1))
    expect(await codeOf(token)).toBe(0)
    expect(Date.now() - Date.parse((await readSession(token)).seenAt)).toBeLessThan(minute)
    await setSession(token, seenAgo(idleMinutes + 1))
    expect(await codeOf(token)).toBe(101)
    expect(await acceptsSocket(token)).toBe(false)
    expect(await codeOf(token), 'a refused call must not renew it').toBe(101)
  })

  test('expires after seven days despite calls, even while its item still exists', async () => {
    const token = await signIn()
    const { startedAt, expiresAt } = await readSession(token)
    expect(expiresAt).toBe(Math.floor(Date.parse(startedAt) / 1000) + absoluteMinutes * 60)
    await setSession(token, { ...seenAgo(6), ...inMinutes(1) })
    expect(await codeOf(token)).toBe(0)
    expect((await readSession(token)).expiresAt, 'a call must not prolong it').toBeLessThan(Date.now() / 1000 + 61)
    await setSession(token, inMinutes(-1))
    expect(await codeOf(token)).toBe(101)
    expect(await acceptsSocket(token)).toBe(false)
    expect(await readSession(token)).toBeDefined()
  })

  test('keeps the time of the first sign-in after a change of side or company', async () => {
    const first = await signIn()
    const startedAt = new Date(Date.now() - 6 * 24 * 60 * minute).toISOString()
    const bounds = { startedAt, ...inMinutes(60) }
    await setSession(first, bounds)

    const switches: ((token: string) => Promise<{ token: string }>)[] = [
      token => http.call('personal/login/switch', {}, { token }),
      token => http.call('user/login/switch', {}, { token }),
      token => http.call('company/add', { company_name: 'Second & Sons', timezone: 'Asia/Tokyo' }, { token }),
      token => http.call('company/select', { id: company.company }, { token }),
    ]
    let token = first
    for (const step of switches) {
      const before = token
      token = (await step(before)).token
      expect(await readSession(token)).toMatchObject(bounds)
      expect(await codeOf(token)).toBe(0)
      expect(await codeOf(before), 'the old token ends').toBe(502)
    }
    await setSession(token, inMinutes(-1))
    expect(await codeOf(token)).toBe(101)
  })
})

describe('an ended session', () => {
  const password = strongPassword
  /** A second administrator, whose sessions the owner ends. */
  const addAda = async (workno: string) => {
    const form = { first_name: 'Ada', last_name: 'A', workno, department: company.department, role: 1 }
    const { id, email } = await invite(http, { token: company.token }, form)
    return {
      id,
      signIn: async () => (await http.call('user/login', { email, password })).token,
      change: async (changes: { role?: number; password?: string }) => {
        const { list } = await http.call('employee/grid', { filters: { search: workno } }, { token: company.token })
        const version = list.find(item => item.id === id)?.version ?? 0
        await http.call('employee/update', { id, version, ...form, email, ...changes }, { token: company.token })
      },
    }
  }

  test('stays ended despite simultaneous calls that update its last use', { tags: 'long' }, async () => {
    const ada = await addAda('2')
    const template = await readSession(await ada.signIn())
    for (let round = 0; round < 6; round++) {
      // Plants sessions without the cost of a password check.
      const tokens = Array.from({ length: 8 }, () => newSecret())
      for (const token of tokens) {
        const tokenHash = hashSecret(token)
        await setSession(token, template)
        await world.set(
          employeeSessionKey(ada.id, tokenHash),
          { tokenHash, expiresAt: template.expiresAt },
          company.company,
        )
      }
      let isOver = false
      const running = tokens.map(async token => {
        while (!isOver) {
          await setSession(token, seenAgo(6))
          await codeOf(token)
        }
      })
      await ada.change({ role: 0 })
      isOver = true
      await Promise.all(running)
      await ada.change({ role: 1 })
      expect(new Set(await Promise.all(tokens.map(codeOf))), `round ${round}`).toEqual(new Set([502]))
      // The server ends each session itself, and does not rely on the start time alone.
      for (const token of tokens) expect((await readSession(token)).endedAt, `round ${round}`).toBeDefined()
    }
  })

  test('by a new password stays ended, also under tokens that simultaneous company changes create', {
    tags: 'long',
  }, async () => {
    const ada = await addAda('3')
    for (let round = 0; round < 5; round++) {
      const tokens = await Promise.all(Array.from({ length: 4 }, ada.signIn))
      let isOver = false
      const continueSession = async (token: string): Promise<string> => {
        const answer = await http.ask('company/select', { id: company.company }, { token })
        if (answer.code !== 0) return token
        return isOver ? answer.data.token : continueSession(answer.data.token)
      }
      const running = tokens.map(continueSession)
      await ada.change({ password })
      isOver = true
      for (const token of [...tokens, ...(await Promise.all(running))])
        expect(await codeOf(token), `round ${round}`).toBe(502)
    }
  })
})

test('an open socket receives no messages after its session has ended', async () => {
  const form = { first_name: 'Ida', last_name: 'I', workno: '70', department: company.department, role: 1 }
  const { id, token } = await invite(http, { token: company.token }, form)
  const listen = async () => {
    const socket = await openSocket(http.address)
    socket.say({ cmd: 'home.login', token })
    expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
    return socket
  }
  const [active, silent] = [await listen(), await listen()]
  active.say({ cmd: 'home.ping' })
  expect(await active.hear({ ret: 'home.ping' })).toMatchObject({ result: true })
  // Messages about earlier changes may still arrive, so the test waits until no more arrive.
  for (let count = -1; count !== silent.unheard.length; await wait(500)) count = silent.unheard.length
  await world.set(employeeKey(id), { sessionsSince: new Date().toISOString() }, company.company)
  const heardCount = silent.unheard.length
  active.say({ cmd: 'home.ping' })
  expect(await active.hear({ ret: 'home.ping' })).toMatchObject({ result: false })
  await active.closed
  const ownerSocket = await openSocket(http.address)
  ownerSocket.say({ cmd: 'home.login', token: company.token })
  await ownerSocket.hear({ ret: 'home.login', result: true })
  await http.call('department/add', { name: 'Heard of' }, { token: company.token })
  expect(JSON.stringify((await ownerSocket.hear({})).refresh)).toContain('department/')
  await silent.closed
  expect(silent.unheard.slice(heardCount)).toEqual([])
  ownerSocket.close()
})

describe('a session older than a change of the credentials', () => {
  /** Plants a copy of an ended session without its end, as after an interrupted change. */
  const plantMissed = async (token: string) => {
    const { endedAt: _, version: __, ...missed } = (await readSession(token)) as Session & { version: number }
    const copy = newSecret()
    await setSession(copy, missed)
    return copy
  }
  const expectEnded = async (token: string, label: string) => {
    const copy = await plantMissed(token)
    expect(await codeOf(copy), label).toBe(502)
    expect(await acceptsSocket(copy), label).toBe(false)
  }

  test('ends in every company, while the session that made the change continues', { tags: 'long' }, async () => {
    const { email, token, company } = await register(http)
    const changes = [
      async () => {
        const moved = `again-${Date.now()}@example.com`
        const code = await askCode(http, 'user/email/code', { email: moved }, { token: own })
        await http.call('user/email/update', { email: moved, ...code, password: strongPassword }, { token: own })
        return moved
      },
      async (email: string) => {
        const [password, new_password] = [strongPassword, 'Saffron#43']
        const form = { password, new_password, confirm_password: new_password }
        await http.call('user/password/update', form, { token: own })
        return email
      },
    ]
    let [own, address] = [token, email]
    const signInAgain = async () => (await http.call('user/login', { email: address, password: strongPassword })).token
    for (const change of changes) {
      const ownCompany = await signInAgain()
      const elsewhere = await http.call(
        'company/add',
        { company_name: 'Beside', timezone: 'Asia/Tokyo' },
        { token: await signInAgain() },
      )
      expect(await codeOf(await plantMissed(ownCompany)), 'before').toBe(0)
      address = await change(address)
      await expectEnded(ownCompany, 'here')
      await expectEnded(elsewhere.token, 'elsewhere')
      own = (await http.call('company/select', { id: elsewhere.company_id }, { token: own })).token
      expect(await codeOf(own)).toBe(0)
      own = (await http.call('company/select', { id: company }, { token: own })).token
      expect(await codeOf(own)).toBe(0)
    }
    const code = await askCode(http, 'user/forgot', { email: address })
    const new_password = 'Celery#44'
    await http.call('user/forgot/save', { email: address, ...code, new_password, confirm_password: new_password })
    await expectEnded(own, 'forgotten')
    const { token: current } = await http.call('user/login', { email: address, password: new_password })
    expect(await codeOf(current)).toBe(0)
  })

  test('ends when the company sets another password, and when the person sets a password', async () => {
    const email = `jo-${Date.now()}@example.com`
    const person = { first_name: 'Jo', last_name: 'J', workno: '62', department: company.department, email }
    const { id } = await http.call('employee/add', { ...person, password: strongPassword }, { token: company.token })
    const signInByNumber = async (password: string) =>
      (await http.call('personal/login', { code: company.company_num, workno: '62', password })).token
    const first = await signInByNumber(strongPassword)
    const form = { ...person, id, version: 1, password: 'Saffron#43' }
    await http.call('employee/update', form, { token: company.token })
    await expectEnded(first, 'given')
    const second = await signInByNumber('Saffron#43')
    await http.call('employee/send_qrcode', { ids: [id] }, { token: company.token })
    const joined = await http.call('user/invite/join', {
      token: await mailedInvitation(http.address, email),
      ...{ account: 'new', password: strongPassword, confirm_password: strongPassword, terms: true },
    })
    await expectEnded(second, 'joined')
    expect(await codeOf(joined.token ?? '')).toBe(0)
  })
})

describe('sessions end at once', () => {
  const password = strongPassword
  const expectEnded = async (token: string) => {
    expect(await codeOf(token)).toBe(502)
    expect(await acceptsSocket(token)).toBe(false)
  }
  /** A person signed in on both sides, and in a second company. */
  const signInEverywhere = async () => {
    const { email, token, company, company_num, owner } = await register(http)
    const byEmail = async () => (await http.call('user/login', { email, password })).token
    const elsewhere = await http.call(
      'company/add',
      { company_name: 'Besides', timezone: 'Asia/Tokyo' },
      { token: await byEmail() },
    )
    const byNumber = await http.call('personal/login', { code: company_num, workno: '1', password })
    return { email, token, company, owner, others: [await byEmail(), elsewhere.token, byNumber.token] }
  }

  test('after a new password, except for the session that made the change', async () => {
    const { email, token, others } = await signInEverywhere()
    const change = { password, new_password: 'Saffron#43', confirm_password: 'Saffron#43' }
    await http.call('user/password/update', change, { token })
    for (const other of others) await expectEnded(other)
    expect(await codeOf(token)).toBe(0)
    expect(await mailTo(http.address, email)).toContain('Your sign-in password was changed')
    const { passwordSetAt = '' } = await http.call('user/employee', {}, { token })
    expect(Date.now() - Date.parse(passwordSetAt)).toBeLessThan(minute)
  })

  test('after a new address, except for the changing session, and the old address gets a notice', {
    tags: 'long',
  }, async () => {
    const { email, token, others } = await signInEverywhere()
    const moved = `moved-${Date.now()}@example.com`
    const code = await askCode(http, 'user/email/code', { email: moved }, { token })
    const ask = (changes: object) =>
      http.ask('user/email/update', { email: moved, ...code, password, ...changes }, { token })
    expect(await ask({ password: 'Wrong#1' })).toMatchObject({ code: 21014 })
    expect(await ask({ email: `other-${moved}` })).toMatchObject({ code: 60012, fields: { code: 60012 } })
    for (const other of others) expect(await codeOf(other)).toBe(0)
    expect(await ask({})).toMatchObject({ code: 0 })
    for (const other of others) await expectEnded(other)
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ uuid: moved })
    expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21014 })
    await http.call('user/login', { email: moved, password })
    expect(await mailTo(http.address, email)).toContain('This address is no longer your sign-in e-mail')
    // The old address is free again.
    expect(await http.ask('user/register/code', { email })).toMatchObject({ code: 0 })
  })

  test('when the person is disabled, leaves or is deleted', async () => {
    const person = { first_name: 'Lea', last_name: 'L', workno: '71', department: company.department }
    const { id, email } = await invite(http, { token: company.token }, person)
    const login = async () =>
      (await http.call('personal/login', { code: company.company_num, workno: '71', password })).token
    const change = async (changes: object) => {
      const { list } = await http.call('employee/grid', { filters: { search: '71' } }, { token: company.token })
      const version = list.find(item => item.id === id)?.version ?? 0
      await http.call('employee/update', { id, version, ...person, email, ...changes }, { token: company.token })
    }
    const signInCode = async () =>
      (await http.ask('personal/login', { code: company.company_num, workno: '71', password })).code
    for (const end of [{ role: 0 }, { endDay: '2020-01-01' }]) {
      const token = await login()
      await change(end)
      await expectEnded(token)
      expect(await signInCode()).toBe(21021)
      await change({})
    }
    const token = await login()
    await http.call('employee/delete', { id }, { token: company.token })
    await expectEnded(token)
    expect(await signInCode()).toBe(21014)
    expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21014 })
  })
})

describe('a caller from another domain of the product', () => {
  const getCode = async () => {
    const { token, redirect, company_id } = await http.call('user/login', {
      email: company.email,
      password: strongPassword,
      redirect: 1,
    })
    expect([redirect, company_id]).toEqual([1, company.company])
    return { token, company_id }
  }
  const wrong = { status: 200, code: 60012 }

  test('gets a one-time code, and exchanges it for a token once', async () => {
    const code = await getCode()
    expect(await codeOf(code.token)).toBe(101)
    const { token } = await http.call('user/login/sign', code)
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ uuid: company.email, type: 'management' })
    expect(await http.ask('user/login/sign', code)).toMatchObject(wrong)
    expect(await http.ask('user/login/sign', { ...code, token })).toMatchObject(wrong)
    expect(await codeOf(token)).toBe(0)
  })

  test('gets a code on the employee side too', async () => {
    const { token, redirect, company_id } = await http.call('personal/login', {
      ...{ code: company.company_num, workno: '1', password: strongPassword, redirect: 1 },
    })
    expect(redirect).toBe(1)
    const signed = await http.call('user/login/sign', { token, company_id })
    expect(await http.call('auth/get', {}, signed)).toMatchObject({ type: 'user' })
  })

  test('may use the code for a minute, and only for its company', async () => {
    const code = await getCode()
    const key = signCodeKey(hashSecret(code.token))
    const stored = await world.look(key)
    expect(Math.abs((stored?.expiresAt ?? 0) - Date.now() / 1000 - signCodeSeconds)).toBeLessThan(10)
    expect(JSON.stringify(stored)).not.toContain(code.token)
    expect(await http.ask('user/login/sign', { ...code, company_id: 'a'.repeat(16) })).toMatchObject(wrong)
    expect(await http.ask('user/login/sign', { ...code, token: newSecret() })).toMatchObject(wrong)
    await world.set(key, { expiresAt: Math.floor(Date.now() / 1000) - 1 })
    expect(await http.ask('user/login/sign', code)).toMatchObject(wrong)
  })

  test('gets only one token when it uses a code several times at once', { tags: 'long' }, async () => {
    const code = await getCode()
    const answers = await Promise.all(Array.from({ length: 10 }, () => http.ask('user/login/sign', code)))
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 60012)).toHaveLength(9)
  })

  test('gets no token after the password changed or the employee was disabled', async () => {
    const person = {
      first_name: 'Rea',
      last_name: 'R',
      workno: '81',
      department: company.department,
      password: strongPassword,
    }
    const { id } = await http.call('employee/add', person, { token: company.token })
    const getEmployeeCode = async () => {
      const { token, company_id } = await http.call('personal/login', {
        ...{ code: company.company_num, workno: '81', password: strongPassword, redirect: 1 },
      })
      return { token, company_id }
    }
    const first = await getEmployeeCode()
    await http.call('employee/update', { ...person, id, version: 1 }, { token: company.token })
    expect(await http.ask('user/login/sign', first)).toMatchObject(wrong)
    const second = await getEmployeeCode()
    const { password: _, ...form } = person
    await http.call('employee/update', { ...form, id, version: 2, role: 0 }, { token: company.token })
    const answer = await http.ask('user/login/sign', second)
    expect(answer.code === 0 ? await codeOf(answer.data.token) : 502).toBe(502)
  })
})

test('the server renews a password hash with old parameters at sign-in, and sessions continue', {
  tags: 'long',
}, async () => {
  const { email, token } = await register(http)
  const { account } = (await world.look({ pk: `MAIL#${hashSecret(email)}`, sk: '-' })) as { account: string }
  const salt = Buffer.alloc(16, 7)
  const options = { message: strongPassword, nonce: salt, parallelism: 1, tagLength: 32, memory: 12288, passes: 3 }
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const oldHash = `$argon2id$v=19$m=12288,t=3,p=1$${encode(salt)}$${encode(argon2Sync('argon2id', options))}`
  await world.set(accountKey(account), { passwordHash: oldHash })
  expect(await http.ask('user/login', { email, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
  expect(await world.look(accountKey(account))).toMatchObject({ passwordHash: oldHash })
  for (let times = 0; times < 2; times++) await http.call('user/login', { email, password: strongPassword })
  const { passwordHash = '' } = (await world.look(accountKey(account))) ?? {}
  expect(passwordHash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$')).toBe(true)
  expect(await codeOf(token)).toBe(0)
})

describe('a token', () => {
  test('with unknown or altered letters opens nothing', async () => {
    const token = await signIn()
    const other = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
    // The stored hash is no token either.
    for (const altered of [other, token.slice(1), `${token}A`, hashSecret(token), newSecret()]) {
      expect(await codeOf(altered), altered).toBe(101)
      expect(await acceptsSocket(altered), altered).toBe(false)
    }
    expect(await codeOf(token)).toBe(0)
    expect(JSON.stringify(await readSession(token))).not.toContain(token)
  })

  test('of the employee side opens nothing on the management side, and vice versa', async () => {
    const management = await signIn()
    const employee = (
      await http.call('personal/login', { code: company.company_num, workno: '1', password: strongPassword })
    ).token
    expect(await http.ask('employee/grid', {}, { token: management })).toMatchObject({ code: 0 })
    expect(await http.ask('employee/grid', {}, { token: employee })).toMatchObject({ code: 60005 })
    expect(await http.ask('company/list', {}, { token: employee })).toMatchObject({ code: 60005 })
    expect(await http.ask('user/login/switch', {}, { token: management })).toMatchObject({ code: 60005 })
    expect(await http.ask('user/login/switch', {}, { token: employee })).toMatchObject({ code: 0 })
  })
})
