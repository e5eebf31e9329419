import { expect, test } from 'vitest'
import { keepFigures, type TrialFile } from '../chaos/trial.ts'
import { isOurEngine } from '../stack.ts'

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

// Both wait most of their time for a stack to be back, so they do that together.
test.concurrent.each([
  ['t2', 0.01, 'terminals deliver while the stack is killed again and again'],
  ['t14', 0.04, 'what is planted into a copy of the product is found'],
])(title, { timeout }, one)
