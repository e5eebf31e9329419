import { openTerminalKey } from '../../shared/device/claim.ts'
import { type Device, deviceKey, isClockWrong } from '../../shared/device.ts'
import { addDays, iso, localDay } from '../../shared/local-day.ts'
import { mostPauseMilliseconds } from '../../shared/quiet.ts'
import {
  composeOptions,
  composeTaken,
  isPeopleTable,
  linesOf,
  nothingToDo,
  type PeopleTable,
  readAttendance,
  readDelivery,
  readOptions,
  readPeople,
  readUnread,
  recordLines,
  type TableDelivery,
  type TerminalReport,
} from '../../shared/terminal/adms.ts'
import { driftIn, localTimeAt } from '../../shared/terminal/clock.ts'
import { firstOfAll } from '../../shared/terminal/command.ts'
import { beginningOf, noteStamp, type StampedTable, stampKey } from '../../shared/terminal/stamp.ts'
import { disconnect, polls } from '../kit/push.ts'
import { change, saves } from '../kit/table/change.ts'
import { directory, type Item, save, type Table } from '../kit/table.ts'
import { bindTo } from './claim.ts'
import { queueCommand, takeOutcome } from './command.ts'
import { takeDelivered } from './enrolment.ts'
import { openCommands } from './handover.ts'
import { ingestAll, type Origin } from './intake.ts'
import type { Delivery } from './refused-delivery.ts'
import { type IdentifiedTerminal, noteOther, profile, type Result, refuse, second, text, type Visit } from './visit.ts'

// Takes the records, people and options that an ADMS terminal posts.

/** The device's `lastSeenAt` is saved once in this time, not with every request. */
const seenMilliseconds = 60 * second

/** Makes the terminal request its options, which contain its time zone. */
const tellZone = (table: Table, sn: string) =>
  saves(queueCommand(table, sn, { id: `${firstOfAll}settime`, cmd: 'settime', body: {}, mostAttempts: 3 }))

interface Seen {
  said?: TerminalReport
  isBeginning?: boolean
  /** How far its clock is ahead, if a record shows it. */
  driftSeconds?: number | undefined
}

/** Saves about once a minute that the terminal is online and what it reports. Corrects a clock that became wrong. */
export const see = async (
  visit: Visit,
  known: IdentifiedTerminal,
  { said, isBeginning = false, driftSeconds }: Seen = {},
) => {
  const { sn, ip, now } = visit
  const { table, company, claim, device, zone } = known
  const isBack = device.connection !== polls
  const isRecent = device.lastSeenAt !== undefined && now - Date.parse(device.lastSeenAt) < seenMilliseconds
  const hasMoved = driftSeconds !== undefined && isClockWrong(driftSeconds) !== isClockWrong(device.driftSeconds)
  // A terminal reports a new figure once.
  const hasCounted = Object.entries(said?.counts ?? {}).some(
    ([name, count]) => count !== undefined && count !== device[name as keyof TerminalReport['counts']],
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
    // A terminal with no users has nothing left to list.
    ...(said?.counts.users === 0 && !before.listed && { listed: { at } }),
    // The handshake makes it deliver everything.
    ...(isBeginning && !before.listed && { quiet: { since: at, askedAt: at } }),
    generation: before.generation + (isBeginning ? 1 : 0),
  })
  const point = directory().putAnew(openTerminalKey(sn), { company, serialNumber: sn, connection: polls, zone })
  const isComing = isBack || isBeginning
  // Saved with the first write, so that the poll job finds this terminal even after a crash.
  const write = (earlier: Device, later: Item<Device>) => [
    ...bindTo(table, claim)(earlier, later),
    ...(isComing ? [point] : []),
  ]
  const seen = await change(table, deviceKey(sn), alter, write)
  if (seen && hasMoved && isClockWrong(driftSeconds) && !isBack) await tellZone(table, sn)
  // A manager approved other hardware meanwhile.
  if (seen?.protocol !== 'adms' || !isComing) return
  if (device.connection !== undefined && isBack) await disconnect(device.connection)
  if (!isBeginning) await tellZone(table, sn)
}

const readStamp = async ({ table, device, localNow }: IdentifiedTerminal, name: StampedTable) =>
  beginningOf(
    await table.get(stampKey(device.serialNumber, name)),
    device.claimedAt,
    addDays(localNow.slice(0, 10), -1),
  )

/** Saves the stamp up to which everything is stored; without a stamp, the time of the delivery. */
const keepStamp = async (
  { query, now }: Visit,
  { table, device, clockZone }: IdentifiedTerminal,
  name: StampedTable,
) => {
  const key = stampKey(device.serialNumber, name)
  const known = await table.get(key)
  const told = [query.get('stamp'), query.get('opstamp')]
  const said = told.find(stamp => stamp !== undefined && /^\d{1,20}$/.test(stamp))
  const stamp = said ?? (known?.claimedAt === device.claimedAt ? known.stamp : undefined) ?? '0'
  const { claimedAt } = device
  const noted = { claimedAt, stamp, at: iso(now), day: localDay(clockZone, now) }
  await save(table.put(key, noteStamp(known, noted)))
}

/** The handshake proves that the terminal restarted, even without a reply. */
const settleReboot = async ({ sn, now }: Visit, { table, device: { generation } }: IdentifiedTerminal) => {
  for (const { id, cmd, state } of await openCommands(table, sn))
    if (cmd === 'reboot' && state === 'sent')
      await takeOutcome(table, { serialNumber: sn, id, generation }, { result: 'ok' }, now)
}

export const begin = async (visit: Visit, known: IdentifiedTerminal): Promise<Result> => {
  await see(visit, known, { isBeginning: true })
  await settleReboot(visit, known)
  const [attendance, operations] = await Promise.all([readStamp(known, 'ATTLOG'), readStamp(known, 'OPERLOG')])
  const offsetMinutes = Math.round((Date.parse(`${localTimeAt(known.zone, visit.now)}Z`) - visit.now) / (60 * second))
  return text(200, composeOptions(visit.name, { attendance, operations }, offsetMinutes))
}

/** Restarts the quiet time: the terminal is still delivering its backlog. */
const noteDelivery = async ({ sn, now }: Visit, { table, device }: IdentifiedTerminal): Promise<void> => {
  if (device.listed || !device.quiet) return
  const quiet = { since: iso(now), askedAt: iso(now) }
  await change(table, deviceKey(sn), known => (known.quiet ? { ...known, quiet } : undefined))
}

const originOf = ({ table, company, device, clockZone: zone }: IdentifiedTerminal): Origin & { company: string } => {
  const { serialNumber: sn, generation } = device
  return { table, company, sn, zone, generation, profile }
}

/** Acknowledges a record only if it is stored, known or in quarantine. */
const takeAttendance = async (visit: Visit, known: IdentifiedTerminal): Promise<Result> => {
  const { device, clockZone, localNow } = known
  const { records } = readAttendance(visit.body, localNow)
  if (!(await ingestAll(originOf(known), records, 'adms', visit.now))) {
    await noteDelivery(visit, known)
    return text(503, 'ERROR\n')
  }
  // A recent punch is no backlog.
  const recent = localTimeAt(clockZone, visit.now - mostPauseMilliseconds)
  if (records.some(record => record.kind === 'quarantine' || record.localTime < recent))
    await noteDelivery(visit, known)
  await keepStamp(visit, known, 'ATTLOG')
  // Only records show its clock. After an outage they are backlog and show nothing.
  const wasThere = visit.now - Date.parse(device.lastSeenAt ?? '1970-01-01') < 2 * seenMilliseconds
  await see(visit, known, { driftSeconds: wasThere ? driftIn(records, localNow) : undefined })
  return text(200, composeTaken(records.length))
}

/** Quarantines lines that we cannot read. Returns whether all are held. */
const holdLines = ({ now }: Visit, known: IdentifiedTerminal, table: string, lines: string[]): Promise<boolean> =>
  ingestAll(originOf(known), readUnread(table, lines), 'adms', now)

/** Takes the fingers, faces and cards registered at the terminal, and quarantines unreadable lines. */
const takePeople = async (
  visit: Visit,
  known: IdentifiedTerminal,
  table: PeopleTable,
  { isPacket, acknowledge }: TableDelivery,
) => {
  const { count, held, unread } = readPeople(table, visit.body)
  await noteDelivery(visit, known)
  if (held.length > 0) await takeDelivered({ company: known.company, serialNumber: visit.sn }, held, visit.now)
  if (!(await holdLines(visit, known, table, unread))) return text(503, 'ERROR\n')
  if (table === 'OPERLOG' && !isPacket) await keepStamp(visit, known, table)
  await see(visit, known)
  return text(200, acknowledge(count))
}

export const takeOptions = async (
  visit: Visit,
  known: IdentifiedTerminal,
  answer: string = nothingToDo,
): Promise<Result> => {
  const said = readOptions(visit.body)
  const { mac } = known.device
  if (mac !== undefined && said.mac !== undefined && mac !== said.mac) {
    await noteOther(known.table, visit, said)
    return refuse(visit)
  }
  await see(visit, known, { said })
  return text(200, answer)
}

/** Tables without records, which are dropped: door states and pictures. */
const idleTables = new Set(['RTSTATE', 'ATTPHOTO', 'USERPIC'])

/** An unknown table may contain records, so its lines go to quarantine before the acknowledgement. */
const holdTable = async (
  visit: Visit,
  known: IdentifiedTerminal,
  { table, acknowledge }: TableDelivery,
): Promise<Result> => {
  const lines = linesOf(visit.body)
  await noteDelivery(visit, known)
  if (!(await holdLines(visit, known, table, lines))) return text(503, 'ERROR\n')
  await see(visit, known)
  return text(200, acknowledge(lines.length))
}

export const take = (visit: Visit, known: IdentifiedTerminal): Promise<Result> | Result => {
  const delivery = readDelivery(visit.query)
  const { table, isPacket } = delivery
  if (table === '') return text(400, 'ERROR\n')
  if (table === 'ATTLOG' && !isPacket) return takeAttendance(visit, known)
  if (isPeopleTable(table)) return takePeople(visit, known, table, delivery)
  if (table === 'OPTIONS') return takeOptions(visit, known)
  return idleTables.has(table) ? text(200, nothingToDo) : holdTable(visit, known, delivery)
}

/** The delivery, unless a reset cannot erase it: command results, registrations and pictures. */
export const deliveryOf = ({ method, action, query, body, bytes }: Visit): Delivery | undefined => {
  if (method !== 'POST' || bytes === 0 || (action !== undefined && action !== 'cdata' && action !== 'fdata'))
    return undefined
  const table = (readDelivery(query).table || query.get('table') || action || 'unknown').slice(0, 32).toUpperCase()
  const lines = recordLines(table, body)
  const isBlank = lines?.length === 0 && bytes <= body.length
  return idleTables.has(table) || isBlank ? undefined : { table, lines }
}
