import { Amplify } from '@aws-amplify/core'
import { post } from 'aws-amplify/api'
import { Hub } from 'aws-amplify/utils'
import type { api, Path, PathCall, PathOutput } from '../shared/api.ts'
import type { Fields } from '../shared/errors.ts'

// The only file that uses aws-amplify. This file sends requests, and the pages decide what to show.

/** A path that changes data. `write` sends such a path with an idempotency key; `call` sends all other paths. */
export type WritePath = { [P in Path]: (typeof api)[P] extends { writes: true } ? P : never }[Path]
export type ReadPath = Exclude<Path, WritePath>
export type { PathCall, PathOutput }

/** The reason of a failed call: a code of the catalogue with codes by field, or `network` without an answer. */
export interface Fault extends Error {
  code: number | 'network'
  fields: Fields
  about: unknown
}

export const fault = (code: Fault['code'], message: string, fields: Fields = {}, about?: unknown): Fault =>
  Object.assign(new Error(message), { code, fields, about })

export const isFault = (error: unknown): error is Fault =>
  error instanceof Error && 'code' in error && 'fields' in error

const timeoutMilliseconds = 20_000
const noTokenPaths = new Set<Path>(['user/login', 'personal/login'])

/**
 * The token at the time this page was loaded, or the token that the session has set since. The page ignores a token
 * that another tab stores meanwhile. So the page never sends requests as a different person from the one it shows.
 */
let token = localStorage.getItem('token')
export const readToken = () => token

/** Whether the user has signed in as another person, or signed out, in another tab. */
export const isTokenOutdated = () => localStorage.getItem('token') !== token

/**
 * Stores a token for the next page load. This page keeps its own token, because the user may cancel the page change.
 */
export const leaveToken = (fresh: string) => localStorage.setItem('token', fresh)

/** Sets or removes the token of this tab and later tabs. Removal keeps a newer token that another tab stored. */
export const keepToken = (fresh: string | null) => {
  if (fresh !== null) leaveToken(fresh)
  else if (!isTokenOutdated()) localStorage.removeItem('token')
  token = fresh
}

/** Tells the session that the server no longer accepts its token (101, 502). */
const announceSessionEnd = () => Hub.dispatch('session', { event: 'ended' })
export const onSessionEnd = (listener: () => void) =>
  Hub.listen('session', ({ payload }) => payload.event === 'ended' && listener())

Amplify.configure({ API: { REST: { app: { endpoint: '/api' } } } })

interface Body {
  code?: number
  data?: unknown
  message?: string
  fields?: Fields
  about?: unknown
}

const parse = (text: string): Body | undefined => {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

const headersFor = (path: Path, idempotencyKey?: string) => {
  const sentToken = noTokenPaths.has(path) ? null : token
  return {
    'X-Language': document.documentElement.lang,
    'X-Api-Version': '2.0',
    ...(sentToken && { 'X-Token': sentToken }),
    ...(path.startsWith('schedule/') && { 'X-Timezone': Intl.DateTimeFormat().resolvedOptions().timeZone }),
    ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
  }
}

/**
 * Sends a request and returns the body of the answer with any status. Throttled and refused requests have the usual
 * body. An error status without a code comes from a proxy, so it throws `network`.
 */
const exchange = async (path: Path, input: unknown, idempotencyKey?: string): Promise<Body> => {
  const operation = post({
    apiName: 'app',
    path: `/${path}`,
    options: {
      // The library has its own type for plain data. The result of `JSON.parse` fits that type.
      body: JSON.parse(JSON.stringify(input)),
      headers: headersFor(path, idempotencyKey),
      retryStrategy: { strategy: 'no-retry' },
    },
  })
  const timer = setTimeout(() => operation.cancel('time-out'), timeoutMilliseconds)
  try {
    const { body } = await operation.response
    return JSON.parse(await body.text())
  } catch (error) {
    const answer = error instanceof Error && 'response' in error ? error.response : undefined
    const text = answer instanceof Object && 'body' in answer ? answer.body : undefined
    if (typeof text !== 'string') throw fault('network', 'No answer came')
    const body = parse(text)
    if (typeof body?.code !== 'number') throw fault('network', 'The answer was not the server’s')
    return body
  } finally {
    clearTimeout(timer)
  }
}

const send = async <P extends Path>(path: P, input: PathCall<P>, idempotencyKey?: string): Promise<PathOutput<P>> => {
  const body = await exchange(path, input, idempotencyKey)
  if (body.code === undefined) {
    console.warn(`${path} answered without a code`, body)
    return body as PathOutput<P>
  }
  if (body.code === 0 || body.code === 200) return body.data as PathOutput<P>
  if (body.code === 101 || body.code === 502) announceSessionEnd()
  throw fault(body.code, body.message ?? String(body.code), body.fields, body.about)
}

/** Reads data. Throws a `Fault`. */
export const call = <P extends ReadPath>(path: P, input: PathCall<P>) => send(path, input)

/**
 * A repeated change counts as a retry for this long. A user who repeats it later has seen the data and means a new
 * change.
 */
const unansweredMilliseconds = 120_000
const unanswered = new Map<string, { key: string; since: number }>()

/** Whether the outcome is unknown: no answer arrived, or 60018 says that the first request is still in progress. */
export const isUnanswered = (error: unknown): error is Fault =>
  isFault(error) && (error.code === 'network' || error.code === 60018)

/**
 * Changes data. Throws a `Fault`. If no answer arrived, a retry within two minutes carries the same idempotency key.
 * So pressing Save twice on a bad connection saves once.
 */
export const write = async <P extends WritePath>(path: P, input: PathCall<P>): Promise<PathOutput<P>> => {
  const requestText = `${path} ${JSON.stringify(input)}`
  const now = Date.now()
  for (const [text, { since }] of unanswered) if (now - since >= unansweredMilliseconds) unanswered.delete(text)
  const attempt = unanswered.get(requestText) ?? { key: crypto.randomUUID(), since: now }
  unanswered.set(requestText, attempt)
  try {
    const output = await send(path, input, attempt.key)
    unanswered.delete(requestText)
    return output
  } catch (error) {
    if (!isUnanswered(error)) unanswered.delete(requestText)
    throw error
  }
}
