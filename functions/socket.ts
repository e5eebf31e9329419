import { setTimeout as wait } from 'node:timers/promises'
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
import { type Device, deviceKey, isAllDue, isClockWrong, mostDriftSeconds } from '../shared/device.ts'
import { employeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { localDay } from '../shared/local-day.ts'
import type { RefusedDelivery } from '../shared/refused-delivery.ts'
import { sessionKey } from '../shared/session.ts'
import {
  acceptLog,
  answerBrowser,
  answerRequest,
  askLog,
  bringsLog,
  type Fields,
  type Frame,
  isPageCommand,
  type LogRecord,
  mayBringLog,
  type PageCommand,
  readBrokenLog,
  readFrame,
  readHeldUser,
  readLog,
  refuseLog,
} from '../shared/terminal/ai-face.ts'
import { driftIn, localTimeAt } from '../shared/terminal/clock.ts'
import { addressOf } from './kit/address.ts'
import { recognise } from './kit/caller.ts'
import { environment } from './kit/environment.ts'
import { hashSecret } from './kit/id.ts'
import { log } from './kit/log.ts'
import { disconnect, push, warmUp } from './kit/push.ts'
import { counts, readSession } from './kit/session.ts'
import { change, saves } from './kit/table/change.ts'
import { directory, type Item, openTable, save } from './kit/table.ts'
import { takeOutcome } from './terminal/command.ts'
import { noteTold, startCounting } from './terminal/count.ts'
import { takeHeld } from './terminal/enrolment.ts'
import { ingest, type Origin, quarantine } from './terminal/intake.ts'
import { countMessage, mayTake } from './terminal/pressure.ts'
import { type Delivery, noteRefusedDelivery, noteTakenDelivery, pushed, pushOf } from './terminal/refused-delivery.ts'
import { type Answer, register, type Sender } from './terminal/registration.ts'
import {
  goOn,
  isDoubtful,
  lead,
  noteAllAsked,
  noteLostPage,
  noteOwedPage,
  pageMark,
  standsStill,
  takeAnswer,
  unbind,
} from './terminal/talk.ts'
import { askForUsers } from './terminal/user.ts'

// The websocket. A browser introduces itself by `home.login` and is then told what to refresh; a terminal by `reg`, and its
// records are stored first and acknowledged afterwards.

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
  /** Sent to the socket. */
  body?: string
}

const second = 1000
const hour = 3600 * second
/** Being seen is written down at the latest after this time, not with every frame. */
const seenMilliseconds = 60 * second
/** A table that fails is tried again for a page that will not come again; both waits together stay far within 29 s. */
const pageWaitsMilliseconds = [500, 2000]
const iso = (instant: number) => new Date(instant).toISOString()

// Coming and going.

const headerIn = ({ headers = {} }: Event, name: string): string | undefined =>
  Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1]

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
  const come = { connectedAt: iso(now), expiresAt: Math.floor((now + connectionHours * hour) / second) }
  await Promise.all([
    save(
      directory().put(connectionKey(id), {
        ...{ kind: 'new', ...come, ip: addressOf(headers, requestContext.identity?.sourceIp ?? '') },
        ...(origin !== undefined && { hasOrigin: true as const }),
        ...(c && { companyNumber: c.slice(0, 32) }),
        ...(k && { pathSecretHash: hashSecret(k) }),
      }),
    ),
    save(directory().put(newcomerKey(id), { connection: id, ...come })),
    isWarm,
  ])
  return { statusCode: 200, ...chooseSubprotocol(event) }
}

/** What a socket is closed by that sent more than the managed websocket takes. */
const tooLarge = 1009

/** A frame that the gateway refused or nobody answered: the terminal has it still, and this is all that is known of it. */
const noteUnheard = async (connection: Connection, status: number): Promise<void> => {
  const { asked } = connection
  const origin = originOf(connection)
  const table = asked && isPageCommand(asked.command) ? asked.command : pushed
  if (origin) await noteRefusedDelivery(origin.table, origin.sn, { table }, status)
}

const leave = async (id: string, code: unknown): Promise<Result> => {
  seenHere.delete(id)
  const connection = await directory().get(connectionKey(id))
  if (!connection) return { statusCode: 200 }
  const { kind, company } = connection
  if (code === tooLarge) await noteUnheard(connection, 413)
  // It sends pictures, whatever it said when it was told not to: somebody has set it back.
  const more = code === tooLarge ? { settings: undefined } : {}
  // Last, so that whoever is told again, or registers meanwhile, still finds what it was asked.
  if (kind === 'terminal' && company) await unbind(openTable(company), id, connection, more)
  await save(directory().remove(connectionKey(id)))
  if (kind === 'browser' && company) await save(openTable(company).remove(browserKey(id)))
  return { statusCode: 200 }
}

// Browsers.

/** A socket may sign in again, as another person or for another company; it never becomes a browser after a terminal. */
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

/** A socket whose session has ended learns it here, and is closed. */
const ping = async ({ id, connection: { kind, tokenHash } }: Sender): Promise<Answer> => {
  if (kind !== 'browser' || !tokenHash) return answerBrowser('home.ping', false)
  const session = await directory().get(sessionKey(tokenHash))
  const employee = session && (await openTable(session.company).get(employeeKey(session.employee)))
  if (counts(session, employee)) return answerBrowser('home.ping', true)
  await push(id, answerBrowser('home.ping', false))
  await disconnect(id)
  return undefined
}

// What a registered terminal says.

type Spoken = Origin & { company: string }

const originOf = ({ kind, company, sn, zone, generation, profile }: Connection): Spoken | undefined =>
  kind === 'terminal' && company && sn && zone && generation !== undefined
    ? { table: openTable(company), company, sn, zone, generation, profile }
    : undefined

/** Terminals that came at the same time are not due at the same time for ever: what is a minute is up to a third shorter, by their lot. */
const pauseOf = (id: string): number =>
  seenMilliseconds * (1 - ([...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 20) / 60)

/** When who speaks over a connection was last written down to be there, as far as this process knows. */
const seenHere = new Map<string, number>()
/** The oldest are forgotten, and looked up again: connections end in other processes, too. */
const mostSeenHere = 10_000

/** Sets a clock that one record said to be wrong: where that was no more than this record, nothing is wrong any more. Once in a connection. */
const setClock = async (
  { id, connection, now }: Sender,
  { company, sn }: Pick<Spoken, 'company' | 'sn'>,
): Promise<void> => {
  if (connection.isClockSet) return
  await change(directory(), connectionKey(id), known => ({ ...known, isClockSet: true }))
  await lead(company, sn, id, [{ command: 'settime' }], now)
}

/**
 * Writes down, about once a minute, that the terminal is there, and goes on with what stands still meanwhile; with its first record of
 * later than now, by how much its clock is ahead, and with one of now that it is not any more.
 */
const see = async (
  { id, connection, now }: Sender,
  { table, sn, company }: Spoken,
  driftSeconds?: number,
): Promise<void> => {
  const pause = pauseOf(id)
  const isRecent = (at: number) => now - at < pause
  if (!isClockWrong(driftSeconds) && isRecent(seenHere.get(id) ?? Date.parse(connection.connectedAt))) {
    if (standsStill(connection, now)) await goOn(company, sn, now)
    return
  }
  const device = await change(table, deviceKey(sn), known => {
    const hasMoved = driftSeconds !== undefined && isClockWrong(driftSeconds) !== isClockWrong(known.driftSeconds)
    const isKnown = !known.isSilent && isRecent(Date.parse(known.lastSeenAt ?? connection.connectedAt))
    if (known.connection !== id || (isKnown && !hasMoved)) return undefined
    return { ...known, lastSeenAt: iso(now), isSilent: undefined, ...(hasMoved && { driftSeconds }) }
  })
  const isThere = device?.connection === id
  const [oldest] = seenHere.keys()
  if (oldest !== undefined && seenHere.size >= mostSeenHere) seenHere.delete(oldest)
  seenHere.set(id, isThere ? Date.parse(device.lastSeenAt ?? iso(now)) : now)
  if (isThere && isClockWrong(driftSeconds)) await setClock({ id, connection, now }, { sn, company })
  if (isThere && standsStill(connection, now)) await goOn(company, sn, now)
}

type Reply = Frame & { kind: 'reply' }

/** The connection remembers the refusal, so that no other line reads the device for each frame. */
const noteRefused = async ({ id }: Sender, { table, sn }: Spoken, delivery: Delivery): Promise<void> => {
  await noteRefusedDelivery(table, sn, delivery, 503)
  await change(directory(), connectionKey(id), known => (known.hasRefused ? undefined : { ...known, hasRefused: true }))
}

/** A reset may wait for what the terminal delivered again. */
const noteTaken = async (
  { connection, now }: Sender,
  { table, sn, company }: Spoken,
  fields: Fields,
): Promise<void> => {
  const device = connection.hasRefused ? await table.get(deviceKey(sn)) : undefined
  if (device && (await noteTakenDelivery(table, device, pushOf(fields)))) await goOn(company, sn, now)
}

/** Takes records under whatever name the terminal's firmware has for them. */
const takeLog = async (
  sender: Sender,
  origin: Spoken,
  { kind, command, fields }: Reply | (Frame & { kind: 'request' }),
): Promise<Answer> => {
  const { table, sn, zone } = origin
  const localNow = localTimeAt(zone, sender.now)
  const taken = readLog(fields, localNow)
  const isPage = isPageCommand(command)
  const isAnswer = kind === 'reply' || isPage
  const source = isPage ? command : 'sendlog'
  const store = async () => {
    if (!(await mayTake(origin.company, taken.records.length, sender.now))) return false
    const { isKept } = await ingest(origin, taken.records, source, sender.now)
    return isKept
  }
  if (!(await store())) {
    // A terminal sends a refused push again a little later; without any answer it would register anew. An answer it sends once.
    if (isAnswer) await noteLostPage(table, sn, zone)
    else await noteRefused(sender, origin, pushOf(fields))
    return refuseLog(command, taken)
  }
  await noteTaken(sender, origin, fields)
  // It takes those for delivered that it counted and did not send: all of those days are asked for when it is looked after next.
  if (!isAnswer && taken.count > taken.records.length) await noteLostPage(table, sn, zone)
  // It says what its clock shows only when it registers, and may go on wrong: its records tell. One from a while ago was kept back.
  const driftSeconds = driftIn(taken.records, localNow)
  await see(sender, origin, driftSeconds !== undefined && driftSeconds >= -mostDriftSeconds ? driftSeconds : undefined)
  return acceptLog(command, taken, localNow)
}

/** Stores a page, and tries that again where the table fails; the instants of what nobody knew before, undefined where it failed. */
const keepPage = async (
  origin: Origin,
  records: LogRecord[],
  command: PageCommand,
  now: number,
): Promise<number[] | undefined> => {
  for (let tries = 0; ; tries++) {
    try {
      const { isKept, added } = await ingest(origin, records, command, now)
      if (isKept) return added
    } catch (error) {
      log({ page: 'not stored', sn: origin.sn, fault: String(error) })
    }
    const pause = pageWaitsMilliseconds[tries]
    if (pause === undefined) return undefined
    await wait(pause)
  }
}

/** A punch may be made, and pushed, while all are asked for. */
const justNowMilliseconds = 5 * 60 * second

/** How many records the terminal had kept back though it said that there were none left. */
const countKeptBack = async ({ table, sn }: Origin, added: number[]): Promise<number> => {
  const uploadedAt = added.length > 0 ? (await table.get(deviceKey(sn)))?.uploadedAt : undefined
  return uploadedAt ? added.filter(at => at < Date.parse(uploadedAt) - justNowMilliseconds).length : 0
}

/**
 * Keeps a page of what the terminal had not delivered and asks for the next, until one is empty. A terminal that gives the
 * same page twice ignores the question's `stn`; it is not asked for ever. It counts a page as delivered once it has sent it:
 * where one was not kept, `reconcileFrom` stays at the device, and its next look asks for all records since.
 */
const takePage = async (sender: Sender, origin: Spoken, command: PageCommand, { ok, fields }: Reply) => {
  const { id, connection, now } = sender
  const { table, sn, company, generation } = origin
  const { asked } = connection
  const isAsked = asked?.command === command
  const { records } = readLog(fields, localTimeAt(origin.zone, now))
  // Of what nobody asks for there may be any number.
  const mayStore = isAsked || (await mayTake(company, records.length, now))
  const added = mayStore && (await keepPage(origin, records, command, now))
  if (!added) {
    await noteRefusedDelivery(table, sn, { table: command }, 503)
    if (mayStore) await quarantine(origin, { source: command, reason: 'not stored', raw: JSON.stringify(fields) }, now)
    return void (await noteLostPage(table, sn, origin.zone))
  }
  if (!isAsked) return
  if (isDoubtful(connection)) {
    // What it holds is kept. Over a new line nothing comes late: there it is asked again for what may be lost, but who is always slow
    // is not sent away for ever.
    if (asked.id) await takeOutcome(table, { serialNumber: sn, id: asked.id, generation }, { result: 'no answer' }, now)
    const device = await noteOwedPage(table, sn, id, origin.zone)
    if (!device || !isAllDue(device, now)) return goOn(company, sn, now, { askedAt: asked.at, id, connection })
    await noteAllAsked(table, sn, now)
    return void (await disconnect(id))
  }
  const recovered = (asked.recovered ?? 0) + (asked.isDaily ? await countKeptBack(origin, added) : 0)
  const page = pageMark(fields)
  const isEmpty = ok && records.length === 0
  if (ok && !isEmpty && page !== asked.lastPage) {
    const begunAt = asked.begunAt ?? asked.at
    const next = { ...asked, at: iso(now), begunAt, lastPage: page, ...(recovered > 0 && { recovered }) }
    let isWaitedFor = false
    const turn = (known: Item<Connection>) => {
      isWaitedFor = known.asked?.at === asked.at
      return isWaitedFor ? { ...known, asked: next } : undefined
    }
    await change(directory(), connectionKey(id), turn, undefined, connection)
    // It was given up meanwhile, or came twice.
    if (!isWaitedFor) return
    const device = await noteOwedPage(table, sn, id, origin.zone)
    const days = { from: asked.from, to: localDay(origin.zone, now) }
    if (device?.connection === id) await push(id, askLog(command, false, days))
    return
  }
  // A page that comes again where there are more records than it holds is not all of them: some pages were never given.
  const isDone = ok && (isEmpty || Number(fields.count ?? 0) <= records.length)
  const later = connection.steps?.filter(step => isPageCommand(step.command)) ?? []
  // What somebody has it asked meanwhile, or of fewer days, is not what may have been lost; what is lost it counts as delivered, and what
  // was lost while it told all of them may be of a page before.
  const coversLost = ({ reconcileFrom, pageLostAt }: Device) =>
    command === 'getnewlog'
      ? pageLostAt === undefined && !asked.isOwed && (asked.id === undefined || asked.isNothingLost === true)
      : reconcileFrom !== undefined &&
        asked.from !== undefined &&
        asked.from <= reconcileFrom &&
        (pageLostAt ?? '') < (asked.begunAt ?? asked.at)
  const told = {
    ...(isEmpty && { lastSeenAt: iso(now), isSilent: undefined }),
    ...(isDone && asked.isDaily && { reconciledOn: localDay(origin.zone, now) }),
    ...(recovered > 0 && { recovered: { count: recovered, at: iso(now) } }),
  }
  // All that is new includes the records it was refused when it sent them unasked.
  const stillRefused = ({ refusedDeliveries }: Device, isToldAll: boolean) => {
    const isOver = ({ table }: RefusedDelivery) =>
      isPageCommand(table) ? isToldAll : table === pushed && isEmpty && command === 'getnewlog'
    const open = refusedDeliveries?.filter(one => !isOver(one)) ?? []
    return { refusedDeliveries: open.length > 0 ? open : undefined }
  }
  const device = await change(table, deviceKey(sn), known => {
    if (known.connection !== id) return undefined
    const isNew = command === 'getnewlog'
    const isToldAll = isDone && later.length === 0 && coversLost(known)
    return {
      ...known,
      ...told,
      // All there are of some days are not what it says it has not sent.
      ...(isEmpty && isNew && { unsent: 0 }),
      ...(isEmpty && (isNew || coversLost(known)) && { uploadedAt: iso(now) }),
      ...(isToldAll && { reconcileFrom: undefined, pageLostAt: undefined }),
      ...stillRefused(known, isToldAll),
      ...(isDone && (coversLost(known) || (!isNew && known.reconcileFrom === undefined)) && { allAsked: undefined }),
    }
  })
  if (recovered > 0) log({ reconciled: sn, company, recovered })
  // Once a day also whether somebody was registered at the terminal itself.
  if (isDone && asked.isDaily) await saves(askForUsers(table, sn, { id: `users-${localDay(origin.zone, now)}` }))
  const outcome = isDone ? { result: 'ok' as const } : { result: 'refused' as const }
  if (asked.id) await takeOutcome(table, { serialNumber: sn, id: asked.id, generation }, outcome, now)
  // What it did by a command may have changed the terminal since.
  const known = asked.id === undefined && !asked.isDaily ? device : undefined
  await goOn(company, sn, now, { askedAt: asked.at, id, connection, device: known })
}

const hear = async (sender: Sender, frame: Frame, text: string, requestId: string): Promise<Answer> => {
  const { connection, now } = sender
  if (frame.kind === 'browser')
    return frame.command === 'home.ping'
      ? ping(sender)
      : answerBrowser('home.login', await login(sender, frame.token, requestId))
  if (frame.kind === 'request' && frame.command === 'reg') return register(sender, frame.fields)
  // Who has not introduced itself gets no answer; a terminal then keeps its records.
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
  const answer = await hear({ id, connection, now }, frame, body, requestId)
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
 * Takes API Gateway's websocket events. What it cannot answer it answers not at all: a terminal without an acknowledgement
 * keeps its records and sends them again.
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
