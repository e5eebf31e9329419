import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { apiKeyKey, apiKeyPointerKey, callsPerMinute, mostApiKeys } from '../../shared/apikey.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { type Client, client, eventually, type Registered, register, strongPassword } from '../kit/client.ts'
import { importSheet, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// The calls of a program with an API key. `scope.test.ts` calls all paths with each kind of key.

let world: StackWithTable
let http: Client
let boss: Registered

beforeAll(async () => {
  world = await startStackWithTable({}, { harsh: true })
  http = client(world.stack.address)
  boss = await register(http)
})
afterAll(() => world.stop())

type Form = PathCall<'apikey/add'>

const make = async (more: Partial<Form> = {}, by: Registered = boss) => {
  const created = await http.call('apikey/add', { name: 'Payroll', permissions: [...allPermissions], ...more }, by)
  return { ...created, token: created.key }
}
const keyOf = async (id: string) => {
  const { list } = await http.call('apikey/grid', {}, boss)
  return list.find(key => key.id === id)
}
const remove = ({ id }: { id: string }) => http.call('apikey/delete', { id }, boss)

describe('a key', () => {
  test('is shown once and lasts a year by default, two years at most', async () => {
    const { id, key, endsAt } = await make({ permissions: [9, 3, 9] })
    expect(key).toMatch(/^attk_[\w-]{43}$/)
    const listed = await keyOf(id)
    const start = listed?.start ?? ''
    expect(listed).toMatchObject({ name: 'Payroll', permissions: [9, 3], canWrite: false, createdBy: 'Olga Owner' })
    expect(listed).toMatchObject({ endsAt, version: 1 })
    expect(listed).not.toHaveProperty('usedAt')
    expect(key.startsWith(start)).toBe(true)
    expect(start).toHaveLength('attk_'.length + 4)
    const days = (Date.parse(endsAt) - Date.parse(listed?.createdAt ?? '')) / 86_400_000
    expect(days).toBe(365)
    expect(JSON.stringify(await http.call('apikey/grid', {}, boss))).not.toContain(key)
    expect(JSON.stringify(await world.everything())).not.toContain(key)
    const tooLong = await http.ask('apikey/add', { name: 'Long', permissions: [9], days: 731 }, boss)
    expect(tooLong).toMatchObject({ code: 10002, fields: { days: 60002 } })
    await remove({ id })
  })

  test('works as a bearer token or as x-token', async () => {
    const { id, key } = await make({ permissions: [1] })
    const ways: Record<string, string>[] = [
      { 'x-token': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
    ]
    for (const headers of ways)
      expect(await http.ask('department/grid', {}, { headers })).toMatchObject({ code: 0, data: { count: 1 } })
    for (const wrong of [`${key}x`, key.slice(0, -1), 'attk_', key.replace('attk_', '')])
      expect(await http.ask('department/grid', {}, { token: wrong })).toMatchObject({ status: 200, code: 101 })
    expect(await http.call('company/get', {}, { token: key })).toMatchObject({ id: boss.company })
    const used = await keyOf(id)
    expect(Date.now() - Date.parse(used?.usedAt ?? '')).toBeLessThan(3600_000)
    // A call updates `usedAt`, but not the version of the key.
    expect(used?.version).toBe(1)
    await remove({ id })
  })

  test('uses exactly its granted permissions, from the next call on', async () => {
    const { id, token } = await make({ permissions: [1] })
    const add = (name: string) => http.ask('department/add', { name }, { token })
    expect(await add('Refused')).toMatchObject({ code: 60005 })
    expect(await http.ask('employee/grid', {}, { token })).toMatchObject({ code: 60005 })
    const form = { id, name: 'Payroll', canWrite: true }
    expect(await http.call('apikey/update', { ...form, permissions: [1, 3], version: 1 }, boss)).toEqual({ version: 2 })
    expect(await http.ask('apikey/update', { ...form, permissions: [1], version: 1 }, boss)).toMatchObject({
      code: 60006,
    })
    expect(await add('Stores')).toMatchObject({ code: 0 })
    expect(await http.ask('employee/grid', {}, { token })).toMatchObject({ code: 0 })
    await remove({ id })
    expect(await add('Too late')).toMatchObject({ status: 200, code: 101 })
    expect(await http.ask('apikey/delete', { id }, boss)).toMatchObject({ code: 60004, fields: { id: 60004 } })
  })

  test('opens no path of administrators or persons, and no secret', async () => {
    const { id, token } = await make({ canWrite: true })
    const refused = { status: 200, code: 60005 }
    const form = { name: 'More', permissions: [1] }
    expect(await http.ask('apikey/add', form, { token })).toMatchObject(refused)
    expect(await http.ask('auth/get', {}, { token })).toMatchObject(refused)
    expect(await http.ask('user/employee', {}, { token })).toMatchObject(refused)
    expect(await http.ask('audit/grid', {}, { token })).toMatchObject(refused)
    expect(await http.ask('webhooks/get', {}, { token })).toMatchObject(refused)
    expect(
      await http.ask('device/add', { serialNumber: 'KEY-1', name: 'Gate', department: boss.department }, { token }),
    ).toMatchObject(refused)
    // A key cannot grant a role that it does not have.
    const person = { first_name: 'Rae', last_name: 'Raised', workno: '90', department: boss.department }
    expect(await http.ask('employee/add', { ...person, role: 1 }, { token })).toMatchObject({ code: 60005 })
    // A key cannot set a password and then sign in with it.
    const own = { code: 60005, fields: { password: 60005 } }
    expect(await http.ask('employee/add', { ...person, password: strongPassword }, { token })).toMatchObject(own)
    const raised = { ...person, ...(await http.call('employee/add', person, { token })), version: 1 }
    expect(await http.ask('employee/update', { ...raised, password: strongPassword }, { token })).toMatchObject(own)
    await remove({ id })
  })

  test('reaches its departments without their sub-departments, and nothing after their deletion', async () => {
    const { id: stores } = await http.call('department/add', { name: 'Reached' }, boss)
    const { id: below } = await http.call('department/add', { name: 'Below', parent: stores }, boss)
    const person = { first_name: 'Ada', last_name: 'Byron', department: stores }
    const { id: ada } = await http.call('employee/add', { ...person, workno: '81' }, boss)
    const { id: bob } = await http.call('employee/add', { ...person, workno: '82', department: below }, boss)
    const { id, token } = await make({ permissions: [3], canWrite: true, departments: [stores, stores] })
    const seen = async () => (await http.call('employee/grid', {}, { token })).list.map(employee => employee.id)
    expect(await seen()).toEqual([ada])
    expect(await http.ask('employee/delete', { id: bob }, { token })).toMatchObject({ code: 60004 })
    expect(await keyOf(id)).toMatchObject({ departments: [stores] })
    const gone = await http.ask(
      'apikey/add',
      { name: 'K', permissions: [3], departments: [stores, 'a'.repeat(16)] },
      boss,
    )
    expect(gone).toMatchObject({ code: 60004, fields: { 'departments.1': 60004 } })
    for (const employee of [ada, bob]) await http.call('employee/delete', { id: employee }, boss)
    for (const department of [below, stores]) await http.call('department/delete', { id: department }, boss)
    expect(await keyOf(id)).toMatchObject({ departments: [] })
    expect(await seen()).toEqual([])
    await remove({ id })
  })

  test('gets no upload form if it is read-only', async () => {
    const reader = await make({ permissions: [3] })
    const writer = await make({ permissions: [3], canWrite: true })
    const upload = (key: typeof reader) => http.ask('task/upload', { type: 'csv' }, key)
    expect(await upload(reader)).toMatchObject({ code: 60005 })
    expect(await upload(writer)).toMatchObject({ code: 0 })
    const photo = { id: boss.owner, type: 'image/jpeg' as const }
    expect(await http.ask('employee/photo', photo, reader)).toMatchObject({ code: 60005 })
    await remove(reader)
    await remove(writer)
  })

  test('keeps working after its author loses administrator rights, and the list shows that', async () => {
    const email = `second-${randomUUID()}@example.com`
    const person = { first_name: 'Sam', last_name: 'Second', workno: '84', department: boss.department, email }
    const { id: employee } = await http.call('employee/add', person, boss)
    const key = await make({ permissions: [1] })
    expect(await keyOf(key.id)).toMatchObject({ isMakerGone: false })
    await world.set(apiKeyKey(key.id), { createdBy: employee }, boss.company)
    expect(await keyOf(key.id)).toMatchObject({ isMakerGone: true, createdBy: 'Sam Second' })
    await http.call('employee/delete', { id: employee }, boss)
    expect(await keyOf(key.id)).toMatchObject({ isMakerGone: true, createdBy: 'Sam Second' })
    expect(await http.ask('department/grid', {}, key)).toMatchObject({ code: 0 })
    await remove(key)
  })

  test('reaches no data of another company', async () => {
    const rival = await register(http)
    const { id, token } = await make({ canWrite: true })
    const person = { first_name: 'Ada', last_name: 'Byron', workno: '83', department: rival.department }
    const missing = { code: 60004, fields: { department: 60004 } }
    expect(await http.ask('employee/add', person, { token })).toMatchObject(missing)
    expect(await http.ask('apikey/delete', { id }, rival)).toMatchObject({ code: 60004 })
    expect((await http.call('apikey/grid', {}, rival)).list).toEqual([])
    await remove({ id })
  })

  test('stops working when it expires', async () => {
    const { id, key, token } = await make()
    expect(await http.ask('department/grid', {}, { token })).toMatchObject({ code: 0 })
    await world.set(apiKeyKey(id), { endsAt: new Date(Date.now() - 1000).toISOString() }, boss.company)
    expect(await http.ask('department/grid', {}, { token })).toMatchObject({ status: 200, code: 101 })
    // The list still shows an expired key.
    expect(await keyOf(id)).toMatchObject({ id })
    const hash = createHash('sha256').update(key).digest('base64url')
    expect(await world.look(apiKeyPointerKey(hash))).toMatchObject({ company: boss.company, id })
    await remove({ id })
    expect(await world.look(apiKeyPointerKey(hash))).toBeUndefined()
  })

  test(`may call ${callsPerMinute} times in a minute, regardless of other keys`, async () => {
    const [busy, other] = [await make(), await make()]
    const minute = Math.floor(Date.now() / 60_000)
    for (const window of [minute, minute + 1, minute + 2])
      await world.set({ pk: `RATE#api-key#${busy.id}`, sk: String(window) }, { count: callsPerMinute })
    const refused = await http.ask('department/all', {}, busy)
    expect(refused).toMatchObject({ status: 429, code: 60008, about: { seconds: expect.any(Number) } })
    const response = await fetch(`${http.address}/api/department/all`, {
      ...{ method: 'POST', body: '{}', headers: { 'x-token': busy.token } },
    })
    const seconds = Number(response.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await http.ask('department/all', {}, other)).toMatchObject({ code: 0 })
    await remove(busy)
    await remove(other)
  })

  test('executes a repeated idempotent request once', async () => {
    const { id, token } = await make({ permissions: [1], canWrite: true })
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() }
    const once = () => http.ask('department/add', { name: 'Once' }, { headers })
    const [first, second] = [await once(), await once()]
    expect(first.code).toBe(0)
    expect(second).toEqual(first)
    await remove({ id })
  })

  test(`is limited to ${mostApiKeys} per company`, async () => {
    const rival = await register(http)
    for (let i = 0; i < mostApiKeys; i++) await make({}, rival)
    expect(await http.ask('apikey/add', { name: 'One more', permissions: [1] }, rival)).toMatchObject({
      ...{ code: 60072, fields: { name: 60072 } },
    })
  })
})

describe('the audit log', () => {
  test('names the key, even after its deletion, and its author', async () => {
    const { id, token, key } = await make({ name: 'Shop tills', permissions: [1], canWrite: true })
    const { id: department } = await http.call('department/add', { name: 'Tills' }, { token })
    const task = await importSheet(http, { token }, 'name\nBaskets\n', { path: 'department/import' })
    expect(task).toMatchObject({ state: 'done', rowCount: 1 })
    await remove({ id })
    const entriesOf = async (object: string) => (await http.call('audit/grid', { filters: { object } }, boss)).list
    const [added] = await entriesOf(department)
    expect(added).toMatchObject({ apiKey: id, name: 'Shop tills', path: 'department/add' })
    expect(added).not.toHaveProperty('employee')
    const { list: imports } = await http.call('audit/grid', { filters: { task: task.id } }, boss)
    expect(imports.map(({ apiKey }) => apiKey)).toEqual([id])
    const own = await entriesOf(id)
    expect(own.map(({ employee, changes }) => [employee, changes[0]?.change])).toEqual([
      [boss.owner, 'removed'],
      [boss.owner, 'added'],
    ])
    expect(own[1]?.changes[0]?.fields).toMatchObject({ name: { after: 'Shop tills' }, permissions: { after: [1] } })
    expect(JSON.stringify(own)).not.toContain(key)
    expect(own[1]?.changes[0]?.fields).not.toHaveProperty('hash')
  })

  test('a task of a key runs with the permissions of the key and belongs to it alone', async () => {
    const { id, token } = await make({ permissions: [3], canWrite: true })
    const begun = await http.call('employee/export', { type: 'csv', filters: {} }, { token })
    const finished = await taskEnd(http, { token }, begun)
    expect(await (await fetch(finished.file?.url ?? '')).text()).toContain('Olga')
    expect(await http.ask('task/get', { id: begun.task }, boss)).toMatchObject({ code: 60004 })
    await remove({ id })
  })
})

test('without developer mode, administrators cannot create keys, and existing keys open nothing', async () => {
  const stack = await startStack({ environment: { DEVELOPER_MODE: 'off' } })
  try {
    const there = client(stack.address)
    const owner = await register(there)
    expect(await there.ask('apikey/grid', {}, owner)).toMatchObject({ code: 60005 })
    expect(await there.ask('apikey/add', { name: 'Key', permissions: [1] }, owner)).toMatchObject({ code: 60005 })
    const filters = { webhook: 'w'.repeat(16) }
    expect(await there.ask('webhooks/log/grid', { filters }, owner)).toMatchObject({ code: 60005 })
    expect(await there.ask('department/all', {}, { token: `attk_${'a'.repeat(43)}` })).toMatchObject({ code: 60005 })
  } finally {
    await stack.stop()
  }
})

describe('records since a cursor', () => {
  const day = addDays(localDay('Europe/Athens', Date.now()), -1)
  type Answer = PathOutput<'record/since'>

  /** A terminal in a department; `punch` sends records. */
  const terminalOf = async (department: string) => {
    const serialNumber = `SINCE-${randomUUID().slice(0, 18)}`.toUpperCase()
    const { serverPath } = await http.call('device/add', { serialNumber, name: 'Gate', department }, boss)
    const socket = await openSocket(http.address, { path: serverPath })
    socket.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
    expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
    return {
      serialNumber,
      close: () => socket.close(),
      async punch(punches: [number: number, time: string][]) {
        const record = punches.map(([enrollid, time]) => ({ enrollid, time, mode: 8, inout: 0, event: 0 }))
        socket.say({ cmd: 'sendlog', count: record.length, logindex: 1, record })
        expect(await socket.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
      },
    }
  }

  /** Reads from a cursor until the server reports no more. */
  const readOn = async (token: string, size: number, from?: string) => {
    const list: Answer['list'] = []
    let cursor = from
    for (;;) {
      const part: Answer = await http.call('record/since', { size, ...(cursor && { cursor }) }, { token })
      expect(part.list.length).toBeLessThanOrEqual(size)
      list.push(...part.list)
      cursor = part.cursor
      if (!part.isMore) return { list, cursor }
    }
  }

  test('each arrive once, in the order of storage, despite concurrent and late deliveries', {
    timeout: 240_000,
  }, async () => {
    const first = 100_000 + Math.floor(Math.random() * 1_000_000)
    const wandasNumber = String(first)
    const watched = `Watched ${randomUUID()}`
    const { id: department } = await http.call('department/add', { name: watched }, boss)
    const person = { first_name: 'Wanda', last_name: 'Watched', workno: wandasNumber, department }
    await http.call('employee/add', person, boss)
    const [all, some] = [await make({ permissions: [9] }), await make({ permissions: [9], departments: [department] })]
    const terminals = await Promise.all(Array.from({ length: 4 }, () => terminalOf(department)))
    const frames = 12
    const perFrame = 8
    const sent = new Set<string>()
    let isSending = true
    /** Sends frame after frame from one terminal. Later frames carry earlier days. */
    const send = async ({ serialNumber, punch }: (typeof terminals)[number]) => {
      for (let frame = 0; frame < frames; frame++) {
        const on = addDays(day, -frame)
        const punches = Array.from({ length: perFrame }, (_, i): [number, string] => [first + i, `${on} 08:0${i}:00`])
        await punch(punches)
        for (const [number, time] of punches) sent.add(`${number} ${time.replace(' ', 'T')} ${serialNumber}`)
      }
    }
    const nameOf = ({ workno, checktime, device }: Answer['list'][number]) =>
      `${workno} ${checktime.slice(0, 19)} ${device.serial_number}`

    const heard: Answer['list'] = []
    let cursor: string | undefined
    const follow = async () => {
      const next = await readOn(all.token, 7, cursor)
      heard.push(...next.list)
      cursor = next.cursor
    }
    const sending = Promise.all(terminals.map(send)).finally(() => {
      isSending = false
    })
    // A key may make ten calls a second.
    while (isSending) {
      await follow()
      await wait(250)
    }
    await sending
    expect(sent.size).toBe(terminals.length * frames * perFrame)
    await eventually(
      async () => {
        await wait(250)
        await follow()
        return heard.length
      },
      count => expect(count).toBeGreaterThanOrEqual(sent.size),
      150,
    )
    await follow()
    expect(heard.map(nameOf).toSorted()).toEqual([...sent].toSorted())
    const stored = heard.map(({ storedAt }) => storedAt)
    expect(stored).toEqual(stored.toSorted())
    expect(new Set(heard.map(({ uuid }) => uuid)).size).toBe(sent.size)
    // Reading again from the start, in other pages, gives the same list.
    expect((await readOn(all.token, 200)).list).toEqual(heard)
    // At the end the list is empty, and the cursor stays valid.
    expect(await readOn(all.token, 7, cursor)).toMatchObject({ list: [] })

    const wandas = heard.filter(({ workno }) => workno === wandasNumber)
    const expected = { ...{ workno: wandasNumber, first_name: 'Wanda', last_name: 'Watched' }, department: watched }
    expect(wandas.map(({ employee }) => employee)).toEqual(wandas.map(() => expected))
    expect(wandas).toHaveLength(terminals.length * frames)
    // A record without an employee is visible only to a key for the whole company.
    expect(heard.find(({ workno }) => workno === String(first + 1))).not.toHaveProperty('employee')
    expect((await readOn(some.token, 50)).list).toEqual(wandas)

    for (const { close } of terminals) close()
    const rival = await register(http)
    const refused = { code: 10002, fields: { cursor: 10002 } }
    for (const wrong of [cursor ?? '', 'AAAA', ''])
      expect(await http.ask('record/since', { cursor: wrong }, rival)).toMatchObject(refused)
    expect((await http.call('record/since', {}, rival)).list).toEqual([])
    await remove(all)
    await remove(some)
  })
})
