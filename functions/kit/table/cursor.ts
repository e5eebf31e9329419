import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { Problem } from '../../../shared/errors.ts'
import { placeOf, readAll } from './engine.ts'
import { save } from './save.ts'
import { changedMeanwhile, isNew } from './write.ts'

// A cursor is a sealed position in one list and opens no other list. Encryption hides the position, because the
// cursor's holder may not see its row.

let cursorSecret: Promise<Buffer> | undefined

const cursorKey = { pk: 'SECRET#cursor', sk: '-' }

const readCursorSecret = async (): Promise<Buffer> => {
  const stored = (await readAll([cursorKey])).get(placeOf(cursorKey))
  if (stored) return Buffer.from(String(stored.secret), 'base64')
  const secret = randomBytes(32).toString('base64')
  try {
    await save({ put: { ...cursorKey, secret, version: 1 }, condition: isNew, otherwise: changedMeanwhile })
  } catch (error) {
    // Another process stored its secret first, so use the stored secret.
    if (!(error instanceof Problem)) throw error
    return readCursorSecret()
  }
  return Buffer.from(secret, 'base64')
}

/** Each list has its own key. */
const keyOf = async (binding: string) => {
  cursorSecret ??= readCursorSecret().catch(error => {
    cursorSecret = undefined
    throw error
  })
  return createHmac('sha256', await cursorSecret)
    .update(binding)
    .digest()
}

const cipher = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]

/** Seals a position as `next`; `binding` names the list. */
export const sealCursor = async (position: Record<string, unknown>, binding: string): Promise<string> => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, await keyOf(binding), nonce)
  const text = Buffer.concat([sealing.update(JSON.stringify(position)), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), text]).toString('base64url')
}

/** Throws 10002 for `page` if the cursor is not from this list. */
export const openCursor = async (cursor: string, binding: string): Promise<Record<string, unknown>> => {
  const bytes = Buffer.from(cursor, 'base64url')
  const key = await keyOf(binding)
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()])
    return JSON.parse(text.toString()) as Record<string, unknown>
  } catch {
    throw new Problem(10002, { page: 10002 })
  }
}
