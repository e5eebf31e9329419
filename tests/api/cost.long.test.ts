import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countMonth } from '../kit/cost.ts'
import { isOurEngine } from '../kit/stack.ts'

// What infra/cost.md says a month costs is what is counted.

const costs = readFileSync(new URL('../../infra/cost.md', import.meta.url), 'utf8')
/** More than that has grown, or the table says too much. */
const tolerance = 0.1

const numbersOf = (people: string): number[] => {
  const row = costs.split('\n').find(line => line.startsWith(`| ${people} |`)) ?? ''
  return row
    .split('|')
    .slice(2, -1)
    .map(cell => Number(cell.replace(/[^\d.]/g, '')))
}

// Amazon's engine for one machine counts fewer read units than the embedded one, and infra/cost.md names the larger number.
test.runIf(isOurEngine)('a month of ten people costs what infra/cost.md says', { timeout: 300_000 }, async () => {
  const { items, bytes, count, dollars } = await countMonth(10)
  const found = [items, bytes / 1000, count.readUnit, count.writeUnit, dollars]
  const said = numbersOf('10')
  expect(said.length, 'the row of ten people').toBe(found.length)
  const differs = found.map((value, i) => Math.abs(value / (said[i] ?? 0) - 1) > tolerance)
  expect(differs, `counted ${found.join(', ')}; said ${said.join(', ')}`).toEqual(found.map(() => false))
})
