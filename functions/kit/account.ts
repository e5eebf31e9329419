import { type Account, accountKey } from '../../shared/account.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import type { Caller } from './caller.ts'
import { readCompany } from './company.ts'
import { leaveAccount } from './departure.ts'
import { newId } from './id.ts'
import { checkNewPassword, hashPassword } from './password.ts'
import { accountOf } from './sign-in.ts'
import { directory, type Item, type Write } from './table.ts'

// What a company does to the accounts of its people: it gives passwords, and takes them away. Addresses are their holders' own.

/** What an employee's item says of the person's sign-in. */
export type SignIn = Pick<Employee, 'account' | 'passwordSetAt' | 'passwordSetBy'>

const nowSet = (account: string, passwordSetBy: string): SignIn => ({
  ...{ account, passwordSetBy },
  passwordSetAt: new Date().toISOString(),
})

/**
 * Gives an employee a password: with an account to sign in by company and employee number where there is none yet. Answers what
 * the employee's item says from then on where a password is given, and what is written besides. Who belongs to
 * several companies, the owner, and oneself have a sign-in of their own: 60005.
 */
export const givePassword = async (
  caller: Caller,
  employee: Pick<Employee, 'id' | 'isOwner'> & SignIn,
  password: string | undefined,
): Promise<{ signIn: SignIn; writes: Write[] }> => {
  if (password === undefined) return { signIn: {}, writes: [] }
  checkNewPassword(password, 'password', (await readCompany(caller)).name)
  const stored = await accountOf(employee.account)
  if (!stored) {
    const fresh: Account = {
      id: newId(),
      passwordHash: await hashPassword(password),
      memberships: [{ company: caller.company, employee: employee.id }],
    }
    return { signIn: nowSet(fresh.id, caller.employee.id), writes: [directory().insert(accountKey(fresh.id), fresh)] }
  }
  if (stored.memberships.length > 1 || employee.isOwner || employee.id === caller.employee.id)
    throw new Problem(60005, { password: 60005 })
  return {
    signIn: nowSet(stored.id, caller.employee.id),
    writes: [directory().replace(accountKey(stored.id), { ...stored, passwordHash: await hashPassword(password) })],
  }
}

const managementRoles: readonly number[] = [roles.administrator, roles.manager]

/**
 * Nobody works on the management side with a password a person knows who may do less. Whoever is given such a role loses the
 * password somebody gave who is no administrator now, and is invited again. Answers the person as they are then, what is
 * written besides, and whether it was so.
 */
export const settleRaise = async (
  { table, company }: Pick<Caller, 'table' | 'company'>,
  before: Item<Employee>,
  now: Item<Employee>,
): Promise<{ employee: Item<Employee>; writes: Write[]; mustJoin: boolean }> => {
  const { account: _, passwordSetAt: _at, passwordSetBy: by, ...rest } = now
  const isGivenMore = managementRoles.includes(now.role) && (now.role !== before.role || now.roleId !== before.roleId)
  const isKnown = isGivenMore && by !== undefined && (await table.get(employeeKey(by)))?.role !== roles.administrator
  if (!isKnown) return { employee: now, writes: [], mustJoin: false }
  return {
    employee: { ...rest, sessionsSince: new Date().toISOString() },
    writes: await leaveAccount(company, before),
    mustJoin: true,
  }
}
