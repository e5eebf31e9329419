import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Path, PathCall } from '../../shared/api.ts'
import type { Key } from '../../shared/table.ts'
import { type Client, client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { paths, sampleInput } from '../kit/sample.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// A write that is sent again with its `Idempotency-Key` happens once and is answered as it was the first time.

let world: StackWithTable
let http: Client
let mine: Registered

beforeAll(async () => {
  world = await startStackWithTable()
  http = client(world.stack.address)
  mine = await register(http)
})
afterAll(() => world.stop())

const ask = <P extends Path>(key: string, path: P, input: PathCall<P>, token = mine.token) =>
  http.ask(path, input, { token, headers: { 'idempotency-key': key } })
/** What is kept of a request. */
const kept = (key: string): Key<{ state: string; startedAt: string; expiresAt: number }> => ({
  pk: `IDEMPOTENCY#${mine.owner}`,
  sk: key,
})
const setKey = (key: string, changes: Partial<{ state: string; startedAt: string; expiresAt: number }>) =>
  world.set(kept(key), changes, mine.company)
const departmentsCalled = async (search: string) =>
  (await http.call('department/grid', { filters: { search } }, { token: mine.token })).list
const person = (workno: string) => ({ first_name: 'Kim', last_name: 'K', workno, department: mine.department })

test('the same key and body get the first answer, and nothing happens a second time', async () => {
  const key = randomUUID()
  const first = await ask(key, 'department/add', { name: 'Once only' })
  expect(first).toMatchObject({ code: 0 })
  expect(await ask(key, 'department/add', { name: 'Once only' })).toEqual(first)
  const [stored, ...more] = await departmentsCalled('Once only')
  expect(more).toEqual([])
  // Even when what was made has gone since.
  await http.call('department/delete', { id: stored?.id ?? '' }, { token: mine.token })
  expect(await ask(key, 'department/add', { name: 'Once only' })).toEqual(first)
  expect(await departmentsCalled('Once only')).toEqual([])
})

test('the same key with another body or on another path is refused', async () => {
  const key = randomUUID()
  await ask(key, 'department/add', { name: 'Body' })
  const refused = { status: 200, code: 60007, fields: { 'Idempotency-Key': 60007 } }
  expect(await ask(key, 'department/add', { name: 'Another body' })).toMatchObject(refused)
  expect(await ask(key, 'department/delete', { id: mine.department })).toMatchObject(refused)
  expect(await departmentsCalled('Another body')).toEqual([])
})

test('a key belongs to the person who used it', async () => {
  const key = randomUUID()
  const { token } = await invite(http, mine, { ...person('41'), role: 1 })
  expect(await ask(key, 'department/add', { name: 'Mine' })).toMatchObject({ code: 0 })
  expect(await ask(key, 'department/add', { name: 'Hers' }, token)).toMatchObject({ code: 0 })
})

test('of many at once with the same key exactly one runs, and the others are told that it still runs', async () => {
  const key = randomUUID()
  // To hash a password takes a while, so the first is still busy with it when the others come.
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ask(key, 'employee/add', { ...person('51'), password: strongPassword })),
  )
  const codes = answers.map(({ code }) => code)
  expect(new Set(codes)).toEqual(new Set([0, 60018]))
  const [id, ...others] = new Set(answers.flatMap(({ code, data }) => (code === 0 ? [data.id] : [])))
  expect(others).toEqual([])
  expect(await ask(key, 'employee/add', { ...person('51'), password: strongPassword })).toMatchObject({
    code: 0,
    data: { id },
  })
  const { list } = await http.call('employee/grid', { filters: { search: '51' } }, { token: mine.token })
  // An e-mail made of chance may hold these digits too.
  expect(list.filter(({ workno }) => workno === '51').map(found => found.id)).toEqual([id])
})

test('a refusal is repeated although its cause has gone, and the write still does not happen', async () => {
  const signed = { token: mine.token }
  const { id } = await http.call('department/add', { name: 'Taken' }, signed)
  const key = randomUUID()
  const refused = await ask(key, 'department/add', { name: 'taken' })
  expect(refused).toMatchObject({ code: 59002, fields: { name: 59002 } })
  await http.call('department/delete', { id }, signed)
  expect(await ask(key, 'department/add', { name: 'taken' })).toEqual(refused)
  expect(await departmentsCalled('taken')).toEqual([])
  expect(await ask(randomUUID(), 'department/add', { name: 'taken' })).toMatchObject({ code: 0 })
})

test('a key that is none is refused on every path that writes, before anything is written', async () => {
  const { token, company, department, owner: employee } = mine
  const refused = { status: 200, code: 20001, fields: { 'Idempotency-Key': 20001 } }
  const again = await http.call('user/login', { email: mine.email, password: strongPassword })
  const own = await http.call('personal/login/switch', {}, again)
  for (const [path, { writes, who }] of paths) {
    const input = JSON.stringify(sampleInput(path, { company, department, employee, serialNumber: 'NONE' }))
    const side = who === 'employee' ? own.token : token
    const headers = { 'x-token': side, 'x-timezone': 'Europe/Athens', 'idempotency-key': 'two words' }
    if (writes) expect(await http.send(path, input, headers), path).toMatchObject(refused)
  }
  const long = 'k'.repeat(256)
  for (const wrong of ['', 'clé', long])
    expect(await ask(wrong, 'department/add', { name: 'Keyless' }), wrong).toMatchObject(refused)
  expect(await departmentsCalled('Keyless')).toEqual([])
  expect(await ask(long.slice(1), 'department/add', { name: 'Longest' })).toMatchObject({ code: 0 })
})

test('a first request that never answered is not run again within the day: still running for a while, lost after it', async () => {
  const key = randomUUID()
  const first = await ask(key, 'department/add', { name: 'Cut off' })
  expect(first).toMatchObject({ code: 0 })
  const { id } = first.data
  await http.call('department/delete', { id }, { token: mine.token })
  // What a process leaves behind that ends between its start and its answer.
  const startedAgo = (seconds: number) =>
    setKey(key, { state: 'running', startedAt: new Date(Date.now() - seconds * 1000).toISOString() })
  await startedAgo(5)
  expect(await ask(key, 'department/add', { name: 'Cut off' })).toMatchObject({ code: 60018 })
  await startedAgo(3600)
  expect(await ask(key, 'department/add', { name: 'Cut off' })).toMatchObject({ code: 60017 })
  expect(await departmentsCalled('Cut off')).toEqual([])
})

test('a key is kept for a day and free afterwards', async () => {
  const key = randomUUID()
  await ask(key, 'department/add', { name: 'Yesterday' })
  const now = Math.floor(Date.now() / 1000)
  const { expiresAt = 0 } = (await world.look(kept(key), mine.company)) ?? {}
  expect(Math.abs(expiresAt - now - 24 * 3600)).toBeLessThan(60)
  await setKey(key, { expiresAt: now - 1 })
  expect(await ask(key, 'department/add', { name: 'Today' })).toMatchObject({ code: 0 })
})

test('no password that was sent can be read or guessed from what is kept of its request', async () => {
  const key = randomUUID()
  const form = { ...person('61'), password: strongPassword }
  await ask(key, 'employee/add', form)
  const item = JSON.stringify(await world.look(kept(key), mine.company))
  expect(item).not.toContain(strongPassword)
  const body = `employee/add\n${JSON.stringify(form)}`
  for (const encoding of ['base64url', 'base64', 'hex'] as const)
    expect(item).not.toContain(createHash('sha256').update(body).digest(encoding))
})

test('an answer that holds a secret is not kept: the repeated key is told so, and makes no second secret', async () => {
  const [adding, renewing] = [randomUUID(), randomUUID()]
  const serialNumber = `IDEM${Date.now()}`
  const form = { serialNumber, name: 'Gate', department: mine.department }
  const version = async () => (await http.call('device/get', { serialNumber }, { token: mine.token })).version
  const { data } = await ask(adding, 'device/add', form)
  expect(await ask(adding, 'device/add', form)).toMatchObject({ code: 60017 })
  const { data: renewed } = await ask(renewing, 'device/secret', { serialNumber })
  expect(renewed.serverPath).not.toBe(data.serverPath)
  const before = await version()
  expect(await ask(renewing, 'device/secret', { serialNumber })).toMatchObject({ code: 60017 })
  expect(await version()).toBe(before)
})

test('the cloud password is set once and the repeated call gets the first answer, for its answer holds no secret', async () => {
  const key = randomUUID()
  const first = await ask(key, 'company/password', { comm_pwd: '471100' })
  expect(first).toMatchObject({ code: 0 })
  expect(await ask(key, 'company/password', { comm_pwd: '471100' })).toEqual(first)
  expect(await ask(key, 'company/password', { comm_pwd: '471101' })).toMatchObject({ code: 60007 })
})
