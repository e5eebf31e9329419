import { expect, test } from 'vitest'
import { warnAboutPlan } from '../../shared/attendance/check/board.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'

// The demo company keeps the rules that the product checks.

test('everybody in the demo rests for eleven hours between two days', async () => {
  const { departments, people, plannedShift, shifts } = await import('../../infra/local/demo.ts')
  const days = daysBetween('2026-01-01', addDays('2026-01-01', 120))
  for (const person of people.keys())
    for (const department of departments.keys()) {
      const planned = days.flatMap(day => {
        const shift = shifts[plannedShift(person, department, day) ?? -1]
        return shift ? [{ day, shift: { ...shift, version: 1 } }] : []
      })
      expect(planned.length).toBeGreaterThan(80)
      expect(warnAboutPlan('Europe/Berlin', planned, { restBetween: 660 }, { firstWeekday: 1 })).toEqual([])
    }
})
