import * as z from 'zod'
import { password } from './account.ts'
import { type Declarations, nothing } from './contract.ts'
import { workno } from './employee.ts'
import { signedIn } from './user.ts'

export const personalPaths = {
  'personal/login': {
    does: 'Signs a person in by company number and employee number on the employee side.',
    who: 'anyone',
    input: z.strictObject({ code: z.string().trim().min(1).max(20), workno, password }),
    output: signedIn,
  },
  'personal/login/switch': {
    does: 'Moves from the management side to the employee side: a new token, the old one ends.',
    who: 'manager',
    input: nothing,
    output: z.object({ token: z.string() }),
  },
} as const satisfies Declarations
