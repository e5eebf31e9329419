import { createHash, randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * A new id: 9 characters of the time in milliseconds, 7 of chance (36 bits). Ids sort by the moment they were made, so a
 * list in key order is a list in the order of creation. They are names, not secrets.
 */
export const newId = (now = Date.now()): string => {
  let chance = ''
  for (const byte of randomBytes(7)) chance += alphabet[byte % 36]
  return now.toString(36).padStart(9, '0') + chance
}

/** A secret nobody can guess: 32 bytes in a form that fits an address. */
export const newSecret = (bytes = 32) => randomBytes(bytes).toString('base64url')

/** What is stored in place of a secret that only has to be recognised. Enough for secrets of 128 bits and more. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')
