import { type Connection, connectionKey } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { isClockWrong, mostDriftSeconds } from '../../shared/device.ts'
import { iso } from '../../shared/local-day.ts'
import { acceptLog, type Fields, type Frame, isPageCommand, readLog, refuseLog } from '../../shared/terminal/ai-face.ts'
import { driftIn, localTimeAt } from '../../shared/terminal/clock.ts'
import { change } from '../kit/table/change.ts'
import { directory, openTable } from '../kit/table.ts'
import { ingest, type Origin } from './intake.ts'
import { mayTake } from './pressure.ts'
import { type Delivery, noteRefusedDelivery, noteTakenDelivery, pushOf } from './refused-delivery.ts'
import type { Answer, Sender } from './registration.ts'
import { goOn, lead, noteLostPage, standsStill } from './talk.ts'

// Takes the records that a registered terminal pushes over its websocket: store first, then acknowledge.

export const second = 1000
/** Saves the device's `lastSeenAt` at most once in this time, not with every frame. */
const seenMilliseconds = 60 * second

export type Spoken = Origin & { company: string }

export const originOf = ({ kind, company, sn, zone, generation, profile }: Connection): Spoken | undefined =>
  kind === 'terminal' && company && sn && zone && generation !== undefined
    ? { table: openTable(company), company, sn, zone, generation, profile }
    : undefined

/** Shortens the pause by up to a third, so that terminals that connected together soon save at different times. */
const pauseOf = (id: string): number =>
  seenMilliseconds * (1 - ([...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 20) / 60)

/** The last saved `lastSeenAt` of each connection, as far as this process knows. */
export const seenHere = new Map<string, number>()

/** A connection may end in another process, so the map drops its oldest entries. */
const mostSeenHere = 10_000

/** Sets the clock after a record with a wrong time, once per connection. The fault may lie in that record alone. */
const setClock = async (
  { id, connection, now }: Sender,
  { company, sn }: Pick<Spoken, 'company' | 'sn'>,
): Promise<void> => {
  if (connection.isClockSet) return
  await change(directory(), connectionKey(id), current => ({ ...current, isClockSet: true }))
  await lead(company, sn, id, [{ command: 'settime' }], now)
}

/**
 * Saves about once a minute that the terminal is online, and resumes a stalled question. Saves the clock drift when a
 * record shows that the clock became wrong or right.
 */
export const see = async (
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
  const device = await change(table, deviceKey(sn), current => {
    const hasMoved = driftSeconds !== undefined && isClockWrong(driftSeconds) !== isClockWrong(current.driftSeconds)
    const isKnown = !current.isSilent && isRecent(Date.parse(current.lastSeenAt ?? connection.connectedAt))
    if (current.connection !== id || (isKnown && !hasMoved)) return undefined
    return { ...current, lastSeenAt: iso(now), isSilent: undefined, ...(hasMoved && { driftSeconds }) }
  })
  const isThere = device?.connection === id
  const [oldest] = seenHere.keys()
  if (oldest !== undefined && seenHere.size >= mostSeenHere) seenHere.delete(oldest)
  seenHere.set(id, isThere ? Date.parse(device.lastSeenAt ?? iso(now)) : now)
  if (isThere && isClockWrong(driftSeconds)) await setClock({ id, connection, now }, { sn, company })
  if (isThere && standsStill(connection, now)) await goOn(company, sn, now)
}

export type Reply = Frame & { kind: 'reply' }

/** Marks the connection, so that only a connection with a refusal reads the device for each frame. */
export const noteRefused = async ({ id }: Sender, { table, sn }: Spoken, delivery: Delivery): Promise<void> => {
  await noteRefusedDelivery(table, sn, delivery, 503)
  await change(directory(), connectionKey(id), current =>
    current.hasRefused ? undefined : { ...current, hasRefused: true },
  )
}

/** Resumes a reset that waited for this delivery. */
const noteTaken = async (
  { connection, now }: Sender,
  { table, sn, company }: Spoken,
  fields: Fields,
): Promise<void> => {
  const device = connection.hasRefused ? await table.get(deviceKey(sn)) : undefined
  if (device && (await noteTakenDelivery(table, device, pushOf(fields)))) await goOn(company, sn, now)
}

/** Stores records from a frame of any name. */
export const takeLog = async (
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
    // A terminal repeats a refused push, but sends an answer only once. Without a reply to a push it would register
    // again.
    if (isAnswer) await noteLostPage(table, sn, zone)
    else await noteRefused(sender, origin, pushOf(fields))
    return refuseLog(command, taken)
  }
  await noteTaken(sender, origin, fields)
  // The terminal treats every counted record as delivered. The next round requests the days of the missing records.
  if (!isAnswer && taken.count > taken.records.length) await noteLostPage(table, sn, zone)
  // A terminal reports its clock only when it registers; later its records show the drift. An old record comes from the
  // backlog and shows no drift.
  const driftSeconds = driftIn(taken.records, localNow)
  await see(sender, origin, driftSeconds !== undefined && driftSeconds >= -mostDriftSeconds ? driftSeconds : undefined)
  return acceptLog(command, taken, localNow)
}
