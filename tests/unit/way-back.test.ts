import { expect, test } from 'vitest'
import { wayBack } from '../../web/parts/day/way-back.ts'

// The day panel undoes a correction with another correction.

const added = {
  ...{ reason: 'Forgot', by: 'Mona M', madeAt: '2026-11-24T16:00:00Z', at: '2026-11-24T15:00:00Z' },
  ...{ isIgnored: false, state: 'counts' as const, version: 1 },
}

test.each([0, 1] as const)('the undo of a removal adds the punch with its direction again: %i', inout => {
  const earlier = { ...added, inout }
  expect(wayBack({ action: 'restore', earlier, isProposal: false })).toEqual({
    ...{ path: 'add', at: added.at, reason: 'Forgot', inout },
  })
})

test('the undo of a removal adds a punch without a direction as it was', () => {
  expect(wayBack({ action: 'restore', earlier: added, isProposal: false })).toEqual({
    ...{ path: 'add', at: added.at, reason: 'Forgot', inout: undefined },
  })
})
