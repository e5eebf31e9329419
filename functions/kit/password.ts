import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

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
