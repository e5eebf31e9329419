import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { employeeKey } from '../../shared/employee.ts'
import { exceptionPk, type RaisedException } from '../../shared/exception.ts'
import { daysBetween } from '../../shared/local-day.ts'
import type { LockedChange } from '../../shared/lock.ts'
import { monthOf, scheduleKey } from '../../shared/schedule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { dayAt, fixedShift, idOf, openWorked, type Worked, weeklyShift } from '../kit/worked.ts'

// A changed shift and the days it touches: calculated again by many at once, in parts, late, again after a death, and beside
// somebody nothing can be calculated of.

let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked
const shift = 's'.repeat(16)
const people = 60
const everybody = Array.from({ length: people }, (_, n) => n)
const [from, to] = [dayAt(-3), dayAt(-1)]
const days = daysBetween(from, to)
const spans = everybody.map(n => ({ employee: idOf(n), from, to }))
const patient = { timeout: 10_000 }

const allRows = async (): Promise<DayRow[]> => (await Promise.all(everybody.map(mine.rows))).flat()
const lates = async () => new Set((await allRows()).map(({ lateMinutes }) => lateMinutes))
/** Everybody comes at 09:10. */
const edit = (changes: Parameters<typeof fixedShift>[1]) => mine.keep(fixedShift(shift, changes))

beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())
beforeEach(async () => {
  mine = await worked.found(people)
  await edit({})
  await Promise.all(
    everybody.map(async n => {
      await mine.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift]])))
      for (const day of days) await mine.punch(n, day, '09:10', '18:00')
    }),
  )
  const first = await mine.recalculate(spans)
  expect(first).toMatchObject({ employees: people, rows: people * days.length, handedOn: 0 })
  expect(await lates()).toEqual(new Set([10]))
  // Another version of the same shift.
  const stored = await mine.table.get(shiftKey(shift))
  if (!stored) throw new Error('No shift')
  await worked.save(mine.table.replace(shiftKey(shift), { ...stored, allowedLateMinutes: 15 }))
  worked.heard.length = 0
})

test('writes every row that differs once, says how far it is, and the same again writes nothing', async () => {
  const work = mine.work()
  const done = await mine.recalculate(spans, work)
  expect(done).toMatchObject({ employees: people, rows: people * days.length, handedOn: 0 })
  expect(await lates()).toEqual(new Set([0]))
  const total = work.said[0]?.[2]
  expect(work.said.map(([step, , of]) => [step, of])).toEqual(work.said.map(() => ['calculate', total]))
  expect(work.said.map(([, done]) => done)).toEqual(work.said.map(([, done]) => done).sort((a, b) => a - b))
  expect(work.said.at(-1)).toEqual(['calculate', done.days, done.days])
  expect(work.said.length).toBeGreaterThan(2)
  const before = await allRows()
  expect(before.every(row => (row as { version?: number }).version === 2)).toBe(true)
  expect(await mine.recalculate(spans)).toMatchObject({ employees: people, rows: 0 })
  expect(await allRows()).toEqual(before)
})

test('by two at once, in parts and in another order ends as by one', async () => {
  await Promise.all([
    mine.recalculate(spans),
    mine.recalculate(spans.toReversed()),
    ...everybody
      .slice(0, 20)
      .map(n => worked.days.calculateDays(mine.table, [{ employee: idOf(n), from, to }], { kind: 'punch' })),
  ])
  expect(await lates()).toEqual(new Set([0]))
  expect(await mine.recalculate(spans)).toMatchObject({ rows: 0 })
})

test('a run that dies is followed by one that goes on behind what is done', async () => {
  const work = mine.work()
  work.pause = () => {
    throw new Error('The lights went out')
  }
  await expect(mine.recalculate(spans, work)).rejects.toThrow('lights')
  const halfway = (await allRows()).filter(({ lateMinutes }) => lateMinutes === 0).length
  expect(halfway).toBeGreaterThan(0)
  expect(halfway).toBeLessThan(people * days.length)
  const next = mine.work(work.memory)
  const done = await mine.recalculate(spans, next)
  expect(next.said[0]?.[1]).toBeGreaterThan(0)
  expect(done).toMatchObject({ employees: people, days: next.said.at(-1)?.[1] })
  expect(await lates()).toEqual(new Set([0]))
})

test('who nothing can be calculated of holds up nobody, and is handed on', async () => {
  const [unreadable, senseless] = [idOf(7), idOf(40)]
  await worked.save(
    mine.table.put(scheduleKey(monthOf(to), unreadable), {
      employee: unreadable,
      month: monthOf(to),
      days: null as never,
    }),
  )
  await mine.keep(fixedShift('x'.repeat(16), { breaks: null as never }))
  await mine.schedule(senseless, Object.fromEntries(days.map(day => [day, ['x'.repeat(16)]])))
  const done = await mine.recalculate(spans)
  expect(done).toMatchObject({ employees: people, handedOn: 2, rows: (people - 2) * days.length })
  for (const n of everybody) {
    const late = new Set((await mine.rows(n)).map(({ lateMinutes }) => lateMinutes))
    expect(late, String(n)).toEqual(new Set([n === 7 || n === 40 ? 10 : 0]))
  }
  await expect.poll(() => worked.heard.length, patient).toBe(2)
  expect(worked.heard.map(fact => fact.type === 'days.due' && fact.employee).sort()).toEqual([unreadable, senseless])
})

test('locked days are never written, added or removed', async () => {
  const company = await mine.table.get(companyKey())
  if (!company) throw new Error('No company')
  await worked.save(mine.table.replace(companyKey(), { ...company, lockedTo: dayAt(-2) }))
  await mine.schedule(idOf(1), Object.fromEntries(days.map(day => [day, []])))
  await mine.punch(2, dayAt(-6), '09:00', '10:00')
  const before = await allRows()
  const done = await mine.recalculate([...spans, { employee: idOf(2), from: dayAt(-9), to }])
  // One whose day is no longer scheduled has a row removed and another added.
  expect(done.rows).toBe(people + 1)
  const isLocked = ({ day }: DayRow) => day <= dayAt(-2)
  expect((await allRows()).filter(isLocked)).toEqual(before.filter(isLocked))
  const open = (await allRows()).filter(row => !isLocked(row))
  expect(open).toHaveLength(people)
  expect(open.filter(({ employee }) => employee !== idOf(1)).every(({ lateMinutes }) => lateMinutes === 0)).toBe(true)
  // What was punched on a day that is no longer scheduled is work without a shift.
  expect(open.find(({ employee }) => employee === idOf(1))).toMatchObject({ shift: null, overtimeMinutes: 530 })
  const noted = () => mine.table.all<LockedChange>({ pk: 'LOCKED_CHANGE' })
  const cause = { kind: 'shift/update', task: 't'.repeat(16), by: idOf(0) }
  // Of everybody, two days that would no longer be late; of one of them, two rows that would go and two that would come; and a punch that came late.
  expect(await noted()).toHaveLength(2 * people + 3)
  const note = (await noted()).find(({ employee, day }) => employee === idOf(3) && day === dayAt(-3))
  expect(note).toMatchObject({ before: { lateMinutes: 10 }, after: { lateMinutes: 0 }, cause })
  const facts = await worked.days.calculateDays(mine.table, [{ employee: idOf(3), from: dayAt(-9), to: dayAt(-2) }], {
    kind: 'punch',
  })
  expect(facts).toEqual({ rows: 0, stuck: [] })
  const stored = await mine.table.get(shiftKey(shift))
  if (!stored) throw new Error('No shift')
  await worked.save(mine.table.replace(shiftKey(shift), { ...stored, allowedLateMinutes: 5 }))
  await mine.recalculate(spans)
  // What would come out as it stands is noted no longer.
  expect((await noted()).map(({ employee }) => employee)).toEqual([...Array(4).fill(idOf(1)), idOf(2)])
})

test('a row says what had it calculated, and what a day that was over said before', async () => {
  const before = await allRows()
  expect(before.every(({ history }) => history === undefined)).toBe(true)
  await mine.recalculate(spans)
  const cause = { kind: 'shift/update', task: 't'.repeat(16), by: idOf(0) }
  for (const row of await allRows()) {
    expect(row.cause).toEqual(cause)
    expect(row.history).toMatchObject([{ cause, at: row.calculatedAt, kind: 'work', figures: { lateMinutes: 10 } }])
  }
  await mine.punch(0, to, '08:30')
  await worked.days.calculateDays(mine.table, [{ employee: idOf(0), from, to }], { kind: 'punch' })
  const rows = await mine.rows(0)
  expect(rows.map(({ cause, history }) => [cause.kind, history?.length])).toEqual([
    ['shift/update', 1],
    ['shift/update', 1],
    // Who came earlier still was not late: it says what it said.
    ['punch', 1],
  ])
})

test('exceptions are saved with the row that raises them, and settled by what takes them from it', async () => {
  const open = () => mine.table.all<RaisedException>({ pk: exceptionPk('open') })
  await mine.punch(4, dayAt(-5), '09:00')
  await mine.schedule(idOf(4), Object.fromEntries([dayAt(-5), ...days].map(day => [day, [shift]])))
  const look = () =>
    worked.days.calculateDays(mine.table, [{ employee: idOf(4), from: dayAt(-5), to: dayAt(-5) }], { kind: 'punch' })
  await look()
  expect(await open()).toMatchObject([{ employee: idOf(4), day: dayAt(-5), type: 'missingOut', state: 'open' }])
  await mine.punch(4, dayAt(-5), '18:00')
  await look()
  expect(await open()).toEqual([])
  expect(await mine.table.all({ pk: exceptionPk('settled') })).toHaveLength(1)
})

describe('a week of a weekly-flexible shift', () => {
  const week = 'w'.repeat(16)
  const monday = '2026-10-05'
  const weekdays = daysBetween(monday, '2026-10-09')
  const punchAll = async (times: string[]) => {
    for (const day of weekdays) await mine.punch(0, day, ...times)
  }
  const figures = async () =>
    (await mine.rows(0)).flatMap(({ day, week }) => (week ? [[day, week.targetMinutes, week.workMinutes]] : []))

  test('is judged as a whole whichever of its days is looked at, and again when one of them is taken away', async () => {
    await mine.keep(weeklyShift(week, 2400))
    await mine.schedule(idOf(0), Object.fromEntries(weekdays.map(day => [day, [week]])))
    await punchAll(['08:00', '18:00'])
    const at = (day: string) => [{ employee: idOf(0), from: day, to: day }]
    await worked.days.calculateDays(mine.table, at('2026-10-07'), { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-09', 2400, 2700]])
    const last = (await mine.rows(0)).find(({ day }) => day === '2026-10-09')
    expect(last?.week).toMatchObject({ settled: true, overtimeMinutes: 300, shortfallMinutes: 0 })
    // Without its last day the week's figures stand on another.
    await mine.schedule(idOf(0), Object.fromEntries(weekdays.slice(0, 4).map(day => [day, [week]])))
    await worked.days.calculateDays(mine.table, at('2026-10-09'), { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-08', 2400, 2700]])
    // Without any it is no such week, and what was worked is work without a shift.
    await mine.schedule(idOf(0), { '2026-10-01': [shift] })
    await worked.days.calculateDays(mine.table, at('2026-10-08'), { kind: 'punch' })
    expect(await figures()).toEqual([])
    const rows = (await mine.rows(0)).filter(({ day }) => day >= monday && day <= '2026-10-09')
    expect(rows.map(({ kind, overtimeMinutes }) => [kind, overtimeMinutes])).toEqual(weekdays.map(() => ['rest', 600]))
  })

  test('across which rules change is judged by those of its last day', async () => {
    await mine.keep(weeklyShift(week, 2400))
    await mine.schedule(idOf(0), Object.fromEntries(weekdays.map(day => [day, [week]])))
    await punchAll(['08:00', '18:00'])
    const company = await mine.table.get(companyKey())
    if (!company) throw new Error('No company')
    const { changeRules } = await import('../../shared/rule.ts')
    const { defaultParameters } = await import('../../shared/attendance/input.ts')
    const rules = changeRules(
      company,
      { timezone: company.timezone, parameters: { ...defaultParameters, bounceSeconds: 0 } },
      '2026-10-07',
    )
    await worked.save(mine.table.replace(companyKey(), { ...company, ...rules }))
    await worked.days.calculateDays(mine.table, [{ employee: idOf(0), from: monday, to: monday }], { kind: 'punch' })
    expect(await figures()).toEqual([['2026-10-09', 2400, 2700]])
    const versions = (await mine.rows(0)).filter(({ day }) => day >= monday && day <= '2026-10-09')
    expect(versions.map(({ parametersVersion }) => parametersVersion)).toEqual([0, 0, 1, 1, 1])
  })
})

test('who is calculated while they are taken away or moved ends as they are', async () => {
  const person = await mine.table.get(employeeKey(idOf(0)))
  if (!person) throw new Error('Nobody')
  await Promise.all([
    worked.save(mine.table.replace(employeeKey(idOf(0)), { ...person, endDay: dayAt(-2) })),
    mine.recalculate(spans),
  ])
  await mine.recalculate(spans.slice(0, 1))
  expect((await mine.rows(0)).map(({ day, lateMinutes }) => [day, lateMinutes])).toEqual([
    [dayAt(-3), 0],
    [dayAt(-2), 0],
  ])
})
