import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import { employeeKey } from '../../shared/employee.ts'
import { holidayKey } from '../../shared/holiday.ts'
import type { LockedChange } from '../../shared/lock.ts'
import { openTaskKey, taskKey } from '../../shared/task.ts'
import { rightBefore } from '../kit/right-before.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked } from '../kit/worked.ts'

// Somebody's day, while the company is locked, opened or failing at the very moment it is calculated.

let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked
const [early, late] = ['a'.repeat(16), 'b'.repeat(16)]
const day = dayAt(-4)
const calculate = () =>
  worked.days.calculateDays(mine.table, [{ employee: idOf(0), from: day, to: day }], { kind: 'punch' })
const notes = () => mine.table.all<LockedChange>({ pk: 'LOCKED_CHANGE' })

const setLock = async (lockedTo: string | undefined) => {
  const company = await mine.table.get(companyKey())
  if (!company) throw new Error('No company')
  const { lockedTo: _, ...open } = company
  await worked.save(mine.table.replace(companyKey(), { ...open, ...(lockedTo && { lockedTo }) }))
}

beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())
afterEach(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  mine = await worked.found(1)
  await mine.keep(fixedShift(early))
  await mine.keep(fixedShift(late, { allowedLateMinutes: 20 }))
  await mine.schedule(idOf(0), { [day]: [early] })
  await mine.punch(0, day, '09:10', '18:00')
  await calculate()
})

describe('a day', () => {
  test('that is locked while its row is written keeps what it held, and tells what it would be', async () => {
    const paid = await mine.rows(0)
    await mine.punch(0, day, '08:00')
    const isLocked = rightBefore(
      input => input.includes('DAY#') && input.includes('calculatedAt'),
      () => setLock(day),
    )
    await calculate()
    expect(isLocked()).toBe(true)
    const rows = await mine.rows(0)
    expect(rows.map(({ version: _, ...row }) => row)).toEqual(paid.map(({ version: _, ...row }) => row))
    expect(await notes()).toMatchObject([{ before: { lateMinutes: 10 }, after: { lateMinutes: 0 } }])
  })

  test('that is opened while a note of it is written has none', async () => {
    await setLock(day)
    await mine.punch(0, day, '08:00')
    const isOpened = rightBefore(
      input =>
        input.includes('"LOCKED_CHANGE"') === false && input.includes('LOCKED_CHANGE') && input.includes('cause'),
      async () => {
        await setLock(undefined)
        await calculate()
      },
    )
    await calculate()
    expect(isOpened()).toBe(true)
    expect((await mine.rows(0)).map(({ lateMinutes }) => lateMinutes)).toEqual([0])
    expect(await notes()).toEqual([])
  })

  test('of the past keeps its department, its holidays and what it said before under another shift', async () => {
    const holiday = { id: 'h'.repeat(16), name: 'H', from: day, to: day, departments: departments.slice(0, 1) }
    await worked.save(mine.table.insert(holidayKey(holiday.id), holiday))
    await calculate()
    const person = await mine.table.get(employeeKey(idOf(0)))
    if (!person) throw new Error('Nobody')
    await worked.save(mine.table.replace(employeeKey(idOf(0)), { ...person, department: departments[1] ?? '' }))
    await mine.schedule(idOf(0), { [day]: [late] })
    await calculate()
    const rows = await mine.rows(0)
    expect(rows).toMatchObject([{ shift: late, kind: 'holiday', department: departments[0] }])
    expect(rows[0]?.history).toMatchObject([{ kind: 'work', figures: { lateMinutes: 10 } }])
    expect(await calculate()).toMatchObject({ rows: 0 })
  })
})

test('a recalculation that is owed is tried until it is done, whatever fails and whoever leaves; until then nothing is locked', async () => {
  const { newTask } = await import('../../functions/kit/task.ts')
  const { performing } = await import('../../functions/kit/task/run.ts')
  const { recalculateShift } = await import('../../functions/shift/task.ts')
  const asker = { id: 'g'.repeat(16) }
  const caller = { table: mine.table, employee: asker, language: 'en', ip: '', requestId: 'r' }
  const { task, writes } = newTask(caller as never, 'shift/update', { id: early } as never)
  await mine.keep(fixedShift(early, { allowedLateMinutes: 30 }))
  await worked.save(...writes)
  const owed = () => mine.table.all({ pk: openTaskKey('').pk })
  expect(await owed()).toHaveLength(1)

  const perform = performing('perform', ['task.due'], () => ({ 'shift/update': recalculateShift }) as never)
  const detail = { type: 'task.due', company: mine.company, employee: asker.id, task }
  const told = async () => {
    const { batchItemFailures } = await perform({
      Records: [{ messageId: 'm', body: JSON.stringify({ detail }) }],
    } as never)
    return batchItemFailures.length
  }
  const fail = async () => {
    throw new Error('Throttled')
  }
  rightBefore(input => input.includes('SHIFT_USE'), fail, { isAlways: true })
  for (let fault = 1; fault <= 4; fault++) expect(await told()).toBe(1)
  expect(await owed()).toHaveLength(1)
  vi.restoreAllMocks()
  expect(await told()).toBe(0)
  expect(await mine.table.get(taskKey(asker.id, task))).toMatchObject({ state: 'done', recalculated: { rows: 1 } })
  expect((await mine.rows(0)).map(({ lateMinutes }) => lateMinutes)).toEqual([0])
  expect(await owed()).toEqual([])
})
