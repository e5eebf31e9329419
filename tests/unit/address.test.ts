import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addressOf, networkOf } from '../../functions/kit/address.ts'

const edge = '130.176.1.1'
const secret = 'only the distribution knows it'
const forwardedHeaders = (address: string) => ({
  'x-distribution-secret': secret,
  'cloudfront-viewer-address': address,
})

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
])('for a call through the distribution, %s gives %s', (header, address) => {
  expect(addressOf(forwardedHeaders(header), edge)).toBe(address)
})

test('the headers of a socket may begin with capitals', () => {
  const headers = { 'X-Distribution-Secret': secret, 'CloudFront-Viewer-Address': '203.0.113.7:50123' }
  expect(addressOf(headers, edge)).toBe('203.0.113.7')
})

test('a caller that bypasses the distribution cannot forge an address: the gateway’s address counts', () => {
  const forged = forwardedHeaders('203.0.113.7:50123')
  const { 'x-distribution-secret': _, ...withoutSecret } = forged
  expect(addressOf(withoutSecret, '198.51.100.9')).toBe('198.51.100.9')
  for (const guess of ['', `${secret}!`, secret.toUpperCase()])
    expect(addressOf({ ...forged, 'x-distribution-secret': guess }, '198.51.100.9'), guess).toBe('198.51.100.9')
})

test('in a stage without a distribution, the server ignores the headers of a distribution', () => {
  for (const noSecret of [undefined, '']) {
    vi.stubEnv('DISTRIBUTION_SECRET', noSecret)
    for (const guess of ['', 'undefined', secret])
      expect(addressOf({ ...forwardedHeaders('203.0.113.7:50123'), 'x-distribution-secret': guess }, '127.0.0.1')).toBe(
        '127.0.0.1',
      )
  }
})

test('an invalid address falls back to the edge’s address', () => {
  for (const header of ['', 'unknown', '203.0.113:50123', '203.0.113.7, 198.51.100.9:50123'])
    expect(addressOf(forwardedHeaders(header), edge), header).toBe(edge)
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
])('a rate limit for %s applies to %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
