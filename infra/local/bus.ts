import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import { type JobName, jobs } from '../../shared/jobs.ts'
import type { Lambda } from './invoke.ts'

// The event bus with its rules, the queues behind it and their retries. What the bus has accepted is written down before it
// says so, as the cloud's is: a fact that comes from the table, from another job or from the clock outlives `kill -9`.

export interface Entry {
  type: string
  /** The envelope a job gets, as JSON. */
  envelope: string
}

export interface Bus {
  /** Accepts facts: they are written down when this returns. */
  put(entries: Entry[]): void
  /** Begins to hand over what waits, also from before a crash. */
  start(handlers: Partial<Record<JobName, Lambda>>): void
  /** Facts not yet done with. */
  waiting(): number
  readCheckpoint(stream: string, shard: string): string | undefined
  saveCheckpoint(stream: string, shard: string, sequence: string): void
  /** After this, what was accepted and the checkpoints also outlive a loss of power. */
  makeDurable(): void
  /** Something that cannot be done goes to the dead letters, loudly. */
  giveUp(job: string, body: unknown, error: unknown): void
  /** Waits for what is being done, and as long as `milliseconds` for what waits; the rest is taken up by the next start. */
  stop(milliseconds: number): Promise<void>
}

interface Message {
  id: number
  body: string
  tries: number
  dueAt: number
}

/** As many receives as the cloud's queues allow before a message goes to the dead letters. */
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

const shuffle = <T>(list: T[]): T[] =>
  list
    .map(item => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

/**
 * `harsh` is for tests: every fact is delivered twice and in any order, to several runs of a job at once, which is what the
 * cloud may do on a bad day.
 */
export const openBus = (options: {
  file: string
  harsh: boolean
  deadLetter: (letter: { job: string; error: string; body: unknown }) => void
}): Bus => {
  const { harsh } = options
  const store = new DatabaseSync(options.file)
  store.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL, body TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS checkpoint (
      stream TEXT, shard TEXT, sequence TEXT NOT NULL, PRIMARY KEY (stream, shard)
    );
  `)
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

  const checkpoints = new Map<string, string>()
  for (const row of store.prepare('SELECT * FROM checkpoint').all())
    checkpoints.set(`${row.stream} ${row.shard}`, String(row.sequence))

  const names = Object.keys(jobs) as JobName[]
  const queues = Object.fromEntries(names.map(name => [name, [] as Message[]])) as Record<JobName, Message[]>
  for (const row of store.prepare('SELECT * FROM message ORDER BY id').all()) {
    const queue = Object.hasOwn(queues, String(row.job)) ? queues[row.job as JobName] : undefined
    // A job that a newer version no longer has.
    if (queue) queue.push({ id: Number(row.id), body: String(row.body), tries: 0, dueAt: 0 })
    else remove.run(Number(row.id))
  }
  let open = Object.values(queues).flat().length
  let handlers: Partial<Record<JobName, Lambda>> = {}
  let stopping = false
  const running = Object.fromEntries(names.map(name => [name, 0])) as Record<JobName, number>
  const inHand = new Set<Promise<void>>()

  const finish = (messages: Message[]) => {
    if (messages.length === 0) return
    together(() => {
      for (const { id } of messages) remove.run(id)
    })
    open -= messages.length
  }

  const giveUp = (job: string, body: unknown, error: unknown) =>
    options.deadLetter({ job, error: error instanceof Error ? (error.stack ?? error.message) : String(error), body })

  /** Takes from a queue what is due, at most one batch. */
  const take = (job: JobName): Message[] => {
    const now = Date.now()
    const [due, later] = [[] as Message[], [] as Message[]]
    const queue = harsh ? shuffle(queues[job]) : queues[job]
    for (const message of queue) (message.dueAt <= now && due.length < jobs[job].batchSize ? due : later).push(message)
    queues[job] = later
    return due
  }

  const run = async (job: JobName, handler: Lambda, batch: Message[]) => {
    for (const message of batch) message.tries++
    let failed = new Set<string>()
    let reason: unknown = new Error('The job reported the message as failed')
    try {
      const answer = (await handler({
        Records: batch.map(message => asRecord(job, message)),
      })) as SQSBatchResponse | null
      failed = new Set(answer?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
      // An empty or unknown name means that nothing of the batch is done, as the cloud reads it.
      if ([...failed].some(id => !batch.some(message => String(message.id) === id)))
        failed = new Set(batch.map(({ id }) => String(id)))
    } catch (error) {
      failed = new Set(batch.map(({ id }) => String(id)))
      reason = error
    }
    const again = batch.filter(({ id, tries }) => failed.has(String(id)) && tries < mostTries)
    // What failed together comes again together.
    const dueAt = Date.now() + retryMilliseconds(Math.max(0, ...again.map(({ tries }) => tries)))
    for (const message of again) message.dueAt = dueAt
    queues[job].push(...again)
    const hopeless = batch.filter(({ id, tries }) => failed.has(String(id)) && tries >= mostTries)
    for (const message of hopeless) giveUp(job, JSON.parse(message.body), reason)
    finish(batch.filter(message => !again.includes(message)))
  }

  /** Lets a job work as long as something is due, and wakes it when the next retry is. */
  const timers = new Map<JobName, NodeJS.Timeout>()
  const work = (job: JobName) => {
    const handler = handlers[job]
    if (!handler || stopping) return
    clearTimeout(timers.get(job))
    while (running[job] < (harsh ? 4 : 1)) {
      const batch = take(job)
      if (batch.length === 0) break
      running[job]++
      const done = run(job, handler, batch).finally(() => {
        running[job]--
        inHand.delete(done)
        work(job)
      })
      inHand.add(done)
    }
    const next = Math.min(...queues[job].map(({ dueAt }) => dueAt))
    if (running[job] === 0 && Number.isFinite(next))
      timers.set(
        job,
        setTimeout(() => work(job), Math.max(next - Date.now(), 1)),
      )
  }

  return {
    put(entries) {
      const accepted: [JobName, Message][] = []
      together(() => {
        for (const { type, envelope } of entries)
          for (const job of names)
            if ((jobs[job].facts as readonly string[]).includes(type))
              for (let copy = 0; copy < (harsh ? 2 : 1); copy++) {
                const id = Number(insert.run(job, envelope).lastInsertRowid)
                accepted.push([job, { id, body: envelope, tries: 0, dueAt: 0 }])
              }
      })
      for (const [job, message] of accepted) queues[job].push(message)
      open += accepted.length
      for (const job of new Set(accepted.map(([job]) => job))) setImmediate(work, job)
    },
    start(given) {
      handlers = given
      for (const job of names) work(job)
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
      const hasWork = () =>
        names.some(job => handlers[job] && (running[job] > 0 || queues[job].some(m => m.dueAt === 0)))
      while (hasWork() && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 10))
      stopping = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.race([Promise.all(inHand), new Promise(resolve => setTimeout(resolve, milliseconds).unref())])
      store.close()
    },
  }
}
