import { expect, test } from 'vitest'
import { run } from '../chaos/t10.ts'
import { keepFigures } from '../chaos/trial.ts'
import { isOurEngine } from '../kit/stack.ts'

// `npm run chaos -- t10` in small: despite kills, hanging receivers and refusals, each receiver gets each event under
// one id.

// A slower engine has more deliveries under way at a kill, so it needs more events for the same share.
const size = isOurEngine ? 0.006 : 0.02

test('webhooks outlive kills and a bad receiver', { timeout: 170_000 }, async () => {
  const figures = keepFigures()
  await run({ seed: 1, size, report: figures.report })
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
})
