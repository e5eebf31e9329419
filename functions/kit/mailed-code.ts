import { randomInt } from 'node:crypto'
import { type CodePurpose, codeTriesKey, mailedCodeKey } from '../../shared/account.ts'
import { Problem } from '../../shared/errors.ts'
import { networkOf } from './address.ts'
import type { Visitor } from './caller.ts'
import { newId } from './id.ts'
import { log } from './log.ts'
import { sendMail } from './mail.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { forgive, limit, tooOften } from './rate.ts'
import { directory, save, type Write } from './table.ts'
import { hashSecret } from './token.ts'
import { say } from './words.ts'

// Six digits that show that somebody reads an address. They are bound to it and to what they were asked for, good for ten
// minutes and five tries, and kept as a slow hash, for there are only a million of them.

export const resendSeconds = 60
const codeMinutes = 10
const mostTries = 5

/** An address of the network may ask for so many mails; those whose code was used do not count. */
const mailsFrom = (ip: string) => ({ scope: 'code-ip', key: networkOf(ip), times: 20, minutes: 60 })

/** How many mails of a kind an address gets, and who may ask for them. */
export const limitMails = (email: string, ip: string) =>
  limit({ scope: 'code', key: hashSecret(email), times: 5, minutes: 60 }, mailsFrom(ip))

/** Who asks often which addresses are registered wants to know just that. */
export const limitGuesses = (ip: string) => limit({ scope: 'known-ip', key: networkOf(ip), times: 30, minutes: 60 })

const secondsUntilNext = (sentAt: string) => resendSeconds - (Date.now() - Date.parse(sentAt)) / 1000

/** Mails a code; the one before is void from then on. Throws 60008 within a minute of it, and after five within an hour. */
export const mailCode = async (
  purpose: CodePurpose,
  email: string,
  { ip, language }: Visitor,
): Promise<{ resendSeconds: number }> => {
  const key = mailedCodeKey(purpose, hashSecret(email))
  const before = await directory().get(key)
  const wait = before ? secondsUntilNext(before.sentAt) : 0
  if (wait > 0) throw tooOften(wait)
  await limitMails(email, ip)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const now = Date.now()
  const mailed = {
    id: newId(),
    codeHash: await hashPassword(code),
    sentAt: new Date(now).toISOString(),
    expiresAt: Math.floor(now / 1000) + codeMinutes * 60,
  }
  // Of two that are asked for at once only one is mailed.
  const write = before
    ? directory().replace(key, { ...mailed, version: before.version })
    : directory().insert(key, mailed)
  await save(write).catch(error => {
    throw error instanceof Problem ? tooOften(resendSeconds) : error
  })
  const mail = purpose.for === 'forgot' ? 'forgot' : 'code'
  await sendMail({ to: email, ...say(language, mail, { code, minutes: codeMinutes }) })
  return { resendSeconds }
}

/**
 * Takes a mailed code: what is answered uses it up, in the save of what it was asked for. A wrong, used or too old one throws
 * 60012, the sixth try 60008: it is counted before the code is looked at, so that parallel guesses cannot share a try.
 */
export const takeCode = async (purpose: CodePurpose, email: string, code: string): Promise<Write> => {
  const wrong = { code: 60012, fields: { code: 60012 } } as const
  const key = mailedCodeKey(purpose, hashSecret(email))
  const mailed = await directory().get(key)
  if (!mailed) throw new Problem(wrong.code, wrong.fields)
  const tries = await directory().add(codeTriesKey(mailed.id), 1, mailed.expiresAt + 3600)
  if (tries > mostTries) throw tooOften(secondsUntilNext(mailed.sentAt), { code: 60008 })
  if (!(await verifyPassword(code, mailed.codeHash))) throw new Problem(wrong.code, wrong.fields)
  return directory().remove(key, mailed.version, wrong)
}

/** A code that was used does not count as a mail asked for. A courtesy, which must not make a fault of what is done. */
export const forgiveCode = (ip: string): Promise<void> =>
  forgive(mailsFrom(ip)).catch(error => log({ forgive: 'failed', fault: String(error) }))
