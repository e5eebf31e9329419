import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'

// Measures the best rate of the engine. The product’s client sends parallel conditional puts of punches, from a
// separate process like the stack. `DYNAMODB_ENDPOINT` names the engine. An input line `<first> <count> <at once>`
// starts a round, and the output is its milliseconds.

const { localClient } = await import('../../functions/kit/table.ts')
const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient))
client.middlewareStack.remove('loggerMiddleware')

const putPunch = (i: number) => {
  const at = new Date(1_790_000_000_000 + i * 1000).toISOString()
  const number = String(1 + (i % 1000))
  const [sn, source] = ['BARE0001', 'sendlog']
  const Item = {
    ...{ pk: `C#bare#PUNCH#${number}`, sk: `${at.slice(0, 19)}#${sn}`, version: 1, number, sn, source, at },
    ...{ localTime: at.slice(0, 19), zone: 'UTC', mode: 3, inout: 0, event: 0, receivedAt: at, generation: 1 },
  }
  return client.send(new PutCommand({ TableName: 'attendance', Item, ConditionExpression: 'attribute_not_exists(pk)' }))
}

for await (const line of process.stdin) {
  const [first = 0, count = 0, atOnce = 1] = String(line).trim().split(' ').map(Number)
  let next = first
  const putNext = async () => {
    while (next < first + count) await putPunch(next++)
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: atOnce }, putNext))
  console.log(performance.now() - startedAt)
}
