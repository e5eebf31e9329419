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

// The histories of T9 for some seeds, in a thread with an engine and an environment of its own; those of different seeds at the same
// time, each history in a company of its own.

export interface Task {
  seeds: number[]
  /** Histories of each seed. */
  runs: number
}

/** What came to pass since the thread told last. */
export interface Told {
  histories: number
  sent: number
  violations: string[]
}

const tellMilliseconds = 1000

const zones = ['Europe/Athens', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Tokyo']
/** Around the days on which one of these clocks changed, both ways. */
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

const at = fc.record({
  number: fc.integer({ min: 1, max: numbers }),
  second: fc.integer({ min: 0, max: 2 * 86_400 - 1 }),
})
const history = fc.record({
  zone: fc.constantFrom(...zones),
  day: fc.constantFrom(...days),
  records: fc.array(at, { minLength: 1, maxLength: 12 }),
  /** Each frame names the records it carries; what no frame carries is sent in the end, as a terminal does. */
  frames: fc.array(
    fc.record({
      carries: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 8 }),
      isTwice: fc.boolean(),
      /** Sent by two sockets at the same time as the frame before. */
      isBeside: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  /** As soon as it happened, or long after. */
  isLive: fc.boolean(),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const clockAfter = (day: string, second: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000 + second * 1000).toISOString().slice(0, 19)

const formats = new Map<string, Intl.DateTimeFormat>()
/** What a wall clock of the zone showed, by another way than the product's. */
const shown = (zone: string, instant: string) => {
  const known = formats.get(zone)
  const format = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  if (!known) formats.set(zone, format)
  return format.format(new Date(instant)).replace(' ', 'T')
}
/** A time the clock skipped is shown later by the gap, which was never longer than an hour. */
const isShown = ({ zone, at, localTime }: Punch) => {
  const difference = Date.parse(`${shown(zone, at)}Z`) - Date.parse(`${localTime}Z`)
  return difference === 0 || difference === 30 * 60_000 || difference === 60 * 60_000
}

const { seeds, runs } = workerData as Task
// Whatever engine others have been given.
delete process.env.DYNAMODB_ENDPOINT
const data = temporaryFolder()
const complain = (sentence: string) => console.error(sentence)
const database = await startDatabase({ data, table: 'histories', say: () => undefined, onEnd: complain })
// Nobody reads it here, and at each write the engine looks for its newest record by reading all of them.
const client = new DynamoDBClient(clientOf(database.endpoint))
await client.send(new UpdateTableCommand({ TableName: 'histories', StreamSpecification: { StreamEnabled: false } }))
client.destroy()
Object.assign(process.env, { DYNAMODB_ENDPOINT: database.endpoint, TABLE: 'histories', AWS_REGION: 'local' })
const { openTable } = await import('../../functions/kit/table.ts')
const { ingest } = await import('../../functions/terminal/intake.ts')

let told: Told = { histories: 0, sent: 0, violations: [] }
const tell = () => {
  parentPort?.postMessage(told)
  told = { histories: 0, sent: 0, violations: [] }
}

const live = async ({ zone, day, records, frames, isLive }: History) => {
  const table = openTable(randomUUID())
  const origin = { table, sn: 'HISTORY', zone, generation: 1 }
  const all = records.map(({ number, second }) => ({ number: `${number}`, localTime: clockAfter(day, second) }))
  const received = isLive ? Date.parse(`${day}T12:00:00Z`) : Date.parse('2027-01-01T00:00:00Z')
  const send = async (list: typeof all) => {
    told.sent += list.length
    const punches = list.map((record): LogRecord => ({ kind: 'punch', ...record }))
    const { isKept } = await ingest(origin, punches, 'sendlog', received)
    if (!isKept) throw new Error('not kept')
  }
  /** All that came in, whatever its number, in one question. */
  const readAll = () => table.all<Punch>({ index: 'byDay', pk: receivedPk })
  let beside: Promise<void>[] = []
  for (const { carries, isTwice, isBeside } of frames) {
    const list = carries.flatMap(index => all[index] ?? [])
    if (!isBeside) {
      await Promise.all(beside)
      beside = []
    }
    beside.push(send(list))
    if (isTwice) beside.push(send(list))
  }
  await Promise.all(beside)
  await send(all)

  const stored = await readAll()
  const name = ({ number, localTime }: { number: string; localTime: string }) => `${number} ${localTime}`
  const wanted = [...new Set(all.map(name))].sort()
  if (JSON.stringify(stored.map(name).sort()) !== JSON.stringify(wanted)) throw new Error('not each record once')
  const strange = stored.find(punch => !isShown(punch))
  if (strange) throw new Error(`${strange.localTime} in ${zone} is not ${strange.at}`)
  await send(all.toReversed())
  const again = await readAll()
  if (canonical(again) !== canonical(stored)) throw new Error('sent again, it is another')
  told.histories++
}

// A line for each record that was there already is no figure.
console.log = () => undefined
const telling = setInterval(tell, tellMilliseconds)
const check = async (seed: number) => {
  const found = await fc.check(fc.asyncProperty(history, live), { seed, numRuns: runs })
  if (found.failed)
    told.violations.push(`seed ${seed}: ${found.errorInstance} ${JSON.stringify(found.counterexample?.[0])}`)
}
try {
  await Promise.all(seeds.map(check))
} finally {
  clearInterval(telling)
  tell()
  await database.stop()
  rmSync(data, { recursive: true, force: true })
}
// Connections kept open for reuse would hold the thread up.
process.exit()
