import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { absenceKey } from '../../shared/absence.ts'
import { companyKey } from '../../shared/company.ts'
import { employeeKey } from '../../shared/employee.ts'
import { holidayKey } from '../../shared/holiday/day.ts'
import type { LockedChange } from '../../shared/lock.ts'
import { openTaskKey, taskKey } from '../../shared/task.ts'
import { rightBefore } from '../kit/right-before.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked } from '../kit/worked.ts'

// Calculates a day while the company locks or unlocks it, or while the table fails.

let worked: Awaited<ReturnType<typeof openWorked>>
let tenant: Worked
const [early, late] = ['a'.repeat(16), 'b'.repeat(16)]
const day = dayAt(-4)
const calculate = () =>
  worked.days.calculateDays(tenant.table, [{ employee: idOf(0), from: day, to: day }], { kind: 'punch' })
const notes = () => tenant.table.all<LockedChange>({ pk: 'LOCKED_CHANGE' })

const setLock = async (lockedTo: string | undefined) => {
  const company = await tenant.table.get(companyKey())
  if (!company) throw new Error('No company')
  const { lockedTo: _, ...open } = company
  await worked.save(tenant.table.replace(companyKey(), { ...open, ...(lockedTo && { lockedTo }) }))
}

beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())
afterEach(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  tenant = await worked.found(1)
  await tenant.keep(fixedShift(early))
  await tenant.keep(fixedShift(late, { allowedLateMinutes: 20 }))
  await tenant.schedule(idOf(0), { [day]: [early] })
  await tenant.punch(0, day, '09:10', '18:00')
  await calculate()
})

describe('a day', () => {
  test('locked during its calculation keeps its row and lists the pending change', async () => {
    const paid = await tenant.rows(0)
    await tenant.punch(0, day, '08:00')
    const isLocked = rightBefore(
      input => input.includes('DAY#') && input.includes('calculatedAt'),
      () => setLock(day),
    )
    await calculate()
    expect(isLocked()).toBe(true)
    const rows = await tenant.rows(0)
    expect(rows.map(({ version: _, ...row }) => row)).toEqual(paid.map(({ version: _, ...row }) => row))
    expect(await notes()).toMatchObject([{ before: { lateMinutes: 10 }, after: { lateMinutes: 0 } }])
  })

  test('unlocked while its pending change is written has no pending change in the end', async () => {
    await setLock(day)
    await tenant.punch(0, day, '08:00')
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
    expect((await tenant.rows(0)).map(({ lateMinutes }) => lateMinutes)).toEqual([0])
    expect(await notes()).toEqual([])
  })

  test('whose mark of absence a manager removes or sets during its calculation follows the last change', async () => {
    const other = dayAt(-6)
    const both = { [other]: [early], ...(other.slice(0, 7) === day.slice(0, 7) && { [day]: [early] }) }
    await tenant.schedule(idOf(0), both)
    await tenant.punch(0, other, '09:00')
    const calculateOther = () =>
      worked.days.calculateDays(tenant.table, [{ employee: idOf(0), from: other, to: other }], { kind: 'absence' })
    const row = async () => (await tenant.rows(0)).find(({ day }) => day === other)
    const mark = {
      employee: idOf(0),
      day: other,
      shift: early,
      minutes: 480,
      reason: 'Ill',
      by: idOf(1),
      madeAt: 'now',
    }
    const setMark = () => worked.save(tenant.table.insert(absenceKey(mark), mark))
    const removeMark = () => worked.save(tenant.table.remove(absenceKey(mark), 1))
    /** The run of the second change is faster, and finds the row as it should be. */
    const calculateWhile = async (change: () => Promise<unknown>) => {
      const hasChanged = rightBefore(
        input => input.includes('DAY#') && input.includes('calculatedAt'),
        async () => {
          await change()
          expect(await calculateOther()).toMatchObject({ rows: 0 })
        },
      )
      await calculateOther()
      expect(hasChanged()).toBe(true)
      vi.restoreAllMocks()
    }
    await calculateOther()
    expect(await row()).toMatchObject({ absentMinutes: 0, exceptions: ['missingOut'] })
    await setMark()
    await calculateWhile(removeMark)
    expect(await row()).toMatchObject({ absentMinutes: 0, exceptions: ['missingOut'] })

    await setMark()
    await calculateOther()
    expect(await row()).toMatchObject({ absentMinutes: 480, exceptions: [] })
    await removeMark()
    await calculateWhile(setMark)
    expect(await row()).toMatchObject({ absentMinutes: 480, exceptions: [] })
  })

  test('of the past keeps its department, its holidays, and the former figures in its history', async () => {
    const holiday = { id: 'h'.repeat(16), name: 'H', from: day, to: day, departments: departments.slice(0, 1) }
    await worked.save(tenant.table.insert(holidayKey(holiday.id), holiday))
    await calculate()
    const person = await tenant.table.get(employeeKey(idOf(0)))
    if (!person) throw new Error('Nobody')
    await worked.save(tenant.table.replace(employeeKey(idOf(0)), { ...person, department: departments[1] ?? '' }))
    await tenant.schedule(idOf(0), { [day]: [late] })
    await calculate()
    const rows = await tenant.rows(0)
    expect(rows).toMatchObject([{ shift: late, kind: 'holiday', department: departments[0] }])
    expect(rows[0]?.history).toMatchObject([{ kind: 'work', figures: { lateMinutes: 10 } }])
    expect(await calculate()).toMatchObject({ rows: 0 })
  })
})

test('a pending recalculation is retried until it succeeds, even after its author has left', async () => {
  const { newTask } = await import('../../functions/kit/task.ts')
  const { performing } = await import('../../functions/kit/task/run.ts')
  const { recalculateShift } = await import('../../functions/shift/task.ts')
  const author = { id: 'g'.repeat(16) }
  const caller = { table: tenant.table, employee: author, language: 'en', ip: '', requestId: 'r' }
  const { task, writes } = newTask(caller as never, 'shift/update', { id: early } as never)
  await tenant.keep(fixedShift(early, { allowedLateMinutes: 30 }))
  await worked.save(...writes)
  const owed = () => tenant.table.all({ pk: openTaskKey('').pk })
  expect(await owed()).toHaveLength(1)

  const perform = performing('perform', ['task.due'], () => ({ 'shift/update': recalculateShift }) as never)
  const detail = { type: 'task.due', company: tenant.company, employee: author.id, task }
  const countFailures = async () => {
    const { batchItemFailures } = await perform({
      Records: [{ messageId: 'm', body: JSON.stringify({ detail }) }],
    } as never)
    return batchItemFailures.length
  }
  const fail = async () => {
    throw new Error('Throttled')
  }
  rightBefore(input => input.includes('SHIFT_USE'), fail, { isAlways: true })
  for (let fault = 1; fault <= 4; fault++) expect(await countFailures()).toBe(1)
  expect(await owed()).toHaveLength(1)
  vi.restoreAllMocks()
  expect(await countFailures()).toBe(0)
  expect(await tenant.table.get(taskKey(author.id, task))).toMatchObject({ state: 'done', recalculated: { rows: 1 } })
  expect((await tenant.rows(0)).map(({ lateMinutes }) => lateMinutes)).toEqual([0])
  expect(await owed()).toEqual([])
})
