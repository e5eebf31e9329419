import { accountKey } from '../../shared/account.ts'
import { Problem } from '../../shared/errors.ts'
import { absoluteMinutes, employeeSessionKey, idleMinutes, type Session, sessionKey } from '../../shared/session.ts'
import { change } from './change.ts'
import { directory, type Item, openTable, save, type Write } from './table.ts'
import { hashSecret, newSecret } from './token.ts'

const minute = 60_000
const inSeconds = (at: number) => Math.floor(at / 1000)

type Holder = Pick<Session, 'company' | 'employee' | 'account' | 'type'>

const begin = async (
  { company, employee, account, type }: Holder,
  { startedAt, expiresAt }: Pick<Session, 'startedAt' | 'expiresAt'>,
  ...conditions: Write[]
): Promise<string> => {
  const token = newSecret()
  const hash = hashSecret(token)
  const seenAt = new Date().toISOString()
  await save(
    directory().insert(sessionKey(hash), { company, employee, account, type, startedAt, seenAt, expiresAt }),
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

/** Goes on as another of the same person: another side, another company. The old token ends, and no time is won. */
export const continueSession = async (
  { session, tokenHash }: { session: Session; tokenHash: string },
  changes: Partial<Omit<Holder, 'account'>>,
): Promise<string> => {
  const token = await begin({ ...session, ...changes }, session)
  await endSession(tokenHash)
  return token
}

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
  const now = Date.now()
  const idle = now - Date.parse(session.seenAt)
  if (idle > idleMinutes * minute) throw new Problem(101)
  if (idle > 5 * minute) await touch(tokenHash, session, now)
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
  const list = await openTable(company).all({ pk: employeeSessionKey(employee, '').pk })
  for (const { tokenHash } of list as Item<{ tokenHash: string }>[])
    if (tokenHash !== except) await endSession(tokenHash)
}
