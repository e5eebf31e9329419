import { type Account, accountKey } from '../../shared/account.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { readCompany } from '../company/store.ts'
import { isGivenFromAbove } from '../employee/form.ts'
import { leaveAccount } from '../erasure/departure.ts'
import type { Caller } from '../kit/caller.ts'
import { newId } from '../kit/id.ts'
import { directory, type Item, type Write } from '../kit/table.ts'
import { checkNewPassword, hashPassword } from './password.ts'
import { accountOf } from './sign-in.ts'

// Gives people passwords on behalf of a company, and takes them away. The addresses of accounts belong to their
// holders.

/** The sign-in attributes of an employee's item. */
export type SignIn = Pick<Employee, 'account' | 'passwordSetAt' | 'passwordSetBy'>

const nowSet = (account: string, passwordSetBy: string | undefined) => ({
  ...{ account, passwordSetBy },
  passwordSetAt: new Date().toISOString(),
})

/** Whether a caller may give an employee a password. Others have a sign-in of their own. */
export const mayGivePassword = (
  caller: Pick<Caller, 'apiKey' | 'employee'>,
  employee: Pick<Employee, 'id' | 'isOwner'>,
  account: Account | undefined,
): boolean =>
  !caller.apiKey &&
  (account === undefined ||
    (account.memberships.length === 1 && !employee.isOwner && employee.id !== caller.employee.id))

/**
 * Gives an employee a password, and a new account if they have none. Returns the employee's new attributes and the
 * other writes. Throws 60005 for the owner, the caller and members of several companies, who have their own sign-in.
 * Throws 60005 for an API key, whose holder could sign in as that employee.
 */
export const givePassword = async (
  caller: Caller,
  employee: Pick<Employee, 'id' | 'isOwner'> & SignIn,
  password: string | undefined,
): Promise<{ signIn: SignIn; writes: Write[] }> => {
  if (password === undefined) return { signIn: {}, writes: [] }
  const stored = await accountOf(employee.account)
  if (!mayGivePassword(caller, employee, stored)) throw new Problem(60005, { password: 60005 })
  await checkNewPassword(password, 'password', (await readCompany(caller)).name)
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
  // An earlier giver may have set their own address, and could sign in with that address despite the new password.
  const mayBelongToGiver = stored.email !== undefined && caller.employee.role === roles.administrator
  return {
    signIn: nowSet(stored.id, mayBelongToGiver ? employee.passwordSetBy : giver),
    writes: [directory().replace(accountKey(stored.id), { ...stored, ...changes })],
  }
}

const managementRoles: readonly number[] = [roles.administrator, roles.manager]

/**
 * Prevents management by a sign-in that an employee with fewer rights may hold. A person who gets a management role
 * loses such a sign-in. Its giver knows the password, handed over the link or entered the address. Removes an untrusted
 * address too, because the next invitation would reach its mailbox. Returns the person, other writes, and whether they
 * need a new invitation.
 */
export const settleRaise = async (
  { table, company }: Pick<Caller, 'table' | 'company'>,
  before: Item<Employee>,
  after: Item<Employee>,
): Promise<{ employee: Item<Employee>; writes: Write[]; mustJoin: boolean }> => {
  const asIs = { employee: after, writes: [], mustJoin: false }
  // Skip managers: this function checked their sign-in when they got the role, and no other manager may change it
  // since.
  const isRaised =
    managementRoles.includes(after.role) && after.role !== before.role && before.role !== roles.administrator
  if (!isRaised) return asIs
  const isFromAbove = (setter: string | undefined) => isGivenFromAbove(table, setter, after)
  // Only an administrator gives a role, so the function trusts a password given with the role.
  const isGivenNow = after.passwordSetAt !== before.passwordSetAt
  const giver = isGivenNow ? undefined : (await accountOf(before.account))?.passwordSetBy
  const isGiverUntrusted = giver !== undefined && (giver.company !== company || !(await isFromAbove(giver.employee)))
  const hasSignIn = after.account !== undefined
  if (hasSignIn && !isGiverUntrusted && (await isFromAbove(after.passwordSetBy))) return asIs
  const isPlanted = after.email !== undefined && after.email === before.email && !(await isFromAbove(before.emailSetBy))
  if (!hasSignIn && !isPlanted) return asIs
  const { account: _, passwordSetAt: _at, passwordSetBy: _by, email, ...kept } = after
  return {
    employee: {
      ...kept,
      ...(email !== undefined && !isPlanted && { email }),
      sessionsSince: new Date().toISOString(),
    },
    writes: await leaveAccount(company, before),
    mustJoin: true,
  }
}
