import type {
  APIGatewayEventWebsocketRequestContextV2,
  APIGatewayProxyWebsocketEventV2WithRequestContext,
} from 'aws-lambda'
import {
  browserKey,
  type Connection,
  connectionHours,
  connectionKey,
  introductionSeconds,
  messagesPerSecond,
  newcomerKey,
} from '../shared/connection.ts'
import { deviceKey } from '../shared/device/key.ts'
import { employeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { iso } from '../shared/local-day.ts'
import { sessionKey } from '../shared/session.ts'
import {
  acceptLog,
  answerBrowser,
  answerRequest,
  bringsLog,
  type Frame,
  isPageCommand,
  mayBringLog,
  readBrokenLog,
  readFrame,
  readHeldUser,
} from '../shared/terminal/ai-face.ts'
import { localTimeAt } from '../shared/terminal/clock.ts'
import { addressOf } from './kit/address.ts'
import { recognise } from './kit/caller.ts'
import { environment } from './kit/environment.ts'
import { hashSecret } from './kit/id.ts'
import { log } from './kit/log.ts'
import { disconnect, push, warmUp } from './kit/push.ts'
import { counts, readSession } from './kit/session.ts'
import { directory, openTable, save } from './kit/table.ts'
import { takeAnswer } from './terminal/answer.ts'
import { noteTold, startCounting } from './terminal/count.ts'
import { takeHeld } from './terminal/enrolment.ts'
import { noteRefused, originOf, second, see, seenHere, takeLog } from './terminal/hear.ts'
import { quarantine } from './terminal/intake.ts'
import { takePage } from './terminal/page.ts'
import { countMessage } from './terminal/pressure.ts'
import { noteRefusedDelivery, pushed } from './terminal/refused-delivery.ts'
import { type Answer, register, type Sender } from './terminal/registration.ts'
import { unbind } from './terminal/talk.ts'

// The websocket. A browser identifies itself by `home.login` and then receives refresh messages. A terminal identifies
// itself by `reg`. The server stores its records first and acknowledges them afterwards.

type Context = APIGatewayEventWebsocketRequestContextV2 & {
  identity?: { sourceIp?: string }
  disconnectStatusCode?: number
}
type Event = APIGatewayProxyWebsocketEventV2WithRequestContext<Context> & {
  headers?: Record<string, string | undefined>
}
interface Result {
  statusCode: number
  headers?: Record<string, string>
  /** The message to the socket. */
  body?: string
}

const hour = 3600 * second

// Connect and disconnect.

const headerIn = ({ headers = {} }: Event, name: string): string | undefined =>
  Object.entries(headers).find(([written]) => written.toLowerCase() === name)?.[1]

/** A client that offers subprotocols closes the connection unless the answer names one of them. */
const chooseSubprotocol = (event: Event): Pick<Result, 'headers'> => {
  const first = headerIn(event, 'sec-websocket-protocol')?.split(',')[0]?.trim()
  return first ? { headers: { 'Sec-WebSocket-Protocol': first } } : {}
}

const connect = async (event: Event): Promise<Result> => {
  const { requestContext, headers = {}, queryStringParameters = {} } = event
  const origin = headerIn(event, 'origin')
  if (origin !== undefined && origin !== environment('SITE')) return { statusCode: 403 }
  const { c, k } = queryStringParameters
  const now = Date.now()
  const isWarm = warmUp()
  const { connectionId: id } = requestContext
  const arrival = { connectedAt: iso(now), expiresAt: Math.floor((now + connectionHours * hour) / second) }
  await Promise.all([
    save(
      directory().put(connectionKey(id), {
        ...{ kind: 'new', ...arrival, ip: addressOf(headers, requestContext.identity?.sourceIp ?? '') },
        ...(origin !== undefined && { hasOrigin: true as const }),
        ...(c && { companyNumber: c.slice(0, 32) }),
        ...(k && { pathSecretHash: hashSecret(k) }),
      }),
    ),
    save(directory().put(newcomerKey(id), { connection: id, ...arrival })),
    isWarm,
  ])
  return { statusCode: 200, ...chooseSubprotocol(event) }
}

/** The close code after a message above the websocket's limit. */
const tooLarge = 1009

/** Notes a frame that the gateway or the server refused. The terminal still has the frame, whose content is unknown. */
const noteUnheard = async (connection: Connection, status: number): Promise<void> => {
  const { asked: question } = connection
  const origin = originOf(connection)
  const table = question && isPageCommand(question.command) ? question.command : pushed
  if (origin) await noteRefusedDelivery(origin.table, origin.sn, { table }, status)
}

const leave = async (id: string, code: unknown): Promise<Result> => {
  seenHere.delete(id)
  const connection = await directory().get(connectionKey(id))
  if (!connection) return { statusCode: 200 }
  const { kind, company } = connection
  if (code === tooLarge) await noteUnheard(connection, 413)
  // The terminal sends pictures against its settings, so a person has changed the settings at the terminal.
  const more = code === tooLarge ? { settings: undefined } : {}
  // Remove the connection last, so that a repeated event or a new registration still finds the pending question.
  if (kind === 'terminal' && company) await unbind(openTable(company), id, connection, more)
  await save(directory().remove(connectionKey(id)))
  if (kind === 'browser' && company) await save(openTable(company).remove(browserKey(id)))
  return { statusCode: 200 }
}

// Browsers.

/**
 * Signs a socket in, also again as another person or for another company. A terminal's socket never becomes a browser.
 */
const login = async ({ id, connection }: Sender, token: string, requestId: string): Promise<boolean> => {
  if (connection.kind === 'terminal') return false
  const visitor = { requestId, path: 'home.login', ip: connection.ip, language: 'en', timezone: undefined }
  try {
    const { session, tokenHash } = await readSession(token)
    const { company, type } = await recognise(visitor, { session, tokenHash })
    const { expiresAt } = connection
    await save(
      directory().replace(connectionKey(id), { ...connection, kind: 'browser', company, tokenHash }),
      openTable(company).put(browserKey(id), { connection: id, type, tokenHash, expiresAt }),
    )
    if (connection.company && connection.company !== company)
      await save(openTable(connection.company).remove(browserKey(id)))
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** Answers a ping. After the end of the session, notifies the socket and closes it. */
const ping = async ({ id, connection: { kind, tokenHash } }: Sender): Promise<Answer> => {
  if (kind !== 'browser' || !tokenHash) return answerBrowser('home.ping', false)
  const session = await directory().get(sessionKey(tokenHash))
  const employee = session && (await openTable(session.company).get(employeeKey(session.employee)))
  if (counts(session, employee)) return answerBrowser('home.ping', true)
  await push(id, answerBrowser('home.ping', false))
  await disconnect(id)
  return undefined
}

// Messages of a registered terminal.

const hear = async (sender: Sender, frame: Frame, text: string, requestId: string): Promise<Answer> => {
  const { connection, now } = sender
  if (frame.kind === 'browser')
    return frame.command === 'home.ping'
      ? ping(sender)
      : answerBrowser('home.login', await login(sender, frame.token, requestId))
  if (frame.kind === 'request' && frame.command === 'reg') return register(sender, frame.fields)
  // An unidentified socket gets no answer, so a terminal keeps its records.
  const origin = originOf(connection)
  if (!origin) return undefined
  if (frame.kind === 'unknown') {
    const isHeld = await quarantine(origin, { source: 'sendlog', reason: frame.reason, raw: text }, now)
    const broken = readBrokenLog(text)
    if (broken && !isHeld) await noteRefused(sender, origin, { table: pushed })
    return isHeld && broken ? acceptLog(broken.command, broken, localTimeAt(origin.zone, now)) : undefined
  }
  if (frame.kind === 'reply') {
    const isUnasked = frame.command !== connection.asked?.command
    if (isPageCommand(frame.command)) await takePage(sender, origin, frame.command, frame)
    else if (isUnasked && bringsLog(frame.fields)) await takeLog(sender, origin, frame)
    else await takeAnswer(origin.company, sender, frame)
    await see(sender, origin)
    return undefined
  }
  if (mayBringLog(frame.command, frame.fields)) return takeLog(sender, origin, frame)
  await see(sender, origin)
  const held = frame.command === 'senduser' ? readHeldUser(frame.fields) : undefined
  if (held) {
    const device = await origin.table.get(deviceKey(origin.sn))
    if (device) await startCounting(origin.table, device, sender.id)
    await takeHeld({ company: origin.company, serialNumber: origin.sn }, [held])
    await noteTold(origin.company, origin.sn, sender.id, now)
  }
  return answerRequest(frame.command, frame.fields, localTimeAt(origin.zone, now))
}

const message = async ({ requestContext, body = '' }: Event): Promise<Result> => {
  const { connectionId: id, requestId, requestTimeEpoch: arrivedAt } = requestContext
  const now = Date.now()
  const count = countMessage(id, now)
  if (count > messagesPerSecond.terminal + 1) return { statusCode: 200 }
  const connection = await directory().get(connectionKey(id))
  if (count > messagesPerSecond.terminal) {
    if (connection) await noteUnheard(connection, 429)
    await disconnect(id)
    return { statusCode: 200 }
  }
  const isLate =
    connection?.kind === 'new' && arrivedAt - Date.parse(connection.connectedAt) > introductionSeconds * second
  const isTooFast = connection?.kind !== 'terminal' && count > messagesPerSecond.other
  if (!connection || isLate || isTooFast) {
    await disconnect(id)
    return { statusCode: 200 }
  }
  const frame = readFrame(body, connection.asked?.command)
  const answer = await hear({ id, connection, now }, frame, body, requestId).catch(async (error: unknown) => {
    // A terminal never repeats a reply, so its conversation would stall until the next round. After a disconnect the
    // terminal reconnects and the server asks again.
    if (frame.kind === 'reply') await disconnect(id)
    throw error
  })
  log({
    requestId,
    socket: id,
    said: frame.kind === 'unknown' ? frame.reason : frame.command,
    ...(connection.company && { company: connection.company }),
    ...(connection.sn && { sn: connection.sn }),
    ms: Date.now() - now,
  })
  return { statusCode: 200, ...(answer && { body: JSON.stringify(answer) }) }
}

/**
 * Takes API Gateway's websocket events. After an error the terminal gets no acknowledgement, so it keeps its records
 * and retries.
 */
export const handler = async (event: Event): Promise<Result> => {
  const { routeKey, connectionId, requestId } = event.requestContext
  try {
    if (routeKey === '$connect') return await connect(event)
    if (routeKey === '$disconnect') return await leave(connectionId, event.requestContext.disconnectStatusCode)
    return await message(event)
  } catch (error) {
    log({
      requestId,
      socket: connectionId,
      route: routeKey,
      fault: error instanceof Error ? error.stack : String(error),
    })
    return { statusCode: 500 }
  }
}
