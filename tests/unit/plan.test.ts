import { expect, test } from 'vitest'
import { type Change, requestsFor, withChanges } from '../../web/parts/plan.ts'

// What the schedule board sends for what was painted on it.

const change = (employee: string, day: string, wanted: string[], held: string[] = []): Change => ({
  employee,
  day,
  wanted,
  held,
})
const asked = (changes: Change[]) => requestsFor(changes).map(({ path, input }) => [path, input])

test('a painted rectangle is one request', () => {
  const changes = ['ann', 'bob'].flatMap(who => ['2027-01-04', '2027-01-05'].map(day => change(who, day, ['day'])))
  expect(asked(changes)).toEqual([
    ['schedule/update', { employees: ['ann', 'bob'], days: ['2027-01-04', '2027-01-05'], shift: 'day' }],
  ])
})

test('employees whose days differ are asked for apart, each day once', () => {
  const changes = [change('ann', '2027-01-04', ['day']), change('bob', '2027-01-05', ['day'])]
  expect(asked(changes)).toEqual([
    ['schedule/update', { employees: ['ann'], days: ['2027-01-04'], shift: 'day' }],
    ['schedule/update', { employees: ['bob'], days: ['2027-01-05'], shift: 'day' }],
  ])
})

test('days are cleared before others are filled, in runs that leave out what lies between', () => {
  const changes = [
    change('ann', '2027-01-08', ['day']),
    change('ann', '2027-01-31', [], ['day']),
    change('ann', '2027-02-01', [], ['day']),
    change('ann', '2027-02-03', [], ['day']),
  ]
  expect(asked(changes)).toEqual([
    ['schedule/clear', { employees: ['ann'], from: '2027-01-31', to: '2027-02-01' }],
    ['schedule/clear', { employees: ['ann'], from: '2027-02-03', to: '2027-02-03' }],
    ['schedule/update', { employees: ['ann'], days: ['2027-01-08'], shift: 'day' }],
  ])
})

test('a shift beside what is held is added; two shifts on a free day are one assigned and one added', () => {
  const changes = [
    change('ann', '2027-01-04', ['early', 'late'], ['early']),
    change('bob', '2027-01-04', ['early', 'late']),
  ]
  expect(asked(changes)).toEqual([
    ['schedule/update', { employees: ['bob'], days: ['2027-01-04'], shift: 'early' }],
    ['schedule/add', { employees: ['ann', 'bob'], days: ['2027-01-04'], shift: 'late' }],
  ])
})

test('no request names more than 500 employees or 62 days, and together they name every change once', () => {
  const days = Array.from({ length: 70 }, (_, index) =>
    new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10),
  )
  const changes = Array.from({ length: 510 }, (_, who) => days.map(day => change(`e${who}`, day, ['day']))).flat()
  const requests = requestsFor(changes)
  expect(requests.every(({ input }) => input.employees.length <= 500)).toBe(true)
  expect(requests.every(({ input }) => 'days' in input && input.days.length <= 62)).toBe(true)
  const named = requests.flatMap(({ changes }) => changes)
  expect(named).toHaveLength(changes.length)
  expect(new Set(named).size).toBe(changes.length)
})

test('painting a day back to what it was leaves nothing to save', () => {
  const painted = withChanges({}, [change('ann', '2027-01-04', ['day'], ['late'])])
  expect(painted).toEqual({ ann: { '2027-01-04': ['day'] } })
  expect(withChanges(painted, [change('ann', '2027-01-04', ['late'], ['late'])])).toEqual({})
})
