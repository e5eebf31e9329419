import { globSync, readFileSync } from 'node:fs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Table } from '../../functions/kit/table.ts'
import { type AuditEntry, auditPk } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import { departmentKey } from '../../shared/department.ts'
import { deviceKey } from '../../shared/device.ts'
import { employeeKey } from '../../shared/employee.ts'
import { shiftKey } from '../../shared/shift.ts'
import type { Key } from '../../shared/table.ts'
import { openWorld, type World } from '../kit/world.ts'

// The kit's table against a real engine: what an actor changes is told, and nothing is told that did not happen.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let companies = 0
let company: string
/** A person's table, and a job's that nobody watches. */
let table: Table
let unwatched: Table

const actor = { employee: 'a'.repeat(16), ip: '192.0.2.1', path: 'department/update', requestId: 'r1' }
const entries = () => unwatched.all<AuditEntry>({ pk: auditPk })
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
  unwatched = kit.openTable(company)
})

describe('what an actor saves is told to the audit', () => {
  test('who, when, by which call, and each change with before and after', async () => {
    await kit.save(table.insert(departmentKey('d1'), department('d1', { tel: '1' })))
    const item = await table.get(departmentKey('d1'))
    await kit.save(table.replace(departmentKey('d1'), { ...department('d1', { name: 'Sales' }), version: 1 }))
    await kit.save(table.remove(departmentKey('d1'), 2))
    const told = await entries()
    expect(item).toEqual({ ...department('d1', { tel: '1' }), version: 1 })
    for (const entry of told)
      expect(entry).toMatchObject({ ...actor, nouns: ['department'], objects: ['d1'], at: expect.any(String) })
    expect(told.flatMap(({ changes }) => changes)).toEqual([
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

  test('also where the table has not read what it replaces, or has read it before others changed it', async () => {
    await kit.save(unwatched.insert(departmentKey('d1'), department('d1')))
    await table.get(departmentKey('d1'))
    await kit.save(unwatched.replace(departmentKey('d1'), { ...department('d1', { tel: '2' }), version: 1 }))
    await kit.save(table.replace(departmentKey('d1'), { ...department('d1', { tel: '3' }), version: 2 }))
    await kit.save(kit.openTable(company, actor).remove(departmentKey('d1')))
    expect((await changes()).map(({ change, fields }) => [change, fields.tel])).toEqual([
      ['changed', { before: '2', after: '3' }],
      ['removed', { before: '3' }],
    ])
  })

  test('as it was read, whatever the caller has made of what it was given', async () => {
    await kit.save(unwatched.insert(shiftKey('s'), { id: 's', breaks: [] } as never))
    const shift = (await table.get(shiftKey('s'))) as unknown as { version: number; breaks: string[] }
    shift.breaks.push('noon')
    await kit.save(table.replace(shiftKey('s'), shift as never))
    expect(await changes()).toMatchObject([{ fields: { breaks: { before: [], after: ['noon'] } } }])
  })

  test('in one entry for all that one save changes', async () => {
    await kit.save(...['d1', 'd2', 'd3'].map(id => table.insert(departmentKey(id), department(id))))
    expect((await entries()).map(({ objects }) => objects)).toEqual([['d1', 'd2', 'd3']])
  })

  test('never a secret, declared or caught by its name, and never the same value as a change', async () => {
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

describe('nothing is told', () => {
  test('of what was refused', async () => {
    await kit.save(unwatched.insert(departmentKey('d1'), department('d1')))
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

  test('of what nobody audits, and of a field that is not told', async () => {
    const other: Key<{ n: number }> = { pk: 'SESSION', sk: '1' }
    await kit.save(table.insert(other, { n: 1 }))
    await kit.save(unwatched.insert(deviceKey('T1'), { serialNumber: 'T1', name: 'Door' } as never))
    const device = await table.get(deviceKey('T1'))
    await kit.save(table.replace(deviceKey('T1'), { ...device, lastSeenAt: '2026-01-01T00:00:00Z' } as never))
    expect(await entries()).toEqual([])
  })

  test('of what no actor did', async () => {
    await kit.save(unwatched.insert(departmentKey('d1'), department('d1')))
    expect(await entries()).toEqual([])
  })
})

describe('the audit is only added to', () => {
  const key = { pk: auditPk, sk: 'x' }

  test('the kit makes no write that puts, replaces, adds up or removes an entry', async () => {
    for (const open of [table, unwatched]) {
      expect(() => open.put(key, {})).toThrow('only ever added to')
      expect(() => open.insert(key, {})).toThrow('only ever added to')
      expect(() => open.replace(key, { version: 1 })).toThrow('only ever added to')
      expect(() => open.remove(key)).toThrow('only ever added to')
      await expect(open.add(key, 1, 0)).rejects.toThrow('only ever added to')
    }
  })

  test('but for an erasure, which masks what is told of a person and where they were, and nothing else', async () => {
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
    const [added, changed, theirs] = after
    expect(added?.changes).toMatchObject([
      { noun: 'employee', id: 'bo', name: '•••', change: 'added', fields: { email: { after: '•••' } } },
      { id: 'cy', name: 'Ada cy', fields: { email: { after: 'cy@example.com' } } },
    ])
    expect(changed?.changes).toMatchObject([{ fields: { last_name: { before: '•••', after: '•••' } } }])
    expect(theirs).toMatchObject({ employee: 'bo', ip: '•••', changes: before[2]?.changes })
  })

  test('for two people of one entry at once', async () => {
    const { eraseFromAudit } = await import('../../functions/erasure/audit.ts')
    const ids = Array.from({ length: 6 }, (_, i) => `p${i}`)
    const person = (id: string) => ({
      ...{ id, first_name: 'Ada', last_name: `Secret ${id}`, workno: id, department: 'd1', role: 3 },
    })
    await kit.save(...ids.map(id => table.insert(employeeKey(id), person(id))))
    await Promise.all(ids.slice(1).map(id => eraseFromAudit(company, id)))
    const told = JSON.stringify(await entries())
    expect(ids.filter(id => told.includes(`Secret ${id}`))).toEqual(['p0'])
  })

  test('and by no code but that', () => {
    const naming = (pattern: RegExp) =>
      globSync('{functions,events,infra}/**/*.ts')
        .filter(file => pattern.test(readFileSync(file, 'utf8')))
        .sort()
    expect(naming(/\bopenAudit\b/)).toEqual(['functions/erasure/audit.ts', 'functions/kit/table.ts'])
    expect(
      naming(/\b(UpdateCommand|DeleteCommand|PutCommand|TransactWriteCommand|(Batch)?ExecuteStatementCommand)\b/),
    ).toEqual(['functions/kit/table/save.ts', 'functions/kit/table/write.ts'])
  })
})

describe('what arrives', () => {
  const [first, second, third] = ['d1', 'd2', 'd3'].map(id => departmentKey(id)) as [
    Key<object>,
    Key<object>,
    Key<object>,
  ]

  test('is stored each by itself, and what is there already stays as it is', async () => {
    expect(await kit.saveEach([unwatched.insert(second, department('d2'))])).toEqual(['stored'])
    const twice = [first, second, third, third].map(key => unwatched.insert(key, { name: 'Another', gone: undefined }))
    expect(await kit.saveEach(twice)).toEqual(['stored', 'known', 'stored', 'known'])
    const names = (await unwatched.getMany([first, second, third])).map(item => (item as { name?: string })?.name)
    expect(names).toEqual(['Another', 'Department d2', 'Another'])
  })

  test('is the item a save would have made, in the index too', async () => {
    const shape = { name: 'O\u2019Neill "\u00e9"', list: [1, { a: null }], deep: { '#x': true } }
    const key = { ...first, byNumber: { pk: 'N', sk: '1' } }
    await kit.saveEach([unwatched.insert(key, shape)])
    const [arrived] = await unwatched.all({ pk: 'N', index: 'byNumber' })
    await kit.save(unwatched.remove(first), unwatched.insert({ ...second, byNumber: { pk: 'M', sk: '1' } }, shape))
    const [saved] = await unwatched.all({ pk: 'M', index: 'byNumber' })
    expect(arrived).toEqual(saved)
    expect(arrived).toMatchObject({ ...shape, version: 1 })
  })

  test('never passes the audit by', async () => {
    await expect(kit.saveEach([table.insert(first, department('d1'))])).rejects.toThrow('audit')
  })
})

describe('one save', () => {
  test('carries 99 writes and their entry, and refuses more as a whole', async () => {
    const writes = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => table.insert(departmentKey(`d${from + i}`), department(`d${from + i}`)))
    await kit.save(...writes(kit.mostWrites, 0))
    expect((await entries()).map(({ changes }) => changes.length)).toEqual([99])
    await expect(kit.save(...writes(100, 200))).rejects.toThrow('too many')
    expect(await table.get(departmentKey('d200'))).toBeUndefined()
  })

  test('tells in several entries what is too much for one', async () => {
    const tel = 'x'.repeat(60_000)
    await kit.save(...['d1', 'd2', 'd3'].map(id => table.insert(departmentKey(id), department(id, { tel }))))
    expect((await entries()).map(({ objects }) => objects)).toHaveLength(3)
  })

  test('looks once at what is required twice, and not at what it makes itself', async () => {
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

describe('one write that meets a transaction on its item', () => {
  /** The engine of this machine carries transactions out one by one: the conflict is AWS's, the rest is real. */
  const meet = (times: number) => {
    const conflict = Object.assign(new Error('Transaction is ongoing for the item'), {
      name: 'TransactionConflictException',
    })
    const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
    for (let i = 0; i < times; i++) send.mockRejectedValueOnce(conflict as never)
    return send
  }
  afterEach(() => vi.restoreAllMocks())

  test('waits and is tried again, whether it puts or removes', async () => {
    meet(2)
    await kit.save(unwatched.insert(departmentKey('d1'), department('d1')))
    expect(await unwatched.get(departmentKey('d1'))).toMatchObject(department('d1'))
    meet(2)
    await kit.save(unwatched.remove(departmentKey('d1'), 1))
    expect(await unwatched.get(departmentKey('d1'))).toBeUndefined()
  })

  test('is still refused where its condition does not hold, and gives up in the end', async () => {
    await kit.save(unwatched.insert(departmentKey('d1'), department('d1')))
    meet(1)
    await expect(kit.save(unwatched.insert(departmentKey('d1'), department('d1')))).rejects.toMatchObject({
      code: 60006,
    })
    const send = meet(100)
    await expect(kit.save(unwatched.remove(departmentKey('d1'), 1))).rejects.toThrow('ongoing')
    expect(send.mock.calls.length).toBeLessThan(20)
  })
})

test('employees are written through kit/employee.ts alone, with their number and their memberships', () => {
  const writing = /\.(insert|replace|put|remove)\(\s*employeeKey\(|\bchange\([^,]+,\s*employeeKey\(/
  expect(globSync('{functions,events,infra}/**/*.ts').filter(file => writing.test(readFileSync(file, 'utf8')))).toEqual(
    ['functions/employee/store.ts'],
  )
})
