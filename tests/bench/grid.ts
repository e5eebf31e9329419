import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { loadLambda } from '../../infra/local/invoke.ts'
import { readStream } from '../../infra/local/stream.ts'
import type { Account } from '../../shared/account.ts'
import { accountKey } from '../../shared/account.ts'
import { departmentKey } from '../../shared/department.ts'
import type { Employee } from '../../shared/employee.ts'
import { companyPrefix } from '../../shared/table.ts'
import { openWorld } from '../kit/world.ts'
import type { Report } from './main.ts'

// The first page of employee/grid from its handler (session, person, page, response), against one bare query of the
// same page. Both use the same table, index and client library, and alternate within one run. Also measures whether the
// size of the company matters.

const sizes = [1000, 10_000]
const pageSize = 50
const rounds = 400
const departments = Array.from({ length: 10 }, (_, i) => `d${i}`.padEnd(16, '0'))
const firstNames = ['Ada', 'Ben', 'Chloé', 'Dimitra', 'Elena', 'Felix', 'Grace', 'Hugo', 'Iris', 'Jonas']

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

const person = (i: number): Employee => ({
  id: `e${String(i).padStart(15, '0')}`,
  first_name: firstNames[i % firstNames.length] ?? '',
  // Spreads names over the alphabet, so that the first page mixes people of the whole company.
  last_name: `${String.fromCharCode(65 + ((i * 7) % 26))}ason ${i}`,
  workno: String(i + 1),
  department: departments[i % departments.length] ?? '',
  position: 'Operator',
  email: `person-${i}@example.com`,
  hireDay: '2026-01-01',
  role: i === 0 ? 1 : 3,
})

export const bench = async (report: Report) => {
  const world = await openWorld()
  Object.assign(process.env, world.environment)
  const originalLog = console.log
  // Drops the log lines of the handler, because the output contains only figures.
  console.log = line => (String(line).includes('"path":"') ? undefined : originalLog(line))
  const kit = await import('../../functions/kit/table.ts')
  const { addEmployee } = await import('../../functions/employee/store.ts')
  const { startSession } = await import('../../functions/kit/session.ts')
  const handler = await loadLambda('functions', 'employee')
  if (!handler) throw new Error('functions/employee.ts is missing')
  // The stream is read without creating events, because an unread stream slows down each write.
  const changes = async () => ({ batchItemFailures: [] })
  const stream = readStream({
    database: world.database,
    table: world.table,
    bus: world.bus,
    changes,
    complain: originalLog,
  })
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(kit.localClient))

  /** Creates a company of this size with a signed-in administrator. */
  const createCompany = async (count: number) => {
    const company = `company${count}`
    const table = kit.openTable(company)
    const account: Account = { id: `a${count}`, passwordHash: '-', memberships: [{ company, employee: person(0).id }] }
    await kit.save(
      ...departments.map(id => table.insert(departmentKey(id), { id, name: id })),
      kit.directory().insert(accountKey(account.id), account),
    )
    for (let i = 0; i < count; i += 20)
      await kit.save(...Array.from({ length: 20 }, (_, j) => addEmployee(table, person(i + j))).flat())
    const user = { company, employee: person(0).id, type: 'management' as const }
    return { company, token: await startSession(user, { id: account.id, version: 1 }) }
  }
  const call = (token: string, input: object) =>
    handler({
      version: '2.0',
      rawPath: '/api/employee/grid',
      headers: { 'x-token': token, 'x-api-version': '2.0', 'x-language': 'en' },
      body: JSON.stringify(input),
      requestContext: { requestId: 'bench', http: { method: 'POST', sourceIp: '127.0.0.1' } },
    }) as Promise<{ body: string }>
  const queryBare = (company: string) =>
    client.send(
      new QueryCommand({
        TableName: world.table,
        IndexName: 'byName',
        KeyConditionExpression: 'namePk = :pk',
        ExpressionAttributeValues: { ':pk': `${companyPrefix(company)}EMPLOYEE` },
        Limit: pageSize,
      }),
    )

  try {
    const companies = []
    for (const size of sizes) {
      const startedAt = performance.now()
      companies.push({ size, ...(await createCompany(size)), grid: [] as number[], bare: [] as number[] })
      report(`writing ${size} employees through the kit`, (performance.now() - startedAt) / 1000, 's')
    }
    for (const { company, token } of companies) {
      const page = JSON.parse((await call(token, { size: pageSize })).body)
      const { Items = [] } = await queryBare(company)
      const [gridIds, bareIds] = [page.data.list, Items].map(list => JSON.stringify(list.map(({ id }: Employee) => id)))
      if (gridIds !== bareIds || Items.length !== pageSize) throw new Error('The two do not read the same page.')
    }
    // The first rounds warm up both variants.
    for (let round = -50; round < rounds; round++)
      for (const measured of round % 2 ? companies : companies.toReversed()) {
        const measure = {
          grid: () => time(() => call(measured.token, { size: pageSize })),
          bare: () => time(() => queryBare(measured.company)),
        }
        for (const kind of round % 4 < 2 ? (['grid', 'bare'] as const) : (['bare', 'grid'] as const)) {
          const milliseconds = await measure[kind]()
          if (round >= 0) measured[kind].push(milliseconds)
        }
      }
    for (const { size, grid, bare } of companies) {
      report(`bare query of a page of ${size}`, median(bare), 'ms')
      report(`employee/grid, first page of ${size}`, median(grid), 'ms')
      report(`employee/grid / bare query, of ${size}`, median(grid) / median(bare), 'ratio', { atMost: 2 })
    }
    const [small, large] = companies.map(({ grid }) => median(grid))
    report('first page of 10,000 / of 1,000', (large ?? 0) / (small ?? 1), 'ratio', { atMost: 1.3 })

    const largest = companies.at(-1)
    const searchTimes = []
    for (let i = 0; i < 20; i++)
      searchTimes.push(
        await time(() => call(largest?.token ?? '', { filters: { search: 'son 9999' }, size: pageSize })),
      )
    report('search for one of 10,000', median(searchTimes), 'ms')
  } finally {
    console.log = originalLog
    await stream.stop()
    await world.close()
  }
}
