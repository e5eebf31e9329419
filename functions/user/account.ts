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

// What a company does to the accounts of its people: it gives passwords, and takes them away. Addresses are their holders' own.

/** What an employee's item says of the person's sign-in. */
export type SignIn = Pick<Employee, 'account' | 'passwordSetAt' | 'passwordSetBy'>

const nowSet = (account: string, passwordSetBy: string | undefined) => ({
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
  await checkNewPassword(password, 'password', (await readCompany(caller)).name)
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
  const isStillTheirs = stored.email !== undefined && caller.employee.role === roles.administrator
  return {
    signIn: nowSet(stored.id, isStillTheirs ? employee.passwordSetBy : giver),
    writes: [directory().replace(accountKey(stored.id), { ...stored, ...changes })],
  }
}

const managementRoles: readonly number[] = [roles.administrator, roles.manager]

/**
 * Nobody manages by a sign-in that an employee with fewer rights may hold. A person who is given a management role loses such a
 * sign-in, whether the giver knows the password, handed over the link or entered the address. An address like that goes with
 * it: the next invitation would reach the same mailbox. Answers the person, what else to write, and whether to invite them again.
 */
export const settleRaise = async (
  { table, company }: Pick<Caller, 'table' | 'company'>,
  before: Item<Employee>,
  now: Item<Employee>,
): Promise<{ employee: Item<Employee>; writes: Write[]; mustJoin: boolean }> => {
  const unchanged = { employee: now, writes: [], mustJoin: false }
  // Between management roles the sign-in was judged before, and no manager may change it since.
  const isRaised = managementRoles.includes(now.role) && now.role !== before.role && before.role !== roles.administrator
  if (!isRaised) return unchanged
  const isFromAbove = (giver: string | undefined) => isGivenFromAbove(table, giver, now)
  // Whoever gives a role is an administrator; a password they give with it is no other's.
  const isGivenNow = now.passwordSetAt !== before.passwordSetAt
  const known = isGivenNow ? undefined : (await accountOf(before.account))?.passwordSetBy
  const isKnown = known !== undefined && (known.company !== company || !(await isFromAbove(known.employee)))
  const hasSignIn = now.account !== undefined
  if (hasSignIn && !isKnown && (await isFromAbove(now.passwordSetBy))) return unchanged
  const isPlanted = now.email !== undefined && now.email === before.email && !(await isFromAbove(before.emailSetBy))
  if (!hasSignIn && !isPlanted) return unchanged
  const { account: _, passwordSetAt: _at, passwordSetBy: _by, email, ...rest } = now
  return {
    employee: {
      ...rest,
      ...(email !== undefined && !isPlanted && { email }),
      sessionsSince: new Date().toISOString(),
    },
    writes: await leaveAccount(company, before),
    mustJoin: true,
  }
}
