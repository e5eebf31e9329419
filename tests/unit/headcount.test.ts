import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Table, Write } from '../../functions/kit/table.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentsOf, type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { headcountKey } from '../../shared/headcount.ts'
import { openWorld, type World } from '../kit/world.ts'

// Headcounts stay correct while employees join, move and leave, with concurrent and refused writes.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let people: typeof import('../../functions/employee/store.ts')
let heads: typeof import('../../functions/department/headcount.ts')
let trees: typeof import('../../functions/department/store.ts')
let lists: typeof import('../../functions/employee/list.ts')
let table: Table
let companies = 0

const departments = Array.from({ length: 4 }, (_, i) => `department${String(i).padStart(6, '0')}`)
const person = (i: number, department: number, others: number[] = []): Employee => ({
  id: `employee${String(i).padStart(8, '0')}`,
  ...{ first_name: 'Ann', last_name: `L ${i}`, workno: String(i + 1), role: 3 },
  department: departments[department] ?? '',
  ...(others.length > 0 && { departments: others.map(other => departments[other] ?? '') }),
})

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  people = await import('../../functions/employee/store.ts')
  heads = await import('../../functions/department/headcount.ts')
  trees = await import('../../functions/department/store.ts')
  lists = await import('../../functions/employee/list.ts')
})
afterAll(() => world.close())

const open = async () => {
  table = kit.openTable(`headcount${companies++}`)
  await kit.save(...departments.map(id => table.insert(departmentKey(id), { id, name: id })))
}

/** Compares all counts with the stored employees. */
const expectCorrectCounts = async () => {
  const employees = await table.all<Employee>({ pk: employeeKey('').pk })
  const headcounts = await heads.readHeadcounts(table)
  expect(await heads.countManaged({ table, departments: undefined })).toBe(employees.length)
  for (const id of departments) {
    const members = employees.filter(employee => departmentsOf(employee).includes(id))
    const guests = members.filter(({ department }) => department !== id)
    expect(headcounts(id)).toEqual({ people: members.length, guests: guests.length })
    expect(await lists.countListed({ table, departments: undefined }, { department: id })).toBe(members.length)
  }
  for (const managed of [[], [0], [0, 1], [1, 2, 3]].map(indexes => new Set(indexes.map(i => departments[i] ?? '')))) {
    const managedEmployees = employees.filter(employee => departmentsOf(employee).some(id => managed.has(id)))
    expect(await heads.countManaged({ table, departments: managed })).toBe(managedEmployees.length)
    const listed = await lists.countListed({ table, departments: managed }, {})
    if (listed !== undefined) expect(listed).toBe(managedEmployees.length)
  }
}

describe('the headcounts', () => {
  test('match the employees after concurrent changes', { timeout: 60_000 }, async () => {
    const step = fc.record({
      who: fc.nat(5),
      department: fc.nat(3),
      others: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
      isLeaving: fc.boolean(),
      // A company assigns an employee ID only once. A returning employee needs another ID, or the server refuses the
      // write.
      workno: fc.integer({ min: 1, max: 1e6 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 5 }), async rounds => {
        await open()
        for (const round of rounds) {
          // The fastest write wins. The server refuses the remaining writes, and these change no count.
          await Promise.all(
            round.map(async ({ who, department, others, isLeaving, workno }) => {
              const next = { ...person(who, department, others), workno: String(workno) }
              const before = await table.get(employeeKey(next.id))
              const writes = !before
                ? people.addEmployee(table, next)
                : isLeaving
                  ? people.removeEmployee(table, before)
                  : people.changeEmployee(table, before, { ...before, ...next, workno: before.workno })
              await kit.save(...writes).catch((error: unknown) => {
                if (!(error instanceof Problem)) throw error
              })
            }),
          )
        }
        await expectCorrectCounts()
      }),
      { numRuns: 15, seed: 6 },
    )
  })

  test('count every employee of a large save and of concurrent saves', async () => {
    await open()
    const saves = Array.from({ length: 24 }, (_, i) => [0, 1, 2].map(j => person(i * 3 + j, j, j === 2 ? [0] : [])))
    await Promise.all(saves.map(batch => kit.save(...batch.flatMap(employee => people.addEmployee(table, employee)))))
    await expectCorrectCounts()
    expect(await heads.countEmployees({ table }, departments[0] ?? '')).toBe(48)
    // A save of several employees updates each count once.
    const parts = await table.all<{ of: string }>({ pk: headcountKey('').pk })
    expect(new Set(parts.map(({ of }) => of))).toEqual(new Set(['company', ...departments.slice(0, 3)]))
  })

  test('disappear with a deleted department, and concurrent changes do not bring them back', async () => {
    for (let round = 0; round < 8; round++) {
      await open()
      const [deletedId = ''] = departments
      const save = (writes: Write[]) =>
        kit.save(...writes).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error
        })
      await save([...people.addEmployee(table, person(1, 0)), ...people.addEmployee(table, person(2, 1, [0]))])
      const [leaver, mover] = await table.getMany([person(1, 0), person(2, 1)].map(({ id }) => employeeKey(id)))
      if (!leaver || !mover) throw new Error('Nobody')
      await Promise.all([
        save(people.removeEmployee(table, leaver)),
        save(people.changeEmployee(table, mover, { ...mover, departments: [] })),
        ...[3, 4, 5].map(i => save(people.addEmployee(table, person(i, i % 2, [0])))),
        ...Array.from({ length: 3 }, async () => {
          try {
            await trees.removeDepartments(table, [deletedId])
          } catch (error) {
            if (!(error instanceof Problem)) throw error
          }
        }),
      ])
      await expectCorrectCounts()
      const parts = async () =>
        (await table.all<{ of: string }>({ pk: headcountKey('').pk })).filter(({ of }) => of === deletedId)
      if (!(await table.get(departmentKey(deletedId)))) expect(await parts()).toEqual([])
      // A department stays if it gains an employee before the deletion. Without employees, the server deletes the
      // department and refuses new employees.
      for (const employee of await table.all<Employee>({ pk: employeeKey('').pk }))
        await kit.save(...people.removeEmployee(table, employee))
      await trees.removeDepartments(table, [deletedId])
      await expect(kit.save(...people.addEmployee(table, person(9, 0)))).rejects.toMatchObject({ code: 60004 })
      expect(await parts()).toEqual([])
    }
  })

  test('are read only from the managed departments if a manager has few', async () => {
    await open()
    await kit.save(...people.addEmployee(table, person(1, 0)), ...people.addEmployee(table, person(2, 1)))
    const read: string[] = []
    const watchedTable: Table = {
      ...table,
      all: async range => {
        const rows = await table.all(range)
        read.push(
          ...rows.map(row => ('of' in (row as object) ? String((row as unknown as { of: string }).of) : range.pk)),
        )
        return rows
      },
    }
    const few = new Set(departments.slice(1, 3))
    expect(await lists.countListed({ table: watchedTable, departments: few }, {})).toBe(1)
    expect(new Set(read)).toEqual(new Set([departments[1]]))
    const many = new Set([...departments, ...Array.from({ length: 40 }, (_, i) => `other${i}`)])
    expect(await lists.countListed({ table, departments: many }, {})).toBe(2)
  })

  test('are undefined if an employee could count twice', async () => {
    await open()
    await kit.save(...people.addEmployee(table, person(1, 0, [1])), ...people.addEmployee(table, person(2, 1)))
    const both = new Set(departments.slice(0, 2))
    expect(await lists.countListed({ table, departments: both }, {})).toBeUndefined()
    expect(await heads.countManaged({ table, departments: both })).toBe(2)
    expect(await lists.countListed({ table, departments: new Set(departments.slice(1, 2)) }, {})).toBe(2)
    expect(await lists.countListed({ table, departments: undefined }, { search: 'Ann' })).toBeUndefined()
    expect(await lists.countListed({ table, departments: both }, { department: departments[2] })).toBe(0)
  })
})
