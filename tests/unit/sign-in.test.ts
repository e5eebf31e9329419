import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { hashSecret } from '../../functions/kit/id.ts'
import { companyNumberKey } from '../../shared/company.ts'
import { departmentKey } from '../../shared/department.ts'
import { type Employee, worknoKey } from '../../shared/employee.ts'
import { sessionKey } from '../../shared/session.ts'
import { openWorld, type World } from '../kit/world.ts'

// Counts the reads of a sign-in against a real engine, because a caller cannot see them.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let session: typeof import('../../functions/kit/session.ts')
const account = { id: 'account', version: 1 }
const member = { company: 'company-1', employee: 'employee-1', type: 'management' as const }

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  session = await import('../../functions/kit/session.ts')
  const { addEmployee } = await import('../../functions/employee/store.ts')
  const table = kit.openTable(member.company)
  const employee: Employee = {
    ...{ id: member.employee, first_name: 'Ada', last_name: 'A', workno: '1', department: 'd1', role: 3 },
    account: account.id,
  }
  await kit.save(
    kit
      .directory()
      .insert({ pk: 'ACCOUNT#account', sk: '-' }, { id: 'account', passwordHash: '', memberships: [member] }),
    kit.directory().insert(companyNumberKey('100001'), { company: member.company }),
    table.insert(departmentKey('d1'), { id: 'd1', name: 'Department' }),
    ...addEmployee(table, employee),
    // An employee ID whose employee is deleted.
    table.insert(worknoKey('2'), { employee: 'gone' }),
  )
})
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

const watchReads = () => {
  const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
  return () => send.mock.calls.filter(([command]) => (command as unknown) instanceof GetCommand).length
}

test('a sign-in by employee ID reads equally often for known and unknown employees', async () => {
  const { handler } = await import('../../functions/personal.ts')
  const readsFor = async (code: string, workno: string) => {
    const reads = watchReads()
    const answer = await handler(
      {
        rawPath: '/api/personal/login',
        requestContext: { requestId: 'r', http: { method: 'POST', sourceIp: '192.0.2.7' } },
        headers: { 'content-type': 'application/json', 'x-api-version': '2.0' },
        body: JSON.stringify({ code, workno, password: 'Wrong#1' }),
      } as never,
      {} as never,
    )
    expect(JSON.parse((answer as { body: string }).body)).toMatchObject({ code: 21014 })
    const count = reads()
    vi.restoreAllMocks()
    return count
  }
  const expectedReads = await readsFor('100001', '1')
  expect(expectedReads).toBeGreaterThan(0)
  for (const [code, workno] of [
    ['999999', '1'],
    ['100001', '9'],
    ['100001', '2'],
  ] as const)
    expect(await readsFor(code, workno), `${code} ${workno}`).toBe(expectedReads)
})

test('continueSession retries only if the session itself changed', async () => {
  const start = () => session.startSession(member, account)
  const token = hashSecret(await start())
  const conflicting = kit.directory().insert({ pk: 'ACCOUNT#account', sk: '-' }, {})
  let reads = watchReads()
  await expect(session.continueSession({ tokenHash: token }, { type: 'user' }, conflicting)).rejects.toMatchObject({
    code: 60006,
  })
  expect(reads(), 'one more read checks whether the session changed').toBe(2)
  vi.restoreAllMocks()

  reads = watchReads()
  const other = kit.directory().insert({ pk: 'ACCOUNT#account', sk: '-' }, {}, { code: 21022 })
  await expect(session.continueSession({ tokenHash: token }, { type: 'user' }, other)).rejects.toMatchObject({
    code: 21022,
  })
  expect(reads()).toBe(1)
  vi.restoreAllMocks()

  // Another call updates the session between the read and the save of this call.
  const { get } = kit.directory()
  const getSpy = vi.spyOn(kit.directory(), 'get').mockImplementationOnce(async key => {
    const item = await get(key)
    const seen = await get(sessionKey(token))
    if (seen) await kit.save(kit.directory().replace(sessionKey(token), seen))
    return item
  })
  expect(await session.continueSession({ tokenHash: token }, { type: 'user' })).toMatch(/^[\w-]{43}$/)
  expect(getSpy.mock.calls, 'reads the session, finds it changed, and reads again').toHaveLength(3)
})
