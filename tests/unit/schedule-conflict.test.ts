import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Duty } from '../../shared/attendance/shift.ts'
import { conflicts } from '../../shared/attendance/shift.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { newConflicts, withNeighbours } from '../../shared/schedule/conflict.ts'
import { makeJudge } from '../../web/parts/board/plan-conflict.ts'

// The new conflicts of a change to an employee's days.

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
// The clocks of Athens go forward on the second day.
const days = daysBetween('2027-03-27', '2027-03-30')
type Days = Record<string, string[]>
const shiftsOn = (held: Days) => (day: string) => held[day] ?? []
const judge = (before: Days, after: Days) =>
  newConflicts(zone, shifts, withNeighbours(days), { before: shiftsOn(before), after: shiftsOn(after) }).map(
    ({ day, shift, withDay, withShift }) => `${day} ${shift.id} ${withDay} ${withShift.id}`,
  )
const allConflicts = (held: Days) =>
  conflicts(
    zone,
    days.flatMap(day => (held[day] ?? []).map(id => ({ day, shift: shifts.get(id) as Duty & { id: string } }))),
  ).map(([first, second]) => `${first.day} ${first.shift.id} ${second.day} ${second.shift.id}`)

const held = fc
  .tuple(...days.map(() => fc.uniqueArray(fc.constantFrom(...shifts.keys()), { maxLength: 4 })))
  .map(list => Object.fromEntries(days.map((day, i) => [day, list[i] ?? []])))

test('the removal of one of three shifts does not report a conflict that existed before', () => {
  const [day = ''] = days
  expect(judge({ [day]: ['early', 'noon', 'late'] }, { [day]: ['early', 'noon'] })).toEqual([])
})

test('a removal causes no conflict on any schedule', () => {
  fc.assert(
    fc.property(held, held, (before, other) => {
      const after = Object.fromEntries(
        days.map(day => [day, shiftsOn(before)(day).filter(id => !other[day]?.includes(id))]),
      )
      expect(judge(before, after)).toEqual([])
    }),
  )
})

test('newConflicts finds exactly the conflicts that exist after the change and not before', () => {
  fc.assert(
    fc.property(held, held, (before, after) => {
      const earlier = new Set(allConflicts(before))
      expect(judge(before, after).sort()).toEqual(
        allConflicts(after)
          .filter(pair => !earlier.has(pair))
          .sort(),
      )
    }),
  )
})

test('the board finds the same conflicts as the server for any changed days', () => {
  const words = { name: '', color: 'teal' as const, words: '', hours: '', letters: '' }
  const boardShifts = new Map([...shifts].map(([id, shift]) => [id, { ...words, ...shift }]))
  fc.assert(
    fc.property(held, held, fc.subarray(days, { minLength: 1 }), (before, wanted, changedDays) => {
      const plan = Object.fromEntries(changedDays.map(day => [day, wanted[day] ?? []]))
      const people = new Map([['ann', { employee: 'ann', name: 'Ann', department: 'd', days: before }]])
      const boardConflicts = makeJudge({ zone, shifts: boardShifts })({ ann: plan }, people).get('ann')?.conflicts ?? []
      expect(
        boardConflicts.map(({ day, shift, withDay, withShift }) => `${day} ${shift} ${withDay} ${withShift}`).sort(),
      ).toEqual(judge(before, { ...before, ...plan }).sort())
    }),
  )
})
