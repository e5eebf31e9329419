import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countMonth } from '../kit/cost.ts'
import { isOurEngine } from '../kit/stack.ts'

// Compares a counted month with the cost in infra/cost.md.

const costs = readFileSync(new URL('../../infra/cost.md', import.meta.url), 'utf8')
/** A larger difference means that the cost has grown or that the table is outdated. */
const tolerance = 0.1

const numbersOf = (people: string): number[] => {
  const row = costs.split('\n').find(line => line.startsWith(`| ${people} |`)) ?? ''
  return row
    .split('|')
    .slice(2, -1)
    .map(cell => Number(cell.replace(/[^\d.]/g, '')))
}

// Amazon’s local engine counts fewer read units than the embedded engine, and infra/cost.md names the larger number.
test.runIf(isOurEngine)('a month of ten people costs what infra/cost.md says', { timeout: 300_000 }, async () => {
  const { items, bytes, count, dollars } = await countMonth(10)
  const counted = [items, bytes / 1000, count.readUnit, count.writeUnit, dollars]
  const stated = numbersOf('10')
  expect(stated.length, 'the row of ten people').toBe(counted.length)
  const differs = counted.map((value, i) => Math.abs(value / (stated[i] ?? 0) - 1) > tolerance)
  expect(differs, `counted ${counted.join(', ')}; stated ${stated.join(', ')}`).toEqual(counted.map(() => false))
})
