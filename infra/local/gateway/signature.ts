import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

// AWS Signature Version 4 on the service's side: recomputes the signature of a request with the secret.

/**
 * The credentials that the local cloud accepts. Each start creates new credentials, and only the handlers know the
 * secret. The id is public.
 */
export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
}

export const newCredentials = (): Credentials => ({
  accessKeyId: `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(32).toString('base64url'),
})

const algorithm = 'AWS4-HMAC-SHA256'
const mostSkewSeconds = 15 * 60

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Splits `<access key id>/<date>/<region>/<service>/aws4_request`. */
const readScope = (credential: string) => {
  const [accessKeyId = '', ...scope] = credential.split('/')
  const [date = '', region = '', service = '', end] = scope
  return { accessKeyId, date, service, scope: scope.join('/'), steps: [date, region, service, end ?? ''] }
}

/** Whether `signature` belongs to `text` under our credentials. */
export const isSignatureOf = (
  text: string,
  { credential, signature, credentials }: { credential: string; signature: string; credentials: Credentials },
): boolean => {
  const { accessKeyId, steps } = readScope(credential)
  if (accessKeyId !== credentials.accessKeyId || steps.at(-1) !== 'aws4_request') return false
  const key = steps.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`)
  const [expected, actual] = [hmac(key, text), Buffer.from(signature, 'hex')]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** `20260131T235959Z` as milliseconds; NaN if invalid. */
const readTime = (time: string) =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

interface Claim {
  credential: string
  signedHeaders: string
  signature: string
  time: string
  payload: string
}

const matches = (request: IncomingMessage, claim: Claim, credentials: Credentials) => {
  const { method = '', url = '/', headers } = request
  const [path = '', query = ''] = url.split('?', 2)
  const { date, service, scope } = readScope(claim.credential)
  if (!claim.time.startsWith(date)) return false
  const parameters = [...new URLSearchParams(query)]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
  const signed = claim.signedHeaders.split(';').map(name => `${name}:${String(headers[name] ?? '').trim()}\n`)
  const canonical = [
    method,
    // S3 signs paths unchanged. Other services escape paths once more.
    service === 's3' ? path : path.split('/').map(escaped).join('/'),
    parameters.join('&'),
    signed.join(''),
    claim.signedHeaders,
    claim.payload,
  ]
  return isSignatureOf([algorithm, claim.time, scope, sha256(canonical.join('\n'))].join('\n'), {
    ...claim,
    credentials,
  })
}

/** Whether the headers sign this request and its body, less than 15 minutes ago. */
export const isSigned = (request: IncomingMessage, body: Buffer, credentials: Credentials): boolean => {
  const { headers } = request
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const time = String(headers['x-amz-date'] ?? '')
  const hash = sha256(body)
  return (
    Math.abs(Date.now() - readTime(time)) < mostSkewSeconds * 1000 &&
    String(headers['x-amz-content-sha256'] ?? hash) === hash &&
    matches(request, { credential, signedHeaders, signature, time, payload: hash }, credentials)
  )
}

/** Whether the URL of a request has a valid signature, and whether it has expired. */
export const readAddress = (request: IncomingMessage, credentials: Credentials): 'good' | 'expired' | 'not signed' => {
  const query = new URLSearchParams(request.url?.split('?', 2)[1])
  const read = (name: string) => query.get(`X-Amz-${name}`) ?? ''
  const claim = {
    credential: read('Credential'),
    signedHeaders: read('SignedHeaders'),
    signature: read('Signature'),
    time: read('Date'),
    payload: 'UNSIGNED-PAYLOAD',
  }
  if (read('Algorithm') !== algorithm || !matches(request, claim, credentials)) return 'not signed'
  const begin = readTime(claim.time)
  const now = Date.now()
  return now >= begin - mostSkewSeconds * 1000 && now < begin + Number(read('Expires')) * 1000 ? 'good' : 'expired'
}
