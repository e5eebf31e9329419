import type { Side } from './session.ts'
import type { Key } from './table.ts'

/**
 * One open socket. A socket becomes a browser by `home.login` or a terminal by `reg`, and never both; until then it is new.
 * The item is what every message is judged by: without it nothing is taken.
 */
export interface Connection {
  kind: 'new' | 'browser' | 'terminal'
  connectedAt: string
  ip: string
  /** Set for browsers' pages: a socket with an origin may never register as a terminal. */
  hasOrigin?: true
  /** What the path said, for a terminal's registration: the company number, and the SHA-256 of the secret. */
  companyNumber?: string
  pathSecretHash?: string
  company?: string
  /** A browser's. */
  tokenHash?: string
  /** A terminal's: its serial number, its registration, the zone its clock is read in. */
  sn?: string
  generation?: number
  zone?: string
  /** The local date from which it is to be asked for all its records, after those it had not delivered. */
  reconcileFrom?: string
  /** The command it owes an answer to, since when, and the hash of the page it answered last. */
  asked?: { command: string; at: string; lastPage?: string }
  /** When its device was last written to be seen. */
  seenAt?: string
  expiresAt: number
}

/** Who says more in a second is closed; a terminal says one thing at a time, but may answer and ask at once. */
export const messagesPerSecond = { terminal: 50, other: 20 }
/** A socket that has not said who it is by then is closed at its next message. */
export const introductionSeconds = 15
/** The managed websocket ends every connection after two hours; what is left over is an hour older. */
export const connectionHours = 3

export const connectionKey = (id: string): Key<Connection> => ({ pk: `CONNECTION#${id}`, sk: '-' })

/** The company's list of open browsers, for telling them what to refresh. */
export interface Browser {
  connection: string
  type: Side
  /** To see whether the session still stands. */
  tokenHash: string
  expiresAt: number
}

export const browserKey = (connection: string): Key<Browser> => ({ pk: 'CONNECTION', sk: connection })
