import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

// Loaded into a stack before it starts (`--import`): it ends itself, as `kill -9` does, just before or just after one of the things
// it does to the world outside: a write to the table, facts put on the bus, something said to a socket, a mail. `CRASH` names a
// folder: while `point.json` lies there, steps are counted, and what was come to is noted in `crashed.json`.

export interface CrashPoint {
  /** The how-manieth step, from when the file is there. */
  step: number
  side: 'before' | 'after'
  /** Another one for each point: counting begins anew. */
  name: string
  /** Only steps that name this are counted. */
  of?: string
}

const folder = process.env.CRASH ?? ''
const reads = /\.(GetItem|BatchGetItem|Query|DescribeTable|DescribeStream|GetShardIterator|GetRecords|Scan)$/

interface Handler {
  handle(
    request: { headers: Record<string, string>; method: string; path: string; body?: unknown },
    options?: object,
  ): Promise<{ response: unknown }>
}
const used = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
const prototype: Handler = Object.getPrototypeOf(used.config.requestHandler)
const { handle } = prototype
/** The steps of the point that is tried, and which that is; the stack has two threads, and they count together. */
const shared = (getEnvironmentData('steps') ?? new SharedArrayBuffer(8)) as SharedArrayBuffer
setEnvironmentData('steps', shared)
const counts = new Int32Array(shared)
const numberOf = (name: string) => createHash('sha256').update(name).digest().readInt32BE()
const count = (name: string): number => {
  const point = numberOf(name)
  if (Atomics.exchange(counts, 1, point) !== point) Atomics.store(counts, 0, 0)
  return Atomics.add(counts, 0, 1) + 1
}

const end = (what: string) => {
  writeFileSync(`${folder}/crashed.json`, JSON.stringify(what))
  process.kill(process.pid, 'SIGKILL')
}

prototype.handle = async function (this: Handler, request, options) {
  const target = request.headers['x-amz-target'] ?? `${request.method} ${request.path.replaceAll(/[^/]{12,}/g, '…')}`
  const file = `${folder}/point.json`
  if (reads.test(target) || !existsSync(file)) return handle.call(this, request, options)
  const { step, side, name, of }: CrashPoint = JSON.parse(readFileSync(file, 'utf8'))
  if (of !== undefined && !String(request.body).includes(of)) return handle.call(this, request, options)
  const isIt = count(name) === step
  const what = `${side} ${target.split('.').at(-1)}`
  if (isIt && side === 'before') end(what)
  const answer = await handle.call(this, request, options)
  if (isIt && side === 'after') end(what)
  return answer
}
