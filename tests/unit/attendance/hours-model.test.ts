import { expect, test } from 'vitest'
import { equalsModel } from './hours-promises.ts'
import { hourPlan } from './random-hours.ts'
import { forRandomDays } from './random-run.ts'

// Apart from the other promises of hour kinds, because it takes as long as all of them.

test('the split and the minute-by-minute model agree on random days, sets, zones and clock changes', () => {
  expect(forRandomDays('kinds and model', hourPlan, equalsModel, 3000)).toBeGreaterThan(0)
})
