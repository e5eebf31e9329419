import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { environment } from './environment.ts'

const kms = new KMSClient()

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
