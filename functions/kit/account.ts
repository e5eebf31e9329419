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
 * several companies, the owner, and oneself have a sign-in of their own: 60005. Nor does an API key give one: it is nobody, and
 * whoever has it could sign in as somebody.
 */
export const givePassword = async (
  caller: Caller,
  employee: Pick<Employee, 'id' | 'isOwner'> & SignIn,
  password: string | undefined,
): Promise<{ signIn: SignIn; writes: Write[] }> => {
  if (password === undefined) return { signIn: {}, writes: [] }
  if (caller.apiKey) throw new Problem(60005, { password: 60005 })
  checkNewPassword(password, 'password', (await readCompany(caller)).name)
  const stored = await accountOf(employee.account)
  const giver = caller.employee.id
  const changes = {
    passwordHash: await hashPassword(password),
    passwordSetBy: { company: caller.company, employee: giver },
  }
  if (!stored) {
    const fresh: Account = {
      id: newId(),
      ...changes,
      memberships: [{ company: caller.company, employee: employee.id }],
    }
    return { signIn: nowSet(fresh.id, giver), writes: [directory().insert(accountKey(fresh.id), fresh)] }
  }
  if (stored.memberships.length > 1 || employee.isOwner || employee.id === giver)
    throw new Problem(60005, { password: 60005 })
  // Whoever gave one before may have put an address of their own there, and come in by that whatever an administrator gives now.
  const { passwordSetBy: earlier = giver } = employee
  const isStillTheirs = stored.email !== undefined && caller.employee.role === roles.administrator
  return {
    signIn: nowSet(stored.id, isStillTheirs ? earlier : giver),
    writes: [directory().replace(accountKey(stored.id), { ...stored, ...changes })],
  }
}

const managementRoles: readonly number[] = [roles.administrator, roles.manager]

/**
 * Nobody works on the management side by a sign-in that a person may have too who may do less. Whoever is given such a role loses
 * the one somebody gave who is no administrator here now, and is invited again. Answers the person as they are then, what is
 * written besides, and whether it was so: what `givePassword` writes is then not needed.
 */
export const settleRaise = async (
  { table, company }: Pick<Caller, 'table' | 'company'>,
  before: Item<Employee>,
  now: Item<Employee>,
): Promise<{ employee: Item<Employee>; writes: Write[]; mustJoin: boolean }> => {
  const isGivenMore = managementRoles.includes(now.role) && (now.role !== before.role || now.roleId !== before.roleId)
  if (!isGivenMore) return { employee: now, writes: [], mustJoin: false }
  // Whoever gives a role is an administrator; a password they give with it is no other's.
  const isGivenNow = now.passwordSetAt !== before.passwordSetAt
  const known = isGivenNow ? undefined : (await accountOf(before.account))?.passwordSetBy
  const mayDoLess = async (by: string | undefined) =>
    by !== undefined && (await table.get(employeeKey(by)))?.role !== roles.administrator
  const isKnownElsewhere = known !== undefined && known.company !== company
  const isKnown = isKnownElsewhere || (await mayDoLess(known?.employee)) || (await mayDoLess(now.passwordSetBy))
  if (!isKnown) return { employee: now, writes: [], mustJoin: false }
  const { account: _, passwordSetAt: _at, passwordSetBy: _by, ...rest } = now
  return {
    employee: { ...rest, sessionsSince: new Date().toISOString() },
    writes: await leaveAccount(company, before),
    mustJoin: true,
  }
}
