import { randomInt } from 'node:crypto'
import { type CodePurpose, codeRequestKey, codeTriesKey, mailedCodeKey } from '../../shared/account.ts'
import { Problem } from '../../shared/errors.ts'
import { networkOf } from '../kit/address.ts'
import type { Visitor } from '../kit/caller.ts'
import { hashSecret, newSecret } from '../kit/id.ts'
import { log } from '../kit/log.ts'
import { sendMail } from '../kit/mail.ts'
import { forgive, limit, tooOften } from '../kit/rate.ts'
import { directory, save, type Write } from '../kit/table.ts'
import { say } from '../kit/words.ts'
import { hashPassword, verifyPassword } from './password.ts'

// Six digits that prove that a person reads an address. A code belongs to its address, purpose and request, and expires
// after ten minutes or five tries. The table stores a slow hash, because there are only a million codes. The caller
// gets a nonce to send with the code. Wrong codes count against the request of their nonce, so that an attacker cannot
// void the owner's code. A code without a nonce belongs to the last request of the caller's network.

export const resendSeconds = 60
const codeMinutes = 10
const mostTries = 5

/** The mail limit of a network. `forgiveCode` uncounts the mail of a used code. */
const mailsFrom = (ip: string) => ({ scope: 'code-ip', key: networkOf(ip), times: 20, minutes: 60 })

/**
 * Limits the mails to an address. Each network has its own limit, so that an attacker does not use up the owner's. All
 * networks together have a higher limit, so that an attacker cannot flood the mailbox.
 */
export const limitMails = (email: string, ip: string) => {
  const key = hashSecret(email)
  return limit({ scope: 'code', key: `${key}#${networkOf(ip)}`, times: 5, minutes: 60 }, mailsFrom(ip), {
    scope: 'code-address',
    key,
    times: 10,
    minutes: 60,
  })
}

/** Limits how often a network may probe which addresses are registered. */
export const limitGuesses = (ip: string) => limit({ scope: 'known-ip', key: networkOf(ip), times: 30, minutes: 60 })

const secondsUntilNext = (sentAt: string) => resendSeconds - (Date.now() - Date.parse(sentAt)) / 1000

/**
 * Throws 60008 within a minute of the last request from the same network. Of two concurrent requests, only one
 * succeeds.
 */
const pause = async (purpose: CodePurpose, email: string, ip: string, nonceHash: string): Promise<Write> => {
  const key = codeRequestKey(purpose, hashSecret(email), networkOf(ip))
  const before = await directory().get(key)
  const wait = before ? secondsUntilNext(before.sentAt) : 0
  if (wait > 0) throw tooOften(wait)
  await limitMails(email, ip)
  const now = Date.now()
  const expiresAt = Math.floor(now / 1000) + codeMinutes * 60
  const request = { sentAt: new Date(now).toISOString(), nonceHash, expiresAt }
  return before ? directory().replace(key, { ...request, version: before.version }) : directory().insert(key, request)
}

/**
 * Mails a code and returns its nonce. Throws 60008 within a minute of the last mail, and after five mails in an hour.
 */
export const mailCode = async (
  purpose: CodePurpose,
  email: string,
  { ip, language }: Visitor,
): Promise<{ resendSeconds: number; nonce: string }> => {
  const [code, nonce] = [String(randomInt(1_000_000)).padStart(6, '0'), newSecret()]
  const requested = await pause(purpose, email, ip, hashSecret(nonce))
  const now = Date.now()
  const mailed = {
    codeHash: await hashPassword(code),
    sentAt: new Date(now).toISOString(),
    expiresAt: Math.floor(now / 1000) + codeMinutes * 60,
  }
  const key = mailedCodeKey(purpose, hashSecret(email), hashSecret(nonce))
  await save(requested, directory().insert(key, mailed)).catch(error => {
    throw error instanceof Problem ? tooOften(resendSeconds) : error
  })
  const mail = purpose.for === 'forgot' ? 'forgot' : 'code'
  await sendMail({ to: email, ...say(language, mail, { code, minutes: codeMinutes }) })
  return { resendSeconds, nonce }
}

/**
 * Checks a mailed code. Returns a write that uses the code up, for the save that the code protects. Throws 60012 for a
 * wrong, used or expired code and for an unknown nonce, and 60008 at the sixth try. Counts a try before the comparison,
 * so that parallel guesses cannot share one.
 */
export const takeCode = async (
  purpose: CodePurpose,
  email: string,
  { code, nonce }: { code: string; nonce?: string | undefined },
  ip: string,
): Promise<Write> => {
  const wrong = { code: 60012, fields: { code: 60012 } } as const
  const emailHash = hashSecret(email)
  const nonceHash =
    nonce === undefined
      ? (await directory().get(codeRequestKey(purpose, emailHash, networkOf(ip))))?.nonceHash
      : hashSecret(nonce)
  if (nonceHash === undefined) throw new Problem(wrong.code, wrong.fields)
  const key = mailedCodeKey(purpose, emailHash, nonceHash)
  const mailed = await directory().get(key)
  if (!mailed) throw new Problem(wrong.code, wrong.fields)
  const tries = await directory().add(codeTriesKey(nonceHash), 1, mailed.expiresAt + 3600)
  if (tries > mostTries) throw tooOften(secondsUntilNext(mailed.sentAt), { code: 60008 })
  if (!(await verifyPassword(code, mailed.codeHash))) throw new Problem(wrong.code, wrong.fields)
  return directory().remove(key, mailed.version, wrong)
}

/**
 * Uncounts the mail of a used code, and lets its network request another code at once. A failure here must not undo the
 * protected save.
 */
export const forgiveCode = (purpose: CodePurpose, email: string, ip: string): Promise<void> =>
  Promise.all([
    forgive(mailsFrom(ip)),
    save(directory().remove(codeRequestKey(purpose, hashSecret(email), networkOf(ip)))),
  ]).then(
    () => undefined,
    error => log({ forgive: 'failed', fault: String(error) }),
  )
