import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Path, PathCall } from '../../shared/api.ts'
import type { Key } from '../../shared/table.ts'
import { client, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { paths, sampleInput } from '../kit/sample.ts'
import { openTable } from '../kit/table.ts'

// A write repeated with its `Idempotency-Key` happens once and returns the first answer.

const world = openTable(inject('endpoint'))
const http = client(inject('address'))
let olga: Registered

beforeAll(async () => {
  olga = await register(http)
})
afterAll(() => world.close())

const ask = <P extends Path>(key: string, path: P, input: PathCall<P>, token = olga.token) =>
  http.ask(path, input, { token, headers: { 'idempotency-key': key } })
/** The key of the stored record of a request. */
const recordKey = (key: string): Key<{ state: string; startedAt: string; expiresAt: number }> => ({
  pk: `IDEMPOTENCY#${olga.owner}`,
  sk: key,
})
const setKey = (key: string, changes: Partial<{ state: string; startedAt: string; expiresAt: number }>) =>
  world.set(recordKey(key), changes, olga.company)
const departmentsCalled = async (search: string) =>
  (await http.call('department/grid', { filters: { search } }, { token: olga.token })).list
const person = (workno: string) => ({ first_name: 'Kim', last_name: 'K', workno, department: olga.department })

test('the same key and body return the first answer without a second effect', async () => {
  const key = randomUUID()
  const first = await ask(key, 'department/add', { name: 'Once only' })
  expect(first).toMatchObject({ code: 0 })
  expect(await ask(key, 'department/add', { name: 'Once only' })).toEqual(first)
  const [stored, ...more] = await departmentsCalled('Once only')
  expect(more).toEqual([])
  // A repeated request returns the first answer even after the deletion of the created department.
  await http.call('department/delete', { id: stored?.id ?? '' }, { token: olga.token })
  expect(await ask(key, 'department/add', { name: 'Once only' })).toEqual(first)
  expect(await departmentsCalled('Once only')).toEqual([])
})

test('the same key with another body or path is refused', async () => {
  const key = randomUUID()
  await ask(key, 'department/add', { name: 'Body' })
  const refused = { status: 200, code: 60007, fields: { 'Idempotency-Key': 60007 } }
  expect(await ask(key, 'department/add', { name: 'Another body' })).toMatchObject(refused)
  expect(await ask(key, 'department/delete', { id: olga.department })).toMatchObject(refused)
  expect(await departmentsCalled('Another body')).toEqual([])
})

test('a key belongs to the person who used it', async () => {
  const key = randomUUID()
  const { token } = await invite(http, olga, { ...person('41'), role: 1 })
  expect(await ask(key, 'department/add', { name: 'Mine' })).toMatchObject({ code: 0 })
  expect(await ask(key, 'department/add', { name: 'Hers' }, token)).toMatchObject({ code: 0 })
})

test('one of many concurrent requests with the same key runs, and the other requests get “still running”', async () => {
  const key = randomUUID()
  // Hashing a password takes a while, so the first request still runs when the next requests arrive.
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
  const { list } = await http.call('employee/grid', { filters: { search: '51' } }, { token: olga.token })
  // A random e-mail address may contain these digits too.
  expect(list.filter(({ workno }) => workno === '51').map(found => found.id)).toEqual([id])
})

test('a refusal is repeated even after its cause is gone', async () => {
  const signed = { token: olga.token }
  const { id } = await http.call('department/add', { name: 'Taken' }, signed)
  const key = randomUUID()
  const refused = await ask(key, 'department/add', { name: 'taken' })
  expect(refused).toMatchObject({ code: 59002, fields: { name: 59002 } })
  await http.call('department/delete', { id }, signed)
  expect(await ask(key, 'department/add', { name: 'taken' })).toEqual(refused)
  expect(await departmentsCalled('taken')).toEqual([])
  expect(await ask(randomUUID(), 'department/add', { name: 'taken' })).toMatchObject({ code: 0 })
})

test('an invalid key is refused on every writing path before any write', { tags: 'long' }, async () => {
  const { token, company, department, owner: employee } = olga
  const refused = { status: 200, code: 20001, fields: { 'Idempotency-Key': 20001 } }
  const again = await http.call('user/login', { email: olga.email, password: strongPassword })
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

test('an unanswered request does not run again within a day: it is reported as running, then as lost', async () => {
  const key = randomUUID()
  const first = await ask(key, 'department/add', { name: 'Cut off' })
  expect(first).toMatchObject({ code: 0 })
  const { id } = first.data
  await http.call('department/delete', { id }, { token: olga.token })
  // Plants the state after a process has died between the start of the request and its answer.
  const startedAgo = (seconds: number) =>
    setKey(key, { state: 'running', startedAt: new Date(Date.now() - seconds * 1000).toISOString() })
  await startedAgo(5)
  expect(await ask(key, 'department/add', { name: 'Cut off' })).toMatchObject({ code: 60018 })
  await startedAgo(3600)
  expect(await ask(key, 'department/add', { name: 'Cut off' })).toMatchObject({ code: 60017 })
  expect(await departmentsCalled('Cut off')).toEqual([])
})

test('a key expires after a day', async () => {
  const key = randomUUID()
  await ask(key, 'department/add', { name: 'Yesterday' })
  const now = Math.floor(Date.now() / 1000)
  const { expiresAt = 0 } = (await world.look(recordKey(key), olga.company)) ?? {}
  expect(Math.abs(expiresAt - now - 24 * 3600)).toBeLessThan(60)
  await setKey(key, { expiresAt: now - 1 })
  expect(await ask(key, 'department/add', { name: 'Today' })).toMatchObject({ code: 0 })
})

test('the stored record of a request reveals no password', async () => {
  const key = randomUUID()
  const form = { ...person('61'), password: strongPassword }
  await ask(key, 'employee/add', form)
  const item = JSON.stringify(await world.look(recordKey(key), olga.company))
  expect(item).not.toContain(strongPassword)
  const body = `employee/add\n${JSON.stringify(form)}`
  for (const encoding of ['base64url', 'base64', 'hex'] as const)
    expect(item).not.toContain(createHash('sha256').update(body).digest(encoding))
})

test('an answer with a secret is not stored, and a repeated key creates no second secret', async () => {
  const [adding, renewing] = [randomUUID(), randomUUID()]
  const serialNumber = `IDEM${Date.now()}`
  const form = { serialNumber, name: 'Gate', department: olga.department }
  const version = async () => (await http.call('device/get', { serialNumber }, { token: olga.token })).version
  const { data } = await ask(adding, 'device/add', form)
  expect(await ask(adding, 'device/add', form)).toMatchObject({ code: 60017 })
  const { data: renewed } = await ask(renewing, 'device/secret', { serialNumber })
  expect(renewed.serverPath).not.toBe(data.serverPath)
  const before = await version()
  expect(await ask(renewing, 'device/secret', { serialNumber })).toMatchObject({ code: 60017 })
  expect(await version()).toBe(before)
})

test('setting the cloud password stores its answer, because the answer holds no secret', async () => {
  const key = randomUUID()
  const first = await ask(key, 'company/password', { comm_pwd: '471100' })
  expect(first).toMatchObject({ code: 0 })
  expect(await ask(key, 'company/password', { comm_pwd: '471100' })).toEqual(first)
  expect(await ask(key, 'company/password', { comm_pwd: '471101' })).toMatchObject({ code: 60007 })
})
