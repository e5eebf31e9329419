import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { addressHeader, secretHeader } from '../../shared/distribution.ts'
import { hashSecret } from './id.ts'

/** The eight groups of an IPv6 address, without leading zeros; `::` becomes zeros. */
const groupsOf = (address: string): string[] => {
  const [front = [], back = []] = address
    .replace(/%.*$/, '')
    .split('::')
    .map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return [...front, ...zeros, ...back].map(group => Number.parseInt(group, 16).toString(16))
}

/**
 * The key of a rate limit: an IPv4 address, or the first 64 bits of an IPv6 address. An IPv4 address in IPv6 form
 * counts as IPv4. A client can freely change the other 64 bits.
 */
export const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [, inside] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  return inside ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`
}

type Headers = Record<string, string | undefined>

/** HTTP events have header names in lower case; websocket events keep the client's case. */
const headerOf = (headers: Headers, name: string) =>
  Object.entries(headers).find(([written]) => written.toLowerCase() === name)?.[1]

/** Compares hashes, because a constant-time comparison needs equal lengths. */
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b)))

/**
 * The caller's address, without its port. The distribution sends the address in a header, because the gateway sees only
 * the distribution's edge. The header counts only with the secret of this deployment, because any client could send it.
 * A local deployment has neither, so the gateway's `sourceIp` is the caller's address.
 */
export const addressOf = (headers: Headers, sourceIp: string): string => {
  const { DISTRIBUTION_SECRET: secret } = process.env
  const received = headerOf(headers, secretHeader)
  if (!secret || received === undefined || !isSame(received, secret)) return sourceIp
  const address =
    headerOf(headers, addressHeader)
      ?.replace(/:\d+$/, '')
      .replace(/^\[|\]$/g, '') ?? ''
  return isIP(address) ? address : sourceIp
}
