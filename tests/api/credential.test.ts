import { beforeAll, describe, expect, inject, test } from 'vitest'
import { punchModes, verificationOf } from '../../shared/terminal/punch-mode.ts'
import { client, invite, type Registered, register } from '../kit/client.ts'
import { chunk, jpeg, png, pngWith } from '../kit/picture.ts'
import { upload } from '../kit/upload.ts'

// How employees identify themselves: mode, card, password, fingers and face. erasure.test.ts covers how the table
// stores the credentials.

const http = client(inject('address'))
let olga: Registered
let rival: Registered
let signed: { token: string }
let worknos = 700

beforeAll(async () => {
  ;[olga, rival] = [await register(http), await register(http)]
  signed = { token: olga.token }
})

const addPerson = async (more: { department?: string } = {}) => {
  const person = { first_name: 'Cara', last_name: 'C', workno: String(worknos++), department: olga.department, ...more }
  return (await http.call('employee/add', person, signed)).id
}
const read = (id: string, as = signed) => http.call('employee/attendance/get', { id }, as)
const update = (id: string, form: object, as = signed) =>
  http.ask('employee/attendance/update', { id, punchMode: 0, ...form }, as)
const readings = async (id: string) =>
  (await http.call('audit/grid', { filters: { object: id, noun: 'credential' } }, signed)).list.flatMap(
    ({ changes }) => changes,
  )

test('the verification type follows from the punch mode', async () => {
  const derived = { 0: 6, 1: 192, 2: 56, 3: 1, 4: 8, 5: 128, 6: 64, 7: 192 }
  expect(Object.fromEntries(punchModes.map((_, mode) => [mode, verificationOf(mode)]))).toEqual(derived)
  const id = await addPerson()
  expect(await read(id)).toEqual({ punchMode: 0, verification: 6, fingers: [], storesTemplates: false })
  let version: number | undefined
  for (const [mode, verification] of Object.entries(derived)) {
    const answer = await update(id, { punchMode: Number(mode), ...(version && { version }) })
    expect(answer).toMatchObject({ code: 0 })
    version = (answer.data as { version: number }).version
    expect(await read(id)).toMatchObject({ punchMode: Number(mode), verification, version })
  }
  expect(await update(id, { punchMode: 8, version })).toMatchObject({ code: 10002, fields: { punchMode: 60002 } })
})

describe('card and password', () => {
  test('must be numbers within the range of terminals', async () => {
    const id = await addPerson()
    const wrong: [object, number, string][] = [
      [{ password: '12a' }, 59011, 'password'],
      [{ password: '' }, 59011, 'password'],
      [{ password: '1048576' }, 60002, 'password'],
      [{ card: 'A1' }, 60021, 'card'],
      [{ card: '-1' }, 60021, 'card'],
      [{ card: '0' }, 10002, 'card'],
      [{ card: '4294967296' }, 60002, 'card'],
    ]
    for (const [form, code, field] of wrong)
      expect(await update(id, form), JSON.stringify(form)).toMatchObject({ fields: { [field]: code } })
    expect(await update(id, { password: '59011x' })).toMatchObject({ code: 59011 })
    expect(await update(id, { card: '4294967295', password: '001048575' })).toMatchObject({ code: 0 })
    expect(await read(id)).toMatchObject({ card: '4294967295', password: '1048575', version: 1 })
    expect(await update(id, { version: 1 })).toMatchObject({ code: 0, data: { version: 2 } })
    const left = await read(id)
    expect(left).not.toHaveProperty('card')
    expect(left).not.toHaveProperty('password')
  })

  test('change only against the current version', async () => {
    const id = await addPerson()
    const stale = { code: 60006 }
    expect(await update(id, { version: 1 })).toMatchObject(stale)
    expect(await update(id, { password: '1' })).toMatchObject({ code: 0 })
    expect(await update(id, { password: '2' })).toMatchObject(stale)
    expect(await update(id, { password: '2', version: 2 })).toMatchObject(stale)
    const many = await Promise.all(['3', '4', '5'].map(password => update(id, { password, version: 1 })))
    expect(many.map(({ code }) => code).sort()).toEqual([0, 60006, 60006])
  })

  test('a card belongs to one employee of a company until the employee gives the card up or leaves', async () => {
    const [holder, other] = [await addPerson(), await addPerson()]
    const card = '77777'
    expect(await update(holder, { card })).toMatchObject({ code: 0 })
    expect(await update(other, { card: '0077777' })).toMatchObject({ code: 60022, fields: { card: 60022 } })
    expect(await http.ask('employee/attendance/update', { id: rival.owner, punchMode: 2, card }, rival)).toMatchObject({
      code: 0,
    })
    // The holder may keep the card in an update.
    expect(await update(holder, { card, punchMode: 2, version: 1 })).toMatchObject({ code: 0 })
    expect(await update(holder, { version: 2 })).toMatchObject({ code: 0 })
    expect(await update(other, { card })).toMatchObject({ code: 0 })
    await http.call('employee/delete', { id: other }, signed)
    expect(await update(holder, { card, version: 3 })).toMatchObject({ code: 0 })
  })

  test('only one of many concurrent requests gets a card', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => addPerson()))
    const answers = await Promise.all(people.map(id => update(id, { card: '88888' })))
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 60022, 60022, 60022, 60022])
  })

  test('the audit log records each display of a card or password, without the values', async () => {
    const id = await addPerson()
    await read(id)
    expect(await readings(id)).toEqual([])
    await update(id, { card: '99887766', password: '424242' })
    await read(id)
    const entries = await readings(id)
    expect(entries.map(({ change }) => change)).toEqual(['read', 'added'])
    expect(Object.keys(entries[0]?.fields ?? {}).sort()).toEqual(['card', 'password'])
    expect(JSON.stringify(entries)).not.toMatch(/99887766|424242/)
  })

  test('are available only to a manager who may edit the employee', async () => {
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Keeper', permissions: [3], departments: [olga.department] },
      signed,
    )
    const person = { first_name: 'Kim', last_name: 'K', workno: String(worknos++), department: olga.department }
    const keeper = await invite(http, signed, { ...person, role: 2, roleId })
    expect(await http.ask('employee/attendance/get', { id: olga.owner }, keeper)).toMatchObject({ code: 60005 })
    expect(await update(olga.owner, {}, keeper)).toMatchObject({ code: 60005 })
    const id = await addPerson()
    expect(await update(id, { password: '7' }, keeper)).toMatchObject({ code: 0 })
    const { id: elsewhere } = await http.call('department/add', { name: 'Elsewhere' }, signed)
    const other = await addPerson({ department: elsewhere })
    for (const path of ['employee/attendance/get', 'employee/attendance/face/get'] as const)
      expect(await http.ask(path, { id: other }, keeper)).toMatchObject({ code: 60004 })
  })
})

describe('a face picture', () => {
  const send = async (id: string, bytes: Buffer, type: 'image/jpeg' | 'image/png' = 'image/jpeg') => {
    const form = await http.call('employee/photo', { id, type }, signed)
    expect(await upload(form, bytes)).toEqual({ status: 204 })
    return http.ask('employee/attendance/face/update', { id, upload: form.upload }, signed)
  }
  const switchOn = async (storesTemplates: boolean) => {
    const company = await http.call('company/get', {}, signed)
    const { version, name, retentionMonths } = company
    await http.call('company/update', { version, name, retentionMonths, storesTemplates }, signed)
  }

  test('is refused while the company stores no templates', async () => {
    const id = await addPerson()
    expect(await send(id, jpeg)).toMatchObject({ code: 60020, fields: { upload: 60020 } })
    expect(await http.call('employee/attendance/face/get', { id }, signed)).toEqual({})
  })

  test('is stored, shown, replaced and removed, and deleted with its employee', async () => {
    await switchOn(true)
    const id = await addPerson()
    const pictureOf = async () => {
      const { face } = await http.call('employee/attendance/face/get', { id }, signed)
      const [head, base64 = ''] = face?.image.split(',') ?? []
      return { head, bytes: Buffer.from(base64, 'base64') }
    }
    // Too large for a table item.
    const large = pngWith(chunk('IDAT', Buffer.alloc(500_000, 'face')))
    expect(await send(id, large, 'image/png')).toMatchObject({ code: 0 })
    expect(await read(id)).toMatchObject({ storesTemplates: true, face: { registeredAt: expect.any(String) } })
    const first = await pictureOf()
    expect([first.head, first.bytes.length > 500_000]).toEqual(['data:image/png;base64', true])
    expect(first.bytes.includes('faceface')).toBe(true)
    expect(await send(id, jpeg)).toMatchObject({ code: 0 })
    const second = await pictureOf()
    expect([second.head, second.bytes.subarray(-100)]).toEqual(['data:image/jpeg;base64', jpeg.subarray(-100)])
    expect((await readings(id)).map(({ change }) => change)).toEqual(['read', 'changed', 'read', 'added'])

    await http.call('employee/attendance/face/update', { id, upload: null }, signed)
    expect(await http.call('employee/attendance/face/get', { id }, signed)).toEqual({})
    expect(await send(id, png, 'image/png')).toMatchObject({ code: 0 })
    await http.call('employee/delete', { id }, signed)
    expect(await http.ask('employee/attendance/face/get', { id }, signed)).toMatchObject({ code: 60004 })
  })

  test('must be an image uploaded for the same employee', async () => {
    await switchOn(true)
    const [id, other] = [await addPerson(), await addPerson()]
    expect(await send(id, Buffer.from('no picture'))).toMatchObject({ code: 10002, fields: { upload: 10002 } })
    const form = await http.call('employee/photo', { id, type: 'image/jpeg' }, signed)
    await upload(form, jpeg)
    const missing = { code: 60004, fields: { upload: 60004 } }
    const save = { id: other, upload: form.upload }
    expect(await http.ask('employee/attendance/face/update', save, signed)).toMatchObject(missing)
    expect(await http.call('employee/attendance/finger/get', { id }, signed)).toEqual({ list: [] })
  })
})
