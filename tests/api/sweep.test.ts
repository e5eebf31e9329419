import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { companyKey, zoneKey, zonesKey } from '../../shared/company.ts'
import type { Fact } from '../../shared/fact.ts'
import { punchKey } from '../../shared/punch.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import { type Sweep, sweepKey, sweepPlaceKey } from '../../shared/sweep.ts'
import { type OpenTask, openTaskKey, taskKey } from '../../shared/task.ts'
import { dayAt, fixedShift, idOf, openWorked, today, type Worked, zone } from '../kit/worked.ts'

// Facts are lost on purpose: nobody here tells any. What they were about is found all the same.

let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked
let directory: ReturnType<typeof import('../../functions/kit/table.ts').directory>
let sweep: typeof import('../../events/sweep.ts').handler
let lookOver: typeof import('../../functions/day/sweep.ts').lookOver
const shift = 'a'.repeat(16)
const [hour, day] = [3_600_000, 24 * 3_600_000]
const now = Date.now()
const iso = (at: number) => new Date(at).toISOString()

const lateOf = async (n: number) => Object.fromEntries((await mine.rows(n)).map(row => [row.day, row.lateMinutes]))
/** Received not long ago, and long enough for a job to have had its time. */
const punchLately = async (n: number, receivedAt = now - hour) => {
  const key = punchKey({ number: String(100 + n), localTime: `${dayAt(-1)}T08:30:00`, sn: 'T1' })
  await mine.punch(n, dayAt(-1), '08:30')
  const punch = await mine.table.get(key)
  if (punch) await worked.save(mine.table.put(key, { ...punch, receivedAt: iso(receivedAt) }))
}
/** As the company was left by the sweep's last look, so long ago. */
const lookedAt = (at: number, more: Partial<Sweep> = {}) =>
  worked.save(mine.table.put(sweepKey(), { at: iso(at), ...more }))

beforeAll(async () => {
  worked = await openWorked()
  directory = (await import('../../functions/kit/table.ts')).directory()
  sweep = (await import('../../events/sweep.ts')).handler
  lookOver = (await import('../../functions/day/sweep.ts')).lookOver
})
afterAll(() => worked.world.close())
beforeEach(async () => {
  worked.heard.length = 0
  mine = await worked.found(3)
  await mine.keep(fixedShift(shift))
  await worked.save(directory.put(zonesKey(zone), { zone }), directory.put(zoneKey(zone, mine.company), mine))
  for (const n of [0, 1, 2]) {
    await mine.schedule(idOf(n), { [dayAt(-10)]: [shift], [dayAt(-1)]: [shift], [today]: [shift] })
    await mine.punch(n, dayAt(-10), '09:00', '18:00')
    await mine.punch(n, dayAt(-1), '09:10', '18:00')
  }
  await mine.recalculate([0, 1, 2].map(n => ({ employee: idOf(n), from: dayAt(-10), to: today })))
  worked.heard.length = 0
})

test('a punch whose fact was lost stands in its day some hours later, and only that day is written', async () => {
  await punchLately(1)
  await sweep({ time: iso(now) })
  expect(await lateOf(1)).toMatchObject({ [dayAt(-1)]: 0 })
  expect((await mine.rows(1)).find(row => row.day === dayAt(-1))?.cause).toEqual({ kind: 'sweep' })
  expect(await lateOf(0)).toMatchObject({ [dayAt(-1)]: 10 })
  expect(await mine.table.get(sweepKey())).toMatchObject({ at: iso(now) })

  const before = await Promise.all([0, 1, 2].map(mine.rows))
  await Promise.all([sweep({ time: iso(now) }), sweep({ time: iso(now + 6 * hour) })])
  expect(await Promise.all([0, 1, 2].map(mine.rows))).toEqual(before)
})

test('what a job may still be doing is left to it', async () => {
  await punchLately(1, now - 60_000)
  await sweep({ time: iso(now) })
  expect(await lateOf(1)).toMatchObject({ [dayAt(-1)]: 10 })
})

test('within a week any change of the last two months is found, but for what is locked', async () => {
  await mine.keep(fixedShift(shift, { allowedLateMinutes: 0, onDuty: '08:30' }))
  const company = await mine.table.get(companyKey())
  if (!company) throw new Error('No company')
  await lookedAt(now - 8 * day)
  await worked.save(mine.table.replace(companyKey(), { ...company, lockedTo: dayAt(-10) }))
  await sweep({ time: iso(now) })
  expect((await lateOf(2))[dayAt(-10)]).toBe(0)

  const locked = await mine.table.get(companyKey())
  if (!locked) throw new Error('No company')
  const { lockedTo: _, ...open } = locked
  await worked.save(mine.table.replace(companyKey(), open))
  await lookedAt(now - 8 * day)
  await sweep({ time: iso(now) })
  for (const n of [0, 1, 2]) expect((await lateOf(n))[dayAt(-10)]).toBe(30)
})

test('a day that nobody summed up is', async () => {
  expect(await mine.table.get(summaryKey(wholeCompany, today))).toBeUndefined()
  await sweep({ time: iso(now) })
  expect(await mine.table.get(summaryKey(wholeCompany, today))).toMatchObject({ should: 3, active: 0 })
})

test('of many people so many are looked at in one run, and the others in the next', async () => {
  for (const n of [0, 1, 2]) await punchLately(n)
  const company = await mine.table.get(companyKey())
  if (!company) throw new Error('No company')
  const first = await lookOver(mine.table, company, undefined, now, 2)
  expect(first.sweep).toMatchObject({ after: idOf(1), began: iso(now) })
  expect((await lateOf(2))[dayAt(-1)]).toBe(10)
  const next = await lookOver(mine.table, company, first.sweep, now + hour, 2)
  expect(next.sweep).toEqual({ at: iso(now) })
  for (const n of [0, 1, 2]) expect((await lateOf(n))[dayAt(-1)]).toBe(0)
})

test('a run begins behind the company at which the last had no more time', async () => {
  await punchLately(1)
  await worked.save(directory.put(sweepPlaceKey, { zone, company: mine.company }))
  await sweep({ time: iso(now) })
  expect(await lateOf(1)).toMatchObject({ [dayAt(-1)]: 10 })
  await sweep({ time: iso(now) })
  expect(await lateOf(1)).toMatchObject({ [dayAt(-1)]: 0 })
})

describe('a task that nobody does', () => {
  const asker = { id: 'g'.repeat(16) }
  const open = () => mine.table.all<OpenTask>({ pk: openTaskKey('').pk })
  const begin = async (createdAt: number, kind: 'shift/update' | 'record/export' = 'shift/update') => {
    const { newTask } = await import('../../functions/kit/task.ts')
    const caller = { table: mine.table, employee: asker, language: 'en', ip: '', requestId: 'r' }
    const { task, writes } = newTask(caller as never, kind, { id: shift } as never)
    await worked.save(...writes)
    const found = await mine.table.get(taskKey(asker.id, task))
    if (!found) throw new Error('No task')
    await worked.save(mine.table.replace(taskKey(asker.id, task), { ...found, createdAt: iso(createdAt) }))
    return task
  }
  const told = async () => {
    while (worked.world.bus.waiting() > 0) await new Promise(resolve => setTimeout(resolve, 5))
    const isMine = (fact: Fact) => fact.company === mine.company
    return worked.heard
      .splice(0)
      .filter(fact => isMine(fact) && (fact.type === 'task.due' || fact.type === 'sheet.due'))
  }

  test('is told again, but not for ever', async () => {
    const task = await begin(now - hour)
    const fact = { company: mine.company, employee: asker.id, task }
    for (let tries = 1; tries <= 3; tries++) {
      await sweep({ time: iso(now + tries * hour) })
      expect(await told()).toEqual([{ type: 'task.due', ...fact }])
    }
    await sweep({ time: iso(now + 4 * hour) })
    expect(await told()).toEqual([])
    expect(await open()).toMatchObject([{ id: task, tries: 3 }])
  })

  test('is told to the job that makes files, if it is one of those', async () => {
    const task = await begin(now - hour, 'record/export')
    await sweep({ time: iso(now) })
    expect(await told()).toMatchObject([{ type: 'sheet.due', task }])
  })

  test('is left alone while it is new, or somebody does it, or it waits for terminals', async () => {
    await begin(now)
    const [held, waiting] = [await begin(now - hour), await begin(now - hour)]
    const change = async (id: string, more: object) => {
      const task = await mine.table.get(taskKey(asker.id, id))
      if (!task) throw new Error('No task')
      await worked.save(mine.table.replace(taskKey(asker.id, id), { ...task, ...more }))
    }
    await change(held, { run: { id: 'r', until: now } })
    await change(waiting, { step: 'wait' })
    await sweep({ time: iso(now) })
    expect(await told()).toEqual([])
    // Of days that a task is just calculating nothing is lost.
    expect(await mine.table.get(sweepKey())).toBeUndefined()
    await change(held, { run: undefined, state: 'done' })
    await sweep({ time: iso(now) })
    expect((await open()).map(({ id }) => id)).not.toContain(held)
    expect(await mine.table.get(sweepKey())).toBeDefined()
  })
})
