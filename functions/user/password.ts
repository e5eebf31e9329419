import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { isStrongPassword } from '../../shared/account.ts'
import { Problem } from '../../shared/errors.ts'

// argon2id with the parameters of OWASP ASVS 5.0: 19 MiB, two passes, one lane. Each PHC string stores its parameters,
// so a later release can raise them without breaking old hashes.
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

/** The hash for an unknown account: equal work keeps the response time from revealing which accounts exist. */
const dummyHash = `$argon2id$v=19$m=${memory},t=${passes},p=1$${bare(Buffer.alloc(16))}$${bare(Buffer.alloc(32))}`

/** Whether the password matches. Without a stored hash, does the same work and returns false. */
export const verifyPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [, m, t, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(stored ?? dummyHash) ?? []
  if (!salt || !hash) return false
  const expected = Buffer.from(hash, 'base64')
  const actual = await hashWith(password, Buffer.from(salt, 'base64'), Number(m), Number(t))
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== undefined
}

/** Whether a stored hash has parameters other than the current parameters. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=1$`)

let commonWords: Set<string> | undefined
/** Imports on demand, because few calls set a password. */
const readCommonWords = async () => {
  const { commonPasswords } = await import('./common-passwords.ts')
  return new Set(commonPasswords.split(' '))
}
const letters: Record<string, string> = { '@': 'a', 4: 'a', 0: 'o', 3: 'e', $: 's', 5: 's', 1: 'i', '!': 'i', 7: 't' }

const lettersOf = (text: string) =>
  text.replace(/[@40$3517!]/g, character => letters[character] ?? character).replace(/[^\p{L}]/gu, '')

/**
 * The possible base words of a password: its letters, with look-alike characters replaced and without a suffix of other
 * characters. The second form also lacks a prefix of other characters, which may be look-alikes or an addition.
 */
const coresOf = (password: string): string[] => {
  const tail = password
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
  return [tail, tail.replace(/^[^\p{L}]+/u, '')].map(lettersOf)
}

/** The words of a name with at least three letters, and all its words joined. */
const wordsOf = (name: string) => {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  return [...words.filter(word => word.length >= 3), words.join('')]
}

/**
 * Throws 21012 at `field` for a weak password. Throws 60030 for a very common password or the company's name, even with
 * look-alike characters.
 */
export const checkNewPassword = async (password: string, field: string, companyName?: string): Promise<void> => {
  if (!isStrongPassword(password)) throw new Problem(21012, { [field]: 21012 })
  commonWords ??= await readCommonWords()
  const companyWords = wordsOf(companyName ?? '')
  const isGuessable = (word: string) => word !== '' && (commonWords?.has(word) || companyWords.includes(word))
  if (coresOf(password).some(isGuessable)) throw new Problem(60030, { [field]: 60030 })
}

/** Throws 21013 if the repeated password differs. */
export const confirm = (password: string, repeated: string | undefined): void => {
  if (password !== repeated) throw new Problem(21013, { confirm_password: 21013 })
}
