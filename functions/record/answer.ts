import { companyKey } from '../../shared/company.ts'
import { Problem } from '../../shared/errors.ts'
import { type Correction, correctedDays, correctionKey } from '../../shared/record/correction.ts'
import { readCompany } from '../company/store.ts'
import { rowsBetween } from '../day/rows.ts'
import type { Caller } from '../kit/caller.ts'
import { type Item, save } from '../kit/table.ts'
import { checkLock, checkTwice } from './correction.ts'

// Employees answer corrections of their own punches: they agree to a proposal, decline it, or object in time.

interface Seen {
  punch: string
  version: number
}

/** The correction that the caller saw. Throws 60004 if there is none, and 60006 if it has changed. */
const readSeen = async ({ table, employee }: Caller, { punch, version }: Seen): Promise<Item<Correction>> => {
  const present = await table.get(correctionKey({ employee: employee.id, punch }))
  if (!present) throw new Problem(60004, { punch: 60004 })
  if (present.version !== version) throw new Problem(60006)
  return present
}

const answer = async (caller: Caller, present: Item<Correction>, next: Correction): Promise<Record<string, never>> => {
  const { table, employee } = caller
  const { punch, version } = present
  const { from, to } = correctedDays(present)
  const [company, rows] = await Promise.all([readCompany(caller), rowsBetween(table, employee.id, from, to)])
  checkLock(company, rows, { punch, present, next })
  if (!next.state) await checkTwice(caller, employee, { punch, next })
  // A lock that was saved meanwhile makes this save fail.
  await save(table.replace(correctionKey(present), { ...next, version }), table.unchanged(companyKey(), company))
  return {}
}

/** Agrees to a proposal, which then counts. Throws 60004 unless the proposal still waits for an answer. */
export const agree = async (caller: Caller, seen: Seen) => {
  const present = await readSeen(caller, seen)
  const { state, former: _, ...proposal } = present
  if (state !== 'proposed') throw new Problem(60004, { punch: 60004 })
  return answer(caller, present, { ...proposal, agreedAt: new Date().toISOString() })
}

/**
 * Objects to a correction, so that the former version counts again. Throws 60073 without the right to object, and 60094
 * after the deadline.
 */
export const objectTo = async (caller: Caller, { reason, ...seen }: Seen & { reason: string }) => {
  const present = await readSeen(caller, seen)
  const { state, objectBy } = present
  if (state === 'objected') throw new Problem(60004, { punch: 60004 })
  const at = new Date().toISOString()
  if (!state && objectBy === undefined) throw new Problem(60073)
  if (!state && objectBy !== undefined && objectBy < at) throw new Problem(60094, { punch: 60094 })
  return answer(caller, present, { ...present, state: 'objected', objection: { at, reason } })
}
