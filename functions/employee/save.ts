import type { Employee } from '../../shared/employee.ts'
import { roles } from '../../shared/permissions.ts'
import { type Caller, isGone } from '../kit/caller.ts'
import { endSessionsOf } from '../kit/session.ts'
import { type Item, save, type Write } from '../kit/table.ts'
import { settleRaise } from '../user/account.ts'
import { changeEmployee } from './store.ts'

interface Along {
  /** Writes for the same save. */
  writes?: Write[]
  /** Writes of a sign-in, which a person who must join again does not get. */
  signIn?: Write[]
  endsSessions?: boolean
}

/**
 * Saves a changed person, and ends the sessions of a person who may no longer sign in that way. Returns whether the
 * person lost the sign-in and needs an invitation. The writes of a sign-in are then void.
 */
export const saveChanged = async (
  caller: Pick<Caller, 'table' | 'company'>,
  before: Item<Employee>,
  now: Item<Employee>,
  { writes = [], signIn = [], endsSessions = false }: Along = {},
): Promise<{ mustJoin: true | undefined }> => {
  const { table, company } = caller
  const { employee, writes: taken, mustJoin } = await settleRaise(caller, before, now)
  const ends = endsSessions || mustJoin || now.role === roles.none || (await isGone(table, now))
  const since = ends && { sessionsSince: new Date().toISOString() }
  await save(...changeEmployee(table, before, { ...employee, ...since }), ...(mustJoin ? taken : signIn), ...writes)
  if (ends) await endSessionsOf(company, now.id)
  return { mustJoin: mustJoin || undefined }
}
