import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { checkedLookup, isOpenUrl, isPublicAddress } from '../../functions/kit/webhook-address.ts'
import { newWebhookSecret, shownSecretOf, sign } from '../../functions/kit/webhook-signature.ts'

// Signatures as the published library of Standard Webhooks reads them, and where a webhook may go.

const body = '{"test": 2432232314}'

describe('a signature', () => {
  test('is the one of the standard’s own vector', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1614265330_000, body }
    expect(sign(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('is verified by the standard’s library with either secret while one takes the place of the other', () => {
    const [now, before] = [newWebhookSecret(), shownSecretOf('twenty-four-letters-each')]
    const headers = { ...sign([now, before], { id: 'msg_1', at: Date.now(), body }) }
    for (const secret of [now, before]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow()
    expect(() => new Webhook(now).verify(`${body} `, headers)).toThrow()
    const late = { ...sign([now], { id: 'msg_1', at: Date.now() - 600_000, body }) }
    expect(() => new Webhook(now).verify(body, late)).toThrow()
  })
})

describe('where a webhook may go', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is of the internet',
    address => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1', '172.31.9.9'],
    ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.0.1', '198.51.100.1'],
    ...['203.0.113.7', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1'],
    ...['fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2001::1', '3fff::1', '100::1', '2002:7f00:1::1'],
    ...['64:ff9b::8.8.8.8', '64:ff9b:1::1', '5f00::1', 'no address'],
  ])('%s is not', address => expect(isPublicAddress(address)).toBe(false))

  test('an address of its own port and path is fine', () => {
    expect(isOpenUrl('https://hooks.example.com:8443/a?b=c')).toBe(true)
    expect(isOpenUrl('https://8.8.8.8/')).toBe(true)
  })

  test('a name that stands for this machine is refused when a socket asks for it', async () => {
    const refused = await new Promise<NodeJS.ErrnoException | null>(resolve =>
      checkedLookup('localhost', { all: true }, error => resolve(error)),
    )
    expect(refused).toMatchObject({ code: 'ADDRESS_CLOSED' })
  })
})
