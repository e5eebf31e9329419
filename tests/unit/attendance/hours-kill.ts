import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { answerCase } from '../../../infra/local/attendance.ts'
import { addsUp, asInstants, equalsModel, ignoresOrder, survivesLock } from './hours-promises.ts'
import { hourPlan } from './random-hours.ts'

// Looks for a broken promise in the code beside it. The mutation test runs this on copies with a planted mistake. Exits
// with `caught` if a given case or a promise fails, and with 0 if all hold.

const caught = 3

const checkCases = (): void => {
  const cases = ['hours', 'hours-examples'].flatMap(name =>
    JSON.parse(readFileSync(new URL(`../../given/${name}.json`, import.meta.url), 'utf8')),
  )
  for (const { expect: expected, ...input } of cases) {
    const figures: Record<string, unknown> = { ...answerCase(input) }
    for (const [figure, value] of Object.entries(expected))
      assert.deepEqual(asInstants(figures[figure]), asInstants(value), `${input.id} ${figure}`)
  }
}

try {
  checkCases()
  for (const promise of [addsUp, equalsModel, ignoresOrder, survivesLock])
    fc.assert(fc.property(hourPlan, promise), { seed: 1, numRuns: 120, endOnFailure: true })
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = caught
}
