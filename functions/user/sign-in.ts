import { setTimeout as wait } from 'node:timers/promises'
import { type Account, accountKey, emailKey } from '../../shared/account.ts'
import { companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey, hasLeft } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { localDay } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import { type Side, signCodeSeconds } from '../../shared/session.ts'
import { networkOf } from '../kit/address.ts'
import { hashSecret } from '../kit/id.ts'
import { forgive, isTooOften, limit } from '../kit/rate.ts'
import { newSignCode, startSession } from '../kit/session.ts'
import { directory, type Item, openTable, save } from '../kit/table.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'

// The code that the sign-ins by e-mail and by employee ID share.

/** The delay of each try while many networks guess at an account. A delay does not lock its owner out. */
const slowMilliseconds = 2000

/**
 * Upgrades a hash with old parameters while the server knows the password. Throws 21022 after a concurrent change of
 * the account.
 */
const rehash = async (account: Item<Account>, password: string): Promise<Item<Account>> => {
  if (!isOutdated(account.passwordHash)) return account
  const fresh = { ...account, passwordHash: await hashPassword(password) }
  await save(directory().replace(accountKey(account.id), fresh, { code: 21022 }))
  return { ...fresh, version: account.version + 1 }
}

/**
 * Checks a password. An unknown account takes the same work and gives the same error (21014). Counts a try before the
 * check, so that parallel guesses cannot outrun the counter. A right password removes its count. Counts tries for the
 * account under all its names, or for the name if there is no account.
 */
export const checkPassword = async (
  attempt: { name: string; ip: string },
  account: Item<Account> | undefined,
  password: string,
): Promise<Item<Account>> => {
  const name = account?.id ?? attempt.name
  const network = networkOf(attempt.ip)
  const everywhere = { scope: 'sign-in-account', key: name, times: 100, minutes: 60 }
  const takeBack = await limit(
    { scope: 'sign-in', key: `${name}#${network}`, times: 5, minutes: 15 },
    { scope: 'sign-in-ip', key: network, times: 50, minutes: 15 },
  )
  if (await isTooOften(everywhere)) await wait(slowMilliseconds)
  if (!(await verifyPassword(password, account?.passwordHash)) || !account) throw new Problem(21014)
  await takeBack()
  await forgive(everywhere)
  return rehash(account, password)
}

export interface Membership {
  company: string
  name: string
  company_num: string
  employee: Item<Employee>
  /** Whether the last day of the employment is over. */
  isOver: boolean
}

/** The companies of an account with its employee there, without companies that deleted the employee. */
export const membershipsOf = async (account: Account): Promise<Membership[]> => {
  const memberships = await Promise.all(
    account.memberships.map(async ({ company, employee: id }) => {
      const table = openTable(company)
      const [settings, employee] = await Promise.all([table.get(companyKey()), table.get(employeeKey(id))])
      if (!settings || !employee) return []
      const { name, company_num, timezone } = settings
      const isOver = hasLeft(employee, localDay(timezone, Date.now()))
      return [{ company, name, company_num, employee, isOver }]
    }),
  )
  return memberships.flat()
}

/** The companies of an account in which its person works now and has a role. */
export const openMembershipsOf = async (account: Account): Promise<Membership[]> =>
  (await membershipsOf(account)).filter(({ employee, isOver }) => employee.role !== roles.none && !isOver)

/** Whether a person may sign in on the management side. */
export const mayManage = ({ role }: Employee) => role === roles.administrator || role === roles.manager

/**
 * Whether a person with role 0 is disabled rather than waiting for a role. Only the right password may reveal this
 * state.
 */
export const isDisabled = ({ role, isWaiting }: Employee) => role === roles.none && !isWaiting

export const accountOf = async (id: string | undefined) => (id ? directory().get(accountKey(id)) : undefined)

/** The account of an address. An unregistered address takes equally many reads, so that the time does not reveal it. */
export const accountOfEmail = async (email: string) => {
  const pointer = await directory().get(emailKey(hashSecret(email)))
  return directory().get(accountKey(pointer?.account ?? 'nobody'))
}

/** The company, employee and side of a sign-in. */
export interface Entry {
  company: string
  employee: string
  type: Side
}

/**
 * The entry of an account: the management side if allowed, or else the employee side. `refusal` applies if there is no
 * entry.
 */
export const findEntry = async (account: Account): Promise<{ entry?: Entry; refusal: Problem }> => {
  const memberships = await membershipsOf(account)
  const open = memberships.filter(({ employee, isOver }) => employee.role !== roles.none && !isOver)
  const managed = open.find(({ employee }) => mayManage(employee))
  const [first] = managed ? [managed] : open
  const isShut = memberships.some(({ employee, isOver }) => isDisabled(employee) || isOver)
  const refusal = new Problem(isShut ? 21021 : 21023)
  if (!first) return { refusal }
  const { company, employee } = first
  return { refusal, entry: { company, employee: employee.id, type: managed ? 'management' : 'user' } }
}

/** Signs a person in after the password check. Returns a session, or a one-time code for a site at another address. */
export const enter = async (entry: Entry, account: Item<Account>, redirect: number | undefined) =>
  redirect === 1
    ? { token: await newSignCode(entry, account, signCodeSeconds), redirect: 1, company_id: entry.company }
    : { token: await startSession(entry, account), redirect: 0, company_id: entry.company }
