import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Duty } from '../../shared/attendance/shift.ts'
import { conflicts } from '../../shared/attendance/shift.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { newConflicts, withNeighbours } from '../../shared/schedule/conflict.ts'
import { makeJudge } from '../../web/parts/board/plan-conflict.ts'

// Which conflicts a change of somebody's days brings about.

const zone = 'Europe/Athens'
const shifts = new Map<string, Duty & { id: string }>(
  [
    { id: 'early', onDuty: '06:00', offDuty: '14:00' },
    { id: 'noon', onDuty: '11:00', offDuty: '16:00' },
    { id: 'late', onDuty: '14:00', offDuty: '22:00' },
    { id: 'night', onDuty: '22:00', offDuty: '07:00+1' },
    { id: 'week', kind: 'weekly' as const, onDuty: '00:00', offDuty: '00:00' },
  ].map(shift => [shift.id, shift]),
)
// The clocks of Athens go forward on the second of them.
const days = daysBetween('2027-03-27', '2027-03-30')
type Held = Record<string, string[]>
const shiftsOn = (held: Held) => (day: string) => held[day] ?? []
const judge = (before: Held, after: Held) =>
  newConflicts(zone, shifts, withNeighbours(days), { before: shiftsOn(before), after: shiftsOn(after) }).map(
    ({ day, shift, withDay, withShift }) => `${day} ${shift.id} ${withDay} ${withShift.id}`,
  )
const inHeld = (held: Held) =>
  conflicts(
    zone,
    days.flatMap(day => (held[day] ?? []).map(id => ({ day, shift: shifts.get(id) as Duty & { id: string } }))),
  ).map(([one, other]) => `${one.day} ${one.shift.id} ${other.day} ${other.shift.id}`)

const held = fc
  .tuple(...days.map(() => fc.uniqueArray(fc.constantFrom(...shifts.keys()), { maxLength: 4 })))
  .map(list => Object.fromEntries(days.map((day, i) => [day, list[i] ?? []])))

test('taking one of three away makes none of the two that stood in conflict before', () => {
  const [day = ''] = days
  expect(judge({ [day]: ['early', 'noon', 'late'] }, { [day]: ['early', 'noon'] })).toEqual([])
})

test('a change that only takes away brings none about, whatever stood there', () => {
  fc.assert(
    fc.property(held, held, (before, other) => {
      const after = Object.fromEntries(
        days.map(day => [day, shiftsOn(before)(day).filter(id => !other[day]?.includes(id))]),
      )
      expect(judge(before, after)).toEqual([])
    }),
  )
})

test('what it finds stands in the days afterwards and did not before, and nothing else is new', () => {
  fc.assert(
    fc.property(held, held, (before, after) => {
      const was = new Set(inHeld(before))
      expect(judge(before, after).sort()).toEqual(
        inHeld(after)
          .filter(pair => !was.has(pair))
          .sort(),
      )
    }),
  )
})

test('the board finds what the server does, whichever days of them it paints', () => {
  const words = { name: '', color: 'teal' as const, words: '', hours: '', letters: '' }
  const shown = new Map([...shifts].map(([id, shift]) => [id, { ...words, ...shift }]))
  fc.assert(
    fc.property(held, held, fc.subarray(days, { minLength: 1 }), (before, wanted, painted) => {
      const own = Object.fromEntries(painted.map(day => [day, wanted[day] ?? []]))
      const people = new Map([['ann', { employee: 'ann', name: 'Ann', department: 'd', days: before }]])
      const found = makeJudge({ zone, shifts: shown })({ ann: own }, people).get('ann')?.conflicts ?? []
      expect(
        found.map(({ day, shift, withDay, withShift }) => `${day} ${shift} ${withDay} ${withShift}`).sort(),
      ).toEqual(judge(before, { ...before, ...own }).sort())
    }),
  )
})
