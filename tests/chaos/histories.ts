import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { clientOf, startDatabase } from '../../infra/local/stack/database.ts'
import { type Punch, receivedPk } from '../../shared/punch.ts'
import type { LogRecord } from '../../shared/terminal/ai-face.ts'
import { canonical } from '../kit/canonical.ts'
import { temporaryFolder } from '../kit/stack.ts'

// The histories of T9 for some seeds, in a thread with its own engine and environment. Seeds run in parallel, and each
// history has its own company.

export interface Task {
  seeds: number[]
  /** The number of histories per seed. */
  runs: number
}

/** The progress since the thread’s last message. */
export interface Progress {
  histories: number
  sent: number
  violations: string[]
}

const reportMilliseconds = 1000

const zones = ['Europe/Athens', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Tokyo']
/** The days around clock changes of these zones, in both directions. */
const days = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
  '2018-02-18',
  '2018-11-04',
]
const numbers = 3

const arbitraryRecord = fc.record({
  number: fc.integer({ min: 1, max: numbers }),
  second: fc.integer({ min: 0, max: 2 * 86_400 - 1 }),
})
const arbitraryHistory = fc.record({
  zone: fc.constantFrom(...zones),
  day: fc.constantFrom(...days),
  records: fc.array(arbitraryRecord, { minLength: 1, maxLength: 12 }),
  /** Each frame lists the indexes of its records. At the end the trial sends all records, as a terminal does. */
  frames: fc.array(
    fc.record({
      carries: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 8 }),
      isTwice: fc.boolean(),
      /** Whether another socket sends the frame at the same time as the previous frame. */
      isBeside: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  /** Whether the records arrive at once, or long afterwards. */
  isLive: fc.boolean(),
})
type History = typeof arbitraryHistory extends fc.Arbitrary<infer T> ? T : never

const clockAfter = (day: string, second: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000 + second * 1000).toISOString().slice(0, 19)

const formats = new Map<string, Intl.DateTimeFormat>()
/** The local time of an instant, computed without the code of the product. */
const localTimeIn = (zone: string, instant: string) => {
  const cached = formats.get(zone)
  const format = cached ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  if (!cached) formats.set(zone, format)
  return format.format(new Date(instant)).replace(' ', 'T')
}
/** A skipped local time becomes later by the length of the clock change, which is at most an hour. */
const isPossible = ({ zone, at, localTime }: Punch) => {
  const difference = Date.parse(`${localTimeIn(zone, at)}Z`) - Date.parse(`${localTime}Z`)
  return difference === 0 || difference === 30 * 60_000 || difference === 60 * 60_000
}

const { seeds, runs } = workerData as Task
// The thread must not use an engine from the environment.
delete process.env.DYNAMODB_ENDPOINT
const data = temporaryFolder()
const complain = (sentence: string) => console.error(sentence)
const database = await startDatabase({ data, table: 'histories', say: () => undefined, onEnd: complain })
// The table needs no stream. With a stream, the engine searches all its records at each write.
const client = new DynamoDBClient(clientOf(database.endpoint))
await client.send(new UpdateTableCommand({ TableName: 'histories', StreamSpecification: { StreamEnabled: false } }))
client.destroy()
Object.assign(process.env, { DYNAMODB_ENDPOINT: database.endpoint, TABLE: 'histories', AWS_REGION: 'local' })
const { openTable } = await import('../../functions/kit/table.ts')
const { ingest } = await import('../../functions/terminal/intake.ts')

let progress: Progress = { histories: 0, sent: 0, violations: [] }
const reportProgress = () => {
  parentPort?.postMessage(progress)
  progress = { histories: 0, sent: 0, violations: [] }
}

const runHistory = async ({ zone, day, records, frames, isLive }: History) => {
  const table = openTable(randomUUID())
  const origin = { table, sn: 'HISTORY', zone, generation: 1 }
  const all = records.map(({ number, second }) => ({ number: `${number}`, localTime: clockAfter(day, second) }))
  const received = isLive ? Date.parse(`${day}T12:00:00Z`) : Date.parse('2027-01-01T00:00:00Z')
  const send = async (list: typeof all) => {
    progress.sent += list.length
    const punches = list.map((record): LogRecord => ({ kind: 'punch', ...record }))
    const { isKept } = await ingest(origin, punches, 'sendlog', received)
    if (!isKept) throw new Error('not kept')
  }
  /** All stored punches of the company, with one query. */
  const readAll = () => table.all<Punch>({ index: 'byDay', pk: receivedPk })
  let pending: Promise<void>[] = []
  for (const { carries, isTwice, isBeside } of frames) {
    const list = carries.flatMap(index => all[index] ?? [])
    if (!isBeside) {
      await Promise.all(pending)
      pending = []
    }
    pending.push(send(list))
    if (isTwice) pending.push(send(list))
  }
  await Promise.all(pending)
  await send(all)

  const stored = await readAll()
  const nameOf = ({ number, localTime }: { number: string; localTime: string }) => `${number} ${localTime}`
  const expected = [...new Set(all.map(nameOf))].sort()
  if (JSON.stringify(stored.map(nameOf).sort()) !== JSON.stringify(expected)) throw new Error('not each record once')
  const impossible = stored.find(punch => !isPossible(punch))
  if (impossible) throw new Error(`${impossible.localTime} in ${zone} is not ${impossible.at}`)
  await send(all.toReversed())
  const storedAgain = await readAll()
  if (canonical(storedAgain) !== canonical(stored)) throw new Error('sent again, it is another')
  progress.histories++
}

// Drops the log lines about repeated records, because the output contains only figures.
console.log = () => undefined
const reportTimer = setInterval(reportProgress, reportMilliseconds)
const check = async (seed: number) => {
  const result = await fc.check(fc.asyncProperty(arbitraryHistory, runHistory), { seed, numRuns: runs })
  if (result.failed)
    progress.violations.push(`seed ${seed}: ${result.errorInstance} ${JSON.stringify(result.counterexample?.[0])}`)
}
try {
  await Promise.all(seeds.map(check))
} finally {
  clearInterval(reportTimer)
  reportProgress()
  await database.stop()
  rmSync(data, { recursive: true, force: true })
}
// Open keep-alive connections would keep the thread running.
process.exit()
