import { expect, test } from 'vitest'
import { run } from '../chaos/t10.ts'
import { keepFigures } from '../chaos/trial.ts'

// `npm run chaos -- t10` in small: whatever is killed, hangs or is refused, each event comes to each receiver, by one id.

test('webhooks outlive kills and a bad receiver', { timeout: 170_000, retry: 0 }, async () => {
  const figures = keepFigures()
  await run({ seed: 1, size: 0.006, report: figures.report })
  expect(figures.missed()).toEqual([])
  expect(figures.verdict()).toBe('passed')
})
