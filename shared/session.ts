import type { Key } from './table.ts'

/** The side of the site that a session opens. */
export type Side = 'management' | 'user'

/** The key contains the SHA-256 of the token, so that a reader of the table cannot sign in. */
export interface Session {
  company: string
  employee: string
  account: string
  type: Side
  startedAt: string
  /** When the holder last confirmed their identity by changing their sign-in. */
  confirmedAt?: string
  seenAt: string
  /** When the session was revoked before its expiry. Its holder then gets 502 instead of 101. */
  endedAt?: string
  expiresAt: number
}

export const idleMinutes = 12 * 60
export const absoluteMinutes = 7 * 24 * 60

export const sessionKey = (tokenHash: string): Key<Session> => ({ pk: `SESSION#${tokenHash}`, sk: '-' })

/** The company's list of sessions. With it the server revokes all sessions of a person at once. */
export const employeeSessionKey = (
  employee: string,
  tokenHash: string,
): Key<{ tokenHash: string; expiresAt: number }> => ({
  pk: `SESSION#${employee}`,
  sk: tokenHash,
})

/**
 * One-time code, exchanged for a session. The sign-in page receives the code in its address, or a mail contains the
 * code.
 */
export interface SignCode {
  company: string
  employee: string
  type: Side
  account: string
  /** The account's version. A change of the account, such as a new password, voids the code. */
  accountVersion: number
  expiresAt: number
}

/** Lifetimes in seconds: of a code between two addresses of the product, and of a mailed code. */
export const signCodeSeconds = 60
export const signLinkMinutes = 10

/** Global, by SHA-256. */
export const signCodeKey = (codeHash: string): Key<SignCode> => ({ pk: `SIGN_CODE#${codeHash}`, sk: '-' })

/**
 * The page that takes a mailed code. The code is in the fragment, which no server sees. A browser from another address
 * of the product sends the same two values in the query, as the specification requires.
 */
export const signPage = (token: string, company: string) => `/login/sign#token=${token}&company_id=${company}`
