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

export interface OpenTable {
  /** The stored item, expired or not. Without a company, reads a global item. */
  look<T extends object>(key: Key<T>, company?: string): Promise<T | undefined>
  /** Sets attributes of an item directly in the table, and creates the item if needed. */
  set<T extends object>(key: Key<T>, attributes: Partial<T>, company?: string): Promise<void>
  remove(key: Key, company?: string): Promise<void>
  /** All stored items, or all entries of an index. */
  everything(index?: IndexName): Promise<Record<string, unknown>[]>
  /** Stores an item unchanged, with its keys. */
  plant(item: Record<string, unknown>): Promise<void>
  /** Ends the connections to the engine. */
  close(): void
}

export interface StackWithTable extends Omit<OpenTable, 'close'> {
  stack: Stack
  /** The address of the engine, which keeps running after the stack has ended. */
  endpoint: string
  /** Returns the exit code of the stack. */
  stop(): Promise<number | null>
}

const TableName = 'attendance'

/** Opens the table of an engine, for tests that change single items of their own company. */
export const openTable = (endpoint: string): OpenTable => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  const storedKey = ({ pk, sk }: Key, company?: string) => ({ pk: (company ? companyPrefix(company) : '') + pk, sk })
  return {
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
    close() {
      client.destroy()
    },
  }
}

export const startStackWithTable = async (
  environment: Record<string, string> = {},
  options: Pick<StackOptions, 'demo' | 'harsh'> = {},
): Promise<StackWithTable> => {
  const data = temporaryFolder()
  const { endpoint, stop } = await startDatabase({ data, table: TableName, say: () => undefined, onEnd: console.error })
  const stack = await startStack({ ...options, environment: { ...environment, DYNAMODB_ENDPOINT: endpoint } })
  const { close, ...table } = openTable(endpoint)
  return {
    ...table,
    stack,
    endpoint,
    async stop() {
      const code = await stack.stop()
      close()
      await stop()
      rmSync(data, { recursive: true, force: true })
      return code
    },
  }
}
