import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { inTurn } from '../../../infra/local/in-turn.ts'

test("of what takes turns so many run at once, the others in the order they came, and what fails is nobody else's failure", async () => {
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
  const came = await Promise.allSettled(all.map(run))
  expect(begun).toEqual(all)
  expect(most).toBe(2)
  expect(came.map(one => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
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

/** Three of one, two of another, and four who say one thing each, in this order. */
const letAllWait = (wait: () => void) => {
  const { take } = inTurn(1)
  const release = Promise.withResolvers<void>()
  const begun: string[] = []
  const [ann, ben] = [{}, {}]
  const run = (who: object, name: string) =>
    take(who, async () => {
      begun.push(name)
      await release.promise
    })
  const all = ['ann 1', 'ann 2', 'ann 3'].map(name => run(ann, name))
  all.push(run(ben, 'ben 1'), run(ben, 'ben 2'))
  wait()
  all.push(...['cleo', 'dan', 'eve', 'fay'].map(name => run({}, name)))
  release.resolve()
  return Promise.all(all).then(() => begun)
}

test('of those who wait all have one turn before anybody has the next, in the order they came', async () => {
  const begun = await letAllWait(() => undefined)
  expect(begun).toEqual(['ann 1', 'ben 1', 'cleo', 'dan', 'eve', 'fay', 'ann 2', 'ben 2', 'ann 3'])
})

test('who was passed over for long has every fourth turn', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const begun = await letAllWait(() => vi.advanceTimersByTime(10_000)).finally(() => vi.useRealTimers())
  expect(begun).toEqual(['ann 1', 'ben 1', 'cleo', 'dan', 'ann 2', 'eve', 'fay', 'ben 2', 'ann 3'])
})

test('once nobody waits it counts for nothing who had how many', async () => {
  const { take } = inTurn(1)
  const begun: string[] = []
  const [ann, ben] = [{}, {}]
  const run = (who: object, name: string) => take(who, async () => void begun.push(name))
  await Promise.all([run(ann, 'ann 1'), run(ann, 'ann 2')])
  begun.length = 0
  await Promise.all([run(ben, 'ben 1'), run(ben, 'ben 2'), run(ann, 'ann 3')])
  expect(begun).toEqual(['ben 1', 'ann 3', 'ben 2'])
})

test('who is patient goes on as soon as nobody waits for a turn, and after their time in any case', async () => {
  const { take, calm } = inTurn(1)
  await calm(10_000)
  const release = Promise.withResolvers<void>()
  const runs = [1, 2].map(() => take({}, () => release.promise))
  const order: string[] = []
  const isOver = calm(10_000).then(() => order.push('calm'))
  await calm(30)
  order.push('waited')
  release.resolve()
  await Promise.all([...runs, isOver])
  expect(order).toEqual(['waited', 'calm'])
})
