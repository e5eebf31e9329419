import * as z from 'zod'
import type { Key } from './table.ts'

// An account is how a person signs in: with a password, and usually with an e-mail. A person without one signs in with
// company and employee ID. An account holds no company data except its list of memberships.

export interface Account {
  id: string
  /** Always verified: the holder has used a mailed code or link. */
  email?: string
  passwordHash: string
  /**
   * The employee who may also know the password, because they set it or created the link for choosing it. Absent if the
   * holder chose the password with a mailed code.
   */
  passwordSetBy?: { company: string; employee: string }
  memberships: { company: string; employee: string }[]
}

export const accountKey = (id: string): Key<Account> => ({ pk: `ACCOUNT#${id}`, sk: '-' })

/** Reserves an e-mail for one account; `hash` is SHA-256 of the normalised address. */
export const emailKey = (hash: string): Key<{ account: string }> => ({ pk: `MAIL#${hash}`, sk: '-' })

/** A typed e-mail: 21001 if it is missing, 21002 if it is no address. The shape converts it to lower case. */
export const email = z
  .string({ error: issue => (issue.input === undefined ? '21001' : '21002') })
  .trim()
  .toLowerCase()
  .min(1, '21001')
  .max(254, '21002')
  // Not a pattern, because many validators of JSON Schema do not know `\p{C}`.
  .refine(text => /^[^\s@"<>\p{C}]+@[^\s@."<>\p{C}]+(\.[^\s@."<>\p{C}]+)+$/u.test(text), '21002')
  .describe('e-mail address')

/** A typed password: 21011 if it is missing. Other code checks the strength (21012), and only for a new password. */
export const password = z
  .string({ error: issue => (issue.input === undefined ? '21011' : '10002') })
  .min(1, '21011')
  .max(128)

/** The specification's rule for a new password. */
export const isStrongPassword = (password: string) =>
  password.length >= 6 &&
  /\p{Lu}/u.test(password) &&
  /\p{Ll}/u.test(password) &&
  /\d/.test(password) &&
  /[^\p{L}\d\s]/u.test(password)

/** A typed code of six digits. */
export const sixDigits = z.string().regex(/^\d{6}$/)

export const newPassword = password.refine(isStrongPassword, '21012')

/** Returned only to the request for a code. The code works only together with this nonce. */
export const nonce = z.string().min(1).max(100)

/** A mailed six-digit code, bound to its address, its purpose and the request that mailed it. */
export interface MailedCode {
  codeHash: string
  sentAt: string
  expiresAt: number
}

/** The purpose of a code. `of` names the change of address or the invitation. */
export type CodePurpose = { for: 'register' | 'forgot' } | { for: 'email' | 'invite'; of: string }
const purposeName = (purpose: CodePurpose) => `${purpose.for}#${'of' in purpose ? `${purpose.of}#` : ''}`
/**
 * Each request has its own code, so that a stranger who requests or guesses codes cannot void another person's code.
 */
export const mailedCodeKey = (purpose: CodePurpose, emailHash: string, nonceHash: string): Key<MailedCode> => ({
  pk: `CODE#${purposeName(purpose)}${emailHash}`,
  sk: nonceHash,
})
/**
 * Global: a network's last request of a code for an address. The key finds the code of a caller who does not send the
 * nonce.
 */
export const codeRequestKey = (
  purpose: CodePurpose,
  emailHash: string,
  network: string,
): Key<{ sentAt: string; nonceHash?: string; expiresAt: number }> => ({
  pk: `CODE_REQUEST#${purposeName(purpose)}${emailHash}`,
  sk: network,
})
/** Global: the number of tries for the code of a request. */
export const codeTriesKey = (nonceHash: string): Key => ({ pk: `CODE_TRIES#${nonceHash}`, sk: '-' })
