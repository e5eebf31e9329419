import * as z from 'zod'
import { email, nonce, password, sixDigits } from './account.ts'
import { type Declarations, done, id, nothing, text, timezone } from './contract.ts'
import { employeeRecord } from './employee.ts'
import { savedViewPaths } from './saved-view.ts'

/** `redirect` 1 means that the browser came from another address of the product. */
export const redirect = z
  .int()
  .min(0)
  .max(1)
  .optional()
  .describe('1 if the browser returns to another address of the product afterwards')

/**
 * With `redirect` 0, the browser stores the token here. With 1, the token is a one-time code, valid for a minute. The
 * browser takes the code to `/login/sign?token=…&company_id=…` at the other address. That page exchanges it for a token
 * (`user/login/sign`).
 */
export const signedIn = z.object({ token: z.string(), redirect: z.int(), company_id: z.string() })

/** Seconds until the next request for a mail is allowed. */
const mailed = z.object({ resendSeconds: z.int() })
const mailedCode = mailed.extend({ nonce: z.string().describe('the caller sends it with the code') })
const nonceOfCode = nonce
  .optional()
  .describe('from the answer that mailed the code; if omitted, the last request of the caller’s network counts')
/** The token from the fragment of the invitation's address. */
const invitation = z.string().max(100)

export const userPaths = {
  'user/register/code': {
    does: 'E-mails a six-digit code for registering the address.',
    who: 'anyone',
    input: z.strictObject({ email }),
    output: mailedCode,
  },
  'user/register': {
    does: 'Registers a person and their first company, with a default department and the person as its owner.',
    who: 'anyone',
    input: z.strictObject({
      email,
      code: sixDigits,
      nonce: nonceOfCode,
      password,
      confirm_password: password,
      first_name: text(60),
      last_name: text(60),
      company_name: text(100),
      timezone,
      terms: z.boolean(),
    }),
    output: signedIn,
  },
  'user/login': {
    does: 'Signs a person in by e-mail: on the management side if a role allows it, or else on the employee side.',
    who: 'anyone',
    input: z.strictObject({ email, password, redirect }),
    output: signedIn,
  },
  'user/login/link': {
    does: 'E-mails a link that signs in without a password, once, within ten minutes; 21004 if the address is not registered.',
    who: 'anyone',
    input: z.strictObject({ email }),
    output: mailed,
  },
  'user/login/sign': {
    does: 'Exchanges the one-time code of the sign-in page or of an e-mailed link for a token; 60012 if it is wrong, used or expired.',
    who: 'anyone',
    input: z.strictObject({ token: z.string().max(100), company_id: z.string().max(100) }),
    output: z.object({ token: z.string() }),
  },
  'user/forgot': {
    does: 'E-mails a six-digit code for setting a new password together with the nonce of this answer; 21004 if the address is not registered.',
    who: 'anyone',
    input: z.strictObject({ email }),
    output: mailedCode,
  },
  'user/forgot/save': {
    does: 'Sets a new password with the e-mailed code and its nonce, and ends all sessions of the person.',
    who: 'anyone',
    input: z.strictObject({
      email,
      code: sixDigits,
      nonce: nonceOfCode,
      new_password: password,
      confirm_password: password,
    }),
    output: done,
  },
  'user/login/off': {
    does: 'Signs out.',
    who: 'signedIn',
    input: nothing,
    output: done,
  },
  'user/login/switch': {
    does: 'Switches from the employee side to the management side. Returns a new token and revokes the old one.',
    who: 'employee',
    input: nothing,
    output: z.object({ token: z.string() }),
  },
  'user/password/update': {
    does: "Changes the caller's password and ends all their other sessions.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ password, new_password: password, confirm_password: password }),
    output: done,
  },
  'user/employee': {
    does: "Returns the caller's employee record.",
    who: 'signedIn',
    input: nothing,
    output: employeeRecord,
  },
  'user/email/code': {
    does: "E-mails a six-digit code to the caller's new sign-in address.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ email }),
    output: mailedCode,
  },
  'user/email/update': {
    does: "Changes the caller's sign-in address with the e-mailed code and the password, and ends all their other sessions.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ email, code: sixDigits, nonce: nonceOfCode, password }),
    output: done,
  },
  'user/invite/get': {
    does: 'Returns the company of an invitation, and whether it is for one employee or for anyone; 60013 if it is unknown, used, revoked or expired.',
    who: 'anyone',
    input: z.strictObject({ token: invitation }),
    output: z.object({
      company_name: z.string(),
      company_num: z.string(),
      logo: z.url().optional(),
      kind: z.enum(['employee', 'company']).describe('personal invitation, or the company’s'),
      first_name: z.string().optional(),
      last_name: z.string().optional(),
      workno: z.string().optional().describe('employee ID of the invited employee'),
      email: z.string().optional().describe('address that the invitation was mailed to; it needs no code'),
      canJoinExisting: z
        .boolean()
        .describe(
          'whether the person can join with an existing account; false for a mailed invitation whose address has none',
        ),
    }),
  },
  'user/invite/code': {
    does: 'E-mails a six-digit code to the address that an invited person wants to sign in with; 21003 if it is registered, because its holder joins with the password.',
    who: 'anyone',
    input: z.strictObject({ token: invitation, email }),
    output: mailedCode,
  },
  'user/invite/join': {
    does: "Joins with an invitation: with a new account, or with an existing one by e-mail and password. With the company's invitation, the person waits until an administrator assigns a role.",
    who: 'anyone',
    input: z.strictObject({
      token: invitation,
      account: z.enum(['new', 'existing']),
      email: email
        .optional()
        .describe(
          'address of the existing account, or of a new one together with `code`; omit it for the address of the invitation, or to sign in by employee ID only',
        ),
      code: sixDigits.optional(),
      nonce: nonce.optional().describe('nonce of the code'),
      password,
      confirm_password: password.optional().describe('for a new account'),
      first_name: text(60).optional().describe('for the company’s invitation'),
      last_name: text(60).optional().describe('for the company’s invitation'),
      terms: z.boolean().optional().describe('for a new account'),
    }),
    output: z.object({
      token: z.string().optional().describe('absent while the person waits for a role'),
      type: z.enum(['management', 'user']),
      company_id: id,
      company_num: z.string(),
      workno: z.string().describe('employee ID for the employee sign-in'),
      isWaiting: z.boolean(),
    }),
  },
  ...savedViewPaths,
} as const satisfies Declarations
