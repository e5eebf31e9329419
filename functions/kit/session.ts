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
 * Starts a session and returns its token; the server stores only the token's hash. The save requires the account
 * version whose password the caller checked, so that no sign-in outlives a password change.
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

/** One-time code, exchanged for a session before it expires, while the account is unchanged. */
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

/** Exchanges a one-time code for a session token. Throws 60012 if the code is not valid for this company now. */
export const swapSignCode = async (code: string, company: string): Promise<string> => {
  const wrong = { code: 60012 } as const
  const key = signCodeKey(hashSecret(code))
  const stored = await directory().get(key)
  if (stored?.company !== company) throw new Problem(wrong.code)
  const now = Date.now()
  return begin(
    stored,
    { startedAt: new Date(now).toISOString(), expiresAt: inSeconds(now + absoluteMinutes * minute) },
    directory().remove(key, stored.version, wrong),
    directory().unchanged(accountKey(stored.account), { version: stored.accountVersion }, wrong),
  )
}

/**
 * Continues a session for the same person on another side or in another company. The old token ends, the expiry stays.
 * `writes` join the save.
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
  // Retry only if another call changed the session, because any other refusal would repeat.
  return again(goOn, async error => wasSlower(error) && (await read())?.version !== current?.version)
}

/** Notes that the holder has proved their identity again. */
export const confirmSession = async (tokenHash: string, confirmedAt: string): Promise<Write> => {
  const current = await directory().get(sessionKey(tokenHash))
  if (!current || current.endedAt) throw new Problem(502)
  return directory().replace(sessionKey(tokenHash), { ...current, confirmedAt })
}

/**
 * Whether the sign-in changed after the session began, which ends the session. Also catches a session that moved to
 * another token meanwhile, or that an interrupted `endSessionsOf` left open.
 */
export const isOutlived = (
  { startedAt, confirmedAt = startedAt }: Session,
  { sessionsSince }: Pick<Employee, 'sessionsSince'>,
): boolean => sessionsSince !== undefined && confirmedAt < sessionsSince

/**
 * Whether a session has neither ended nor been idle for too long. The table enforces the absolute expiry by the item's
 * expiry time.
 */
const stands = ({ endedAt, seenAt }: Session): boolean =>
  endedAt === undefined && Date.now() - Date.parse(seenAt) <= idleMinutes * minute

/** Whether a session is active and its holder's sign-in has not changed since the session was confirmed. */
export const counts = (
  session: Session | undefined,
  employee: Pick<Employee, 'sessionsSince'> | undefined,
): session is Session =>
  session !== undefined && employee !== undefined && stands(session) && !isOutlived(session, employee)

/**
 * The session of a token. Throws 101 for a missing, unknown or expired token, and 502 for an ended session. The clock
 * decides about expiry, because the engine deletes items late. Records the use at most every five minutes.
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
    // A parallel call already saved the use, or another call ended the session. In both cases the stored state stays.
    if (!(error instanceof Problem)) throw error
  }
}

/** Ends one session. Its holder then gets 502. */
export const endSession = async (tokenHash: string): Promise<void> => {
  const ended = await change(directory(), sessionKey(tokenHash), session =>
    session.endedAt ? undefined : { ...session, endedAt: new Date().toISOString() },
  )
  if (ended) await save(openTable(ended.company).remove(employeeSessionKey(ended.employee, tokenHash)))
}

/** Ends all sessions of an employee except the given one. */
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

/** Ends all sessions of an account in all companies except the given one. */
export const endSessionsOfAccount = async (
  { memberships }: { memberships: { company: string; employee: string }[] },
  except?: string,
): Promise<void> => {
  for (const { company, employee } of memberships) await endSessionsOf(company, employee, except)
}
