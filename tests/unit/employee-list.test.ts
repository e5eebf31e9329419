import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../functions/kit/caller.ts'
import type { Table, Write } from '../../functions/kit/table.ts'
import { departmentKey } from '../../shared/department.ts'
import type { Employee, EmployeeFilters, EmployeeSort } from '../../shared/employee.ts'
import { fold } from '../../shared/fold.ts'
import { fullName } from '../../shared/person-name.ts'
import { openWorld, type World } from '../kit/world.ts'

// Employee lists against a real engine: all pages together are the full list, for any caller, order and page size.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let people: typeof import('../../functions/employee/store.ts')
let lists: typeof import('../../functions/employee/list.ts')
let headcount: typeof import('../../functions/department/headcount.ts')
let listModule: typeof import('../../functions/kit/table/list.ts')
let table: Table

const company = 'c'.repeat(16)
const departments = Array.from({ length: 40 }, (_, i) => `department${String(i).padStart(6, '0')}`)
const id = (i: number) => `employee${String(i).padStart(8, '0')}`
/** Names that differ only in case or accents, that share a beginning, or that sort by bytes. */
const names = ['Ann', 'ann', 'Ánn', 'Ann B', 'Anna', 'Σοφός', 'ΣΟΦΟΣ', '王', '𠮷', 'ﬁ', '', 'z', 'Z A', '\u{ffee}']
let employees: Employee[]

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  people = await import('../../functions/employee/store.ts')
  lists = await import('../../functions/employee/list.ts')
  headcount = await import('../../functions/department/headcount.ts')
  listModule = await import('../../functions/kit/table/list.ts')
  table = kit.openTable(company)
  await kit.save(...departments.map(id => table.insert(departmentKey(id), { id, name: id })))
  const random = fc.sample(fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }), { numRuns: 300, seed: 4 })
  employees = random.map(([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0], i) => ({
    id: id(i),
    first_name: names[a % names.length] ?? '',
    last_name: names[b % names.length] ?? '',
    workno: String(1 + i * 7),
    department: departments[c % (f % 2 ? 3 : departments.length)] ?? '',
    ...(d % 3 === 0 && { departments: [departments[e % 5] ?? '', departments[f % departments.length] ?? ''] }),
    ...(g % 4 === 0 && { position: `Häuer ${i}` }),
    ...(h % 5 === 0 && { endDay: h % 2 ? '2020-01-01' : '2999-01-01' }),
    role: g % 7 === 0 ? 0 : 3,
  }))
  for (let i = 0; i < employees.length; i += 10)
    await kit.save(...employees.slice(i, i + 10).flatMap(employee => people.addEmployee(table, employee)))
  await kit.save(table.insert({ pk: 'COMPANY', sk: '-' }, { timezone: 'Europe/Athens' }))
}, 60_000)
afterAll(() => world.close())

const callerOf = (departments: string[] | undefined) =>
  ({ table, departments: departments && new Set(departments) }) as unknown as Caller

const belongs = ({ department, departments = [] }: Employee, to: string[]) =>
  [department, ...departments].some(id => to.includes(id))

/** The expected full list, computed without the table. */
const expectedIds = (managed: string[] | undefined, filters: EmployeeFilters, { by, descending }: EmployeeSort) => {
  const matches = employees.filter(
    employee =>
      (!managed || belongs(employee, managed)) &&
      (!filters.department ||
        (belongs(employee, [filters.department]) && (!managed || managed.includes(filters.department)))) &&
      (filters.role === undefined || employee.role === filters.role) &&
      (!filters.search ||
        [`${employee.first_name} ${employee.last_name}`, employee.workno, employee.position ?? ''].some(text =>
          fold(text).includes(fold(filters.search ?? '')),
        )) &&
      (!filters.state ||
        filters.state === (employee.endDay === '2020-01-01' ? 'left' : employee.role === 0 ? 'waiting' : 'active')),
  )
  const order = (employee: Employee) =>
    by === 'workno' ? employee.workno.padStart(12, '0') : `${fold(fullName(employee))} #${employee.id}`
  matches.sort((first, second) => Buffer.compare(Buffer.from(order(first)), Buffer.from(order(second))))
  return (descending ? matches.reverse() : matches).map(({ id }) => id)
}

const walk = async (managed: string[] | undefined, filters: EmployeeFilters, sort: EmployeeSort, size: number) => {
  const pages: string[][] = []
  let page: string | undefined
  do {
    const part = await lists.listEmployees(callerOf(managed), { filters, sort, size, page })
    pages.push(part.list.map(({ id }) => id))
    page = part.next
  } while (page)
  return pages
}

const managedBy = fc.oneof(
  fc.constant(undefined),
  fc.uniqueArray(fc.constantFrom(...departments), { maxLength: 6 }),
  fc.constant(departments.slice(2, 38)),
)
const sorts = fc.record({ by: fc.constantFrom('name' as const, 'workno' as const), descending: fc.boolean() })
const filtersOf = fc.record(
  {
    department: fc.constantFrom(...departments.slice(0, 5)),
    role: fc.constantFrom(0, 3),
    search: fc.constantFrom('an', 'ÁNN', 'σοφος', '7', 'häu', 'nobody', ' ', '王'),
    state: fc.constantFrom('active' as const, 'waiting' as const, 'left' as const),
  },
  { requiredKeys: [] },
)

describe('the pages of an employee list', () => {
  test('contain every employee exactly once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        managedBy,
        filtersOf,
        sorts,
        fc.integer({ min: 1, max: 200 }),
        async (managed, filters, sort, size) => {
          const pages = await walk(managed, filters, sort, size)
          expect(pages.flat()).toEqual(expectedIds(managed, filters, sort))
          for (const page of pages) expect(page.length).toBeLessThanOrEqual(size)
        },
      ),
      { numRuns: 150, seed: 11 },
    )
  })

  test('contain every employee, even with one employee per page', async () => {
    for (const descending of [false, true])
      expect((await walk(undefined, {}, { by: 'name', descending }, 1)).map(([id]) => id)).toEqual(
        expectedIds(undefined, {}, { by: 'name', descending }),
      )
  })

  test('contain every employee even if a page may read only a few rows', async () => {
    const sort = { by: 'name', descending: false } as const
    for (const managed of [departments.slice(0, 5), departments.slice(0, 1)])
      for (const role of [0, 3]) {
        const matches: string[] = []
        let page: string | undefined
        let emptyPages = 0
        do {
          const part = await listModule.readList<{ employee: string }>(table, {
            name: 'few',
            size: 7,
            page,
            mostRead: 10,
            ranges: managed.map(department => ({
              pk: `DEPARTMENT_EMPLOYEE#${department}`,
              where: [['role', '=', role]],
            })),
          })
          if (part.list.length === 0) emptyPages++
          matches.push(...part.list.map(({ employee }) => employee))
          page = part.next
        } while (page)
        expect(matches).toEqual(expectedIds(managed, { role }, sort))
        expect(emptyPages).toBeLessThan(employees.length)
      }
  })

  test('end after a limited number of rows without a match, and return a cursor', async () => {
    let read = 0
    const counting: Table = {
      ...table,
      part: async range => {
        const part = await table.part(range)
        read += part.read
        return part
      },
    }
    const ranges = [{ pk: 'EMPLOYEE', index: 'byName' as const }]
    const of = { ranges, name: 'nobody', size: 5, mostRead: 50, keep: () => false }
    const { list, next } = await listModule.readList(counting, of)
    expect(list).toEqual([])
    expect(next).toBeDefined()
    expect(read).toBeGreaterThanOrEqual(50)
    expect(read).toBeLessThan(200)
  })
})

describe('a cursor', () => {
  const sort = { by: 'name', descending: false } as const
  const list = (filters: EmployeeFilters, page?: string, more: object = {}) =>
    lists.listEmployees(callerOf(undefined), { filters, sort: { ...sort, ...more }, size: 3, page })

  test('works only for its own list, and reveals no data', async () => {
    const { next = '' } = await list({ role: 3 })
    for (const other of [list({}, next), list({ role: 3 }, next, { descending: true }), list({ role: 3 }, `${next}A`)])
      await expect(other).rejects.toMatchObject({ code: 10002, fields: { page: 10002 } })
    expect(Buffer.from(next, 'base64url').toString('latin1')).not.toContain('employee')
    const another = { ...callerOf(undefined), table: kit.openTable('another') }
    await expect(
      lists.listEmployees(another, { filters: { role: 3 }, sort, size: 3, page: next }),
    ).rejects.toMatchObject({
      code: 10002,
    })
  })
})

describe('the writes of an employee', () => {
  test('keep the employee IDs and department members consistent after any change', async () => {
    const other = kit.openTable('changing')
    await kit.save(...departments.map(id => other.insert(departmentKey(id), { id, name: id })))
    const employeeKey = (await import('../../shared/employee.ts')).employeeKey
    const change = fc.record(
      {
        first_name: fc.constantFrom(...names),
        workno: fc.integer({ min: 1, max: 9 }).map(String),
        department: fc.constantFrom(...departments.slice(0, 3)),
        departments: fc.array(fc.constantFrom(...departments.slice(0, 4)), { maxLength: 3 }),
        role: fc.constantFrom(0, 3),
        endDay: fc.constant('2026-01-01'),
      },
      { requiredKeys: ['first_name', 'workno', 'department', 'role'] },
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async changes => {
        const employeeId = `changing${String(count++).padStart(8, '0')}`
        const employeeForm = (form: (typeof changes)[number]) => ({
          ...form,
          id: employeeId,
          last_name: 'L',
          workno: `${count}${form.workno}`,
        })
        const [first, ...others] = changes
        if (!first) return
        await kit.save(...people.addEmployee(other, employeeForm(first)))
        for (const form of others)
          await people.alterEmployee(other, employeeId, ({ formerWorknos }) => ({
            ...employeeForm(form),
            ...(formerWorknos && { formerWorknos }),
          }))
        const last = changes.at(-1) ?? first
        const caller = { ...callerOf(undefined), table: other }
        for (const department of departments.slice(0, 4))
          for (const by of ['name', 'workno'] as const) {
            const all: Employee[] = []
            const sort = { by, descending: false }
            for await (const employee of lists.eachEmployee(caller, { filters: { department }, sort }))
              all.push(employee)
            expect(all.filter(({ id }) => id === employeeId)).toHaveLength(
              belongs(employeeForm(last), [department]) ? 1 : 0,
            )
            expect(await headcount.countEmployees(caller, department)).toBe(all.length)
          }
        const stored = await other.get(employeeKey(employeeId))
        const numbers = new Set(changes.map(form => employeeForm(form).workno))
        expect(new Set([stored?.workno, ...(stored?.formerWorknos ?? [])])).toEqual(numbers)
        for (const workno of numbers)
          expect(await other.get({ pk: `WORKNO#${workno}`, sk: '-' })).toMatchObject({ employee: employeeId })
        if (stored && count % 2) await kit.save(...people.removeEmployee(other, stored))
      }),
      { numRuns: 15, seed: 5 },
    )
  })

  test('fit into one save at their maximum number, with the audit entry and the sign-in', async () => {
    const { mostOtherDepartments, employeeKey } = await import('../../shared/employee.ts')
    const actor = { employee: id(1), ip: '::1', path: 'employee/update', requestId: 'r' }
    const other = kit.openTable('worst', actor)
    await kit.save(...departments.map(id => other.insert(departmentKey(id), { id, name: id })))
    await kit.save(...['one', 'two'].map(id => other.put({ pk: 'ROLE', sk: id }, { id })))
    await kit.save(other.insert({ pk: 'COMPANY', sk: '-' }, { timezone: 'Europe/Athens' }))
    const somewhere = (from: number) => ({
      department: departments[from] ?? '',
      departments: departments.slice(from + 1, from + 1 + mostOtherDepartments),
    })
    const form = (more: object): Employee => ({
      ...{ id: 'w'.repeat(16), first_name: 'W', last_name: 'Orst', workno: '1', role: 3, endDay: '2020-01-01' },
      ...somewhere(0),
      ...more,
    })
    // Two writes to the directory, such as a new password, or the removal of an account and its address.
    const signIn = ['one', 'two'].map(sk => kit.directory().put({ pk: 'WORST', sk }, {}))
    const steps = [
      form({ role: 0 }),
      form({ role: 0, first_name: 'Renamed' }),
      form({ role: 2, roleId: 'one', first_name: 'Renamed', workno: '2', ...somewhere(12) }),
      form({ role: 2, roleId: 'two', workno: '3' }),
      form({ role: 0, first_name: 'Renamed', workno: '4', ...somewhere(12) }),
      form({ role: 2, roleId: 'one', workno: '5' }),
    ]
    const saveAll = (writes: Write[]) => kit.save(...writes, ...signIn)
    const read = async () => {
      const employee = await other.get(employeeKey('w'.repeat(16)))
      if (!employee) throw new Error('Nobody')
      return employee
    }
    for (const [i, step] of steps.entries()) {
      const before = i === 0 ? undefined : await read()
      await saveAll(
        before
          ? people.changeEmployee(other, before, {
              ...step,
              version: before.version,
              ...(before.formerWorknos && { formerWorknos: before.formerWorknos }),
            })
          : people.addEmployee(other, step),
      )
      for (const state of ['waiting', 'left'] as const)
        for (const department of [step.department, step.departments?.at(-1) ?? '', departments[39] ?? '']) {
          const filters = { state, department }
          const of = { filters, sort: { by: 'name', descending: false } as const, size: 10 }
          const isThere = department !== departments[39] && state === 'left'
          const caller = { table: other, departments: undefined }
          expect((await lists.listEmployees(caller, of)).list).toHaveLength(isThere ? 1 : 0)
        }
    }
    await saveAll(people.removeEmployee(other, await read()))
    for (const state of ['waiting', 'left']) expect(await other.all({ pk: `RARE_EMPLOYEE#${state}` })).toEqual([])
  })

  test('fail for a missing department', async () => {
    const stranger = { id: 'x'.repeat(16), first_name: 'X', last_name: 'Y', workno: '999999', role: 3 }
    await expect(kit.save(...people.addEmployee(table, { ...stranger, department: 'missing' }))).rejects.toMatchObject({
      code: 60004,
      fields: { department: 60004 },
    })
    await expect(
      kit.save(
        ...people.addEmployee(table, { ...stranger, department: departments[0] ?? '', departments: ['missing'] }),
      ),
    ).rejects.toMatchObject({ code: 60004, fields: { 'departments.0': 60004 } })
  })
})
