import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { clientOf, type Database } from './database.ts'

// The key of the local KMS. Only this key decrypts the cards, passwords and secrets in the table. The table holds a
// proof of the key, so a stack with the wrong key refuses to start.

const proofKey = { pk: { S: 'LOCAL_KEY' }, sk: { S: 'LOCAL_KEY' } }
const proofOf = (key: Buffer) => createHmac('sha256', key).update('attendance').digest('hex')

const remedy = 'restore it from a backup, or start with an empty data folder and table.'

/** The key in the file. Throws if the file is empty, truncated or no key. */
export const readKey = (file: string): Buffer => {
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[\da-f]{64}$/i.test(text)) throw new Error(`The key file ${file} is damaged: ${remedy}`)
  return Buffer.from(text, 'hex')
}

/** Writes a new key atomically. Only this user can read the file. */
export const makeKey = (file: string): Buffer => {
  const key = randomBytes(32)
  writeFileSync(`${file}.new`, key.toString('hex'), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return key
}

/** The key of the table. An empty table gets a new key. Throws one sentence if the key is missing or wrong. */
export const openKey = async (
  file: string,
  { database, table }: { database: Pick<Database, 'endpoint' | 'isEmpty'>; table: string },
): Promise<Buffer> => {
  const client = new DynamoDBClient({ ...clientOf(database.endpoint), maxAttempts: 3 })
  try {
    const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: proofKey, ConsistentRead: true }))
    const isNew = !existsSync(file)
    if (isNew && (Item || !database.isEmpty))
      throw new Error(`The key file ${file} is missing, and only its key decrypts the secrets in the table: ${remedy}`)
    const key = isNew ? makeKey(file) : readKey(file)
    const proof = proofOf(key)
    if (Item && Item.proof?.S !== proof)
      throw new Error(`The key file ${file} does not belong to this table: ${remedy}`)
    // An older table without a proof accepts the current key.
    if (!Item) await client.send(new PutItemCommand({ TableName: table, Item: { ...proofKey, proof: { S: proof } } }))
    return key
  } finally {
    client.destroy()
  }
}
