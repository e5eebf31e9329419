import { expect, test } from 'vitest'
import { cellOn } from '../../shared/rotation.ts'
import { daysOf, weeksOf, weeksOnBoard } from '../../web/pages/schedule/weeks.ts'

// Rotation templates in the editor: other first weekdays, deleted shifts, and weeks of the board.

const monday = 1
const sunday = 0
const weeks = [
  ['early', 'early', 'early+extra', 'early', 'early', '', ''],
  ['late', 'late', 'late', 'late', 'leave', '', 'late'],
]
const template = { firstWeekday: monday, days: daysOf(weeks) }
const isShift = () => true

test('a template keeps its weeks, days off, double shifts and unchanged days', () => {
  expect(template.days.slice(2, 6)).toEqual([
    { shifts: ['early', 'extra'] },
    { shifts: ['early'] },
    { shifts: ['early'] },
    { shifts: [] },
  ])
  expect(template.days[11]).toEqual({})
  expect(weeksOf(template, monday, isShift)).toEqual({ weeks, isPart: false })
})

test('a template gives the same days in a company whose weeks begin on another weekday', () => {
  const { weeks: shifted } = weeksOf(template, sunday, isShift)
  // 2026-11-15 is a Sunday, and 2026-11-16 the Monday after it.
  for (let day = 16; day <= 29; day++) {
    const date = `2026-11-${day}`
    const own = cellOn({ weeks, starts: '2026-11-16' }, date)
    // The first Sunday-week begins with the Sunday that ends the first Monday-week.
    expect(cellOn({ weeks: shifted, starts: '2026-11-22' }, date)).toBe(own)
  }
})

test('a day with a shift that no longer exists stays unchanged', () => {
  const shown = weeksOf(template, monday, id => id !== 'extra')
  expect(shown.isPart).toBe(true)
  expect(shown.weeks[0]).toEqual(['early', 'early', 'leave', 'early', 'early', '', ''])
})

test('the weeks of a selection are those of the person on the board, without days outside the board', () => {
  const person = { employee: 'ann', first_name: '', last_name: '', workno: '', department: '', days: {}, leaves: [] }
  const days = ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2026-12-05', '2026-12-06', '2026-12-07']
  const shownAt = (_: object, day: string) =>
    day === '2026-12-02' ? ['early', 'late'] : day === '2026-12-07' ? ['late'] : []
  const selection = { first: '2026-12-03', last: '2026-12-07', days }
  expect(weeksOnBoard(person, selection, monday, shownAt)).toEqual([
    ['leave', '', 'early+late', '', '', '', ''],
    ['late', 'leave', 'leave', 'leave', 'leave', 'leave', 'leave'],
  ])
})
