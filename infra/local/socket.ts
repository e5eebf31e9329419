import { randomBytes, randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Lambda } from './invoke.ts'
import { inTurn } from './socket/in-turn.ts'

// The websocket, with the limits and close codes of API Gateway. Its three routes ($connect, $default, $disconnect)
// call one handler, and the caller gets the handler's response. The handler may process messages of one connection in
// parallel.

export const socketPaths = ['/web', '/pub/chat']

export interface Limits {
  frameBytes: number
  messageBytes: number
  idleSeconds: number
  lifeSeconds: number
  /** The most connects and messages that the handler processes at once. Further messages wait. */
  messagesAtOnce: number
}

export const managedLimits: Limits = {
  frameBytes: 32 * 1024,
  messageBytes: 128 * 1024,
  idleSeconds: 600,
  lifeSeconds: 7200,
  messagesAtOnce: 24,
}

export interface Sockets {
  /** Sets the handler of connections and messages. */
  serve(handler: Lambda): void
  /** Handles an upgrade request of the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>
  /** Sends a message; false if the connection is closed. */
  send(id: string, message: Buffer): Promise<boolean>
  end(id: string): boolean
  describe(id: string): object | undefined
  count(): number
  /** Waits until the message queue is empty, at most this long. Returns whether the queue is empty. */
  calm(mostMilliseconds: number): Promise<boolean>
  /** Closes all connections and waits until the handler has processed their disconnects. */
  stop(): Promise<void>
}

interface Answer {
  statusCode: number
  headers?: Record<string, string>
  body?: string
}

interface Connection {
  id: string
  socket: WebSocket
  connectedAt: number
  lastActiveAt: number
  hasSpoken: boolean
  /** The messages of this connection in the queue or in the handler. */
  said: Set<Promise<void>>
  identity: { sourceIp: string; userAgent: string | undefined }
}

const text = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : value]],
    ),
  )

/**
 * Follows the frames in a stream of bytes. Calls `tooLarge` at the header of a frame over the limit, because the
 * library limits only whole messages.
 */
export const watchFrames = (mostBytes: number, tooLarge: () => void) => {
  let header: number[] = []
  let payload = 0
  return (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length) {
      if (payload > 0) {
        const step = Math.min(payload, chunk.length - at)
        payload -= step
        at += step
        continue
      }
      header.push(chunk[at++] ?? 0)
      const [, second = 0, ...rest] = header
      const short = second & 127
      const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
      const maskBytes = second & 128 ? 4 : 0
      if (header.length < 2 || header.length < 2 + lengthBytes + maskBytes) continue
      payload = lengthBytes ? rest.slice(0, lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0) : short
      header = []
      if (payload > mostBytes) return tooLarge()
    }
  }
}

/** The socket drops a connection with more unread bytes than this. */
const mostUnreadBytes = 4 * 1024 * 1024

/** A client may disconnect while its connect request waits. The library does not report that disconnect. */
const isGone = (raw: Duplex) => raw.destroyed || !raw.readable

const isOpen = ({ readyState, OPEN }: WebSocket) => readyState === OPEN

export const openSockets = (limits: Limits, complain: (sentence: string) => void): Sockets => {
  // Like API Gateway, the socket uses only the subprotocol in the handler's response.
  const subprotocols = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({
    ...{ noServer: true, perMessageDeflate: false, maxPayload: limits.messageBytes },
    handleProtocols: (_, request) => subprotocols.get(request) ?? false,
  })
  const connections = new Map<string, Connection>()
  const open = new Set<string>()
  let handler: Lambda | undefined
  // With a higher concurrency, messages would only compete for the database engine.
  const turns = inTurn(limits.messagesAtOnce)
  const find = (id: string) => {
    const connection = connections.get(id)
    return connection && isOpen(connection.socket) ? connection : undefined
  }

  const event = (
    connection: Omit<Connection, 'socket'>,
    type: 'CONNECT' | 'MESSAGE' | 'DISCONNECT',
    details: object,
    arrivedAt = Date.now(),
  ) => {
    const requestId = randomUUID()
    const { requestContext, ...otherDetails } = { requestContext: {}, ...details }
    return {
      ...otherDetails,
      isBase64Encoded: false,
      requestContext: {
        routeKey: { CONNECT: '$connect', MESSAGE: '$default', DISCONNECT: '$disconnect' }[type],
        eventType: type,
        messageDirection: 'IN',
        stage: 'web',
        apiId: 'local',
        domainName: 'local',
        connectionId: connection.id,
        connectedAt: connection.connectedAt,
        identity: connection.identity,
        requestId,
        extendedRequestId: requestId,
        requestTime: new Date(arrivedAt).toUTCString(),
        requestTimeEpoch: arrivedAt,
        ...requestContext,
      },
    }
  }

  const call = async (event: object): Promise<Answer> => {
    const answer = await handler?.(event)
    return { statusCode: 200, ...(typeof answer === 'object' && answer) }
  }

  const refuse = (socket: Duplex, status: number) => {
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  }

  const receive = async (connection: Connection, data: RawData, arrivedAt: number) => {
    const requestContext = { messageId: randomBytes(9).toString('base64url') }
    const message = event(connection, 'MESSAGE', { body: data.toString(), requestContext }, arrivedAt)
    try {
      const { body } = await call(message)
      if (body) connection.socket.send(body)
    } catch (error) {
      complain(`The socket handler failed: ${error}`)
      const { connectionId, requestId } = message.requestContext as { connectionId: string; requestId: string }
      connection.socket.send(JSON.stringify({ message: 'Internal server error', connectionId, requestId }))
    }
  }

  const reportDisconnect = async (
    connection: Omit<Connection, 'socket'>,
    request: IncomingMessage,
    code: number,
    reason: string,
  ) => {
    const requestContext = { disconnectStatusCode: code, disconnectReason: reason }
    await call(event(connection, 'DISCONNECT', { headers: text(request.headers), requestContext })).catch(error =>
      complain(`The socket handler failed at a disconnect: ${error}`),
    )
  }

  const accept = (socket: WebSocket, raw: Duplex, request: IncomingMessage, accepted: Omit<Connection, 'socket'>) => {
    const connection = { ...accepted, socket }
    connections.set(connection.id, connection)
    const active = () => {
      connection.lastActiveAt = Date.now()
    }
    // Runs before the library reads the same bytes, so the message never reaches the handler.
    raw.prependListener(
      'data',
      watchFrames(limits.frameBytes, () => socket.close(1009, 'Frame too large')),
    )
    socket.on('ping', active)
    socket.on('message', (data, isBinary) => {
      active()
      if (isBinary) socket.close(1003, 'Binary frames are not supported')
      else if (isOpen(socket)) {
        const arrivedAt = Date.now()
        const isFirst = !connection.hasSpoken
        // Skips a client that left before the handler received its first message. The client will send that message
        // again.
        const handle = async () => (isFirst && !isOpen(socket) ? undefined : receive(connection, data, arrivedAt))
        const handled = turns.take(connection, handle)
        connection.hasSpoken = true
        connection.said.add(handled)
        void handled.finally(() => connection.said.delete(handled))
      }
    })
    // The library sends the right close code, but may report another code here.
    let errorCode: number | undefined
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') errorCode = 1009
    })
    socket.on('close', async (closeCode, reason) => {
      const code = errorCode ?? closeCode
      connections.delete(connection.id)
      // The handler gets the messages before the disconnect.
      await Promise.all(connection.said)
      await reportDisconnect(connection, request, code, String(reason))
      open.delete(connection.id)
    })
  }

  const sweep = setInterval(
    () => {
      const now = Date.now()
      for (const { socket, connectedAt, lastActiveAt } of connections.values())
        if (now - lastActiveAt > limits.idleSeconds * 1000) socket.close(1001, 'Idle for too long')
        else if (now - connectedAt > limits.lifeSeconds * 1000) socket.close(1001, 'Going away')
    },
    Math.min(limits.idleSeconds * 100, 5000),
  )

  return {
    serve(lambda) {
      handler = lambda
    },
    async upgrade(request, raw, head) {
      raw.on('error', () => raw.destroy())
      const url = URL.parse(`http://local${request.url}`)
      if (!url || !socketPaths.includes(url.pathname)) return refuse(raw, 404)
      if (!handler) return refuse(raw, 503)
      const now = Date.now()
      const headers = text(request.headers)
      const connection = {
        id: `${randomBytes(11).toString('base64url')}=`,
        connectedAt: now,
        lastActiveAt: now,
        hasSpoken: false,
        said: new Set<Promise<void>>(),
        identity: { sourceIp: request.socket.remoteAddress ?? '', userAgent: headers['user-agent'] },
      }
      const query = Object.fromEntries(url.searchParams)
      try {
        const answer = await turns.admit(async () =>
          isGone(raw)
            ? undefined
            : call(
                event(connection, 'CONNECT', {
                  headers,
                  multiValueHeaders: Object.fromEntries(
                    Object.entries(headers).map(([name, value]) => [name, [value]]),
                  ),
                  ...(url.search && { queryStringParameters: query }),
                }),
              ),
        )
        if (!answer) return void raw.destroy()
        if (answer.statusCode >= 300) return refuse(raw, answer.statusCode)
        const subprotocol = answer.headers?.['Sec-WebSocket-Protocol']
        if (subprotocol) subprotocols.set(request, subprotocol)
      } catch (error) {
        complain(`The socket handler failed at a connect: ${error}`)
        return refuse(raw, 502)
      }
      if (isGone(raw)) {
        raw.destroy()
        return reportDisconnect(connection, request, 1006, '')
      }
      open.add(connection.id)
      server.handleUpgrade(request, raw, head, socket => accept(socket, raw, request, connection))
    },
    async send(id, message) {
      const connection = find(id)
      if (!connection) return false
      // Drops a client that stops reading.
      if (connection.socket.bufferedAmount > mostUnreadBytes) {
        connection.socket.terminate()
        return false
      }
      return new Promise(resolve => {
        connection.socket.send(message, { binary: false }, error => {
          if (!error) connection.lastActiveAt = Date.now()
          resolve(!error)
        })
      })
    },
    end(id) {
      const connection = find(id)
      connection?.socket.close(1000, 'Connection closed by the server')
      return connection !== undefined
    },
    describe(id) {
      const connection = find(id)
      if (!connection) return undefined
      const { connectedAt, lastActiveAt, identity } = connection
      return { connectedAt: new Date(connectedAt), lastActiveAt: new Date(lastActiveAt), identity }
    },
    count: () => connections.size,
    calm: turns.calm,
    async stop() {
      clearInterval(sweep)
      for (const { socket } of connections.values()) socket.close(1001, 'Going away')
      for (let i = 0; open.size > 0 && i < 300; i++) {
        await wait(10)
        if (i === 100) for (const { socket } of connections.values()) socket.terminate()
      }
    },
  }
}
