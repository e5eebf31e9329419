import { expect, test } from 'vitest'
import { recognisedBy } from '../../../shared/punch.ts'
import { meansOf } from '../../../shared/terminal/profile.ts'

test('a code has the meaning of its terminal’s profile', () => {
  expect(['v24', 'new', 'adms', 'dixi'].map(profile => meansOf(profile, { mode: 0 }))).toEqual([
    ...['finger', 'password', 'password', undefined],
  ])
})

test('a code of an unknown profile has a meaning only if all profiles agree on it', () => {
  for (const profile of [undefined, 'v99']) {
    expect(meansOf(profile, { mode: 8 })).toBe('face')
    expect(meansOf(profile, { mode: 0, verifymode: 13 })).toBe('qr')
    // Two profiles give the first three codes different meanings. Only one profile defines the fourth code.
    expect([0, 1, 2, 25].map(mode => meansOf(profile, { mode }))).toEqual(Array(4).fill(undefined))
  }
})

test('a record keeps its stored meaning, and a record without a stored meaning uses the unknown profile', () => {
  expect(recognisedBy({ means: 'card', mode: 8 })).toBe('card')
  expect(recognisedBy({ mode: 8 })).toBe('face')
  expect(recognisedBy({ mode: 1 })).toBeUndefined()
  expect(recognisedBy({})).toBeUndefined()
})
