import { Amplify } from '@aws-amplify/core'
import { post } from 'aws-amplify/api'
import { Hub } from 'aws-amplify/utils'
import type { api, Path, PathCall, PathOutput } from '../shared/api.ts'
import type { Fields } from '../shared/errors.ts'

// The only file that knows aws-amplify. It sends, it never decides what a page shows.

/** A path that changes something: it carries an idempotency key, so it is sent through `write`, the others through `call`. */
export type WritePath = { [P in Path]: (typeof api)[P] extends { writes: true } ? P : never }[Path]
export type ReadPath = Exclude<Path, WritePath>
export type { PathCall, PathOutput }

/** Why a call failed: a code of the catalogue, with what is wrong by field, or `network` when no answer of ours came at all. */
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
 * The token this page was loaded with, or was given since; the session decides when it changes. What another tab stores
 * meanwhile is not taken up: a page is never sent on as somebody else than it shows.
 */
let token = localStorage.getItem('token')
export const readToken = () => token

/** Whether this browser has signed in as somebody else, or out, in another tab. */
export const isTokenOutdated = () => localStorage.getItem('token') !== token

/** Leaves a token to the page that is loaded next: this one stays who it is, should somebody keep it. */
export const leaveToken = (fresh: string) => localStorage.setItem('token', fresh)

/** Takes a token, for this tab and those to come, or forgets it: but not the one that another tab has stored since. */
export const keepToken = (fresh: string | null) => {
  if (fresh !== null) leaveToken(fresh)
  else if (!isTokenOutdated()) localStorage.removeItem('token')
  token = fresh
}

/** Tells the session that its token is no longer accepted (101, 502). */
const sayEnded = () => Hub.dispatch('session', { event: 'ended' })
export const onSessionEnd = (hear: () => void) =>
  Hub.listen('session', ({ payload }) => payload.event === 'ended' && hear())

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
  const sent = noTokenPaths.has(path) ? null : token
  return {
    'X-Language': document.documentElement.lang,
    'X-Api-Version': '2.0',
    ...(sent && { 'X-Token': sent }),
    ...(path.startsWith('schedule/') && { 'X-Timezone': Intl.DateTimeFormat().resolvedOptions().timeZone }),
    ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
  }
}

/**
 * The answer's body, whatever its status; a throttled or refused request has the same body as any other. An error status
 * without a code is not ours: what stands between has answered in the server's place.
 */
const exchange = async (path: Path, input: unknown, idempotencyKey?: string): Promise<Body> => {
  const sent = post({
    apiName: 'app',
    path: `/${path}`,
    options: {
      // What is plain data here is plain data there; the type is the library's own word for it.
      body: JSON.parse(JSON.stringify(input)),
      headers: headersFor(path, idempotencyKey),
      retryStrategy: { strategy: 'no-retry' },
    },
  })
  const timer = setTimeout(() => sent.cancel('time-out'), timeoutMilliseconds)
  try {
    const { body } = await sent.response
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
  if (body.code === 101 || body.code === 502) sayEnded()
  throw fault(body.code, body.message ?? String(body.code), body.fields, body.about)
}

/** Asks for something. Fails with a `Fault`. */
export const call = <P extends ReadPath>(path: P, input: PathCall<P>) => send(path, input)

/** As long as one presses Save again. Who does the same later has looked meanwhile, and means it anew. */
const unansweredMilliseconds = 120_000
const unanswered = new Map<string, { key: string; since: number }>()

/** No answer came, or only that the first request is still being done. */
export const isUnanswered = (error: unknown): error is Fault =>
  isFault(error) && (error.code === 'network' || error.code === 60018)

/**
 * Changes something. Fails with a `Fault`. The same request sent again soon after no answer came carries the same
 * idempotency key, so that pressing Save twice on a bad line saves once.
 */
export const write = async <P extends WritePath>(path: P, input: PathCall<P>): Promise<PathOutput<P>> => {
  const words = `${path} ${JSON.stringify(input)}`
  const now = Date.now()
  for (const [one, { since }] of unanswered) if (now - since >= unansweredMilliseconds) unanswered.delete(one)
  const sent = unanswered.get(words) ?? { key: crypto.randomUUID(), since: now }
  unanswered.set(words, sent)
  try {
    const output = await send(path, input, sent.key)
    unanswered.delete(words)
    return output
  } catch (error) {
    if (!isUnanswered(error)) unanswered.delete(words)
    throw error
  }
}
