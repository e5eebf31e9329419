import { type Account, accountKey } from '../../shared/account.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import type { Caller } from './caller.ts'
import { readCompany } from './company.ts'
import { newId } from './id.ts'
import { checkNewPassword, hashPassword } from './password.ts'
import { accountOf } from './sign-in.ts'
import { directory, type Write } from './table.ts'

// What a company does to the accounts of its people: it gives passwords. Addresses are their holders' own.

/** What an employee's item says of the person's sign-in. */
export type SignIn = Pick<Employee, 'account' | 'passwordSetAt'>

const nowSet = (account: string): SignIn => ({ account, passwordSetAt: new Date().toISOString() })

/**
 * Gives an employee a password: with an account to sign in by company and employee number where there is none yet. Answers what
 * the employee's item says from then on, also where no password is given, and what is written besides. Who belongs to
 * several companies, the owner, and oneself have a sign-in of their own: 60005.
 */
export const givePassword = async (
  caller: Caller,
  employee: Pick<Employee, 'id' | 'isOwner'> & SignIn,
  password: string | undefined,
): Promise<{ signIn: SignIn; writes: Write[] }> => {
  const { account, passwordSetAt } = employee
  if (password === undefined)
    return { signIn: { ...(account && { account }), ...(passwordSetAt && { passwordSetAt }) }, writes: [] }
  checkNewPassword(password, 'password', (await readCompany(caller)).name)
  const stored = await accountOf(account)
  if (!stored) {
    const fresh: Account = {
      id: newId(),
      passwordHash: await hashPassword(password),
      memberships: [{ company: caller.company, employee: employee.id }],
    }
    return { signIn: nowSet(fresh.id), writes: [directory().insert(accountKey(fresh.id), fresh)] }
  }
  if (stored.memberships.length > 1 || employee.isOwner || employee.id === caller.employee.id)
    throw new Problem(60005, { password: 60005 })
  return {
    signIn: nowSet(stored.id),
    writes: [directory().replace(accountKey(stored.id), { ...stored, passwordHash: await hashPassword(password) })],
  }
}
