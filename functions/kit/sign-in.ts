import { setTimeout as wait } from 'node:timers/promises'
import { type Account, accountKey } from '../../shared/account.ts'
import { companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { verifyPassword } from './password.ts'
import { isTooOften, limit } from './rate.ts'
import { directory, type Item, openTable } from './table.ts'

// What sign-in by e-mail and sign-in by number have in common.

/** Where an account is guessed at from everywhere: its owner is not locked out, but each try takes a while. */
const slowMilliseconds = 2000

/**
 * Checks a password with the same work and the same answer (21014) whether the account exists or not. Tries are counted
 * before the check, so that a burst of parallel guesses cannot outrun the counter; a right one takes its count back.
 */
export const checkPassword = async (
  who: { name: string; ip: string },
  account: Item<Account> | undefined,
  password: string,
): Promise<Item<Account>> => {
  const forgive = await limit(
    { scope: 'sign-in', key: `${who.name}#${who.ip}`, times: 5, minutes: 15 },
    { scope: 'sign-in-ip', key: who.ip, times: 50, minutes: 15 },
  )
  if (await isTooOften({ scope: 'sign-in-account', key: who.name, times: 100, minutes: 60 }))
    await wait(slowMilliseconds)
  if (!(await verifyPassword(password, account?.passwordHash)) || !account) throw new Problem(21014)
  await forgive()
  return account
}

export interface Membership {
  company: string
  name: string
  company_num: string
  employee: Item<Employee>
}

/** The companies an account belongs to, with its employee there; those it left are not among them. */
export const membershipsOf = async (account: Account): Promise<Membership[]> => {
  const found = await Promise.all(
    account.memberships.map(async ({ company, employee: id }) => {
      const table = openTable(company)
      const [settings, employee] = await Promise.all([table.get(companyKey()), table.get(employeeKey(id))])
      return settings && employee ? [{ company, name: settings.name, company_num: settings.company_num, employee }] : []
    }),
  )
  return found.flat()
}

/** Whether a person may sign in on the management side. */
export const mayManage = ({ role }: Employee) => role === roles.administrator || role === roles.manager

export const accountOf = async (id: string | undefined) => (id ? directory().get(accountKey(id)) : undefined)
