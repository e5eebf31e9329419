import { createHash, randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * A new id: 9 characters of the time in milliseconds, then 7 random characters (36 bits). Ids sort by creation time, so
 * a list in key order is in creation order. Ids are names, not secrets.
 */
export const newId = (now = Date.now()): string => {
  let chance = ''
  for (const byte of randomBytes(7)) chance += alphabet[byte % 36]
  return now.toString(36).padStart(9, '0') + chance
}

/** A random secret that fits into a URL; 32 bytes by default. */
export const newSecret = (bytes = 32) => randomBytes(bytes).toString('base64url')

/**
 * The hash that the server stores for a secret which it only has to recognise. Safe for secrets of 128 bits and more.
 */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')
