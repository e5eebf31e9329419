import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

// Loaded into a stack before it starts (`--import`). The stack then kills itself, like `kill -9`, just before or just
// after one of its effects. Effects are table writes, events on the bus, socket messages and mails. `CRASH` names a
// folder. While `point.json` is there, the steps are counted, and `crashed.json` names the step of the crash.

export interface CrashPoint {
  /** The number of the step, counted from the creation of the file. */
  step: number
  side: 'before' | 'after'
  /** A unique name per point, because each name restarts the count. */
  name: string
  /** Counts only steps that contain this text. */
  of?: string
}

const folder = process.env.CRASH ?? ''
const readPattern = /\.(GetItem|BatchGetItem|Query|DescribeTable|DescribeStream|GetShardIterator|GetRecords|Scan)$/

interface Handler {
  handle(
    request: { headers: Record<string, string>; method: string; path: string; body?: unknown },
    options?: object,
  ): Promise<{ response: unknown }>
}
const client = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
const prototype: Handler = Object.getPrototypeOf(client.config.requestHandler)
const { handle } = prototype
/** The step count and the hash of the current point, shared by the stack’s two threads. */
const sharedBuffer = (getEnvironmentData('steps') ?? new SharedArrayBuffer(8)) as SharedArrayBuffer
setEnvironmentData('steps', sharedBuffer)
const counts = new Int32Array(sharedBuffer)
const hashName = (name: string) => createHash('sha256').update(name).digest().readInt32BE()
const countStep = (name: string): number => {
  const point = hashName(name)
  if (Atomics.exchange(counts, 1, point) !== point) Atomics.store(counts, 0, 0)
  return Atomics.add(counts, 0, 1) + 1
}

const crash = (step: string) => {
  writeFileSync(`${folder}/crashed.json`, JSON.stringify(step))
  process.kill(process.pid, 'SIGKILL')
}

prototype.handle = async function (this: Handler, request, options) {
  const target = request.headers['x-amz-target'] ?? `${request.method} ${request.path.replaceAll(/[^/]{12,}/g, '…')}`
  const file = `${folder}/point.json`
  if (readPattern.test(target) || !existsSync(file)) return handle.call(this, request, options)
  const { step, side, name, of }: CrashPoint = JSON.parse(readFileSync(file, 'utf8'))
  if (of !== undefined && !String(request.body).includes(of)) return handle.call(this, request, options)
  const isCrashStep = countStep(name) === step
  const label = `${side} ${target.split('.').at(-1)}`
  if (isCrashStep && side === 'before') crash(label)
  const answer = await handle.call(this, request, options)
  if (isCrashStep && side === 'after') crash(label)
  return answer
}
