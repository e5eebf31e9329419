import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as z from 'zod'
import type { Bus } from './bus.ts'
import { listen, readBody } from './gateway/http.ts'
import type { Outbox } from './gateway/outbox.ts'
import { type Credentials, isSigned, newCredentials } from './gateway/signature.ts'
import type { Sockets } from './socket.ts'

// Serves EventBridge, SES, KMS and the websocket's connections to the handlers' AWS clients, on a separate port. Each
// service has the limits of AWS, so the cloud accepts every request that works here. Facts reach the bus, mail reaches
// the outbox, and decryption needs the key. files.ts serves files on the public address.

interface Answer {
  status?: number
  body?: object
}

/** An error in the format of AWS. The clients throw an exception with this name. */
const refuse = (name: string, message: string, status = 400): Answer => ({ status, body: { __type: name, message } })

const base64 = z.base64()
const context = z.record(z.string(), z.string()).default({})

const putEvents = z.object({
  Entries: z
    .array(
      z.object({
        EventBusName: z.string().optional(),
        Source: z.string().min(1),
        DetailType: z.string().min(1),
        Detail: z.string(),
        Time: z.number().optional(),
        Resources: z.array(z.string()).default([]),
      }),
    )
    .min(1)
    .max(10),
})

const sendEmail = z.object({
  FromEmailAddress: z.string(),
  Destination: z.object({ ToAddresses: z.array(z.string()).min(1).max(50) }),
  Content: z.object({
    Simple: z.object({
      Subject: z.object({ Data: z.string() }),
      Body: z.object({
        Text: z.object({ Data: z.string() }).optional(),
        Html: z.object({ Data: z.string() }).optional(),
      }),
      Attachments: z
        .array(z.object({ FileName: z.string().max(255), ContentType: z.string().max(78), RawContent: base64 }))
        .default([]),
    }),
  }),
})

const encrypt = z.object({ KeyId: z.string(), Plaintext: base64, EncryptionContext: context })
const decrypt = z.object({ KeyId: z.string().optional(), CiphertextBlob: base64, EncryptionContext: context })
const dataKey = z.object({
  KeyId: z.string(),
  KeySpec: z.enum(['AES_128', 'AES_256']).optional(),
  NumberOfBytes: z.int().min(1).max(1024).optional(),
  EncryptionContext: context,
})

/** The largest mail with its attachments. Requests to the other services are far smaller. */
const mostBytes = 40 * 1024 * 1024

const isJsonObject = (text: string) => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const openEvents = (busName: string, bus: Pick<Bus, 'put'>) => (request: z.output<typeof putEvents>) => {
  const size = request.Entries.reduce(
    (sum, { Source, DetailType, Detail }) => sum + Buffer.byteLength(Source + DetailType + Detail),
    0,
  )
  if (size > 256 * 1024)
    return refuse('ValidationException', 'Total size of the entries in the request is over the limit.')
  const accepted: Parameters<Bus['put']>[0] = []
  const entries = request.Entries.map(entry => {
    if (entry.EventBusName !== busName)
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${entry.EventBusName} does not exist.` }
    if (!isJsonObject(entry.Detail)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' }
    const id = randomUUID()
    const time = (entry.Time === undefined ? new Date() : new Date(entry.Time * 1000)).toISOString()
    const head = {
      version: '0',
      id,
      'detail-type': entry.DetailType,
      source: entry.Source,
      account: '000000000000',
      time,
      region: 'local',
      resources: entry.Resources,
    }
    accepted.push({
      type: entry.DetailType,
      envelope: `${JSON.stringify(head).slice(0, -1)},"detail":${entry.Detail}}`,
    })
    return { EventId: id }
  })
  bus.put(accepted)
  return { body: { FailedEntryCount: entries.length - accepted.length, Entries: entries } }
}

/** AES-256-GCM under one key. As in KMS, decryption requires the context of the encryption. */
const openKeys = (key: Buffer, keyId: string) => {
  const arn = `arn:aws:kms:local:000000000000:key/${keyId}`
  const isOurs = (id: string) => id === keyId || id === arn
  const unknown = (id: string) => refuse('NotFoundException', `Key '${id}' does not exist`)
  const bound = (context: Record<string, string>) =>
    Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))))
  const seal = (plain: Buffer, context: Record<string, string>) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound(context))
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }
  return {
    encrypt({ KeyId, Plaintext, EncryptionContext }: z.output<typeof encrypt>): Answer {
      if (!isOurs(KeyId)) return unknown(KeyId)
      const plain = Buffer.from(Plaintext, 'base64')
      if (plain.length < 1 || plain.length > 4096)
        return refuse('ValidationException', 'Plaintext must have 1 to 4096 bytes')
      return { body: { CiphertextBlob: seal(plain, EncryptionContext), KeyId: arn } }
    },
    decrypt({ KeyId, CiphertextBlob, EncryptionContext }: z.output<typeof decrypt>): Answer {
      if (KeyId !== undefined && !isOurs(KeyId)) return unknown(KeyId)
      const blob = Buffer.from(CiphertextBlob, 'base64')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12))
          .setAAD(bound(EncryptionContext))
          .setAuthTag(blob.subarray(12, 28))
        const plain = Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()])
        return { body: { Plaintext: plain.toString('base64'), KeyId: arn } }
      } catch {
        return refuse('InvalidCiphertextException', 'The ciphertext or its encryption context is invalid')
      }
    },
    dataKey({ KeyId, KeySpec, NumberOfBytes, EncryptionContext }: z.output<typeof dataKey>): Answer {
      if (!isOurs(KeyId)) return unknown(KeyId)
      if ((KeySpec === undefined) === (NumberOfBytes === undefined))
        return refuse('ValidationException', 'Specify either KeySpec or NumberOfBytes')
      const plain = randomBytes(NumberOfBytes ?? (KeySpec === 'AES_128' ? 16 : 32))
      const body = { Plaintext: plain.toString('base64'), CiphertextBlob: seal(plain, EncryptionContext), KeyId: arn }
      return { body }
    },
  }
}

const mostSocketBytes = 128 * 1024

const openConnections = (sockets: Sockets) => async (method: string, id: string, body: Buffer) => {
  const gone = refuse('GoneException', 'The connection is gone', 410)
  if (method === 'POST') {
    if (body.length > mostSocketBytes) return refuse('PayloadTooLargeException', 'The message exceeds 128 KB', 413)
    return (await sockets.send(id, body)) ? {} : gone
  }
  if (method === 'DELETE') return sockets.end(id) ? { status: 204 } : gone
  const connection = sockets.describe(id)
  return connection ? { body: connection } : gone
}

/** The credentials that the handlers' clients sign with. No other process knows the secret. */
export interface Cloud extends Credentials {
  endpoint: string
  stop(): Promise<void>
}

export const startCloud = async (options: {
  bus: Pick<Bus, 'put'>
  busName: string
  sockets: Sockets
  outbox: Outbox
  key: Buffer
  keyId: string
  complain: (sentence: string) => void
}): Promise<Cloud> => {
  const credentials = newCredentials()
  const events = openEvents(options.busName, options.bus)
  const keys = openKeys(options.key, options.keyId)
  const connections = openConnections(options.sockets)

  const mail = ({ FromEmailAddress, Destination, Content }: z.output<typeof sendEmail>): Answer => {
    const { Subject, Body, Attachments } = Content.Simple
    const id = randomUUID()
    options.outbox.add({
      id,
      at: new Date().toISOString(),
      from: FromEmailAddress,
      to: Destination.ToAddresses.join(', '),
      subject: Subject.Data,
      text: Body.Text?.Data ?? '',
      ...(Body.Html && { html: Body.Html.Data }),
      ...(Attachments.length > 0 && {
        files: Attachments.map(({ FileName, ContentType, RawContent }) => ({
          ...{ name: FileName, type: ContentType, content: RawContent },
        })),
      }),
    })
    return { body: { MessageId: id } }
  }

  /** Validates a request like the AWS service, or returns the service's error. */
  const checked =
    <S extends z.ZodType>(shape: S, act: (request: z.output<S>) => Answer) =>
    (body: Buffer): Answer => {
      let json: unknown
      try {
        json = JSON.parse(body.toString())
      } catch {
        return refuse('SerializationException', 'The body is not JSON')
      }
      const request = shape.safeParse(json)
      return request.success ? act(request.data) : refuse('ValidationException', z.prettifyError(request.error))
    }
  const operations: Record<string, (body: Buffer) => Answer> = {
    'AWSEvents.PutEvents': checked(putEvents, events),
    'TrentService.Encrypt': checked(encrypt, keys.encrypt),
    'TrentService.Decrypt': checked(decrypt, keys.decrypt),
    'TrentService.GenerateDataKey': checked(dataKey, keys.dataKey),
    'POST /v2/email/outbound-emails': checked(sendEmail, mail),
  }

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '/', headers } = request
    const body = await readBody(request, mostBytes)
    if (!body) return refuse('RequestEntityTooLargeException', 'The request exceeds 40 MB', 413)
    if (!isSigned(request, body, credentials))
      return refuse('UnrecognizedClientException', 'Only the handlers of this stack may call the local cloud', 403)
    const connection = /^(?:\/[\w-]+)?\/(?:@|%40)connections\/([^/?]+)$/.exec(url)?.[1]
    if (connection !== undefined) return connections(method, decodeURIComponent(connection), body)
    const operation = String(headers['x-amz-target'] ?? `${method} ${url}`)
    const act = Object.hasOwn(operations, operation) ? operations[operation] : undefined
    return act ? act(body) : refuse('UnknownOperationException', `${operation} is not supported locally`)
  }

  const server = createServer(async (request, response: ServerResponse) => {
    const { status = 200, body } = await answer(request).catch((error): Answer => {
      options.complain(`The local cloud failed at ${request.method} ${request.url}: ${error}`)
      return refuse('InternalFailure', String(error), 500)
    })
    const type = body && '__type' in body ? { 'x-amzn-errortype': String(body.__type) } : {}
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', ...type })
    response.end(body ? JSON.stringify(body) : undefined)
  })
  const port = await listen(server, 0)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...credentials,
    async stop() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
