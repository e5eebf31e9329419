import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { dataKeyKey, digestSecretKey } from '../../shared/credential.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { newDataKey, seal, unseal, unwrapDataKey } from '../kit/secrets.ts'
import { save, type Table } from '../kit/table.ts'
import type { Owner } from './shred.ts'

// What is kept secret about one person, under a data key of their own: AES-256-GCM, bound to the company, the person and what
// it is, so that nothing can be put in another's place. The data key lies wrapped beside it; without that nobody can open
// anything any more, wherever there are copies of it.

/** What is sealed: a card, a password, a finger … and how it is written. */
export interface Content {
  kind: string
  algorithm: string
}

export interface Vault {
  seal(content: Content, plain: Uint8Array): Buffer
  /** Throws where it was sealed as something else, for somebody else, or was changed. */
  open(content: Content, sealed: Uint8Array): Buffer
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const vaultOf = (key: Buffer, { company, employee }: Owner): Vault => {
  const bound = ({ kind, algorithm }: Content) => Buffer.from(JSON.stringify([company, employee, kind, algorithm]))
  return {
    seal(content, plain) {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(bound(content))
      const sealed = Buffer.concat([sealing.update(plain), sealing.final()])
      return Buffer.concat([nonce, sealing.getAuthTag(), sealed])
    },
    open(content, sealed) {
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(bound(content))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
      return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()])
    },
  }
}

const purposeOf = ({ company, employee }: Owner) => ({ company, employee })

/** The vault of a person; undefined where nothing was ever put into it, or it was destroyed. */
export const findVault = async (owner: Owner): Promise<Vault | undefined> => {
  const stored = await owner.table.get(dataKeyKey(owner.employee))
  return stored && vaultOf(await unwrapDataKey(stored.wrapped, purposeOf(owner)), owner)
}

/** The vault of a person, a new one where there is none. Throws 60004 for somebody who is no employee (any more). */
export const openVault = async (owner: Owner): Promise<Vault> => {
  const found = await findVault(owner)
  if (found) return found
  const { table, employee } = owner
  const { key, wrapped } = await newDataKey(purposeOf(owner))
  try {
    await save(
      table.insert(dataKeyKey(employee), { employee, wrapped }),
      table.require(employeeKey(employee), { code: 60004, fields: { id: 60004 } }),
    )
  } catch (error) {
    // Somebody else was first: theirs is the one.
    if (error instanceof Problem && error.code === 60006) return openVault(owner)
    throw error
  }
  return vaultOf(key, owner)
}

const readDigestSecret = async (table: Table, company: string): Promise<Buffer> => {
  const context = { company, purpose: 'digest' }
  const stored = await table.get(digestSecretKey())
  if (stored) return Buffer.from(await unseal(stored.sealed, context), 'base64')
  const secret = randomBytes(32)
  try {
    await save(table.insert(digestSecretKey(), { sealed: await seal(secret.toString('base64'), context) }))
  } catch (error) {
    if (error instanceof Problem) return readDigestSecret(table, company)
    throw error
  }
  return secret
}

/**
 * Tells whether two secrets of a company are the same, and nothing else: a card number has too few digits for a plain hash to
 * hide it.
 */
export const openDigest = async ({ table, company }: Omit<Owner, 'employee'>) => {
  const secret = await readDigestSecret(table, company)
  return (kind: string, plain: string) => createHmac('sha256', secret).update(`${kind}\n${plain}`).digest('base64url')
}
