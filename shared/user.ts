import * as z from 'zod'
import { email, password } from './account.ts'
import { type Declarations, done, nothing, text, timezone } from './contract.ts'
import { employeeRecord } from './employee.ts'

/** `redirect` 1 sends the browser to another address's login-sign page; 0 stores the token here. */
export const signedIn = z.object({ token: z.string(), redirect: z.int(), company_id: z.string() })

export const userPaths = {
  'user/register/code': {
    does: 'Mails a six-digit code with which the address can register.',
    who: 'anyone',
    input: z.strictObject({ email }),
    output: z.object({ resendSeconds: z.int() }),
  },
  'user/register': {
    does: 'Registers a person and their first company, with a default department and the person as its owner.',
    who: 'anyone',
    input: z.strictObject({
      email,
      code: z.string().regex(/^\d{6}$/),
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
    does: 'Signs a person in by e-mail on the management side.',
    who: 'anyone',
    input: z.strictObject({ email, password }),
    output: signedIn,
  },
  'user/login/off': {
    does: 'Signs out.',
    who: 'signedIn',
    input: nothing,
    output: done,
  },
  'user/login/switch': {
    does: 'Moves from the employee side to the management side: a new token, the old one ends.',
    who: 'employee',
    input: nothing,
    output: z.object({ token: z.string() }),
  },
  'user/password/update': {
    does: 'Changes the password of the signed-in person and ends all their other sessions.',
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ password, new_password: password, confirm_password: password }),
    output: done,
  },
  'user/employee': {
    does: 'Tells the employee record behind the signed-in person.',
    who: 'signedIn',
    input: nothing,
    output: employeeRecord,
  },
} as const satisfies Declarations
