import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as Read,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams'
import type { AttributeValue, DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import type { Bus } from './bus.ts'
import type { Lambda } from './invoke.ts'
import { clientOf, type Database } from './stack/database.ts'

// Reads the table's stream like the Lambda service: in order, in batches, with retries of the failed part. A poison
// record becomes a dead letter. A batch is done only when the bus has stored all its facts. After a crash, reading
// continues at the first unfinished batch, so the bus gets each fact at least once.

const batchSize = 100
const idleMilliseconds = 50
const mostTries = 6
/** The most pending facts. Above this number, reading waits for the jobs. */
const mostWaiting = 100_000
const trimEvery = 1000
/**
 * While many terminals deliver, reading pauses at most this long. Unread records grow the engine's file, which slows
 * the engine.
 */
const rushMilliseconds = 3000
const shardEnd = 'end'

const attribute = (value: Record<string, unknown>): AttributeValue => {
  const base64 = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('base64')
  const [type = '', inner] = Object.entries(value).find(([, inner]) => inner !== undefined) ?? []
  if (type === 'B') return { B: base64(inner) }
  if (type === 'BS') return { BS: (inner as unknown[]).map(base64) }
  if (type === 'L') return { L: (inner as Record<string, unknown>[]).map(attribute) }
  if (type === 'M') return { M: image(inner as Record<string, Record<string, unknown>>) }
  return value as unknown as AttributeValue
}
const image = (item: object): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attribute(value)]))

/** A record in the format of Lambda: bytes in base64, times in epoch seconds. */
const asEvent = (record: Read, streamArn: string): DynamoDBRecord => {
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime, SequenceNumber, SizeBytes } = record.dynamodb ?? {}
  return {
    eventID: record.eventID ?? '',
    eventName: record.eventName ?? 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'local',
    eventSourceARN: streamArn,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor((ApproximateCreationDateTime ?? new Date()).getTime() / 1000),
      SequenceNumber: SequenceNumber ?? '',
      SizeBytes: SizeBytes ?? 0,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
      ...(Keys && { Keys: image(Keys) }),
      ...(NewImage && { NewImage: image(NewImage) }),
      ...(OldImage && { OldImage: image(OldImage) }),
    },
  }
}

/**
 * Deletes the records below the checkpoint, because the engine never deletes records of its stream. Does nothing if the
 * engine's file has an unexpected format. The newest record always stays, because the engine continues its numbers.
 */
const openTrim = (file: string, table: string) => {
  try {
    const engine = new DatabaseSync(file, { timeout: 20 })
    const remove = engine.prepare(
      'DELETE FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)',
    )
    return {
      below(checkpoint: string) {
        try {
          remove.run(table, checkpoint)
        } catch {
          // The engine is writing. The next trim deletes these records.
        }
      },
      close: () => engine.close(),
    }
  } catch {
    return undefined
  }
}

/**
 * Starts reading. `complain` gets one sentence for the operator. `calm` waits until no urgent work is queued, at most
 * the given time. It returns whether the queue is empty.
 */
export const readStream = (options: {
  database: Database
  table: string
  bus: Bus
  changes: Lambda
  calm?: (mostMilliseconds: number) => Promise<boolean>
  complain: (sentence: string) => void
}) => {
  const { database, bus, changes, calm = async () => true, complain } = options
  const { streamArn } = database
  const client = new DynamoDBStreamsClient(clientOf(database.endpoint))
  // The logger would copy every record for an unused log.
  client.middlewareStack.remove('loggerMiddleware')
  const trim = database.file === undefined ? undefined : openTrim(database.file, options.table)
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  const pause = (milliseconds: number) =>
    wait(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined)
  let untrimmed = 0

  /** Saves the checkpoint: the bus has stored all records of the shard up to this one. */
  const pass = (shard: string, sequence: string, records: number) => {
    bus.saveCheckpoint(streamArn, shard, sequence)
    untrimmed += records
    if (!trim || untrimmed < trimEvery) return
    untrimmed = 0
    bus.makeDurable()
    trim.below(sequence)
  }

  /** Calls the handler. Returns how many leading records the bus has stored. */
  const tell = async (batch: DynamoDBRecord[]): Promise<{ told: number; error?: unknown }> => {
    try {
      const answer = (await changes({ Records: batch })) as DynamoDBBatchResponse | undefined
      const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      if (failed.size === 0) return { told: batch.length }
      const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''))
      return { told: Math.max(first, 0), error: new Error('The handler reported the record as failed') }
    } catch (error) {
      return { told: 0, error }
    }
  }

  /** Returns when all records are done. Halves a failed batch at each retry, so that a poison record ends up alone. */
  const handOver = async (shard: string, records: DynamoDBRecord[]) => {
    let remaining = records
    let size = remaining.length
    let tries = 0
    while (remaining.length > 0 && !stopped()) {
      const batch = remaining.slice(0, size)
      const { told, error } = await tell(batch)
      const isPoison = told === 0 && batch.length === 1 && ++tries >= mostTries
      if (isPoison) bus.giveUp('changes', batch[0], error)
      const passed = isPoison ? 1 : told
      if (passed > 0) {
        pass(shard, batch[passed - 1]?.dynamodb?.SequenceNumber ?? '', passed)
        remaining = remaining.slice(passed)
        size = remaining.length
        tries = 0
      } else {
        size = Math.ceil(batch.length / 2)
        if (batch.length > 1) tries++
        await pause(Math.min(100 * 2 ** tries, 5000) * (0.5 + Math.random() / 2))
      }
    }
  }

  const iterators = new Map<string, string>()
  const startAt = async (shard: string) => {
    const checkpoint = bus.readCheckpoint(streamArn, shard)
    const { ShardIterator } = await client.send(
      new GetShardIteratorCommand({
        StreamArn: streamArn,
        ShardId: shard,
        ...(checkpoint
          ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: checkpoint }
          : { ShardIteratorType: 'TRIM_HORIZON' }),
      }),
    )
    return ShardIterator
  }

  let shards: Shard[] = []
  const findShards = async () => {
    const all: Shard[] = []
    let last: string | undefined
    do {
      const { StreamDescription } = await client.send(
        new DescribeStreamCommand({ StreamArn: streamArn, ...(last && { ExclusiveStartShardId: last }) }),
      )
      all.push(...(StreamDescription?.Shards ?? []))
      last = StreamDescription?.LastEvaluatedShardId
    } while (last)
    shards = all
  }

  /** Reads one batch of a shard. Returns its number of records. */
  const readOn = async (shard: string): Promise<number> => {
    const iterator = iterators.get(shard) ?? (await startAt(shard))
    const { Records = [], NextShardIterator } = iterator
      ? await client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: batchSize }))
      : {}
    await handOver(
      shard,
      Records.map(record => asEvent(record, streamArn)),
    )
    if (NextShardIterator) iterators.set(shard, NextShardIterator)
    else if (!stopped()) {
      // The shard has ended, so its children are readable.
      iterators.delete(shard)
      bus.saveCheckpoint(streamArn, shard, shardEnd)
      await findShards()
    }
    return Records.length
  }

  /** The readable shards. A child shard waits until its parent has ended. */
  const open = () => {
    const isOver = (id: string) => bus.readCheckpoint(streamArn, id) === shardEnd
    const ids = new Set(shards.map(({ ShardId }) => ShardId))
    return shards.flatMap(({ ShardId = '', ParentShardId }) =>
      isOver(ShardId) || (ParentShardId && ids.has(ParentShardId) && !isOver(ParentShardId)) ? [] : [ShardId],
    )
  }

  // The first read does not wait for work that is already queued.
  let calmAt = Number.NEGATIVE_INFINITY
  const yieldToRush = async () => {
    const most = calmAt + rushMilliseconds - performance.now()
    if (await calm(Math.max(most, 0))) calmAt = performance.now()
  }

  const run = async () => {
    let faults = 0
    while (!stopped()) {
      let records = 0
      try {
        if (shards.length === 0) await findShards()
        if (bus.waiting() < mostWaiting)
          for (const shard of open()) {
            await yieldToRush()
            records += await readOn(shard)
          }
        faults = 0
      } catch (error) {
        // The iterator may have expired, or the engine may be busy or gone. Restarts at the checkpoint.
        iterators.clear()
        shards = []
        if (stopped()) return
        if (++faults === 3) complain(`The table's stream cannot be read (${error}); retrying.`)
        await pause(Math.min(100 * 2 ** faults, 5000))
      }
      if (records === 0) await pause(idleMilliseconds)
    }
  }
  const running = run()

  return {
    /** Stops after the current batch. */
    async stop() {
      stopping.abort()
      await running
      trim?.close()
      client.destroy()
    },
  }
}
