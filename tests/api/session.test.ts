import { argon2Sync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  type Client,
  client,
  invite,
  mailedInvitation,
  mailTo,
  type Registered,
  register,
  strongPassword,
} from '../kit/client.ts'
import { openSocket } from '../kit/socket.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// How long a session lasts, and that one that has ended stays ended. Hours pass by writing them into the table.

const minute = 60_000
let world: StackWithTable
let http: Client
let mine: Registered

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  mine = await register(http)
})
afterAll(() => world.stop())

const signIn = async () => (await http.call('user/login', { email: mine.email, password: strongPassword })).token
const look = async (token: string): Promise<Session> => {
  const session = await world.look(sessionKey(hashSecret(token)))
  if (!session) throw new Error('No such session')
  return session
}
const set = (token: string, changes: Partial<Session>) => world.set(sessionKey(hashSecret(token)), changes)
const seenAgo = (minutes: number) => ({ seenAt: new Date(Date.now() - minutes * minute).toISOString() })
const inMinutes = (minutes: number) => ({ expiresAt: Math.floor((Date.now() + minutes * minute) / 1000) })
const codeOf = async (token: string) => (await http.ask('auth/get', {}, { token })).code
/** Whether a browser's socket is let in. */
const isLetIn = async (token: string) => {
  const socket = await openSocket(http.address)
  socket.say({ cmd: 'home.login', token })
  const { result } = await socket.hear({ ret: 'home.login' })
  socket.close()
  return result
}

describe('a session', () => {
  test('lasts 12 hours from the last call, and a call renews them', async () => {
    const token = await signIn()
    await set(token, seenAgo(idleMinutes - 1))
    expect(await codeOf(token)).toBe(0)
    expect(Date.now() - Date.parse((await look(token)).seenAt)).toBeLessThan(minute)
    await set(token, seenAgo(idleMinutes + 1))
    expect(await codeOf(token)).toBe(101)
    expect(await isLetIn(token)).toBe(false)
    expect(await codeOf(token), 'a refused call must not renew it').toBe(101)
  })

  test('lasts seven days in all, however often it is used, and ends by the clock while its item still exists', async () => {
    const token = await signIn()
    const { startedAt, expiresAt } = await look(token)
    expect(expiresAt).toBe(Math.floor(Date.parse(startedAt) / 1000) + absoluteMinutes * 60)
    await set(token, { ...seenAgo(6), ...inMinutes(1) })
    expect(await codeOf(token)).toBe(0)
    expect((await look(token)).expiresAt, 'a call must not prolong it').toBeLessThan(Date.now() / 1000 + 61)
    await set(token, inMinutes(-1))
    expect(await codeOf(token)).toBe(101)
    expect(await isLetIn(token)).toBe(false)
    expect(await look(token)).toBeDefined()
  })

  test('keeps the time of the first sign-in when the side or the company is changed', async () => {
    const first = await signIn()
    const startedAt = new Date(Date.now() - 6 * 24 * 60 * minute).toISOString()
    const bounds = { startedAt, ...inMinutes(60) }
    await set(first, bounds)

    const goOn: ((token: string) => Promise<{ token: string }>)[] = [
      token => http.call('personal/login/switch', {}, { token }),
      token => http.call('user/login/switch', {}, { token }),
      token => http.call('company/add', { company_name: 'Second & Sons', timezone: 'Asia/Tokyo' }, { token }),
      token => http.call('company/select', { id: mine.company }, { token }),
    ]
    let token = first
    for (const step of goOn) {
      const before = token
      token = (await step(before)).token
      expect(await look(token)).toMatchObject(bounds)
      expect(await codeOf(token)).toBe(0)
      expect(await codeOf(before), 'the old token ends').toBe(502)
    }
    await set(token, inMinutes(-1))
    expect(await codeOf(token)).toBe(101)
  })
})

describe('a session that was ended', () => {
  const password = strongPassword
  /** Another administrator, whose sessions the owner ends. */
  const addAda = async (workno: string) => {
    const form = { first_name: 'Ada', last_name: 'A', workno, department: mine.department, role: 1 }
    const { id, email } = await invite(http, { token: mine.token }, form)
    return {
      id,
      signIn: async () => (await http.call('user/login', { email, password })).token,
      change: async (changes: { role?: number; password?: string }) => {
        const { list } = await http.call('employee/grid', { filters: { search: workno } }, { token: mine.token })
        const version = list.find(found => found.id === id)?.version ?? 0
        await http.call('employee/update', { id, version, ...form, email, ...changes }, { token: mine.token })
      },
    }
  }

  test('stays ended although other calls write down at the same moment that it was seen', async () => {
    const ada = await addAda('2')
    const given = await look(await ada.signIn())
    for (let round = 0; round < 6; round++) {
      // As if signed in, without the work of checking a password: this is about what comes after.
      const tokens = Array.from({ length: 8 }, () => newSecret())
      for (const token of tokens) {
        const tokenHash = hashSecret(token)
        await set(token, given)
        await world.set(employeeSessionKey(ada.id, tokenHash), { tokenHash, expiresAt: given.expiresAt }, mine.company)
      }
      let isOver = false
      const going = tokens.map(async token => {
        while (!isOver) {
          await set(token, seenAgo(6))
          await codeOf(token)
        }
      })
      await ada.change({ role: 0 })
      isOver = true
      await Promise.all(going)
      await ada.change({ role: 1 })
      expect(new Set(await Promise.all(tokens.map(codeOf))), `round ${round}`).toEqual(new Set([502]))
      // By itself, and not only because of when it began.
      for (const token of tokens) expect((await look(token)).endedAt, `round ${round}`).toBeDefined()
    }
  })

  test('by a new password has ended under every token it was continued with meanwhile', async () => {
    const ada = await addAda('3')
    for (let round = 0; round < 5; round++) {
      const tokens = await Promise.all(Array.from({ length: 4 }, ada.signIn))
      let isOver = false
      const goOn = async (token: string): Promise<string> => {
        const answer = await http.ask('company/select', { id: mine.company }, { token })
        if (answer.code !== 0) return token
        return isOver ? answer.data.token : goOn(answer.data.token)
      }
      const going = tokens.map(goOn)
      await ada.change({ password })
      isOver = true
      for (const token of [...tokens, ...(await Promise.all(going))])
        expect(await codeOf(token), `round ${round}`).toBe(502)
    }
  })
})

test('an open socket hears nothing more of a session that is over though nobody ended it', async () => {
  const form = { first_name: 'Ida', last_name: 'I', workno: '70', department: mine.department, role: 1 }
  const { id, token } = await invite(http, { token: mine.token }, form)
  const listen = async () => {
    const socket = await openSocket(http.address)
    socket.say({ cmd: 'home.login', token })
    expect(await socket.hear({ ret: 'home.login' })).toMatchObject({ result: true })
    return socket
  }
  const [asking, silent] = [await listen(), await listen()]
  asking.say({ cmd: 'home.ping' })
  expect(await asking.hear({ ret: 'home.ping' })).toMatchObject({ result: true })
  // What was changed before may still be told: it is waited for until nothing comes any more.
  for (let known = -1; known !== silent.unheard.length; await wait(500)) known = silent.unheard.length
  await world.set(employeeKey(id), { sessionsSince: new Date().toISOString() }, mine.company)
  const known = silent.unheard.length
  asking.say({ cmd: 'home.ping' })
  expect(await asking.hear({ ret: 'home.ping' })).toMatchObject({ result: false })
  await asking.closed
  const own = await openSocket(http.address)
  own.say({ cmd: 'home.login', token: mine.token })
  await own.hear({ ret: 'home.login', result: true })
  await http.call('department/add', { name: 'Heard of' }, { token: mine.token })
  expect(JSON.stringify((await own.hear({})).refresh)).toContain('department/')
  await silent.closed
  expect(silent.unheard.slice(known)).toEqual([])
  own.close()
})

describe('a session from before a change of what one signs in with', () => {
  /** As if it had been missed when sessions were ended: it moved at that moment, or ending them was interrupted. */
  const miss = async (token: string) => {
    const { endedAt: _, version: __, ...missed } = (await look(token)) as Session & { version: number }
    const copy = newSecret()
    await set(copy, missed)
    return copy
  }
  const refused = async (token: string, told: string) => {
    const copy = await miss(token)
    expect(await codeOf(copy), told).toBe(502)
    expect(await isLetIn(copy), told).toBe(false)
  }

  test('is over in every company though nobody ended it; the one of the change goes on under other tokens', async () => {
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
      const here = await signInAgain()
      const elsewhere = await http.call(
        'company/add',
        { company_name: 'Beside', timezone: 'Asia/Tokyo' },
        { token: await signInAgain() },
      )
      expect(await codeOf(await miss(here)), 'before').toBe(0)
      address = await change(address)
      await refused(here, 'here')
      await refused(elsewhere.token, 'elsewhere')
      own = (await http.call('company/select', { id: elsewhere.company_id }, { token: own })).token
      expect(await codeOf(own)).toBe(0)
      own = (await http.call('company/select', { id: company }, { token: own })).token
      expect(await codeOf(own)).toBe(0)
    }
    const code = await askCode(http, 'user/forgot', { email: address })
    const new_password = 'Celery#44'
    await http.call('user/forgot/save', { email: address, ...code, new_password, confirm_password: new_password })
    await refused(own, 'forgotten')
    const { token: now } = await http.call('user/login', { email: address, password: new_password })
    expect(await codeOf(now)).toBe(0)
  })

  test('is over where a company gives another password, and where the person brings their own', async () => {
    const email = `jo-${Date.now()}@example.com`
    const person = { first_name: 'Jo', last_name: 'J', workno: '62', department: mine.department, email }
    const { id } = await http.call('employee/add', { ...person, password: strongPassword }, { token: mine.token })
    const come = async (password: string) =>
      (await http.call('personal/login', { code: mine.company_num, workno: '62', password })).token
    const first = await come(strongPassword)
    const form = { ...person, id, version: 1, password: 'Saffron#43' }
    await http.call('employee/update', form, { token: mine.token })
    await refused(first, 'given')
    const second = await come('Saffron#43')
    await http.call('employee/send_qrcode', { ids: [id] }, { token: mine.token })
    const joined = await http.call('user/invite/join', {
      token: await mailedInvitation(http.address, email),
      ...{ account: 'new', password: strongPassword, confirm_password: strongPassword, terms: true },
    })
    await refused(second, 'joined')
    expect(await codeOf(joined.token ?? '')).toBe(0)
  })
})

describe('sessions end at once', () => {
  const password = strongPassword
  const isEnded = async (token: string) => {
    expect(await codeOf(token)).toBe(502)
    expect(await isLetIn(token)).toBe(false)
  }
  /** Somebody who is signed in on either side, and in a company of their own besides. */
  const manyTimes = async () => {
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

  test('with a new password, but for the one it was changed by', async () => {
    const { email, token, others } = await manyTimes()
    const change = { password, new_password: 'Saffron#43', confirm_password: 'Saffron#43' }
    await http.call('user/password/update', change, { token })
    for (const other of others) await isEnded(other)
    expect(await codeOf(token)).toBe(0)
    expect(await mailTo(http.address, email)).toContain('Your sign-in password was changed')
    const { passwordSetAt = '' } = await http.call('user/employee', {}, { token })
    expect(Date.now() - Date.parse(passwordSetAt)).toBeLessThan(minute)
  })

  test('with another address, but for the one it was changed by; the old address signs in no more, and is told', async () => {
    const { email, token, others } = await manyTimes()
    const moved = `moved-${Date.now()}@example.com`
    const code = await askCode(http, 'user/email/code', { email: moved }, { token })
    const ask = (changes: object) =>
      http.ask('user/email/update', { email: moved, ...code, password, ...changes }, { token })
    expect(await ask({ password: 'Wrong#1' })).toMatchObject({ code: 21014 })
    expect(await ask({ email: `other-${moved}` })).toMatchObject({ code: 60012, fields: { code: 60012 } })
    for (const other of others) expect(await codeOf(other)).toBe(0)
    expect(await ask({})).toMatchObject({ code: 0 })
    for (const other of others) await isEnded(other)
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ uuid: moved })
    expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21014 })
    await http.call('user/login', { email: moved, password })
    expect(await mailTo(http.address, email)).toContain('This address is no longer your sign-in e-mail')
    // The old address is free for somebody else.
    expect(await http.ask('user/register/code', { email })).toMatchObject({ code: 0 })
  })

  test('of a person who is disabled, has left or is deleted', async () => {
    const person = { first_name: 'Lea', last_name: 'L', workno: '71', department: mine.department }
    const { id, email } = await invite(http, { token: mine.token }, person)
    const login = async () =>
      (await http.call('personal/login', { code: mine.company_num, workno: '71', password })).token
    const change = async (changes: object) => {
      const { list } = await http.call('employee/grid', { filters: { search: '71' } }, { token: mine.token })
      const version = list.find(found => found.id === id)?.version ?? 0
      await http.call('employee/update', { id, version, ...person, email, ...changes }, { token: mine.token })
    }
    const refused = async () =>
      (await http.ask('personal/login', { code: mine.company_num, workno: '71', password })).code
    for (const end of [{ role: 0 }, { endDay: '2020-01-01' }]) {
      const token = await login()
      await change(end)
      await isEnded(token)
      expect(await refused()).toBe(21021)
      await change({})
    }
    const token = await login()
    await http.call('employee/delete', { id }, { token: mine.token })
    await isEnded(token)
    expect(await refused()).toBe(21014)
    expect(await http.ask('user/login', { email, password })).toMatchObject({ code: 21014 })
  })
})

describe('who comes from another address of the product', () => {
  const come = async () => {
    const { token, redirect, company_id } = await http.call('user/login', {
      email: mine.email,
      password: strongPassword,
      redirect: 1,
    })
    expect([redirect, company_id]).toEqual([1, mine.company])
    return { token, company_id }
  }
  const wrong = { status: 200, code: 60012 }

  test('gets a code that is no token, and is swapped for one once', async () => {
    const code = await come()
    expect(await codeOf(code.token)).toBe(101)
    const { token } = await http.call('user/login/sign', code)
    expect(await http.call('auth/get', {}, { token })).toMatchObject({ uuid: mine.email, type: 'management' })
    expect(await http.ask('user/login/sign', code)).toMatchObject(wrong)
    expect(await http.ask('user/login/sign', { ...code, token })).toMatchObject(wrong)
    expect(await codeOf(token)).toBe(0)
  })

  test('gets one on the employee side too', async () => {
    const { token, redirect, company_id } = await http.call('personal/login', {
      ...{ code: mine.company_num, workno: '1', password: strongPassword, redirect: 1 },
    })
    expect(redirect).toBe(1)
    const signed = await http.call('user/login/sign', { token, company_id })
    expect(await http.call('auth/get', {}, signed)).toMatchObject({ type: 'user' })
  })

  test('has a minute, and only for the company it was made for', async () => {
    const code = await come()
    const key = signCodeKey(hashSecret(code.token))
    const stored = await world.look(key)
    expect(Math.abs((stored?.expiresAt ?? 0) - Date.now() / 1000 - signCodeSeconds)).toBeLessThan(10)
    expect(JSON.stringify(stored)).not.toContain(code.token)
    expect(await http.ask('user/login/sign', { ...code, company_id: 'a'.repeat(16) })).toMatchObject(wrong)
    expect(await http.ask('user/login/sign', { ...code, token: newSecret() })).toMatchObject(wrong)
    await world.set(key, { expiresAt: Math.floor(Date.now() / 1000) - 1 })
    expect(await http.ask('user/login/sign', code)).toMatchObject(wrong)
  })

  test('swaps a code that many use at once for one token', async () => {
    const code = await come()
    const answers = await Promise.all(Array.from({ length: 10 }, () => http.ask('user/login/sign', code)))
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 60012)).toHaveLength(9)
  })

  test('has nothing of it where the password was changed, or the person disabled meanwhile', async () => {
    const person = {
      first_name: 'Rea',
      last_name: 'R',
      workno: '81',
      department: mine.department,
      password: strongPassword,
    }
    const { id } = await http.call('employee/add', person, { token: mine.token })
    const arrive = async () => {
      const { token, company_id } = await http.call('personal/login', {
        ...{ code: mine.company_num, workno: '81', password: strongPassword, redirect: 1 },
      })
      return { token, company_id }
    }
    const first = await arrive()
    await http.call('employee/update', { ...person, id, version: 1 }, { token: mine.token })
    expect(await http.ask('user/login/sign', first)).toMatchObject(wrong)
    const second = await arrive()
    const { password: _, ...form } = person
    await http.call('employee/update', { ...form, id, version: 2, role: 0 }, { token: mine.token })
    const answer = await http.ask('user/login/sign', second)
    expect(answer.code === 0 ? await codeOf(answer.data.token) : 502).toBe(502)
  })
})

test('a password that was stored with older parameters is stored anew while it is known, and sessions stand', async () => {
  const { email, token } = await register(http)
  const { account } = (await world.look({ pk: `MAIL#${hashSecret(email)}`, sk: '-' })) as { account: string }
  const salt = Buffer.alloc(16, 7)
  const options = { message: strongPassword, nonce: salt, parallelism: 1, tagLength: 32, memory: 12288, passes: 3 }
  const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const old = `$argon2id$v=19$m=12288,t=3,p=1$${bare(salt)}$${bare(argon2Sync('argon2id', options))}`
  await world.set(accountKey(account), { passwordHash: old })
  expect(await http.ask('user/login', { email, password: 'Wrong#1' })).toMatchObject({ code: 21014 })
  expect(await world.look(accountKey(account))).toMatchObject({ passwordHash: old })
  for (let times = 0; times < 2; times++) await http.call('user/login', { email, password: strongPassword })
  const { passwordHash = '' } = (await world.look(accountKey(account))) ?? {}
  expect(passwordHash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$')).toBe(true)
  expect(await codeOf(token)).toBe(0)
})

describe('a token', () => {
  test('that nobody was given opens nothing', async () => {
    const token = await signIn()
    const other = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
    // What lies in the table is no token either.
    for (const wrong of [other, token.slice(1), `${token}A`, hashSecret(token), newSecret()]) {
      expect(await codeOf(wrong), wrong).toBe(101)
      expect(await isLetIn(wrong), wrong).toBe(false)
    }
    expect(await codeOf(token)).toBe(0)
    expect(JSON.stringify(await look(token))).not.toContain(token)
  })

  test('of one side opens nothing of the other', async () => {
    const management = await signIn()
    const employee = (
      await http.call('personal/login', { code: mine.company_num, workno: '1', password: strongPassword })
    ).token
    expect(await http.ask('employee/grid', {}, { token: management })).toMatchObject({ code: 0 })
    expect(await http.ask('employee/grid', {}, { token: employee })).toMatchObject({ code: 60005 })
    expect(await http.ask('company/list', {}, { token: employee })).toMatchObject({ code: 60005 })
    expect(await http.ask('user/login/switch', {}, { token: management })).toMatchObject({ code: 60005 })
    expect(await http.ask('user/login/switch', {}, { token: employee })).toMatchObject({ code: 0 })
  })
})
