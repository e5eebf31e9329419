import { createHash, randomBytes } from 'node:crypto'

/** A secret nobody can guess: 32 bytes in a form that fits an address. */
export const newSecret = (bytes = 32) => randomBytes(bytes).toString('base64url')

/** What is stored in place of a secret that only has to be recognised. Enough for secrets of 128 bits and more. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')
