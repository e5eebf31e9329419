import { expect, test } from 'vitest'
import { findBreakOwed } from '../../shared/attendance/check/break-owed.ts'
import type { Row, Use } from '../../shared/attendance/row.ts'

// The break that a row owes, with the time between its punches.

const rowOf = (...punches: [time: string, use: Use][]) =>
  ({
    ...{ day: '2026-06-01', state: 'final', workMinutes: 480, overtimeMinutes: 0, breakMinutes: 0 },
    punches: punches.map(([time, use]) => ({ at: Date.parse(`2026-06-01T${time}:00Z`), use })),
  }) as unknown as Row

const owed = (row: Row) =>
  findBreakOwed([row], [{ afterMinutes: 360, breakMinutes: 120 }]).map(({ minutes }) => minutes)

test('a repeated punch of a break does not shorten the gap beside it', () => {
  const gap: [string, Use][] = [
    ['11:50', 'inner'],
    ['12:30', 'break'],
    ['13:30', 'inner'],
  ]
  const once = rowOf(['08:00', 'in'], ...gap, ['17:00', 'out'])
  expect(owed(once)).toEqual([20])
  const repeated = rowOf(['08:00', 'in'], ...gap.slice(0, 2), ['12:30', 'repeat'], ...gap.slice(2), ['17:00', 'out'])
  expect(owed(repeated)).toEqual([20])
})

test('a repeated punch at the begin of a gap shortens the gap', () => {
  const row = rowOf(['08:00', 'in'], ['11:50', 'inner'], ['11:52', 'repeat'], ['13:30', 'inner'], ['17:00', 'out'])
  expect(owed(row)).toEqual([22])
})
