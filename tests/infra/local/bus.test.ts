import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bus, openBus } from '../../../infra/local/bus.ts'
import { jobs } from '../../../shared/jobs.ts'
import { eventually } from '../../kit/client.ts'
import { temporaryFolder } from '../../kit/stack.ts'

let data: string
let letters: { job: string; body: unknown }[]
const open = (harsh = false): Bus =>
  openBus({ file: join(data, 'jobs.db'), harsh, deadLetter: letter => letters.push(letter) })

beforeEach(() => {
  data = temporaryFolder()
  letters = []
})
afterEach(() => rmSync(data, { recursive: true }))

const facts = (count: number, type = 'schedule.changed') =>
  Array.from({ length: count }, (_, n) => ({ type, envelope: JSON.stringify({ 'detail-type': type, detail: { n } }) }))

/** A job that records its facts and fails those that `isFailing` selects. */
const recorder = (isFailing: (n: number, time: number) => boolean = () => false) => {
  const batches: number[][] = []
  const times = new Map<number, number>()
  const handler = async (event: object) => {
    const { Records } = event as SQSEvent
    const read = Records.map(({ body, messageId }) => ({ n: JSON.parse(body).detail.n as number, messageId }))
    batches.push(read.map(({ n }) => n))
    for (const { n } of read) times.set(n, (times.get(n) ?? 0) + 1)
    const failed = read.filter(({ n }) => isFailing(n, times.get(n) ?? 0))
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
  return { batches, times, handler }
}

const idle = (bus: Bus, seconds = 10) =>
  eventually(
    async () => bus.waiting(),
    waiting => expect(waiting).toBe(0),
    seconds,
  )

test('a fact reaches only the jobs that subscribe to it', async () => {
  const bus = open()
  const [recalculate, refresh] = [recorder(), recorder()]
  bus.start({ recalculate: recalculate.handler, refresh: refresh.handler })
  bus.put(facts(1, 'schedule.changed'))
  bus.put(facts(1, 'department.changed'))
  bus.put(facts(1, 'nobody.asked'))
  await idle(bus)
  expect([recalculate.batches, refresh.batches]).toEqual([[[0]], [[0, 0]]])
  await bus.stop(1000)
})

test('the bus delivers pending facts in batches up to the batch size', async () => {
  const bus = open()
  const { batches, handler } = recorder()
  const { batchSize } = jobs.recalculate
  const count = 2 * batchSize + 50
  bus.put(facts(count, 'days.due'))
  bus.start({ recalculate: handler })
  await idle(bus)
  expect(batches.map(({ length }) => length)).toEqual([batchSize, batchSize, 50])
  expect(batches.flat()).toEqual(Array.from({ length: count }, (_, n) => n))
  await bus.stop(1000)
})

test('the bus retries only failed facts, and failed facts do not delay later facts', async () => {
  const bus = open()
  const { batches, times, handler } = recorder((n, time) => n === 1 && time < 3)
  bus.start({ recalculate: handler })
  bus.put(facts(3, 'days.due'))
  bus.put(facts(1, 'days.due').map(({ type }) => ({ type, envelope: '{"detail":{"n":9}}' })))
  await idle(bus)
  expect(Object.fromEntries(times)).toEqual({ 0: 1, 1: 3, 2: 1, 9: 1 })
  expect(batches.slice(1)).toEqual([[1], [1]])
  expect(letters).toEqual([])
  await bus.stop(1000)
})

test('a fact that fails five times becomes a dead letter with its body', async () => {
  const bus = open()
  const { times, handler } = recorder(n => n === 1)
  bus.start({ recalculate: handler })
  bus.put(facts(2, 'days.due'))
  await idle(bus, 20)
  expect(Object.fromEntries(times)).toEqual({ 0: 1, 1: 5 })
  expect(letters).toMatchObject([{ job: 'recalculate', body: { detail: { n: 1 } } }])
  await bus.stop(1000)
})

test('the bus retries the whole batch of a job that throws', async () => {
  const bus = open()
  let times = 0
  const { batches, handler } = recorder()
  bus.start({
    recalculate: async event => {
      if (times++ === 0) throw new Error('not now')
      return handler(event)
    },
  })
  bus.put(facts(3, 'days.due'))
  await idle(bus)
  expect(batches.flat()).toEqual([0, 1, 2])
  await bus.stop(1000)
})

test('an accepted fact survives a crash until its job succeeds', async () => {
  const { handler, times } = recorder(n => n === 1)
  const killed = open()
  killed.put(facts(3, 'days.due'))
  killed.start({ recalculate: handler })
  await eventually(
    async () => killed.waiting(),
    waiting => expect(waiting).toBe(1),
  )
  // The first bus still has its file open while the next bus opens the file, as after a crash.
  const next = open()
  const retried = recorder()
  next.start({ recalculate: retried.handler })
  await idle(next)
  expect(times.get(1)).toBeGreaterThan(0)
  expect(retried.batches).toEqual([[1]])
  await next.stop(1000)
  await killed.stop(0)
})

test('after a stop, the next start continues with the remaining facts', async () => {
  const slow = open()
  const running = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  slow.start({
    recalculate: async () => {
      running.resolve()
      await release.promise
    },
  })
  const unfinished = 50
  const started = jobs.recalculate.batchSize
  slow.put(facts(started + unfinished, 'days.due'))
  await running.promise
  const stopped = slow.stop(0)
  release.resolve()
  await stopped
  const next = open()
  const { batches, handler } = recorder()
  expect(next.waiting()).toBe(unfinished)
  next.start({ recalculate: handler })
  await idle(next)
  expect(batches.flat()).toEqual(Array.from({ length: unfinished }, (_, n) => started + n))
  await next.stop(1000)
})

test('a harsh bus delivers every fact twice and out of order', async () => {
  const bus = open(true)
  const { batches, times, handler } = recorder()
  bus.put(facts(300, 'days.due'))
  bus.start({ recalculate: handler })
  await idle(bus)
  expect([...times.values()]).toEqual(Array.from({ length: 300 }, () => 2))
  expect(batches.flat()).not.toEqual(batches.flat().toSorted((a, b) => a - b))
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(jobs.recalculate.batchSize)
  await bus.stop(1000)
})

test('the bus returns the last saved checkpoint, also after a crash', () => {
  const killed = open()
  killed.saveCheckpoint('stream', 'one', '7')
  killed.saveCheckpoint('stream', 'one', '12')
  const next = open()
  expect(next.readCheckpoint('stream', 'one')).toBe('12')
  expect(next.readCheckpoint('stream', 'two')).toBeUndefined()
})
