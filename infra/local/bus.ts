import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import { type Job, type JobName, jobs } from '../../shared/jobs.ts'
import type { Lambda } from './invoke.ts'

// The event bus with its rules, its queues and their retries. Like the cloud's bus, it stores facts before it
// acknowledges them. So a fact from the table, a job or a schedule survives `kill -9`.

export interface Entry {
  type: string
  /** The envelope that the job receives, as JSON. */
  envelope: string
}

export interface Bus {
  /** Stores facts so that they survive a crash, then returns. */
  put(entries: Entry[]): void
  /** Starts to deliver pending facts, including facts from before a crash. */
  start(handlers: Partial<Record<JobName, Lambda>>): void
  /** The number of pending facts. */
  waiting(): number
  readCheckpoint(stream: string, shard: string): string | undefined
  saveCheckpoint(stream: string, shard: string, sequence: string): void
  /** Syncs to disk: stored facts and checkpoints then also survive a power failure. */
  makeDurable(): void
  /** Moves a message to the dead letters after its last try, and logs a warning. */
  giveUp(job: string, body: unknown, error: unknown): void
  /** Waits up to `milliseconds` for running and pending messages. The next start delivers the remaining messages. */
  stop(milliseconds: number): Promise<void>
}

interface Message {
  id: number
  body: string
  tries: number
  dueAt: number
}

/** The receives that the cloud's queues allow before a message becomes a dead letter. */
const mostTries = 5
const retryMilliseconds = (tries: number) => Math.min(200 * 2 ** tries, 30_000) * (0.5 + Math.random() / 2)

const asRecord = (job: string, { id, body, tries }: Message): SQSRecord => ({
  messageId: String(id),
  receiptHandle: randomUUID(),
  body,
  attributes: {
    ApproximateReceiveCount: String(tries),
    SentTimestamp: String(Date.now()),
    SenderId: 'local',
    ApproximateFirstReceiveTimestamp: String(Date.now()),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:local:000000000000:${job}`,
  awsRegion: 'local',
})

/** The queue of one job: batches, retries and dead letters. */
const openQueue = (options: {
  job: JobName
  harsh: boolean
  /** Deletes messages that succeeded or became dead letters. */
  finish: (messages: Message[]) => void
  giveUp: (job: string, body: unknown, error: unknown) => void
}) => {
  const { job, harsh } = options
  const { batchSize, atOnce }: Job = jobs[job]
  // Users wait for tasks. As in the cloud, no task queues behind a longer one.
  const runsAtOnce = atOnce ?? (harsh || batchSize === 1 ? 4 : 1)
  const running = new Set<Promise<void>>()
  let waiting: Message[] = []
  let handler: Lambda | undefined
  let timer: NodeJS.Timeout | undefined

  /** Takes the due messages, at most one batch. */
  const take = (): Message[] => {
    const now = Date.now()
    const [due, later] = [[] as Message[], [] as Message[]]
    let at = 0
    for (; at < waiting.length && due.length < batchSize; at++) {
      const message = waiting[at]
      if (message) (message.dueAt <= now ? due : later).push(message)
    }
    waiting = [...later, ...waiting.slice(at)]
    return due
  }

  /** Delivers one batch. Returns the failed messages and the reason. */
  const run = async (batch: Message[], handler: Lambda): Promise<{ failed: Message[]; reason: unknown }> => {
    try {
      const answer = (await handler({ Records: batch.map(message => asRecord(job, message)) })) as
        | SQSBatchResponse
        | undefined
      const names = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      const failed = batch.filter(({ id }) => names.has(String(id)))
      const reason = new Error('The job reported the message as failed')
      // As in the cloud, an id that is not in the batch fails the whole batch.
      return { failed: failed.length === names.size ? failed : batch, reason }
    } catch (reason) {
      return { failed: batch, reason }
    }
  }

  const handOver = async (batch: Message[], handler: Lambda) => {
    for (const message of batch) message.tries++
    const { failed, reason } = await run(batch, handler)
    const again = new Set(failed.filter(({ tries }) => tries < mostTries))
    // Retries messages together that failed together.
    const dueAt = Date.now() + retryMilliseconds(Math.max(0, ...[...again].map(({ tries }) => tries)))
    for (const message of again) waiting.push({ ...message, dueAt })
    for (const message of failed) if (!again.has(message)) options.giveUp(job, JSON.parse(message.body), reason)
    options.finish(batch.filter(message => !again.has(message)))
  }

  /** Delivers due messages, and sets a timer for the next retry. */
  const work = () => {
    if (!handler) return
    clearTimeout(timer)
    while (running.size < runsAtOnce) {
      const batch = take()
      if (batch.length === 0) break
      const run = handOver(batch, handler).finally(() => {
        running.delete(run)
        work()
      })
      running.add(run)
    }
    if (running.size > 0 || waiting.length === 0) return
    const next = waiting.reduce((soonest, { dueAt }) => Math.min(soonest, dueAt), Number.POSITIVE_INFINITY)
    timer = setTimeout(work, Math.max(next - Date.now(), 1))
  }

  return {
    add(message: Message) {
      if (harsh) waiting.splice(Math.floor(Math.random() * (waiting.length + 1)), 0, message)
      else waiting.push(message)
      setImmediate(work)
    },
    start(lambda: Lambda) {
      handler = lambda
      work()
    },
    /** Whether a message is running or could start now. */
    isBusy: () => handler !== undefined && (running.size > 0 || waiting.some(({ tries }) => tries === 0)),
    /** Starts no further run, and waits for the current runs. */
    stop: () => {
      handler = undefined
      clearTimeout(timer)
      return Promise.all(running)
    },
  }
}

const openStore = (file: string) => {
  try {
    const store = new DatabaseSync(file)
    store.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL, body TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS checkpoint (
        stream TEXT, shard TEXT, sequence TEXT NOT NULL, PRIMARY KEY (stream, shard)
      );
    `)
    return store
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new Error(`The pending facts cannot be read from ${file}: ${reason}.`, { cause: error })
  }
}

/**
 * `harsh` is for tests: the bus delivers every fact twice, in any order, to several concurrent runs of a job. The cloud
 * may deliver like this too.
 */
export const openBus = (options: {
  file: string
  harsh: boolean
  deadLetter: (letter: { job: string; error: string; body: unknown }) => void
}): Bus => {
  const { harsh } = options
  const store = openStore(options.file)
  const insert = store.prepare('INSERT INTO message (job, body) VALUES (?, ?)')
  const remove = store.prepare('DELETE FROM message WHERE id = ?')
  const save = store.prepare('INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?)')
  const together = (write: () => void) => {
    store.exec('BEGIN')
    try {
      write()
      store.exec('COMMIT')
    } catch (error) {
      store.exec('ROLLBACK')
      throw error
    }
  }

  let open = 0
  const finish = (messages: Message[]) => {
    together(() => {
      for (const { id } of messages) remove.run(id)
    })
    open -= messages.length
  }
  const giveUp: Bus['giveUp'] = (job, body, error) =>
    options.deadLetter({ job, error: error instanceof Error ? (error.stack ?? error.message) : String(error), body })

  const names = Object.keys(jobs) as JobName[]
  const queues = new Map(names.map(job => [job, openQueue({ job, harsh, finish, giveUp })]))
  const add = (job: JobName, id: number, body: string) => {
    open++
    queues.get(job)?.add({ id, body, tries: 0, dueAt: 0 })
  }

  const checkpoints = new Map<string, string>()
  for (const { stream, shard, sequence } of store.prepare('SELECT * FROM checkpoint').all())
    checkpoints.set(`${stream} ${shard}`, String(sequence))
  const jobOf = (name: unknown) => names.find(job => job === name)
  for (const { id, job, body } of store.prepare('SELECT * FROM message ORDER BY id').all()) {
    const existing = jobOf(job)
    if (existing) add(existing, Number(id), String(body))
    // This version no longer has the job.
    else remove.run(Number(id))
  }

  return {
    put(entries) {
      const accepted: [JobName, number, string][] = []
      together(() => {
        for (const { type, envelope } of entries)
          for (const job of names)
            if ((jobs[job].facts as readonly string[]).includes(type))
              for (let copy = 0; copy < (harsh ? 2 : 1); copy++)
                accepted.push([job, Number(insert.run(job, envelope).lastInsertRowid), envelope])
      })
      for (const [job, id, body] of accepted) add(job, id, body)
    },
    start(handlers) {
      for (const [job, queue] of queues) {
        const handler = handlers[job]
        if (handler) queue.start(handler)
      }
    },
    waiting: () => open,
    readCheckpoint: (stream, shard) => checkpoints.get(`${stream} ${shard}`),
    saveCheckpoint(stream, shard, sequence) {
      save.run(stream, shard, sequence)
      checkpoints.set(`${stream} ${shard}`, sequence)
    },
    makeDurable: () => store.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    giveUp,
    async stop(milliseconds) {
      const until = Date.now() + milliseconds
      while ([...queues.values()].some(queue => queue.isBusy()) && Date.now() < until) await wait(10)
      const ended = Promise.all([...queues.values()].map(queue => queue.stop()))
      await Promise.race([ended, wait(milliseconds, undefined, { ref: false })])
      store.close()
    },
  }
}
