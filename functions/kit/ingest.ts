import { deviceKey } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { punchKey, type Quarantined, quarantineKey, type Source, terminalEventKey } from '../../shared/punch.ts'
import type { LogRecord } from '../../shared/terminal/ai-face.ts'
import { resolveLocalTime } from '../../shared/terminal/clock.ts'
import { atOnce } from './at-once.ts'
import { change } from './change.ts'
import { log } from './log.ts'
import { save, type Table, type Write } from './table.ts'
import { hashSecret } from './token.ts'

// The one way in for terminals' records, whatever protocol brought them. A record is kept once, however often it comes.

/** Whose records these are, and by which clock their times are read. */
export interface Origin {
  table: Table
  sn: string
  zone: string
  generation: number
}

const recordsAtOnce = 16

/** True once the write is carried out or found to be carried out already; false where nobody knows. */
const isKept = async (write: Write, sn: string): Promise<boolean> => {
  try {
    await save(write)
    return true
  } catch (error) {
    if (error instanceof Problem) return true
    log({ record: 'not stored', sn, fault: String(error) })
    return false
  }
}

/**
 * Stores records in the order the terminal sent them and answers whether every one is kept: only then may the terminal be
 * told to forget them. A number that belongs to nobody is kept like any other.
 */
export const ingest = async (
  { table, sn, zone, generation }: Origin,
  records: LogRecord[],
  source: Source,
  now: number,
): Promise<boolean> => {
  const received = { sn, source, receivedAt: new Date(now).toISOString() }
  let after: number | undefined
  let latest: number | undefined
  const writes: Write[] = []
  for (const record of records) {
    if (record.kind === 'quarantine') {
      writes.push(hold(table, { ...received, reason: record.reason, raw: JSON.stringify(record.raw) }))
      continue
    }
    let time = resolveLocalTime(zone, record.localTime, { receivedAt: now, after })
    if (time.isAmbiguous) {
      // Two hours of a year need to know what came before them, and read it only then.
      after ??= Date.parse((await table.get(deviceKey(sn)))?.repeatedHourAt ?? '1970-01-01')
      time = resolveLocalTime(zone, record.localTime, { receivedAt: now, after })
      after = Math.max(after, time.at)
      latest = after
    }
    const recorded = {
      ...received,
      at: new Date(time.at).toISOString(),
      zone,
      ...(time.isAmbiguous && { ambiguous: true as const }),
    }
    if (record.kind === 'punch') {
      const { kind: _, ...details } = record
      const punch = { ...recorded, ...details, generation }
      writes.push(table.insert(punchKey(punch), punch))
    } else {
      const event = { ...recorded, ...record }
      writes.push(table.insert(terminalEventKey(event), event))
    }
  }
  const areKept = (await atOnce(recordsAtOnce, writes, write => isKept(write, sn))).every(Boolean)
  if (areKept && latest !== undefined) {
    const repeatedHourAt = new Date(latest).toISOString()
    await change(table, deviceKey(sn), device => ({ ...device, repeatedHourAt }))
  }
  return areKept
}

const hold = (table: Table, quarantined: Quarantined) =>
  table.insert(quarantineKey(quarantined.sn, hashSecret(quarantined.raw)), quarantined)

/** Keeps a frame nobody could read. */
export const quarantine = async ({ table, sn }: Origin, reason: string, raw: string, now: number): Promise<boolean> =>
  isKept(hold(table, { sn, source: 'sendlog', receivedAt: new Date(now).toISOString(), reason, raw }), sn)
