import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDays, localDay } from '../../shared/local-day.ts'
import { companyPrefix } from '../../shared/table.ts'
import { canonical } from '../kit/canonical.ts'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { taskEnd } from '../kit/sheet.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// A new company loads sample data, uses it, and removes it again.

let world: StackWithTable
beforeAll(async () => {
  world = await startStackWithTable()
}, 60_000)
afterAll(() => world.stop())

const zone = 'Europe/Athens'
const day = (offset: number) => addDays(localDay(zone, Date.now()), offset)

/** The items that may differ: the audit, tasks, answers to repeated calls, and the time of the last sweep. */
const passing = /^(AUDIT|TASK|OPEN_TASK|IDEMPOTENCY|FIRST|SWEEP|RECORD_MARK)/

/** Whether a stored summary counts nobody, like a day without a summary. */
const isEmptySummary = (name: string, item: Record<string, unknown>) =>
  name.startsWith('SUMMARY') && Object.values(item.figures as Record<string, number>).every(minutes => minutes === 0)

/** A company's items without those that may differ. The parts of a headcount are summed. */
const readItems = async ({ company }: Registered): Promise<Map<string, string>> => {
  const prefix = companyPrefix(company)
  const items = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const item of await world.everything()) {
    const pk = String(item.pk)
    if (!pk.startsWith(prefix)) continue
    const name = `${pk.slice(prefix.length)} ${item.sk}`
    if (passing.test(name) || isEmptySummary(name, item)) continue
    if (name.startsWith('HEADCOUNT')) {
      const of = name.split('#')[0] ?? ''
      counts.set(of, (counts.get(of) ?? 0) + Number(item.people))
    } else items.set(name, canonical(item))
  }
  for (const [name, people] of counts) if (people !== 0) items.set(name, String(people))
  return items
}

const differences = (before: Map<string, string>, after: Map<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter(name => before.get(name) !== after.get(name))
    .map(name => `${name}: ${before.get(name)} → ${after.get(name)}`)

const http = () => client(world.stack.address)

const run = async (path: 'company/sample/load' | 'company/sample/remove', by: Registered) =>
  taskEnd(http(), by, { task: (await http().call(path, {}, by)).task ?? '' })

/** Gives a company a person, a shift and a schedule of its own, on days that nobody calculates yet. */
const furnish = async (by: Registered) => {
  const person = { first_name: 'Own', last_name: 'Person', workno: '9003', department: by.department }
  const { id } = await http().call('employee/add', person, by)
  const times = { onDuty: '08:00', offDuty: '16:00', punchStart: '06:00', punchEnd: '20:00' }
  const shift = await http().call('shift/add', { name: 'Own', ...times }, by)
  const signed = { ...by, headers: { 'x-timezone': zone } }
  await http().call('schedule/add', { employees: [id], days: [day(10), day(11)], shift: shift.id }, signed)
}

test('sample data loads once, fills the lists, and its removal leaves everything else as it was', {
  timeout: 170_000,
}, async () => {
  const [boss, other] = [await register(http(), { timezone: zone }), await register(http(), { timezone: zone })]
  await furnish(boss)
  await furnish(other)
  expect(await http().call('company/sample', {}, boss)).toEqual({ state: 'none' })
  const [before, otherBefore] = [await readItems(boss), await readItems(other)]

  const [first, second] = [
    await http().call('company/sample/load', {}, boss),
    await http().call('company/sample/load', {}, boss),
  ]
  expect(await taskEnd(http(), boss, { task: first.task ?? '' })).toMatchObject({ state: 'done', rowCount: 12 })
  expect([undefined, first.task]).toContain(second.task)
  expect(await http().call('company/sample/load', {}, boss)).toEqual({})
  expect(await http().call('company/sample', {}, boss)).toMatchObject({ state: 'loaded', people: 12 })

  const { list } = await http().call('employee/grid', { size: 50 }, boss)
  expect(list).toHaveLength(14)
  expect(new Set(list.map(({ workno }) => workno)).size).toBe(14)
  const departments = (await http().call('department/all', {}, boss)).list.map(({ name }) => name)
  expect(departments).toEqual(expect.arrayContaining(['Shop (sample)', 'Workshop (sample)']))
  const shifts = (await http().call('shift/all', {}, boss)).list.map(({ name }) => name)
  expect(shifts, 'after the shifts of the company').toEqual(['Own', 'Early (sample)', 'Day (sample)'])
  const filters = { from: day(-14), to: day(0) }
  // The list shows the punches of calculated days.
  await eventually(
    () => http().call('record/grid', { filters }, boss),
    ({ list }) => expect(list.length).toBeGreaterThan(40),
  )
  expect((await http().call('approve/count', {}, boss)).count).toBe(2)
  await eventually(
    () => http().call('report/grid', { filters: { from: day(-14), to: day(-1) }, size: 200 }, boss),
    ({ list }) => expect(list.filter(({ workMinutes }) => workMinutes > 400).length).toBeGreaterThan(60),
    60,
  )
  expect((await http().call('notice/grid', {}, boss)).list, 'nobody gets a notice about invented people').toEqual([])

  expect(await run('company/sample/remove', boss)).toMatchObject({ state: 'done', rowCount: 12 })
  expect(await http().call('company/sample', {}, boss)).toEqual({ state: 'none' })
  expect(await http().call('company/sample/remove', {}, boss)).toEqual({})
  await eventually(
    async () => differences(before, await readItems(boss)),
    left => expect(left).toEqual([]),
    30,
  )
  expect(differences(otherBefore, await readItems(other)), 'another company').toEqual([])
  const audit = await http().call('audit/grid', { size: 200 }, boss)
  const told = audit.list.flatMap(({ changes }) => changes).filter(({ fields }) => 'sampleData' in fields)
  expect(told).toHaveLength(2)

  expect(await run('company/sample/load', boss), 'sample data loads again').toMatchObject({ state: 'done' })
})

test('removing sample data keeps an edited sample person, without the sample punches and shifts', {
  timeout: 170_000,
}, async () => {
  const boss = await register(http(), { timezone: zone })
  await run('company/sample/load', boss)
  expect(await http().call('employee/workno', {}, boss), 'the next number of the own people').toEqual({ workno: '2' })
  const { list } = await http().call('employee/grid', { size: 50 }, boss)
  const [renamed, asking, left] = list.filter(({ workno }) => workno.startsWith('90'))
  if (!renamed || !asking || !left) throw new Error('There are no sample people.')
  const { id, version, workno, department } = renamed
  await http().call(
    'employee/update',
    { id, version, workno, department, first_name: 'Maria', last_name: 'Real', role: renamed.role },
    boss,
  )
  const real = { first_name: 'Lea', last_name: 'Left', role: left.role }
  await http().call(
    'employee/update',
    { ...real, id: left.id, version: left.version, workno: left.workno, department: left.department },
    boss,
  )
  await http().call('employee/delete', { id: left.id }, boss)
  const leave = { leaveType: 3, isAllDay: true, date: day(15), toDate: day(21) }
  await http().call('leave/add', { ...leave, employees: [asking.id] }, boss)
  expect(await run('company/sample/remove', boss)).toMatchObject({ state: 'done' })

  const people = (await http().call('employee/grid', { size: 50 }, boss)).list
  expect(people.map(({ id }) => id).sort()).toEqual([boss.owner, renamed.id, asking.id].sort())
  expect(await http().call('employee/get', { id: left.id }, boss)).toMatchObject({ last_name: 'Left', isDeleted: true })
  const range = { from: day(-21), to: day(21) }
  expect((await http().call('record/grid', { filters: { from: day(-21), to: day(0) } }, boss)).list).toEqual([])
  const plan = await http().call('schedule/grid', { filters: range }, { ...boss, headers: { 'x-timezone': zone } })
  expect(plan.list.flatMap(({ days }) => Object.values(days).flat())).toEqual([])
  expect((await http().call('shift/all', {}, boss)).list).toEqual([])
  const requests = (await http().call('approve/grid', { filters: {} }, boss)).list
  expect(requests.map(({ employee }) => employee)).toEqual([asking.id])
  // Their departments stay with them.
  const departments = (await http().call('department/all', {}, boss)).list.map(({ id }) => id)
  expect(departments).toEqual(expect.arrayContaining([renamed.department, asking.department]))
})

test('the removal of sample data is refused while a sample day is locked', {
  timeout: 100_000,
}, async () => {
  const boss = await register(http(), { timezone: zone })
  await run('company/sample/load', boss)
  await eventually(
    () => http().ask('report/lock/update', { lockedTo: day(-15) }, boss),
    answer => expect(answer).toMatchObject({ code: 0 }),
    60,
  )
  expect(await http().ask('company/sample/remove', {}, boss)).toMatchObject({ code: 60061 })
  expect(await http().call('company/sample', {}, boss)).toMatchObject({ state: 'loaded' })
})
