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
import { holidayKey } from '../../shared/holiday/day.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { type KeptSummary, type Summary, summaryKey, summaryPartKey, wholeCompany } from '../../shared/summary.ts'
import { companyPrefix } from '../../shared/table.ts'
import { type Task, taskFacts, taskKey } from '../../shared/task.ts'
import { dayAt, departments, fixedShift, idOf, openWorked, type Worked, weeklyShift } from '../kit/worked.ts'

// Compares daily summaries with their rows. Events are repeated, reordered or simultaneous, the index lags, the job
// crashes, or a day is stored in parts.

let worked: Awaited<ReturnType<typeof openWorked>>
let summarize: typeof import('../../events/summarize.ts').handler
let readSummaries: typeof import('../../functions/day/summary.ts').readSummaries
let client: DynamoDBDocumentClient
const continued: Fact[] = []

beforeAll(async () => {
  worked = await openWorked()
  const collect = async ({ Records }: { Records: { body: string }[] }) => {
    continued.push(...Records.map(({ body }) => (JSON.parse(body) as { detail: Fact }).detail))
    return { batchItemFailures: [] }
  }
  worked.world.bus.start({ summarize: collect as never })
  summarize = (await import('../../events/summarize.ts')).handler
  readSummaries = (await import('../../functions/day/summary.ts')).readSummaries
  const { localClient } = await import('../../functions/kit/table.ts')
  client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient))
})
afterAll(() => worked.world.close())

const [day, night, weekly] = ['s'.repeat(16), 'n'.repeat(16), 'w'.repeat(16)]
const [first, last] = [dayAt(-3), dayAt(1)]
const scopes = [wholeCompany, ...departments]

const runJob = async (facts: Fact[]) => {
  const Records = facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never
  expect(await summarize({ Records })).toEqual({ batchItemFailures: [] })
}
/** Sends each event twice, in random order, to several concurrent runs. */
const runJobHarshly = async (facts: Fact[], random: () => number) => {
  const all = [...facts, ...facts].map(fact => ({ fact, at: random() })).sort((a, b) => a.at - b.at)
  const batches = Array.from({ length: 4 }, (_, batch) => all.filter((_, i) => i % 4 === batch))
  await Promise.all(batches.map(batch => runJob(batch.map(({ fact }) => fact))))
}

const readCompany = (company: Worked) => company.table.get(companyKey()) as Promise<Company & { version: number }>
const rowsOf = async (company: Worked, people: number): Promise<DayRow[]> =>
  (await Promise.all(Array.from({ length: people }, (_, n) => company.rows(n)))).flat()
const factsOf = (company: Worked, rows: DayRow[]): Fact[] =>
  rows.flatMap(row => dayRowFacts({ company: company.company, at: row.calculatedAt, new: row }))

/** Plants random shifts and punches. Each employee may have any shift or no shift, and punches at any hour. */
const plantDays = async (company: Worked, people: number, random: () => number) => {
  await Promise.all([
    company.keep(fixedShift(day, { raisesException: true, lateOutOvertime: { counts: true, afterMinutes: 0 } })),
    company.keep(
      fixedShift(night, { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '10:00+1', breaks: [] }),
    ),
    company.keep(weeklyShift(weekly, 2400)),
    worked.save(
      company.table.put(holidayKey('h'.repeat(16)), {
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
      await company.schedule(idOf(n), Object.fromEntries(days.map(day => [day, shiftsOn()])))
      const randomTime = () =>
        `${String(Math.floor(random() * 24)).padStart(2, '0')}:${String(Math.floor(random() * 60)).padStart(2, '0')}`
      for (const day of days.slice(0, -2))
        await company.punch(n, day, ...Array.from({ length: Math.floor(random() * 4) }, randomTime))
    }),
  )
}
const spansOf = (people: number) =>
  Array.from({ length: people }, (_, n) => ({ employee: idOf(n), from: first, to: last }))

/** The expected summary, counted from the rows. */
const countRows = (rows: DayRow[], day: string, scope: string) => {
  const selected = rows.filter(row => row.day === day && (scope === wholeCompany || row.department === scope))
  const people = (matches: (row: DayRow) => boolean) =>
    new Set(selected.filter(matches).map(({ employee }) => employee))
  const isExpected = ({ kind, shift }: DayRow) => shift !== null && ['work', 'flexible'].includes(kind)
  const isThere = ({ firstIn, lastOut }: DayRow) => (firstIn ?? lastOut) !== null
  const should = people(isExpected)
  const active = people(row => isExpected(row) && isThere(row))
  const missing = [...should.difference(active)]
  const duties = Map.groupBy(selected.filter(isExpected), ({ dutyFrom, dutyTo }) => `${dutyFrom} ${dutyTo}`)
  return {
    day,
    should: should.size,
    active: active.size,
    late: people(row => row.lateMinutes > 0).size,
    early: people(row => row.earlyLeaveMinutes > 0).size,
    exception: people(row => row.exceptions.length > 0).size,
    over: people(row => figuresOf(row).overtimeMinutes > 0).size,
    absent: people(row => figuresOf(row).absentMinutes > 0).size,
    figures: selected.map(figuresOf).reduce(addFigures, noFigures()),
    missing: missing.sort(),
    duties: Object.fromEntries([...duties].map(([times, list]) => [times, [list.length, list.filter(isThere).length]])),
  }
}
const summaryFields = ({
  day,
  should,
  active,
  late: lateRow,
  early,
  exception,
  over,
  absent,
  figures,
  missing,
  duties,
}: Summary) => ({
  ...{ day, should, active, late: lateRow, early, exception, over, absent, figures },
  missing: missing.map(({ employee }) => employee).sort(),
  duties: Object.fromEntries(duties.map(({ from, to, should, active }) => [`${from} ${to}`, [should, active]])),
})

/** Every day of every department must match its rows. */
const expectMatchingRows = async (company: Worked, people: number) => {
  const rows = await rowsOf(company, people)
  const days = [...new Set(rows.map(({ day }) => day))].sort()
  for (const scope of scopes) {
    const stored = (await readSummaries(company.table, scope, '2000-01-01', '2999-01-01')).map(summaryFields)
    const expected = days.map(day => countRows(rows, day, scope))
    const isNothing = ({ should, figures, missing }: (typeof expected)[number]) =>
      should === 0 && missing.length === 0 && Object.values(figures).every(minutes => minutes === 0)
    expect(
      stored.filter(summary => !isNothing(summary)),
      scope,
    ).toEqual(expected.filter(summary => !isNothing(summary)))
  }
  return rows
}
const readStored = async (company: Worked) =>
  (await Promise.all(scopes.map(scope => company.table.all<KeptSummary>({ pk: summaryKey(scope, '').pk })))).flat()

const expectMatching = async (seed: number) => {
  const random = seeded(seed)
  const people = 14
  const company = await worked.found(people)
  await plantDays(company, people, random)
  await company.recalculate(spansOf(people))
  await runJobHarshly(factsOf(company, await rowsOf(company, people)), random)
  const before = await expectMatchingRows(company, people)
  expect(before.length).toBeGreaterThan(50)
  expect(new Set(before.map(({ kind }) => kind)).size).toBeGreaterThan(2)

  // Two employees punch again, one changes department, one leaves, and one loses the schedule.
  await company.punch(0, dayAt(-1), '09:31', '17:12')
  await company.punch(1, dayAt(0), '00:01')
  const [mover, leaver] = await Promise.all([2, 3].map(n => company.table.get(employeeKey(idOf(n)))))
  if (!mover || !leaver) throw new Error('Nobody')
  await worked.save(
    company.table.replace(employeeKey(idOf(2)), { ...mover, department: departments[1] }),
    company.table.replace(employeeKey(idOf(3)), { ...leaver, endDay: dayAt(-3) }),
  )
  await company.schedule(idOf(4), {})
  await company.recalculate(spansOf(people))
  const after = await rowsOf(company, people)
  await runJobHarshly(factsOf(company, [...before, ...after]), random)
  await expectMatchingRows(company, people)
  const stored = await readStored(company)
  await runJobHarshly(factsOf(company, [...before, ...after]), random)
  expect(await readStored(company)).toEqual(stored)
}
describe('random days with repeated and reordered events', () => {
  test('match their rows after every change', () => expectMatching(1))
  test('of another seed match their rows after every change', { tags: 'long' }, () => expectMatching(2))
})

test('the summary counts each punch once, on its date', async () => {
  const random = seeded(7)
  const people = 12
  const company = await worked.found(people)
  await plantDays(company, people, random)
  await company.recalculate(spansOf(people))
  await runJob(factsOf(company, await rowsOf(company, people)))
  const keys = new Set((await rowsOf(company, people)).flatMap(({ punches }) => punches.map(({ key }) => key)))
  const days = await readSummaries(company.table, wholeCompany, '2000-01-01', '2999-01-01')
  for (const date of daysBetween(addDays(first, 1), dayAt(-1))) {
    const sum = days.map(({ records }) => records[date] ?? 0).reduce((a, b) => a + b, 0)
    expect(sum, date).toBe([...keys].filter(key => key.includes(`#${date}T`)).length)
  }
})

describe('a day of a few employees', () => {
  const people = 6
  const today = dayAt(-1)
  const openSmallCompany = async (changes: Partial<Company> = {}) => {
    const company = await worked.found(people, changes)
    await company.keep(fixedShift(day))
    for (let n = 0; n < people; n++) {
      await company.schedule(idOf(n), { [today]: [day] })
      await company.punch(n, today, '09:00')
    }
    await company.recalculate(spansOf(people))
    return company
  }
  const rowOf = async (company: Worked, n: number) => {
    const row = (await company.rows(n)).find(row => row.day === today)
    if (!row) throw new Error('No row')
    return row
  }
  const factOf = async (company: Worked, n: number) => factsOf(company, [await rowOf(company, n)])
  const summaryOf = (company: Worked, scope = wholeCompany) => company.table.get(summaryKey(scope, today))

  test('has a correct summary even if the index does not contain a row yet, also in the next run', async () => {
    const company = await openSmallCompany()
    await runJob(factsOf(company, await rowsOf(company, people)))
    expect(await summaryOf(company)).toMatchObject({ should: people, late: 0 })
    // Plants table rows that the index lacks: a changed row, and later a new row.
    const lateRow = { ...(await rowOf(company, 0)), lateMinutes: 30 }
    const item = {
      ...lateRow,
      ...dayRowKey(idOf(0), today, day, 1),
      pk: `${companyPrefix(company.company)}DAY#${idOf(0)}`,
    }
    const { byDay: _, ...unindexed } = item
    await client.send(new PutCommand({ TableName: worked.world.table, Item: unindexed }))
    await runJob(await factOf(company, 0))
    expect(await summaryOf(company)).toMatchObject({ should: people, active: people, late: 1 })
    expect(await summaryOf(company, departments[0])).toMatchObject({ should: people / 2, late: 1 })
    await runJob(await factOf(company, 1))
    expect(await summaryOf(company)).toMatchObject({ should: people, late: 1 })
  })

  test('is completed by the next run after a crash', async () => {
    const company = await openSmallCompany()
    const facts = factsOf(company, await rowsOf(company, people))
    await runJob(facts)
    const complete = await readStored(company)
    // Plants the state after a crash. The summary of the company is written. The summary of one department is missing,
    // and the summary of the other department is stale.
    await worked.save(
      company.table.remove(summaryKey(departments[0], today)),
      company.table.put(summaryKey(departments[1], today), {
        ...(complete.find(({ scope }) => scope === departments[1]) as KeptSummary),
        should: 0,
      }),
    )
    await runJob(facts)
    const withoutVersions = (list: { version: number }[]) => list.map(({ version: _, ...summary }) => summary)
    expect(withoutVersions(await readStored(company))).toEqual(withoutVersions(complete))
  })

  test('is summed once, at the end of a task that changes its rows', async () => {
    const company = await openSmallCompany()
    const work = company.work()
    const task = (state: Task['state']): Task => ({
      ...{ id: work.task, kind: work.kind, by: work.by, input: {}, language: 'en', ip: '', requestId: '', state },
      ...{ done: 0, total: 0, memory: work.memory, createdAt: today, expiresAt: 4_000_000_000 },
    })
    await company.keep(fixedShift(day, { onDuty: '08:00', punchStart: '06:00' }))
    await company.recalculate(spansOf(people), work)
    await worked.save(company.table.put(taskKey(work.by, work.task), task('running')))
    const facts = factsOf(company, await rowsOf(company, people))
    await runJob(facts)
    expect(await readStored(company)).toEqual([])
    const endFacts = taskFacts({ company: company.company, at: '', old: task('running'), new: task('done') })
    const due = endFacts.filter(({ type }) => type === 'summary.due')
    expect(due).toHaveLength(1)
    await runJob(due)
    expect(await summaryOf(company)).toMatchObject({ should: people, late: people })
    expect(taskFacts({ company: company.company, at: '', old: task('done'), new: task('done') })).toEqual([])
    // After the end of the task, the job sums changed rows as usual.
    await worked.save(company.table.put(taskKey(work.by, work.task), task('done')))
    await company.punch(0, today, '07:59')
    await company.recalculate(spansOf(people), company.work())
    await runJob(facts)
    expect(await summaryOf(company)).toMatchObject({ late: people - 1 })
  })

  test('of a long range continues in events of a month each', async () => {
    const company = await openSmallCompany()
    continued.length = 0
    await runJob([{ type: 'summary.due', company: company.company, from: '2026-01-01', to: '2026-03-31' }])
    await expect.poll(() => worked.world.bus.waiting(), { timeout: 10_000 }).toBe(0)
    const ranges = continued.flatMap(fact => (fact.type === 'summary.due' ? [[fact.from, fact.to]] : []))
    expect(ranges.sort()).toEqual([
      ['2026-01-01', '2026-01-31'],
      ['2026-02-01', '2026-03-03'],
      ['2026-03-04', '2026-03-31'],
    ])
    expect(await readStored(company)).toEqual([])
  })

  test('that cannot be summed does not delay another company', async () => {
    const [company, broken] = await Promise.all([openSmallCompany(), openSmallCompany()])
    await worked.save(
      broken.table.put(dayRowKey(idOf(0), today, day, 1), { ...(await rowOf(broken, 0)), punches: null as never }),
    )
    const facts = [...(await factOf(broken, 1)), ...(await factOf(company, 0))]
    const Records = facts.map((fact, i) => ({ messageId: String(i), body: JSON.stringify({ detail: fact }) })) as never
    expect(await summarize({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] })
    expect(await summaryOf(company)).toMatchObject({ should: people })
  })
})

describe('a large company', () => {
  const parts = 3
  const people = 20
  const random = seeded(11)
  let company: Worked
  const listPartFacts = async (): Promise<Fact[]> => {
    const storedParts = await Promise.all(
      scopes.map(scope => company.table.all<KeptSummary>({ pk: summaryPartKey(scope, '', 0).pk })),
    )
    return storedParts.flat().map(({ scope, day }) => ({ type: 'part.changed', company: company.company, scope, day }))
  }

  test('stores a summary in parts, and the sum of the parts matches the rows', { tags: 'long' }, async () => {
    const from = dayAt(-2)
    company = await worked.found(people, { dayParts: [{ from, parts }] })
    await plantDays(company, people, random)
    await company.recalculate(spansOf(people))
    await runJobHarshly(factsOf(company, await rowsOf(company, people)), random)
    await runJobHarshly(await listPartFacts(), random)
    const rows = await expectMatchingRows(company, people)
    const storedParts = await Promise.all(
      Array.from({ length: parts }, (_, part) => company.table.get(summaryPartKey(wholeCompany, from, part))),
    )
    expect(storedParts.every(part => part && part.should > 0)).toBe(true)
    expect(await company.table.get(summaryPartKey(wholeCompany, addDays(from, -1), 0))).toBeUndefined()
    // A repetition writes nothing.
    const before = await readStored(company)
    await runJobHarshly([...factsOf(company, rows), ...(await listPartFacts())], random)
    expect(await readStored(company)).toEqual(before)
  })

  test('gets more parts per day from a future day on, and more again as it grows', { tags: 'long' }, async () => {
    const close = (await import('../../events/close.ts')).handler
    const { directory } = await import('../../functions/kit/table.ts')
    const [zone, company] = ['Pacific/Kiritimati', await worked.found(0, { timezone: 'Pacific/Kiritimati' })]
    await worked.save(
      directory().put(zoneKey(zone, company.company), { company: company.company }),
      directory().put(zonesKey(zone), { zone }),
    )
    const midnight = Date.parse(`${addDays(localDay(zone, Date.now()), 1)}T00:00:00+14:00`)
    const closeOn = async (night: number) => {
      const today = localDay(zone, midnight + night * 86_400_000)
      await close({ time: new Date(midnight + night * 86_400_000 + 20 * 60_000).toISOString() })
      return today
    }
    const setHeadcount = (count: number) =>
      worked.save(
        company.table.put({ ...headcountKey('company'), sk: 'company#0' }, { of: 'company', people: count, guests: 0 }),
      )
    await setHeadcount(mostPeopleOfPart)
    await closeOn(0)
    expect((await readCompany(company)).dayParts).toBeUndefined()
    await setHeadcount(mostPeopleOfPart + 1)
    const firstDay = await closeOn(1)
    expect((await readCompany(company)).dayParts).toEqual([{ from: addDays(firstDay, 2), parts: 2 }])
    expect(
      [addDays(firstDay, 1), addDays(firstDay, 2)].map(day =>
        partsOn({ dayParts: [{ from: addDays(firstDay, 2), parts: 2 }] }, day),
      ),
    ).toEqual([1, 2])
    await closeOn(2)
    await setHeadcount(mostPeopleOfPart * 5)
    const secondDay = await closeOn(3)
    expect((await readCompany(company)).dayParts).toEqual([
      { from: addDays(firstDay, 2), parts: 2 },
      { from: addDays(secondDay, 2), parts: 8 },
    ])
  })
})
