import type { Change } from './change.ts'
import type { Located } from './personal/browser-punch.ts'
import type { Key } from './table.ts'
import { type Means, meansOf } from './terminal/profile.ts'

/**
 * How a record arrived. The terminal pushed it (`sendlog`), or sent it in a reply to our request for undelivered
 * (`getnewlog`) or all records (`getalllog`). HTTP does not distinguish these (`adms`). Or the person's browser sent it.
 */
export type Source = 'sendlog' | 'getnewlog' | 'getalllog' | 'adms' | 'browser'

interface Received {
  /** Serial number of the terminal. */
  sn: string
  source: Source
  receivedAt: string
}

interface Recorded extends Received {
  at: string
  /** The reading of the terminal's clock, `YYYY-MM-DDTHH:mm:ss`, and the zone it was read in. */
  localTime: string
  zone: string
  /** A clock change repeated the hour; `at` is the assumed occurrence. */
  ambiguous?: true
  /** Codes as the terminal sent them; their meaning depends on its firmware. */
  mode?: number
  inout?: number
  event?: number
  verifymode?: number
  /** Tenths of a degree Celsius. */
  temperature?: number
  mask?: boolean
}

/**
 * One punch, written once; its content never changes. Its key is its identity: the same number at the same second of
 * the same terminal is the same punch, however it arrives and however often.
 */
export interface Punch extends Recorded {
  /** The number on the device, decimal without leading zeros. It may not belong to an employee yet. */
  number: string
  /** The registration of the terminal that sent it. */
  generation: number
  /** The meaning of its codes at that terminal at that time; absent if unknown. */
  means?: Means
  /** For a browser punch: the position, as far as the company asks for it. */
  located?: Located
  /** The company's name of that place at that time. */
  place?: string
  /** Made outside the company's places, or without a position. */
  isOutside?: true
  /** The last change of the number's holder after the punch arrived: the task or employee, and when. */
  given?: { by: string; at: string }
  /** Its position in `record/since`, if the clock was behind an issued cursor. */
  position?: string
}

/** How the terminal recognised the person. It never changes, even if the terminal does. */
export const recognisedBy = ({ means, mode, verifymode }: Pick<Punch, 'means' | 'mode' | 'verifymode'>) =>
  means ?? meansOf(undefined, { mode, verifymode })

/** When the punch arrived, or when its holder last changed. */
export const storedAtOf = ({ receivedAt, given }: Pick<Punch, 'receivedAt' | 'given'>): string =>
  given?.at ?? receivedAt

/** The position of a punch in `record/since`: its arrival, unless that is before a cursor. */
export const positionOf = (punch: Pick<Punch, 'receivedAt' | 'given' | 'position' | 'number' | 'localTime' | 'sn'>) =>
  `${punch.position ?? storedAtOf(punch)}#${punchName(punch)}`

export const punchKey = ({ number, localTime, sn }: Pick<Punch, 'number' | 'localTime' | 'sn'>): Key<Punch> => ({
  pk: `PUNCH#${number}`,
  sk: `${localTime}#${sn}`,
  places: punch => ({ byDay: { pk: receivedPk, sk: positionOf(punch) } }),
})

/** All punches of a company in the order of arrival. A reassigned punch stands at its reassignment. */
export const receivedPk = 'RECEIVED'
/**
 * The cloud ends a writer 29 seconds after a punch arrives, and an index lags slightly behind its table. By a clock
 * that does not step, everything older than this is visible.
 */
export const settleSeconds = 60

/**
 * The range of issued `record/since` cursors. New punches are stored after `upTo`, whatever the clock shows. Up to
 * `settled` the index is complete.
 */
export interface RecordMark {
  upTo: string
  settled: string
}

export const recordMarkKey: Key<RecordMark> = { pk: 'RECORD_MARK', sk: '-' }

/**
 * Replaces the serial number for a punch without a terminal: made in the browser, or added by an approved request or a
 * manager. No terminal's serial number has lower-case letters.
 */
export const browserSn = 'browser'
export const requestSn = 'request' as const
export const managerSn = 'manager' as const

/** The id of a punch in a day's row. */
export const punchName = (punch: Pick<Punch, 'number' | 'localTime' | 'sn'>): string =>
  `${punch.number}#${punchKey(punch).sk}`

/** Terminal records that are no punches: door events and unknown faces. */
export interface TerminalEvent extends Recorded {
  kind: 'door' | 'stranger'
}

export const terminalEventKey = ({ sn, localTime, kind, event }: TerminalEvent): Key<TerminalEvent> => ({
  pk: `TERMINAL_EVENT#${sn}`,
  sk: `${localTime}#${kind}#${event ?? ''}`,
})

/** A message that the server could not file, kept unchanged so that a manager can check it. */
export interface Quarantined extends Received {
  /** The hash of the full message with pictures, so that a message sent again is held only once. */
  hash: string
  reason: string
  /** JSON or the frame's text, without pictures, and truncated if very long. */
  raw: string
  /** The terminal's profile and zone, which its codes and times are read by. */
  profile?: string
  zone?: string
}

export const quarantineKey = (sn: string, hash: string): Key<Quarantined> => ({ pk: 'QUARANTINE', sk: `${sn}#${hash}` })

/** When managers got the notice that a terminal's message was held on a day; without `isTold` it is in progress. */
export interface HeldNews {
  at: string
  isTold?: true
  expiresAt: number
}

export const heldNewsKey = (sn: string, day: string): Key<HeldNews> => ({ pk: 'HELD_NEWS', sk: `${sn}#${day}` })

/** The id for callers. */
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
