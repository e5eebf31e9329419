import { expect, test } from 'vitest'
import { keepFigures, type TrialFile } from '../chaos/trial.ts'
import { isOurEngine } from '../kit/stack.ts'

// The trials of `npm run chaos` in small: the same faults and the same counting, with few terminals. Which of them find the faults
// that are planted on purpose is itself one of them (t14).

const one = async (name: string, size: number) => {
  const { run } = (await import(`../chaos/${name}.ts`)) as TrialFile
  const figures = keepFigures(({ figure, value, unit }) => console.log(`${name} ${figure}: ${value} ${unit}`))
  const startedAt = performance.now()
  await run({ seed: 1, size, report: figures.report })
  figures.report('took', (performance.now() - startedAt) / 1000, 's')
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
}
const title = '%s in small (%d of it): %s'
const timeout = isOurEngine ? 300_000 : 900_000

test.each([
  ['t6', 0.02, 'terminals deliver while the table fails'],
  ['t9', 0.001, 'any history of frames ends with each record once'],
  ['t12', 1, 'pictures that are too large end no conversation for long'],
])(title, { timeout }, one)

// These wait most of their time for a stack to be there, or to be quiet, so they do that together; the longest begin.
test.concurrent.each([
  ['t7', 0.02, 'a punch becomes its day whatever the stack was doing when it was killed'],
  ['t14', 0.04, 'what is planted into a copy of the product is found'],
  ['t2', 0.01, 'terminals deliver while the stack is killed again and again'],
  ['t1', 0.02, 'terminals deliver and nothing goes wrong'],
  ['t4', 0.02, 'terminals that punched on without a server all deliver when it is there again'],
  ['t5', 0.01, 'terminals that connect at once are all registered'],
  ['t8', 0.02, 'what is told and given once more changes nothing'],
  ['t11', 0.02, 'a punch of no time holds up nobody'],
])(title, { timeout }, one)
