import { expect, test } from 'vitest'
import { run } from '../chaos/t10.ts'
import { keepFigures } from '../chaos/trial.ts'
import { isOurEngine } from '../kit/stack.ts'

// `npm run chaos -- t10` in small: whatever is killed, hangs or is refused, each event comes to each receiver, by one id.

// A slower engine has more under way when it is killed: of more events that is as little.
const size = isOurEngine ? 0.006 : 0.02

test('webhooks outlive kills and a bad receiver', { timeout: 170_000 }, async () => {
  const figures = keepFigures()
  await run({ seed: 1, size, report: figures.report })
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
})
