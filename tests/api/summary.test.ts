import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../../infra/local/stack/seeded.ts'
import { type Company, companyKey, mostPeopleOfPart, partsOn, zoneKey, zonesKey } from '../../shared/company.ts'
import { type DayRow, dayRowFacts, dayRowKey } from '../../shared/day.ts'
import { employeeKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { addFigures, figuresOf, noFigures } from '../../shared/figure.ts'
import { headcountKey } from '../../shared/headcount.ts'
import { holidayKey } from '../../shared/holiday.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { type KeptSummary, type Summary, summaryKey, summaryPartKey, wholeCompany } from '../../shared/summary.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Task, taskFacts, taskKey } from '../../shared/task.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked, weeklyShift } from '../kit/worked.ts'

// What days amount to, against the rows themselves: said twice, in any order, by many at once, while the index lags, behind a
// death, and of people so many that a day is kept in parts.

let worked: Awaited<ReturnType<typeof openWorked>>
let summarize: typeof import('../../events/summarize.ts').handler
let readSummaries: typeof import('../../functions/day/summary.ts').readSummaries
let client: DynamoDBDocumentClient
const handedOn: Fact[] = []

beforeAll(async () => {
  worked = await openWorked()
  const hear = async ({ Records }: { Records: { body: string }[] }) => {
    handedOn.push(...Records.map(({ body }) => (JSON.parse(body) as { detail: Fact }).detail))
    return { batchItemFailures: [] }
  }
  worked.world.bus.start({ summarize: hear as never })
  summarize = (await import('../../events/summarize.ts')).handler
  readSummaries = (await import('../../functions/day/summary.ts')).readSummaries
  const { localClient } = await import('../../functions/kit/table.ts')
  client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient))
})
afterAll(() => worked.world.close())

const [day, night, weekly] = ['s'.repeat(16), 'n'.repeat(16), 'w'.repeat(16)]
const [first, last] = [dayAt(-3), dayAt(1)]
const scopes = [wholeCompany, ...departments]

const tell = async (facts: Fact[]) => {
  const Records = facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never
  expect(await summarize({ Records })).toEqual({ batchItemFailures: [] })
}
/** Each twice, in any order, to several at once. */
const tellHarshly = async (facts: Fact[], random: () => number) => {
  const all = [...facts, ...facts].map(fact => ({ fact, at: random() })).sort((one, other) => one.at - other.at)
  const batches = Array.from({ length: 4 }, (_, batch) => all.filter((_, i) => i % 4 === batch))
  await Promise.all(batches.map(batch => tell(batch.map(({ fact }) => fact))))
}

const company = (mine: Worked) => mine.table.get(companyKey()) as Promise<Company & { version: number }>
const rowsOf = async (mine: Worked, people: number): Promise<DayRow[]> =>
  (await Promise.all(Array.from({ length: people }, (_, n) => mine.rows(n)))).flat()
const factsOf = (mine: Worked, rows: DayRow[]): Fact[] =>
  rows.flatMap(row => dayRowFacts({ company: mine.company, at: row.calculatedAt, new: row }))

/** Shifts and punches such as never are: anybody on any shift or none, and punches at any hour. */
const live = async (mine: Worked, people: number, random: () => number) => {
  await Promise.all([
    mine.keep(fixedShift(day, { raisesException: true, lateOutOvertime: { counts: true, afterMinutes: 0 } })),
    mine.keep(
      fixedShift(night, { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1', breaks: [] }),
    ),
    mine.keep(weeklyShift(weekly, 2400)),
    worked.save(
      mine.table.put(holidayKey('h'.repeat(16)), {
        id: 'h'.repeat(16),
        name: 'Free',
        from: dayAt(-2),
        to: dayAt(-2),
        departments: [departments[1]],
      }),
    ),
  ])
  const days = daysBetween(addDays(first, -2), last)
  await Promise.all(
    Array.from({ length: people }, async (_, n) => {
      const kind = random()
      const shiftsOn = () =>
        kind < 0.15 ? [weekly] : random() < 0.15 ? [] : random() < 0.1 ? [day, night] : random() < 0.5 ? [day] : [night]
      await mine.schedule(idOf(n), Object.fromEntries(days.map(day => [day, shiftsOn()])))
      const clock = () =>
        `${String(Math.floor(random() * 24)).padStart(2, '0')}:${String(Math.floor(random() * 60)).padStart(2, '0')}`
      for (const day of days.slice(0, -2))
        await mine.punch(n, day, ...Array.from({ length: Math.floor(random() * 4) }, clock))
    }),
  )
}
const spansOf = (people: number) =>
  Array.from({ length: people }, (_, n) => ({ employee: idOf(n), from: first, to: last }))

/** The same, counted by hand. */
const counted = (rows: DayRow[], day: string, scope: string) => {
  const mine = rows.filter(row => row.day === day && (scope === wholeCompany || row.department === scope))
  const people = (has: (row: DayRow) => boolean) => new Set(mine.filter(has).map(({ employee }) => employee))
  const isExpected = ({ kind, shift }: DayRow) => shift !== null && ['work', 'flexible'].includes(kind)
  const isThere = ({ firstIn, lastOut }: DayRow) => (firstIn ?? lastOut) !== null
  const should = people(isExpected)
  const active = people(row => isExpected(row) && isThere(row))
  const missing = [...should.difference(active)]
  const duties = Map.groupBy(mine.filter(isExpected), ({ dutyFrom, dutyTo }) => `${dutyFrom} ${dutyTo}`)
  return {
    day,
    should: should.size,
    active: active.size,
    late: people(row => row.lateMinutes > 0).size,
    early: people(row => row.earlyLeaveMinutes > 0).size,
    exception: people(row => row.exceptions.length > 0).size,
    over: people(row => figuresOf(row).overtimeMinutes > 0).size,
    absent: people(row => figuresOf(row).absentMinutes > 0).size,
    figures: mine.map(figuresOf).reduce(addFigures, noFigures()),
    missing: missing.sort(),
    duties: Object.fromEntries([...duties].map(([times, list]) => [times, [list.length, list.filter(isThere).length]])),
  }
}
const shown = ({ day, should, active, late, early, exception, over, absent, figures, missing, duties }: Summary) => ({
  ...{ day, should, active, late, early, exception, over, absent, figures },
  missing: missing.map(({ employee }) => employee).sort(),
  duties: Object.fromEntries(duties.map(({ from, to, should, active }) => [`${from} ${to}`, [should, active]])),
})

/** Every day of every department is what its rows say. */
const expectTruth = async (mine: Worked, people: number) => {
  const rows = await rowsOf(mine, people)
  const days = [...new Set(rows.map(({ day }) => day))].sort()
  for (const scope of scopes) {
    const found = (await readSummaries(mine.table, scope, '2000-01-01', '2999-01-01')).map(shown)
    const wanted = days.map(day => counted(rows, day, scope))
    const isNothing = ({ should, figures, missing }: (typeof wanted)[number]) =>
      should === 0 && missing.length === 0 && Object.values(figures).every(minutes => minutes === 0)
    expect(
      found.filter(one => !isNothing(one)),
      scope,
    ).toEqual(wanted.filter(one => !isNothing(one)))
  }
  return rows
}
const versions = async (mine: Worked) =>
  (await Promise.all(scopes.map(scope => mine.table.all<KeptSummary>({ pk: summaryKey(scope, '').pk })))).flat()

describe.each([1, 2])('days of anybody, told twice and in any order (%i)', seed => {
  test('are what their rows say, after every change', async () => {
    const random = seeded(seed)
    const people = 14
    const mine = await worked.found(people)
    await live(mine, people, random)
    await mine.recalculate(spansOf(people))
    await tellHarshly(factsOf(mine, await rowsOf(mine, people)), random)
    const before = await expectTruth(mine, people)
    expect(before.length).toBeGreaterThan(50)
    expect(new Set(before.map(({ kind }) => kind)).size).toBeGreaterThan(2)

    // Some punch once more, one leaves the department, one leaves altogether, one is planned no longer.
    await mine.punch(0, dayAt(-1), '09:31', '17:12')
    await mine.punch(1, dayAt(0), '00:01')
    const [mover, leaver] = await Promise.all([2, 3].map(n => mine.table.get(employeeKey(idOf(n)))))
    if (!mover || !leaver) throw new Error('Nobody')
    await worked.save(
      mine.table.replace(employeeKey(idOf(2)), { ...mover, department: departments[1] }),
      mine.table.replace(employeeKey(idOf(3)), { ...leaver, endDay: dayAt(-3) }),
    )
    await mine.schedule(idOf(4), {})
    await mine.recalculate(spansOf(people))
    const after = await rowsOf(mine, people)
    await tellHarshly(factsOf(mine, [...before, ...after]), random)
    await expectTruth(mine, people)
    const written = await versions(mine)
    await tellHarshly(factsOf(mine, [...before, ...after]), random)
    expect(await versions(mine)).toEqual(written)
  })
})

test('punches are counted once, on the date they were made', async () => {
  const random = seeded(7)
  const people = 12
  const mine = await worked.found(people)
  await live(mine, people, random)
  await mine.recalculate(spansOf(people))
  await tell(factsOf(mine, await rowsOf(mine, people)))
  const keys = new Set((await rowsOf(mine, people)).flatMap(({ punches }) => punches.map(({ key }) => key)))
  const days = await readSummaries(mine.table, wholeCompany, '2000-01-01', '2999-01-01')
  for (const date of daysBetween(addDays(first, 1), dayAt(-1))) {
    const sum = days.map(({ records }) => records[date] ?? 0).reduce((one, other) => one + other, 0)
    expect(sum, date).toBe([...keys].filter(key => key.includes(`#${date}T`)).length)
  }
})

describe('a few people on one day', () => {
  const people = 6
  const today = dayAt(-1)
  const found = async (changes: Partial<Company> = {}) => {
    const mine = await worked.found(people, changes)
    await mine.keep(fixedShift(day))
    for (let n = 0; n < people; n++) {
      await mine.schedule(idOf(n), { [today]: [day] })
      await mine.punch(n, today, '09:00')
    }
    await mine.recalculate(spansOf(people))
    return mine
  }
  const rowOf = async (mine: Worked, n: number) => {
    const row = (await mine.rows(n)).find(row => row.day === today)
    if (!row) throw new Error('No row')
    return row
  }
  const factOf = async (mine: Worked, n: number) => factsOf(mine, [await rowOf(mine, n)])
  const summaryOf = (mine: Worked, scope = wholeCompany) => mine.table.get(summaryKey(scope, today))

  test('what the index does not show yet is counted, also by who comes next', async () => {
    const mine = await found()
    await tell(factsOf(mine, await rowsOf(mine, people)))
    expect(await summaryOf(mine)).toMatchObject({ should: people, late: 0 })
    // The row as the table has it and the index has not: changed for one, and new for another.
    const late = { ...(await rowOf(mine, 0)), lateMinutes: 30 }
    const item = { ...late, ...dayRowKey(idOf(0), today, day, 1), pk: `${companyPrefix(mine.company)}DAY#${idOf(0)}` }
    const { byDay: _, ...unindexed } = item
    await client.send(new PutCommand({ TableName: worked.world.table, Item: unindexed }))
    await tell(await factOf(mine, 0))
    expect(await summaryOf(mine)).toMatchObject({ should: people, active: people, late: 1 })
    expect(await summaryOf(mine, departments[0])).toMatchObject({ should: people / 2, late: 1 })
    await tell(await factOf(mine, 1))
    expect(await summaryOf(mine)).toMatchObject({ should: people, late: 1 })
  })

  test('who dies in the middle is followed by one that ends it', async () => {
    const mine = await found()
    const facts = factsOf(mine, await rowsOf(mine, people))
    await tell(facts)
    const whole = await versions(mine)
    // Everybody's is written, that of a department is not: new for one, and as it was for the other.
    await worked.save(
      mine.table.remove(summaryKey(departments[0], today)),
      mine.table.put(summaryKey(departments[1], today), {
        ...(whole.find(({ scope }) => scope === departments[1]) as KeptSummary),
        should: 0,
      }),
    )
    await tell(facts)
    const bare = (list: { version: number }[]) => list.map(({ version: _, ...rest }) => rest)
    expect(bare(await versions(mine))).toEqual(bare(whole))
  })

  test('rows a task alters are summed once, when it has ended', async () => {
    const mine = await found()
    const work = mine.work()
    const task = (state: Task['state']): Task => ({
      ...{ id: work.task, kind: work.kind, by: work.by, input: {}, language: 'en', ip: '', requestId: '', state },
      ...{ done: 0, total: 0, memory: work.memory, createdAt: today, expiresAt: 4_000_000_000 },
    })
    await mine.keep(fixedShift(day, { onDuty: '08:00', punchStart: '06:00' }))
    await mine.recalculate(spansOf(people), work)
    await worked.save(mine.table.put(taskKey(work.by, work.task), task('running')))
    const facts = factsOf(mine, await rowsOf(mine, people))
    await tell(facts)
    expect(await versions(mine)).toEqual([])
    const ended = taskFacts({ company: mine.company, at: '', old: task('running'), new: task('done') })
    const due = ended.filter(({ type }) => type === 'summary.due')
    expect(due).toHaveLength(1)
    await tell(due)
    expect(await summaryOf(mine)).toMatchObject({ should: people, late: people })
    expect(taskFacts({ company: mine.company, at: '', old: task('done'), new: task('done') })).toEqual([])
    // What was handed on, and is written later in its name, is summed like everything else.
    await worked.save(mine.table.put(taskKey(work.by, work.task), task('done')))
    await mine.punch(0, today, '07:59')
    await mine.recalculate(spansOf(people), mine.work())
    await tell(facts)
    expect(await summaryOf(mine)).toMatchObject({ late: people - 1 })
  })

  test('a long range is handed on in months', async () => {
    const mine = await found()
    handedOn.length = 0
    await tell([{ type: 'summary.due', company: mine.company, from: '2026-01-01', to: '2026-03-31' }])
    await expect.poll(() => worked.world.bus.waiting(), { timeout: 10_000 }).toBe(0)
    const ranges = handedOn.flatMap(fact => (fact.type === 'summary.due' ? [[fact.from, fact.to]] : []))
    expect(ranges.sort()).toEqual([
      ['2026-01-01', '2026-01-31'],
      ['2026-02-01', '2026-03-03'],
      ['2026-03-04', '2026-03-31'],
    ])
    expect(await versions(mine)).toEqual([])
  })

  test('one that cannot be summed holds up no other', async () => {
    const [mine, broken] = await Promise.all([found(), found()])
    await worked.save(
      broken.table.put(dayRowKey(idOf(0), today, day, 1), { ...(await rowOf(broken, 0)), punches: null as never }),
    )
    const facts = [...(await factOf(broken, 1)), ...(await factOf(mine, 0))]
    const Records = facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never
    expect(await summarize({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] })
    expect(await summaryOf(mine)).toMatchObject({ should: people })
  })
})

describe('a company of many', () => {
  const parts = 3
  const people = 20
  const random = seeded(11)
  let mine: Worked
  const partFacts = async (): Promise<Fact[]> => {
    const kept = await Promise.all(
      scopes.map(scope => mine.table.all<KeptSummary>({ pk: summaryPartKey(scope, '', 0).pk })),
    )
    return kept.flat().map(({ scope, day }) => ({ type: 'part.changed', company: mine.company, scope, day }))
  }

  test('keeps a day in parts, whose sum is the day', async () => {
    const from = dayAt(-2)
    mine = await worked.found(people, { dayParts: [{ from, parts }] })
    await live(mine, people, random)
    await mine.recalculate(spansOf(people))
    await tellHarshly(factsOf(mine, await rowsOf(mine, people)), random)
    await tellHarshly(await partFacts(), random)
    const rows = await expectTruth(mine, people)
    const used = await Promise.all(
      Array.from({ length: parts }, (_, part) => mine.table.get(summaryPartKey(wholeCompany, from, part))),
    )
    expect(used.every(part => part && part.should > 0)).toBe(true)
    expect(await mine.table.get(summaryPartKey(wholeCompany, addDays(from, -1), 0))).toBeUndefined()
    // Nobody who is asked again writes.
    const before = await versions(mine)
    await tellHarshly([...factsOf(mine, rows), ...(await partFacts())], random)
    expect(await versions(mine)).toEqual(before)
  })

  test('is kept in more parts from a day on that has no rows yet, and then as often as they double', async () => {
    const close = (await import('../../events/close.ts')).handler
    const { directory } = await import('../../functions/kit/table.ts')
    const [zone, mine] = ['Pacific/Kiritimati', await worked.found(0, { timezone: 'Pacific/Kiritimati' })]
    await worked.save(
      directory().put(zoneKey(zone, mine.company), { company: mine.company }),
      directory().put(zonesKey(zone), { zone }),
    )
    const midnight = Date.parse(`${addDays(localDay(zone, Date.now()), 1)}T00:00:00+14:00`)
    const closeOn = async (night: number) => {
      const today = localDay(zone, midnight + night * 86_400_000)
      await close({ time: new Date(midnight + night * 86_400_000 + 20 * 60_000).toISOString() })
      return today
    }
    const people = (count: number) =>
      worked.save(
        mine.table.put({ ...headcountKey('company'), sk: 'company#0' }, { of: 'company', people: count, guests: 0 }),
      )
    await people(mostPeopleOfPart)
    await closeOn(0)
    expect((await company(mine)).dayParts).toBeUndefined()
    await people(mostPeopleOfPart + 1)
    const one = await closeOn(1)
    expect((await company(mine)).dayParts).toEqual([{ from: addDays(one, 2), parts: 2 }])
    expect(
      [addDays(one, 1), addDays(one, 2)].map(day => partsOn({ dayParts: [{ from: addDays(one, 2), parts: 2 }] }, day)),
    ).toEqual([1, 2])
    await closeOn(2)
    await people(mostPeopleOfPart * 5)
    const three = await closeOn(3)
    expect((await company(mine)).dayParts).toEqual([
      { from: addDays(one, 2), parts: 2 },
      { from: addDays(three, 2), parts: 8 },
    ])
  })
})
