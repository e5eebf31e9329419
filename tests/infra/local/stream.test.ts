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

// Tests the reader with a real engine and a handler that records its changes.

let data: string
let database: Database
let bus: Bus
let client: DynamoDBClient
let letters: { job: string; body: unknown }[]
let handled: string[]
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
  handled = []
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
  handled.push(...(event as { Records: DynamoDBRecord[] }).Records.map(keyOf))
}
const read = (changes: Lambda, calm?: (mostMilliseconds: number) => Promise<boolean>) =>
  readStream({ database, table, bus, changes, ...(calm && { calm }), complain: sentence => expect.fail(sentence) })
const expectHandled = (expected: string[], seconds = 10) =>
  eventually(
    async () => handled,
    list => expect(list).toEqual(expected),
    seconds,
  )
const countStored = () => {
  const engine = new DatabaseSync(join(data, 'table.db'), { readOnly: true })
  const count = Number(engine.prepare('SELECT count(*) AS count FROM _stream_records').get()?.count)
  engine.close()
  return count
}

test('the reader delivers every change once, in order, with old and new image in the format of Lambda', async () => {
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

test('the reader waits during a rush of messages, but only for a limited time', async () => {
  const rush = Promise.withResolvers<boolean>()
  const patience: number[] = []
  let isRush = false
  const reader = read(record, async mostMilliseconds => {
    if (!isRush) return true
    patience.push(mostMilliseconds)
    return patience.length === 1 ? rush.promise : false
  })
  await write(0, 1)
  await expectHandled(['0'])
  isRush = true
  await eventually(
    async () => patience,
    list => expect(list).toHaveLength(1),
  )
  await write(1, 2)
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(handled).toEqual(['0'])
  expect(patience[0]).toBeGreaterThan(2000)
  rush.resolve(false)
  await expectHandled(['0', '1'])
  await reader.stop()
})

test('the reader does not wait after a start, because the rush of reconnecting terminals takes long', async () => {
  const patience: number[] = []
  const reader = read(record, async mostMilliseconds => patience.push(mostMilliseconds) < 0)
  await write(0, 1)
  await expectHandled(['0'])
  expect(new Set(patience)).toEqual(new Set([0]))
  await reader.stop()
})

test('the reader delivers a change within a tenth of a second', async () => {
  const reader = read(record)
  await write(0, 1)
  await expectHandled(['0'])
  const times: number[] = []
  for (let n = 1; n <= 10; n++) {
    await new Promise(resolve => setTimeout(resolve, 60))
    const startedAt = performance.now()
    await write(n, n + 1)
    while (handled.length <= n) await new Promise(resolve => setTimeout(resolve, 1))
    times.push(performance.now() - startedAt)
  }
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(100)
  await reader.stop()
})

test('the reader begins with the first change, and after a stop continues with the next change', async () => {
  await write(0, 250)
  const first = read(record)
  await expectHandled(numbers(0, 250))
  await first.stop()
  await write(250, 260)
  const second = read(record)
  await expectHandled(numbers(0, 260))
  await second.stop()
})

test('the reader retries a batch until its facts are stored, also after a restart', async () => {
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
  await expectHandled(numbers(0, 3))
  expect(letters).toEqual([])
  await reader.stop()
})

test('the reader retries a failed record and later records, but no earlier records', async () => {
  await write(0, 10)
  let fails = true
  const reader = read(async event => {
    const { Records } = event as { Records: DynamoDBRecord[] }
    const failed = fails ? Records.findIndex(record => keyOf(record) === '6') : -1
    handled.push(...Records.slice(0, failed < 0 ? Records.length : failed).map(keyOf))
    fails = false
    return failed < 0
      ? undefined
      : { batchItemFailures: [{ itemIdentifier: Records[failed]?.dynamodb?.SequenceNumber }] }
  })
  await expectHandled(numbers(0, 10))
  await reader.stop()
})

test('of a batch, only the poison record becomes a dead letter', async () => {
  await write(0, 20)
  const reader = read(async event => {
    const { Records } = event as { Records: DynamoDBRecord[] }
    if (Records.some(record => keyOf(record) === '7')) throw new Error('poison')
    handled.push(...Records.map(keyOf))
  })
  await expectHandled(
    numbers(0, 20).filter(n => n !== '7'),
    40,
  )
  expect(letters).toMatchObject([{ job: 'changes', body: { dynamodb: { NewImage: { sk: { S: '7' } } } } }])
  await reader.stop()
}, 60_000)

test('the reader trims only delivered records, and the engine continues its numbers after a restart', async () => {
  await write(0, 2500)
  const first = read(record)
  await expectHandled(numbers(0, 2500), 20)
  expect(countStored()).toBeLessThan(1000)
  expect(countStored()).toBeGreaterThan(0)
  await first.stop()
  const before = countStored()
  await write(2500, 2510)
  expect(countStored()).toBe(before + 10)
  await stop()
  await start()
  const second = read(record)
  await expectHandled(numbers(0, 2510), 20)
  await second.stop()
}, 60_000)
