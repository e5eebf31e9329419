import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import localRules, { extname, type PlatformPath } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Code, errorAnswer, Problem, statusOf } from '../../shared/errors.ts'
import { contentSecurityPolicy, securityHeaders } from '../../shared/headers.ts'
import { bucket, type Files } from './gateway/files.ts'
import { listen, readBeginning } from './gateway/http.ts'
import { type Outbox, outboxPage, outboxStyleHash } from './gateway/outbox.ts'
import type { Lambda } from './invoke.ts'
import type { Sockets } from './socket.ts'

// The only public port. Like API Gateway, it passes API paths to their handlers. Like CloudFront, it serves the site.
// It also serves the websocket, the outbox and the file store.

const mostBodyBytes = 256 * 1024
/** Lambda accepts an event of 6 MB, and Base64 makes a body a third longer. */
const mostDeliveryBytes = 4400 * 1024
/** The only wildcard route. Terminals may send a longer prefix before it. */
export const terminalPath = '/iclock/{path+}'
/** Receives the webhooks of the demo company, so that their log has successful deliveries. */
const webhookPath = '/demo/webhook'
const lineFeed = 10
const isTerminalPath = (path: string) => path.startsWith('/iclock/')
const mostAnswerBytes = 6 * 1024 * 1024

export interface Served {
  /** The handler of each route, such as `POST /api/department/add`. */
  routes: Map<string, Lambda>
  sockets: Sockets
  outbox: Outbox
  files: Files
  /** The sign-ins of the demo company, which the local site offers. Absent without a demo company. */
  signIns?: object[]
  /** The folder of the built site; undefined without a build. */
  site?: string
  complain: (sentence: string) => void
}

export interface Gateway {
  /** The address of the site, without a trailing slash. */
  address: string
  /** Starts to serve. Before this call, every request gets 503. */
  serve(parts: Served): void
  /** Accepts no further requests, and waits for the running ones. */
  stop(): Promise<void>
}

/** The outbox page has an inline style, so its content security policy names the style's hash. */
const outboxHeaders = { 'content-security-policy': contentSecurityPolicy({ styles: [outboxStyleHash] }) }

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

const send = (
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  type: keyof typeof types,
  headers: OutgoingHttpHeaders = {},
) => {
  response.writeHead(status, {
    ...securityHeaders,
    'content-type': types[type],
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(body)
}

const sendProblem = (
  response: ServerResponse,
  code: Code,
  headers: OutgoingHttpHeaders = {},
  requestId: string | undefined = undefined,
) => send(response, statusOf(code), JSON.stringify({ ...errorAnswer(new Problem(code)), requestId }), '.json', headers)

/**
 * Whether API Gateway's HTTP API passes a body of this type as text. It encodes every other body, and every body
 * without a type, as Base64.
 */
const isText = (type = '') => /^(text\/|application\/(json|javascript|xml)\s*(;|$))/i.test(type)

const asEvent = (request: IncomingMessage, url: URL, bytes: Buffer): APIGatewayProxyEventV2 => {
  const { cookie, ...otherHeaders } = request.headers
  const headers = Object.fromEntries(
    Object.entries(otherHeaders).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
  const isTerminal = isTerminalPath(url.pathname)
  const routeKey = `${request.method} ${isTerminal ? terminalPath : url.pathname}`
  const isBase64Encoded = bytes.length > 0 && !isText(headers['content-type'])
  const body = bytes.toString(isBase64Encoded ? 'base64' : 'utf8')
  const now = Date.now()
  return {
    version: '2.0',
    routeKey,
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    ...(cookie && { cookies: cookie.split('; ') }),
    headers,
    ...(url.search && { queryStringParameters: Object.fromEntries(url.searchParams) }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: request.headers.host ?? '',
      domainPrefix: 'local',
      http: {
        method: request.method ?? '',
        path: url.pathname,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: new Date(now).toUTCString(),
      timeEpoch: now,
    },
    ...(body && { body }),
    isBase64Encoded,
  }
}

/** The file of a path; undefined if the path leads outside the site. Throws for a badly encoded path. */
export const placeInSite = (site: string, path: string, rules: PlatformPath = localRules): string | undefined => {
  const { join, normalize, extname, sep } = rules
  const file = join(site, normalize(decodeURIComponent(path)))
  if (!file.startsWith(site + sep)) return undefined
  return extname(file) === '' ? join(site, 'index.html') : file
}

/** The existing file of a path. Every path without an extension gets the document. */
const findFile = async (site: string, path: string): Promise<string | undefined> => {
  try {
    const file = placeInSite(site, path)
    return file !== undefined && (await stat(file)).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

const sendFile = async (request: IncomingMessage, response: ServerResponse, file: string, isHashed: boolean) => {
  const { size } = await stat(file)
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'content-length': size,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  if (request.method === 'HEAD') response.end()
  else await pipeline(createReadStream(file), response)
}

export const startGateway = async (port: number): Promise<Gateway> => {
  let served: Served | undefined
  let busy = 0

  const callPath = async (lambda: Lambda, request: IncomingMessage, response: ServerResponse, url: URL) => {
    const isTerminal = isTerminalPath(url.pathname)
    const mostBytes = isTerminal ? mostDeliveryBytes : mostBodyBytes
    const { body, sizeBytes } = await readBeginning(request, mostBytes)
    const isTooLarge = sizeBytes > mostBytes
    if (isTooLarge) response.setHeader('connection', 'close')
    if (isTooLarge && !isTerminal) return sendProblem(response, 60010)
    const completeLines = isTooLarge ? body.subarray(0, body.lastIndexOf(lineFeed) + 1 || body.length) : body
    const event = asEvent(request, url, completeLines)
    // API Gateway would reject this body itself. Here the function records the refusal, and the record blocks a reset
    // of the terminal.
    if (isTooLarge) event.headers['content-length'] = String(sizeBytes)
    try {
      const result = (await lambda(event)) as APIGatewayProxyStructuredResultV2
      const answer = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
      if (answer.length > mostAnswerBytes) throw new Error(`The response has ${answer.length} bytes, more than 6 MB`)
      send(response, result.statusCode ?? 200, answer, '.json', {
        ...result.headers,
        ...(result.cookies && { 'set-cookie': result.cookies }),
      } as OutgoingHttpHeaders)
    } catch (error) {
      const { requestId } = event.requestContext
      served?.complain(`${event.rawPath} failed (request ${requestId}): ${error}`)
      sendProblem(response, 60011, {}, requestId)
    }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!served) return send(response, 503, 'The stack is starting.', '.txt', { 'retry-after': '1' })
    const { routes, outbox, files, site, signIns = [] } = served
    const url = URL.parse(`http://local${request.url}`)
    if (!url) return send(response, 400, 'The URL is invalid.', '.txt')
    const path = url.pathname
    const lambda = routes.get(`${request.method} ${isTerminalPath(path) ? terminalPath : path}`)
    if (lambda) return callPath(lambda, request, response, url)
    if (path.split('/')[1] === bucket) return files.answer(request, response)
    if (path === webhookPath && request.method === 'POST' && signIns.length > 0) {
      request.resume()
      return send(response, 200, '', '.txt')
    }
    if (path.startsWith('/api/') || isTerminalPath(path) || (request.method !== 'GET' && request.method !== 'HEAD')) {
      request.resume()
      return sendProblem(response, 60009)
    }
    // A token or a socket belongs to one origin, so requests to localhost redirect to the printed address.
    if (request.headers.host === `localhost:${new URL(address).port}`)
      return send(response, 307, '', '.txt', { location: `${address}${url.pathname}${url.search}` })
    if (path === '/outbox')
      return url.searchParams.get('format') === 'json'
        ? send(response, 200, JSON.stringify(outbox.list()), '.json')
        : send(response, 200, outboxPage(outbox.list()), '.html', outboxHeaders)
    if (path === '/demo/sign-ins.json') return send(response, 200, JSON.stringify(signIns), '.json')
    const file = site && (await findFile(site, path))
    if (file) return sendFile(request, response, file, path.startsWith('/assets/'))
    send(response, 404, 'Not found.', '.txt')
  }

  const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
    busy++
    try {
      await answer(request, response)
    } catch (error) {
      // The caller disconnected, or the file vanished while we read it.
      if (response.headersSent) response.destroy()
      else sendProblem(response, 60011)
      if (!request.destroyed) served?.complain(`${request.method} ${request.url} failed: ${error}`)
    } finally {
      busy--
    }
  })
  server.on('upgrade', (request, socket, head) => {
    if (served) void served.sockets.upgrade(request, socket, head)
    else socket.destroy()
  })
  const address = `http://127.0.0.1:${await listen(server, port)}`

  return {
    address,
    serve(parts) {
      served = parts
    },
    async stop() {
      server.close()
      for (let i = 0; busy > 0 && i < 500; i++) await wait(10)
      server.closeAllConnections()
    },
  }
}
