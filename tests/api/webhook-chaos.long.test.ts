import { expect, test } from 'vitest'
import { run } from '../chaos/t10.ts'
import { keepFigures } from '../chaos/trial.ts'
import { isOurEngine } from '../kit/stack.ts'

// `npm run chaos -- t10` in small. Each receiver gets each event under one id, despite kills, hanging receivers and
// refusals.

// With a slower engine, each kill hits more deliveries. More events keep the share of repeated deliveries the same.
const size = isOurEngine ? 0.006 : 0.02

test('receivers get all webhooks despite kills and a bad receiver', { timeout: 170_000 }, async () => {
  const figures = keepFigures()
  await run({ seed: 1, size, report: figures.report })
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
})
