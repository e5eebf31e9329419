import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { checked, checkedLookup, isOpenUrl, isPublicAddress } from '../../functions/webhooks/address.ts'
import { bodyOfEvent } from '../../functions/webhooks/body.ts'
import { newWebhookSecret, shownSecretOf, sign } from '../../functions/webhooks/signature.ts'
import { hears } from '../../functions/webhooks/store.ts'
import type { Device } from '../../shared/device.ts'
import type { Employee } from '../../shared/employee.ts'
import {
  delaysSeconds,
  isHalfHopeless,
  isHopeless,
  nextTryMilliseconds,
  readRetryAfter,
} from '../../shared/webhooks/delivery.ts'
import { eventsOfGroup, happened } from '../../shared/webhooks/event.ts'
import { eventBody, eventData, eventSamples } from '../../shared/webhooks/shape.ts'

// Tests signatures against the Standard Webhooks library, and the allowed addresses, retries and events of webhooks.

const body = '{"test": 2432232314}'

describe('a signature', () => {
  test('matches the vector of the standard', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1614265330_000, body }
    expect(sign(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('is the HMAC of id, second and body under each secret', () => {
    const secrets = [newWebhookSecret(), shownSecretOf('whsec_c2VjcmV0')]
    const text = 'Ελληνικά 打卡 👋'
    const expected = secrets.map(secret => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`msg_2.1614265330.${text}`).digest('base64')}`
    })
    const signed = sign(secrets, { id: 'msg_2', at: 1614265330_999, body: text })
    expect(signed['webhook-signature']).toBe(expected.join(' '))
  })

  test('verifies in the standard’s library with either secret during a rotation', () => {
    const [current, previous] = [newWebhookSecret(), shownSecretOf('twenty-four-letters-each')]
    const headers = { ...sign([current, previous], { id: 'msg_1', at: Date.now(), body }) }
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow()
    expect(() => new Webhook(current).verify(`${body} `, headers)).toThrow()
    const late = { ...sign([current], { id: 'msg_1', at: Date.now() - 600_000, body }) }
    expect(() => new Webhook(current).verify(body, late)).toThrow()
  })

  test('accepts a secret without padding, and the secret is always shown with its padding', () => {
    const bytes = 'A'.repeat(43)
    for (const typed of [bytes, `${bytes}=`, `${bytes}==`])
      expect(shownSecretOf(`whsec_${typed}`)).toBe(`whsec_${bytes}=`)
  })
})

describe('the address of a webhook', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    address => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1', '172.31.9.9'],
    ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.0.1', '198.51.100.1'],
    ...['203.0.113.7', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', '::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1'],
    ...['fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2001::1', '3fff::1', '100::1', '2002:7f00:1::1'],
    ...['64:ff9b::8.8.8.8', '64:ff9b:1::1', '5f00::1', 'no address'],
  ])('%s is not public', address => expect(isPublicAddress(address)).toBe(false))

  test('may have a port and a path', () => {
    expect(isOpenUrl('https://hooks.example.com:8443/a?b=c')).toBe(true)
    expect(isOpenUrl('https://8.8.8.8/')).toBe(true)
  })

  test('is refused on connecting if its name resolves to this machine', async () => {
    const refused = await new Promise<NodeJS.ErrnoException | null>(resolve =>
      checkedLookup('localhost', { all: true }, error => resolve(error)),
    )
    expect(refused).toMatchObject({ code: 'ADDRESS_CLOSED' })
  })
})

describe('a name that resolves differently each time', () => {
  /** Resolves the name several times. Returns each address or error, and the number of lookups. */
  const resolveTimes = async (answers: string[][], times: number) => {
    let asked = 0
    const lookup = checked((_, __, answer) => {
      const addresses = answers[asked++ % answers.length] ?? []
      answer(
        null,
        addresses.map(address => ({ address, family: isIP(address) })),
      )
    })
    const given: unknown[] = []
    for (let i = 0; i < times; i++)
      given.push(
        await new Promise(resolve =>
          lookup('rebind.example.com', { family: 0 }, (error, address) => resolve(error?.code ?? address)),
        ),
      )
    return { given, asked }
  }

  test('is resolved once per connection, and the connection uses the checked address', async () => {
    expect(await resolveTimes([['8.8.8.8'], ['127.0.0.1']], 3)).toEqual({
      given: ['8.8.8.8', 'ADDRESS_CLOSED', '8.8.8.8'],
      asked: 3,
    })
  })

  test.each([
    ['::ffff:127.0.0.1'],
    ['::ffff:7f00:1'],
    ['64:ff9b::7f00:1'],
    ['169.254.169.254'],
    ['0.0.0.0'],
    ['8.8.8.8', '10.0.0.1'],
    [],
  ])('is refused if it resolves to %s', async (...addresses) => {
    expect((await resolveTimes([addresses], 1)).given).toEqual(['ADDRESS_CLOSED'])
  })
})

describe('the next try', () => {
  test('follows the schedule of the standard within 20 %, with ten attempts in total', () => {
    const middle = Array.from({ length: 10 }, (_, i) => nextTryMilliseconds(i + 1, { chance: 0.5 }))
    expect(middle).toEqual([...delaysSeconds.map(seconds => seconds * 1000), undefined])
    expect([0, 1].map(chance => nextTryMilliseconds(2, { chance }))).toEqual([240_000, 360_000])
  })

  test('is later if the receiver asks for it, by at most an hour', () => {
    const delayFor = (retryAfterSeconds: number) => nextTryMilliseconds(1, { chance: 0.5, retryAfterSeconds })
    expect([delayFor(2), delayFor(120), delayFor(86_400)]).toEqual([5000, 120_000, 3_600_000])
  })

  test.each([
    ['120', 120],
    ['120.1', 120.1],
    ['Sun, 01 Nov 2026 00:01:00 GMT', 60],
    ['Sun, 01 Nov 2020 00:01:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    [undefined, undefined],
  ])('reads Retry-After %s as %s seconds', (text, seconds) =>
    expect(readRetryAfter(text, Date.UTC(2026, 10, 1))).toBe(seconds),
  )

  test('of an endpoint is hopeless after twenty failures and five days, half-hopeless after half of both', () => {
    const webhook = 'w'
    const failingSince = '2026-11-01T00:00:00.000Z'
    const [third, half, almost, late] = [3, 4, 5, 6].map(day => new Date(Date.UTC(2026, 10, day)).toISOString())
    expect(isHopeless({ webhook, failingSince, failedAt: late ?? '', failures: 20 })).toBe(true)
    expect(isHopeless({ webhook, failingSince, failedAt: almost ?? '', failures: 20 })).toBe(false)
    expect(isHopeless({ webhook, failingSince, failedAt: late ?? '', failures: 19 })).toBe(false)
    expect(isHalfHopeless({ webhook, failingSince, failedAt: half ?? '', failures: 10 })).toBe(true)
    expect(isHalfHopeless({ webhook, failingSince, failedAt: third ?? '', failures: 10 })).toBe(false)
    expect(isHalfHopeless({ webhook, failingSince, failedAt: half ?? '', failures: 9 })).toBe(false)
  })
})

describe('an event that is too long for a webhook', () => {
  test('contains only its id and a link', () => {
    process.env.SITE = 'https://hours.example.com'
    const of = { company: 'c', of: 'e 1', at: '2026-11-02T06:57:14.120Z' }
    const message = { type: 'event.happened', ...of, event: 'employee.updated', employee: 'e' } as const
    const { employee } = eventSamples['employee.updated']
    const details = (departments: string[]) => ({ id: 'e', data: { employee: { ...employee, departments } } })
    const short = eventBody.parse(JSON.parse(bodyOfEvent(message, details(['Research']))))
    expect(short).toMatchObject({ timestamp: of.at, data: { employee: { departments: ['Research'] } } })
    expect(short).not.toHaveProperty('link')
    const long = bodyOfEvent(message, details(Array.from({ length: 300 }, (_, i) => `Research ${i} ${'é'.repeat(40)}`)))
    expect(Buffer.byteLength(long)).toBeLessThan(500)
    expect(eventBody.parse(JSON.parse(long))).toMatchObject({
      type: 'employee.updated',
      data: { id: 'e' },
      link: 'https://hours.example.com/employee',
    })
  })
})

describe('an event', () => {
  test.each(Object.entries(eventData))('%s has a sample that exactly matches its shape', (type, shape) => {
    const sample = eventSamples[type as keyof typeof eventSamples]
    expect(shape.strict().parse(sample)).toEqual(sample)
  })

  test('of every group has a shape', () => {
    expect(Object.keys(eventData).toSorted()).toEqual(
      [...Object.values(eventsOfGroup).flat(), 'webhook.ping'].toSorted(),
    )
  })

  test('follows a visible change, and has a unique name', () => {
    const employee = { id: 'e', first_name: 'Ada', last_name: 'B', workno: '1', department: 'd', role: 3, version: 1 }
    const events = (old: Partial<Employee> | undefined, now: object | undefined) =>
      happened('EMPLOYEE', {
        company: 'c',
        at: '',
        ...(old && { old }),
        ...(now && { new: now as Record<string, unknown> }),
      })
    expect(events(undefined, employee)).toMatchObject([{ event: 'employee.created', of: 'e 1' }])
    expect(events(employee, { ...employee, workno: '2', version: 2 })).toMatchObject([{ event: 'employee.updated' }])
    expect(events(employee, { ...employee, account: 'a', version: 2 })).toEqual([])
    expect(events(employee, undefined)).toMatchObject([{ event: 'employee.deleted' }])
    expect(happened('SHIFT', { company: 'c', at: '', new: {} })).toEqual([])
  })

  test('follows a terminal that is bound, online, silent, or removed', () => {
    const device = { serialNumber: 'S', registeredAt: 'r', state: 'claimed', version: 1 } as Partial<Device>
    const bound = { ...device, state: 'bound', connection: 'x', firstOnlineAt: 'f', version: 2 }
    const events = (old: object | undefined, now: object | undefined) =>
      happened('DEVICE', {
        ...{ company: 'c', at: '' },
        ...(old && { old: old as Record<string, unknown> }),
        ...(now && { new: now as Record<string, unknown> }),
      }).map(({ event }) => event)
    expect(events(undefined, device)).toEqual([])
    expect(events(device, bound)).toEqual(['terminal.registered', 'terminal.online'])
    expect(events(bound, { ...bound, name: 'Gate' })).toEqual(['terminal.updated'])
    // A short disconnection causes no event, because the managed websocket ends each connection after two hours.
    expect(events(bound, { ...bound, connection: undefined })).toEqual([])
    expect(events(bound, { ...bound, isSilent: true })).toEqual(['terminal.offline'])
    expect(events({ ...bound, isSilent: true }, bound)).toEqual(['terminal.online'])
    expect(events(bound, undefined)).toEqual(['terminal.removed'])
    // A terminal that has never connected causes no event. A terminal that waits for the approval of other hardware was
    // online before.
    expect(events(device, undefined)).toEqual([])
    expect(events({ ...bound, state: 'claimed', connection: undefined }, undefined)).toEqual(['terminal.removed'])
  })

  test('follows a punch that is received, reassigned or removed, each with its time', () => {
    const received = '2026-11-02T06:57:14.120Z'
    const punch = { number: '7', localTime: '2026-11-02T08:57:12', sn: 'S', at: received, receivedAt: received }
    const reassigned = (at: string) => ({ ...punch, given: { task: 't', at } })
    const written = '2026-11-03T07:00:00.000Z'
    const events = (old: object | undefined, now: object | undefined) =>
      happened('PUNCH', {
        ...{ company: 'c', at: written },
        ...(old && { old: old as Record<string, unknown> }),
        ...(now && { new: now as Record<string, unknown> }),
      }).map(({ event, of, at }) => [event, of, at])
    const name = '7#2026-11-02T08:57:12#S'
    const [first, second] = ['2026-11-03T06:59:59.500Z', '2026-11-04T06:59:59.500Z']
    expect(events(undefined, punch)).toEqual([['record.created', `${name} ${received}`, received]])
    expect(events(punch, reassigned(first))).toEqual([['record.updated', `${name} ${first}`, first]])
    expect(events(reassigned(first), reassigned(second))).toEqual([['record.updated', `${name} ${second}`, second]])
    // An erasure removes the location of a punch. Webhooks contain no locations, so no event follows.
    expect(events({ ...punch, place: 'Gate' }, punch)).toEqual([])
    expect(events(punch, undefined)).toEqual([['record.deleted', `${name} ${received}`, written]])
  })

  test('of a day has its calculation time, and an event of a deleted day is never earlier', () => {
    const day = { employee: 'e', day: '2026-11-02', shift: 's', cause: { kind: 'punch' }, kind: 'work' }
    const row = { ...day, calculatedAt: '2026-11-03T07:00:00.900Z', lateMinutes: 7, exceptions: [] }
    const times = (at: string, old: object | undefined, now: object | undefined) =>
      happened('DAY', {
        ...{ company: 'c', at },
        ...(old && { old: old as Record<string, unknown> }),
        ...(now && { new: now as Record<string, unknown> }),
      }).map(({ at }) => at)
    expect(times('2026-11-03T07:00:01.000Z', undefined, row)).toEqual([row.calculatedAt])
    expect(times('2026-11-03T07:00:00.000Z', row, undefined)).toEqual([row.calculatedAt])
    expect(times('2026-11-03T09:00:00.000Z', row, undefined)).toEqual(['2026-11-03T09:00:00.000Z'])
  })

  test('of a correction has a name of its own, also after the correction before it was reverted', () => {
    const correction = (at: string, madeAt: string) => ({
      ...{ employee: 'e', punch: '7#2026-11-02T09:00:00#T1', recordedAt: '2026-11-02T07:00:00.000Z', version: 1 },
      ...{ at, reason: 'Forgot', by: 'm', madeAt },
    })
    const first = correction('2026-11-02T16:00:00.000Z', '2026-11-03T08:00:00.000Z')
    const second = correction('2026-11-02T16:30:00.000Z', '2026-11-03T08:05:00.000Z')
    const changes = [{ new: first }, { old: first }, { new: second }, { old: second }]
    const names = changes.flatMap(change => happened('CORRECTION', { company: 'c', at: '', ...change }))
    expect(names.map(({ event }) => event)).toEqual([
      'record.correction_updated',
      'record.correction_restored',
      'record.correction_updated',
      'record.correction_restored',
    ])
    expect(new Set(names.map(({ of }) => of)).size).toBe(4)
  })

  test('reaches no endpoint without developer mode', () => {
    const endpoint = { isOn: true, events: ['employee' as const] }
    const event = { event: 'employee.created' as const }
    expect(hears(endpoint, event)).toBe(true)
    vi.stubEnv('DEVELOPER_MODE', 'off')
    try {
      expect(hears(endpoint, event)).toBe(false)
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
