import * as z from 'zod'
import type { Key } from './table.ts'

// An account is what a person signs in with: a password, and an e-mail unless the person signs in by company and employee
// number only. It holds no data of any company but the list of those it belongs to.

export interface Account {
  id: string
  /** Always one its holder has shown to read: by a code or by a link that was mailed there. */
  email?: string
  passwordHash: string
  /** Who else may know the password: they gave it, or the link it was chosen by. Whoever takes one by a mailed code has it alone. */
  passwordSetBy?: { company: string; employee: string }
  memberships: { company: string; employee: string }[]
}

export const accountKey = (id: string): Key<Account> => ({ pk: `ACCOUNT#${id}`, sk: '-' })

/** Holds an e-mail for one account; `hash` is SHA-256 of the normalised address. */
export const emailKey = (hash: string): Key<{ account: string }> => ({ pk: `MAIL#${hash}`, sk: '-' })

/** An e-mail as typed: 21001 where it is missing, 21002 where it is not an address; kept in lower case. */
export const email = z
  .string({ error: issue => (issue.input === undefined ? '21001' : '21002') })
  .trim()
  .toLowerCase()
  .min(1, '21001')
  .max(254, '21002')
  .regex(/^[^\s@"<>\p{C}]+@[^\s@."<>\p{C}]+(\.[^\s@."<>\p{C}]+)+$/u, '21002')

/** A password as typed: 21011 where it is missing. Its strength (21012) is a rule of setting one, not of giving one. */
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

/** A code as typed. */
export const sixDigits = z.string().regex(/^\d{6}$/)

export const newPassword = password.refine(isStrongPassword, '21012')

/** Answered to the request for a code, and to nobody else: without it the code opens nothing. */
export const nonce = z.string().min(1).max(100)

/** A mailed six-digit code waiting to be used, bound to its address, its purpose and the request that mailed it. */
export interface MailedCode {
  codeHash: string
  sentAt: string
  expiresAt: number
}

/** What a code is good for; `of` says whose change of address or which invitation. */
export type CodePurpose = { for: 'register' | 'forgot' } | { for: 'email' | 'invite'; of: string }
const purposeName = (purpose: CodePurpose) => `${purpose.for}#${'of' in purpose ? `${purpose.of}#` : ''}`
/** One for each request, so that a stranger who asks for a code or guesses one voids nobody else's. */
export const mailedCodeKey = (purpose: CodePurpose, emailHash: string, nonceHash: string): Key<MailedCode> => ({
  pk: `CODE#${purposeName(purpose)}${emailHash}`,
  sk: nonceHash,
})
/** Global: when a network last asked for a code to an address. */
export const codeRequestKey = (
  purpose: CodePurpose,
  emailHash: string,
  network: string,
): Key<{ sentAt: string; expiresAt: number }> => ({
  pk: `CODE_REQUEST#${purposeName(purpose)}${emailHash}`,
  sk: network,
})
/** Global: how often the code of a request was tried. */
export const codeTriesKey = (nonceHash: string): Key => ({ pk: `CODE_TRIES#${nonceHash}`, sk: '-' })
