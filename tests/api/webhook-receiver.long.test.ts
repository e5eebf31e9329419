import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { openReceiver } from '../kit/receiver.ts'
import { endEngine, type Stack, startStack, temporaryFolder } from '../kit/stack.ts'

// Real-world receivers: each response and each failure has its own log entry, and no receiver delays another. The
// response timeout here is a second.

const environment = { WEBHOOK_LOOPBACK: 'on', WEBHOOK_ANSWER_SECONDS: '1' }

let stack: Stack
let http: Client
let boss: Registered
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  stack = await startStack({ environment, harsh: true })
  cleanups.push(stack.stop)
  http = client(stack.address)
  boss = await register(http)
})
afterAll(async () => {
  for (const end of cleanups.toReversed()) await end()
})

/** Listens on a free port until the end, and returns the port. */
const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The log entry of a test delivery to an address. */
const tryOut = async (url: string) => {
  const { id } = await http.call('webhooks/endpoint/add', { url, events: [] }, boss)
  await http.call('webhooks/endpoint/test', { id }, boss)
  const [delivery] = await eventually(
    async () => (await http.call('webhooks/log/grid', { filters: { webhook: id } }, boss)).list,
    ([first]) => expect(first?.state).toMatch(/^(done|failed)$/),
    20,
  )
  await http.call('webhooks/endpoint/delete', { id }, boss)
  expect(delivery?.attempts).toHaveLength(1)
  const { state, attempts: [{ status, error, answer } = {}] = [] } = delivery ?? {}
  return { state, status, error, answer }
}

const tryHttp = async (listener: RequestListener) => tryOut(`http://127.0.0.1:${await listen(createServer(listener))}/`)

let number = 100
const hire = () =>
  http.call(
    'employee/add',
    { first_name: 'Ada', last_name: 'Byron', workno: String(number++), department: boss.department },
    boss,
  )

describe('a receiver', () => {
  test.each([200, 201, 204, 299])('that answers %s has accepted the event', async status => {
    expect(await tryHttp((_, response) => response.writeHead(status).end())).toMatchObject({ state: 'done', status })
  })

  test.each([300, 304, 400, 401, 404, 410, 429, 500, 502, 503])(
    'that answers %s has not accepted the event',
    async status => {
      expect(await tryHttp((_, response) => response.writeHead(status).end())).toMatchObject({
        state: 'failed',
        status,
      })
    },
  )

  test.each([301, 302, 303, 307, 308])('that redirects with %s is not followed', async status => {
    const requestedUrls: (string | undefined)[] = []
    const outcome = await tryHttp(({ url }, response) => {
      requestedUrls.push(url)
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    expect(outcome).toMatchObject({ state: 'failed', status })
    expect(requestedUrls).toEqual(['/'])
  })

  test('that never answers, or answers byte by byte, times out', async () => {
    const outcomes = await Promise.all([
      tryHttp(() => undefined),
      tryHttp((_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write('.'), 50)
        response.on('close', () => clearInterval(timer))
      }),
      tryOut(
        `http://127.0.0.1:${await listen(
          createSocketServer(socket => {
            const timer = setInterval(() => socket.write('H'), 50)
            socket.on('error', () => undefined).on('close', () => clearInterval(timer))
          }),
        )}/`,
      ),
    ])
    // This receiver never completes a line of its response.
    expect(outcomes.slice(0, 2)).toMatchObject([
      { state: 'failed', error: 'timeout' },
      { state: 'failed', error: 'timeout' },
    ])
    expect(outcomes[2]).toMatchObject({ state: 'failed', error: expect.stringMatching(/^(timeout|broken)$/) })
  })

  test('that answers without end is read only up to the stored length', async () => {
    const outcome = await tryHttp((_, response) => {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', pour)
      pour()
    })
    expect(outcome).toEqual({ state: 'done', status: 200, error: undefined, answer: 'x'.repeat(2048) })
  })

  test('that breaks off gets another error than a receiver that does not listen', async () => {
    expect(await tryHttp(({ socket }) => socket.resetAndDestroy())).toMatchObject({ error: 'broken' })
    const closed = createServer()
    const port = await listen(closed)
    closed.close()
    await once(closed, 'close')
    expect(await tryOut(`http://127.0.0.1:${port}/`)).toMatchObject({ state: 'failed', error: 'connect' })
    expect(await tryOut('https://nobody.invalid/')).toMatchObject({ state: 'failed', error: 'dns' })
  })

  test('that switches to another protocol is disconnected at once', async () => {
    const upgrading = createSocketServer(socket =>
      socket.on('error', () => undefined).write('HTTP/1.1 101 So\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    )
    const outcome = await tryOut(`http://127.0.0.1:${await listen(upgrading)}/`)
    expect(outcome).toMatchObject({ state: 'failed', error: 'broken' })
  })

  test('without a certificate, or with an untrusted certificate, is not trusted', async () => {
    const pem = readFileSync(new URL('../given/untrusted.pem', import.meta.url))
    let requestCount = 0
    const untrusted = createTlsServer({ key: pem, cert: pem }, (_, response) => {
      requestCount++
      response.end()
    })
    expect(await tryOut(`https://127.0.0.1:${await listen(untrusted)}/`)).toMatchObject({
      state: 'failed',
      error: 'tls',
    })
    const plain = createSocketServer(socket => socket.on('error', () => undefined).end('no handshake of mine\r\n'))
    expect(await tryOut(`https://127.0.0.1:${await listen(plain)}/`)).toMatchObject({ state: 'failed', error: 'tls' })
    expect(requestCount).toBe(0)
  })

  test.each([
    ['120', 120],
    ['120.1', 120.1],
    ['soon', 4],
  ])('that asks for a retry after %s is left alone that long', async (after, seconds) => {
    const receiver = await openReceiver({ http, boss }, ['employee'], response =>
      response.writeHead(429, { 'retry-after': after }).end(),
    )
    cleanups.push(receiver.close)
    await hire()
    const [delivery] = await eventually(receiver.log, ([first]) => expect(first?.attempts).toHaveLength(1))
    const { at = '', milliseconds = 0 } = delivery?.attempts[0] ?? {}
    const waitMilliseconds = Date.parse(delivery?.nextAt ?? '') - Date.parse(at) - milliseconds
    expect(delivery).toMatchObject({ state: 'due', attempts: [{ status: 429 }] })
    expect(waitMilliseconds).toBeGreaterThanOrEqual(seconds * 1000 - 1)
    // The standard wait after a second attempt would be at least 240 s.
    expect(waitMilliseconds).toBeLessThan(240_000)
    await receiver.remove()
  })

  test('with a new secret verifies with either secret while the former secret is valid', async () => {
    const receiver = await openReceiver({ http, boss }, ['employee'])
    cleanups.push(receiver.close)
    const { secret } = await http.call('webhooks/endpoint/rotate', { id: receiver.id }, boss)
    await hire()
    const [request] = await eventually(
      async () => receiver.heard,
      ({ length }) => expect(length).toBe(1),
    )
    const { body = '', headers = {} } = request ?? {}
    expect(secret).not.toBe(receiver.secret)
    for (const signingSecret of [secret, receiver.secret])
      expect(new Webhook(signingSecret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(body, headers)).toThrow()
    expect(receiver.refused).toEqual([])
    await receiver.remove()
  })

  test('that hangs with its maximum of concurrent deliveries does not delay other receivers', async () => {
    const hanging = await openReceiver({ http, boss }, ['employee'], () => undefined)
    const quick = await openReceiver({ http, boss }, ['employee'])
    cleanups.push(hanging.close, quick.close)
    for (let count = 0; count < 12; count++) await hire()
    await eventually(
      async () => quick.heard,
      ({ length }) => expect(length).toBe(12),
    )
    expect((await hanging.log()).filter(({ state }) => state === 'done')).toEqual([])
    await hanging.remove()
    await quick.remove()
  })
})

test('the server sends a delivery again under the same id after a kill has interrupted it', async () => {
  const data = temporaryFolder()
  let stack = await startStack({ data, environment })
  try {
    const api = client(stack.address)
    const owner = await register(api)
    let isKilling = true
    const kills: Promise<void>[] = []
    // The events of the registration may still be on their way.
    const isOfPerson = ({ body }: { body: string }) => body.includes('Byron')
    const receiver = await openReceiver({ http: api, boss: owner }, ['employee'], (response, received) => {
      // The event has been sent, but the delivery is not stored as done yet.
      if (isKilling && received.slice(-1).some(isOfPerson)) kills.push(stack.kill9())
      else response.writeHead(204).end()
    })
    cleanups.push(receiver.close)
    const person = { first_name: 'Ada', last_name: 'Byron', workno: '100', department: owner.department }
    await api.call('employee/add', person, owner)
    await eventually(
      async () => kills.length,
      count => expect(count).toBeGreaterThan(0),
      30,
    )
    await Promise.all(kills)
    isKilling = false
    stack = await startStack({ data, environment })
    const deliveries = await eventually(
      async () => receiver.heard.filter(isOfPerson),
      ({ length }) => expect(length).toBeGreaterThan(1),
      30,
    )
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1)
    const [delivery] = await eventually(
      async () =>
        (await client(stack.address).call('webhooks/log/grid', { filters: { webhook: receiver.id } }, owner)).list,
      list => expect(list.find(({ event }) => event === deliveries[0]?.id)?.state).toBe('done'),
    ).then(list => list.filter(({ event }) => event === deliveries[0]?.id))
    expect(delivery).toMatchObject({ attempts: [{ status: 204 }] })
    expect(receiver.refused).toEqual([])
  } finally {
    await stack.stop()
    endEngine(data)
    rmSync(data, { recursive: true, force: true })
  }
})
