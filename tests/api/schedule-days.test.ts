import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { scheduleKey } from '../../shared/schedule/month.ts'
import { rightBefore } from '../kit/right-before.ts'
import { openWorld, type World } from '../kit/world.ts'

// One call sets days of several employees while another caller changes the same employees.

let world: World
let kit: typeof import('../../functions/kit/table.ts')
let planDays: typeof import('../../functions/schedule/days.ts').planDays
let company: string

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  kit = await import('../../functions/kit/table.ts')
  planDays = (await import('../../functions/schedule/days.ts')).planDays
})
afterAll(() => world.close())
beforeEach(async () => {
  company = `p${randomBytes(8).toString('hex').slice(1)}`
  await Promise.all(many.map(id => kit.save(table().insert(employeeKey(id), personOf(id)))))
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Three employees fit into a transaction, and forty do not. */
const many = Array.from({ length: 40 }, (_, i) => `p${10 + i}`)
const few = many.slice(0, 3)
const [firstId = ''] = many
const [month, day, otherDay] = ['2099-03', '2099-03-02', '2099-03-20']
const personOf = (id: string) => ({ id, first_name: id, last_name: 'Q', workno: id }) as Employee
const table = () => kit.openTable(company)
const monthOf = (id: string) => table().get(scheduleKey(month, id))
/** Sets a shift on a day of the employees, as `schedule/update` does. */
const plan = async (ids: string[]) => {
  const employees = (await table().getMany(ids.map(employeeKey))).flatMap(employee => employee ?? [])
  return planDays({ table: table(), zone: 'UTC', employees, days: [day], plan: () => ['early'] })
}
const listPlanned = async () => {
  const months = await Promise.all(many.map(monthOf))
  return many.filter((_, i) => months[i]?.days[day]?.includes('early'))
}
/** Whether a request saves the employee’s month. */
const saves = (id: string) => (input: string) => input.includes('TransactItems') && input.includes(`"employee":"${id}"`)
const deleteEmployee = (id: string) => () => kit.save(table().remove(employeeKey(id)))
/** Another caller plans another day of the employee. */
const changeMonth = async (id: string, shift: string) => {
  const days = { ...(await monthOf(id))?.days, [otherDay]: [shift] }
  await kit.save(table().putAnew(scheduleKey(month, id), { employee: id, month, days }))
}

test('a call retries employees that another caller keeps changing, until they are saved', {
  tags: 'long',
}, async () => {
  let changes = 0
  const otherCallerChanges = async () => {
    if (++changes <= 15) await changeMonth(firstId, `late${changes}`)
  }
  rightBefore(saves(firstId), otherCallerChanges, { isAlways: true })
  expect(await plan(few)).toEqual({ changedDays: 3, refused: [] })
  expect(changes).toBe(16)
  expect((await monthOf(firstId))?.days).toEqual({ [day]: ['early'], [otherDay]: ['late15'] })
})

test('a call that fits into one transaction saves all employees or no employee', async () => {
  rightBefore(saves(firstId), deleteEmployee(firstId))
  await expect(plan(few)).rejects.toMatchObject({ code: 60004, fields: { employees: 60004 } })
  expect(await listPlanned()).toEqual([])
})

test('a call that needs several transactions names exactly the employees that it leaves unchanged', {
  tags: 'long',
}, async () => {
  rightBefore(saves(firstId), deleteEmployee(firstId))
  const { changedDays, refused } = await plan(many)
  const refusedIds = refused.map(({ employee }) => employee)
  expect(refusedIds).toContain(firstId)
  expect(refused[0]).toEqual({ employee: refusedIds[0], name: `${refusedIds[0]} Q`, code: 60004 })
  expect(await listPlanned()).toEqual(many.filter(id => !refusedIds.includes(id)))
  expect(changedDays).toBe(many.length - refusedIds.length)
})

test('a call reports the saved employees even if the table fails for other employees', { tags: 'long' }, async () => {
  const fail = async () => {
    throw new Error('The table is away')
  }
  rightBefore(saves(firstId), fail, { isAlways: true })
  const { changedDays, refused } = await plan(many)
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([60011]))
  expect(await listPlanned()).toEqual(many.filter(id => !refused.some(({ employee }) => employee === id)))
  expect(changedDays).toBe(many.length - refused.length)
})

test('a call retries after transaction conflicts', async () => {
  let collisions = 0
  const collide = async () => {
    if (++collisions <= 12)
      throw Object.assign(new Error('collided'), {
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
      })
  }
  rightBefore(saves(firstId), collide, { isAlways: true })
  expect(await plan(few)).toEqual({ changedDays: 3, refused: [] })
})
