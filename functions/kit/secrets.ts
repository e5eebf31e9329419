import { createHash, randomBytes } from 'node:crypto'
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { environment } from './environment.ts'

const kms = new KMSClient()

/** A secret nobody can guess: 32 bytes in a form that fits an address. */
export const newSecret = (bytes = 32) => randomBytes(bytes).toString('base64url')

/** What is stored in place of a secret that only has to be recognised. Enough for secrets of 128 bits and more. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** Encrypts what must be readable again. `context` (company, purpose) must be the same for opening; at most 4 KB. */
export const seal = async (plain: string, context: Record<string, string>): Promise<string> => {
  const { CiphertextBlob } = await kms.send(
    new EncryptCommand({ KeyId: environment('KEY_ID'), Plaintext: Buffer.from(plain), EncryptionContext: context }),
  )
  return Buffer.from(CiphertextBlob ?? []).toString('base64')
}

/** Throws where the context is not the one it was sealed with. */
export const unseal = async (sealed: string, context: Record<string, string>): Promise<string> => {
  const { Plaintext } = await kms.send(
    new DecryptCommand({
      KeyId: environment('KEY_ID'),
      CiphertextBlob: Buffer.from(sealed, 'base64'),
      EncryptionContext: context,
    }),
  )
  return Buffer.from(Plaintext ?? []).toString()
}
