import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import type { Attempt, deliveryErrors } from '../../shared/webhooks/delivery.ts'
import { readRetryAfter } from '../../shared/webhooks/delivery.ts'
import { checkedLookup, closedAddress, isOpenUrl } from './address.ts'

// Sends all requests to URLs that companies choose. Connects only to internet addresses, with one request per
// connection, short timeouts and no redirects.

const connectMilliseconds = 5000
/** The time limit of an answer. Local tests may set a shorter one. */
const answerMilliseconds = () => Number(process.env.WEBHOOK_ANSWER_SECONDS ?? 15) * 1000
/** The most bytes of an answer to read and to keep. */
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
  // After attempts at several addresses, each address has its own error.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = String(Object(first).code ?? '')
  if (/TLS|SSL|CERT|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls'
  return codes[code] ?? 'broken'
}

const failure = (code: string) => Object.assign(new Error(code), { code })

/** The beginning of an answer as text. */
const readAnswer = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= mostReadBytes) break
  }
  const text = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
  // Replaces control characters and characters cut in half.
  return text.replace(/[\p{Cc}\ufffd]+/gu, ' ').trim()
}

export interface Sent extends Attempt {
  retryAfterSeconds?: number
}

export const isTaken = ({ status = 0, error }: Attempt): boolean => error === undefined && status >= 200 && status < 300

/** Whether an attempt timed out and so blocked other deliveries. */
export const isHung = ({ error, milliseconds }: Attempt): boolean =>
  error === 'timeout' || (error !== undefined && milliseconds >= connectMilliseconds)

/** Sends a body to an endpoint. Returns the outcome and never throws. */
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
    // Use a new connection, without a proxy.
    agent: false as const,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Attendance-Webhooks/1.0',
    },
  }
  const sending = (isPlain ? plainRequest : request)(url, options)
  // After an answer has begun, the socket reports only an abort, so keep the reason.
  let timeoutError: Error | undefined
  const giveUp = (code: string) => () => {
    timeoutError = failure(code)
    sending.destroy(timeoutError)
  }
  const answerTimer = setTimeout(giveUp('ANSWER_TIMEOUT'), answerMilliseconds())
  const connectTimer = setTimeout(giveUp('CONNECT_TIMEOUT'), connectMilliseconds)
  sending.once('socket', socket => socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(connectTimer)))
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sending.once('response', resolve)
      sending.on('error', reject)
      // A protocol switch (101) causes neither a response nor an error; the connection just closes.
      sending.once('close', () => reject(failure('CLOSED')))
      sending.end(body)
    })
    const { statusCode: status = 0, headers: responseHeaders } = response
    const answer = await readAnswer(response)
    const retryAfterSeconds = readRetryAfter(responseHeaders['retry-after'], now)
    return {
      ...{ ...attempt(), status },
      ...(answer && { answer }),
      ...(retryAfterSeconds !== undefined && (status === 429 || status === 503) && { retryAfterSeconds }),
    }
  } catch (error) {
    return { ...attempt(), error: errorOf(timeoutError ?? sending.errored ?? error) }
  } finally {
    clearTimeout(answerTimer)
    clearTimeout(connectTimer)
    sending.destroy()
  }
}
