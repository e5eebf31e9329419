import * as z from 'zod'
import type { Audited } from './change.ts'
import { at, type Declarations, done, id } from './contract.ts'
import type { Key } from './table.ts'

// An invitation lets its holder join a company. Its secret is in the fragment of an address (`/join#…`), so no log
// contains it. The table stores the secret's SHA-256. A personal invitation is for one employee and works once. The
// company's invitation is for many people, who wait with role 0 until an administrator assigns a role.

export interface Invitation {
  tokenHash: string
  /** The invited employee; absent for the company's invitation. */
  employee?: string
  /**
   * The address that received the invitation, so its holder can read mail there. Absent for an invitation by link or QR
   * code.
   */
  email?: string
  /** The number of people who joined with the company's invitation. */
  joins: number
  /** The employee who created the invitation. */
  by: string
  createdAt: string
  expiresAt: number
}

export const invitationDays = 7
/** The most people who can join with one company invitation. */
export const mostJoins = 1000

/** Replaces the employee's id in the company's invitations. */
const everybody = 'company'

const audited: Audited<Invitation> = {
  noun: 'invitation',
  id: ({ employee }) => employee ?? everybody,
  name: ({ email }) => email ?? '',
}

/**
 * One partition holds all invitations of one employee, or of the company, so that the server can revoke them together.
 */
export const invitationKey = (employee: string | undefined, tokenHash: string): Key<Invitation> => ({
  pk: `INVITATION#${employee ?? everybody}`,
  sk: tokenHash,
  audited,
})

/** The last invitation of an employee or of the company, until the employee joins or somebody revokes it. */
export interface Invited {
  at: string
  until: string
  /** The address that received it; absent for a link or QR code. */
  email?: string
}

/** Lists read this row of many employees at once. The invitations themselves expire and then vanish. */
export const invitedKey = (employee: string | undefined): Key<Invited> => ({
  pk: 'INVITED_EMPLOYEE',
  sk: employee ?? everybody,
})

/** The last invitation as lists show it. */
export const invited = z.object({
  at,
  until: at.describe('when it expires or has expired'),
  isMailed: z.boolean().describe('false for a link or QR code'),
})

/** Global: the company and employee of an invitation token. */
export const invitationPointerKey = (
  tokenHash: string,
): Key<{ company: string; employee?: string; expiresAt: number }> => ({
  pk: `INVITED#${tokenHash}`,
  sk: '-',
})

/** The page that opens an invitation. */
export const joinPage = (token: string) => `/join#${token}`

const address = z.object({
  url: z.url().describe('`/join#…`, shown once and not stored'),
  expiresAt: at,
})

export const invitationPaths = {
  'employee/send_qrcode': {
    does: 'E-mails each employee a personal invitation, valid for seven days. Employees without an e-mail (21001) or disabled ones (21021) are named in `fields`, and nothing is sent.',
    who: [3],
    isPersonal: true,
    writes: true,
    input: z.strictObject({ ids: z.array(id).min(1).max(100) }),
    output: z.object({
      sent: z.array(id),
      joined: z.array(id).describe('people who have already joined'),
      failed: z.array(id).describe('people whose e-mail the mail server rejected'),
    }),
  },
  'employee/login_link': {
    does: 'Creates a personal invitation link that works once within seven days. 60031 if the person has joined.',
    who: [3],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ id }),
    output: address,
  },
  'employee/qrcode': {
    does: 'Creates an invitation for a QR code: for one employee, or without `id` for the company; up to 1000 people can join with it within seven days.',
    who: [3],
    writes: true,
    answersSecret: true,
    input: z.strictObject({ id: id.optional() }),
    output: address.extend({ name: z.string().optional(), company_name: z.string() }),
  },
  'employee/qrcode/get': {
    does: 'Returns the last invitation of one employee, or without `id` of the company, and what the caller may do.',
    who: [3],
    input: z.strictObject({ id: id.optional() }),
    output: z.object({
      canSignIn: z.boolean(),
      invited: invited.optional(),
      count: z.int().describe('invitations that still work'),
      mayInvite: z.boolean().describe('false for people who have joined, left or are disabled, and without the right'),
      mayMail: z.boolean().describe('also needs an address that the caller may invite'),
      maySetPassword: z.boolean().describe('false if the person has a sign-in of their own'),
    }),
  },
  'employee/qrcode/revoke': {
    does: 'Revokes all invitations of one employee, or without `id` all of the company.',
    who: [3],
    writes: true,
    input: z.strictObject({ id: id.optional() }),
    output: done,
  },
} as const satisfies Declarations
