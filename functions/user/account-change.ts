import { type Account, accountKey } from '../../shared/account.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { alterEmployee, changeEmployee } from '../employee/store.ts'
import { actorOf, type Visitor } from '../kit/caller.ts'
import { confirmSession, endSessionsOfAccount } from '../kit/session.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Write } from '../kit/table.ts'
import { accountOf } from './sign-in.ts'

/** The most companies to update in the save of the change, because each takes two of its hundred writes. */
const mostTogether = 40

/**
 * Changes the sign-in of a person together with `writes`. The same save ends all earlier sessions in each of their
 * companies, but confirms the session that makes the change.
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
  // Update surplus companies before the save. A failed save may then have ended sessions needlessly, but no session
  // survives a change.
  for (const { company, employee } of memberships.slice(mostTogether))
    await alterEmployee(tableOf(company, employee), employee, alter)
  const saveAll = async () => {
    const employeeWrites = await Promise.all(
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
      ...employeeWrites.flat(),
    )
  }
  // Retry only if the account is still the checked one. Each attempt reads employees and session again.
  const isUnchanged = async () => (await accountOf(account.id))?.version === account.version
  await again(saveAll, async error => wasSlower(error) && (await isUnchanged()))
  await endSessionsOfAccount(account, tokenHash)
}
