import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { isStrongPassword } from '../../shared/account.ts'
import { Problem } from '../../shared/errors.ts'

// argon2id as OWASP ASVS 5.0 asks for: 19 MiB, two passes, one lane. Stored as a PHC string, so that parameters can rise.
const memory = 19456
const passes = 2
const derive = promisify(argon2)
const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const hashWith = (password: string, nonce: Buffer, m: number, t: number) =>
  derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: m,
    passes: t,
  })

export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${bare(salt)}$${bare(await hashWith(password, salt, memory, passes))}`
}

/** An unknown account costs the same work as a known one, so that the time of an answer tells nobody who exists. */
const nobody = `$argon2id$v=19$m=${memory},t=${passes},p=1$${bare(Buffer.alloc(16))}$${bare(Buffer.alloc(32))}`

/** Whether the password is the stored one; with no stored one it is not, after the same work. */
export const verifyPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [, m, t, salt, hash] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(stored ?? nobody) ?? []
  if (!salt || !hash) return false
  const expected = Buffer.from(hash, 'base64')
  const actual = await hashWith(password, Buffer.from(salt, 'base64'), Number(m), Number(t))
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== undefined
}

/** Whether a stored password was hashed with other parameters than today's. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=1$`)

let commonWords: Set<string> | undefined
/** Loaded on demand: few calls set a password. */
const readCommonWords = async () => {
  const { default: common } = await import('./common-passwords.json', { with: { type: 'json' } })
  return new Set(common.words.split(' '))
}
const letters: Record<string, string> = { '@': 'a', 4: 'a', 0: 'o', 3: 'e', $: 's', 5: 's', 1: 'i', '!': 'i', 7: 't' }

const lettersOf = (text: string) =>
  text.replace(/[@40$3517!]/g, character => letters[character] ?? character).replace(/[^\p{L}]/gu, '')

/**
 * What a password may be made around: its letters, with those that were only dressed up, without what was hung on behind them; and
 * the same without what stands in front, which may be dressed up or hung on.
 */
const coresOf = (password: string): string[] => {
  const tail = password
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
  return [tail, tail.replace(/^[^\p{L}]+/u, '')].map(lettersOf)
}

/** The words of a name that are long enough to be one, and the whole of it. */
const wordsOf = (name: string) => {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  return [...words.filter(word => word.length >= 3), words.join('')]
}

/**
 * Refuses a password nobody should take: a weak one (21012), one of the most used ones or the company's name, however they are
 * dressed up (60030). `field` is named in the answer.
 */
export const checkNewPassword = async (password: string, field: string, companyName?: string): Promise<void> => {
  if (!isStrongPassword(password)) throw new Problem(21012, { [field]: 21012 })
  commonWords ??= await readCommonWords()
  const ofCompany = wordsOf(companyName ?? '')
  const isTaken = (word: string) => word !== '' && (commonWords?.has(word) || ofCompany.includes(word))
  if (coresOf(password).some(isTaken)) throw new Problem(60030, { [field]: 60030 })
}

/** Throws 21013 where a new password was not typed the same twice. */
export const confirm = (password: string, again: string | undefined): void => {
  if (password !== again) throw new Problem(21013, { confirm_password: 21013 })
}
