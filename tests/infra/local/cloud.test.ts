import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Bus } from '../../../infra/local/bus.ts'
import { type Cloud, startCloud } from '../../../infra/local/cloud.ts'
import { openOutbox, outboxPage } from '../../../infra/local/gateway/outbox.ts'
import { managedLimits, openSockets, type Sockets } from '../../../infra/local/socket.ts'
import { temporaryFolder } from '../../kit/stack.ts'

// The AWS clients of the handlers use the services of the local cloud.

const key = randomBytes(32)
let data: string
let cloud: Cloud
let sockets: Sockets
let accepted: Parameters<Bus['put']>[0]
const complaints: string[] = []
const outbox = () => openOutbox(join(data, 'outbox.jsonl'))
const start = async () => {
  sockets = openSockets(managedLimits, sentence => complaints.push(sentence))
  cloud = await startCloud({
    bus: { put: entries => accepted.push(...entries) },
    busName: 'facts',
    sockets,
    outbox: outbox(),
    key,
    keyId: 'main',
    complain: sentence => complaints.push(sentence),
  })
}
const config = () => ({
  endpoint: cloud.endpoint,
  region: 'local',
  maxAttempts: 1,
  credentials: cloud,
})
const stop = async () => {
  await cloud.stop()
  await sockets.stop()
}

beforeEach(async () => {
  data = temporaryFolder()
  accepted = []
  await start()
})
afterEach(async () => {
  await stop()
  rmSync(data, { recursive: true })
  expect(complaints).toEqual([])
})

describe('the event bus', () => {
  const entry = (Detail: string, EventBusName = 'facts') => ({
    EventBusName,
    Source: 'attendance',
    DetailType: 'a.b',
    Detail,
  })
  const put = (...Entries: ReturnType<typeof entry>[]) =>
    new EventBridgeClient(config()).send(new PutEventsCommand({ Entries }))

  test('accepts a fact and wraps it in the envelope of a rule', async () => {
    const { Entries, FailedEntryCount } = await put(entry('{"type":"a.b","x":"ä\\"}"}'))
    expect(FailedEntryCount).toBe(0)
    expect(accepted.map(({ type }) => type)).toEqual(['a.b'])
    expect(JSON.parse(accepted[0]?.envelope ?? '')).toMatchObject({
      id: Entries?.[0]?.EventId,
      source: 'attendance',
      'detail-type': 'a.b',
      time: expect.stringMatching(/^\d{4}-/),
      detail: { type: 'a.b', x: 'ä"}' },
    })
  })

  test('refuses entries for another bus or without a JSON object, and accepts the remaining entries', async () => {
    const { Entries, FailedEntryCount } = await put(entry('{}', 'other'), entry('[]'), entry('{'), entry('{"ok":1}'))
    expect(FailedEntryCount).toBe(3)
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      'ResourceNotFoundException',
      'MalformedDetail',
      'MalformedDetail',
      undefined,
    ])
    expect(accepted).toHaveLength(1)
  })

  test('refuses more than ten entries and more than 256 KB at once', async () => {
    await expect(put(...Array.from({ length: 11 }, () => entry('{}')))).rejects.toMatchObject({
      name: 'ValidationException',
    })
    await expect(put(entry(`{"x":"${'y'.repeat(256 * 1024)}"}`))).rejects.toThrow(/size/)
    expect(accepted).toEqual([])
  })
})

describe('the key', () => {
  const kms = () => new KMSClient(config())
  const context = { company: 'a', purpose: 'card' }
  const seal = async (text: string, EncryptionContext: Record<string, string> = context) =>
    (await kms().send(new EncryptCommand({ KeyId: 'main', Plaintext: Buffer.from(text), EncryptionContext })))
      .CiphertextBlob
  const open = async (CiphertextBlob: Uint8Array | undefined, EncryptionContext: Record<string, string> = context) =>
    Buffer.from(
      (await kms().send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext ?? [],
    ).toString()

  test('opens its own ciphertext, with the context in any order, also after a restart', async () => {
    const sealed = await seal('4711')
    expect(Buffer.from(sealed ?? []).toString()).not.toContain('4711')
    expect(await open(sealed, { purpose: 'card', company: 'a' })).toBe('4711')
    await stop()
    await start()
    expect(await open(sealed)).toBe('4711')
  })

  test('seals the same text differently each time', async () => {
    expect(await seal('x')).not.toEqual(await seal('x'))
  })

  test('opens nothing with another context or with a byte changed', async () => {
    const sealed = await seal('4711')
    const invalid = { name: 'InvalidCiphertextException' }
    await expect(open(sealed, { company: 'b', purpose: 'card' })).rejects.toMatchObject(invalid)
    await expect(open(sealed, {})).rejects.toMatchObject(invalid)
    const changed = Uint8Array.from(sealed ?? [], (byte, i) => (i === 30 ? byte ^ 1 : byte))
    await expect(open(changed)).rejects.toMatchObject(invalid)
    await expect(open(Buffer.from('short'))).rejects.toMatchObject(invalid)
  })

  test('makes data keys that it can decrypt', async () => {
    const { Plaintext, CiphertextBlob } = await kms().send(
      new GenerateDataKeyCommand({ KeyId: 'main', KeySpec: 'AES_256', EncryptionContext: context }),
    )
    expect(Plaintext).toHaveLength(32)
    const { Plaintext: decrypted } = await kms().send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: context }),
    )
    expect(decrypted).toEqual(Plaintext)
  })

  test('refuses an unknown key and a text over 4 KB', async () => {
    const ask = (KeyId: string, bytes: number) =>
      kms().send(new EncryptCommand({ KeyId, Plaintext: new Uint8Array(bytes) }))
    await expect(ask('other', 1)).rejects.toMatchObject({ name: 'NotFoundException' })
    await expect(ask('main', 4097)).rejects.toThrow(/4096/)
  })
})

describe('mail', () => {
  const sendMail = (subject: string, text: string) =>
    new SESv2Client(config()).send(
      new SendEmailCommand({
        FromEmailAddress: 'us@example.com',
        Destination: { ToAddresses: ['you@example.com'] },
        Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } },
      }),
    )

  test('is stored, newest last, also after a crash has truncated a line', async () => {
    await sendMail('One', 'first')
    writeFileSync(join(data, 'outbox.jsonl'), '{"id":"half', { flag: 'a' })
    await sendMail('Two', 'second')
    expect(outbox().list()).toMatchObject([
      { to: 'you@example.com', from: 'us@example.com', subject: 'One', text: 'first' },
      { subject: 'Two', text: 'second' },
    ])
  })

  test('appears with clickable links and escaped markup', async () => {
    await sendMail('<b>"hi"', 'see https://example.com/?a=1&b=2" onclick="x <script>alert(1)</script>')
    const page = outboxPage(outbox().list())
    expect(page).toContain('<a href="https://example.com/?a=1&#38;b=2">')
    expect(page).not.toMatch(/<script|<b>|" onclick/)
  })
})

describe('a connection', () => {
  const management = () => new ApiGatewayManagementApiClient({ ...config(), endpoint: `${cloud.endpoint}/web` })

  test('that does not exist gets the error 410 for every operation', async () => {
    const at = { ConnectionId: 'Xy-z_0=' }
    const gone = { name: 'GoneException', $metadata: { httpStatusCode: 410 } }
    await expect(management().send(new PostToConnectionCommand({ ...at, Data: 'x' }))).rejects.toMatchObject(gone)
    await expect(management().send(new DeleteConnectionCommand(at))).rejects.toMatchObject(gone)
    await expect(management().send(new GetConnectionCommand(at))).rejects.toMatchObject(gone)
  })

  test('refuses a message over 128 KB', async () => {
    const big = new PostToConnectionCommand({ ConnectionId: 'x', Data: 'y'.repeat(128 * 1024 + 1) })
    await expect(management().send(big)).rejects.toMatchObject({ name: 'PayloadTooLargeException' })
  })
})

test('the local cloud refuses other processes of this machine', async () => {
  const entry = { EventBusName: 'facts', Source: 'attendance', DetailType: 'a.b', Detail: '{}' }
  // Browsers know the key id from signed URLs, but not the secret.
  for (const accessKeyId of ['SOMEBODY', cloud.accessKeyId]) {
    const stranger = { ...config(), credentials: { accessKeyId, secretAccessKey: 'guessed' } }
    await expect(
      new EventBridgeClient(stranger).send(new PutEventsCommand({ Entries: [entry] })),
    ).rejects.toMatchObject({ name: 'UnrecognizedClientException' })
  }
  const plain = await fetch(`${cloud.endpoint}/v2/email/outbound-emails`, { method: 'POST', body: '{}' })
  expect(plain.status).toBe(403)
  expect([accepted, outbox().list()]).toEqual([[], []])
})
