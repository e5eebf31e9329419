import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { addressHeader, secretHeader } from '../../shared/distribution.ts'
import { hashSecret } from './id.ts'

/** The eight groups of an IPv6 address, without leading zeros; those that `::` stands for are zeros. */
const groupsOf = (address: string): string[] => {
  const [front = [], back = []] = address
    .replace(/%.*$/, '')
    .split('::')
    .map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return [...front, ...zeros, ...back].map(group => Number.parseInt(group, 16).toString(16))
}

/**
 * Whom a limit counts for: an IPv4 address, also one that is written as IPv6, and of an IPv6 address its first 64 bits, which are
 * what one line has; its other half anybody can change as they like.
 */
export const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [, inside] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  return inside ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`
}

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
