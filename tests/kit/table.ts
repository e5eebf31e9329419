import { rmSync } from 'node:fs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { clientOf, startDatabase } from '../../infra/local/stack/database.ts'
import { companyPrefix, type IndexName, type Key, stripKeys } from '../../shared/table.ts'
import { type Stack, type StackOptions, startStack, temporaryFolder } from './stack.ts'

// A stack with a table that the test can change, for states that would otherwise need hours.

export interface StackWithTable {
  stack: Stack
  /** The stored item, expired or not. Without a company, reads a global item. */
  look<T extends object>(key: Key<T>, company?: string): Promise<T | undefined>
  /** Sets attributes of an item directly in the table, and creates the item if needed. */
  set<T extends object>(key: Key<T>, attributes: Partial<T>, company?: string): Promise<void>
  remove(key: Key, company?: string): Promise<void>
  /** All stored items, or all entries of an index. */
  everything(index?: IndexName): Promise<Record<string, unknown>[]>
  /** The address of the engine, which keeps running after the stack has ended. */
  endpoint: string
  /** Stores an item unchanged, with its keys. */
  plant(item: Record<string, unknown>): Promise<void>
  /** Returns the exit code of the stack. */
  stop(): Promise<number | null>
}

export const startStackWithTable = async (
  environment: Record<string, string> = {},
  options: Pick<StackOptions, 'demo' | 'harsh'> = {},
): Promise<StackWithTable> => {
  const data = temporaryFolder()
  const TableName = 'attendance'
  const database = await startDatabase({ data, table: TableName, say: () => undefined, onEnd: console.error })
  const stack = await startStack({ ...options, environment: { ...environment, DYNAMODB_ENDPOINT: database.endpoint } })
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(database.endpoint)))
  const storedKey = ({ pk, sk }: Key, company?: string) => ({ pk: (company ? companyPrefix(company) : '') + pk, sk })
  return {
    stack,
    endpoint: database.endpoint,
    async look<T extends object>(key: Key<T>, company?: string) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: storedKey(key, company), ConsistentRead: true }),
      )
      return Item && (stripKeys(Item) as T)
    },
    async everything(index) {
      const items: Record<string, unknown>[] = []
      let position: Record<string, unknown> | undefined
      do {
        const page = await client.send(
          new ScanCommand({
            TableName,
            ...(index ? { IndexName: index } : { ConsistentRead: true }),
            ...(position && { ExclusiveStartKey: position }),
          }),
        )
        items.push(...(page.Items ?? []))
        position = page.LastEvaluatedKey
      } while (position)
      return items
    },
    async plant(item) {
      await client.send(new PutCommand({ TableName, Item: item }))
    },
    async set(key, attributes, company) {
      const entries = Object.entries(attributes)
      await client.send(
        new UpdateCommand({
          TableName,
          Key: storedKey(key, company),
          UpdateExpression: `SET ${entries.map((_, i) => `#n${i} = :v${i}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([name], i) => [`#n${i}`, name])),
          ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], i) => [`:v${i}`, value])),
        }),
      )
    },
    async remove(key, company) {
      await client.send(new DeleteCommand({ TableName, Key: storedKey(key, company) }))
    },
    async stop() {
      const code = await stack.stop()
      client.destroy()
      await database.stop()
      rmSync(data, { recursive: true, force: true })
      return code
    },
  }
}
