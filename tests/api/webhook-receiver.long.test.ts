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

// Receivers as there are outside: each answer, and each way to give none, has its place in the log, and none of them holds anybody up.
// An answer is waited for a second here.

const environment = { WEBHOOK_LOOPBACK: 'on', WEBHOOK_ANSWER_SECONDS: '1' }

let stack: Stack
let http: Client
let boss: Registered
const begun: (() => unknown)[] = []

beforeAll(async () => {
  stack = await startStack({ environment, harsh: true })
  begun.push(stack.stop)
  http = client(stack.address)
  boss = await register(http)
})
afterAll(async () => {
  for (const end of begun.toReversed()) await end()
})

/** Listens on a free port of this machine until the end, and answers the port. */
const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  begun.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** What the log says of a test that was sent to an address. */
const tryOut = async (url: string) => {
  const { id } = await http.call('webhooks/endpoint/add', { url, events: [] }, boss)
  await http.call('webhooks/endpoint/test', { id }, boss)
  const [told] = await eventually(
    async () => (await http.call('webhooks/log/grid', { filters: { webhook: id } }, boss)).list,
    ([first]) => expect(first?.state).toMatch(/^(done|failed)$/),
    20,
  )
  await http.call('webhooks/endpoint/delete', { id }, boss)
  expect(told?.attempts).toHaveLength(1)
  const { state, attempts: [{ status, error, answer } = {}] = [] } = told ?? {}
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
  test.each([200, 201, 204, 299])('that answers %s has taken it', async status => {
    expect(await tryHttp((_, response) => response.writeHead(status).end())).toMatchObject({ state: 'done', status })
  })

  test.each([300, 304, 400, 401, 404, 410, 429, 500, 502, 503])('that answers %s has not', async status => {
    expect(await tryHttp((_, response) => response.writeHead(status).end())).toMatchObject({ state: 'failed', status })
  })

  test.each([301, 302, 303, 307, 308])('is not followed by %s', async status => {
    const asked: (string | undefined)[] = []
    const outcome = await tryHttp(({ url }, response) => {
      asked.push(url)
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    expect(outcome).toMatchObject({ state: 'failed', status })
    expect(asked).toEqual(['/'])
  })

  test('that never answers, and those that answer drop by drop, are given up', async () => {
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
    // The last one never says anything that is an answer.
    expect(outcomes.slice(0, 2)).toMatchObject([
      { state: 'failed', error: 'timeout' },
      { state: 'failed', error: 'timeout' },
    ])
    expect(outcomes[2]).toMatchObject({ state: 'failed', error: expect.stringMatching(/^(timeout|broken)$/) })
  })

  test('that answers without end is read as far as is kept', async () => {
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

  test('that breaks off, or is not there, is told apart', async () => {
    expect(await tryHttp(({ socket }) => socket.resetAndDestroy())).toMatchObject({ error: 'broken' })
    const closed = createServer()
    const port = await listen(closed)
    closed.close()
    await once(closed, 'close')
    expect(await tryOut(`http://127.0.0.1:${port}/`)).toMatchObject({ state: 'failed', error: 'connect' })
    expect(await tryOut('https://nobody.invalid/')).toMatchObject({ state: 'failed', error: 'dns' })
  })

  test('that would speak another protocol is let go at once', async () => {
    const other = createSocketServer(socket =>
      socket.on('error', () => undefined).write('HTTP/1.1 101 So\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    )
    const outcome = await tryOut(`http://127.0.0.1:${await listen(other)}/`)
    expect(outcome).toMatchObject({ state: 'failed', error: 'broken' })
  })

  test('is not trusted without a certificate somebody vouches for, or without one at all', async () => {
    const pem = readFileSync(new URL('../given/untrusted.pem', import.meta.url))
    let asked = 0
    const own = createTlsServer({ key: pem, cert: pem }, (_, response) => {
      asked++
      response.end()
    })
    expect(await tryOut(`https://127.0.0.1:${await listen(own)}/`)).toMatchObject({ state: 'failed', error: 'tls' })
    const plain = createSocketServer(socket => socket.on('error', () => undefined).end('no handshake of mine\r\n'))
    expect(await tryOut(`https://127.0.0.1:${await listen(plain)}/`)).toMatchObject({ state: 'failed', error: 'tls' })
    expect(asked).toBe(0)
  })

  test.each([
    ['120', 120],
    ['120.1', 120.1],
    ['soon', 4],
  ])('that asks to come again after %s is left alone so long', async (after, seconds) => {
    const receiver = await openReceiver({ http, boss }, ['employee'], response =>
      response.writeHead(429, { 'retry-after': after }).end(),
    )
    begun.push(receiver.close)
    await hire()
    const [told] = await eventually(receiver.log, ([first]) => expect(first?.attempts).toHaveLength(1))
    const { at = '', milliseconds = 0 } = told?.attempts[0] ?? {}
    const waits = Date.parse(told?.nextAt ?? '') - Date.parse(at) - milliseconds
    expect(told).toMatchObject({ state: 'due', attempts: [{ status: 429 }] })
    expect(waits).toBeGreaterThanOrEqual(seconds * 1000 - 1)
    // Less than the second try waits by itself.
    expect(waits).toBeLessThan(240_000)
    await receiver.remove()
  })

  test('with a new secret verifies by either while the old one is good', async () => {
    const receiver = await openReceiver({ http, boss }, ['employee'])
    begun.push(receiver.close)
    const { secret } = await http.call('webhooks/endpoint/rotate', { id: receiver.id }, boss)
    await hire()
    const [heard] = await eventually(
      async () => receiver.heard,
      ({ length }) => expect(length).toBe(1),
    )
    const { body = '', headers = {} } = heard ?? {}
    expect(secret).not.toBe(receiver.secret)
    for (const one of [secret, receiver.secret])
      expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(body, headers)).toThrow()
    expect(receiver.refused).toEqual([])
    await receiver.remove()
  })

  test('that hangs with all it may have under way holds up nobody else', async () => {
    const hanging = await openReceiver({ http, boss }, ['employee'], () => undefined)
    const quick = await openReceiver({ http, boss }, ['employee'])
    begun.push(hanging.close, quick.close)
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

test('what was sent when the worker was killed is sent again by the same id, and nothing is lost', async () => {
  const data = temporaryFolder()
  let victim = await startStack({ data, environment })
  try {
    const mine = client(victim.address)
    const chief = await register(mine)
    let isKilling = true
    const kills: Promise<void>[] = []
    // A stack that has just begun may tell late of the chief as well.
    const isOfPerson = ({ body }: { body: string }) => body.includes('Byron')
    const receiver = await openReceiver({ http: mine, boss: chief }, ['employee'], (response, heard) => {
      // It has been sent, and nothing of that is written down yet.
      if (isKilling && heard.slice(-1).some(isOfPerson)) kills.push(victim.kill9())
      else response.writeHead(204).end()
    })
    begun.push(receiver.close)
    const person = { first_name: 'Ada', last_name: 'Byron', workno: '100', department: chief.department }
    await mine.call('employee/add', person, chief)
    await eventually(
      async () => kills.length,
      count => expect(count).toBeGreaterThan(0),
      30,
    )
    await Promise.all(kills)
    isKilling = false
    victim = await startStack({ data, environment })
    const again = await eventually(
      async () => receiver.heard.filter(isOfPerson),
      ({ length }) => expect(length).toBeGreaterThan(1),
      30,
    )
    expect(new Set(again.map(({ id }) => id)).size).toBe(1)
    const [told] = await eventually(
      async () =>
        (await client(victim.address).call('webhooks/log/grid', { filters: { webhook: receiver.id } }, chief)).list,
      list => expect(list.find(({ event }) => event === again[0]?.id)?.state).toBe('done'),
    ).then(list => list.filter(({ event }) => event === again[0]?.id))
    expect(told).toMatchObject({ attempts: [{ status: 204 }] })
    expect(receiver.refused).toEqual([])
  } finally {
    await victim.stop()
    endEngine(data)
    rmSync(data, { recursive: true, force: true })
  }
})
