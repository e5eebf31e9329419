import { accountKey } from '../../shared/account.ts'
import type { Employee } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import {
  absoluteMinutes,
  employeeSessionKey,
  idleMinutes,
  type Session,
  sessionKey,
  signCodeKey,
} from '../../shared/session.ts'
import { hashSecret, newSecret } from './id.ts'
import { again, change, wasSlower } from './table/change.ts'
import { directory, type Item, openTable, save, type Write } from './table.ts'

const minute = 60_000
const inSeconds = (at: number) => Math.floor(at / 1000)

type Holder = Pick<Session, 'company' | 'employee' | 'account' | 'type'>

const begin = async (
  { company, employee, account, type }: Holder,
  { startedAt, confirmedAt, expiresAt }: Pick<Session, 'startedAt' | 'confirmedAt' | 'expiresAt'>,
  ...conditions: Write[]
): Promise<string> => {
  const token = newSecret()
  const hash = hashSecret(token)
  const seenAt = new Date().toISOString()
  await save(
    directory().insert(sessionKey(hash), {
      ...{ company, employee, account, type, startedAt, seenAt, expiresAt },
      ...(confirmedAt && { confirmedAt }),
    }),
    openTable(company).insert(employeeSessionKey(employee, hash), { tokenHash: hash, expiresAt }),
    ...conditions,
  )
  return token
}

/**
 * Starts a session and answers its token: the only time the token exists outside its holder's hands. The account must
 * still be as it was when its password was checked, so that no sign-in outlives a change of the password.
 */
export const startSession = async (
  who: Omit<Holder, 'account'>,
  account: { id: string; version: number },
): Promise<string> => {
  const now = Date.now()
  return begin(
    { ...who, account: account.id },
    { startedAt: new Date(now).toISOString(), expiresAt: inSeconds(now + absoluteMinutes * minute) },
    directory().unchanged(accountKey(account.id), account, { code: 21022 }),
  )
}

/** A code that becomes a session when it is swapped, within so many seconds, once, and while the account stays as it is. */
export const newSignCode = async (
  who: Omit<Holder, 'account'>,
  account: { id: string; version: number },
  seconds: number,
): Promise<string> => {
  const code = newSecret()
  const expiresAt = inSeconds(Date.now()) + seconds
  const item = { ...who, account: account.id, accountVersion: account.version, expiresAt }
  await save(directory().insert(signCodeKey(hashSecret(code)), item))
  return code
}

/** Swaps a one-time code for the token of a session; throws 60012 for any code that is not good for this company now. */
export const swapSignCode = async (code: string, company: string): Promise<string> => {
  const wrong = { code: 60012 } as const
  const key = signCodeKey(hashSecret(code))
  const given = await directory().get(key)
  if (given?.company !== company) throw new Problem(wrong.code)
  const now = Date.now()
  return begin(
    given,
    { startedAt: new Date(now).toISOString(), expiresAt: inSeconds(now + absoluteMinutes * minute) },
    directory().remove(key, given.version, wrong),
    directory().unchanged(accountKey(given.account), { version: given.accountVersion }, wrong),
  )
}

/**
 * Goes on as another of the same person: another side, another company. The old token ends, and no time is won. `writes` are
 * carried out in the same save.
 */
export const continueSession = async (
  { tokenHash }: { tokenHash: string },
  changes: Partial<Omit<Holder, 'account'>>,
  ...writes: Write[]
): Promise<string> => {
  const read = () => directory().get(sessionKey(tokenHash))
  let current: Item<Session> | undefined
  const goOn = async () => {
    current = await read()
    if (!current || current.endedAt) throw new Problem(502)
    return begin(
      { ...current, ...changes },
      current,
      directory().replace(sessionKey(tokenHash), { ...current, endedAt: new Date().toISOString() }),
      openTable(current.company).remove(employeeSessionKey(current.employee, tokenHash)),
      ...writes,
    )
  }
  // Only where the session moved is there something to try again: what else is refused will be again.
  return again(goOn, async error => wasSlower(error) && (await read())?.version !== current?.version)
}

/** Its holder has shown again who they are. */
export const confirmSession = async (tokenHash: string, confirmedAt: string): Promise<Write> => {
  const current = await directory().get(sessionKey(tokenHash))
  if (!current || current.endedAt) throw new Problem(502)
  return directory().replace(sessionKey(tokenHash), { ...current, confirmedAt })
}

/**
 * Whether the person's sign-in was changed after a session began. It ends by that alone: also where it went on under another
 * token while sessions were ended, and where ending them was interrupted.
 */
export const isOutlived = (
  { startedAt, confirmedAt = startedAt }: Session,
  { sessionsSince }: Pick<Employee, 'sessionsSince'>,
): boolean => sessionsSince !== undefined && confirmedAt < sessionsSince

/** Whether a session still stands: neither ended nor left alone for too long. Its absolute end is its item's. */
const stands = ({ endedAt, seenAt }: Session): boolean =>
  endedAt === undefined && Date.now() - Date.parse(seenAt) <= idleMinutes * minute

/** Whether a session still counts for its holder, as they are now. */
export const counts = (
  session: Session | undefined,
  employee: Pick<Employee, 'sessionsSince'> | undefined,
): session is Session =>
  session !== undefined && employee !== undefined && stands(session) && !isOutlived(session, employee)

/**
 * The session behind a token. Throws 101 for none, an unknown or an expired one, 502 for one that was ended.
 * Expiry is judged by the clock, not by the engine's deletion, and what was seen is written down every five minutes only.
 */
export const readSession = async (token: string | undefined): Promise<{ session: Session; tokenHash: string }> => {
  if (!token || token.length > 100) throw new Problem(101)
  const tokenHash = hashSecret(token)
  const session = await directory().get(sessionKey(tokenHash))
  if (!session) throw new Problem(101)
  if (session.endedAt) throw new Problem(502)
  if (!stands(session)) throw new Problem(101)
  const now = Date.now()
  if (now - Date.parse(session.seenAt) > 5 * minute) await touch(tokenHash, session, now)
  return { session, tokenHash }
}

const touch = async (tokenHash: string, session: Item<Session>, now: number) => {
  try {
    await save(directory().replace(sessionKey(tokenHash), { ...session, seenAt: new Date(now).toISOString() }))
  } catch (error) {
    // Another call of the same person was first and says the same, or the session was ended and must stay so.
    if (!(error instanceof Problem)) throw error
  }
}

/** Ends one session: its holder is told 502 from now on. */
export const endSession = async (tokenHash: string): Promise<void> => {
  const ended = await change(directory(), sessionKey(tokenHash), session =>
    session.endedAt ? undefined : { ...session, endedAt: new Date().toISOString() },
  )
  if (ended) await save(openTable(ended.company).remove(employeeSessionKey(ended.employee, tokenHash)))
}

/** Ends all sessions of an employee, but the one given. */
export const endSessionsOf = async (company: string, employee: string, except?: string): Promise<void> => {
  const seen = new Set([except])
  for (;;) {
    const list = await openTable(company).all<{ tokenHash: string }>({ pk: employeeSessionKey(employee, '').pk })
    const open = list.filter(({ tokenHash }) => !seen.has(tokenHash))
    if (open.length === 0) return
    for (const { tokenHash } of open) {
      seen.add(tokenHash)
      await endSession(tokenHash)
    }
  }
}

/** Ends all sessions of the holder of an account, in all companies, but the one given. */
export const endSessionsOfAccount = async (
  { memberships }: { memberships: { company: string; employee: string }[] },
  except?: string,
): Promise<void> => {
  for (const { company, employee } of memberships) await endSessionsOf(company, employee, except)
}
