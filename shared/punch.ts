import type { Change } from './change.ts'
import type { Located } from './personal/browser-punch.ts'
import type { Key } from './table.ts'
import { type Means, meansOf } from './terminal/profile.ts'

/**
 * How a record reached us: pushed by the terminal, or answered when we asked for what it had not delivered, or for all; by HTTP,
 * which does not tell these apart; or by the person's own browser.
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
  /** What the terminal's clock showed, `YYYY-MM-DDTHH:mm:ss`, and the zone it was read in. */
  localTime: string
  zone: string
  /** The hour was repeated by a clock change; `at` is the occurrence that was taken. */
  ambiguous?: true
  /** As the terminal sent them: what a code means depends on its firmware. */
  mode?: number
  inout?: number
  event?: number
  verifymode?: number
  /** Tenths of a degree Celsius. */
  temperature?: number
  mask?: boolean
}

/**
 * One punch, written once; what it says is never changed. Its key is its identity: the same number at the same second of the same
 * terminal is the same punch however often and by whatever way it is sent.
 */
export interface Punch extends Recorded {
  /** The number on the device, decimal without leading zeros. It may belong to nobody (yet). */
  number: string
  /** Which registration of the terminal it came in. */
  generation: number
  /** What its codes meant at the terminal it came from, as that was then; without, nobody knew. */
  means?: Means
  /** Of one made in the browser: where the person was, as far as the company asks for it. */
  located?: Located
  /** The name the company had for that place. */
  place?: string
  /** It was made elsewhere than the company says, or told no place. */
  isOutside?: true
  /** Its number became somebody's, or nobody's again, when it was there already: the last time, by which task or to whom. */
  given?: { by: string; at: string }
  /** Its position in `record/since`, where the clock was behind a cursor that was handed out already. */
  position?: string
}

/** How somebody was recognised: that never becomes another thing, whatever becomes of the terminal. */
export const recognisedBy = ({ means, mode, verifymode }: Pick<Punch, 'means' | 'mode' | 'verifymode'>) =>
  means ?? meansOf(undefined, { mode, verifymode })

/** When it came in, or became another's since. */
export const storedAtOf = ({ receivedAt, given }: Pick<Punch, 'receivedAt' | 'given'>): string =>
  given?.at ?? receivedAt

/** Where `record/since` lists a punch: by when it came in, unless that is before a cursor. */
export const positionOf = (punch: Pick<Punch, 'receivedAt' | 'given' | 'position' | 'number' | 'localTime' | 'sn'>) =>
  `${punch.position ?? storedAtOf(punch)}#${punchName(punch)}`

export const punchKey = ({ number, localTime, sn }: Pick<Punch, 'number' | 'localTime' | 'sn'>): Key<Punch> => ({
  pk: `PUNCH#${number}`,
  sk: `${localTime}#${sn}`,
  places: punch => ({ byDay: { pk: receivedPk, sk: positionOf(punch) } }),
})

/** All punches of a company, in the order they came in; one that became another's stands where it did. */
export const receivedPk = 'RECEIVED'
/**
 * The cloud ends a writer 29 seconds after a punch came, and an index is a moment behind its table: by a clock that does not
 * step, everything older than this is there.
 */
export const settleSeconds = 60

/**
 * How far cursors of `record/since` reach. A punch is stored behind `upTo`, whatever the clock says. Up to `settled`, the index
 * shows all there is.
 */
export interface RecordMark {
  upTo: string
  settled: string
}

export const recordMarkKey: Key<RecordMark> = { pk: 'RECORD_MARK', sk: '-' }

/**
 * What stands in the place of a terminal's serial number where a punch came from none: made in the browser, or added by an approved
 * request. No terminal has one in small letters.
 */
export const browserSn = 'browser'
export const requestSn = 'request' as const
export const managerSn = 'manager' as const

/** How a day's row names the punches it holds. */
export const punchName = (punch: Pick<Punch, 'number' | 'localTime' | 'sn'>): string =>
  `${punch.number}#${punchKey(punch).sk}`

/** Records of a terminal that are nobody's punch: the door's own events, and faces it did not know. */
export interface TerminalEvent extends Recorded {
  kind: 'door' | 'stranger'
}

export const terminalEventKey = ({ sn, localTime, kind, event }: TerminalEvent): Key<TerminalEvent> => ({
  pk: `TERMINAL_EVENT#${sn}`,
  sk: `${localTime}#${kind}#${event ?? ''}`,
})

/** What a terminal sent and nobody could file, kept as it came for a person to look at. */
export interface Quarantined extends Received {
  /** Of what came, with pictures and in full length: what is sent again is held once. */
  hash: string
  reason: string
  /** JSON, or the frame's text; without pictures, and cut where it is very long. */
  raw: string
  /** What kind of terminal it came from, and by which clock: by that its codes and times are read. */
  profile?: string
  zone?: string
}

export const quarantineKey = (sn: string, hash: string): Key<Quarantined> => ({ pk: 'QUARANTINE', sk: `${sn}#${hash}` })

/** When people were told, or are being, that something of a terminal was held on a day. */
export interface HeldNews {
  at: string
  isTold?: true
  expiresAt: number
}

export const heldNewsKey = (sn: string, day: string): Key<HeldNews> => ({ pk: 'HELD_NEWS', sk: `${sn}#${day}` })

/** What callers call it. */
export const quarantinedId = ({ sn, hash }: Pick<Quarantined, 'sn' | 'hash'>): string => quarantineKey(sn, hash).sk

export const quarantineFacts = ({ company, old, new: now }: Change<Quarantined>) =>
  now && !old ? [{ type: 'record.held' as const, company, sn: now.sn, receivedAt: now.receivedAt }] : []

export const punchFacts = ({ company, old, new: now }: Change<Punch>) =>
  now && !old
    ? [
        {
          type: 'record.created' as const,
          company,
          number: now.number,
          at: now.at,
          sn: now.sn,
        },
      ]
    : []
