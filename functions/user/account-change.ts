import { type Account, accountKey } from '../../shared/account.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { alterEmployee, changeEmployee } from '../employee/store.ts'
import { actorOf, type Visitor } from '../kit/caller.ts'
import { confirmSession, endSessionsOfAccount } from '../kit/session.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Write } from '../kit/table.ts'
import { accountOf } from './sign-in.ts'

/** Of the companies of a person, so many are told in the save of the change: each takes two writes of the hundred. */
const mostTogether = 40

/**
 * Changes what a person signs in with, and `writes` with it. The same save says in each company of theirs that sessions begun
 * before are over, so that none lives on; the one the change is made by is confirmed by it.
 */
export const changeAccount = async (
  account: Item<Account>,
  changes: Partial<Pick<Account, 'email' | 'passwordHash' | 'passwordSetBy'>>,
  visitor: Visitor & { tokenHash?: string },
  ...writes: Write[]
): Promise<void> => {
  const { memberships } = account
  const { tokenHash } = visitor
  const at = new Date().toISOString()
  const alter = (employee: Item<Employee>): Item<Employee> => ({
    ...employee,
    sessionsSince: at,
    ...(changes.passwordHash !== undefined && { passwordSetAt: at }),
  })
  const tableOf = (company: string, employee: string) => openTable(company, actorOf(visitor, employee))
  // Whom the save has no room for is told before: a session may end for nothing then, but none is kept.
  for (const { company, employee } of memberships.slice(mostTogether))
    await alterEmployee(tableOf(company, employee), employee, alter)
  const saveAll = async () => {
    const told = await Promise.all(
      memberships.slice(0, mostTogether).map(async ({ company, employee }) => {
        const table = tableOf(company, employee)
        const before = await table.get(employeeKey(employee))
        return before ? changeEmployee(table, before, alter(before)) : []
      }),
    )
    await save(
      ...writes,
      directory().replace(accountKey(account.id), { ...account, ...changes }),
      ...(tokenHash === undefined ? [] : [await confirmSession(tokenHash, at)]),
      ...told.flat(),
    )
  }
  // The account must be the one whose password or code was checked; an employee or a session may be read again.
  const isStill = async () => (await accountOf(account.id))?.version === account.version
  await again(saveAll, async error => wasSlower(error) && (await isStill()))
  await endSessionsOfAccount(account, tokenHash)
}
