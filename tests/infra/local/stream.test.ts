import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BatchWriteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bus, openBus } from '../../../infra/local/bus.ts'
import type { Lambda } from '../../../infra/local/invoke.ts'
import { clientOf, type Database, startDatabase } from '../../../infra/local/stack/database.ts'
import { readStream } from '../../../infra/local/stream.ts'
import { eventually } from '../../kit/client.ts'
import { temporaryFolder } from '../../kit/stack.ts'

// The real engine, with a handler that writes down what it is told.

let data: string
let database: Database
let bus: Bus
let client: DynamoDBClient
let letters: { job: string; body: unknown }[]
let told: string[]
const table = 'things'

const start = async () => {
  database = await startDatabase({ data, table, say: () => undefined, onEnd: reason => expect.fail(reason) })
  client = new DynamoDBClient(clientOf(database.endpoint))
  bus = openBus({ file: join(data, 'jobs.db'), harsh: false, deadLetter: letter => letters.push(letter) })
}
const stop = async () => {
  await bus.stop(0)
  client.destroy()
  await database.stop()
}

beforeEach(async () => {
  data = temporaryFolder()
  letters = []
  told = []
  await start()
})
afterEach(async () => {
  await stop()
  rmSync(data, { recursive: true })
})

const write = async (from: number, to: number) => {
  for (let n = from; n < to; n += 25)
    await client.send(
      new BatchWriteItemCommand({
        RequestItems: {
          [table]: Array.from({ length: Math.min(25, to - n) }, (_, i) => ({
            PutRequest: { Item: { pk: { S: 'a' }, sk: { S: String(n + i) } } },
          })),
        },
      }),
    )
}
const keyOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.NewImage?.sk?.S ?? ''
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i))
const record: Lambda = async event => {
  told.push(...(event as { Records: DynamoDBRecord[] }).Records.map(keyOf))
}
const read = (changes: Lambda, calm?: (mostMilliseconds: number) => Promise<boolean>) =>
  readStream({ database, table, bus, changes, ...(calm && { calm }), complain: sentence => expect.fail(sentence) })
const toldAre = (expected: string[], seconds = 10) =>
  eventually(
    async () => told,
    list => expect(list).toEqual(expected),
    seconds,
  )
const kept = () => {
  const engine = new DatabaseSync(join(data, 'table.db'), { readOnly: true })
  const count = Number(engine.prepare('SELECT count(*) AS count FROM _stream_records').get()?.count)
  engine.close()
  return count
}

test('every change is told once, in order, with both images as Lambda gets them', async () => {
  const records: DynamoDBRecord[] = []
  const reader = read(async event => {
    records.push(...(event as { Records: DynamoDBRecord[] }).Records)
  })
  const put = (n: string) =>
    client.send(
      new PutItemCommand({
        TableName: table,
        Item: {
          pk: { S: 'a' },
          sk: { S: '1' },
          n: { N: n },
          bytes: { B: Buffer.from('hi') },
          list: { L: [{ M: { b: { B: Buffer.from('deep') } } }, { NULL: true }, { BOOL: false }] },
        },
      }),
    )
  await put('1')
  await put('2')
  await eventually(
    async () => records.length,
    count => expect(count).toBe(2),
  )
  expect(records[1]).toMatchObject({
    eventName: 'MODIFY',
    eventSource: 'aws:dynamodb',
    dynamodb: {
      Keys: { pk: { S: 'a' }, sk: { S: '1' } },
      OldImage: { n: { N: '1' } },
      NewImage: {
        n: { N: '2' },
        bytes: { B: Buffer.from('hi').toString('base64') },
        list: { L: [{ M: { b: { B: Buffer.from('deep').toString('base64') } } }, { NULL: true }, { BOOL: false }] },
      },
    },
  })
  await reader.stop()
})

test('a rush is let by, and one that does not end is not waited for any longer', async () => {
  const rush = Promise.withResolvers<boolean>()
  const patience: number[] = []
  let isRush = false
  const reader = read(record, async mostMilliseconds => {
    if (!isRush) return true
    patience.push(mostMilliseconds)
    return patience.length === 1 ? rush.promise : false
  })
  await write(0, 1)
  await toldAre(['0'])
  isRush = true
  await eventually(
    async () => patience,
    list => expect(list).toHaveLength(1),
  )
  await write(1, 2)
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(told).toEqual(['0'])
  expect(patience[0]).toBeGreaterThan(2000)
  rush.resolve(false)
  await toldAre(['0', '1'])
  await reader.stop()
})

test('after a start nothing is let by: a rush of who comes back is none that ends soon', async () => {
  const patience: number[] = []
  const reader = read(record, async mostMilliseconds => patience.push(mostMilliseconds) < 0)
  await write(0, 1)
  await toldAre(['0'])
  expect(new Set(patience)).toEqual(new Set([0]))
  await reader.stop()
})

test('a change is told within a tenth of a second', async () => {
  const reader = read(record)
  await write(0, 1)
  await toldAre(['0'])
  const times: number[] = []
  for (let n = 1; n <= 10; n++) {
    await new Promise(resolve => setTimeout(resolve, 60))
    const startedAt = performance.now()
    await write(n, n + 1)
    while (told.length <= n) await new Promise(resolve => setTimeout(resolve, 1))
    times.push(performance.now() - startedAt)
  }
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(100)
  await reader.stop()
})

test('reading goes on where it stopped, and where nobody read yet begins with the first change', async () => {
  await write(0, 250)
  const first = read(record)
  await toldAre(numbers(0, 250))
  await first.stop()
  await write(250, 260)
  const second = read(record)
  await toldAre(numbers(0, 260))
  await second.stop()
})

test('a batch whose facts were not written down is told again, also by the next start', async () => {
  await write(0, 3)
  let times = 0
  const begun = Promise.withResolvers<void>()
  const killed = read(async () => {
    if (++times === 2) begun.resolve()
    throw new Error('the bus is away')
  })
  await begun.promise
  await killed.stop()
  await stop()
  await start()
  const reader = read(record)
  await toldAre(numbers(0, 3))
  expect(letters).toEqual([])
  await reader.stop()
})

test('what a handler names as failed comes again with what is behind it, not what is before it', async () => {
  await write(0, 10)
  let fails = true
  const reader = read(async event => {
    const { Records } = event as { Records: DynamoDBRecord[] }
    const failed = fails ? Records.findIndex(one => keyOf(one) === '6') : -1
    told.push(...Records.slice(0, failed < 0 ? Records.length : failed).map(keyOf))
    fails = false
    return failed < 0
      ? undefined
      : { batchItemFailures: [{ itemIdentifier: Records[failed]?.dynamodb?.SequenceNumber }] }
  })
  await toldAre(numbers(0, 10))
  await reader.stop()
})

test('a record that can never be told ends in the dead letters, and only that one', async () => {
  await write(0, 20)
  const reader = read(async event => {
    const { Records } = event as { Records: DynamoDBRecord[] }
    if (Records.some(one => keyOf(one) === '7')) throw new Error('poison')
    told.push(...Records.map(keyOf))
  })
  await toldAre(
    numbers(0, 20).filter(n => n !== '7'),
    40,
  )
  expect(letters).toMatchObject([{ job: 'changes', body: { dynamodb: { NewImage: { sk: { S: '7' } } } } }])
  await reader.stop()
}, 60_000)

test('what was told is trimmed, never what was not, and the engine counts on over a restart', async () => {
  await write(0, 2500)
  const first = read(record)
  await toldAre(numbers(0, 2500), 20)
  expect(kept()).toBeLessThan(1000)
  expect(kept()).toBeGreaterThan(0)
  await first.stop()
  const before = kept()
  await write(2500, 2510)
  expect(kept()).toBe(before + 10)
  await stop()
  await start()
  const second = read(record)
  await toldAre(numbers(0, 2510), 20)
  await second.stop()
}, 60_000)
