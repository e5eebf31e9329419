import { expect, test } from 'vitest'
import { keepFigures, type TrialFile } from '../chaos/trial.ts'
import { isOurEngine } from '../kit/stack.ts'

// The trials of `npm run chaos` in small: the same faults and checks with fewer terminals. Trial t14 checks that
// they find planted faults.

const runTrial = async (name: string, size: number) => {
  const { run } = (await import(`../chaos/${name}.ts`)) as TrialFile
  const figures = keepFigures(({ figure, value, unit }) => console.log(`${name} ${figure}: ${value} ${unit}`))
  const startedAt = performance.now()
  await run({ seed: 1, size, report: figures.report })
  figures.report('took', (performance.now() - startedAt) / 1000, 's')
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
}
const title = '%s at size %d: %s'
const timeout = isOurEngine ? 300_000 : 900_000

test.each([
  ['t6', 0.02, 'terminals deliver while the table fails'],
  ['t9', 0.001, 'any sequence of frames stores each record once'],
  ['t12', 1, 'oversized pictures interrupt a connection only briefly'],
])(title, { timeout }, runTrial)

// These trials mostly wait for a stack, so they run together, longest first.
test.concurrent.each([
  ['t7', 0.02, 'a punch reaches its day even if the stack is killed at any step'],
  ['t14', 0.04, 'the trials find faults planted into a copy of the product'],
  ['t2', 0.01, 'terminals deliver while the stack is killed again and again'],
  ['t1', 0.02, 'terminals deliver everything without faults'],
  ['t4', 0.02, 'terminals deliver everything after an outage of the server'],
  ['t5', 0.01, 'terminals that connect at once all register'],
  ['t8', 0.02, 'repeated deliveries and calculations change nothing'],
  ['t11', 0.02, 'a punch without a valid time does not hold up others'],
])(title, { timeout }, runTrial)
