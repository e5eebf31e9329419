import { createHash, createHmac } from 'node:crypto'

// AWS Signature Version 4 for addresses and forms of the store of files. Its client brings 90 KB into a bundle, for what is
// a few lines of HMAC; a test holds them against the client.

export interface Signer {
  accessKeyId: string
  secretAccessKey: string
  /** Of a role, as every function in the cloud has one. */
  sessionToken?: string | undefined
  region: string
}

const algorithm = 'AWS4-HMAC-SHA256'
const service = 's3'
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** As RFC 3986 has it: what a browser leaves as it is, the service does not. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/** `20260131T235959Z` */
const timeOf = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')

const scopeOf = ({ region }: Signer, time: string) => [time.slice(0, 8), region, service, 'aws4_request']

const sign = (text: string, signer: Signer, time: string) =>
  hmac(scopeOf(signer, time).reduce<string | Buffer>(hmac, `AWS4${signer.secretAccessKey}`), text).toString('hex')

const namesOf = (signer: Signer, time: string) => ({
  'X-Amz-Algorithm': algorithm,
  'X-Amz-Credential': [signer.accessKeyId, ...scopeOf(signer, time)].join('/'),
  'X-Amz-Date': time,
  ...(signer.sessionToken && { 'X-Amz-Security-Token': signer.sessionToken }),
})

/** An address that may be called with this method and these headers from `at` on, for so many seconds. */
export const signAddress = (
  address: string,
  {
    method,
    at,
    seconds,
    query = {},
    headers = {},
  }: {
    method: string
    at: number
    seconds: number
    query?: Record<string, string>
    headers?: Record<string, string>
  },
  signer: Signer,
): string => {
  const { host, pathname, origin } = new URL(address)
  const time = timeOf(at)
  const signed = Object.entries({ ...headers, host }).sort(([one], [other]) => (one < other ? -1 : 1))
  const signedNames = signed.map(([name]) => name).join(';')
  const parameters = Object.entries({
    ...query,
    ...namesOf(signer, time),
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': signedNames,
  })
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&')
  const canonical = [
    method,
    pathname,
    parameters,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    signedNames,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const text = [algorithm, time, scopeOf(signer, time).join('/'), hash].join('\n')
  return `${origin}${pathname}?${parameters}&X-Amz-Signature=${sign(text, signer, time)}`
}

/** The fields of a form that may be sent from `at` on, for so many seconds, by whoever has it and where the conditions hold. */
export const signForm = (
  given: Record<string, string>,
  { conditions, at, seconds }: { conditions: unknown[]; at: number; seconds: number },
  signer: Signer,
): Record<string, string> => {
  const time = timeOf(at)
  const { key, ...others } = given
  const fields = { ...others, ...namesOf(signer, time), ...(key !== undefined && { key }) }
  const policy = {
    expiration: new Date(at + seconds * 1000).toISOString().replace(/\.\d{3}/, ''),
    conditions: [...conditions, ...Object.entries(fields).map(([name, value]) => ({ [name]: value }))],
  }
  const Policy = Buffer.from(JSON.stringify(policy)).toString('base64')
  return { ...fields, Policy, 'X-Amz-Signature': sign(Policy, signer, time) }
}
