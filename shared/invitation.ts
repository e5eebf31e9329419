import * as z from 'zod'
import type { Audited } from './change.ts'
import { at, type Declarations, done, id } from './contract.ts'
import type { Key } from './table.ts'

// An invitation opens a company to whoever holds its secret, which stands in the fragment of an address (`/join#…`) and so in
// no log; the table keeps its SHA-256. A personal one is for one employee and good for once; the company's is for many, who
// wait with role 0 until an administrator gives them one.

export interface Invitation {
  tokenHash: string
  /** For whom; none for the company's. */
  employee?: string
  /** Where it was mailed to: whoever holds it reads that address. None where it was handed over as a link or as a QR code. */
  email?: string
  /** How many joined by it, of the company's. */
  joins: number
  /** Who made it. */
  by: string
  createdAt: string
  expiresAt: number
}

export const invitationDays = 7
/** How many may join by one of the company's. */
export const mostJoins = 1000

/** In place of an employee's id, for the company's. */
const everybody = 'company'

const audited: Audited<Invitation> = {
  noun: 'invitation',
  id: ({ employee }) => employee ?? everybody,
  name: ({ email }) => email ?? '',
}

/** All of one employee, or all of the company's, lie together, so that they can be revoked together. */
export const invitationKey = (employee: string | undefined, tokenHash: string): Key<Invitation> => ({
  pk: `INVITATION#${employee ?? everybody}`,
  sk: tokenHash,
  audited,
})

/** Global: where the invitation behind a token lies. */
export const invitationPointerKey = (
  tokenHash: string,
): Key<{ company: string; employee?: string; expiresAt: number }> => ({
  pk: `INVITED#${tokenHash}`,
  sk: '-',
})

/** The page of the site a token is carried to. */
export const joinPage = (token: string) => `/join#${token}`

const address = z.object({
  url: z.url().describe('`/join#…`, to be shown once: it is not kept'),
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
      joined: z.array(id).describe('have joined already, and sign in with their own e-mail'),
      failed: z.array(id).describe('whose mail was not taken'),
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
  'employee/qrcode/revoke': {
    does: 'Revokes all invitations of one employee, or without `id` all of the company.',
    who: [3],
    writes: true,
    input: z.strictObject({ id: id.optional() }),
    output: done,
  },
} as const satisfies Declarations
