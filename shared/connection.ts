import type { Side } from './session.ts'
import type { Key } from './table.ts'

/**
 * One open socket. It is new until `home.login` makes it a browser or `reg` makes it a terminal; it never becomes both.
 * Every message is checked against this item, and a socket without one is closed.
 */
export interface Connection {
  kind: 'new' | 'browser' | 'terminal'
  connectedAt: string
  ip: string
  /** Set for browser pages: a socket with an origin may never register as a terminal. */
  hasOrigin?: true
  /** Proof for a terminal's registration: the company number in its path, and the SHA-256 of its secret. */
  companyNumber?: string
  pathSecretHash?: string
  company?: string
  /** Browsers only. */
  tokenHash?: string
  /** Terminals only: serial number, number of registrations, time zone of its clock, and profile of its codes. */
  sn?: string
  generation?: number
  zone?: string
  profile?: string
  /** The question that the terminal has not answered yet. */
  asked?: PendingQuestion
  /** The server gave up a page request or a `settime` between two pages; the late reply may still arrive. */
  isPageLate?: boolean
  isClockLate?: boolean
  /** Questions to ask before any queued command. */
  steps?: DialogueStep[]
  /** The settings last sent, as JSON, accepted or not. */
  settings?: string
  /** The server has disabled the terminal to write its users. */
  isDisabled?: boolean
  /** The server has set the clock after a record with a wrong time. */
  isClockSet?: boolean
  /** The server refused a delivery, here or on an earlier connection, and compares new deliveries with it. */
  hasRefused?: boolean
  /** The last change or report of the terminal's users. The server counts them again once the terminal is quiet. */
  wroteAt?: string
  expiresAt: number
}

/**
 * A question that the server asks at registration or in a periodic check. A step with `notBefore` waits until then,
 * behind queued commands. `from` is a local date; `isDaily` marks the daily check for undelivered records.
 */
export interface DialogueStep {
  command: 'settime' | 'setdevinfo' | 'enabledevice' | 'getnewlog' | 'getalllog'
  from?: string | undefined
  isDaily?: boolean | undefined
  /** More records may be lost than this step returns, and no other step requests them now. */
  isOwed?: boolean | undefined
  notBefore?: string | undefined
}

export interface PendingQuestion extends Omit<DialogueStep, 'command' | 'notBefore'> {
  command: string
  at: string
  /** The id of the queued command, if the question is one. */
  id?: string
  /** No record was known to be lost when the server asked. */
  isNothingLost?: boolean
  /** The person concerned, by their number on the terminal. */
  enrollid?: number
  /** The settings sent, as JSON. */
  settings?: string
  /** When the server requested the first page, if this is a later one. */
  begunAt?: string
  /** The hash of the last page, and the number of recovered records on all pages so far. */
  lastPage?: string
  recovered?: number
}

/** A socket that may not have identified itself. The poll job closes it if it has not. */
export interface Newcomer {
  connection: string
  connectedAt: string
  expiresAt: number
}

/** Stored in the global directory. */
export const newcomerKey = (connection: string): Key<Newcomer> => ({ pk: 'NEWCOMER', sk: connection })

/** The server closes a socket that sends more. A terminal may send a reply and a request at once. */
export const messagesPerSecond = { terminal: 50, other: 20 }
/** How long a socket may stay unidentified. Its next message or the poll job then closes it. */
export const introductionSeconds = 15
/** API Gateway ends every connection after two hours; the item expires an hour later. */
export const connectionHours = 3

export const connectionKey = (id: string): Key<Connection> => ({ pk: `CONNECTION#${id}`, sk: '-' })

/** An open browser of a company, which receives refresh messages. */
export interface Browser {
  connection: string
  type: Side
  /** Checks that the session is still valid. */
  tokenHash: string
  expiresAt: number
}

export const browserKey = (connection: string): Key<Browser> => ({ pk: 'CONNECTION', sk: connection })
