import type { Side } from './session.ts'
import type { Key } from './table.ts'

/**
 * One open socket. A new socket becomes a browser with `home.login`, or a terminal with `reg`, but never both. The
 * server checks every message against this item, and closes a socket without an item.
 */
export interface Connection {
  kind: 'new' | 'browser' | 'terminal'
  connectedAt: string
  ip: string
  /** Set for browser pages. A socket with an origin may never register as a terminal. */
  hasOrigin?: true
  /** The terminal's proof for its registration: the company number in its path, and the SHA-256 of its secret. */
  companyNumber?: string
  pathSecretHash?: string
  company?: string
  /** Only for browsers. */
  tokenHash?: string
  /** Only for terminals: serial number, number of registrations, time zone of the clock, and code profile. */
  sn?: string
  generation?: number
  zone?: string
  profile?: string
  /** The question that the terminal has not answered yet. */
  asked?: PendingQuestion
  /** The server gave up a page request or a `settime` between two pages, so its late reply may still arrive. */
  isPageLate?: boolean
  isClockLate?: boolean
  /** The questions that come before any queued command. */
  steps?: DialogueStep[]
  /** The last sent settings, as JSON, whether or not the terminal accepted them. */
  settings?: string
  /** The server has disabled the terminal to write its users. */
  isDisabled?: boolean
  /** The server has set the clock after a record with a wrong time. */
  isClockSet?: boolean
  /**
   * The server refused a delivery of this terminal, on this or an earlier connection. The server compares new
   * deliveries with it.
   */
  hasRefused?: boolean
  /**
   * The last change or report of the terminal's users. The server counts the users again once the terminal is quiet.
   */
  wroteAt?: string
  expiresAt: number
}

/**
 * A question of the server at registration or in a periodic check. A step with `notBefore` waits until then, behind
 * queued commands. `from` is a local date. `isDaily` marks the daily check for undelivered records.
 */
export interface DialogueStep {
  command: 'settime' | 'setdevinfo' | 'enabledevice' | 'getnewlog' | 'getalllog'
  from?: string | undefined
  isDaily?: boolean | undefined
  /** More records may be lost than this step returns, and no later step requests them. */
  isOwed?: boolean | undefined
  notBefore?: string | undefined
}

export interface PendingQuestion extends Omit<DialogueStep, 'command' | 'notBefore'> {
  command: string
  at: string
  /** The id of the command, if the question is a queued command. */
  id?: string
  /** The server knew of no lost record when it asked. */
  isNothingLost?: boolean
  /** The user number on the terminal. */
  enrollid?: number
  /** The sent settings, as JSON. */
  settings?: string
  /** For a later page: when the server requested the first page. */
  begunAt?: string
  /** The hash of the last page, and the number of recovered records on all pages so far. */
  lastPage?: string
  recovered?: number
}

/** A socket that may not have identified itself. The poll job closes an unidentified socket. */
export interface Newcomer {
  connection: string
  connectedAt: string
  expiresAt: number
}

/** Global. */
export const newcomerKey = (connection: string): Key<Newcomer> => ({ pk: 'NEWCOMER', sk: connection })

/** The server closes a socket that sends more messages. A terminal may send a reply and a request at once. */
export const messagesPerSecond = { terminal: 50, other: 20 }
/** A socket may stay unidentified for this long. Then its next message or the poll job closes it. */
export const introductionSeconds = 15
/** API Gateway ends every connection after two hours. The item expires an hour later. */
export const connectionHours = 3

export const connectionKey = (id: string): Key<Connection> => ({ pk: `CONNECTION#${id}`, sk: '-' })

/** An open browser of a company, which receives refresh messages. */
export interface Browser {
  connection: string
  type: Side
  /** The session's token hash, by which the server checks that the session is still valid. */
  tokenHash: string
  expiresAt: number
}

export const browserKey = (connection: string): Key<Browser> => ({ pk: 'CONNECTION', sk: connection })
