import type { Key } from './table.ts'

/** The side a person is signed in on. */
export type Side = 'management' | 'user'

/** Kept under the SHA-256 of the token, so that a reader of the table cannot sign in with what it finds. */
export interface Session {
  company: string
  employee: string
  account: string
  type: Side
  startedAt: string
  seenAt: string
  /** Set when it was ended before its time: its holder is told 502 rather than 101. */
  endedAt?: string
  expiresAt: number
}

export const idleMinutes = 12 * 60
export const absoluteMinutes = 7 * 24 * 60

export const sessionKey = (tokenHash: string): Key<Session> => ({ pk: `SESSION#${tokenHash}`, sk: '-' })

/** The company's own list of who is signed in, so that all sessions of a person can be ended at once. */
export const employeeSessionKey = (
  employee: string,
  tokenHash: string,
): Key<{ tokenHash: string; expiresAt: number }> => ({
  pk: `SESSION#${employee}`,
  sk: tokenHash,
})
