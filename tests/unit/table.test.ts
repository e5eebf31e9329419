import { globSync, readFileSync } from 'node:fs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Table } from '../../functions/kit/table.ts'
import { type AuditEntry, auditPk } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { employeeKey } from '../../shared/employee.ts'
import { shiftKey } from '../../shared/shift.ts'
import type { Key } from '../../shared/table.ts'
import { openWorld, type World } from '../kit/world.ts'

// Tests the kit's table with a real engine. The audit log contains exactly the changes of actors.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let companies = 0
let company: string
/** The table of a user, and the unaudited table of a job. */
let table: Table
let unaudited: Table

const actor = { employee: 'a'.repeat(16), ip: '192.0.2.1', path: 'department/update', requestId: 'r1' }
const entries = () => unaudited.all<AuditEntry>({ pk: auditPk })
const changes = async () => (await entries()).flatMap(({ changes }) => changes)
const department = (id: string, more: object = {}) => ({ id, name: `Department ${id}`, ...more })

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
})
afterAll(() => world.close())

beforeEach(() => {
  company = `company-${companies++}`
  table = kit.openTable(company, actor)
  unaudited = kit.openTable(company)
})

describe('the audit log of an actor’s save', () => {
  test('contains the actor, time, call, and each change with before and after', async () => {
    await kit.save(table.insert(departmentKey('d1'), department('d1', { tel: '1' })))
    const item = await table.get(departmentKey('d1'))
    await kit.save(table.replace(departmentKey('d1'), { ...department('d1', { name: 'Sales' }), version: 1 }))
    await kit.save(table.remove(departmentKey('d1'), 2))
    const logged = await entries()
    expect(item).toEqual({ ...department('d1', { tel: '1' }), version: 1 })
    for (const entry of logged)
      expect(entry).toMatchObject({ ...actor, nouns: ['department'], objects: ['d1'], at: expect.any(String) })
    expect(logged.flatMap(({ changes }) => changes)).toEqual([
      {
        noun: 'department',
        id: 'd1',
        name: 'Department d1',
        change: 'added',
        fields: { name: { after: 'Department d1' }, tel: { after: '1' } },
      },
      {
        noun: 'department',
        id: 'd1',
        name: 'Sales',
        change: 'changed',
        fields: { name: { before: 'Department d1', after: 'Sales' }, tel: { before: '1' } },
      },
      { noun: 'department', id: 'd1', name: 'Sales', change: 'removed', fields: { name: { before: 'Sales' } } },
    ])
  })

  test('has the correct former values, even if the save read the item before another change or never', async () => {
    await kit.save(unaudited.insert(departmentKey('d1'), department('d1')))
    await table.get(departmentKey('d1'))
    await kit.save(unaudited.replace(departmentKey('d1'), { ...department('d1', { tel: '2' }), version: 1 }))
    await kit.save(table.replace(departmentKey('d1'), { ...department('d1', { tel: '3' }), version: 2 }))
    await kit.save(kit.openTable(company, actor).remove(departmentKey('d1')))
    expect((await changes()).map(({ change, fields }) => [change, fields.tel])).toEqual([
      ['changed', { before: '2', after: '3' }],
      ['removed', { before: '3' }],
    ])
  })

  test('has the values from the read, even if the caller mutates the item afterwards', async () => {
    await kit.save(unaudited.insert(shiftKey('s'), { id: 's', breaks: [] } as never))
    const shift = (await table.get(shiftKey('s'))) as unknown as { version: number; breaks: string[] }
    shift.breaks.push('noon')
    await kit.save(table.replace(shiftKey('s'), shift as never))
    expect(await changes()).toMatchObject([{ fields: { breaks: { before: [], after: ['noon'] } } }])
  })

  test('has one entry for all changes of a save', async () => {
    await kit.save(...['d1', 'd2', 'd3'].map(id => table.insert(departmentKey(id), department(id))))
    expect((await entries()).map(({ objects }) => objects)).toEqual([['d1', 'd2', 'd3']])
  })

  test('contains no secret, declared or recognised by its name, and no unchanged value', async () => {
    await kit.save(
      table.insert(companyKey(), {
        id: company,
        name: 'C',
        comm_pwd: 'sealed-1',
        parameters: { apiToken: 'x' },
      } as never),
    )
    await kit.save(
      table.replace(companyKey(), {
        id: company,
        name: 'C',
        comm_pwd: 'sealed-2',
        parameters: { apiToken: 'x' },
        version: 1,
      } as never),
    )
    expect((await changes()).map(({ fields }) => fields)).toEqual([
      { name: { after: 'C' }, comm_pwd: { after: '•••' }, parameters: { after: { apiToken: '•••' } } },
      { comm_pwd: { before: '•••', after: '•••' } },
    ])
    expect(JSON.stringify(await entries())).not.toMatch(/sealed-|"x"/)
  })
})

describe('the audit log has no entry', () => {
  test('for a refused save', async () => {
    await kit.save(unaudited.insert(departmentKey('d1'), department('d1')))
    await expect(kit.save(table.insert(departmentKey('d1'), department('d1')))).rejects.toMatchObject({ code: 60006 })
    await expect(
      kit.save(table.replace(departmentKey('d1'), { ...department('d1', { tel: '1' }), version: 7 })),
    ).rejects.toMatchObject({ code: 60006 })
    await expect(
      kit.save(
        table.insert(departmentKey('d2'), department('d2')),
        table.require(departmentKey('missing'), { code: 60004, fields: { department: 60004 } }),
      ),
    ).rejects.toMatchObject({ code: 60004, fields: { department: 60004 } })
    expect(await entries()).toEqual([])
    expect(await table.get(departmentKey('d2'))).toBeUndefined()
  })

  test('for an unaudited item or an unlogged field', async () => {
    const other: Key<{ n: number }> = { pk: 'SESSION', sk: '1' }
    await kit.save(table.insert(other, { n: 1 }))
    await kit.save(unaudited.insert(deviceKey('T1'), { serialNumber: 'T1', name: 'Door' } as never))
    const device = await table.get(deviceKey('T1'))
    await kit.save(table.replace(deviceKey('T1'), { ...device, lastSeenAt: '2026-01-01T00:00:00Z' } as never))
    expect(await entries()).toEqual([])
  })

  test('for a save without an actor', async () => {
    await kit.save(unaudited.insert(departmentKey('d1'), department('d1')))
    expect(await entries()).toEqual([])
  })
})

describe('the audit log is append-only', () => {
  const key = { pk: auditPk, sk: 'x' }

  test('the kit creates no write that puts, replaces, increments or removes an entry', async () => {
    for (const open of [table, unaudited]) {
      expect(() => open.put(key, {})).toThrow('only ever added to')
      expect(() => open.insert(key, {})).toThrow('only ever added to')
      expect(() => open.replace(key, { version: 1 })).toThrow('only ever added to')
      expect(() => open.remove(key)).toThrow('only ever added to')
      await expect(open.add(key, 1, 0)).rejects.toThrow('only ever added to')
    }
  })

  test('except for an erasure, which masks only the person’s values and addresses', async () => {
    const { eraseFromAudit } = await import('../../functions/erasure/audit.ts')
    const person = (id: string) => ({
      ...{ id, first_name: 'Ada', last_name: id, workno: id, department: 'd1', role: 3 },
      ...{ email: `${id}@example.com`, hireDay: '2026-01-01' },
    })
    const bo = kit.openTable(company, { ...actor, employee: 'bo', ip: '192.0.2.2' })
    await kit.save(...['bo', 'cy'].map(id => table.insert(employeeKey(id), person(id))))
    await kit.save(table.replace(employeeKey('bo'), { ...person('bo'), last_name: 'Wren', version: 1 }))
    await kit.save(bo.insert(departmentKey('d1'), department('d1')))
    const before = await entries()
    for (let times = 0; times < 2; times++) await eraseFromAudit(company, 'bo')
    const after = await entries()
    expect(JSON.stringify(after)).not.toMatch(/Wren|bo@|192\.0\.2\.2/)
    expect(after.map(({ at, id }) => [at, id])).toEqual(before.map(({ at, id }) => [at, id]))
    const [added, changed, byErased] = after
    expect(added?.changes).toMatchObject([
      { noun: 'employee', id: 'bo', name: '•••', change: 'added', fields: { email: { after: '•••' } } },
      { id: 'cy', name: 'Ada cy', fields: { email: { after: 'cy@example.com' } } },
    ])
    expect(changed?.changes).toMatchObject([{ fields: { last_name: { before: '•••', after: '•••' } } }])
    expect(byErased).toMatchObject({ employee: 'bo', ip: '•••', changes: before[2]?.changes })
  })

  test('concurrent erasures mask several people in one entry', async () => {
    const { eraseFromAudit } = await import('../../functions/erasure/audit.ts')
    const ids = Array.from({ length: 6 }, (_, i) => `p${i}`)
    const person = (id: string) => ({
      ...{ id, first_name: 'Ada', last_name: `Secret ${id}`, workno: id, department: 'd1', role: 3 },
    })
    await kit.save(...ids.map(id => table.insert(employeeKey(id), person(id))))
    await Promise.all(ids.slice(1).map(id => eraseFromAudit(company, id)))
    const log = JSON.stringify(await entries())
    expect(ids.filter(id => log.includes(`Secret ${id}`))).toEqual(['p0'])
  })

  test('only the source of the erasure opens the audit log for changes', () => {
    const filesWith = (pattern: RegExp) =>
      globSync('{functions,events,infra}/**/*.ts')
        .filter(file => pattern.test(readFileSync(file, 'utf8')))
        .sort()
    expect(filesWith(/\bopenAudit\b/)).toEqual(['functions/erasure/audit.ts', 'functions/kit/table.ts'])
    expect(
      filesWith(/\b(UpdateCommand|DeleteCommand|PutCommand|TransactWriteCommand|(Batch)?ExecuteStatementCommand)\b/),
    ).toEqual(['functions/kit/table/save.ts', 'functions/kit/table/write.ts'])
  })
})

describe('saveEach', () => {
  const [first, second, third] = ['d1', 'd2', 'd3'].map(id => departmentKey(id)) as [
    Key<object>,
    Key<object>,
    Key<object>,
  ]

  test('stores each item separately, and keeps existing items', async () => {
    expect(await kit.saveEach([unaudited.insert(second, department('d2'))])).toEqual(['stored'])
    const twice = [first, second, third, third].map(key => unaudited.insert(key, { name: 'Another', gone: undefined }))
    expect(await kit.saveEach(twice)).toEqual(['stored', 'known', 'stored', 'known'])
    const names = (await unaudited.getMany([first, second, third])).map(item => (item as { name?: string })?.name)
    expect(names).toEqual(['Another', 'Department d2', 'Another'])
  })

  test('stores the same item as a save does, also in the index', async () => {
    const shape = { name: 'O\u2019Neill "\u00e9"', list: [1, { a: null }], deep: { '#x': true } }
    const key = { ...first, byNumber: { pk: 'N', sk: '1' } }
    await kit.saveEach([unaudited.insert(key, shape)])
    const [arrived] = await unaudited.all({ pk: 'N', index: 'byNumber' })
    await kit.save(unaudited.remove(first), unaudited.insert({ ...second, byNumber: { pk: 'M', sk: '1' } }, shape))
    const [saved] = await unaudited.all({ pk: 'M', index: 'byNumber' })
    expect(arrived).toEqual(saved)
    expect(arrived).toMatchObject({ ...shape, version: 1 })
  })

  test('never bypasses the audit log', async () => {
    await expect(kit.saveEach([table.insert(first, department('d1'))])).rejects.toThrow('audit')
  })
})

describe('one save', () => {
  test('contains up to 99 writes and their entry, and fails as a whole beyond', async () => {
    const writes = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => table.insert(departmentKey(`d${from + i}`), department(`d${from + i}`)))
    await kit.save(...writes(kit.mostWrites, 0))
    expect((await entries()).map(({ changes }) => changes.length)).toEqual([99])
    await expect(kit.save(...writes(100, 200))).rejects.toThrow('too many')
    expect(await table.get(departmentKey('d200'))).toBeUndefined()
  })

  test('splits a large change into several audit entries', async () => {
    const tel = 'x'.repeat(60_000)
    await kit.save(...['d1', 'd2', 'd3'].map(id => table.insert(departmentKey(id), department(id, { tel }))))
    expect((await entries()).map(({ objects }) => objects)).toHaveLength(3)
  })

  test('checks a repeated requirement once, and requires none of its own new items', async () => {
    const missing = { code: 60004 } as const
    await kit.save(
      table.insert(departmentKey('d1'), department('d1')),
      table.require(departmentKey('d1'), missing),
      table.require(departmentKey('d1'), missing),
    )
    await kit.save(
      table.insert(departmentKey('d2'), department('d2')),
      table.require(departmentKey('d1'), missing),
      table.require(departmentKey('d1'), missing),
    )
    expect((await table.getMany(['d1', 'd2'].map(departmentKey))).map(item => item?.name)).toEqual([
      'Department d1',
      'Department d2',
    ])
  })
})

describe('a single write during a transaction on its item', () => {
  /** The local engine runs transactions one by one, so the test fakes the conflict that AWS reports. */
  const failWithConflict = (times: number) => {
    const conflict = Object.assign(new Error('Transaction is ongoing for the item'), {
      name: 'TransactionConflictException',
    })
    const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
    for (let i = 0; i < times; i++) send.mockRejectedValueOnce(conflict as never)
    return send
  }
  afterEach(() => vi.restoreAllMocks())

  test('waits and retries, for a put and a removal', async () => {
    failWithConflict(2)
    await kit.save(unaudited.insert(departmentKey('d1'), department('d1')))
    expect(await unaudited.get(departmentKey('d1'))).toMatchObject(department('d1'))
    failWithConflict(2)
    await kit.save(unaudited.remove(departmentKey('d1'), 1))
    expect(await unaudited.get(departmentKey('d1'))).toBeUndefined()
  })

  test('still fails if its condition does not hold, and gives up eventually', async () => {
    await kit.save(unaudited.insert(departmentKey('d1'), department('d1')))
    failWithConflict(1)
    await expect(kit.save(unaudited.insert(departmentKey('d1'), department('d1')))).rejects.toMatchObject({
      code: 60006,
    })
    const send = failWithConflict(100)
    await expect(kit.save(unaudited.remove(departmentKey('d1'), 1))).rejects.toThrow('ongoing')
    expect(send.mock.calls.length).toBeLessThan(20)
  })
})

test('only functions/employee/store.ts writes employees, together with their employee IDs and memberships', () => {
  const writing = /\.(insert|replace|put|remove)\(\s*employeeKey\(|\bchange\([^,]+,\s*employeeKey\(/
  expect(globSync('{functions,events,infra}/**/*.ts').filter(file => writing.test(readFileSync(file, 'utf8')))).toEqual(
    ['functions/employee/store.ts'],
  )
})
