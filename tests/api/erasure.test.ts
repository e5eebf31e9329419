import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startLink } from '../../infra/local/terminal/link.ts'
import type { Link } from '../../infra/local/terminal/manner.ts'
import { type Memory, openMemory } from '../../infra/local/terminal/memory.ts'
import { type Client, client, eventually, invite, type Registered, register, strongPassword } from '../kit/client.ts'
import { dayIn, eveningZone } from '../kit/evening.ts'
import { chunk, jpeg, pngWith } from '../kit/picture.ts'
import { temporaryFolder } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'
import { upload } from '../kit/upload.ts'

// The data of a person in the table and the files, and what remains after an erasure. Events repeat and arrive in
// any order.

const zone = eveningZone()
const day = dayIn(zone)
const card = '3344556677'
const attendancePassword = '918273'

let world: StackWithTable
let http: Client
let olga: Registered
let signed: { token: string }
let folder: string
let people = 800
const open: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  world = await startStackWithTable({}, { harsh: true })
  http = client(world.stack.address)
  olga = await register(http, { timezone: zone })
  signed = { token: olga.token }
  folder = temporaryFolder()
  const { version, name, retentionMonths } = await http.call('company/get', {}, signed)
  await http.call('company/update', { version, name, retentionMonths, storesTemplates: true }, signed)
})
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})
afterAll(() => world.stop())

/** A terminal that stores its users and replies to commands while it is switched on. */
const addTerminal = async (serialNumber: string) => {
  const { serverPath } = await http.call(
    'device/add',
    { serialNumber, name: `Gate ${serialNumber}`, department: olga.department },
    signed,
  )
  const memory: Memory = openMemory(folder, serialNumber)
  let link: Link | undefined
  const heard: string[] = []
  const address = `${http.address.replace('http', 'ws')}${serverPath}`
  const terminal = {
    memory,
    heard,
    async switchOn() {
      link = startLink(address, { sn: serialNumber }, memory, event => {
        if (event.kind === 'commanded') heard.push(event.command)
      })
      await eventually(
        async () => link?.isRegistered,
        isRegistered => expect(isRegistered).toBe(true),
      )
    },
    async switchOff() {
      await link?.close()
      await eventually(
        () => http.call('device/get', { serialNumber }, signed),
        ({ online }) => expect(online).toBe(false),
      )
    },
    knows: (workno: string) => memory.users.has(Number(workno)),
    learn: (workno: string) =>
      memory.putUser({ enrollid: Number(workno), name: 'Zebrina', admin: 0, enabled: true, records: { 0: 'finger' } }),
    punch(workno: string, time: string) {
      memory.record([{ enrollid: Number(workno), time: `${day} ${time}`, mode: 3, inout: 0, event: 0 }])
      link?.wake()
    },
  }
  open.push(
    () => link?.close(),
    () => memory.close(),
  )
  return terminal
}

/** Adds an employee with every kind of personal data. The names appear nowhere else. */
const addZebrina = async () => {
  const workno = String(people++)
  const marker = `Zebrina${workno}`
  const person = await invite(http, signed, {
    first_name: marker,
    last_name: `${marker}-Quill`,
    workno,
    department: olga.department,
    email: `${marker}@example.com`.toLowerCase(),
    tel: `+30 ${marker}`,
    position: `${marker} maker`,
    hireDay: '2020-01-01',
  })
  const send = async (bytes: Buffer, type: 'image/jpeg' | 'image/png') => {
    const form = await http.call('employee/photo', { id: person.id, type }, signed)
    expect(await upload(form, bytes)).toEqual({ status: 204 })
    return { id: person.id, upload: form.upload }
  }
  await http.call('employee/photo/save', await send(jpeg, 'image/jpeg'), signed)
  const large = pngWith(chunk('IDAT', Buffer.alloc(500_000, marker)))
  await http.call('employee/attendance/face/update', await send(large, 'image/png'), signed)
  await http.call(
    'employee/attendance/update',
    { id: person.id, punchMode: 4, card, password: attendancePassword },
    signed,
  )
  return { ...person, workno, marker }
}

/** Requests half an hour of overtime with notes and a picture. */
const askFor = async ({ token, marker }: { token: string; marker: string }, from: string) => {
  const form = await http.call('personal/request/upload', { type: 'image/jpeg' }, { token })
  expect(await upload(form, jpeg)).toEqual({ status: 204 })
  const attachments = [{ upload: form.upload, name: `${marker}.jpg` }]
  const overtime = { date: day, from, to: from.replace(':30', ':59'), notes: `${marker} stays` }
  const { id } = await http.call('personal/request/overtime/add', { ...overtime, attachments }, { token })
  await http.call('personal/request/comment/add', { id, text: `${marker} says so` }, { token })
}

/** The files with a text in their name or content. */
const filesWith = (part: string) =>
  readdirSync(join(world.stack.data, 'files'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(file => file.includes(part) || readFileSync(file).includes(part))
const itemsWith = async (...parts: string[]) =>
  (await world.everything())
    .map(item => JSON.stringify(item))
    .filter(text => parts.some(part => text.toLowerCase().includes(part.toLowerCase())))

const erase = (id: string) => http.call('employee/erase', { id }, signed)
const taskOf = (id: string) => http.call('task/get', { id }, signed)
const untilTask = (id: string, expected: object) =>
  eventually(
    () => taskOf(id),
    task => expect(task).toMatchObject(expected),
  )

describe('credentials at rest', () => {
  test('are sealed in items and files, and unreadable without their key', async () => {
    const { id, marker, workno } = await addZebrina()
    const items = (await world.everything()).map(item => JSON.stringify(item))
    expect(items.some(text => text.includes(`DATA_KEY#${id}`))).toBe(true)
    for (const secret of [card, attendancePassword, Buffer.from(card).toString('base64'), 'facepicture'])
      expect(
        items.filter(text => text.includes(secret)),
        secret,
      ).toEqual([])
    // The picture is stored as a sealed file.
    expect(filesWith(`template/${id}/`)).toHaveLength(1)
    expect(filesWith(`${marker}${marker}`)).toEqual([])
    // A ciphertext is bound to its employee, so a copy cannot be opened.
    const { id: other } = await http.call(
      'employee/add',
      { first_name: 'Other', last_name: 'O', workno: `${workno}0`, department: olga.department },
      signed,
    )
    const stolen = (await world.everything()).find(
      item => item.pk === `C#${olga.company}#CREDENTIAL#${id}` && item.sk === '-',
    )
    const key = (await world.everything()).find(item => item.pk === `C#${olga.company}#DATA_KEY#${id}`)
    await world.set({ pk: `CREDENTIAL#${other}`, sk: '-' }, { ...bare(stolen), employee: other }, olga.company)
    await world.set({ pk: `DATA_KEY#${other}`, sk: '-' }, { ...bare(key), employee: other }, olga.company)
    expect(await http.ask('employee/attendance/get', { id: other }, signed)).toMatchObject({ code: 60011 })
    await http.call('employee/delete', { id }, signed)
    await http.call('employee/delete', { id: other }, signed)
  })
})

const bare = ({ pk: _pk, sk: _sk, ...item }: Record<string, unknown> = {}) => item

describe('an erasure', () => {
  test('removes all data from the server at once, and from a terminal when the terminal is online again', async () => {
    const zebrina = await addZebrina()
    const { id, workno, marker, token } = zebrina
    const gate = await addTerminal('ERASE1')
    await gate.switchOn()
    gate.learn(workno)
    gate.learn('4')
    // The server queued commands with these credentials. No queue item may contain them.
    await eventually(
      async () => gate.memory.users.get(Number(workno))?.records,
      records => expect(records).toMatchObject({ 10: Number(attendancePassword), 11: Number(card) }),
    )
    expect(await itemsWith(card, attendancePassword)).toEqual([])
    const shift = { name: 'Day', onDuty: '09:00', offDuty: '18:00', punchStart: '07:00', punchEnd: '23:00' }
    const { id: shiftId } = await http.call('shift/add', shift, signed)
    const inZone = { ...signed, headers: { 'x-timezone': zone } }
    await http.call('schedule/add', { employees: [id], days: [day], shift: shiftId }, inZone)
    gate.punch(workno, '09:00:00')
    gate.punch(workno, '17:30:00')
    const rows = () =>
      http.call('report/grid', { filters: { from: day, to: day, employee: id } }, signed).then(({ list }) => list)
    await eventually(rows, list => expect(list).toMatchObject([{ first_name: marker, workMinutes: 510 }]))
    // Quarantined records keep their raw content, including the name.
    await gate.switchOff()
    const held = [
      { enrollid: Number(workno), name: marker, time: 'never' },
      { table: 'NEWS', pin: `0${workno}`, line: `news pin=0${workno}\tname=${marker}` },
    ]
    for (const [i, raw] of held.entries())
      await world.set(
        { pk: 'QUARANTINE', sk: `ERASE1#${i}` },
        {
          sn: 'ERASE1',
          reason: 'bad time',
          raw: JSON.stringify(raw),
          receivedAt: new Date().toISOString(),
          version: 1,
        },
        olga.company,
      )
    // One request is approved, and the other is pending.
    for (const from of ['18:30', '20:30']) await askFor(zebrina, from)
    const { list: submitted } = await http.call('approve/grid', { filters: { employee: id } }, signed)
    const [approved = { id: '' }] = submitted
    const decision = {
      requests: [{ employee: id, id: approved.id }],
      status: 1 as const,
      reason: `${marker}, of course`,
    }
    await http.call('approve/update', decision, signed)
    expect(filesWith(`request/${id}/`)).toHaveLength(2)
    expect((await itemsWith(marker)).length).toBeGreaterThan(5)

    const { task } = await erase(id)
    await untilTask(task, { kind: 'employee/erase', state: 'running', step: 'wait', done: 0, total: 1 })
    expect(await http.call('employee/erase/grid', {}, signed)).toEqual({
      list: [
        {
          task,
          employee: id,
          startedAt: expect.any(String),
          terminals: [{ serialNumber: 'ERASE1', name: 'Gate ERASE1' }],
        },
      ],
    })
    expect(await http.ask('auth/get', {}, { token })).toMatchObject({ code: 502 })
    const login = { email: zebrina.email, password: strongPassword }
    expect(await http.ask('user/login', login)).toMatchObject({ code: 21014 })
    expect(await http.ask('employee/attendance/get', { id }, signed)).toMatchObject({ code: 60004 })
    expect(await itemsWith(marker)).toEqual([])
    expect(await itemsWith(`DATA_KEY#${id}`, `CREDENTIAL#${id}`)).toEqual([])
    expect(filesWith(id)).toEqual([])
    // An approved request still counts for its day, but without its details.
    const requests = (await world.everything()).filter(({ pk }) => pk === `C#${olga.company}#REQUEST#${id}`)
    expect(requests.map(request => [request.id, request.status])).toEqual([[approved.id, 1]])
    expect(requests[0]).not.toHaveProperty('notes')
    expect(requests[0]).not.toHaveProperty('attachments')
    // The figures remain under an anonymous name.
    const [row] = await rows()
    expect(row).toMatchObject({ workno, first_name: '–', workMinutes: 510 })
    const { list: former } = await http.call('employee/former/grid', { filters: { search: workno } }, signed)
    expect(former).toMatchObject([{ id, first_name: '–', last_name: row?.last_name, erasedAt: expect.any(String) }])
    const { list: entries } = await http.call('audit/grid', { filters: { object: id }, size: 200 }, signed)
    const [removed] = entries.filter(({ changes }) =>
      changes.some(({ noun, change }) => noun === 'employee' && change === 'removed'),
    )
    expect(removed).toMatchObject({ employee: olga.owner })
    expect(JSON.stringify(entries)).not.toContain(marker)

    await gate.switchOn()
    await untilTask(task, { state: 'done', done: 1, total: 1 })
    expect(gate.knows(workno)).toBe(false)
    expect(gate.knows('4')).toBe(true)
    expect(gate.heard.filter(command => command === 'deleteuser')).toEqual(['deleteuser'])
    expect(await http.call('employee/erase/grid', {}, signed)).toEqual({ list: [] })
    // No recalculation restores the erased data.
    expect(await itemsWith(marker)).toEqual([])
  })

  test('reaches an online terminal at once, including former employee IDs', async () => {
    const gate = await addTerminal('ERASE2')
    await gate.switchOn()
    const first = String(people++)
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Ann', last_name: 'A', workno: first, department: olga.department },
      signed,
    )
    const second = String(people++)
    await http.call(
      'employee/update',
      { id, version: 1, first_name: 'Ann', last_name: 'A', workno: second, department: olga.department },
      signed,
    )
    for (const number of [first, second, '5']) gate.learn(number)
    const { task } = await erase(id)
    await http.call('device/delete', { serialNumber: 'ERASE1' }, signed)
    await eventually(
      async () => [first, second, '5'].map(gate.knows),
      known => expect(known).toEqual([false, false, true]),
    )
    await eventually(
      async () => (await http.call('employee/erase/grid', {}, signed)).list,
      list =>
        expect(list.flatMap(({ terminals }) => terminals.map(({ serialNumber }) => serialNumber))).not.toContain(
          'ERASE2',
        ),
    )
    await finish(task)
  })

  test('ends when an administrator declares a terminal gone, and the audit log names the administrator', async () => {
    const gate = await addTerminal('ERASE3')
    await gate.switchOn()
    await gate.switchOff()
    const workno = String(people++)
    const form = { first_name: 'Bob', last_name: 'B', workno, department: olga.department }
    const { id } = await http.call('employee/add', form, signed)
    // The employee was deleted before the erasure.
    await http.call('employee/delete', { id }, signed)
    const { task } = await erase(id)
    await eventually(
      async () => (await http.call('employee/erase/grid', {}, signed)).list.find(erasure => erasure.task === task),
      erasure => expect(erasure?.terminals.map(({ serialNumber }) => serialNumber)).toContain('ERASE3'),
    )
    const wrong = [
      [{ task, serialNumber: 'NOBODY' }, 'serialNumber'],
      [{ task: olga.owner, serialNumber: 'ERASE3' }, 'task'],
    ] as const
    for (const [input, field] of wrong)
      expect(await http.ask('employee/erase/confirm', input, signed)).toMatchObject({
        code: 60004,
        fields: { [field]: 60004 },
      })
    await finish(task)
    const { list } = await http.call('audit/grid', { filters: { object: id } }, signed)
    const [entry] = list.filter(({ path }) => path === 'employee/erase/confirm')
    expect(entry).toMatchObject({ employee: olga.owner, changes: [{ noun: 'employee', id }] })
    // The server no longer sends the deletion.
    await gate.switchOn()
    gate.punch('5', '12:00:00')
    await eventually(
      () => http.call('record/orphan/grid', {}, signed),
      ({ list }) => expect(list.map(({ workno }) => workno)).toContain('5'),
    )
    expect(gate.heard).not.toContain('deleteuser')
  })

  test('runs once for concurrent requests, and an administrator can repeat it after its end', {
    tags: 'long',
  }, async () => {
    const gate = await addTerminal('ERASE4')
    await gate.switchOn()
    const [workno, other] = [String(people++), String(people++)]
    gate.learn(workno)
    await gate.switchOff()
    const form = { first_name: 'Cleo', last_name: 'C', department: olga.department }
    const { id } = await http.call('employee/add', { ...form, workno }, signed)
    const admin = await invite(http, signed, { ...form, workno: other, role: 1 })
    const started = await Promise.all(Array.from({ length: 6 }, () => erase(id)))
    const [first = ''] = started.map(({ task }) => task)
    expect(new Set(started.map(({ task }) => task))).toEqual(new Set([first]))
    await untilTask(first, { state: 'running', step: 'wait' })
    expect(await erase(id)).toEqual({ task: first })
    expect(await http.call('employee/erase', { id }, admin)).toEqual({ task: first })
    const { list } = await http.call('employee/erase/grid', {}, signed)
    expect(list.filter(({ employee }) => employee === id).map(({ task }) => task)).toEqual([first])
    await gate.switchOn()
    await eventually(
      async () => gate.knows(workno),
      isKnown => expect(isKnown).toBe(false),
    )
    await finish(first)
    const { task } = await erase(id)
    expect(task).not.toBe(first)
    await untilTask(task, { step: 'wait' })
    await finish(task)
  })

  test('is refused for the owner, for the caller and across companies', async () => {
    expect(await http.ask('employee/erase', { id: olga.owner }, signed)).toMatchObject({ code: 59012 })
    const workno = String(people++)
    const admin = await invite(http, signed, {
      ...{ first_name: 'Ada', last_name: 'A', workno, department: olga.department, role: 1 },
    })
    expect(await http.ask('employee/erase', { id: admin.id }, admin)).toMatchObject({ code: 59012 })
    expect(await http.ask('employee/erase', { id: olga.owner }, admin)).toMatchObject({ code: 59012 })
    expect(await http.ask('employee/erase', { id: olga.department }, signed)).toMatchObject({ code: 60004 })
    const rival = await register(http)
    for (const path of ['employee/erase', 'employee/data'] as const)
      expect(await http.ask(path, { id: olga.owner }, rival)).toMatchObject({ code: 60004, fields: { id: 60004 } })
  })
})

/** Finishes an erasure by declaring every remaining terminal gone. */
const finish = async (task: string) => {
  for (;;) {
    const { list } = await http.call('employee/erase/grid', {}, signed)
    const [terminal] = list.find(erasure => erasure.task === task)?.terminals ?? []
    if (!terminal) break
    await http.ask('employee/erase/confirm', { task, serialNumber: terminal.serialNumber }, signed)
  }
  await untilTask(task, { state: 'done' })
}

test('a person receives all of their data except credentials', async () => {
  const zebrina = await addZebrina()
  const { id, marker, workno } = zebrina
  await askFor(zebrina, '18:30')
  const { task } = await http.call('employee/data', { id }, signed)
  const { file } = await untilTask(task, { kind: 'employee/data', state: 'done' })
  expect(file?.name).toBe(`data-${workno}.zip`)
  const response = await fetch(file?.url ?? '')
  expect(response.status).toBe(200)
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const names = Object.keys(files).filter(name => !name.startsWith('attachments/'))
  expect(names.sort()).toEqual(
    ['changes.csv', 'data.json', 'person.csv', 'photo.jpg', 'punching.csv', 'requests.csv', 'sign-in.csv'].sort(),
  )
  const data = JSON.parse(strFromU8(files['data.json'] ?? new Uint8Array()))
  expect(data.person).toMatchObject([{ id, first_name: marker, workno, position: `${marker} maker`, hasPhoto: true }])
  expect(data['sign-in'][0]).toEqual({ email: `${marker}@example.com`.toLowerCase(), hasPassword: true })
  expect(data.punching).toMatchObject([
    { punchMode: 4, verification: 8, hasCard: true, hasPassword: true },
    { template: 'face', algorithm: 'image/png' },
  ])
  expect(data.changes.length).toBeGreaterThan(3)
  const [attachment = { id: '' }] = data.requests[0].attachments
  expect(data.requests).toMatchObject([
    { type: 3, day, notes: `${marker} stays`, comments: [{ text: `${marker} says so`, byThemselves: true }] },
  ])
  expect(files[`attachments/${attachment.id}.jpg`]?.length).toBeGreaterThan(100)
  expect(strFromU8(files['person.csv'] ?? new Uint8Array())).toContain(`'+30 ${marker}`)
  const all = Object.values(files)
    .map(bytes => Buffer.from(bytes).toString('latin1'))
    .join()
  for (const secret of [card, attendancePassword, 'passwordHash', 'sealed', 'faceface'])
    expect(all).not.toContain(secret)
  const { list } = await http.call('audit/grid', { filters: { object: id, noun: 'employee' } }, signed)
  expect(list[0]).toMatchObject({ employee: olga.owner, changes: [{ change: 'read' }] })
})
