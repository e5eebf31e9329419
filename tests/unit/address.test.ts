import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addressOf, networkOf } from '../../functions/kit/address.ts'

const edge = '130.176.1.1'
const secret = 'only the distribution knows it'
const from = (address: string) => ({ 'x-distribution-secret': secret, 'cloudfront-viewer-address': address })

beforeEach(() => {
  vi.stubEnv('DISTRIBUTION_SECRET', secret)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  ['203.0.113.7:50123', '203.0.113.7'],
  ['2001:db8:85a3:8d3:1319:8a2e:370:7348:50123', '2001:db8:85a3:8d3:1319:8a2e:370:7348'],
  ['2001:db8::7:50123', '2001:db8::7'],
  ['2001:db8:::50123', '2001:db8::'],
  ['[2001:db8::7]:50123', '2001:db8::7'],
])('of a call through the distribution, %s is the address without its port', (said, address) => {
  expect(addressOf(from(said), edge)).toBe(address)
})

test('a socket gets its headers in capitals too', () => {
  const headers = { 'X-Distribution-Secret': secret, 'CloudFront-Viewer-Address': '203.0.113.7:50123' }
  expect(addressOf(headers, edge)).toBe('203.0.113.7')
})

test('who calls past the distribution may say what he likes and is who the gateway sees', () => {
  const lie = from('203.0.113.7:50123')
  const { 'x-distribution-secret': _, ...bare } = lie
  expect(addressOf(bare, '198.51.100.9')).toBe('198.51.100.9')
  for (const guess of ['', `${secret}!`, secret.toUpperCase()])
    expect(addressOf({ ...lie, 'x-distribution-secret': guess }, '198.51.100.9'), guess).toBe('198.51.100.9')
})

test('where there is no distribution, nothing proves that a call came through it', () => {
  for (const none of [undefined, '']) {
    vi.stubEnv('DISTRIBUTION_SECRET', none)
    for (const guess of ['', 'undefined', secret])
      expect(addressOf({ ...from('203.0.113.7:50123'), 'x-distribution-secret': guess }, '127.0.0.1')).toBe('127.0.0.1')
  }
})

test('what is no address leaves the edge’s', () => {
  for (const said of ['', 'unknown', '203.0.113:50123', '203.0.113.7, 198.51.100.9:50123'])
    expect(addressOf(from(said), edge), said).toBe(edge)
  expect(addressOf({ 'x-distribution-secret': secret }, edge)).toBe(edge)
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3:8d3::/64'],
  ['2001:0DB8:85A3:08D3::1', '2001:db8:85a3:8d3::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['nowhere', 'nowhere'],
])('a limit for %s counts for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
