import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { inTurn } from '../../../infra/local/socket/in-turn.ts'

test('the queue limits concurrency, keeps the order, and isolates a failure from other runs', async () => {
  const { take } = inTurn(2)
  const [begun, running]: [number[], Set<number>] = [[], new Set()]
  let most = 0
  const run = (i: number) =>
    take({}, async () => {
      begun.push(i)
      running.add(i)
      most = Math.max(most, running.size)
      await wait(i % 3)
      running.delete(i)
      if (i === 1 || i === 2) throw new Error('no')
      return i
    })
  const all = [0, 1, 2, 3, 4, 5, 6]
  const outcomes = await Promise.allSettled(all.map(run))
  expect(begun).toEqual(all)
  expect(most).toBe(2)
  expect(outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
    0,
    'failed',
    'failed',
    3,
    4,
    5,
    6,
  ])
  await expect(run(7)).resolves.toBe(7)
})

/**
 * A queue with concurrency 1. The first run blocks the queue until `end`. Then `end` returns the names in the order of
 * their runs.
 */
const holdUp = () => {
  const turns = inTurn(1)
  const clients = new Map<string, object>()
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const all: Promise<void>[] = []
  const begin = (name: string) => async () => {
    begun.push(name)
    await gate.promise
  }
  return {
    /** Each name begins with the name of its client. */
    take(...names: string[]) {
      for (const name of names) {
        const [client = ''] = name.split(' ')
        if (!clients.has(client)) clients.set(client, {})
        all.push(turns.take(clients.get(client) ?? {}, begin(name)))
      }
    },
    admit: (...names: string[]) => void all.push(...names.map(name => turns.admit(begin(name)))),
    async end() {
      gate.resolve()
      await Promise.all(all)
      return begun
    },
  }
}
const several = (client: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${client} ${from + n}`)

test('the longest waiting message goes first, but a client several rounds ahead waits for other clients', async () => {
  const { take, end } = holdUp()
  take(...several('ann', 0, 9), 'ben 0', 'ben 1', 'cleo 0', 'cleo 1')
  const expected = [...several('ann', 0, 6), 'ben 0', 'ben 1', 'cleo 0', 'ann 6', 'cleo 1', 'ann 7', 'ann 8']
  expect(await end()).toEqual(expected)
})

test('one turn in four admits a new client, and every turn admits a new client if no message waits', async () => {
  const { take, admit, end } = holdUp()
  take('ann 0')
  admit('xenia', 'yves', 'zoe')
  take(...several('ann', 1, 4), ...several('ben', 0, 3))
  expect(await end()).toEqual([...several('ann', 0, 4), 'xenia', ...several('ben', 0, 3), 'yves', 'zoe'])
})

test('after two seconds, new clients get every second turn, and admitted clients get the remaining turns', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { take, admit, end } = holdUp()
  take('ann 0')
  admit(...several('yves', 0, 4))
  vi.advanceTimersByTime(2001)
  admit('xenia')
  take(...several('ann', 1, 6))
  const expected = [
    'ann 0',
    'ann 1',
    'yves 0',
    'ann 2',
    'yves 1',
    'ann 3',
    'yves 2',
    'ann 4',
    'yves 3',
    'ann 5',
    'xenia',
  ]
  expect(await end().finally(() => vi.useRealTimers())).toEqual(expected)
})

test('a client whose message has waited for long gets every fourth turn, even if it is rounds ahead', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { take, end } = holdUp()
  take(...several('ann', 0, 8))
  vi.advanceTimersByTime(10_000)
  take('ben 0')
  // The messages `ann 6` and `ann 7` are too many rounds ahead of ben.
  const expected = ['ann 0', 'ann 6', 'ann 1', 'ann 2', 'ann 3', 'ann 7', 'ann 4', 'ann 5', 'ben 0']
  expect(await end().finally(() => vi.useRealTimers())).toEqual(expected)
})

test('a late client gets some turns in a row, and then alternates with the other client', async () => {
  const { take } = inTurn(1)
  const begun: string[] = []
  const [ann, ben] = [{}, {}]
  const run = (client: object) => (name: string) => take(client, async () => void begun.push(name))
  for (const name of several('ann', 1, 30)) await run(ann)(name)
  begun.length = 0
  await Promise.all([...several('ann', 30, 33).map(run(ann)), ...several('ben', 20, 29).map(run(ben))])
  expect(begun).toEqual(['ann 30', ...several('ben', 20, 26), 'ann 31', 'ben 26', 'ann 32', 'ben 27', 'ben 28'])
})

test('calm resolves when the queue is empty or when the given time is over', async () => {
  const { take, calm } = inTurn(1)
  expect(await calm(10_000)).toBe(true)
  const release = Promise.withResolvers<void>()
  const runs = [1, 2].map(() => take({}, () => release.promise))
  const order: string[] = []
  const isOver = calm(10_000).then(() => order.push('calm'))
  expect(await calm(30)).toBe(false)
  order.push('waited')
  release.resolve()
  await Promise.all([...runs, isOver])
  expect(order).toEqual(['waited', 'calm'])
})
