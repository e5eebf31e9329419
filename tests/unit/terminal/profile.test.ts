import { expect, test } from 'vitest'
import { recognisedBy } from '../../../shared/punch.ts'
import { meansOf } from '../../../shared/terminal/profile.ts'

test('a code means what the terminal that sent it means by it', () => {
  expect(['v24', 'new', 'adms', 'dixi'].map(profile => meansOf(profile, { mode: 0 }))).toEqual([
    ...['finger', 'password', 'password', undefined],
  ])
})

test('of a terminal nobody knows a code means what all mean by it that know it, and else nobody knows what', () => {
  for (const profile of [undefined, 'v99']) {
    expect(meansOf(profile, { mode: 8 })).toBe('face')
    expect(meansOf(profile, { mode: 0, verifymode: 13 })).toBe('qr')
    // Two say different things of the first three, and one alone says something of the last.
    expect([0, 1, 2, 25].map(mode => meansOf(profile, { mode }))).toEqual(Array(4).fill(undefined))
  }
})

test('what a record was kept with stays, and one without is read as of a terminal nobody knows', () => {
  expect(recognisedBy({ means: 'card', mode: 8 })).toBe('card')
  expect(recognisedBy({ mode: 8 })).toBe('face')
  expect(recognisedBy({ mode: 1 })).toBeUndefined()
  expect(recognisedBy({})).toBeUndefined()
})
