import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

// Restricts webhooks to internet addresses, never to hosts that only this service can reach. The server checks the URL
// when a user saves an endpoint, and the resolved addresses at each connect. The socket's own lookup makes that check,
// so a second DNS answer cannot replace the checked one.

/** Ranges outside the internet: private, loopback, link-local, documentation, test, carrier-shared and reserved. */
const closed4 = new BlockList()
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [net = '', bits] = range.split('/')
  closed4.addSubnet(net, Number(bits))
}
/** In IPv6 only allocated global addresses are open, without transition and documentation ranges. */
const open6 = new BlockList()
open6.addSubnet('2000::', 3, 'ipv6')
const closed6 = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed6.addSubnet(net, bits, 'ipv6')

export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address)
  if (family === 4) return !closed4.check(address)
  return family === 6 && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')
}

/** The local stack may allow webhooks to receivers on the local machine. */
const mayLoop = () => process.env.WEBHOOK_LOOPBACK === 'on'
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')
const isLoopback = (address: string) => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const mayReach = (address: string) => isPublicAddress(address) || (mayLoop() && isLoopback(address))

const mostHostLetters = 253

/** Whether an endpoint may have this URL. `checked` resolves and checks host names later, at every connect. */
export const isOpenUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  // `URL` normalizes numeric hosts (2130706433, 0x7f.1) to addresses.
  const { protocol, hostname, port, username, password } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isLocal = mayLoop() && (host === 'localhost' || (isIP(host) > 0 && isLoopback(host)))
  if (protocol !== 'https:' && !(isLocal && protocol === 'http:')) return false
  if (username || password || host.length > mostHostLetters) return false
  if (port !== '' && Number(port) < 1024) return false
  if (isLocal) return true
  if (isIP(host)) return isPublicAddress(host)
  return host.includes('.') && !/\.(localhost|local|internal|localdomain|home\.arpa)$/.test(host)
}

export const closedAddress = 'ADDRESS_CLOSED'

type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A socket lookup that allows only reachable addresses: a single forbidden address fails the whole name. */
export const checked =
  (resolve: Resolve): LookupFunction =>
  (host, options, answer) => {
    const all = { ...options, all: true } as LookupOptions & { all: true }
    resolve(host, all, (error, addresses) => {
      if (error) return answer(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => mayReach(address)))
        return answer(Object.assign(new Error(`${host} is not on the internet`), { code: closedAddress }), [])
      const [first] = addresses
      return options.all || !first ? answer(null, addresses) : answer(null, first.address, first.family)
    })
  }

export const checkedLookup = checked(lookup)
