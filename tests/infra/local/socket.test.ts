import { createServer, type Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { listen } from '../../../infra/local/gateway/http.ts'
import { type Limits, managedLimits, openSockets, type Sockets, watchFrames } from '../../../infra/local/socket.ts'
import { eventually } from '../../kit/client.ts'

type Event = APIGatewayProxyWebsocketEventV2 & { headers?: Record<string, string>; queryStringParameters?: object }
type Answer = { statusCode: number; headers?: Record<string, string>; body?: string } | undefined

let server: Server
let sockets: Sockets
let address: string
let heard: Event[]
let complaints: string[]
let answer: (event: Event) => Answer | Promise<Answer>

const open = async (limits: Partial<Limits> = {}) => {
  sockets = openSockets({ ...managedLimits, ...limits }, sentence => complaints.push(sentence))
  sockets.serve(async event => {
    heard.push(event as Event)
    return answer(event as Event)
  })
  server = createServer()
  server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket, head))
  address = `ws://127.0.0.1:${await listen(server, 0)}`
}
const close = async () => {
  await sockets.stop()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
}

beforeEach(async () => {
  heard = []
  complaints = []
  answer = () => ({ statusCode: 200 })
  await open()
})
afterEach(close)

const reconnect = async (limits: Partial<Limits>) => {
  await close()
  await open(limits)
}

const connect = async (path = '/web', headers: Record<string, string> = {}) => {
  const socket = new WebSocket(`${address}${path}`, { headers })
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  const failed = new Promise<number>(resolve => {
    socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode))
    socket.on('error', () => undefined)
  })
  const opened = new Promise<void>(resolve => socket.on('open', () => resolve()))
  const refused = await Promise.race([failed, opened])
  return { socket, messages, closed, refused }
}
const routes = () => heard.map(({ requestContext }) => requestContext.routeKey)
const idOf = (event: Event | undefined) => event?.requestContext.connectionId ?? ''

describe('a connection', () => {
  test('calls the handler with its path, headers and address, then with each message and the disconnect', async () => {
    const { socket, closed } = await connect('/web?c=100&k=secret', { origin: 'http://here' })
    socket.send('hello')
    await eventually(
      async () => heard.length,
      count => expect(count).toBe(2),
    )
    socket.close(4001, 'bye')
    await closed
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect', '$default', '$disconnect']),
    )
    const [first, second, third] = heard
    expect(first).toMatchObject({
      headers: { origin: 'http://here' },
      queryStringParameters: { c: '100', k: 'secret' },
      requestContext: { eventType: 'CONNECT', stage: 'web', identity: { sourceIp: '127.0.0.1' } },
    })
    expect(second).toMatchObject({ body: 'hello', isBase64Encoded: false, requestContext: { eventType: 'MESSAGE' } })
    expect(third).toMatchObject({ requestContext: { disconnectStatusCode: 4001, disconnectReason: 'bye' } })
    expect(new Set(heard.map(idOf)).size).toBe(1)
  })

  test('uses the subprotocol that the handler names, and otherwise none', async () => {
    const offer = async () => {
      const socket = new WebSocket(`${address}/web`, ['one', 'two'])
      const response = Promise.withResolvers<string | undefined>()
      socket.on('upgrade', ({ headers }) => response.resolve(headers['sec-websocket-protocol']))
      socket.on('error', () => undefined)
      const named = await response.promise
      socket.terminate()
      return named
    }
    expect(await offer()).toBeUndefined()
    answer = () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'two' } })
    expect(await offer()).toBe('two')
    expect(heard[0]?.headers).toMatchObject({ 'sec-websocket-protocol': 'one,two' })
  })

  test('does not open if the handler refuses it, and then the handler gets no disconnect', async () => {
    answer = () => ({ statusCode: 403 })
    expect((await connect()).refused).toBe(403)
    answer = () => Promise.reject(new Error('broken'))
    expect((await connect()).refused).toBe(502)
    await wait(50)
    expect(routes()).toEqual(['$connect', '$connect'])
    expect(complaints).toEqual([expect.stringContaining('broken')])
    expect(sockets.count()).toBe(0)
  })

  test('whose client leaves during its admission gets a disconnect', async () => {
    const release = Promise.withResolvers<void>()
    answer = async () => {
      await release.promise
      return { statusCode: 200 }
    }
    const socket = new WebSocket(`${address}/web`)
    socket.on('error', () => undefined)
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect']),
    )
    socket.terminate()
    await wait(100)
    release.resolve()
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect', '$disconnect']),
    )
    expect(new Set(heard.map(idOf)).size).toBe(1)
    expect(sockets.count()).toBe(0)
  })

  test('whose client leaves before its turn does not reach the handler', async () => {
    await reconnect({ messagesAtOnce: 1 })
    const release = Promise.withResolvers<void>()
    answer = async ({ body }) => {
      if (body === 'slow') await release.promise
      return { statusCode: 200 }
    }
    const admitted = await connect()
    admitted.socket.send('slow')
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect', '$default']),
    )
    const gone = new WebSocket(`${address}/web`)
    gone.on('error', () => undefined)
    await wait(100)
    gone.terminate()
    await wait(100)
    release.resolve()
    const late = await connect()
    expect(late.refused).toBeUndefined()
    expect(routes()).toEqual(['$connect', '$default', '$connect'])
    expect(sockets.count()).toBe(2)
  })

  test('is admitted in turn, with messages in order, unless its client leaves before its first message', async () => {
    await reconnect({ messagesAtOnce: 1 })
    const release = Promise.withResolvers<void>()
    answer = async ({ body }) => {
      if (body === 'slow') await release.promise
      return { statusCode: 200, body: `heard ${body}` }
    }
    const admitted = await connect()
    admitted.socket.send('reg')
    await eventually(
      async () => admitted.messages,
      list => expect(list).toEqual(['heard reg']),
    )
    const gone = await connect()
    for (const word of ['slow', 'log 1', 'log 2']) admitted.socket.send(word)
    await eventually(
      async () => heard,
      list => expect(list.at(-1)?.body).toBe('slow'),
    )
    gone.socket.send('said once')
    gone.socket.close()
    const lateIsIn = connect()
    await wait(100)
    expect(routes()).toEqual(['$connect', '$default', '$connect', '$default'])
    release.resolve()
    const late = await lateIsIn
    late.socket.send('reg too')
    await eventually(
      async () => late.messages,
      list => expect(list).toEqual(['heard reg too']),
    )
    await eventually(
      async () => admitted.messages,
      list => expect(list).toEqual(['heard reg', 'heard slow', 'heard log 1', 'heard log 2']),
    )
    const words = heard.flatMap(({ body }) => body ?? [])
    expect(words).toEqual(['reg', 'slow', 'log 1', 'log 2', 'reg too'])
    await eventually(
      async () => heard.filter(event => idOf(event) === idOf(heard[2])).map(event => event.requestContext.routeKey),
      list => expect(list).toEqual(['$connect', '$disconnect']),
    )
  })

  test('that closes after several messages passes them to the handler before its disconnect', async () => {
    await reconnect({ messagesAtOnce: 1 })
    const release = Promise.withResolvers<void>()
    answer = async ({ body }) => {
      if (body === 'slow') await release.promise
      return { statusCode: 200 }
    }
    const { socket } = await connect()
    for (const word of ['reg', 'slow', 'page']) socket.send(word)
    socket.close()
    await wait(100)
    expect(routes()).not.toContain('$disconnect')
    release.resolve()
    await eventually(
      async () => heard.map(({ body, requestContext }) => body ?? requestContext.routeKey),
      list => expect(list).toEqual(['$connect', 'reg', 'slow', 'page', '$disconnect']),
    )
  })

  test('is possible only at the paths of browsers and terminals', async () => {
    expect((await connect('/pub/chat')).refused).toBeUndefined()
    expect((await connect('/pub')).refused).toBe(404)
    expect((await connect('/web/more')).refused).toBe(404)
  })

  test('accepts no message from the handler before it is open or after it has ended', async () => {
    let early: boolean | undefined
    answer = async event => {
      if (event.requestContext.routeKey === '$connect')
        early = await sockets.send(idOf(event), Buffer.from('too early'))
      return { statusCode: 200 }
    }
    const { socket, messages, closed } = await connect()
    const id = idOf(heard[0])
    expect(early).toBe(false)
    expect(await sockets.send(id, Buffer.from('now'))).toBe(true)
    await eventually(
      async () => messages,
      list => expect(list).toEqual(['now']),
    )
    expect(sockets.end(id)).toBe(true)
    expect(await closed).toBe(1000)
    expect(await sockets.send(id, Buffer.from('late'))).toBe(false)
    expect(sockets.describe(id)).toBeUndefined()
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  })
})

describe('a message', () => {
  test('gets the response of the handler, or the error of the managed websocket if the handler throws', async () => {
    answer = ({ body, requestContext: { routeKey } }) => {
      if (body === 'break') throw new Error('broken')
      return { statusCode: 200, ...(routeKey === '$default' && { body: `heard ${body}` }) }
    }
    const { socket, messages } = await connect()
    socket.send('ü')
    await eventually(
      async () => messages,
      list => expect(list).toEqual(['heard ü']),
    )
    socket.send('break')
    await eventually(
      async () => messages.length,
      count => expect(count).toBe(2),
    )
    expect(JSON.parse(messages[1] ?? '')).toMatchObject({
      message: 'Internal server error',
      connectionId: idOf(heard[0]),
    })
  })

  test('does not wait for the previous message', async () => {
    const first = Promise.withResolvers<Answer>()
    answer = ({ body }) => (body === 'one' ? first.promise : { statusCode: 200, ...(body && { body }) })
    const { socket, messages } = await connect()
    socket.send('one')
    socket.send('two')
    await eventually(
      async () => messages,
      list => expect(list).toEqual(['two']),
    )
    first.resolve({ statusCode: 200, body: 'one' })
    await eventually(
      async () => messages,
      list => expect(list).toEqual(['two', 'one']),
    )
  })

  test('of 32 KB passes in one frame; a longer frame ends the connection with 1009 and is not handled', async () => {
    const { socket, closed } = await connect()
    socket.send('x'.repeat(32 * 1024))
    await eventually(
      async () => heard.length,
      count => expect(count).toBe(2),
    )
    socket.send('x'.repeat(32 * 1024 + 1))
    expect(await closed).toBe(1009)
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect', '$default', '$disconnect']),
    )
  })

  test('of 128 KB passes in several frames; a longer message ends the connection with 1009', async () => {
    const sendInParts = (socket: WebSocket, bytes: number) => {
      for (let sent = 0; sent < bytes; sent += 16 * 1024)
        socket.send('x'.repeat(Math.min(16 * 1024, bytes - sent)), { fin: sent + 16 * 1024 >= bytes })
    }
    const { socket, closed } = await connect()
    sendInParts(socket, 128 * 1024)
    await eventually(
      async () => heard[1]?.body?.length,
      length => expect(length).toBe(128 * 1024),
    )
    sendInParts(socket, 128 * 1024 + 1)
    expect(await closed).toBe(1009)
    await eventually(
      async () => routes(),
      list => expect(list).toEqual(['$connect', '$default', '$disconnect']),
    )
    expect(heard.at(-1)?.requestContext).toMatchObject({ disconnectStatusCode: 1009 })
  })

  test('of bytes instead of text ends the connection with 1003', async () => {
    const { socket, closed } = await connect()
    socket.send(Buffer.from('x'))
    expect(await closed).toBe(1003)
  })
})

test('the frame watcher follows frames, however their bytes are split', () => {
  const frame = (bytes: number) => {
    const length =
      bytes < 126
        ? [bytes]
        : bytes < 65_536
          ? [126, bytes >> 8, bytes & 255]
          : [127, 0, 0, 0, 0, 0, bytes >> 16, bytes >> 8, bytes & 255]
    const [first = 0, ...rest] = length
    return Buffer.from([129, 128 | first, ...rest, 1, 2, 3, 4, ...Buffer.alloc(bytes, 255)])
  }
  const allowed = Buffer.concat([0, 1, 125, 126, 127, 1000, 32_768, 5].map(frame))
  for (const size of [1, 2, 3, 7, 1000, allowed.length]) {
    let isTooLarge = false
    const watch = watchFrames(32_768, () => {
      isTooLarge = true
    })
    const feed = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += size) watch(bytes.subarray(at, at + size))
    }
    feed(allowed)
    expect(isTooLarge).toBe(false)
    feed(frame(size % 2 ? 32_769 : 70_000).subarray(0, 20))
    expect(isTooLarge).toBe(true)
  }
})

describe('time', () => {
  test('ends an idle connection; traffic in either direction keeps it open', async () => {
    await reconnect({ idleSeconds: 0.4 })
    const silent = await connect()
    const id = idOf(heard[0])
    const talking = await connect()
    const listening = await connect()
    const listener = idOf(heard[2])
    const beat = setInterval(() => {
      talking.socket.send('.')
      void sockets.send(listener, Buffer.from('.'))
    }, 100)
    expect(await silent.closed).toBe(1001)
    await wait(600)
    clearInterval(beat)
    expect([talking.socket.readyState, listening.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
    expect(sockets.describe(id)).toBeUndefined()
  })

  test('ends every connection after its lifetime, despite traffic', async () => {
    await reconnect({ lifeSeconds: 0.5, idleSeconds: 1 })
    const { socket, closed } = await connect()
    const beat = setInterval(() => socket.send('.'), 50)
    expect(await closed).toBe(1001)
    clearInterval(beat)
  })
})

test('two thousand connections open, receive a message and end', async () => {
  const open = await Promise.all(Array.from({ length: 2000 }, () => connect()))
  expect(sockets.count()).toBe(2000)
  const results = await Promise.all(heard.map(event => sockets.send(idOf(event), Buffer.from('all'))))
  expect(results.every(Boolean)).toBe(true)
  await eventually(
    async () => open.filter(({ messages }) => messages.length === 1).length,
    count => expect(count).toBe(2000),
  )
  await sockets.stop()
  expect(routes().filter(route => route === '$disconnect')).toHaveLength(2000)
}, 30_000)
