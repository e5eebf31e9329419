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

/** Lets the first begin, and the others wait in this order; what each of them is called begins with whose it is. */
const begin = (names: string[], wait = () => undefined as unknown) => {
  const turns = inTurn(1)
  const people = new Map<string, object>()
  const release = Promise.withResolvers<void>()
  const begun: string[] = []
  const run = (name: string) => {
    const [who = ''] = name.split(' ')
    if (!people.has(who)) people.set(who, { who })
    return turns.take(people.get(who) ?? {}, async () => {
      begun.push(name)
      await release.promise
    })
  }
  const all = names.map(run)
  return {
    async end(...more: string[]) {
      wait()
      all.push(...more.map(run))
      release.resolve()
      await Promise.all(all)
      return begun
    },
  }
}

test('of those who wait who has just come is first, and who is ahead by some rounds waits for the others', async () => {
  const ann = Array.from({ length: 9 }, (_, n) => `ann ${n}`)
  const { end } = begin([...ann, 'ben 0', 'ben 1', 'cleo 0', 'cleo 1'])
  const expected = ['ann 0', 'ben 0', 'cleo 0', ...ann.slice(1, 7), 'ben 1', 'cleo 1', 'ann 7', 'ann 8']
  expect(await end()).toEqual(expected)
})

test('who was passed over for long has every fourth turn', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { end } = begin(['ann 0', 'ann 1', 'ann 2', 'ann 3'], () => vi.advanceTimersByTime(10_000))
  const begun = await end('ben 0', 'cleo 0', 'dan 0', 'eve 0', 'fay 0').finally(() => vi.useRealTimers())
  expect(begun).toEqual(['ann 0', 'ben 0', 'cleo 0', 'dan 0', 'ann 1', 'eve 0', 'fay 0', 'ann 2', 'ann 3'])
})

test('who comes late is not ahead of those who were heard often, but for their first word', async () => {
  const { take } = inTurn(1)
  const begun: string[] = []
  const [ann, ben] = [{}, {}]
  const run = (who: object, name: string) => take(who, async () => void begun.push(name))
  for (let n = 0; n < 10; n++) await run(ann, `ann ${n}`)
  begun.length = 0
  await Promise.all(
    ['ann 10', 'ann 11'].map(name => run(ann, name)).concat(['ben 0', 'ben 1', 'ben 2'].map(name => run(ben, name))),
  )
  expect(begun).toEqual(['ann 10', 'ben 0', 'ann 11', 'ben 1', 'ben 2'])
})

test('who is patient goes on as soon as nobody waits for a turn, and after their time in any case', async () => {
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
