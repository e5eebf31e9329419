import { createHash, randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { passing, unfinished } from '../../../shared/file.ts'
import { securityHeaders } from '../../../shared/headers.ts'
import { readBody } from './http.ts'
import { type Credentials, isSignatureOf, isSigned, readAddress } from './signature.ts'

// Serves files on disk to the S3 client of the handlers, and to browsers with signed URLs and forms. Its path is the
// bucket's name on the site's own origin, so forms and pictures are same-origin.

export const bucket = 'files'
/** The body limit; every file of this product is smaller. */
const mostBytes = 64 * 1024 * 1024
const dayMilliseconds = 24 * 60 * 60 * 1000

export interface Files {
  /** Handles any request under `/files`. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface Answer {
  status: number
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

/** The metadata in the first line of a stored file. The content follows. */
const aboutShape = z.object({ type: z.string(), tagging: z.string().optional() })
type About = z.output<typeof aboutShape>

const policyShape = z.object({
  expiration: z.iso.datetime(),
  conditions: z.array(
    z.union([
      z.tuple([z.literal('content-length-range'), z.int(), z.int()]),
      z.tuple([z.enum(['eq', 'starts-with']), z.string().startsWith('$'), z.string()]),
      z.record(z.string(), z.string()),
    ]),
  ),
})
type Policy = z.output<typeof policyShape>
/** The form fields that a policy need not mention. */
const exemptFields = new Set(['policy', 'x-amz-signature'])

const escaped = (text: string) => text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`)

/** An error in the format of S3. The client throws an exception with this name. */
const refuse = (status: number, name: string, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${name}</Code><Message>${escaped(message)}</Message></Error>`,
})
const noKey = refuse(404, 'NoSuchKey', 'The specified key does not exist.')
const tooLarge = refuse(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
const wrongSignature = refuse(403, 'SignatureDoesNotMatch', 'The request signature does not match.')
const against = (reason: string) => refuse(403, 'AccessDenied', `Invalid according to Policy: ${reason}`)

const tagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

const readPolicy = (base64: string): Policy | undefined => {
  try {
    return policyShape.safeParse(JSON.parse(Buffer.from(base64, 'base64').toString())).data
  } catch {
    return undefined
  }
}

/** Why a form's policy rejects its fields or its file; undefined if the policy accepts them. */
const objection = ({ expiration, conditions }: Policy, fields: Map<string, string>, bytes: number) => {
  if (Date.parse(expiration) <= Date.now()) return against('Policy expired.')
  const checkedFields = new Set<string>()
  for (const condition of conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      const [, least, most] = condition
      if (bytes > most) return tooLarge
      if (bytes < least)
        return refuse(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
      continue
    }
    const parts = Array.isArray(condition)
      ? [{ kind: condition[0], name: condition[1].slice(1), wanted: condition[2] }]
      : Object.entries(condition).map(([name, wanted]) => ({ kind: 'eq', name, wanted }))
    for (const { kind, name, wanted } of parts) {
      const value = fields.get(name.toLowerCase())
      if (kind === 'eq' ? value !== wanted : !value?.startsWith(wanted))
        return against(`Policy Condition failed: ["${kind}", "$${name}", "${wanted}"]`)
      checkedFields.add(name.toLowerCase())
    }
  }
  const extra = [...fields.keys()].filter(name => !checkedFields.has(name) && !exemptFields.has(name))
  return extra.length > 0 ? against(`Extra input fields: ${extra.join()}`) : undefined
}

export const openFiles = (folder: string, credentials: Credentials): Files => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  clear(folder)

  /** The file of a key; undefined for an invalid key. Valid keys consist of letters, digits, `-`, `_` and slashes. */
  const place = (key: string) => (/^[\w-]+(\/[\w-]+)*$/.test(key) ? join(folder, key) : undefined)

  /** Writes to a temporary name first, so that a file is never incomplete. */
  const store = async (file: string, about: About, bytes: Buffer) => {
    const partial = `${file}.${randomUUID()}`
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(partial, [`${JSON.stringify(about)}\n`, bytes], { mode: 0o600 })
    await rename(partial, file)
  }

  const upload = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(Buffer.from(body), { headers }).formData().catch(() => undefined)
    if (!form) return refuse(400, 'MalformedPOSTRequest', 'The body of your POST request is not well-formed.')
    const fields = new Map<string, string>()
    let file: File | undefined
    for (const [name, value] of form) {
      // Like S3, ignores fields after the file.
      if (file) break
      if (typeof value === 'string') fields.set(name.toLowerCase(), value)
      else if (name === 'file') file = value
    }
    const field = (name: string) => fields.get(name) ?? ''
    if (!file) return refuse(400, 'InvalidArgument', 'POST requires exactly one file upload per request.')
    const signed = { credential: field('x-amz-credential'), signature: field('x-amz-signature'), credentials }
    if (!isSignatureOf(field('policy'), signed)) return wrongSignature
    const policy = readPolicy(field('policy'))
    if (!policy) return against('Invalid Policy.')
    const refusal = objection(policy, fields, file.size)
    if (refusal) return refusal
    const to = place(field('key'))
    if (!to) return refuse(400, 'InvalidArgument', 'The key is invalid.')
    const bytes = Buffer.from(await file.arrayBuffer())
    const type = field('content-type') || 'binary/octet-stream'
    await store(to, { type, ...(fields.has('tagging') && { tagging: field('tagging') }) }, bytes)
    return { status: 204, headers: { etag: tagOf(bytes) } }
  }

  const read = async (file: string, query: URLSearchParams): Promise<Answer> => {
    const stored = await readFile(file).catch(() => undefined)
    if (!stored) return noKey
    const begin = stored.indexOf('\n') + 1
    const { type } = aboutShape.parse(JSON.parse(stored.subarray(0, begin).toString()))
    const body = stored.subarray(begin)
    const headers: OutgoingHttpHeaders = { 'content-type': type, 'content-length': body.length, etag: tagOf(body) }
    for (const name of ['content-type', 'cache-control', 'content-disposition']) {
      const override = query.get(`response-${name}`)
      if (override !== null) headers[name] = override
    }
    return { status: 200, headers, body }
  }

  const handle = async (request: IncomingMessage): Promise<Answer> => {
    const { method, url = '/', headers } = request
    const body = await readBody(request, mostBytes)
    if (!body) return tooLarge
    const { pathname, searchParams } = new URL(url, 'http://local')
    const key = pathname.slice(`/${bucket}/`.length)
    if (key === '' && method === 'POST') return upload(request, body)
    if (searchParams.has('X-Amz-Signature')) {
      const verdict = readAddress(request, credentials)
      if (verdict === 'expired') return refuse(403, 'AccessDenied', 'Request has expired')
      if (verdict === 'not signed') return wrongSignature
    } else if (!isSigned(request, body, credentials))
      return headers.authorization ? wrongSignature : refuse(403, 'AccessDenied', 'Access Denied')
    const file = place(key)
    if (!file) return noKey
    if (method === 'GET') return read(file, searchParams)
    if (method === 'PUT') {
      const tagging = headers['x-amz-tagging']
      const type = headers['content-type'] ?? 'binary/octet-stream'
      await store(file, { type, ...(tagging !== undefined && { tagging: String(tagging) }) }, body)
      return { status: 200, headers: { etag: tagOf(body) } }
    }
    if (method === 'DELETE') {
      await rm(file, { force: true })
      return { status: 204 }
    }
    return refuse(501, 'NotImplemented', `${method} is not supported locally`)
  }

  return {
    async answer(request, response) {
      const { status, headers, body } = await handle(request)
      response.writeHead(status, { ...securityHeaders, 'cache-control': 'no-store', ...headers })
      response.end(body)
    },
  }
}

/** Deletes expired files, as S3 does, and the partial files of a crash. */
const clear = (folder: string) => {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    const entry = statSync(file)
    if (!entry.isFile()) continue
    const isHalf = name.includes('.')
    const age = Date.now() - entry.mtimeMs
    if (isHalf || (age > leastDays * dayMilliseconds && age > daysOf(file) * dayMilliseconds)) rmSync(file)
  }
}

const lifetimes = [unfinished, passing]
const leastDays = Math.min(...lifetimes.map(({ days }) => days))

/** The lifetime of a file in days, from its tag. The tag comes from a form or a header. */
const daysOf = (file: string) => {
  const head = Buffer.alloc(1024)
  const open = openSync(file, 'r')
  readSync(open, head)
  closeSync(open)
  const about = head.subarray(0, head.indexOf('\n'))
  const lifetime = lifetimes.find(
    ({ tag, value }) => about.includes(`<Value>${value}</Value>`) || about.includes(`${tag}=${value}`),
  )
  return lifetime?.days ?? Number.POSITIVE_INFINITY
}
