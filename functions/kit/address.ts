import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { addressHeader, secretHeader } from '../../shared/distribution.ts'
import { hashSecret } from './token.ts'

type Headers = Record<string, string | undefined>

/** A path gets its headers in small letters, a socket as they were written. */
const headerOf = (headers: Headers, name: string) =>
  Object.entries(headers).find(([written]) => written.toLowerCase() === name)?.[1]

/** Hashed, because only what has the same length can be compared in the same time. */
const isSame = (one: string, other: string) =>
  timingSafeEqual(Buffer.from(hashSecret(one)), Buffer.from(hashSecret(other)))

/**
 * Where a call came from, without its port. The gateway sees the distribution's edge, which stands for thousands of callers;
 * the distribution says who called it. Anybody could say so: it is believed only with the secret of this deployment. Where
 * there is no distribution, as on a laptop, there is no secret, and the gateway's `sourceIp` is the caller's.
 */
export const addressOf = (headers: Headers, sourceIp: string): string => {
  const { DISTRIBUTION_SECRET: secret } = process.env
  const said = headerOf(headers, secretHeader)
  if (!secret || said === undefined || !isSame(said, secret)) return sourceIp
  const address =
    headerOf(headers, addressHeader)
      ?.replace(/:\d+$/, '')
      .replace(/^\[|\]$/g, '') ?? ''
  return isIP(address) ? address : sourceIp
}
