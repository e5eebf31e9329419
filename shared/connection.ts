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
  /** A terminal's: its serial number, its registration, the zone its clock is read in, the profile its codes are. */
  sn?: string
  generation?: number
  zone?: string
  profile?: string
  /** What it owes an answer to. */
  asked?: PendingQuestion
  /** A page, and the setting of its clock, which is asked between two pages, was given up: their answers may still come. */
  isPageLate?: boolean
  isClockLate?: boolean
  /** What it is to be asked before anything that is queued for it. */
  steps?: DialogueStep[]
  /** What it was last asked to be set to, as JSON, whether it took that or not. */
  settings?: string
  /** It was told to take nobody until people are written. */
  isDisabled?: boolean
  /** Its clock was set for what a record of it said. */
  isClockSet?: boolean
  /** The server refused what the terminal sent here or over an earlier line: each delivery is compared with what is refused. */
  hasRefused?: boolean
  /** When it was last told, or told, anything of people: what it holds of them is counted anew once that is over. */
  wroteAt?: string
  expiresAt: number
}

/**
 * What everyone is led through who registers or is looked after; `from` is a local date, `isDaily` the look whether all was delivered.
 * What has time until `notBefore` comes after what is queued until then.
 */
export interface DialogueStep {
  command: 'settime' | 'setdevinfo' | 'enabledevice' | 'getnewlog' | 'getalllog'
  from?: string | undefined
  isDaily?: boolean | undefined
  /** More may be lost than this brings, and is not asked for just now. */
  isOwed?: boolean | undefined
  notBefore?: string | undefined
}

export interface PendingQuestion extends Omit<DialogueStep, 'command' | 'notBefore'> {
  command: string
  at: string
  /** The queued command it is, where it is one. */
  id?: string
  /** It was not known then that anything might have been lost. */
  isNothingLost?: boolean
  /** Whom of those it knows it is about. */
  enrollid?: number
  /** The settings it was sent, as JSON. */
  settings?: string
  /** When its first page was asked for, where this is not the first. */
  begunAt?: string
  /** The hash of the page it answered last, and how many records on its pages it had kept back. */
  lastPage?: string
  recovered?: number
}

/** A socket that may not have said yet who it is: the minute looks whether it has. */
export interface Newcomer {
  connection: string
  connectedAt: string
  expiresAt: number
}

/** Global. */
export const newcomerKey = (connection: string): Key<Newcomer> => ({ pk: 'NEWCOMER', sk: connection })

/** Who says more in a second is closed; a terminal says one thing at a time, but may answer and ask at once. */
export const messagesPerSecond = { terminal: 50, other: 20 }
/** A socket that has not said who it is by then is closed at its next message, or by the minute. */
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
