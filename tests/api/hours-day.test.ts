import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ReadyName, readySets } from '../../shared/attendance/hours/ready.ts'
import { wholeWeeks } from '../../shared/attendance/weekly.ts'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { departmentKey } from '../../shared/department.ts'
import { kindsOfRow } from '../../shared/hours/row.ts'
import { type HourContent, type HourPeriod, hourBookKey, hourContentKey } from '../../shared/hours.ts'
import { addDays } from '../../shared/local-day.ts'
import { happened } from '../../shared/webhooks/event.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked } from '../kit/worked.ts'

// Hour kinds of stored days. The test calls the calculation itself.

let worked: Awaited<ReturnType<typeof openWorked>>
beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())

// A whole past week, from Monday on.
const monday = wholeWeeks(dayAt(-14), dayAt(-14), 1).from
const dayOfWeek = (n: number) => addDays(monday, n)
const workdays = [0, 1, 2, 3, 4].map(dayOfWeek)
const shift = 's'.repeat(16)

const contentOf = (setVersion: number, name: ReadyName, changes: Partial<HourContent> = {}): HourContent => ({
  ...structuredClone(readySets[name]),
  id: `h${setVersion}`.padEnd(16, '0'),
  setVersion,
  ...changes,
})

const keepSets = async ({ table }: Worked, contents: HourContent[], periods: HourPeriod[]) => {
  const company = await table.get(companyKey())
  if (!company) throw new Error('No company')
  await worked.save(
    table.replace(companyKey(), { ...company, hasHours: true }),
    table.put(hourBookKey(), { periods, last: contents.length }),
    ...contents.map(content => table.put(hourContentKey(content.setVersion), content)),
  )
}
const companyWide = (content: HourContent, from?: string): HourPeriod => ({
  ...(from && { from }),
  sets: { [content.id]: { version: content.setVersion } },
  companySet: content.id,
})

const found = async (people = 1) => {
  const company = await worked.found(people)
  await company.keep(fixedShift(shift, { onDuty: '08:00', offDuty: '18:00', breaks: [], punchEnd: '23:30' }))
  for (let n = 0; n < people; n++) {
    await company.schedule(idOf(n), Object.fromEntries(workdays.map(day => [day, [shift]])))
    for (const day of workdays) await company.punch(n, day, '08:00', '18:00')
  }
  return company
}
const calculate = async (company: Worked, from = monday, to = dayOfWeek(6), n = 0) => {
  const { rows, stuck } = await worked.days.calculateDays(company.table, [{ employee: idOf(n), from, to }], {
    kind: 'punch',
  })
  expect(stuck).toEqual([])
  return rows
}
const kindsByDay = async (company: Worked, n = 0) =>
  Object.fromEntries((await company.rows(n)).map(row => [row.day, kindsOfRow(row)]))
const bare = (rows: DayRow[]) => rows.map(({ hours: _, calculatedAt: __, ...row }) => row)

describe('a company without a set', () => {
  test('stores rows without kinds, with the same hashes', async () => {
    const [plain, split] = [await found(), await found()]
    const content = contentOf(1, 'weekly40')
    await keepSets(split, [content], [companyWide(content)])
    for (const company of [plain, split]) await calculate(company)
    const [rows, others] = [await plain.rows(0), await split.rows(0)]
    expect(rows.every(row => !('hours' in row))).toBe(true)
    expect(bare(rows)).toEqual(bare(others))
  })
})

describe('a week with a set', () => {
  test('splits its minutes by what came before in the week', async () => {
    const company = await found()
    const content = contentOf(1, 'weekly40')
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company)
    expect(await kindsByDay(company)).toEqual(
      Object.fromEntries(workdays.map((day, n) => [day, n === 4 ? { OT: 600 } : { N: 600 }])),
    )
    const [friday] = (await company.rows(0)).slice(-1)
    expect(friday?.hours).toMatchObject({
      paid: 600,
      fills: 600,
      setVersion: 1,
      base: [['OT', 0, expect.any(Number), expect.any(Number), 0]],
    })
  })

  test('writes nothing in a second run', async () => {
    const company = await found()
    const content = contentOf(1, 'california')
    await keepSets(company, [content], [companyWide(content)])
    expect(await calculate(company)).toBe(5)
    expect(await calculate(company)).toBe(0)
    expect(await calculate(company, dayOfWeek(2), dayOfWeek(2))).toBe(0)
  })

  test('is split again from a changed day on', async () => {
    const company = await found()
    const content = contentOf(1, 'weekly40')
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company)
    await company.punch(0, dayOfWeek(0), '20:00')
    await company.keep(
      fixedShift(shift, {
        ...{ onDuty: '08:00', offDuty: '18:00', breaks: [], punchEnd: '23:30' },
        lateOutOvertime: { counts: true, afterMinutes: 0 },
      }),
    )
    // The overtime of Monday fills the week, so Thursday reaches 40 hours earlier.
    await calculate(company, dayOfWeek(0), dayOfWeek(0))
    expect(await kindsByDay(company)).toMatchObject({
      [dayOfWeek(0)]: { N: 720 },
      [dayOfWeek(3)]: { N: 480, OT: 120 },
      [dayOfWeek(4)]: { OT: 600 },
    })
  })

  test('leaves locked days as they are, and counts what they hold', async () => {
    const company = await found()
    const content = contentOf(1, 'weekly40')
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company)
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: dayOfWeek(2) }))
    const before = await company.rows(0)
    // A new set gives all minutes the kind beyond 30 hours; the locked days hold 30 hours of N.
    const changed = contentOf(2, 'weekly40', { base: [{ kind: 'OT', weekOver: 1800 }, { kind: 'N' }] })
    await keepSets(company, [content, changed], [companyWide(changed)])
    expect(await calculate(company)).toBe(2)
    const after = await company.rows(0)
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3))
    expect((await kindsByDay(company))[dayOfWeek(3)]).toEqual({ OT: 600 })
  })

  test('counts the work of days that were locked before the set', async () => {
    const company = await found()
    await calculate(company)
    const settings = await company.table.get(companyKey())
    if (!settings) throw new Error('No company')
    await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo: dayOfWeek(2) }))
    const content = contentOf(1, 'weekly40')
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company)
    expect(await kindsByDay(company)).toEqual({
      ...Object.fromEntries(workdays.slice(0, 3).map(day => [day, undefined])),
      [dayOfWeek(3)]: { N: 600 },
      [dayOfWeek(4)]: { OT: 600 },
    })
  })

  test('follows the set of its department, else its parent’s, else the company’s', async () => {
    const company = await found(2)
    const [own, everybody] = [contentOf(1, 'california'), contentOf(2, 'weekly40')]
    const [parent, child] = departments
    await worked.save(
      company.table.insert(departmentKey(parent), { id: parent, name: 'Parent' }),
      company.table.insert(departmentKey(child), { id: child, name: 'Child' }),
    )
    const period: HourPeriod = {
      sets: {
        [own.id]: { version: 1, departments: [departments[0]] },
        [everybody.id]: { version: 2 },
      },
      companySet: everybody.id,
    }
    await keepSets(company, [own, everybody], [period])
    await calculate(company, monday, dayOfWeek(6), 0)
    await calculate(company, monday, dayOfWeek(6), 1)
    expect((await kindsByDay(company, 0))[monday]).toEqual({ N: 480, OT1: 120 })
    expect((await kindsByDay(company, 1))[monday]).toEqual({ N: 600 })
    const below = await company.table.get(departmentKey(child))
    if (!below) throw new Error('No department')
    await worked.save(company.table.replace(departmentKey(child), { ...below, parent }))
    await calculate(company, monday, dayOfWeek(6), 1)
    expect((await kindsByDay(company, 1))[monday]).toEqual({ N: 480, OT1: 120 })
  })

  test('keeps the earlier set on days before a change', async () => {
    const company = await found()
    const [first, second] = [contentOf(1, 'weekly40'), contentOf(2, 'california', { id: 'h1'.padEnd(16, '0') })]
    await keepSets(company, [first, second], [companyWide(first), companyWide(second, dayOfWeek(3))])
    await calculate(company)
    expect((await company.rows(0)).map(({ hours }) => hours?.setVersion)).toEqual([1, 1, 1, 2, 2])
    expect(await kindsByDay(company)).toMatchObject({
      [dayOfWeek(2)]: { N: 600 },
      [dayOfWeek(3)]: { N: 480, OT1: 120 },
    })
  })

  test('previews its kinds as the saved change gives them', async () => {
    const company = await found()
    await calculate(company)
    const content = contentOf(1, 'california')
    const supposed = {
      hours: { contents: [content], setOn: () => content },
    }
    const preview = await company.preview([{ employee: idOf(0), from: monday, to: dayOfWeek(6) }], supposed)
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company)
    const total: Record<string, number> = {}
    for (const row of await company.rows(0))
      for (const [kind, minutes] of Object.entries(kindsOfRow(row) ?? {})) total[kind] = (total[kind] ?? 0) + minutes
    expect(preview).toMatchObject({ days: 5, kindsAfter: total })
    expect(preview.kindsBefore).toBeUndefined()
    expect(preview.list[0]?.after?.kinds).toEqual({ N: 480, OT1: 120 })
  })
})

test('a webhook tells the kinds of a day before and after', async () => {
  const company = await found()
  const content = contentOf(1, 'california')
  await keepSets(company, [content], [companyWide(content)])
  await calculate(company)
  const [row] = await company.rows(0)
  if (!row) throw new Error('No row')
  const { hours: _, ...old } = row
  const change = { company: company.company, at: row.calculatedAt, old, new: row }
  expect(happened('DAY', change as never)).toMatchObject([
    { event: 'attendance.day_changed', before: { workMinutes: 600 }, after: { kinds: { N: 480, OT1: 120 } } },
  ])
  expect(happened('DAY', { ...change, old: row } as never)).toEqual([])
})

describe('a set by the clock', () => {
  test('counts minutes after midnight for the next date, also at the ends of weeks', async () => {
    const company = await worked.found(1)
    const night = fixedShift(shift, {
      ...{ onDuty: '18:00', offDuty: '06:00+1', punchStart: '16:00', punchEnd: '10:00+1', breaks: [] },
    })
    await company.keep(night)
    const sunday = addDays(monday, -1)
    await company.schedule(idOf(0), { [sunday]: [shift], [monday]: [shift] })
    await company.punch(0, sunday, '18:00')
    await company.punch(0, monday, '06:00', '18:00')
    await company.punch(0, dayOfWeek(1), '06:00')
    const content = contentOf(1, 'california', { dayOf: 'clock' })
    await keepSets(company, [content], [companyWide(content)])
    await calculate(company, monday, dayOfWeek(1))
    // Monday holds six hours of Sunday's night and six of its own.
    expect((await kindsByDay(company))[monday]).toEqual({ N: 480, OT1: 240 })
    expect(await calculate(company, sunday, dayOfWeek(1))).toBeLessThanOrEqual(1)
    expect((await kindsByDay(company))[monday]).toEqual({ N: 480, OT1: 240 })
  })
})
