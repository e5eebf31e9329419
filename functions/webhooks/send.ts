import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import type { Attempt, deliveryErrors } from '../../shared/webhooks/delivery.ts'
import { readRetryAfter } from '../../shared/webhooks/delivery.ts'
import { checkedLookup, closedAddress, isOpenUrl } from './address.ts'

// The one place that talks to whoever a company names: to addresses of the internet alone, once per connection, without following
// where it is sent on to, and no longer than it takes to say yes.

const connectMilliseconds = 5000
/** Whoever tries a thing out may be less patient. */
const answerMilliseconds = () => Number(process.env.WEBHOOK_ANSWER_SECONDS ?? 15) * 1000
/** So much of an answer is read, and so much of it is kept. */
const mostReadBytes = 16 * 1024
const keptBytes = 2 * 1024

type DeliveryError = (typeof deliveryErrors)[number]

const codes: Record<string, DeliveryError> = {
  [closedAddress]: 'address',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  ETIMEDOUT: 'connect',
  CONNECT_TIMEOUT: 'connect',
  ANSWER_TIMEOUT: 'timeout',
}

const errorOf = (error: unknown): DeliveryError => {
  // Of several addresses that were tried each has an error of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = String(Object(first).code ?? '')
  if (/TLS|SSL|CERT|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls'
  return codes[code] ?? 'broken'
}

const failure = (code: string) => Object.assign(new Error(code), { code })

/** The beginning of an answer, as far as it can be read. */
const readAnswer = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= mostReadBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
  // Letters that were cut in the middle, and what no letter is.
  return text.replace(/[\p{Cc}\ufffd]+/gu, ' ').trim()
}

export interface Sent extends Attempt {
  retryAfterSeconds?: number
}

export const isTaken = ({ status = 0, error }: Attempt): boolean => error === undefined && status >= 200 && status < 300

/** Whoever does not answer in time, or takes no connection, holds up others. */
export const isHung = ({ error, milliseconds }: Attempt): boolean =>
  error === 'timeout' || (error !== undefined && milliseconds >= connectMilliseconds)

/** Sends a body to an endpoint; answers what became of it and never throws. */
export const post = async (url: string, headers: Record<string, string>, body: string): Promise<Sent> => {
  const now = Date.now()
  const startedAt = performance.now()
  const attempt = () => ({
    at: new Date(now).toISOString(),
    milliseconds: Math.round(performance.now() - startedAt),
  })
  if (!isOpenUrl(url)) return { ...attempt(), error: 'address' }
  const isPlain = url.startsWith('http:')
  const options = {
    method: 'POST',
    lookup: checkedLookup,
    // A connection of its own, that no proxy is asked for.
    agent: false as const,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Attendance-Webhooks/1.0',
    },
  }
  const sending = (isPlain ? plainRequest : request)(url, options)
  // Of an answer that has begun the socket says only that it broke off.
  let lateness: Error | undefined
  const giveUp = (code: string) => () => {
    lateness = failure(code)
    sending.destroy(lateness)
  }
  const answerTimer = setTimeout(giveUp('ANSWER_TIMEOUT'), answerMilliseconds())
  const connectTimer = setTimeout(giveUp('CONNECT_TIMEOUT'), connectMilliseconds)
  sending.once('socket', socket => socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(connectTimer)))
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sending.once('response', resolve)
      sending.on('error', reject)
      // Who would speak another protocol from here on (101) gives no answer and makes no error: the connection just ends.
      sending.once('close', () => reject(failure('CLOSED')))
      sending.end(body)
    })
    const { statusCode: status = 0, headers: answered } = response
    const answer = await readAnswer(response)
    const retryAfterSeconds = readRetryAfter(answered['retry-after'], now)
    return {
      ...{ ...attempt(), status },
      ...(answer && { answer }),
      ...(retryAfterSeconds !== undefined && (status === 429 || status === 503) && { retryAfterSeconds }),
    }
  } catch (error) {
    return { ...attempt(), error: errorOf(lateness ?? sending.errored ?? error) }
  } finally {
    clearTimeout(answerTimer)
    clearTimeout(connectTimer)
    sending.destroy()
  }
}
