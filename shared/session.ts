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
  /** When its holder showed again who they are, by changing what they sign in with. */
  confirmedAt?: string
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

/** What becomes a session when it is swapped: the parameter of the sign-in page, or what was mailed. Good for once. */
export interface SignCode {
  company: string
  employee: string
  type: Side
  account: string
  /** A changed account, its password above all, makes the code void. */
  accountVersion: number
  expiresAt: number
}

/** How long a code lasts that goes from one address of the product to another, and one that goes by mail. */
export const signCodeSeconds = 60
export const signLinkMinutes = 10

/** Global, by SHA-256. */
export const signCodeKey = (codeHash: string): Key<SignCode> => ({ pk: `SIGN_CODE#${codeHash}`, sk: '-' })

/**
 * The page a mailed code is carried to: in the fragment, which no server sees. A browser that comes from another address of the
 * product brings the same two as a query, as the specification has it.
 */
export const signPage = (token: string, company: string) => `/login/sign#token=${token}&company_id=${company}`
