import { randomBytes } from 'node:crypto'

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
