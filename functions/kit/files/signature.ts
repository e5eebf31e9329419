import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'

// Signs URLs and forms for S3 with the SDK's own signer. The whole S3 client would add 90 KB to a bundle. A test
// compares these signatures with the client's.

export interface Signer {
  accessKeyId: string
  secretAccessKey: string
  /** The session token of a role's credentials, as in every Lambda. */
  sessionToken?: string | undefined
  region: string
}

const service = 's3'

const signatureOf = ({ region, sessionToken, ...credentials }: Signer) =>
  new SignatureV4({
    service,
    region,
    credentials: { ...credentials, ...(sessionToken && { sessionToken }) },
    sha256: Hash.bind(null, 'sha256'),
    // S3 expects the unescaped path.
    uriEscapePath: false,
  })

/** Escapes as in RFC 3986: S3 also escapes characters that `encodeURIComponent` leaves unchanged. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/** A URL that allows one method with these headers for `seconds` from `at` (ms). */
export const signAddress = async (
  address: string,
  request: {
    method: string
    at: number
    seconds: number
    query?: Record<string, string>
    headers?: Record<string, string>
  },
  signer: Signer,
): Promise<string> => {
  const { protocol, hostname, host, port, pathname, origin } = new URL(address)
  const { query } = await signatureOf(signer).presign(
    {
      method: request.method,
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: pathname,
      query: { ...request.query },
      headers: { ...request.headers, host, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
    },
    {
      signingDate: new Date(request.at),
      expiresIn: request.seconds,
      // Keeps the signed headers as headers instead of URL parameters.
      unhoistableHeaders: new Set(Object.keys(request.headers ?? {})),
    },
  )
  const parameters = Object.entries(query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`)
  return `${origin}${pathname}?${parameters.join('&')}`
}

/** A time in S3's format, such as `20260131T235959Z`. */
const timeOf = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')

/** The fields of an upload form that S3 accepts for `seconds` from `at` (ms), if the conditions hold. */
export const signForm = async (
  form: Record<string, string>,
  { conditions, at, seconds }: { conditions: unknown[]; at: number; seconds: number },
  signer: Signer,
): Promise<Record<string, string>> => {
  const time = timeOf(at)
  const { key, ...others } = form
  const fields = {
    ...others,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [signer.accessKeyId, time.slice(0, 8), signer.region, service, 'aws4_request'].join('/'),
    'X-Amz-Date': time,
    ...(signer.sessionToken && { 'X-Amz-Security-Token': signer.sessionToken }),
    ...(key !== undefined && { key }),
  }
  const policy = {
    expiration: new Date(at + seconds * 1000).toISOString().replace(/\.\d{3}/, ''),
    conditions: [...conditions, ...Object.entries(fields).map(([name, value]) => ({ [name]: value }))],
  }
  const Policy = Buffer.from(JSON.stringify(policy)).toString('base64')
  const signature = await signatureOf(signer).sign(Policy, { signingDate: new Date(at) })
  return { ...fields, Policy, 'X-Amz-Signature': signature }
}
