import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bucket, openFiles } from '../../../infra/local/gateway/files.ts'
import { openOutbox } from '../../../infra/local/gateway/outbox.ts'
import { newCredentials } from '../../../infra/local/gateway/signature.ts'
import { type Gateway, startGateway } from '../../../infra/local/gateway.ts'
import { managedLimits, openSockets } from '../../../infra/local/socket.ts'
import { temporaryFolder } from '../../kit/stack.ts'
import { upload } from '../../kit/upload.ts'

// Tests the local file store with the kit's client and a plain S3 client.

const data = temporaryFolder()
const folder = join(data, 'files')
const credentials = newCredentials()
const complaints: string[] = []
const complain = (sentence: string) => complaints.push(sentence)
let gateway: Gateway
let kit: typeof import('../../../functions/kit/files.ts')
let s3: S3Client

beforeAll(async () => {
  gateway = await startGateway(0)
  gateway.serve({
    routes: new Map(),
    sockets: openSockets(managedLimits, complain),
    outbox: openOutbox(join(data, 'outbox.jsonl')),
    files: openFiles(folder, credentials),
    complain,
  })
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: gateway.address,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    FILES: bucket,
  })
  kit = await import('../../../functions/kit/files.ts')
  s3 = new S3Client({ endpoint: gateway.address, region: 'local', credentials, maxAttempts: 1 })
})
afterAll(async () => {
  await gateway.stop()
  rmSync(data, { recursive: true })
  expect(complaints).toEqual([])
})

const bytes = (text: string) => Uint8Array.from(Buffer.from(text))
const png = { type: 'image/png', mostBytes: 10 }
const forbidden = { status: 403, error: 'AccessDenied' }

describe('files', () => {
  test('are written, read, overwritten and removed, separately for each company', async () => {
    const [ours, theirs] = [kit.openFiles('ours'), kit.openFiles('theirs')]
    expect(await ours.read('photo/a')).toBeUndefined()
    await ours.write('photo/a', { type: 'image/png', bytes: bytes('first') })
    await ours.write('photo/a', { type: 'image/png', bytes: bytes('second\nline') })
    expect(await ours.read('photo/a')).toEqual(bytes('second\nline'))
    expect(await theirs.read('photo/a')).toBeUndefined()
    await theirs.remove('photo/a')
    expect(await ours.read('photo/a')).toEqual(bytes('second\nline'))
    await ours.remove('photo/a')
    await ours.remove('photo/a')
    expect(await ours.read('photo/a')).toBeUndefined()
  })

  test('of several megabytes are read unchanged', async () => {
    const large = new Uint8Array(3 * 1024 * 1024).map((_, i) => i % 251)
    const files = kit.openFiles('large')
    await files.write('photo/a', { type: 'image/png', bytes: large })
    expect(Buffer.from((await files.read('photo/a')) ?? []).equals(large)).toBe(true)
  })

  test('are closed to callers without a valid signature', async () => {
    const stranger = new S3Client({
      endpoint: gateway.address,
      region: 'local',
      credentials: { accessKeyId: credentials.accessKeyId, secretAccessKey: 'guessed' },
    })
    const put = new PutObjectCommand({ Bucket: bucket, Key: 'ours/photo/a', Body: 'x' })
    await expect(stranger.send(put)).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await fetch(`${gateway.address}/files/ours/photo/a`, { method })).status).toBe(403)
    expect(existsSync(join(folder, 'ours/photo/a'))).toBe(false)
  })

  test('reject keys that lead outside of the store', async () => {
    const send = (Key: string) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'x' }))
    for (const key of ['../outside', 'a/../../outside', 'a//b', 'a.b', '%2e%2e/outside'])
      await expect(send(key), key).rejects.toThrow()
    expect(existsSync(join(data, 'outside'))).toBe(false)
  })
})

describe('an address', () => {
  const write = async (key: string) => {
    const files = kit.openFiles('shown')
    await files.write(key, { type: 'image/png', bytes: bytes(key) })
    return files.address(key, 'a-1.png')
  }

  test('shows its file with its type, and lets a browser cache it for a quarter of an hour', async () => {
    const response = await fetch(await write('photo/a'))
    expect(await response.text()).toBe('photo/a')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=900',
      'content-disposition': 'inline; filename="a-1.png"',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
  })

  test('stays the same on repeated requests, and differs for another file name', async () => {
    const files = kit.openFiles('shown')
    // The address changes every quarter of an hour, and that may happen between two of the three calls.
    const [first, second, third] = [
      await files.address('b', '1'),
      await files.address('b', '1'),
      await files.address('b', '1'),
    ]
    expect(first === second || second === third).toBe(true)
    expect(await files.address('b', '2')).not.toBe(await files.address('b', '1'))
  })

  test('opens only its own file with GET, and expires', async () => {
    const address = await write('photo/c')
    await write('photo/d')
    expect((await fetch(address.replace('photo/c', 'photo/d'))).status).toBe(403)
    expect((await fetch(address.replace('private', 'public'))).status).toBe(403)
    expect((await fetch(address.replace('X-Amz-Expires=1800', 'X-Amz-Expires=18000'))).status).toBe(403)
    for (const method of ['PUT', 'DELETE', 'POST']) expect((await fetch(address, { method })).status).toBe(403)
    const command = new GetObjectCommand({ Bucket: bucket, Key: 'shown/photo/c' })
    const sign = (secondsAgo: number, expiresIn: number) =>
      getSignedUrl(s3, command, { expiresIn, signingDate: new Date(Date.now() - secondsAgo * 1000) })
    expect((await fetch(await sign(100, 200))).status).toBe(200)
    expect((await fetch(await sign(100, 90))).status).toBe(403)
    expect(await kit.openFiles('shown').read('photo/c')).toEqual(bytes('photo/c'))
  })

  test('of a removed file gets the error 404', async () => {
    const address = await write('photo/e')
    await kit.openFiles('shown').remove('photo/e')
    expect((await fetch(address)).status).toBe(404)
  })
})

describe('a form', () => {
  test('stores a file of its size under its key, repeatedly until it expires', async () => {
    const files = kit.openFiles('sent')
    const form = await files.form('upload/a', png)
    expect(await upload(form, bytes('0123456789'))).toEqual({ status: 204 })
    expect(await files.read('upload/a')).toEqual(bytes('0123456789'))
    expect(await upload(form, bytes('x'))).toEqual({ status: 204 })
    expect(await files.read('upload/a')).toEqual(bytes('x'))
  })

  test('refuses a file that is too large or too small', async () => {
    const form = await kit.openFiles('sent').form('upload/b', png)
    expect(await upload(form, bytes('01234567890'))).toEqual({ status: 400, error: 'EntityTooLarge' })
    expect(await upload(form, bytes(''))).toEqual({ status: 400, error: 'EntityTooSmall' })
    expect(await upload(form, new Uint8Array(9 * 1024 * 1024))).toEqual({ status: 400, error: 'EntityTooLarge' })
    expect(await kit.openFiles('sent').read('upload/b')).toBeUndefined()
  })

  test('refuses changed, additional and missing fields', async () => {
    const form = await kit.openFiles('sent').form('upload/c', png)
    const changed: Record<string, string>[] = [
      { key: 'theirs/upload/c' },
      { 'Content-Type': 'text/html' },
      { 'Content-Type': 'image/png; x' },
      { tagging: '' },
      { bucket: 'other' },
      { 'x-amz-meta-name': 'more' },
      { success_action_redirect: 'https://example.com' },
    ]
    for (const changes of changed)
      expect(await upload(form, bytes('x'), changes), JSON.stringify(changes)).toEqual(forbidden)
    for (const missing of ['key', 'Content-Type', 'tagging']) {
      const { [missing]: _, ...fields } = form.fields
      expect(await upload({ ...form, fields }, bytes('x')), missing).toEqual(forbidden)
    }
    expect(existsSync(join(folder, 'theirs/upload/c'))).toBe(false)
  })

  test('with a foreign policy, signature or key is refused', async () => {
    const form = await kit.openFiles('sent').form('upload/d', png)
    const policy = JSON.parse(Buffer.from(form.fields.Policy ?? '', 'base64').toString())
    const wider = Buffer.from(JSON.stringify({ ...policy, conditions: [] })).toString('base64')
    const wrong = { status: 403, error: 'SignatureDoesNotMatch' }
    expect(await upload(form, bytes('x'), { Policy: wider })).toEqual(wrong)
    expect(await upload(form, bytes('x'), { 'X-Amz-Signature': '0'.repeat(64) })).toEqual(wrong)
    expect(await upload(form, bytes('x'), { 'X-Amz-Signature': '' })).toEqual(wrong)
    expect(await upload(form, bytes('x'), { 'X-Amz-Credential': 'ME/20260101/local/s3/aws4_request' })).toEqual(wrong)
    expect(await upload({ ...form, fields: {} }, bytes('x'))).toEqual(wrong)
    const plain = await fetch(form.url, { method: 'POST', body: 'no form' })
    expect(plain.status).toBe(400)
  })

  test('expires', async () => {
    const at = { Bucket: bucket, Key: 'sent/upload/e' }
    expect(await upload(await createPresignedPost(s3, { ...at, Expires: 60 }), bytes('x'))).toEqual({ status: 204 })
    expect(await upload(await createPresignedPost(s3, { ...at, Expires: -1 }), bytes('x'))).toEqual(forbidden)
    const { fields } = await kit.openFiles('sent').form('upload/e', png)
    const { expiration } = JSON.parse(Buffer.from(fields.Policy ?? '', 'base64').toString())
    expect((Date.parse(expiration) - Date.now()) / 1000).toBeGreaterThan(290)
    expect((Date.parse(expiration) - Date.now()) / 1000).toBeLessThanOrEqual(300)
  })
})

test('the store deletes unfinished uploads after a day, and at its start the partial files of a crash', async () => {
  const files = kit.openFiles('cleared')
  for (const name of ['old', 'new'])
    expect(await upload(await files.form(`upload/${name}`, png), bytes('x'))).toEqual({ status: 204 })
  await files.write('photo/old', { type: 'image/png', bytes: bytes('<Value>unfinished</Value>') })
  const partial = join(folder, 'cleared/photo/half.5f0c')
  writeFileSync(partial, '')
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
  for (const name of ['upload/old', 'photo/old']) utimesSync(join(folder, 'cleared', name), longAgo, longAgo)
  openFiles(folder, credentials)
  const kept = ['upload/old', 'upload/new', 'photo/old'].map(async key => (await files.read(key)) !== undefined)
  expect(await Promise.all(kept)).toEqual([false, true, true])
  expect(existsSync(partial)).toBe(false)
})
