import { copyFileSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientOf } from '../../infra/local/stack/database.ts'
import type { Migration, Step } from '../../infra/migrate/run.ts'
import type { DayRow } from '../../shared/day.ts'
import { figureNames } from '../../shared/figure.ts'
import { allMigratedKey, migrationKey, newestMigration } from '../../shared/migration.ts'
import { answerableCorrectionPk, type Correction } from '../../shared/record/correction.ts'
import { type KeptSummary, summaryKey, summaryOf, wholeCompany } from '../../shared/summary.ts'
import { rightBefore } from '../kit/right-before.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { openWorked } from '../kit/worked.ts'

// Tables that older code wrote: `tests/given/migrate/before-<number>.json` holds a company's items, written at the commit
// before that migration.

type Stored = Record<string, unknown> & { pk: string; sk: string }

const given = readFileSync('tests/given/migrate/before-0001.json', 'utf8')
const days = ['2026-11-02', '2026-11-03', '2026-11-04']
const departments = ['d'.repeat(16), 'n'.repeat(16)]
const scopes = [wholeCompany, ...departments]

let worked: Awaited<ReturnType<typeof openWorked>>
let kit: typeof import('../../functions/kit/table.ts')
let migrations: readonly Migration[]
let migrateAll: typeof import('../../infra/migrate/run.ts').migrateAll
let job: typeof import('../../infra/migrate/job.ts').handler
let client: DynamoDBDocumentClient
let companies = 0

beforeAll(async () => {
  worked = await openWorked()
  kit = await import('../../functions/kit/table.ts')
  migrations = (await import('../../infra/migrate/all.ts')).migrations
  migrateAll = (await import('../../infra/migrate/run.ts')).migrateAll
  job = (await import('../../infra/migrate/job.ts')).handler
  client = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(worked.world.database.endpoint)))
})
afterAll(async () => {
  client?.destroy()
  await worked?.world.close()
})
beforeEach(async () => {
  // Brings the companies of earlier tests to the end.
  await run()
  await kit.save(kit.directory().remove(allMigratedKey))
})
afterEach(() => vi.restoreAllMocks())

const isSummary = ({ pk }: Stored) => pk.includes('#SUMMARY')

/** Plants the company as older code wrote it, without a figure that older code did not know. */
const plant = async (): Promise<string> => {
  const company = `old${String(++companies).padStart(13, '0')}`
  const items: Stored[] = JSON.parse(given.replaceAll('COMPANY_ID', company))
  for (const item of items) {
    if (isSummary(item)) delete (item.figures as Record<string, number>).lateMinutes
    await client.send(new PutCommand({ TableName: worked.world.table, Item: item }))
  }
  return company
}

const run = async (options: { most?: number; migrations?: readonly Migration[] } = {}) => {
  const steps: Step[] = []
  const sum = await migrateAll({
    migrations: options.migrations ?? migrations,
    isTimeUp: () => steps.length >= (options.most ?? Number.POSITIVE_INFINITY),
    tell: step => steps.push(step),
  })
  return { ...sum, steps }
}

/** The finished steps of migration 1. */
const firstSteps = (steps: Step[]) => steps.filter(({ migration }) => migration.number === 1).map(({ after }) => after)

const numberOf = async (company: string) => {
  const { version: _, ...item } = { version: 0, ...(await kit.openTable(company).get(migrationKey())) }
  return item
}
const summaryOn = async (company: string, scope: string, day: string): Promise<KeptSummary | undefined> => {
  const found = await kit.openTable(company).get(summaryKey(scope, day))
  if (!found) return undefined
  const { version: _, looked: __, departments: ___, ...summary } = found
  return summary
}

/** The expected summaries: the sums of the given rows. */
const expected = (scope: string, day: string) => {
  const items: Stored[] = JSON.parse(given)
  const rows = items.filter(({ pk }) => pk.includes('#DAY#')) as unknown as DayRow[]
  const summed = rows.filter(row => row.day === day && (scope === wholeCompany || row.department === scope))
  return { ...summaryOf(day, summed), scope }
}
const expectMigrated = async (company: string) => {
  for (const day of days)
    for (const scope of scopes) {
      const summary = await summaryOn(company, scope, day)
      expect(summary, `${scope} ${day}`).toEqual(expected(scope, day))
      expect(Object.keys(summary?.figures ?? {}).sort()).toEqual([...figureNames].sort())
    }
  expect(await numberOf(company)).toEqual({ number: newestMigration })
}
/** The days whose summary of the company already has all figures. */
const daysDone = async (company: string) => {
  const summaries = await Promise.all(days.map(day => summaryOn(company, wholeCompany, day)))
  return days.filter((_, i) => summaries[i]?.figures.lateMinutes !== undefined)
}

const everything = async () => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: worked.world.table, ConsistentRead: true }))
  return Items.map(item => JSON.stringify(item, Object.keys(item).sort())).sort()
}
/** The writes of this process from now on. */
const watchWrites = () => {
  const writes: string[] = []
  rightBefore(
    input => /"(Item|TransactItems)":/.test(input) && writes.push(input) > 0,
    async () => undefined,
    { isAlways: true },
  )
  return writes
}
/** Fails every request about a company that `isRefused` selects. */
const refuse = (company: string, isRefused = (_input: string) => true) =>
  rightBefore(
    input => input.includes(`C#${company}#`) && isRefused(input),
    () => Promise.reject(new Error('Unreadable')),
    { isAlways: true },
  )

test('the numbers count from one, name their files, and a new company starts with the last', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1))
  expect(newestMigration).toBe(migrations.at(-1)?.number)
  const files = globSync('infra/migrate/[0-9]*.ts').map(file => basename(file, '.ts'))
  expect(files.sort()).toEqual(migrations.map(({ number, name }) => `${String(number).padStart(4, '0')}-${name}`))
})

describe('a table written at the commit before migration 1', () => {
  test('gets every figure in the summaries of each day, scope and part, and holds the number', async () => {
    const company = await plant()
    expect(await daysDone(company)).toEqual([])
    expect(await run()).toMatchObject({ pending: 1, failed: 0, unfinished: 0 })
    await expectMigrated(company)
    const parts = await kit.openTable(company).all<KeptSummary>({ pk: `SUMMARY_PART#${wholeCompany}` })
    expect(parts).toHaveLength(2)
    for (const { figures } of parts) expect(figures).toHaveProperty('lateMinutes')
  })

  test('a second run finds nothing pending and writes nothing', async () => {
    await plant()
    await run()
    const before = await everything()
    const writes = watchWrites()
    expect(await run()).toEqual({ pending: 0, failed: 0, unfinished: 0, steps: [] })
    expect(writes).toEqual([])
    expect(await everything()).toEqual(before)
  })

  test('a run that stops at its time limit is resumed after its last step', async () => {
    const company = await plant()
    expect(await run({ most: 1 })).toMatchObject({ pending: 1, failed: 0, unfinished: 1 })
    expect(await numberOf(company)).toEqual({ number: 0, after: days[0] })
    expect(await daysDone(company)).toEqual([days[0]])
    const { steps } = await run()
    expect(firstSteps(steps)).toEqual([days[1], days[2], undefined])
    await expectMigrated(company)
  })

  test('a run that fails in the middle is resumed after its last step', async () => {
    const company = await plant()
    refuse(company, input => /"sk":"2026-11-03/.test(input))
    expect(await run()).toMatchObject({ pending: 1, failed: 1, unfinished: 0 })
    vi.restoreAllMocks()
    expect(await numberOf(company)).toEqual({ number: 0, after: days[0] })
    expect(firstSteps((await run()).steps)).toEqual([days[1], days[2], undefined])
    await expectMigrated(company)
  })

  test('a failing company raises an alarm, stops no other company, and is tried again by the next run', async () => {
    const [failing, other] = [await plant(), await plant()]
    refuse(failing)
    const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    expect(await run()).toMatchObject({ pending: 2, failed: 1, unfinished: 0 })
    expect(said.mock.calls.flat()).toMatchObject([{ job: 'migrate', alarm: 'work failed', company: failing }])
    vi.restoreAllMocks()
    await expectMigrated(other)
    expect(await daysDone(failing)).toEqual([])
    expect(await run()).toMatchObject({ pending: 1, failed: 0 })
    await expectMigrated(failing)
  })

  test('two runs at once and steps again in any order change nothing', async () => {
    const company = await plant()
    await Promise.all([run(), run()])
    await run()
    await expectMigrated(company)
    const before = await everything()
    for (const after of [days[1], undefined, days[0]])
      for (const migration of migrations) await migration.run(kit.openTable(company), after)
    expect(await everything()).toEqual(before)
  })
})

describe('several migrations', () => {
  const called: string[] = []
  const make = (number: number, steps: string[], fails = false): Migration => ({
    number,
    name: `trial-${number}`,
    async run(_, after) {
      called.push(`${number} ${after ?? 'start'}`)
      if (fails) throw new Error('Trial')
      return after === undefined ? steps[0] : steps[steps.indexOf(after) + 1]
    },
  })
  beforeEach(() => called.splice(0))
  const beyond = (number: number) => newestMigration + number

  test('run in order, and the next one starts from its own beginning', async () => {
    const company = await plant()
    const two = [...migrations, make(beyond(1), ['a', 'b']), make(beyond(2), ['c'])]
    await run()
    expect((await run({ migrations: two, most: 4 })).unfinished).toBeGreaterThan(0)
    await run({ migrations: two })
    expect(await numberOf(company)).toEqual({ number: beyond(2) })
    const [first, second] = [called.indexOf(`${beyond(1)} start`), called.lastIndexOf(`${beyond(2)} c`)]
    expect(first).toBeLessThan(second)
    // The old code leaves a newer company alone.
    expect(await run()).toMatchObject({ pending: 0 })
    expect(await numberOf(company)).toEqual({ number: beyond(2) })
  })

  test('the number stays at the last finished migration if the next one fails', async () => {
    const company = await plant()
    expect(await run({ migrations: [...migrations, make(beyond(1), [], true)] })).toMatchObject({ unfinished: 0 })
    await expectMigrated(company)
  })
})

describe('a table written before migration 2', () => {
  const correctionsIn = (company: string) =>
    kit.openTable(company).all<Correction>({ index: 'byDay', pk: answerableCorrectionPk })
  const plantCorrections = async () => {
    const company = `old${String(++companies).padStart(13, '0')}`
    const items: Stored[] = JSON.parse(
      readFileSync('tests/given/migrate/before-0002.json', 'utf8').replaceAll('COMPANY_ID', company),
    )
    for (const item of items) await client.send(new PutCommand({ TableName: worked.world.table, Item: item }))
    return company
  }
  const placed = ['2026-11-02 a', '2026-11-02 g', '2026-11-03 c', '2026-11-04 f']
  const told = (list: Correction[]) => list.map(({ punch }) => `${punch.split('#')[1]} ${punch.at(-1)}`).sort()

  test('names every correction that awaits an answer by its day, also of former people, and changes none', async () => {
    const company = await plantCorrections()
    expect(await correctionsIn(company)).toEqual([])
    expect(await run()).toMatchObject({ pending: 1, failed: 0, unfinished: 0 })
    const list = await correctionsIn(company)
    expect(told(list)).toEqual(placed)
    const { version: _, ...first } = list.find(({ punch }) => punch.endsWith('c')) ?? { version: 0 }
    expect(first).toMatchObject({
      reason: 'Forgot',
      at: '2026-11-03T15:00:00.000Z',
      objectBy: '2099-01-01T00:00:00.000Z',
    })
    expect(await numberOf(company)).toEqual({ number: newestMigration })
  })

  test('continues after a stop at any step', async () => {
    const company = await plantCorrections()
    while ((await run({ most: 1 })).unfinished > 0);
    expect(told(await correctionsIn(company))).toEqual(placed)
    expect(await run()).toMatchObject({ pending: 0 })
  })
})

test('a new company starts with the last number', async () => {
  const { foundCompany } = await import('../../functions/company/found.ts')
  const owner = { first_name: 'Olga', last_name: 'Owner', account: 'a'.repeat(16), email: 'olga@example.com' }
  const visitor = { language: 'en' } as Parameters<typeof foundCompany>[2]
  const { company, writes } = await foundCompany({ company_name: 'Olive', timezone: 'UTC' }, owner, visitor)
  await kit.save(...writes)
  expect(await numberOf(company)).toEqual({ number: newestMigration })
  expect(await run()).toMatchObject({ pending: 0, steps: [] })
})

describe('the job in the cloud', () => {
  test('migrates, then reads one item per run, and looks at every company again on the next day', async () => {
    const first = await plant()
    await job({ time: '2026-11-28T00:05:00Z' })
    await expectMigrated(first)
    expect(await kit.directory().get(allMigratedKey)).toMatchObject({ number: newestMigration, day: '2026-11-28' })
    // The old code may create a company during its replacement.
    const late = await plant()
    const reads: string[] = []
    rightBefore(
      input => reads.push(input) > 0,
      async () => undefined,
      { isAlways: true },
    )
    await job({ time: '2026-11-28T00:10:00Z' })
    expect(reads).toHaveLength(1)
    vi.restoreAllMocks()
    expect(await daysDone(late)).toEqual([])
    await job({ time: '2026-11-29T00:00:00Z' })
    await expectMigrated(late)
  })

  test('runs again as long as a company is not finished, and ends itself before its time limit', async () => {
    const company = await plant()
    await job({ time: '2026-11-28T00:05:00Z' }, { getRemainingTimeInMillis: () => 1000 })
    expect(await daysDone(company)).toEqual([])
    expect(await kit.directory().get(allMigratedKey)).toBeUndefined()
    refuse(company)
    await job({ time: '2026-11-28T00:10:00Z' })
    vi.restoreAllMocks()
    expect(await kit.directory().get(allMigratedKey)).toBeUndefined()
    await job({ time: '2026-11-28T00:15:00Z' })
    await expectMigrated(company)
  })
})

test('npm start migrates before it is ready, and says so', async () => {
  const company = await plant()
  const data = temporaryFolder()
  copyFileSync(join(worked.world.data, 'key'), join(data, 'key'))
  const stack = await startStack({ data, environment: { DYNAMODB_ENDPOINT: worked.world.database.endpoint } })
  try {
    await expectMigrated(company)
    expect(stack.said()).toContain(`migration 1 (resummarise) of company ${company}: finished`)
    expect(stack.said()).toContain('migrated companies: 1 of 1')
  } finally {
    expect(await stack.stop()).toBe(0)
    rmSync(data, { recursive: true })
  }
})
