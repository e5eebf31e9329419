import { deviceKey } from '../../shared/device/key.ts'
import { Problem } from '../../shared/errors.ts'
import {
  type Punch,
  punchKey,
  type Quarantined,
  quarantineKey,
  type Source,
  terminalEventKey,
} from '../../shared/punch.ts'
import type { Key } from '../../shared/table.ts'
import { type Fields, type LogRecord, readLog } from '../../shared/terminal/ai-face.ts'
import { localTimeAt, resolveLocalTime } from '../../shared/terminal/clock.ts'
import { meansOf } from '../../shared/terminal/profile.ts'
import { atOnce } from '../kit/each.ts'
import { hashSecret } from '../kit/id.ts'
import { log } from '../kit/log.ts'
import { limit } from '../kit/rate.ts'
import { change } from '../kit/table/change.ts'
import { type Arrival, mostArrivals, save, saveEach, type Table, type Write } from '../kit/table.ts'
import { moveOvertaken, positionNow } from '../record/order.ts'
import { placeNumbers } from '../record/terminal-number.ts'
import { mayTake } from './pressure.ts'

// The single entry for records of all protocols. The server stores a record once, however often it arrives.

/** The company and terminal of the records, and the zone of the terminal's clock. */
export interface Origin {
  table: Table
  sn: string
  zone: string
  generation: number
  /** The profile for reading the terminal's codes, if known. */
  profile?: string | undefined
}

/** A record with its pending write, and its instant if it has one. */
interface Filed {
  key: Key
  write: Write
  at?: number
  punch?: Punch
}

/** More than any genuine frame needs. */
const batchesAtOnce = 4
/** Enough to diagnose a terminal, and too few to fill the table. */
const unreadableFramesPerHour = 20
/** Long enough for a page of fifty records. */
const mostRawLength = 8 * 1024

const keep = async (write: Write, sn: string): Promise<Arrival> => {
  try {
    await save(write)
    return 'stored'
  } catch (error) {
    if (error instanceof Problem) return 'known'
    log({ record: 'not stored', sn, fault: String(error) })
    return 'failed'
  }
}

const keepBatch = async (writes: Write[], sn: string): Promise<Arrival[]> => {
  const [only] = writes
  if (only && writes.length === 1) return [await keep(only, sn)]
  try {
    const arrivals = await saveEach(writes)
    if (arrivals.includes('failed')) log({ record: 'not stored', sn })
    return arrivals
  } catch (error) {
    log({ record: 'not stored', sn, fault: String(error) })
    return writes.map(() => 'failed' as const)
  }
}

const keepEach = async (writes: Write[], sn: string): Promise<Arrival[]> => {
  const batches = Array.from({ length: Math.ceil(writes.length / mostArrivals) }, (_, i) =>
    writes.slice(i * mostArrivals, (i + 1) * mostArrivals),
  )
  return (await atOnce(batchesAtOnce, batches, batch => keepBatch(batch, sn))).flat()
}

/**
 * Stores records, also records of unknown employee IDs. Returns `isKept` if the server may acknowledge them, and in
 * `added` the instants of new records.
 */
export const ingest = async (
  { table, sn, zone, generation, profile }: Origin,
  records: LogRecord[],
  source: Source,
  now: number,
  /** Called with the number of new records before the function stores them. */
  mayStore?: (records: number) => Promise<boolean>,
): Promise<{ isKept: boolean; added: number[] }> => {
  const received = { sn, source, receivedAt: new Date(now).toISOString() }
  /** The last record of a repeated hour. */
  let after: number | undefined
  /** A full read returns records in order, so the record before decides between the two instants of a repeated hour. */
  const isReadOut = source === 'getalllog'
  let before: number | undefined
  const filed: Filed[] = []
  const outcomes: Arrival[] = []
  const added: number[] = []

  /** The punches that the table may now contain; after a failed write the outcome is unknown. */
  const punches: Punch[] = []
  // After a failed read the order is unknown, so the terminal has to send the records again.
  const refuse = (error: unknown) => {
    log({ frame: 'not ordered', sn, fault: String(error) })
    return undefined
  }
  const position = records.length > 0 ? await positionNow(table, now).catch(refuse) : {}
  if (!position) return { isKept: false, added: [] }
  const place = records.length > 0 ? await placeNumbers(table, sn, records).catch(() => null) : undefined
  if (place === null) return { isKept: false, added: [] }

  const file = async <T extends { at: string; ambiguous?: true }>(key: Key<T>, item: T, punch?: Punch) => {
    const write = table.insert(key, item)
    if (!item.ambiguous) return filed.push({ key, write, at: Date.parse(item.at), ...(punch && { punch }) })
    // In a repeated hour, a record's instant depends on the record before, so the writes run in order. A repeated
    // record keeps its first instant.
    const outcome = await keep(write, sn)
    const existing = outcome === 'known' ? await table.get(key) : undefined
    const at = Date.parse(existing?.at ?? item.at)
    after = Math.max(after ?? 0, at)
    before = at
    if (outcome === 'stored') added.push(at)
    if (outcome !== 'known' && punch) punches.push(punch)
    return outcomes.push(outcome)
  }

  for (const record of records) {
    if (record.kind === 'quarantine') {
      filed.push(...hold(table, { ...received, profile, zone, reason: record.reason, raw: JSON.stringify(record.raw) }))
      continue
    }
    let time = resolveLocalTime(zone, record.localTime, { receivedAt: now })
    if (time.isAmbiguous) {
      after ??= Date.parse((await table.get(deviceKey(sn)))?.repeatedHourAt ?? '1970-01-01')
      const last = isReadOut ? (before ?? after) : after
      time = resolveLocalTime(zone, record.localTime, { receivedAt: now, after: last })
    } else before = time.at
    const recorded = {
      ...received,
      at: new Date(time.at).toISOString(),
      zone,
      ...(time.isAmbiguous && { ambiguous: true as const }),
    }
    if (record.kind === 'punch') {
      const { kind: _, ...details } = record
      const number = place ? place(record) : record.number
      if (number === undefined) {
        outcomes.push('known')
        continue
      }
      const punch = { ...recorded, ...details, number, ...position, generation, means: meansOf(profile, details) }
      await file(punchKey(punch), punch, punch)
    } else {
      const event = { ...recorded, ...record }
      await file(terminalEventKey(event), event)
    }
  }
  // A full read returns mostly stored records, and a read costs less than a refused insert.
  const readsFirst = source === 'getalllog' || mayStore !== undefined
  const stored = readsFirst ? await table.getMany(filed.map(({ key }) => key)).catch(() => []) : []
  const missing = filed.filter((_, i) => stored[i] === undefined)
  if (missing.length > 0 && mayStore && !(await mayStore(missing.length))) return { isKept: false, added: [] }
  const kept = await keepEach(
    missing.map(({ write }) => write),
    sn,
  )
  outcomes.push(...kept)
  punches.push(...missing.flatMap(({ punch }, i) => (punch && kept[i] !== 'known' ? [punch] : [])))
  const isOrdered = await moveOvertaken(table, punches).then(() => true, refuse)
  if (!isOrdered) return { isKept: false, added: [] }
  if (outcomes.includes('failed')) return { isKept: false, added: [] }
  for (const [i, { at }] of missing.entries()) if (at !== undefined && kept[i] === 'stored') added.push(at)
  if (after !== undefined) {
    const repeatedHourAt = new Date(after).toISOString()
    await change(table, deviceKey(sn), device =>
      (device.repeatedHourAt ?? '') < repeatedHourAt ? { ...device, repeatedHourAt } : undefined,
    )
  }
  return { isKept: true, added }
}

/** The server stores a longer delivery in portions. */
const mostAtOnce = 2000
const portion = 500
/** A function has 29 seconds; the last portion and the answer need the rest. */
const mostMilliseconds = 20_000

/**
 * Stores a delivery as far as the company's limit and the time allow. Returns whether the server keeps all of it. Each
 * retry of a long delivery gets further, because stored records only cost a read.
 */
export const ingestAll = async (
  origin: Origin & { company: string },
  records: LogRecord[],
  source: Source,
  now: number,
): Promise<boolean> => {
  const mayStore = (count: number) => mayTake(origin.company, count, now)
  if (records.length <= mostAtOnce)
    return (await mayStore(records.length)) && (await ingest(origin, records, source, now)).isKept
  for (let i = 0; i < records.length; i += portion) {
    if (Date.now() - now > mostMilliseconds) return false
    const { isKept } = await ingest(origin, records.slice(i, i + portion), source, now, mayStore)
    if (!isKept) return false
  }
  return true
}

/**
 * Removes pictures. They are Base64, with slashes that some firmware escapes; no other text is this long without a
 * space.
 */
const withoutPictures = (raw: string) => raw.replaceAll(/[A-Za-z0-9+/\\]{100,}={0,2}/g, '…')

/**
 * Removes credentials: an enrolment in a broken frame still contains a card or password. `withoutPictures` removes
 * fingerprints.
 */
const withoutCredentials = (raw: string) =>
  /backupnum|"cmd"\s*:\s*"senduser"/.test(raw)
    ? raw.replaceAll(/("record"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d+)/g, '$1"…"')
    : raw

/** Splits a message longer than one item, because the terminal deletes acknowledged messages. */
const hold = (table: Table, quarantined: Omit<Quarantined, 'hash'>): [Filed, ...Filed[]] => {
  const raw = withoutCredentials(withoutPictures(quarantined.raw))
  const holdPart = (part: number): Filed => {
    const hash = hashSecret(part === 0 ? quarantined.raw : `${quarantined.raw}#${part}`)
    const key = quarantineKey(quarantined.sn, hash)
    const start = part * mostRawLength
    return { key, write: table.insert(key, { ...quarantined, hash, raw: raw.slice(start, start + mostRawLength) }) }
  }
  const more = Math.max(0, Math.ceil(raw.length / mostRawLength) - 1)
  return [holdPart(0), ...Array.from({ length: more }, (_, i) => holdPart(i + 1))]
}

/**
 * The records of a quarantined message that is now readable. The clock has moved on, or the server now knows the
 * format.
 */
const readAgain = (raw: string, localNow: string): LogRecord[] => {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch {
    return []
  }
  const isFrame = value instanceof Object && ['record', 'records', 'ret'].some(name => name in value)
  return readLog(isFrame ? (value as Fields) : { record: [value] }, localNow).records
}

/** Retries a quarantined message; returns how many records became punches and how many did not. */
export const file = async (origin: Origin, { raw, source }: Quarantined, now: number) => {
  const records = readAgain(raw, localTimeAt(origin.zone, now))
  const readable = records.filter(({ kind }) => kind !== 'quarantine')
  const { isKept } = await ingest(origin, readable, source, now)
  const filed = isKept ? readable.length : 0
  return { filed, left: Math.max(records.length, 1) - filed }
}

/**
 * Quarantines an unreadable frame, or one that the server cannot store, up to a limit. Returns whether the server keeps
 * all of it.
 */
export const quarantine = async (
  { table, sn, profile, zone }: Origin,
  { source, reason, raw }: Pick<Quarantined, 'source' | 'reason' | 'raw'>,
  now: number,
): Promise<boolean> => {
  try {
    await limit({ scope: 'quarantine', key: sn, times: unreadableFramesPerHour, minutes: 60 })
  } catch (error) {
    log({ frame: 'not held', reason, sn, ...(!(error instanceof Problem) && { fault: String(error) }) })
    return false
  }
  const [{ write }] = hold(table, { sn, source, receivedAt: new Date(now).toISOString(), profile, zone, reason, raw })
  return (await keep(write, sn)) !== 'failed' && withoutPictures(raw).length <= mostRawLength
}
