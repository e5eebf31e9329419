import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { companyKey, zoneKey, zonesKey } from '../../shared/company.ts'
import type { Fact } from '../../shared/fact.ts'
import { punchKey } from '../../shared/punch.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import { type Sweep, sweepKey, sweepPlaceKey } from '../../shared/sweep.ts'
import { type OpenTask, openTaskKey, taskKey } from '../../shared/task.ts'
import { dayAt, fixedShift, idOf, openWorked, today, type Worked, zone } from '../kit/worked.ts'

// Here the jobs receive no events, so only the sweep can find the changes.

let worked: Awaited<ReturnType<typeof openWorked>>
let company: Worked
let directory: ReturnType<typeof import('../../functions/kit/table.ts').directory>
let sweep: typeof import('../../events/sweep.ts').handler
let lookOver: typeof import('../../functions/day/sweep.ts').lookOver
const shift = 'a'.repeat(16)
const [hour, day] = [3_600_000, 24 * 3_600_000]
const now = Date.now()
const iso = (at: number) => new Date(at).toISOString()

const lateByDay = async (n: number) =>
  Object.fromEntries((await company.rows(n)).map(row => [row.day, row.lateMinutes]))
/** Adds a punch received an hour ago, so that its job would have had time. */
const punchLately = async (n: number, receivedAt = now - hour) => {
  const key = punchKey({ number: String(100 + n), localTime: `${dayAt(-1)}T08:30:00`, sn: 'T1' })
  await company.punch(n, dayAt(-1), '08:30')
  const punch = await company.table.get(key)
  if (punch) await worked.save(company.table.put(key, { ...punch, receivedAt: iso(receivedAt) }))
}
/** Plants the state of the last sweep. */
const setLastSweep = (at: number, more: Partial<Sweep> = {}) =>
  worked.save(company.table.put(sweepKey(), { at: iso(at), ...more }))

beforeAll(async () => {
  worked = await openWorked()
  directory = (await import('../../functions/kit/table.ts')).directory()
  sweep = (await import('../../events/sweep.ts')).handler
  lookOver = (await import('../../functions/day/sweep.ts')).lookOver
})
afterAll(() => worked.world.close())
beforeEach(async () => {
  worked.heard.length = 0
  company = await worked.found(3)
  await company.keep(fixedShift(shift))
  await worked.save(directory.put(zonesKey(zone), { zone }), directory.put(zoneKey(zone, company.company), company))
  for (const n of [0, 1, 2]) {
    await company.schedule(idOf(n), { [dayAt(-10)]: [shift], [dayAt(-1)]: [shift], [today]: [shift] })
    await company.punch(n, dayAt(-10), '09:00', '18:00')
    await company.punch(n, dayAt(-1), '09:10', '18:00')
  }
  await company.recalculate([0, 1, 2].map(n => ({ employee: idOf(n), from: dayAt(-10), to: today })))
  worked.heard.length = 0
})

test('the sweep adds a punch whose event was lost to its day, and writes only that day', async () => {
  await punchLately(1)
  await sweep({ time: iso(now) })
  expect(await lateByDay(1)).toMatchObject({ [dayAt(-1)]: 0 })
  expect((await company.rows(1)).find(row => row.day === dayAt(-1))?.cause).toEqual({ kind: 'sweep' })
  expect(await lateByDay(0)).toMatchObject({ [dayAt(-1)]: 10 })
  expect(await company.table.get(sweepKey())).toMatchObject({ at: iso(now) })

  const before = await Promise.all([0, 1, 2].map(company.rows))
  await Promise.all([sweep({ time: iso(now) }), sweep({ time: iso(now + 6 * hour) })])
  expect(await Promise.all([0, 1, 2].map(company.rows))).toEqual(before)
})

test('the sweep skips recent punches, because their job may still run', async () => {
  await punchLately(1, now - 60_000)
  await sweep({ time: iso(now) })
  expect(await lateByDay(1)).toMatchObject({ [dayAt(-1)]: 10 })
})

test('the sweep finds any change of the last two months within a week, except in locked days', async () => {
  await company.keep(fixedShift(shift, { allowedLateMinutes: 0, onDuty: '08:30' }))
  const settings = await company.table.get(companyKey())
  if (!settings) throw new Error('No company')
  await setLastSweep(now - 8 * day)
  await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: dayAt(-10) }))
  await sweep({ time: iso(now) })
  expect((await lateByDay(2))[dayAt(-10)]).toBe(0)

  const locked = await company.table.get(companyKey())
  if (!locked) throw new Error('No company')
  const { lockedTo: _, ...unlocked } = locked
  await worked.save(company.table.replace(companyKey(), unlocked))
  await setLastSweep(now - 8 * day)
  await sweep({ time: iso(now) })
  for (const n of [0, 1, 2]) expect((await lateByDay(n))[dayAt(-10)]).toBe(30)
})

test('the sweep writes a missing summary of a day', async () => {
  expect(await company.table.get(summaryKey(wholeCompany, today))).toBeUndefined()
  await sweep({ time: iso(now) })
  expect(await company.table.get(summaryKey(wholeCompany, today))).toMatchObject({ should: 3, active: 0 })
})

test('a run covers a limited number of employees, and the next run continues', async () => {
  for (const n of [0, 1, 2]) await punchLately(n)
  const settings = await company.table.get(companyKey())
  if (!settings) throw new Error('No company')
  const first = await lookOver(company.table, settings, undefined, now, 2)
  expect(first.sweep).toMatchObject({ after: idOf(1), began: iso(now) })
  expect((await lateByDay(2))[dayAt(-1)]).toBe(10)
  const next = await lookOver(company.table, settings, first.sweep, now + hour, 2)
  expect(next.sweep).toEqual({ at: iso(now) })
  for (const n of [0, 1, 2]) expect((await lateByDay(n))[dayAt(-1)]).toBe(0)
})

test('a run begins after the company at which the previous run stopped', async () => {
  await punchLately(1)
  await worked.save(directory.put(sweepPlaceKey, { zone, company: company.company }))
  await sweep({ time: iso(now) })
  expect(await lateByDay(1)).toMatchObject({ [dayAt(-1)]: 10 })
  await sweep({ time: iso(now) })
  expect(await lateByDay(1)).toMatchObject({ [dayAt(-1)]: 0 })
})

describe('a task that no job executes', () => {
  const asker = { id: 'g'.repeat(16) }
  const openTasks = () => company.table.all<OpenTask>({ pk: openTaskKey('').pk })
  const begin = async (createdAt: number, kind: 'shift/update' | 'record/export' = 'shift/update') => {
    const { newTask } = await import('../../functions/kit/task.ts')
    const caller = { table: company.table, employee: asker, language: 'en', ip: '', requestId: 'r' }
    const { task, writes } = newTask(caller as never, kind, { id: shift } as never)
    await worked.save(...writes)
    const stored = await company.table.get(taskKey(asker.id, task))
    if (!stored) throw new Error('No task')
    await worked.save(company.table.replace(taskKey(asker.id, task), { ...stored, createdAt: iso(createdAt) }))
    return task
  }
  const sentFacts = async () => {
    while (worked.world.bus.waiting() > 0) await new Promise(resolve => setTimeout(resolve, 5))
    const isMine = (fact: Fact) => fact.company === company.company
    return worked.heard
      .splice(0)
      .filter(fact => isMine(fact) && (fact.type === 'task.due' || fact.type === 'sheet.due'))
  }

  test('is sent again, but at most three times', async () => {
    const task = await begin(now - hour)
    const fact = { company: company.company, employee: asker.id, task }
    for (let tries = 1; tries <= 3; tries++) {
      await sweep({ time: iso(now + tries * hour) })
      expect(await sentFacts()).toEqual([{ type: 'task.due', ...fact }])
    }
    await sweep({ time: iso(now + 4 * hour) })
    expect(await sentFacts()).toEqual([])
    expect(await openTasks()).toMatchObject([{ id: task, tries: 3 }])
  })

  test('is sent to the export job when it exports a file', async () => {
    const task = await begin(now - hour, 'record/export')
    await sweep({ time: iso(now) })
    expect(await sentFacts()).toMatchObject([{ type: 'sheet.due', task }])
  })

  test('is not sent again while it is new, running or waiting for terminals', async () => {
    await begin(now)
    const [running, waiting] = [await begin(now - hour), await begin(now - hour)]
    const change = async (id: string, more: object) => {
      const task = await company.table.get(taskKey(asker.id, id))
      if (!task) throw new Error('No task')
      await worked.save(company.table.replace(taskKey(asker.id, id), { ...task, ...more }))
    }
    await change(running, { run: { id: 'r', until: now } })
    await change(waiting, { step: 'wait' })
    await sweep({ time: iso(now) })
    expect(await sentFacts()).toEqual([])
    // The sweep skips a company while a task calculates its days.
    expect(await company.table.get(sweepKey())).toBeUndefined()
    await change(running, { run: undefined, state: 'done' })
    await sweep({ time: iso(now) })
    expect((await openTasks()).map(({ id }) => id)).not.toContain(running)
    expect(await company.table.get(sweepKey())).toBeDefined()
  })
})
