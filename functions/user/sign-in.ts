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

// What sign-in by e-mail and sign-in by number have in common.

/** Where an account is guessed at from everywhere: its owner is not locked out, but each try takes a while. */
const slowMilliseconds = 2000

/** A password that was hashed with older parameters is hashed anew while it is known; whoever is quicker has done it too. */
const rehash = async (account: Item<Account>, password: string): Promise<Item<Account>> => {
  if (!isOutdated(account.passwordHash)) return account
  const fresh = { ...account, passwordHash: await hashPassword(password) }
  await save(directory().replace(accountKey(account.id), fresh, { code: 21022 }))
  return { ...fresh, version: account.version + 1 }
}

/**
 * Checks a password with the same work and the same answer (21014) whether the account exists or not. Tries are counted
 * before the check, so that a burst of parallel guesses cannot outrun the counter; a right one takes its count back. They are
 * counted for the account, by whichever name it is called, and for the name where there is no account.
 */
export const checkPassword = async (
  who: { name: string; ip: string },
  account: Item<Account> | undefined,
  password: string,
): Promise<Item<Account>> => {
  const name = account?.id ?? who.name
  const network = networkOf(who.ip)
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
  /** Whether the last day there is over. */
  isOver: boolean
}

/** The companies an account belongs to, with its employee there; those it left are not among them. */
export const membershipsOf = async (account: Account): Promise<Membership[]> => {
  const found = await Promise.all(
    account.memberships.map(async ({ company, employee: id }) => {
      const table = openTable(company)
      const [settings, employee] = await Promise.all([table.get(companyKey()), table.get(employeeKey(id))])
      if (!settings || !employee) return []
      const { name, company_num, timezone } = settings
      const isOver = hasLeft(employee, localDay(timezone, Date.now()))
      return [{ company, name, company_num, employee, isOver }]
    }),
  )
  return found.flat()
}

/** Whether a person may sign in on the management side. */
export const mayManage = ({ role }: Employee) => role === roles.administrator || role === roles.manager

/** Why a person with role 0 may not come in, told only after the right password: disabled, or not yet given a role. */
export const isDisabled = ({ role, isWaiting }: Employee) => role === roles.none && !isWaiting

export const accountOf = async (id: string | undefined) => (id ? directory().get(accountKey(id)) : undefined)

/** The account of an address. What is not registered costs the same look, so that its time tells nobody who is. */
export const accountOfEmail = async (email: string) => {
  const pointer = await directory().get(emailKey(hashSecret(email)))
  return directory().get(accountKey(pointer?.account ?? 'nobody'))
}

/** Who comes in, and where. */
export interface Entry {
  company: string
  employee: string
  type: Side
}

/** Where the holder of an account comes in: on the management side where they may, else on the employee side; or why not. */
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

/** Lets somebody in whose password was checked: here, or, where they came from another address, there by a one-time code. */
export const enter = async (who: Entry, account: Item<Account>, redirect: number | undefined) =>
  redirect === 1
    ? { token: await newSignCode(who, account, signCodeSeconds), redirect: 1, company_id: who.company }
    : { token: await startSession(who, account), redirect: 0, company_id: who.company }
