import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { environment } from '../environment.ts'

const endpoint = process.env.DYNAMODB_ENDPOINT

/** Skips signing for a local engine, which only requires the headers. Signing would take a third of a call's time. */
export const localClient: DynamoDBClientConfig = endpoint
  ? {
      endpoint,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      signer: {
        sign: async request => {
          request.headers['x-amz-date'] = '20260101T000000Z'
          request.headers.authorization =
            'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=local'
          return request
        },
      },
    }
  : {}

export const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient), {
  marshallOptions: { removeUndefinedValues: true },
})
// The SDK's logger copies every request for a log that the server never writes. The copies take a tenth of a call's
// time.
client.middlewareStack.remove('loggerMiddleware')

/** An item as read: a later save requires its `version`. */
export type Item<T> = T & { version: number }

export const nowSeconds = () => Math.floor(Date.now() / 1000)

export const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

export const placeOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`

/** Reads items by key, including expired items. */
export const readAll = async (places: { pk: string; sk: string }[]): Promise<Map<string, Record<string, unknown>>> => {
  const name = environment('TABLE')
  const items = new Map<string, Record<string, unknown>>()
  let open = [...new Map(places.map(place => [placeOf(place), place] as const)).values()]
  for (let tries = 0; open.length > 0; tries++) {
    // A busy engine returns unprocessed keys, so the delay grows to relieve the engine.
    if (tries > 0) await wait(Math.min(50 * 2 ** tries, 1000) * (0.5 + Math.random() / 2))
    const batch = open.slice(0, 100)
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys: batch, ConsistentRead: true } } }),
    )
    for (const item of (Responses?.[name] ?? []) as Record<string, unknown>[]) items.set(`${item.pk} ${item.sk}`, item)
    const left = (UnprocessedKeys?.[name]?.Keys ?? []) as typeof open
    if (left.length === 0) tries = -1
    open = [...left, ...open.slice(100)]
  }
  return items
}
