import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { companyKey } from '../shared/company.ts'
import { messagesPerSecond } from '../shared/connection.ts'
import {
  type Claim,
  claimHours,
  type Device,
  deviceKey,
  isClockWrong,
  openTerminalKey,
  serialNumberKey,
} from '../shared/device.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import { goesOn, isOver, mostPauseMilliseconds } from '../shared/quiet.ts'
import {
  type Action,
  composeCommand,
  composeOptions,
  composeRegistry,
  composeTaken,
  isPeopleTable,
  linesOf,
  nothingToDo,
  outcomeOf,
  type PeopleTable,
  readAddress,
  readAttendance,
  readDelivery,
  readInfo,
  readOptions,
  readPeople,
  readReturns,
  readUnread,
  recordLines,
  type Said,
  type TableDelivery,
  translate,
} from '../shared/terminal/adms.ts'
import { readSerialNumber } from '../shared/terminal/ai-face.ts'
import { driftIn, localTimeAt } from '../shared/terminal/clock.ts'
import { answerSeconds, type Command, commandKey, firstOfAll } from '../shared/terminal/command.ts'
import { beginningOf, noteStamp, type StampedTable, stampKey } from '../shared/terminal/stamp.ts'
import { addressOf } from './kit/address.ts'
import { hashSecret } from './kit/id.ts'
import { bodyOf } from './kit/lambda/body.ts'
import { log } from './kit/log.ts'
import { disconnect, polls } from './kit/push.ts'
import { change, saves } from './kit/table/change.ts'
import { directory, type Item, openTable, save, type Table } from './kit/table.ts'
import { awaitApproval } from './terminal/approval.ts'
import { bindTo } from './terminal/claim.ts'
import { giveUp, nextCommand, queueCommand, sendingOf, takeOutcome, watch } from './terminal/command.ts'
import { compose } from './terminal/compose.ts'
import { takeDelivered } from './terminal/enrolment.ts'
import { ingestAll, type Origin } from './terminal/intake.ts'
import { countMessage } from './terminal/pressure.ts'
import { isRefusedTooOften, type Proof, refusalOf, wrongPath } from './terminal/proof.ts'
import { noteRefusal } from './terminal/refusal.ts'
import { answerDelivery, type Delivery } from './terminal/refused-delivery.ts'

// Terminals of the PUSH family (ADMS): they come over HTTP, ask, and are answered in lines of text. Every call proves itself anew, by
// the same claim, secret or password as a websocket's registration; records go the same way in, and commands come from the same
// queue. There is nobody to be told anything between two calls.

type Event = APIGatewayProxyEventV2
type Result = APIGatewayProxyStructuredResultV2

const second = 1000
const hour = 3600 * second
/** All of this family speak alike. */
const profile = 'adms'
/** Being seen is written down once in this time, not with every call. */
const seenMilliseconds = 60 * second
/** A terminal that was away for weeks delivers some ten thousand records in one call. Base64 adds a third, and Lambda takes 6 MB. */
const mostBytes = 4 * 1024 * 1024
/** A function may end while it stores more than this; without an answer from it, nobody else notes that. */
const longBytes = 256 * 1024
/** Commands handed over together; of one person one, so that nothing is done in another order than it was asked for. */
const mostTogether = 20
/** Where several are done one after the other, an answer may take so long. */
const owedMilliseconds = 3 * answerSeconds * second
/** The websocket's terminals register every two hours, and are asked again what they refused; these are in the same time. */
const roundMilliseconds = 2 * hour
/** Nothing is sent behind these: afterwards the terminal is another one. */
const isLast = (cmd: string) => cmd === 'reboot' || cmd === 'initsys'

const iso = (instant: number) => new Date(instant).toISOString()

const text = (statusCode: number, body: string): Result => ({
  statusCode,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
})

/** Never says whether the serial number is unknown, another company's, not proven or to be approved; the terminal keeps its records. */
const refuse = async ({ sn, ip }: Pick<Visit, 'sn' | 'ip'>): Promise<Result> =>
  (await isRefusedTooOften(sn, ip)) ? text(429, '') : text(403, 'UNKNOWN DEVICE\n')

interface Visit {
  method: string
  action: Action | undefined
  query: Map<string, string>
  body: string
  /** The body's size, also where the body itself is too large to come here. */
  bytes: number
  sn: string
  /** As the terminal wrote it. */
  name: string
  ip: string
  proof: Proof
  now: number
}

interface Known {
  table: Table
  company: string
  claim: Item<Claim>
  device: Item<Device>
  /** What its clock is to show, and what it shows until it has been told. */
  zone: string
  clockZone: string
  localNow: string
}

// Who it is.

const noteOther = (table: Table, { sn, ip, now }: Visit, { mac, model, firmware }: Partial<Said> = {}) =>
  awaitApproval(table, sn, { at: iso(now), ip, protocol: 'adms', mac, model, firmware })

/** Whoever was refused a moment ago comes from where it came from, and the right one from elsewhere. */
const isDeniedAt = ({ denied, ip }: Device, visit: Visit) =>
  denied !== undefined &&
  visit.now - Date.parse(denied.at) < claimHours * hour &&
  visit.ip === denied.ip &&
  visit.ip !== ip

const recognise = async (visit: Visit): Promise<Known | undefined> => {
  const { sn, proof, now } = visit
  const claim = await directory().get(serialNumberKey(sn))
  if (!claim) return undefined
  const table = openTable(claim.company)
  const [device, company] = await Promise.all([table.get(deviceKey(sn)), table.get(companyKey())])
  if (!device || !company) return undefined
  const isUnseen = device.state === 'claimed' && (device.protocol ?? 'adms') !== 'adms'
  const refusal =
    (await refusalOf(device, company, proof, now)) ??
    (isUnseen && device.authentication === 'claim' ? wrongPath : undefined)
  if (refusal) {
    await noteRefusal(table, device, { ...refusal, path: proof.path }, { ip: visit.ip, protocol: 'adms' }, now)
    return undefined
  }
  if (device.state === 'claimed') {
    if (now - Date.parse(device.claimedAt) > claimHours * hour) return undefined
  } else if (device.protocol !== 'adms') {
    await noteOther(table, visit)
    return undefined
  } else if (device.state === 'needs approval') {
    // Two that come by one name cannot be told apart call by call, so both wait.
    return undefined
  } else if (isDeniedAt(device, visit)) return undefined
  const zone = device.timezone ?? company.timezone
  const clockZone = device.state === 'claimed' ? zone : (device.clockZone ?? zone)
  return { table, company: claim.company, claim, device, zone, clockZone, localNow: localTimeAt(clockZone, now) }
}

/** It asks for its options anew, and with them for the zone its clock is to show. */
const tellZone = (table: Table, sn: string) =>
  saves(queueCommand(table, sn, { id: `${firstOfAll}settime`, cmd: 'settime', body: {}, mostAttempts: 3 }))

interface Seen {
  said?: Said
  isBeginning?: boolean
  /** By how much its clock is ahead, where it showed. */
  driftSeconds?: number | undefined
}

/** Writes down that the terminal is there and what it says of itself, once a minute; a clock that has come to be wrong is told the time. */
const see = async (visit: Visit, known: Known, { said, isBeginning = false, driftSeconds }: Seen = {}) => {
  const { sn, ip, now } = visit
  const { table, company, claim, device, zone } = known
  const isBack = device.connection !== polls
  const isRecent = device.lastSeenAt !== undefined && now - Date.parse(device.lastSeenAt) < seenMilliseconds
  const hasMoved = driftSeconds !== undefined && isClockWrong(driftSeconds) !== isClockWrong(device.driftSeconds)
  // It tells its figures when they are others, and not again.
  const hasCounted = Object.entries(said?.counts ?? {}).some(
    ([name, count]) => count !== undefined && count !== device[name as keyof Said['counts']],
  )
  if (!isBeginning && !isBack && isRecent && !hasMoved && !hasCounted && said?.mac === undefined) return
  const at = iso(now)
  const alter = (before: Item<Device>): Device | undefined =>
    before.state !== 'claimed' && before.protocol !== 'adms' ? undefined : { ...before, ...told(before) }
  const told = (before: Device) => ({
    users: said?.counts.users ?? before.users,
    templates: said?.counts.templates ?? before.templates,
    faces: said?.counts.faces ?? before.faces,
    records: said?.counts.records ?? before.records,
    model: said?.model ?? before.model,
    firmware: said?.firmware ?? before.firmware,
    mac: before.mac ?? said?.mac,
    fingerAlgorithm: said?.fingerAlgorithm ?? before.fingerAlgorithm,
    driftSeconds: driftSeconds ?? before.driftSeconds,
    clockZone: isBeginning ? zone : before.clockZone,
    ip,
    protocol: 'adms' as const,
    profile,
    state: before.state === 'claimed' ? ('bound' as const) : before.state,
    firstOnlineAt: before.firstOnlineAt ?? at,
    lastSeenAt: at,
    connection: polls,
    isSilent: undefined,
    // Who says that it holds nobody has told whom it holds.
    ...(said?.counts.users === 0 && !before.listed && { listed: { at } }),
    // It is told to deliver everything.
    ...(isBeginning && !before.listed && { quiet: { since: at, askedAt: at } }),
    generation: before.generation + (isBeginning ? 1 : 0),
  })
  const point = directory().putAnew(openTerminalKey(sn), { company, serialNumber: sn, connection: polls, zone })
  const isComing = isBack || isBeginning
  // With the first write, so that whoever goes through the terminals finds this one also where it ends in the middle.
  const write = (earlier: Device, later: Item<Device>) => [
    ...bindTo(table, claim)(earlier, later),
    ...(isComing ? [point] : []),
  ]
  const seen = await change(table, deviceKey(sn), alter, write)
  if (seen && hasMoved && isClockWrong(driftSeconds) && !isBack) await tellZone(table, sn)
  // Another one was let in meanwhile.
  if (seen?.protocol !== 'adms' || !isComing) return
  if (device.connection !== undefined && isBack) await disconnect(device.connection)
  if (!isBeginning) await tellZone(table, sn)
}

// What it says.

const readStamp = async ({ table, device, localNow }: Known, name: StampedTable) =>
  beginningOf(
    await table.get(stampKey(device.serialNumber, name)),
    device.claimedAt,
    addDays(localNow.slice(0, 10), -1),
  )

/** Notes that all up to a stamp is kept; without one, that something came. */
const keepStamp = async ({ query, now }: Visit, { table, device, clockZone }: Known, name: StampedTable) => {
  const key = stampKey(device.serialNumber, name)
  const known = await table.get(key)
  const told = [query.get('stamp'), query.get('opstamp')]
  const said = told.find(stamp => stamp !== undefined && /^\d{1,20}$/.test(stamp))
  const stamp = said ?? (known?.claimedAt === device.claimedAt ? known.stamp : undefined) ?? '0'
  const { claimedAt } = device
  const noted = { claimedAt, stamp, at: iso(now), day: localDay(clockZone, now) }
  await save(table.put(key, noteStamp(known, noted)))
}

/** It began anew, whether it answered before or not. */
const settleReboot = async ({ sn, now }: Visit, { table, device: { generation } }: Known) => {
  for (const { id, cmd, state } of await openCommands(table, sn))
    if (cmd === 'reboot' && state === 'sent')
      await takeOutcome(table, { serialNumber: sn, id, generation }, { result: 'ok' }, now)
}

const begin = async (visit: Visit, known: Known): Promise<Result> => {
  await see(visit, known, { isBeginning: true })
  await settleReboot(visit, known)
  const [attendance, operations] = await Promise.all([readStamp(known, 'ATTLOG'), readStamp(known, 'OPERLOG')])
  const offsetMinutes = Math.round((Date.parse(`${localTimeAt(known.zone, visit.now)}Z`) - visit.now) / (60 * second))
  return text(200, composeOptions(visit.name, { attendance, operations }, offsetMinutes))
}

/** It delivers still what it held when it came. */
const noteDelivery = async ({ sn, now }: Visit, { table, device }: Known): Promise<void> => {
  if (device.listed || !device.quiet) return
  const quiet = { since: iso(now), askedAt: iso(now) }
  await change(table, deviceKey(sn), known => (known.quiet ? { ...known, quiet } : undefined))
}

const originOf = ({ table, company, device, clockZone: zone }: Known): Origin & { company: string } => {
  const { serialNumber: sn, generation } = device
  return { table, company, sn, zone, generation, profile }
}

/** Every record that is counted in the answer is stored, known, or held for somebody to look at. */
const takeAttendance = async (visit: Visit, known: Known): Promise<Result> => {
  const { device, clockZone, localNow } = known
  const { records } = readAttendance(visit.body, localNow)
  if (!(await ingestAll(originOf(known), records, 'adms', visit.now))) {
    await noteDelivery(visit, known)
    return text(503, 'ERROR\n')
  }
  // What is punched just now is no backlog.
  const recent = localTimeAt(clockZone, visit.now - mostPauseMilliseconds)
  if (records.some(record => record.kind === 'quarantine' || record.localTime < recent))
    await noteDelivery(visit, known)
  await keepStamp(visit, known, 'ATTLOG')
  // It tells its clock by nothing else; who was not there lately delivers what it kept back.
  const wasThere = visit.now - Date.parse(device.lastSeenAt ?? '1970-01-01') < 2 * seenMilliseconds
  await see(visit, known, { driftSeconds: wasThere ? driftIn(records, localNow) : undefined })
  return text(200, composeTaken(records.length))
}

/** Holds lines that nobody here can read; whether each is held. */
const holdLines = ({ now }: Visit, known: Known, table: string, lines: string[]): Promise<boolean> =>
  ingestAll(originOf(known), readUnread(table, lines), 'adms', now)

/** Fingers, faces and cards somebody registered at the terminal; a line that cannot be read is held. */
const takePeople = async (visit: Visit, known: Known, table: PeopleTable, { isPacket, acknowledge }: TableDelivery) => {
  const { count, held, unread } = readPeople(table, visit.body)
  await noteDelivery(visit, known)
  if (held.length > 0) await takeDelivered({ company: known.company, serialNumber: visit.sn }, held, visit.now)
  if (!(await holdLines(visit, known, table, unread))) return text(503, 'ERROR\n')
  if (table === 'OPERLOG' && !isPacket) await keepStamp(visit, known, table)
  await see(visit, known)
  return text(200, acknowledge(count))
}

const takeOptions = async (visit: Visit, known: Known, answer: string = nothingToDo): Promise<Result> => {
  const said = readOptions(visit.body)
  const { mac } = known.device
  if (mac !== undefined && said.mac !== undefined && mac !== said.mac) {
    await noteOther(known.table, visit, said)
    return refuse(visit)
  }
  await see(visit, known, { said })
  return text(200, answer)
}

/** Doors' states, and pictures nobody asks for: no records, and nothing of these is kept. */
const idleTables = new Set(['RTSTATE', 'ATTPHOTO', 'USERPIC'])

/** Any other table may hold records, so its lines are held before they are acknowledged. */
const holdTable = async (visit: Visit, known: Known, { table, acknowledge }: TableDelivery): Promise<Result> => {
  const lines = linesOf(visit.body)
  await noteDelivery(visit, known)
  if (!(await holdLines(visit, known, table, lines))) return text(503, 'ERROR\n')
  await see(visit, known)
  return text(200, acknowledge(lines.length))
}

const take = (visit: Visit, known: Known): Promise<Result> | Result => {
  const delivery = readDelivery(visit.query)
  const { table, isPacket } = delivery
  if (table === '') return text(400, 'ERROR\n')
  if (table === 'ATTLOG' && !isPacket) return takeAttendance(visit, known)
  if (isPeopleTable(table)) return takePeople(visit, known, table, delivery)
  if (table === 'OPTIONS') return takeOptions(visit, known)
  return idleTables.has(table) ? text(200, nothingToDo) : holdTable(visit, known, delivery)
}

// What it is to do.

/** Some terminals read a number and nothing else; the queue's ids are none. */
const numberOf = (id: string): string => String((createHash('sha256').update(id).digest().readUInt32BE() >>> 1) + 1)

const openCommands = (table: Table, sn: string) => table.all<Command>({ pk: commandKey(sn, '').pk })

/** Emptied only after it has delivered: that it was told to deliver says nothing about that. */
const isQuiet = async (table: Table, command: Item<Command>, now: number): Promise<boolean> => {
  const { cmd, needs, serialNumber, quiet } = command
  if (cmd !== 'initsys' || needs === undefined) return true
  const stamp = await table.get(stampKey(serialNumber, 'ATTLOG'))
  const hasDelivered = stamp !== undefined && stamp.at >= (quiet?.since ?? '')
  const still = goesOn(hasDelivered ? undefined : quiet, now)
  if (isOver(still, now)) return true
  await saves(table.replace(commandKey(serialNumber, command.id), { ...command, quiet: still }))
  return false
}

/**
 * Of its own it delivers first what it held when it came, whatever it begins with; that is over, too, once it went on asking and delivered
 * nothing. Who was never told to deliver has told nothing yet.
 */
const noteListed = async ({ sn, now }: Visit, { table, device }: Known): Promise<void> => {
  if (device.listed || !device.quiet) return
  await change(table, deviceKey(sn), known => {
    if (known.listed || !known.quiet) return undefined
    const quiet = goesOn(known.quiet, now)
    return isOver(quiet, now) ? { ...known, quiet: undefined, listed: { at: iso(now) } } : { ...known, quiet }
  })
}

const personOf = ({ id, body }: Command) => String(body.employee ?? body.enrollid ?? id)

/** Whether it still owes an answer to what it was handed before; what it owes for too long is given up. */
const owes = async (table: Table, sn: string, round: number, now: number): Promise<boolean> => {
  for (const { id, state, isOnce, sentAt = '' } of await openCommands(table, sn)) {
    if (state !== 'sent') continue
    if (now - Date.parse(sentAt) < (isOnce ? answerSeconds * second : owedMilliseconds)) return true
    if (!isOnce) await takeOutcome(table, { serialNumber: sn, id, generation: round }, { result: 'no answer' }, now)
  }
  return false
}

/** Hands over what is next in the queue, in its order. */
const handOver = async ({ sn, now }: Visit, { table, company, device, localNow }: Known): Promise<string[]> => {
  const round = Math.floor(now / roundMilliseconds)
  if (await owes(table, sn, round, now)) return []
  const lines: string[] = []
  const seen = new Set<string>()
  const people = new Set<string>()
  while (lines.length < mostTogether) {
    const command = await nextCommand(table, sn, round, now, seen)
    if (!command || people.has(personOf(command)) || (isLast(command.cmd) && lines.length > 0)) break
    // Another call of this terminal has just handed it over.
    if (command.state === 'sent') break
    if (!(await isQuiet(table, command, now))) break
    seen.add(command.id)
    const composed = await compose({ table, company, device, command })
    const { message, holds } = typeof composed === 'object' ? composed : {}
    const line = message ? translate(message, localNow) : composed === undefined ? 'done' : 'unsupported'
    if (line === 'done' || line === 'unsupported') {
      const outcome = { result: line === 'done' ? ('ok' as const) : ('unsupported' as const) }
      // What needs no words the terminal does by itself, and what follows from it follows.
      const attempts = command.attempts + (message && line === 'done' ? 1 : 0)
      await giveUp(table, { ...command, attempts, holds: undefined }, outcome, now)
      continue
    }
    if (lines.length === 0) await watch(company, sn, now + owedMilliseconds)
    const sending = await sendingOf(table, { ...command, holds }, now)
    if (!sending || !(await saves(...sending))) break
    people.add(personOf(command))
    lines.push(composeCommand(numberOf(command.id), line))
    if (isLast(command.cmd)) break
  }
  return lines
}

const answerPoll = async (visit: Visit, known: Known): Promise<Result> => {
  const info = visit.query.get('info')
  await see(visit, known, info ? { said: readInfo(info) } : {})
  await noteListed(visit, known)
  const lines = await handOver(visit, known)
  return text(200, lines.join('') || nothingToDo)
}

const takeReturns = async ({ sn, body, now }: Visit, { table }: Known): Promise<Result> => {
  const open = await openCommands(table, sn)
  const generation = Math.floor(now / roundMilliseconds)
  for (const { number, code } of readReturns(body)) {
    const command = open.find(({ id }) => numberOf(id) === number)
    if (!command) continue
    const result = outcomeOf(command.cmd, code)
    const came = result === 'ok' ? { result } : { result, reason: code }
    await takeOutcome(table, { serialNumber: sn, id: command.id, generation }, came, now)
  }
  return text(200, nothingToDo)
}

const answer = async (visit: Visit, known: Known): Promise<Result> => {
  const { action, method } = visit
  if (action === 'cdata' && method === 'GET') return begin(visit, known)
  if (action === 'cdata' || (action === 'fdata' && visit.query.has('table'))) return take(visit, known)
  if (action === 'registry') return takeOptions(visit, known, composeRegistry(numberOf(visit.sn)))
  if (action === 'getrequest') return answerPoll(visit, known)
  if (action === 'devicecmd') return takeReturns(visit, known)
  return action ? text(200, nothingToDo) : text(404, '')
}

/** Returns, registrations and pictures hold nothing that a reset would erase. */
const deliveryOf = ({ method, action, query, body, bytes }: Visit): Delivery | undefined => {
  if (method !== 'POST' || bytes === 0 || (action !== undefined && action !== 'cdata' && action !== 'fdata'))
    return undefined
  const table = (readDelivery(query).table || query.get('table') || action || 'unknown').slice(0, 32).toUpperCase()
  const lines = recordLines(table, body)
  const isBlank = lines?.length === 0 && bytes <= body.length
  return idleTables.has(table) || isBlank ? undefined : { table, lines }
}

const readVisit = (event: Event): Visit | Result => {
  const { rawPath, rawQueryString, headers, requestContext } = event
  const { method, sourceIp } = requestContext.http
  const ip = addressOf(headers, sourceIp)
  const address = readAddress(rawPath)
  const isAsked = method === 'POST' || (method === 'GET' && address?.action !== undefined)
  if (!address || !isAsked) return text(404, '')
  const body = bodyOf(event)
  const bytes = Math.max(body.length, Number(headers['content-length']) || 0)
  const query = new Map([...new URLSearchParams(rawQueryString)].map(([name, value]) => [name.toLowerCase(), value]))
  const name = query.get('sn') ?? ''
  const sn = readSerialNumber(name)
  if (sn === undefined) return text(400, '')
  const secret = address.pathSecret ?? query.get('k')
  return {
    ...{ method, action: address.action, query, body: body.toString(), bytes, sn, name },
    ip,
    proof: {
      ip,
      path: {
        companyNumber: address.companyNumber ?? query.get('c'),
        pathSecretHash: secret === undefined ? undefined : hashSecret(secret),
      },
      said: { companyNumber: query.get('company_num'), password: query.get('comm_pwd') },
    },
    now: Date.now(),
  }
}

const hear = async (visit: Visit): Promise<Result> => {
  const { ip, sn, now, bytes } = visit
  const caller = `${ip} ${sn}`
  const isFlood = countMessage(caller, now) > messagesPerSecond.terminal
  // A stranger costs next to nothing; of the terminal itself one refused delivery a second is noted.
  if (isFlood && (bytes === 0 || countMessage(`${caller} refused`, now) > 1)) return text(429, '')
  const known = await recognise(visit)
  if (!known) return isFlood ? text(429, '') : refuse(visit)
  const isTooLarge = bytes > mostBytes
  const delivery = deliveryOf(visit)
  return answerDelivery({ ...known, delivery, isLong: bytes > longBytes && !isFlood && !isTooLarge }, async () => {
    if (isFlood || isTooLarge) return text(isFlood ? 429 : 413, '')
    return answer(visit, known).catch(error => fail(visit, error))
  })
}

const fail = ({ sn, action }: Visit, error: unknown): Result => {
  log({ iclock: action, sn, fault: error instanceof Error ? error.stack : String(error) })
  return text(500, 'ERROR\n')
}

/** Takes API Gateway's HTTP events. What fails is no answer a terminal takes for one: it keeps its records and comes again. */
export const handler = async (event: Event): Promise<Result> => {
  const { requestId } = event.requestContext
  const visit = readVisit(event)
  if (!('sn' in visit)) return visit
  const { sn, action, now } = visit
  const result = await hear(visit).catch(error => fail(visit, error))
  log({ requestId, iclock: action, sn, ms: Date.now() - now, status: result.statusCode })
  return result
}
