import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { dataKeyKey, digestSecretKey } from '../../shared/credential.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { newDataKey, seal, unseal, unwrapDataKey } from '../kit/secrets.ts'
import { save, type Table } from '../kit/table.ts'
import type { Owner } from './shred.ts'

// Encrypts a person's secrets with AES-256-GCM and one data key per person. The authenticated data contains company,
// person and kind, so that no secret can replace another. The wrapped data key lies beside the secrets. Without this
// key no code can decrypt the secrets or a copy of them.

/** The kind of a secret (card, password, finger …) and its encoding. */
export interface Content {
  kind: string
  algorithm: string
}

export interface Vault {
  seal(content: Content, plain: Uint8Array): Buffer
  /** Throws if the secret was sealed as another kind or for another person, or was changed since. */
  open(content: Content, sealed: Uint8Array): Buffer
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const vaultOf = (key: Buffer, { company, employee }: Owner): Vault => {
  const boundTo = ({ kind, algorithm }: Content) => Buffer.from(JSON.stringify([company, employee, kind, algorithm]))
  return {
    seal(content, plain) {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(boundTo(content))
      const sealed = Buffer.concat([sealing.update(plain), sealing.final()])
      return Buffer.concat([nonce, sealing.getAuthTag(), sealed])
    },
    open(content, sealed) {
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(boundTo(content))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
      return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()])
    },
  }
}

const purposeOf = ({ company, employee }: Owner) => ({ company, employee })

/** A person's vault; undefined if it never existed or an erasure destroyed it. */
export const findVault = async (owner: Owner): Promise<Vault | undefined> => {
  const stored = await owner.table.get(dataKeyKey(owner.employee))
  return stored && vaultOf(await unwrapDataKey(stored.wrapped, purposeOf(owner)), owner)
}

/** A person's vault; creates a missing one. Throws 60004 unless the person is a present employee. */
export const openVault = async (owner: Owner): Promise<Vault> => {
  const existing = await findVault(owner)
  if (existing) return existing
  const { table, employee } = owner
  const { key, wrapped } = await newDataKey(purposeOf(owner))
  try {
    await save(
      table.insert(dataKeyKey(employee), { employee, wrapped }),
      table.require(employeeKey(employee), { code: 60004, fields: { id: 60004 } }),
    )
  } catch (error) {
    // A concurrent call created the data key first.
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
 * A keyed digest that only shows whether two secrets of a company are equal. A plain hash would not hide a card number,
 * which has too few digits.
 */
export const openDigest = async ({ table, company }: Omit<Owner, 'employee'>) => {
  const secret = await readDigestSecret(table, company)
  return (kind: string, plain: string) => createHmac('sha256', secret).update(`${kind}\n${plain}`).digest('base64url')
}
