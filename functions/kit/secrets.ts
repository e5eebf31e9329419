import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { environment } from './environment.ts'

const kms = new KMSClient()

/** What something is encrypted for (company, purpose …): it must be the same for opening it again. */
export type Purpose = Record<string, string>

const decrypt = async (sealed: string, context: Purpose): Promise<Buffer> => {
  const { Plaintext } = await kms.send(
    new DecryptCommand({
      KeyId: environment('KEY_ID'),
      CiphertextBlob: Buffer.from(sealed, 'base64'),
      EncryptionContext: context,
    }),
  )
  return Buffer.from(Plaintext ?? [])
}

/** Encrypts what must be readable again, at most 4 KB. */
export const seal = async (plain: string, context: Purpose): Promise<string> => {
  const { CiphertextBlob } = await kms.send(
    new EncryptCommand({ KeyId: environment('KEY_ID'), Plaintext: Buffer.from(plain), EncryptionContext: context }),
  )
  return Buffer.from(CiphertextBlob ?? []).toString('base64')
}

/** Throws where the context is not the one it was sealed with. */
export const unseal = async (sealed: string, context: Purpose): Promise<string> =>
  (await decrypt(sealed, context)).toString()

/** A new key of 32 bytes, and the same wrapped, as it may be stored. */
export const newDataKey = async (context: Purpose): Promise<{ key: Buffer; wrapped: string }> => {
  const { Plaintext, CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({ KeyId: environment('KEY_ID'), KeySpec: 'AES_256', EncryptionContext: context }),
  )
  return { key: Buffer.from(Plaintext ?? []), wrapped: Buffer.from(CiphertextBlob ?? []).toString('base64') }
}

/** Throws where the context is not the one the key was made for. */
export const unwrapDataKey = decrypt
