import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret, newSecret } from '../../functions/kit/token.ts'
import { accountKey } from '../../shared/account.ts'
import { absoluteMinutes, employeeSessionKey, idleMinutes, type Session, sessionKey } from '../../shared/session.ts'
import { type Client, client, type Registered, register, strongPassword } from '../client.ts'
import { openSocket } from '../socket.ts'
import { type StackWithTable, startStackWithTable } from '../table.ts'

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
    const other = await register(http, { company_name: 'Second & Sons' })
    const first = await signIn()
    const { account } = await look(first)
    // Nobody can be invited to a second company yet, so the person belongs to one behind the functions' back.
    const memberships = [
      { company: mine.company, employee: mine.owner },
      { company: other.company, employee: other.owner },
    ]
    await world.set(accountKey(account), { memberships })
    const startedAt = new Date(Date.now() - 6 * 24 * 60 * minute).toISOString()
    const bounds = { startedAt, ...inMinutes(60) }
    await set(first, bounds)

    const goOn: ((token: string) => Promise<{ token: string }>)[] = [
      token => http.call('personal/login/switch', {}, { token }),
      token => http.call('user/login/switch', {}, { token }),
      token => http.call('company/select', { id: other.company }, { token }),
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
    const email = `ada-${workno}-${Date.now()}@example.com`
    const form = { first_name: 'Ada', last_name: 'A', workno, department: mine.department, email, role: 1 }
    const { id } = await http.call('employee/add', { ...form, password }, { token: mine.token })
    let version = 1
    return {
      id,
      signIn: async () => (await http.call('user/login', { email, password })).token,
      change: async (changes: { role?: number; password?: string }) =>
        http.call('employee/update', { id, version: version++, ...form, ...changes }, { token: mine.token }),
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
