import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { environment } from './environment.ts'

const kms = new KMSClient()

/** The encryption context (company, purpose …). Decryption needs the same context. */
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

/** Encrypts up to 4 KB. For secrets that the server must read again. */
export const seal = async (plain: string, context: Purpose): Promise<string> => {
  const { CiphertextBlob } = await kms.send(
    new EncryptCommand({ KeyId: environment('KEY_ID'), Plaintext: Buffer.from(plain), EncryptionContext: context }),
  )
  return Buffer.from(CiphertextBlob ?? []).toString('base64')
}

/** Throws if the context differs from the context of the encryption. */
export const unseal = async (sealed: string, context: Purpose): Promise<string> =>
  (await decrypt(sealed, context)).toString()

/** A new 32-byte key, and its wrapped form for storage. */
export const newDataKey = async (context: Purpose): Promise<{ key: Buffer; wrapped: string }> => {
  const { Plaintext, CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({ KeyId: environment('KEY_ID'), KeySpec: 'AES_256', EncryptionContext: context }),
  )
  return { key: Buffer.from(Plaintext ?? []), wrapped: Buffer.from(CiphertextBlob ?? []).toString('base64') }
}

/** Throws if the context differs from the context of the key. */
export const unwrapDataKey = decrypt
