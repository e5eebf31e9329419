import { beforeAll, describe, expect, inject, test } from 'vitest'
import { mostPhotoBytes } from '../../shared/image.ts'
import { client, invite, type Registered, register } from '../kit/client.ts'
import { jpeg, jpegOfBytes, jpegOfSize, jpegWith, png, segment } from '../kit/picture.ts'
import { upload } from '../kit/upload.ts'

const http = client(inject('address'))
let mine: Registered
let theirs: Registered
let signed: { token: string }
let worknos = 500

beforeAll(async () => {
  ;[mine, theirs] = [await register(http), await register(http)]
  signed = { token: mine.token }
})

const addPerson = async (more: { department?: string } = {}) => {
  const person = { first_name: 'Pia', last_name: 'P', workno: String(worknos++), department: mine.department, ...more }
  return (await http.call('employee/add', person, signed)).id
}
const askForm = (id: string, type: 'image/jpeg' | 'image/png' = 'image/jpeg') =>
  http.call('employee/photo', { id, type }, signed)
/** Sends bytes and has them taken over; the answer is that of the last step. */
const savePhoto = async (id: string, bytes: Buffer, type: 'image/jpeg' | 'image/png' = 'image/jpeg') => {
  const form = await askForm(id, type)
  expect(await upload(form, bytes)).toEqual({ status: 204 })
  return http.ask('employee/photo/save', { id, upload: form.upload }, signed)
}
const read = async (id: string, as = signed) =>
  (await http.call('employee/grid', { size: 200 }, as)).list.find(employee => employee.id === id)
const show = async (address: string | undefined) => {
  const response = await fetch(address ?? '')
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
const refused = { status: 403, error: 'AccessDenied' }

describe('a photo', () => {
  test('is sent, saved, shown in the list by an address anybody may open, changed and deleted', async () => {
    const id = await addPerson()
    expect(await read(id)).not.toHaveProperty('photo')
    expect(await savePhoto(id, png, 'image/png')).toMatchObject({ code: 0, data: { version: 2 } })
    const first = await read(id)
    expect(first).toMatchObject({ version: 2, photo: expect.stringMatching(`^${http.address}/files/`) })
    const shown = await show(first?.photo)
    expect(shown.status).toBe(200)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
    expect(shown.bytes.includes('IDAT')).toBe(true)

    expect(await savePhoto(id, jpeg)).toMatchObject({ code: 0, data: { version: 3 } })
    const second = await read(id)
    expect(second?.photo).not.toBe(first?.photo)
    expect((await show(second?.photo)).headers.get('content-type')).toBe('image/jpeg')

    expect(await http.call('employee/photo/delete', { id }, signed)).toEqual({ version: 4 })
    expect(await read(id)).not.toHaveProperty('photo')
    expect((await show(second?.photo)).status).toBe(404)
    expect(await http.call('employee/photo/delete', { id }, signed)).toEqual({ version: 4 })
  })

  test('stays when the employee is changed, and goes with who is deleted', async () => {
    const id = await addPerson()
    await savePhoto(id, jpeg)
    const { canSignIn: _c, isOwner: _o, photo, ...before } = (await read(id)) ?? expect.fail('nobody')
    await http.call('employee/update', { ...before, position: 'Cook' }, signed)
    expect(await read(id)).toMatchObject({ position: 'Cook', photo: expect.stringContaining(`/photo/${id}?`) })
    expect((await show(photo)).status).toBe(200)
    await http.call('employee/delete', { id }, signed)
    expect((await show(photo)).status).toBe(404)
    expect(await http.ask('employee/photo', { id, type: 'image/png' }, signed)).toMatchObject({ code: 60004 })
  })

  test('tells nothing of where, when and by whom it was taken', async () => {
    const id = await addPerson()
    const told = jpegWith(
      segment(0xe1, 'Exif\0\0GPS 37.98 N'),
      segment(0xed, 'Photoshop secret'),
      segment(0xfe, 'secret'),
    )
    expect(await savePhoto(id, Buffer.concat([told, Buffer.from('secret')]))).toMatchObject({ code: 0 })
    const { bytes } = await show((await read(id))?.photo)
    expect(bytes.toString('latin1')).not.toMatch(/Exif|GPS|Photoshop|secret|JFIF|ICC/)
    expect(bytes.subarray(-200).equals(jpeg.subarray(-200))).toBe(true)
  })

  test('has at most 2,097,152 bytes: one more is refused before it is stored', async () => {
    expect(mostPhotoBytes).toBe(2_097_152)
    const id = await addPerson()
    expect(await savePhoto(id, jpegOfBytes(2_097_152))).toMatchObject({ code: 0 })
    const form = await askForm(id)
    expect(await upload(form, jpegOfBytes(2_097_153))).toEqual({ status: 400, error: 'EntityTooLarge' })
    expect(await upload(form, Buffer.alloc(0))).toEqual({ status: 400, error: 'EntityTooSmall' })
    expect(await http.ask('employee/photo/save', { id, upload: form.upload }, signed)).toMatchObject({
      code: 60004,
      fields: { upload: 60004 },
    })
  })

  test('has at most 4096 pixels on each side', async () => {
    const id = await addPerson()
    expect(await savePhoto(id, jpegOfSize(4096, 4096))).toMatchObject({ code: 0 })
    for (const [width, height] of [
      [4097, 16],
      [16, 4097],
    ] as const)
      expect(await savePhoto(id, jpegOfSize(width, height))).toMatchObject({ code: 60002, fields: { upload: 60002 } })
  })

  test('is a picture by its bytes, whatever it is called', async () => {
    const id = await addPerson()
    await savePhoto(id, png, 'image/png')
    const before = await read(id)
    for (const text of [
      'This is no picture.',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      png.toString('latin1', 0, 300),
    ])
      expect(await savePhoto(id, Buffer.from(text, 'latin1'), 'image/png')).toMatchObject({
        code: 10002,
        fields: { upload: 10002 },
      })
    expect(
      await http.send('employee/photo', JSON.stringify({ id, type: 'text/html' }), { 'x-token': mine.token }),
    ).toMatchObject({
      code: 10002,
      fields: { type: 10002 },
    })
    expect((await read(id))?.version).toBe(before?.version)
    // What is a picture is shown as what it is.
    expect(await savePhoto(id, jpeg, 'image/png')).toMatchObject({ code: 0 })
    expect((await show((await read(id))?.photo)).headers.get('content-type')).toBe('image/jpeg')
  })
})

describe('the form', () => {
  test('stores nothing of another type, under another key, of another company', async () => {
    const form = await askForm(await addPerson())
    expect(form.fields.key).toMatch(new RegExp(`^${mine.company}/`))
    expect(await upload(form, png, { 'Content-Type': 'text/html' })).toEqual(refused)
    expect(await upload(form, png, { 'Content-Type': 'image/png' })).toEqual(refused)
    for (const company of [theirs.company, '..'])
      expect(await upload(form, jpeg, { key: `${form.fields.key?.replace(mine.company, company)}` })).toEqual(refused)
    expect(await upload(form, jpeg, { key: `${form.fields.key}x` })).toEqual(refused)
  })

  test('with a forged policy is refused', async () => {
    const form = await askForm(await addPerson())
    const policy = JSON.parse(Buffer.from(form.fields.Policy ?? '', 'base64').toString())
    for (const forged of [
      { ...policy, expiration: '2099-01-01T00:00:00Z' },
      { ...policy, conditions: [['content-length-range', 1, 9_000_000], ...policy.conditions.slice(1)] },
    ]) {
      const Policy = Buffer.from(JSON.stringify(forged)).toString('base64')
      expect(await upload(form, jpeg, { Policy })).toEqual({ status: 403, error: 'SignatureDoesNotMatch' })
    }
    expect(await upload(form, jpeg)).toEqual({ status: 204 })
  })

  test('is good for five minutes', async () => {
    const { fields } = await askForm(await addPerson())
    const { expiration } = JSON.parse(Buffer.from(fields.Policy ?? '', 'base64').toString())
    const seconds = (Date.parse(expiration) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(280)
    expect(seconds).toBeLessThanOrEqual(300)
  })
})

describe('what was sent', () => {
  test('becomes the photo of whom it was sent for, and of nobody else here or elsewhere', async () => {
    const [one, other] = [await addPerson(), await addPerson()]
    const form = await askForm(one)
    await upload(form, jpeg)
    const missing = { code: 60004 }
    const save = { id: other, upload: form.upload }
    expect(await http.ask('employee/photo/save', save, signed)).toMatchObject(missing)
    for (const id of [one, theirs.owner])
      expect(await http.ask('employee/photo/save', { ...save, id }, { token: theirs.token })).toMatchObject(missing)
    expect(await http.ask('employee/photo/save', { ...save, id: theirs.owner }, signed)).toMatchObject(missing)
    expect(await http.ask('employee/photo/save', { ...save, id: one }, signed)).toMatchObject({ code: 0 })
    // It is used up.
    expect(await http.ask('employee/photo/save', { ...save, id: one }, signed)).toMatchObject(missing)
  })

  test('twice with one idempotency key is taken over once', async () => {
    const id = await addPerson()
    const form = await askForm(id)
    await upload(form, jpeg)
    const again = { ...signed, headers: { 'idempotency-key': `photo-${id}` } }
    const save = { id, upload: form.upload }
    const first = await http.ask('employee/photo/save', save, again)
    expect(first).toMatchObject({ code: 0 })
    expect(await http.ask('employee/photo/save', save, again)).toEqual(first)
  })
})

test('a manager of one department sees and changes the photos of its people only', async () => {
  const { id: sales } = await http.call('department/add', { name: 'Sales' }, signed)
  const { id: roleId } = await http.call('role/add', { name: 'Lead', permissions: [3], departments: [sales] }, signed)
  const person = { first_name: 'Lea', last_name: 'L', workno: String(worknos++), department: sales }
  const lead = await invite(http, signed, { ...person, role: 2, roleId })
  const [inside, outside] = [await addPerson({ department: sales }), await addPerson()]
  for (const id of [inside, outside]) await savePhoto(id, jpeg)
  expect((await show((await read(inside, lead))?.photo)).status).toBe(200)
  expect(await read(outside, lead)).toBeUndefined()
  const form = await askForm(outside)
  await upload(form, png)
  const missing = { code: 60004, fields: { id: 60004 } }
  expect(await http.ask('employee/photo', { id: outside, type: 'image/png' }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/save', { id: outside, upload: form.upload }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/delete', { id: outside }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/delete', { id: inside }, lead)).toMatchObject({ code: 0 })
})
