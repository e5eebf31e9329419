import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Delivery, deliveringKey, deliveryKey, deliveryLeaseKey } from '../../shared/webhooks/delivery.ts'
import { deliveriesAtOnce, webhookKey } from '../../shared/webhooks.ts'
import { eventually } from '../kit/client.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// The lease on the deliveries to an endpoint, while the table fails or the table or endpoint is slow. Only these tests
// start deliveries: no other process delivers, and no bus reports due events.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let outbox: typeof import('../../functions/webhooks/delivery.ts')
let deliverTo: typeof import('../../functions/webhooks/deliver.ts').deliverTo
let company: string
let webhook: string
const begun: (() => unknown)[] = []

beforeAll(async () => {
  world = await openWorld()
  // Delayed deliveries are soon due again.
  Object.assign(process.env, world.environment, { WEBHOOK_LOOPBACK: 'on', WEBHOOK_MOST_DELAY_SECONDS: '1' })
  kit = await import('../../functions/kit/table.ts')
  outbox = await import('../../functions/webhooks/delivery.ts')
  deliverTo = (await import('../../functions/webhooks/deliver.ts')).deliverTo
})
afterAll(() => world.close())
beforeEach(() => {
  company = `w${randomBytes(8).toString('hex').slice(1)}`
  webhook = `w${randomBytes(8).toString('hex').slice(1)}`
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const end of begun.splice(0)) end()
})

const table = () => kit.openTable(company)
const lease = () => table().get(deliveryLeaseKey(webhook))
const deliveries = () => table().all<Delivery>({ pk: deliveryKey(webhook, '').pk })
const deliver = () => deliverTo(company, webhook)

/** Listens on this machine until the test ends. */
const listen = async (server: Server) => {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    // A client that gives up may reset the connection.
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  begun.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Queues events for an endpoint and returns their ids. */
const queueEvents = async (url: string, count: number): Promise<string[]> => {
  const { sealSecret } = await import('../../functions/webhooks/secret.ts')
  const { newWebhookSecret } = await import('../../functions/webhooks/signature.ts')
  const secret = await sealSecret(company, webhook, newWebhookSecret())
  await kit.save(table().insert(webhookKey(webhook), { id: webhook, url, events: ['employee'], isOn: true, secret }))
  const events = Array.from({ length: count }, (_, i) => `msg_${i}`)
  for (const event of events) {
    const delivery = { event, type: 'employee.created' as const, body: '{}' }
    await kit.save(...outbox.tellWebhooks({ table: table(), company }, delivery, [webhook]).writes)
  }
  await outbox.pointAt(company, [webhook])
  return events
}

/** A receiver that the test answers, which records the events and counts open requests. */
const openSlow = async (hears: (event: string, response: ServerResponse) => void) => {
  const heard: string[] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    const event = String(request.headers['webhook-id'])
    heard.push(event)
    most = Math.max(most, ++open)
    response.once('finish', () => open--)
    request.resume()
    hears(event, response)
  })
  return { url: `http://${await listen(server)}`, heard, open: () => open, most: () => most }
}
const timesOf = (heard: string[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(heard, id => id)).map(([id, all]) => [id, all?.length]))

test('a run that cannot read endpoint health keeps its lease until every reply, and sends no event twice', async () => {
  const waiting: ServerResponse[] = []
  let hasFailed = false
  const receiver = await openSlow((event, response) => {
    if (event === 'msg_0' && !hasFailed) response.writeHead(500).end()
    else if (hasFailed) response.writeHead(204).end()
    else waiting.push(response)
  })
  const [failing = '', ...others] = await queueEvents(receiver.url, deliveriesAtOnce)
  rightBefore(
    input => input.includes('WEBHOOK_HEALTH'),
    async () => {
      await eventually(
        async () => waiting.length,
        count => expect(count).toBe(others.length),
      )
      hasFailed = true
      throw new Error('Throttled')
    },
  )
  const run = deliver().then(
    () => 'ended',
    error => [String(error), receiver.open()],
  )
  await eventually(
    async () => hasFailed,
    is => expect(is).toBe(true),
  )
  // The failed run keeps its lease.
  const held = await lease()
  await eventually(lease, renewed => expect(renewed?.version).toBeGreaterThan((held?.version ?? 0) + 1), 5)
  for (const response of waiting) response.writeHead(204).end()
  expect(await run).toEqual(['Error: Throttled', 0])
  await deliver()
  expect((await deliveries()).map(({ state }) => state)).toEqual(Array(deliveriesAtOnce).fill('done'))
  expect(timesOf(receiver.heard)).toEqual({ [failing]: 2, ...Object.fromEntries(others.map(id => [id, 1])) })
  expect(receiver.most()).toBeLessThanOrEqual(deliveriesAtOnce)
})

test('a run that cannot renew its lease starts no delivery, and the next run sends each event once', async () => {
  const waiting: ServerResponse[] = []
  let isOver = false
  const receiver = await openSlow((_, response) => {
    if (isOver) response.writeHead(204).end()
    else waiting.push(response)
  })
  const events = await queueEvents(receiver.url, 2 * deliveriesAtOnce)
  const renewal = Promise.withResolvers<void>()
  rightBefore(
    input => input.includes('DELIVERY_LEASE') && input.includes('#version'),
    () => renewal.promise,
  )
  const first = deliver()
  await eventually(
    async () => waiting.length,
    count => expect(count).toBe(deliveriesAtOnce),
  )
  // The test starts runs repeatedly, as the scheduler does, until the lease of the first run expires.
  let isEnded = false
  const second = (async () => {
    while (!isEnded && receiver.heard.length === deliveriesAtOnce) await deliver()
  })()
  await eventually(
    async () => waiting.length,
    count => expect(count).toBe(2 * deliveriesAtOnce),
  )
  // The first run is still alive, and now receives its replies.
  isOver = true
  for (const response of waiting.splice(0, deliveriesAtOnce)) response.writeHead(204).end()
  await eventually(deliveries, list =>
    expect(list.filter(({ state }) => state === 'done').length).toBeGreaterThanOrEqual(deliveriesAtOnce),
  )
  renewal.resolve()
  await first
  expect(receiver.heard).toHaveLength(2 * deliveriesAtOnce)
  for (const response of waiting) response.writeHead(204).end()
  await second
  isEnded = true
  const times = timesOf(receiver.heard)
  expect(events.map(event => times[event])).toEqual([
    ...Array(deliveriesAtOnce).fill(2),
    ...Array(deliveriesAtOnce).fill(1),
  ])
})

test('a run that slept past its lease leaves the lease to the new holder', async () => {
  const waiting: ServerResponse[] = []
  const receiver = await openSlow((_, response) => waiting.push(response))
  await queueEvents(receiver.url, 1)
  const first = deliver()
  await eventually(
    async () => waiting.length,
    count => expect(count).toBe(1),
  )
  const { now } = performance
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 10_000)
  // Another run has taken over and released the lease, and a third run holds it now.
  const other = { heldAt: new Date().toISOString(), expiresAt: Math.floor(Date.now() / 1000) + 60 }
  await kit.save(table().remove(deliveryLeaseKey(webhook)))
  await kit.save(table().insert(deliveryLeaseKey(webhook), other))
  for (const response of waiting) response.writeHead(204).end()
  await first
  expect(await lease()).toMatchObject({ ...other, version: 1 })
})

test('an event for an endpoint disabled before the last try fails without an attempt', async () => {
  await queueEvents('http://127.0.0.1:9/', 1)
  const off = await table().get(webhookKey(webhook))
  await kit.save(table().replace(webhookKey(webhook), { ...(off as NonNullable<typeof off>), isOn: false }))
  await deliver()
  expect(await deliveries()).toMatchObject([{ state: 'failed', tries: 0, attempts: [] }])
})

test('the server backs off from an endpoint that never completes the TLS handshake', async () => {
  const url = `https://${await listen(createSocketServer())}`
  await queueEvents(url, 6 * deliveriesAtOnce)
  await deliver()
  const attempts = (await deliveries()).flatMap(delivery => delivery.attempts)
  expect(new Set(attempts.map(({ error }) => error))).toEqual(new Set(['connect']))
  // The deliveries already under way may hang once more.
  expect(attempts.length).toBeLessThan(4 * deliveriesAtOnce)
  // No run holds the lease, and no run may take it before the back-off ends.
  const left = await lease()
  expect(left).toBeDefined()
  expect(left).not.toHaveProperty('heldAt')
  await deliver()
  expect((await deliveries()).flatMap(delivery => delivery.attempts)).toHaveLength(attempts.length)
  const pointer = await kit.directory().get(deliveringKey({ company, webhook }))
  expect(Date.parse(pointer?.at ?? '')).toBeGreaterThan(Date.now())
})
