import { Problem } from '../../shared/errors.ts'
import {
  absoluteMinutes,
  employeeSessionKey,
  idleMinutes,
  type Session,
  type Side,
  sessionKey,
} from '../../shared/session.ts'
import { directory, type Item, openTable, save } from './table.ts'
import { hashSecret, newSecret } from './token.ts'

const minute = 60_000
const inSeconds = (at: number) => Math.floor(at / 1000)

/** Starts a session and answers its token: the only time the token exists outside its holder's hands. */
export const startSession = async ({
  company,
  employee,
  account,
  type,
}: {
  company: string
  employee: string
  account: string
  type: Side
}): Promise<string> => {
  const token = newSecret()
  const hash = hashSecret(token)
  const now = Date.now()
  const at = new Date(now).toISOString()
  const expiresAt = inSeconds(now + absoluteMinutes * minute)
  await save(
    directory().insert(sessionKey(hash), { company, employee, account, type, startedAt: at, seenAt: at, expiresAt }),
    openTable(company).insert(employeeSessionKey(employee, hash), { tokenHash: hash, expiresAt }),
  )
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
    // Another call of the same person was first; it says the same.
    if (!(error instanceof Problem)) throw error
  }
}

/** Ends one session: its holder is told 502 from now on. */
export const endSession = async (tokenHash: string): Promise<void> => {
  const session = await directory().get(sessionKey(tokenHash))
  if (!session) return
  await save(
    directory().put(sessionKey(tokenHash), { ...session, endedAt: new Date().toISOString() }),
    openTable(session.company).remove(employeeSessionKey(session.employee, tokenHash)),
  )
}

/** Ends all sessions of an employee, but the one given. */
export const endSessionsOf = async (company: string, employee: string, except?: string): Promise<void> => {
  const list = await openTable(company).all({ pk: employeeSessionKey(employee, '').pk })
  for (const { tokenHash } of list as Item<{ tokenHash: string }>[])
    if (tokenHash !== except) await endSession(tokenHash)
}
