import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Absence, absenceKey } from '../../shared/absence.ts'
import { figuresOf } from '../../shared/figure.ts'
import { dayAt, fixedShift, idOf, openWorked } from '../kit/worked.ts'

// The cause of a row, if several facts about a day arrive together.

let worked: Awaited<ReturnType<typeof openWorked>>
beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())

test('a mark of absence is the cause of a row, even if a late punch calculates the row first', async () => {
  const company = await worked.found(1)
  const shift = fixedShift('s'.repeat(16), { raisesException: true })
  const [employee, day] = [idOf(0), dayAt(-3)]
  const span = { employee, from: day, to: day }
  await company.keep(shift)
  await company.schedule(employee, { [day]: [shift.id] })
  await company.punch(0, day, '09:30')
  await worked.days.calculateDays(company.table, [span], { kind: 'punch' })
  const rowOf = async () => (await company.rows(0)).find(row => row.day === day)
  const before = await rowOf()
  expect(before).toMatchObject({ exceptions: ['missingOut'], cause: { kind: 'punch' } })
  const minutes = before ? figuresOf(before).unresolvedMinutes : 0
  expect(minutes).toBeGreaterThan(0)
  const mark: Absence = {
    ...{ employee, day, shift: shift.id, minutes },
    ...{ reason: 'No news', by: idOf(9), madeAt: new Date().toISOString() },
  }
  await worked.save(company.table.insert(absenceKey(mark), mark))
  await worked.days.calculateDays(company.table, [span], { kind: 'punch' })
  expect(await rowOf()).toMatchObject({ absentMinutes: minutes, cause: { kind: 'absence', by: idOf(9) } })
  // The mark's own calculation finds nothing left to change.
  expect(await worked.days.calculateDays(company.table, [span], { kind: 'absence', by: idOf(9) })).toEqual({
    rows: 0,
    stuck: [],
  })
})
