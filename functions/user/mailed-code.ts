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

// Six digits that show that a person reads an address. They are bound to the address, the purpose and the request, good for ten
// minutes and five tries, and kept as a slow hash, for there are only a million of them. Whoever asks gets a nonce that must
// accompany the code: wrong codes count against the request they come with, so that nobody voids the code of the owner.

export const resendSeconds = 60
const codeMinutes = 10
const mostTries = 5

/** An address of the network may ask for so many mails; those whose code was used do not count. */
const mailsFrom = (ip: string) => ({ scope: 'code-ip', key: networkOf(ip), times: 20, minutes: 60 })

/**
 * How many mails an address gets. Each network has its own share, so that a stranger does not use up the owner's; all networks
 * together have a larger one, so that nobody floods the mailbox.
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

/** Who asks often which addresses are registered wants to know just that. */
export const limitGuesses = (ip: string) => limit({ scope: 'known-ip', key: networkOf(ip), times: 30, minutes: 60 })

const secondsUntilNext = (sentAt: string) => resendSeconds - (Date.now() - Date.parse(sentAt)) / 1000

/** Throws 60008 within a minute of the last request of the same network; of two at once only one is served. */
const pause = async (purpose: CodePurpose, email: string, ip: string): Promise<Write> => {
  const key = codeRequestKey(purpose, hashSecret(email), networkOf(ip))
  const before = await directory().get(key)
  const wait = before ? secondsUntilNext(before.sentAt) : 0
  if (wait > 0) throw tooOften(wait)
  await limitMails(email, ip)
  const now = Date.now()
  const request = { sentAt: new Date(now).toISOString(), expiresAt: Math.floor(now / 1000) + resendSeconds }
  return before ? directory().replace(key, { ...request, version: before.version }) : directory().insert(key, request)
}

/** Mails a code and answers the nonce it belongs to. Throws 60008 within a minute of the last one, and after five within an hour. */
export const mailCode = async (
  purpose: CodePurpose,
  email: string,
  { ip, language }: Visitor,
): Promise<{ resendSeconds: number; nonce: string }> => {
  const requested = await pause(purpose, email, ip)
  const [code, nonce, now] = [String(randomInt(1_000_000)).padStart(6, '0'), newSecret(), Date.now()]
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
 * Takes a mailed code: what is answered uses it up, in the save of what it was asked for. A wrong, used or too old one throws
 * 60012, as does an unknown nonce, and the sixth try 60008. A try is counted before the code is compared, so that parallel
 * guesses cannot share one.
 */
export const takeCode = async (
  purpose: CodePurpose,
  email: string,
  { code, nonce }: { code: string; nonce: string },
): Promise<Write> => {
  const wrong = { code: 60012, fields: { code: 60012 } } as const
  const nonceHash = hashSecret(nonce)
  const key = mailedCodeKey(purpose, hashSecret(email), nonceHash)
  const mailed = await directory().get(key)
  if (!mailed) throw new Problem(wrong.code, wrong.fields)
  const tries = await directory().add(codeTriesKey(nonceHash), 1, mailed.expiresAt + 3600)
  if (tries > mostTries) throw tooOften(secondsUntilNext(mailed.sentAt), { code: 60008 })
  if (!(await verifyPassword(code, mailed.codeHash))) throw new Problem(wrong.code, wrong.fields)
  return directory().remove(key, mailed.version, wrong)
}

/**
 * A code that was used does not count as a mail asked for, and its network may ask again at once. A failure here must not undo
 * what the code was used for.
 */
export const forgiveCode = (purpose: CodePurpose, email: string, ip: string): Promise<void> =>
  Promise.all([
    forgive(mailsFrom(ip)),
    save(directory().remove(codeRequestKey(purpose, hashSecret(email), networkOf(ip)))),
  ]).then(
    () => undefined,
    error => log({ forgive: 'failed', fault: String(error) }),
  )
