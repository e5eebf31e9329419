import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { loadLambda } from '../../infra/local/invoke.ts'
import { readStream } from '../../infra/local/stream.ts'
import { punchKey } from '../../shared/punch.ts'
import { openWorld } from '../kit/world.ts'
import type { Report } from './main.ts'

// Measures items per second through the kit, against the bare engine, in alternation within one run. Both use the same
// table with its stream being read, and the same client library, concurrency and item. Also measures whether a write
// costs the same in a larger table.

const concurrency = 16
const roundItems = 1000
const rounds = 20

const punch = (i: number) => ({
  number: String(1 + (i % 1000)),
  sn: 'BENCH001',
  at: new Date(1_790_000_000_000 + i * 1000).toISOString(),
  localTime: new Date(1_790_000_000_000 + i * 1000).toISOString().slice(0, 19),
  zone: 'UTC',
  source: 'sendlog' as const,
  mode: 8,
  inout: 0,
  receivedAt: new Date(1_790_000_000_000 + i * 1000).toISOString(),
  generation: 1,
})

/** The milliseconds for writing one round’s items in parallel. */
const time = async (first: number, write: (i: number) => Promise<unknown>) => {
  let next = first
  const worker = async () => {
    while (next < first + roundItems) await write(next++)
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  return performance.now() - startedAt
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const bench = async (report: Report) => {
  const world = await openWorld()
  const { database, bus, table } = world
  Object.assign(process.env, world.environment)
  const originalLog = console.log
  // Drops the log lines of the stream, because the output contains only figures.
  console.log = line => (String(line).includes('"job":"changes"') ? undefined : originalLog(line))
  const changes = await loadLambda('events', 'changes')
  if (!changes) throw new Error('events/changes.ts is missing')
  bus.start({ recalculate: async () => ({ batchItemFailures: [] }), refresh: async () => ({ batchItemFailures: [] }) })
  const stream = readStream({ database, table, bus, changes, complain: console.error })
  const { openTable, save, localClient } = await import('../../functions/kit/table.ts')

  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient))
  const writeBare = (i: number) => {
    const item = punch(i)
    const { pk, sk } = punchKey(item)
    return client.send(
      new PutCommand({
        TableName: table,
        Item: { ...item, pk: `C#bare#${pk}`, sk, version: 1 },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    )
  }
  const writeByKit = (i: number) => {
    const item = punch(i)
    return save(openTable('kit').insert(punchKey(item), item))
  }

  try {
    await time(-roundItems, writeBare)
    await time(-roundItems, writeByKit)
    const bareTimes: number[] = []
    const kitTimes: number[] = []
    for (let round = 0; round < rounds; round++) {
      bareTimes.push(await time(round * roundItems, writeBare))
      kitTimes.push(await time(round * roundItems, writeByKit))
    }
    const perSecond = (times: number[]) => (roundItems * 1000) / median(times)
    report('bare engine', perSecond(bareTimes), 'items/s')
    report('kit', perSecond(kitTimes), 'items/s')
    report('kit / bare engine', perSecond(kitTimes) / perSecond(bareTimes), 'ratio', { atLeast: 0.8 })
    // Both writers grow the same table, so the bench compares each part of the run with the first part.
    const cost = (from: number) => median(kitTimes.slice(from, from + 5)) / roundItems
    report('cost of a write up to 5,000 items', cost(0) * 1000, 'µs')
    report('cost of a write at 20,000 items', cost(rounds - 5) * 1000, 'µs')
    report('cost at 20,000 / cost at the beginning', cost(rounds - 5) / cost(0), 'ratio', { atMost: 1.25 })
  } finally {
    await stream.stop()
    await world.close()
  }
}
