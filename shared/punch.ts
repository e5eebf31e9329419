import type { Change } from './change.ts'
import type { Located } from './personal/browser-punch.ts'
import type { Key } from './table.ts'
import { type Means, meansOf } from './terminal/profile.ts'

/**
 * How a record arrived. A terminal pushed it (`sendlog`), or returned it when we requested undelivered (`getnewlog`) or
 * all records (`getalllog`). ADMS does not distinguish these cases (`adms`). For a browser punch, the person's browser
 * sent it.
 */
export type Source = 'sendlog' | 'getnewlog' | 'getalllog' | 'adms' | 'browser'

interface Received {
  /** The serial number of the terminal. */
  sn: string
  source: Source
  receivedAt: string
}

interface Recorded extends Received {
  at: string
  /** The reading of the terminal's clock, `YYYY-MM-DDTHH:mm:ss`, and the zone of that clock. */
  localTime: string
  zone: string
  /** A clock change repeated this hour, and `at` is the assumed occurrence. */
  ambiguous?: true
  /** Codes as the terminal sent them. Their meaning depends on the firmware. */
  mode?: number
  inout?: number
  event?: number
  verifymode?: number
  /** Tenths of a degree Celsius. */
  temperature?: number
  mask?: boolean
}

/**
 * One punch, which the server writes once and never changes. Its key is its identity: the same number, second and
 * terminal are the same punch, even if it arrives repeatedly.
 */
export interface Punch extends Recorded {
  /** The number on the terminal, decimal without leading zeros. The number may have no employee yet. */
  number: string
  /** The number of registrations of the terminal at that time. */
  generation: number
  /** The meaning of the codes at that terminal at that time. Absent if unknown. */
  means?: Means
  /** Only for a browser punch: the position, if the company requests it. */
  located?: Located
  /** The company's name for that place at that time. */
  place?: string
  /** The punch is outside the company's places or has no position. */
  isOutside?: true
  /** The last assignment of the number after the punch arrived: the task or employee, and the time. */
  given?: { by: string; at: string }
  /** The position in `record/since`, if the clock was behind an issued cursor. */
  position?: string
}

/** How the terminal recognised the person. The result is permanent, even if another terminal replaces this one. */
export const recognisedBy = ({ means, mode, verifymode }: Pick<Punch, 'means' | 'mode' | 'verifymode'>) =>
  means ?? meansOf(undefined, { mode, verifymode })

/** When the punch arrived, or when another employee got its number. */
export const storedAtOf = ({ receivedAt, given }: Pick<Punch, 'receivedAt' | 'given'>): string =>
  given?.at ?? receivedAt

/** The position of a punch in `record/since`: its arrival, or later if a cursor has already passed the arrival. */
export const positionOf = (punch: Pick<Punch, 'receivedAt' | 'given' | 'position' | 'number' | 'localTime' | 'sn'>) =>
  `${punch.position ?? storedAtOf(punch)}#${punchName(punch)}`

export const punchKey = ({ number, localTime, sn }: Pick<Punch, 'number' | 'localTime' | 'sn'>): Key<Punch> => ({
  pk: `PUNCH#${number}`,
  sk: `${localTime}#${sn}`,
  places: punch => ({ byDay: { pk: receivedPk, sk: positionOf(punch) } }),
})

/** All punches of a company in the order of arrival. A reassigned punch has the position of its reassignment. */
export const receivedPk = 'RECEIVED'
/**
 * AWS ends a writer 29 seconds after a punch arrives, and an index lags slightly behind its table. If the clock does
 * not jump, everything older than this is visible.
 */
export const settleSeconds = 60

/**
 * The range of issued `record/since` cursors. The server stores new punches after `upTo`, even if the clock is behind.
 * Up to `settled` the index is complete.
 */
export interface RecordMark {
  upTo: string
  settled: string
}

export const recordMarkKey: Key<RecordMark> = { pk: 'RECORD_MARK', sk: '-' }

/**
 * Replaces the serial number for a punch without a terminal: from the browser, an approved request or a manager. No
 * terminal's serial number has lower-case letters.
 */
export const browserSn = 'browser'
export const requestSn = 'request' as const
export const managerSn = 'manager' as const
/** The serial number of the punches of sample data. */
export const sampleSn = 'sample' as const

/** The id of a punch in a day's row. */
export const punchName = (punch: Pick<Punch, 'number' | 'localTime' | 'sn'>): string =>
  `${punch.number}#${punchKey(punch).sk}`

/** Terminal records other than punches: door events and unknown faces. */
export interface TerminalEvent extends Recorded {
  kind: 'door' | 'stranger'
}

export const terminalEventKey = ({ sn, localTime, kind, event }: TerminalEvent): Key<TerminalEvent> => ({
  pk: `TERMINAL_EVENT#${sn}`,
  sk: `${localTime}#${kind}#${event ?? ''}`,
})

/** A message that the server could not read, kept unchanged so that a manager can check it. */
export interface Quarantined extends Received {
  /** The hash of the full message with pictures, so that a repeated message is stored only once. */
  hash: string
  reason: string
  /** JSON or the frame's text, without pictures. A very long text is truncated. */
  raw: string
  /** The terminal's profile and zone, which the server needs to read codes and times. */
  profile?: string
  zone?: string
}

export const quarantineKey = (sn: string, hash: string): Key<Quarantined> => ({ pk: 'QUARANTINE', sk: `${sn}#${hash}` })

/**
 * When managers got the notice about a terminal's held messages of a day. Without `isTold`, the notice is in progress.
 */
export interface HeldNews {
  at: string
  isTold?: true
  expiresAt: number
}

export const heldNewsKey = (sn: string, day: string): Key<HeldNews> => ({ pk: 'HELD_NEWS', sk: `${sn}#${day}` })

/** The id that callers see. */
export const quarantinedId = ({ sn, hash }: Pick<Quarantined, 'sn' | 'hash'>): string => quarantineKey(sn, hash).sk

export const quarantineFacts = ({ company, old, new: next }: Change<Quarantined>) =>
  next && !old ? [{ type: 'record.held' as const, company, sn: next.sn, receivedAt: next.receivedAt }] : []

export const punchFacts = ({ company, old, new: next }: Change<Punch>) =>
  next && !old
    ? [
        {
          type: 'record.created' as const,
          company,
          number: next.number,
          at: next.at,
          sn: next.sn,
        },
      ]
    : []
