import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { employeeKey } from '../../shared/employee.ts'
import { exceptionPk, type RaisedException } from '../../shared/exception.ts'
import { daysBetween } from '../../shared/local-day.ts'
import type { LockedChange } from '../../shared/lock.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey } from '../../shared/shift.ts'
import { dayAt, fixedShift, idOf, openWorked, type Worked, weeklyShift } from '../kit/worked.ts'

// A changed shift recalculates its days. The tests run the recalculation in parallel, in parts, after a crash, and
// beside locked days or unreadable data.

let worked: Awaited<ReturnType<typeof openWorked>>
let company: Worked
const shift = 's'.repeat(16)
const people = 60
const everyone = Array.from({ length: people }, (_, n) => n)
const [from, to] = [dayAt(-3), dayAt(-1)]
const days = daysBetween(from, to)
const spans = everyone.map(n => ({ employee: idOf(n), from, to }))
const timeout = { timeout: 10_000 }

const allRows = async (): Promise<DayRow[]> => (await Promise.all(everyone.map(company.rows))).flat()
const lates = async () => new Set((await allRows()).map(({ lateMinutes }) => lateMinutes))
/** All employees punch in at 09:10. */
const edit = (changes: Parameters<typeof fixedShift>[1]) => company.keep(fixedShift(shift, changes))

beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())
beforeEach(async () => {
  company = await worked.found(people)
  await edit({})
  await Promise.all(
    everyone.map(async n => {
      await company.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift]])))
      for (const day of days) await company.punch(n, day, '09:10', '18:00')
    }),
  )
  const first = await company.recalculate(spans)
  expect(first).toMatchObject({ employees: people, rows: people * days.length, handedOn: 0 })
  expect(await lates()).toEqual(new Set([10]))
  // Changes the shift without a recalculation.
  const stored = await company.table.get(shiftKey(shift))
  if (!stored) throw new Error('No shift')
  await worked.save(company.table.replace(shiftKey(shift), { ...stored, allowedLateMinutes: 15 }))
  worked.heard.length = 0
})

test('a recalculation writes each changed row once and reports its progress, and a repetition writes nothing', async () => {
  const work = company.work()
  const result = await company.recalculate(spans, work)
  expect(result).toMatchObject({ employees: people, rows: people * days.length, handedOn: 0 })
  expect(await lates()).toEqual(new Set([0]))
  const total = work.said[0]?.[2]
  expect(work.said.map(([step, , of]) => [step, of])).toEqual(work.said.map(() => ['calculate', total]))
  expect(work.said.map(([, count]) => count)).toEqual(work.said.map(([, count]) => count).sort((a, b) => a - b))
  expect(work.said.at(-1)).toEqual(['calculate', result.days, result.days])
  expect(work.said.length).toBeGreaterThan(2)
  const before = await allRows()
  expect(before.every(row => (row as { version?: number }).version === 2)).toBe(true)
  expect(await company.recalculate(spans)).toMatchObject({ employees: people, rows: 0 })
  expect(await allRows()).toEqual(before)
})

test('simultaneous recalculations, in parts and in any order, have the result of a single recalculation', async () => {
  await Promise.all([
    company.recalculate(spans),
    company.recalculate(spans.toReversed()),
    ...everyone
      .slice(0, 20)
      .map(n => worked.days.calculateDays(company.table, [{ employee: idOf(n), from, to }], { kind: 'punch' })),
  ])
  expect(await lates()).toEqual(new Set([0]))
  expect(await company.recalculate(spans)).toMatchObject({ rows: 0 })
})

test('after a crash, the next run continues behind the finished rows', async () => {
  const work = company.work()
  work.pause = () => {
    throw new Error('The lights went out')
  }
  await expect(company.recalculate(spans, work)).rejects.toThrow('lights')
  const halfway = (await allRows()).filter(({ lateMinutes }) => lateMinutes === 0).length
  expect(halfway).toBeGreaterThan(0)
  expect(halfway).toBeLessThan(people * days.length)
  const next = company.work(work.memory)
  const result = await company.recalculate(spans, next)
  expect(next.said[0]?.[1]).toBeGreaterThan(0)
  expect(result).toMatchObject({ employees: people, days: next.said.at(-1)?.[1] })
  expect(await lates()).toEqual(new Set([0]))
})

test('an employee with unreadable data does not delay other employees, and gets a separate event', async () => {
  const [unreadable, invalid] = [idOf(7), idOf(40)]
  await worked.save(
    company.table.put(scheduleKey(monthOf(to), unreadable), {
      employee: unreadable,
      month: monthOf(to),
      days: null as never,
    }),
  )
  await company.keep(fixedShift('x'.repeat(16), { breaks: null as never }))
  await company.schedule(invalid, Object.fromEntries(days.map(day => [day, ['x'.repeat(16)]])))
  const result = await company.recalculate(spans)
  expect(result).toMatchObject({ employees: people, handedOn: 2, rows: (people - 2) * days.length })
  for (const n of everyone) {
    const late = new Set((await company.rows(n)).map(({ lateMinutes }) => lateMinutes))
    expect(late, String(n)).toEqual(new Set([n === 7 || n === 40 ? 10 : 0]))
  }
  await expect.poll(() => worked.heard.length, timeout).toBe(2)
  expect(worked.heard.map(fact => fact.type === 'days.due' && fact.employee).sort()).toEqual([unreadable, invalid])
})

test('locked days are never written, added or removed', async () => {
  const settings = await company.table.get(companyKey())
  if (!settings) throw new Error('No company')
  await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: dayAt(-2) }))
  await company.schedule(idOf(1), Object.fromEntries(days.map(day => [day, []])))
  await company.punch(2, dayAt(-6), '09:00', '10:00')
  const before = await allRows()
  const result = await company.recalculate([...spans, { employee: idOf(2), from: dayAt(-9), to }])
  // Employee 1 has no schedule any more: one row is removed and one row is added.
  expect(result.rows).toBe(people + 1)
  const isLocked = ({ day }: DayRow) => day <= dayAt(-2)
  expect((await allRows()).filter(isLocked)).toEqual(before.filter(isLocked))
  const unlocked = (await allRows()).filter(row => !isLocked(row))
  expect(unlocked).toHaveLength(people)
  expect(unlocked.filter(({ employee }) => employee !== idOf(1)).every(({ lateMinutes }) => lateMinutes === 0)).toBe(
    true,
  )
  // Without a schedule, punches count as work without a shift.
  expect(unlocked.find(({ employee }) => employee === idOf(1))).toMatchObject({ shift: null, overtimeMinutes: 530 })
  const listChanges = () => company.table.all<LockedChange>({ pk: 'LOCKED_CHANGE' })
  const cause = { kind: 'shift/update', task: 't'.repeat(16), by: idOf(0) }
  // Two locked days per employee lose their lateness. Employee 1 also loses two rows and gains two. Employee 2 has a
  // late punch.
  expect(await listChanges()).toHaveLength(2 * people + 3)
  const note = (await listChanges()).find(({ employee, day }) => employee === idOf(3) && day === dayAt(-3))
  expect(note).toMatchObject({ before: { lateMinutes: 10 }, after: { lateMinutes: 0 }, cause })
  const calculation = await worked.days.calculateDays(
    company.table,
    [{ employee: idOf(3), from: dayAt(-9), to: dayAt(-2) }],
    {
      kind: 'punch',
    },
  )
  expect(calculation).toEqual({ rows: 0, stuck: [] })
  const stored = await company.table.get(shiftKey(shift))
  if (!stored) throw new Error('No shift')
  await worked.save(company.table.replace(shiftKey(shift), { ...stored, allowedLateMinutes: 5 }))
  await company.recalculate(spans)
  // A pending change disappears when the locked row is correct again.
  expect((await listChanges()).map(({ employee }) => employee)).toEqual([...Array(4).fill(idOf(1)), idOf(2)])
})

test('a row shows the cause of its calculation, and a past day keeps its previous figures', async () => {
  const before = await allRows()
  expect(before.every(({ history }) => history === undefined)).toBe(true)
  await company.recalculate(spans)
  const cause = { kind: 'shift/update', task: 't'.repeat(16), by: idOf(0) }
  for (const row of await allRows()) {
    expect(row.cause).toEqual(cause)
    expect(row.history).toMatchObject([{ cause, at: row.calculatedAt, kind: 'work', figures: { lateMinutes: 10 } }])
  }
  await company.punch(0, to, '08:30')
  await worked.days.calculateDays(company.table, [{ employee: idOf(0), from, to }], { kind: 'punch' })
  const rows = await company.rows(0)
  expect(rows.map(({ cause, history }) => [cause.kind, history?.length])).toEqual([
    ['shift/update', 1],
    ['shift/update', 1],
    // The additional punch changes no figure, so the history gets no entry.
    ['punch', 1],
  ])
})

test('exceptions are saved with the row that raises them, and settle when the row loses them', async () => {
  const openExceptions = () => company.table.all<RaisedException>({ pk: exceptionPk('open') })
  await company.punch(4, dayAt(-5), '09:00')
  await company.schedule(idOf(4), Object.fromEntries([dayAt(-5), ...days].map(day => [day, [shift]])))
  const calculateDay = () =>
    worked.days.calculateDays(company.table, [{ employee: idOf(4), from: dayAt(-5), to: dayAt(-5) }], { kind: 'punch' })
  await calculateDay()
  expect(await openExceptions()).toMatchObject([
    { employee: idOf(4), day: dayAt(-5), type: 'missingOut', state: 'open' },
  ])
  await company.punch(4, dayAt(-5), '18:00')
  await calculateDay()
  expect(await openExceptions()).toEqual([])
  expect(await company.table.all({ pk: exceptionPk('settled') })).toHaveLength(1)
})

describe('a week of a weekly-flexible shift', () => {
  const week = 'w'.repeat(16)
  const monday = '2026-10-05'
  const weekdays = daysBetween(monday, '2026-10-09')
  const punchAll = async (times: string[]) => {
    for (const day of weekdays) await company.punch(0, day, ...times)
  }
  const figures = async () =>
    (await company.rows(0)).flatMap(({ day, week }) => (week ? [[day, week.targetMinutes, week.workMinutes]] : []))

  test('is calculated in full from any of its days, and again after one of its days is removed', async () => {
    await company.keep(weeklyShift(week, 2400))
    await company.schedule(idOf(0), Object.fromEntries(weekdays.map(day => [day, [week]])))
    await punchAll(['08:00', '18:00'])
    const at = (day: string) => [{ employee: idOf(0), from: day, to: day }]
    await worked.days.calculateDays(company.table, at('2026-10-07'), { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-09', 2400, 2700]])
    const last = (await company.rows(0)).find(({ day }) => day === '2026-10-09')
    expect(last?.week).toMatchObject({ settled: true, overtimeMinutes: 300, shortfallMinutes: 0 })
    // Without its last day, the week’s figures move to the day before.
    await company.schedule(idOf(0), Object.fromEntries(weekdays.slice(0, 4).map(day => [day, [week]])))
    await worked.days.calculateDays(company.table, at('2026-10-09'), { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-08', 2400, 2700]])
    // Without any scheduled day, the worked time is work without a shift.
    await company.schedule(idOf(0), { '2026-10-01': [shift] })
    await worked.days.calculateDays(company.table, at('2026-10-08'), { kind: 'punch' })
    expect(await figures()).toEqual([])
    const rows = (await company.rows(0)).filter(({ day }) => day >= monday && day <= '2026-10-09')
    expect(rows.map(({ kind, overtimeMinutes }) => [kind, overtimeMinutes])).toEqual(weekdays.map(() => ['rest', 600]))
  })

  test('uses the rules of its last day when the rules change within it', async () => {
    await company.keep(weeklyShift(week, 2400))
    await company.schedule(idOf(0), Object.fromEntries(weekdays.map(day => [day, [week]])))
    await punchAll(['08:00', '18:00'])
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    const { changeRules } = await import('../../shared/rule.ts')
    const { defaultParameters } = await import('../../shared/attendance/input.ts')
    const rules = changeRules(
      settings,
      { timezone: settings.timezone, parameters: { ...defaultParameters, bounceSeconds: 0 } },
      '2026-10-07',
    )
    await worked.save(company.table.replace(companyKey(), { ...settings, ...rules }))
    await worked.days.calculateDays(company.table, [{ employee: idOf(0), from: monday, to: monday }], { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-09', 2400, 2700]])
    const versions = (await company.rows(0)).filter(({ day }) => day >= monday && day <= '2026-10-09')
    expect(versions.map(({ parametersVersion }) => parametersVersion)).toEqual([0, 0, 1, 1, 1])
  })
})

test('a recalculation during a change of the employee’s last day uses the new last day in the end', async () => {
  const stored = await company.table.get(employeeKey(idOf(0)))
  if (!stored) throw new Error('Nobody')
  await Promise.all([
    worked.save(company.table.replace(employeeKey(idOf(0)), { ...stored, endDay: dayAt(-2) })),
    company.recalculate(spans),
  ])
  await company.recalculate(spans.slice(0, 1))
  expect((await company.rows(0)).map(({ day, lateMinutes }) => [day, lateMinutes])).toEqual([
    [dayAt(-3), 0],
    [dayAt(-2), 0],
  ])
})
