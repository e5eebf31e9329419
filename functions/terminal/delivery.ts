import { openTerminalKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { type Device, isClockWrong } from '../../shared/device.ts'
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

/** Saves the device's `lastSeenAt` at most once in this time, not with every request. */
const seenMilliseconds = 60 * second

/** Makes the terminal request its options, which contain its time zone. */
const tellZone = (table: Table, sn: string) =>
  saves(queueCommand(table, sn, { id: `${firstOfAll}settime`, cmd: 'settime', body: {}, mostAttempts: 3 }))

interface Seen {
  said?: TerminalReport
  isBeginning?: boolean
  /** The seconds that the terminal's clock is ahead, if a record shows them. */
  driftSeconds?: number | undefined
}

/** Saves about once a minute that the terminal is online, with its report. Corrects a clock that became wrong. */
export const see = async (
  visit: Visit,
  terminal: IdentifiedTerminal,
  { said: report, isBeginning = false, driftSeconds }: Seen = {},
) => {
  const { sn, ip, now } = visit
  const { table, company, claim, device, zone } = terminal
  const isBack = device.connection !== polls
  const isRecent = device.lastSeenAt !== undefined && now - Date.parse(device.lastSeenAt) < seenMilliseconds
  const hasMoved = driftSeconds !== undefined && isClockWrong(driftSeconds) !== isClockWrong(device.driftSeconds)
  // A terminal reports a new figure only once.
  const hasCounted = Object.entries(report?.counts ?? {}).some(
    ([name, count]) => count !== undefined && count !== device[name as keyof TerminalReport['counts']],
  )
  if (!isBeginning && !isBack && isRecent && !hasMoved && !hasCounted && report?.mac === undefined) return
  const at = iso(now)
  const alter = (before: Item<Device>): Device | undefined =>
    before.state !== 'claimed' && before.protocol !== 'adms' ? undefined : { ...before, ...applyReport(before) }
  const applyReport = (before: Device) => ({
    users: report?.counts.users ?? before.users,
    templates: report?.counts.templates ?? before.templates,
    faces: report?.counts.faces ?? before.faces,
    records: report?.counts.records ?? before.records,
    model: report?.model ?? before.model,
    firmware: report?.firmware ?? before.firmware,
    mac: before.mac ?? report?.mac,
    fingerAlgorithm: report?.fingerAlgorithm ?? before.fingerAlgorithm,
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
    // A terminal without users has nothing left to list.
    ...(report?.counts.users === 0 && !before.listed && { listed: { at } }),
    // The handshake makes the terminal deliver all its content.
    ...(isBeginning && !before.listed && { quiet: { since: at, askedAt: at } }),
    generation: before.generation + (isBeginning ? 1 : 0),
  })
  const point = directory().putAnew(openTerminalKey(sn), { company, serialNumber: sn, connection: polls, zone })
  const isComing = isBack || isBeginning
  // Save this entry with the device, so that the poll job finds the terminal even after a crash.
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

/** Saves the stamp up to which the server has stored all records, and the time of the delivery. */
const keepStamp = async (
  { query, now }: Visit,
  { table, device, clockZone }: IdentifiedTerminal,
  name: StampedTable,
) => {
  const key = stampKey(device.serialNumber, name)
  const stored = await table.get(key)
  const stamps = [query.get('stamp'), query.get('opstamp')]
  const sent = stamps.find(stamp => stamp !== undefined && /^\d{1,20}$/.test(stamp))
  const stamp = sent ?? (stored?.claimedAt === device.claimedAt ? stored.stamp : undefined) ?? '0'
  const { claimedAt } = device
  const latest = { claimedAt, stamp, at: iso(now), day: localDay(clockZone, now) }
  await save(table.put(key, noteStamp(stored, latest)))
}

/** The handshake proves that the terminal restarted, even without a reply. */
const settleReboot = async ({ sn, now }: Visit, { table, device: { generation } }: IdentifiedTerminal) => {
  for (const { id, cmd, state } of await openCommands(table, sn))
    if (cmd === 'reboot' && state === 'sent')
      await takeOutcome(table, { serialNumber: sn, id, generation }, { result: 'ok' }, now)
}

export const begin = async (visit: Visit, terminal: IdentifiedTerminal): Promise<Result> => {
  await see(visit, terminal, { isBeginning: true })
  await settleReboot(visit, terminal)
  const [attendance, operations] = await Promise.all([readStamp(terminal, 'ATTLOG'), readStamp(terminal, 'OPERLOG')])
  const offsetMinutes = Math.round(
    (Date.parse(`${localTimeAt(terminal.zone, visit.now)}Z`) - visit.now) / (60 * second),
  )
  return text(200, composeOptions(visit.name, { attendance, operations }, offsetMinutes))
}

/** Restarts the quiet time: the terminal is still delivering its backlog. */
const noteDelivery = async ({ sn, now }: Visit, { table, device }: IdentifiedTerminal): Promise<void> => {
  if (device.listed || !device.quiet) return
  const quiet = { since: iso(now), askedAt: iso(now) }
  await change(table, deviceKey(sn), current => (current.quiet ? { ...current, quiet } : undefined))
}

const originOf = ({ table, company, device, clockZone: zone }: IdentifiedTerminal): Origin & { company: string } => {
  const { serialNumber: sn, generation } = device
  return { table, company, sn, zone, generation, profile }
}

/** Acknowledges a record only after the server has stored or quarantined it. */
const takeAttendance = async (visit: Visit, terminal: IdentifiedTerminal): Promise<Result> => {
  const { device, clockZone, localNow } = terminal
  const { records } = readAttendance(visit.body, localNow)
  if (!(await ingestAll(originOf(terminal), records, 'adms', visit.now))) {
    await noteDelivery(visit, terminal)
    return text(503, 'ERROR\n')
  }
  // Recent punches alone do not count as backlog.
  const recent = localTimeAt(clockZone, visit.now - mostPauseMilliseconds)
  if (records.some(record => record.kind === 'quarantine' || record.localTime < recent))
    await noteDelivery(visit, terminal)
  await keepStamp(visit, terminal, 'ATTLOG')
  // Records show the terminal's clock, except the backlog after an outage.
  const wasThere = visit.now - Date.parse(device.lastSeenAt ?? '1970-01-01') < 2 * seenMilliseconds
  await see(visit, terminal, { driftSeconds: wasThere ? driftIn(records, localNow) : undefined })
  return text(200, composeTaken(records.length))
}

/** Quarantines unreadable lines. Returns whether the server keeps them all. */
const holdLines = ({ now }: Visit, terminal: IdentifiedTerminal, table: string, lines: string[]): Promise<boolean> =>
  ingestAll(originOf(terminal), readUnread(table, lines), 'adms', now)

/** Stores the fingerprints, faces and cards enrolled at the terminal, and quarantines unreadable lines. */
const takePeople = async (
  visit: Visit,
  terminal: IdentifiedTerminal,
  table: PeopleTable,
  { isPacket, acknowledge }: TableDelivery,
) => {
  const { count, held, unread } = readPeople(table, visit.body)
  await noteDelivery(visit, terminal)
  if (held.length > 0) await takeDelivered({ company: terminal.company, serialNumber: visit.sn }, held, visit.now)
  if (!(await holdLines(visit, terminal, table, unread))) return text(503, 'ERROR\n')
  if (table === 'OPERLOG' && !isPacket) await keepStamp(visit, terminal, table)
  await see(visit, terminal)
  return text(200, acknowledge(count))
}

export const takeOptions = async (
  visit: Visit,
  terminal: IdentifiedTerminal,
  answer: string = nothingToDo,
): Promise<Result> => {
  const report = readOptions(visit.body)
  const { mac } = terminal.device
  if (mac !== undefined && report.mac !== undefined && mac !== report.mac) {
    await noteOther(terminal.table, visit, report)
    return refuse(visit)
  }
  await see(visit, terminal, { said: report })
  return text(200, answer)
}

/** Tables that the server ignores, because they hold no records: door states and pictures. */
const idleTables = new Set(['RTSTATE', 'ATTPHOTO', 'USERPIC'])

/** An unknown table may contain records, so the server quarantines its lines before the acknowledgement. */
const holdTable = async (
  visit: Visit,
  terminal: IdentifiedTerminal,
  { table, acknowledge }: TableDelivery,
): Promise<Result> => {
  const lines = linesOf(visit.body)
  await noteDelivery(visit, terminal)
  if (!(await holdLines(visit, terminal, table, lines))) return text(503, 'ERROR\n')
  await see(visit, terminal)
  return text(200, acknowledge(lines.length))
}

export const take = (visit: Visit, terminal: IdentifiedTerminal): Promise<Result> | Result => {
  const delivery = readDelivery(visit.query)
  const { table, isPacket } = delivery
  if (table === '') return text(400, 'ERROR\n')
  if (table === 'ATTLOG' && !isPacket) return takeAttendance(visit, terminal)
  if (isPeopleTable(table)) return takePeople(visit, terminal, table, delivery)
  if (table === 'OPTIONS') return takeOptions(visit, terminal)
  return idleTables.has(table) ? text(200, nothingToDo) : holdTable(visit, terminal, delivery)
}

/**
 * The delivery; undefined for content that a reset cannot erase, such as command results, registrations and pictures.
 */
export const deliveryOf = ({ method, action, query, body, bytes }: Visit): Delivery | undefined => {
  if (method !== 'POST' || bytes === 0 || (action !== undefined && action !== 'cdata' && action !== 'fdata'))
    return undefined
  const table = (readDelivery(query).table || query.get('table') || action || 'unknown').slice(0, 32).toUpperCase()
  const lines = recordLines(table, body)
  const isBlank = lines?.length === 0 && bytes <= body.length
  return idleTables.has(table) || isBlank ? undefined : { table, lines }
}
