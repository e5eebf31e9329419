import { beforeAll, describe, expect, inject, test } from 'vitest'
import { mostPhotoBytes } from '../../shared/image.ts'
import { client, invite, type Registered, register } from '../kit/client.ts'
import { jpeg, jpegOfBytes, jpegOfSize, jpegWith, png, segment } from '../kit/picture.ts'
import { upload } from '../kit/upload.ts'

const http = client(inject('address'))
let company: Registered
let otherCompany: Registered
let caller: { token: string }
let worknos = 500

beforeAll(async () => {
  ;[company, otherCompany] = [await register(http), await register(http)]
  caller = { token: company.token }
})

const addPerson = async (more: { department?: string } = {}) => {
  const person = {
    first_name: 'Pia',
    last_name: 'P',
    workno: String(worknos++),
    department: company.department,
    ...more,
  }
  return (await http.call('employee/add', person, caller)).id
}
const requestForm = (id: string, type: 'image/jpeg' | 'image/png' = 'image/jpeg') =>
  http.call('employee/photo', { id, type }, caller)
/** Uploads the bytes and saves them; returns the result of the last step. */
const savePhoto = async (id: string, bytes: Buffer, type: 'image/jpeg' | 'image/png' = 'image/jpeg') => {
  const form = await requestForm(id, type)
  expect(await upload(form, bytes)).toEqual({ status: 204 })
  return http.ask('employee/photo/save', { id, upload: form.upload }, caller)
}
const read = async (id: string, as = caller) =>
  (await http.call('employee/grid', { size: 200 }, as)).list.find(employee => employee.id === id)
const download = async (address: string | undefined) => {
  const response = await fetch(address ?? '')
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
const refused = { status: 403, error: 'AccessDenied' }

describe('a photo', () => {
  test('is uploaded, saved, listed with a public address, replaced and deleted', async () => {
    const id = await addPerson()
    expect(await read(id)).not.toHaveProperty('photo')
    expect(await savePhoto(id, png, 'image/png')).toMatchObject({ code: 0, data: { version: 2 } })
    const first = await read(id)
    expect(first).toMatchObject({ version: 2, photo: expect.stringMatching(`^${http.address}/files/`) })
    const downloaded = await download(first?.photo)
    expect(downloaded.status).toBe(200)
    expect(downloaded.headers.get('content-type')).toBe('image/png')
    expect(downloaded.headers.get('x-content-type-options')).toBe('nosniff')
    expect(downloaded.bytes.includes('IDAT')).toBe(true)

    expect(await savePhoto(id, jpeg)).toMatchObject({ code: 0, data: { version: 3 } })
    const second = await read(id)
    expect(second?.photo).not.toBe(first?.photo)
    expect((await download(second?.photo)).headers.get('content-type')).toBe('image/jpeg')

    expect(await http.call('employee/photo/delete', { id }, caller)).toEqual({ version: 4 })
    expect(await read(id)).not.toHaveProperty('photo')
    expect((await download(second?.photo)).status).toBe(404)
    expect(await http.call('employee/photo/delete', { id }, caller)).toEqual({ version: 4 })
  })

  test('is in the list of photos of the people whom the caller manages', async () => {
    const [withPhoto, without] = [await addPerson(), await addPerson()]
    await savePhoto(withPhoto, jpeg)
    const { photo } = (await read(withPhoto)) ?? {}
    const ids = [withPhoto, without, withPhoto, company.owner]
    expect(await http.call('employee/photo/list', { ids }, caller)).toEqual({ list: [{ id: withPhoto, photo }] })
    expect(await http.call('employee/photo/list', { ids }, { token: otherCompany.token })).toEqual({ list: [] })
    for (const wrong of [[], Array.from({ length: 201 }, () => withPhoto)])
      expect(await http.ask('employee/photo/list', { ids: wrong }, caller)).toMatchObject({
        fields: { ids: expect.any(Number) },
      })
  })

  test('survives an update of the employee, and disappears with the employee', async () => {
    const id = await addPerson()
    await savePhoto(id, jpeg)
    const { canSignIn: _c, isOwner: _o, photo, ...before } = (await read(id)) ?? expect.fail('nobody')
    await http.call('employee/update', { ...before, position: 'Cook' }, caller)
    expect(await read(id)).toMatchObject({ position: 'Cook', photo: expect.stringContaining(`/photo/${id}?`) })
    expect((await download(photo)).status).toBe(200)
    await http.call('employee/delete', { id }, caller)
    expect((await download(photo)).status).toBe(404)
    expect(await http.ask('employee/photo', { id, type: 'image/png' }, caller)).toMatchObject({ code: 60004 })
  })

  test('loses its metadata: place, time and author', async () => {
    const id = await addPerson()
    const withMetadata = jpegWith(
      segment(0xe1, 'Exif\0\0GPS 37.98 N'),
      segment(0xed, 'Photoshop secret'),
      segment(0xfe, 'secret'),
    )
    expect(await savePhoto(id, Buffer.concat([withMetadata, Buffer.from('secret')]))).toMatchObject({ code: 0 })
    const { bytes } = await download((await read(id))?.photo)
    expect(bytes.toString('latin1')).not.toMatch(/Exif|GPS|Photoshop|secret|JFIF|ICC/)
    expect(bytes.subarray(-200).equals(jpeg.subarray(-200))).toBe(true)
  })

  test('has at most 2,097,152 bytes: the storage refuses a larger upload', async () => {
    expect(mostPhotoBytes).toBe(2_097_152)
    const id = await addPerson()
    expect(await savePhoto(id, jpegOfBytes(2_097_152))).toMatchObject({ code: 0 })
    const form = await requestForm(id)
    expect(await upload(form, jpegOfBytes(2_097_153))).toEqual({ status: 400, error: 'EntityTooLarge' })
    expect(await upload(form, Buffer.alloc(0))).toEqual({ status: 400, error: 'EntityTooSmall' })
    expect(await http.ask('employee/photo/save', { id, upload: form.upload }, caller)).toMatchObject({
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

  test('must contain picture bytes, regardless of its declared type', async () => {
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
      await http.send('employee/photo', JSON.stringify({ id, type: 'text/html' }), { 'x-token': company.token }),
    ).toMatchObject({
      code: 10002,
      fields: { type: 10002 },
    })
    expect((await read(id))?.version).toBe(before?.version)
    // The server detects the type from the bytes, and ignores the type of the upload.
    expect(await savePhoto(id, jpeg, 'image/png')).toMatchObject({ code: 0 })
    expect((await download((await read(id))?.photo)).headers.get('content-type')).toBe('image/jpeg')
  })
})

describe('the upload form', () => {
  test('rejects another type, another key and another company', async () => {
    const form = await requestForm(await addPerson())
    expect(form.fields.key).toMatch(new RegExp(`^${company.company}/`))
    expect(await upload(form, png, { 'Content-Type': 'text/html' })).toEqual(refused)
    expect(await upload(form, png, { 'Content-Type': 'image/png' })).toEqual(refused)
    for (const prefix of [otherCompany.company, '..'])
      expect(await upload(form, jpeg, { key: `${form.fields.key?.replace(company.company, prefix)}` })).toEqual(refused)
    expect(await upload(form, jpeg, { key: `${form.fields.key}x` })).toEqual(refused)
  })

  test('rejects a forged policy', async () => {
    const form = await requestForm(await addPerson())
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

  test('expires after five minutes', async () => {
    const { fields } = await requestForm(await addPerson())
    const { expiration } = JSON.parse(Buffer.from(fields.Policy ?? '', 'base64').toString())
    const seconds = (Date.parse(expiration) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(280)
    expect(seconds).toBeLessThanOrEqual(300)
  })
})

describe('an uploaded file', () => {
  test('becomes the photo only of the employee whose upload form was used', async () => {
    const [owner, otherId] = [await addPerson(), await addPerson()]
    const form = await requestForm(owner)
    await upload(form, jpeg)
    const missing = { code: 60004 }
    const save = { id: otherId, upload: form.upload }
    expect(await http.ask('employee/photo/save', save, caller)).toMatchObject(missing)
    for (const id of [owner, otherCompany.owner])
      expect(await http.ask('employee/photo/save', { ...save, id }, { token: otherCompany.token })).toMatchObject(
        missing,
      )
    expect(await http.ask('employee/photo/save', { ...save, id: otherCompany.owner }, caller)).toMatchObject(missing)
    expect(await http.ask('employee/photo/save', { ...save, id: owner }, caller)).toMatchObject({ code: 0 })
    // An upload can be saved once.
    expect(await http.ask('employee/photo/save', { ...save, id: owner }, caller)).toMatchObject(missing)
  })

  test('is saved once for repeated calls with one idempotency key', async () => {
    const id = await addPerson()
    const form = await requestForm(id)
    await upload(form, jpeg)
    const idempotent = { ...caller, headers: { 'idempotency-key': `photo-${id}` } }
    const save = { id, upload: form.upload }
    const first = await http.ask('employee/photo/save', save, idempotent)
    expect(first).toMatchObject({ code: 0 })
    expect(await http.ask('employee/photo/save', save, idempotent)).toEqual(first)
  })
})

test('a manager of one department sees and changes the photos of its people only', async () => {
  const { id: sales } = await http.call('department/add', { name: 'Sales' }, caller)
  const { id: roleId } = await http.call('role/add', { name: 'Lead', permissions: [3], departments: [sales] }, caller)
  const person = { first_name: 'Lea', last_name: 'L', workno: String(worknos++), department: sales }
  const lead = await invite(http, caller, { ...person, role: 2, roleId })
  const [insideId, outsideId] = [await addPerson({ department: sales }), await addPerson()]
  for (const id of [insideId, outsideId]) await savePhoto(id, jpeg)
  expect((await download((await read(insideId, lead))?.photo)).status).toBe(200)
  expect(await read(outsideId, lead)).toBeUndefined()
  const { list } = await http.call('employee/photo/list', { ids: [insideId, outsideId] }, lead)
  expect(list.map(({ id }) => id)).toEqual([insideId])
  const form = await requestForm(outsideId)
  await upload(form, png)
  const missing = { code: 60004, fields: { id: 60004 } }
  expect(await http.ask('employee/photo', { id: outsideId, type: 'image/png' }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/save', { id: outsideId, upload: form.upload }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/delete', { id: outsideId }, lead)).toMatchObject(missing)
  expect(await http.ask('employee/photo/delete', { id: insideId }, lead)).toMatchObject({ code: 0 })
})
