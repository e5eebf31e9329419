import * as z from 'zod'
import { password } from './account.ts'
import { type Declarations, done, nothing, text } from './contract.ts'
import { workno } from './employee.ts'
import { language } from './language.ts'
import { redirect, signedIn } from './user.ts'

export const personalPaths = {
  'personal/login': {
    does: 'Signs a person in by company number and employee number on the employee side.',
    who: 'anyone',
    input: z.strictObject({ code: z.string().trim().min(1).max(20), workno, password, redirect }),
    output: signedIn,
  },
  'personal/login/switch': {
    does: 'Moves from the management side to the employee side: a new token, the old one ends.',
    who: 'manager',
    input: nothing,
    output: z.object({ token: z.string() }),
  },
  'personal/update': {
    does: 'Changes what the signed-in person may say of themselves; what is left out of the form is removed.',
    who: 'signedIn',
    writes: true,
    input: z.strictObject({
      first_name: text(60),
      last_name: text(60),
      language: language.optional().describe('of mails'),
      tel: text(40).optional(),
    }),
    output: done,
  },
} as const satisfies Declarations
