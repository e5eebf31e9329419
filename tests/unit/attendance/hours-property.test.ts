import { expect, test } from 'vitest'
import { addsUp, ignoresOrder, survivesLock } from './hours-promises.ts'
import { hourPlan } from './random-hours.ts'
import { forRandomDays } from './random-run.ts'

test('base kinds add up to work and overtime, in every unit and rounding', () => {
  expect(forRandomDays('kinds add up', hourPlan, addsUp)).toBeGreaterThan(0)
})

test('the order of arrival changes no kind, and a second run gives the same hashes', () => {
  expect(forRandomDays('order of kinds', hourPlan, ignoresOrder)).toBeGreaterThan(0)
})

test('locked days that hold their minutes change no later day', () => {
  expect(forRandomDays('locked kinds', hourPlan, survivesLock, 2000)).toBeGreaterThan(0)
})
