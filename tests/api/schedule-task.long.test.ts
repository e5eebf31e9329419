import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import type { AuditEntry } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { employeeKey } from '../../shared/employee.ts'
import { addDays, addMonths, daysBetween, localDay } from '../../shared/local-day.ts'
import { type ScheduleMonth, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey } from '../../shared/shift.ts'
import { type TaskPart, taskFileHours, taskKey, taskPartKey } from '../../shared/task.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { importSheet, sendSheet, taskEnd } from '../kit/sheet.ts'
import { startStack } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// A task that plans many employees keeps its promises through crashes and simultaneous changes.

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end()
})

const month = '2098-03'
const from = `${month}-01`

/** A company with this many employees and two shifts, in its own stack. */
const start = async (count: number, ...options: Parameters<typeof startStackWithTable>) => {
  const world = await startStackWithTable(...options)
  cleanups.push(world.stop)
  const http = client(world.stack.address)
  const owner = await register(http)
  const lines = Array.from({ length: count }, (_, i) => `P${i},Q,${1000 + i},Olive & Sons`)
  await importSheet(http, owner, `first_name,last_name,workno,department\n${lines.join('\n')}`)
  const people: string[] = []
  let page: string | undefined
  do {
    const part: PathOutput<'employee/grid'> = await http.call(
      'employee/grid',
      { size: 200, ...(page && { page }) },
      owner,
    )
    people.push(...part.list.map(({ id }) => id).filter(id => id !== owner.owner))
    page = part.next
  } while (page)
  const early = await addShift(http, owner, 'Early', 6)
  const late = await addShift(http, owner, 'Late', 14)
  return { world, http, owner, people, early, late }
}
const clock = (hour: number, minute = 0) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
const addShift = async (http: Client, owner: Registered, name: string, hour: number, minutes = 480) => {
  const end = hour * 60 + minutes
  const times = { punchStart: clock(hour - 1), onDuty: clock(hour), offDuty: clock(Math.floor(end / 60), end % 60) }
  return (await http.call('shift/add', { name, ...times, punchEnd: '23:59' }, owner)).id
}

type Plan = PathCall<'schedule/plan'>['plan']
const startPlan = (http: Client, owner: Registered, plan: Plan) => http.call('schedule/plan', { plan }, owner)

const items = async <T>({ everything }: StackWithTable, { company }: Registered, kind: string) =>
  (await everything()).filter(({ pk }) => String(pk).startsWith(`C#${company}#${kind}`)) as unknown as (T & {
    pk: string
    sk: string
    version: number
  })[]

/** Checks that the recorded uses match the shifts of the months, and that no claim remains. */
const expectUses = async (world: StackWithTable, owner: Registered) => {
  const months = await items<ScheduleMonth>(world, owner, 'SCHEDULE#')
  const expected = months.flatMap(({ month, employee, days, draft = {} }) =>
    [...new Set([...Object.values(days), ...Object.values(draft)].flat())].map(
      shift => `${shift} ${month}#${employee}`,
    ),
  )
  const uses = await items(world, owner, 'SHIFT_USE#')
  expect(uses.map(({ pk, sk }) => `${pk.split('#').at(-1)} ${sk}`).sort()).toEqual(expected.sort())
  expect(await items(world, owner, 'SHIFT_CLAIM#')).toEqual([])
  return months
}

describe('a plan that runs out of time', () => {
  test('continues in portions until it is done, and sets each day once', { timeout: 120_000 }, async () => {
    // Each portion ends after one employee.
    const { world, http, owner, people, early } = await start(40, { TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    const rows = [{ employees: people, cells: [[0], [], [0]] }]
    const planTask = await startPlan(http, owner, { from, shifts: [early], rows })
    expect(await taskEnd(http, owner, planTask, 90)).toMatchObject({ state: 'done', rowCount: 80, problemCount: 0 })
    expect((await world.look(taskKey(owner.owner, planTask.task), owner.company))?.portions).toBeGreaterThan(1)
    const months = await expectUses(world, owner)
    expect(months.map(({ version, days }) => [version, Object.keys(days).sort()])).toEqual(
      people.map(() => [1, [from, addDays(from, 2)]]),
    )
    // The audit log contains each employee’s days once, under the author’s name.
    const entries = await items<AuditEntry>(world, owner, 'AUDIT')
    const planned = entries.flatMap(({ employee, changes }) =>
      changes.flatMap(({ noun, id }) => (noun === 'schedule' && employee === owner.owner ? [id] : [])),
    )
    expect(planned.sort()).toEqual(people.toSorted())
  })
})

describe('a server killed while it saves a plan', () => {
  test('continues the plan after a restart: skips and repeats no employee, and undoes no later change', async () => {
    const { world, http, owner, people, early, late } = await start(150)
    const rows = [{ employees: people, cells: [[0]] }]
    const { task } = await startPlan(http, owner, { from, shifts: [early], rows })
    // Progress is stored twice a second, perhaps after the end. So the test waits for the first stored part.
    const isWritten = () => world.look(taskPartKey(task, 0), owner.company)
    while (!(await isWritten()))
      if ((await http.call('task/get', { id: task }, owner)).finishedAt) throw new Error('It was done before it began.')
    await world.stack.kill9()
    const [part] = await items<TaskPart>(world, owner, `TASK_PART#${task}`)
    const [changed = ''] = part?.ids ?? []
    // Another caller saves other shifts for a finished employee.
    await world.set(scheduleKey(month, changed), { days: { [from]: [late] } }, owner.company)
    await world.set(scheduleKey(month, changed), { version: 2 } as never, owner.company)
    const { data, address } = world.stack
    const environment = { DYNAMODB_ENDPOINT: world.endpoint }
    cleanups.push((await startStack({ data, port: Number(new URL(address).port), environment })).stop)
    const end = await taskEnd(http, owner, { task }, 90)
    expect(end).toMatchObject({ state: 'done', rowCount: people.length, problemCount: 0 })
    const months = await items<ScheduleMonth>(world, owner, 'SCHEDULE#')
    expect(months).toHaveLength(people.length)
    for (const { employee, days, version } of months)
      expect([days, version]).toEqual(employee === changed ? [{ [from]: [late] }, 2] : [{ [from]: [early] }, 1])
  }, 150_000)
})

describe('a running task that another process changes', () => {
  test('continues from the changed state, and ends', async () => {
    const { world, http, owner, people, early } = await start(150)
    const { task } = await startPlan(http, owner, {
      from,
      shifts: [early],
      rows: [{ employees: people, cells: [[0]] }],
    })
    while (!(await world.look(taskPartKey(task, 0), owner.company)));
    // The erasure of an employee in the task changes the task. The test raises the version in the same way.
    await world.set(taskKey(owner.owner, task), { version: 1000 } as never, owner.company)
    expect(await taskEnd(http, owner, { task })).toMatchObject({ state: 'done', rowCount: people.length })
    expect(await world.look(taskKey(owner.owner, task), owner.company)).not.toHaveProperty('run')
  })
})

describe('a schedule import', () => {
  test('is undone, with days, drafts and uses, when an employee cannot be written', { timeout: 120_000 }, async () => {
    const { world, http, owner, people, early, late } = await start(60)
    // A draft reaches two years ahead.
    const from = addMonths(`${localDay('Europe/Athens', Date.now()).slice(0, 7)}-01`, 2)
    const firstPlan = { from, shifts: [early], rows: [{ employees: people.slice(0, 30), cells: [[0], [0]] }] }
    expect(await taskEnd(http, owner, await startPlan(http, owner, firstPlan))).toMatchObject({ rowCount: 60 })
    const { version } = await http.call('company/schedule', {}, owner)
    await http.call('company/schedule/update', { version, draftsSchedule: true }, owner)
    const draft = { from, shifts: [early], rows: [{ employees: people.slice(20, 40), cells: [[], null, [0]] }] }
    const { task } = await http.call('schedule/draft/update', { plan: draft }, owner)
    expect(await taskEnd(http, owner, { task })).toMatchObject({ state: 'done', rowCount: 30 })
    const listSchedules = async () =>
      (await items<ScheduleMonth>(world, owner, 'SCHEDULE#'))
        .filter(({ days, draft = {} }) => Object.keys({ ...days, ...draft }).length > 0)
        .map(({ employee, days, draft }) => [employee, days, draft])
        .sort()
    const before = await listSchedules()
    // The check accepts an employee during deletion, but the write fails.
    await world.set(employeeKey(people[45] ?? ''), { leavingAt: '2026-11-20T00:00:00Z' } as never, owner.company)
    const lines = people.map((_, i) => `${1000 + i},Late,,Late`)
    const sheet = ['workno', ...daysBetween(from, addDays(from, 2))].join(',')
    const upload = await sendSheet(http, owner, `${sheet}\n${lines.join('\n')}\n`)
    const end = await taskEnd(http, owner, await http.call('schedule/import', { upload, dryRun: false }, owner))
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(end.problems).toMatchObject([{ field: 'workno', code: 60043, about: { employee: people[45] } }])
    // The problems quote cells of the sheet, so they expire together with the sheet.
    const nowSeconds = Date.now() / 1000
    const { expiresAt = 0 } = (await world.look(taskKey(owner.owner, end.id), owner.company)) ?? {}
    expect(expiresAt - nowSeconds).toBeGreaterThan((taskFileHours - 1) * 3600)
    expect(expiresAt - nowSeconds).toBeLessThanOrEqual(taskFileHours * 3600)
    expect(await listSchedules()).toEqual(before)
    await expectUses(world, owner)
    expect((await http.call('shift/grid', {}, owner)).list.find(({ id }) => id === late)?.isUsed).toBe(false)
  })
})

describe('the days that a plan changes', () => {
  const today = localDay('Europe/Athens', Date.now())
  const first = addDays(today, -2)

  test('are calculated by the plan alone, which reports every row', { timeout: 60_000 }, async () => {
    const { world, http, owner, people, early } = await start(60)
    const plan: Plan = { from: first, shifts: [early], rows: [{ employees: people, cells: [[0], [0]] }] }
    const { task: preview } = await http.call('schedule/preview', { plan }, owner)
    await taskEnd(http, owner, { task: preview })
    const end = await taskEnd(http, owner, await http.call('schedule/plan', { plan, preview }, owner))
    expect(end).toMatchObject({ rowCount: 120, recalculated: { employees: 60, rows: 120, handedOn: 0 } })
    expect(await items<DayRow>(world, owner, 'DAY#')).toHaveLength(120)
  })

  test('are calculated even when the author loses the permission before the end', { timeout: 90_000 }, async () => {
    const { world, http, owner, people, early } = await start(60, { TASK_PORTION_MILLISECONDS: '1' })
    const plan: Plan = { from: today, shifts: [early], rows: [{ employees: people, cells: [[0]] }] }
    const { task } = await startPlan(http, owner, plan)
    const countWritten = async () => (await items<TaskPart>(world, owner, `TASK_PART#${task}`)).length
    while ((await countWritten()) === 0) await wait(5)
    await world.set(employeeKey(owner.owner), { role: 0 }, owner.company)
    const end = await eventually(
      () => world.look(taskKey(owner.owner, task), owner.company),
      task => expect(task).toMatchObject({ state: 'failed', code: 60005 }),
      30_000,
    )
    expect(end).toBeDefined()
    expect(await countWritten()).toBeLessThan(people.length)
    const planned = (await items<ScheduleMonth>(world, owner, 'SCHEDULE#')).map(({ employee }) => employee).sort()
    await eventually(
      () => items<DayRow>(world, owner, 'DAY#'),
      rows => expect(rows.map(({ employee }) => employee).sort()).toEqual(planned),
      30_000,
    )
    expect(await items(world, owner, 'SHIFT_CLAIM#')).toEqual([])
  })
})

describe('an employee in a task’s result', () => {
  test('loses their name everywhere when erased', async () => {
    const { world, http, owner, people, early } = await start(2)
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Rosalind', last_name: 'Nameless', workno: '77', department: owner.department },
      owner,
    )
    const noon = await addShift(http, owner, 'Noon', 11)
    const plan = (cells: number[][]): Plan => ({
      ...{ from: localDay('Europe/Athens', Date.now()), shifts: [early, noon] },
      rows: [{ employees: [id, ...people], cells }],
    })
    const refusedTask = await startPlan(http, owner, plan([[0, 1]]))
    const previewTask = await http.call('schedule/preview', { plan: plan([[0]]) }, owner)
    const listNames = async () => {
      const [{ problems }, { preview }] = [
        await taskEnd(http, owner, refusedTask),
        await taskEnd(http, owner, previewTask),
      ]
      const entries = [...problems.map(({ about }) => about), ...(preview?.list ?? [])]
      return entries.flatMap(entry => (entry?.employee === id ? [entry.name] : []))
    }
    expect(await listNames()).toEqual(['Rosalind Nameless', 'Rosalind Nameless'])
    await taskEnd(http, owner, await http.call('employee/erase', { id }, owner))
    for (const name of await listNames()) expect(name).not.toContain('Rosalind')
    expect(await listNames()).toHaveLength(2)
    expect(JSON.stringify(await items(world, owner, 'TASK'))).not.toContain('Rosalind')
  })
})

describe('a sheet with more shifts than a transaction holds', () => {
  test('is saved, and no claim remains', { timeout: 60_000 }, async () => {
    const { world, http, owner } = await start(1)
    const names = Array.from({ length: 124 }, (_, i) => `S${i}`)
    for (const [i, name] of names.entries()) await addShift(http, owner, name, 1 + 2 * (i % 4), 60)
    const days = daysBetween(from, addDays(from, 30))
    const cells = days.map((_, i) => names.slice(4 * i, 4 * i + 4).join(' + '))
    const upload = await sendSheet(http, owner, `${['workno', ...days]}\n${[1000, ...cells]}\n`)
    const end = await taskEnd(http, owner, await http.call('schedule/import', { upload, dryRun: false }, owner))
    expect(end, JSON.stringify(end)).toMatchObject({ state: 'done', rowCount: days.length })
    await expectUses(world, owner)
  })
})

describe('an undone import', () => {
  test('does not restore a shift that was deleted meanwhile', async () => {
    const { world, http, owner, people, early, late } = await start(1)
    const [employee = ''] = people
    const deletedShift = await addShift(http, owner, 'Gone', 6)
    await http.call('shift/delete', { id: deletedShift }, owner)
    const planTask = await startPlan(http, owner, {
      from,
      shifts: [early],
      rows: [{ employees: people, cells: [[0], [0]] }],
    })
    await taskEnd(http, owner, planTask)
    const finished = await world.look(taskKey(owner.owner, planTask.task), owner.company)
    if (!finished) throw new Error('There is no task.')
    // Plants an import that overwrote these days and then failed.
    const id = '0123456789abcdef'
    const days = {
      [from]: { before: [deletedShift], after: [early] },
      [addDays(from, 1)]: { before: [deletedShift, late], after: [early] },
    }
    const part: TaskPart = { part: 0, state: 'written', ids: [employee], days, expiresAt: finished.expiresAt }
    await world.set(taskPartKey(id, 0), { ...part, version: 1 } as TaskPart, owner.company)
    const { finishedAt: _, recalculated: __, ...task } = finished
    const failed = { ...task, kind: 'schedule/import' as const, step: 'takeBack' as const, code: 60041 as const }
    const importTask = {
      ...failed,
      input: { upload: id, dryRun: false },
      state: 'waiting' as const,
      memory: { parts: 1 },
    }
    await world.set(taskKey(owner.owner, id), { ...importTask, id, version: 1 } as typeof finished, owner.company)
    expect(await taskEnd(http, owner, { task: id })).toMatchObject({ state: 'failed', code: 60041 })
    const [month] = await expectUses(world, owner)
    expect(month?.days).toEqual({ [addDays(from, 1)]: [late] })
  })
})

describe('a plan of a year', () => {
  test('with more shifts than a transaction holds is saved as a whole, and every use is correct', async () => {
    const { world, http, owner, people } = await start(1)
    const shifts: string[] = []
    for (let i = 0; i < 24; i++) shifts.push(await addShift(http, owner, `S${i}`, 1 + (i % 20), 30))
    const cells = (offset: number) => Array.from({ length: 366 }, (_, i) => [offset + (i % 12)])
    for (const offset of [0, 12]) {
      const plan = { from, shifts, rows: [{ employees: people, cells: cells(offset) }] }
      const end = await taskEnd(http, owner, await startPlan(http, owner, plan))
      expect(end, JSON.stringify(end)).toMatchObject({ state: 'done', rowCount: 366 })
      expect(await expectUses(world, owner)).toHaveLength(13)
    }
    const { list } = await http.call('shift/grid', { size: 200 }, owner)
    const used = new Set(list.filter(({ isUsed }) => isUsed).map(({ id }) => id))
    expect(shifts.map(shift => used.has(shift))).toEqual(shifts.map((_, i) => i >= 12))
    expect(await world.look(shiftKey(shifts[0] ?? ''), owner.company)).toMatchObject({ name: 'S0' })
  })
})

describe('locked days', () => {
  test('are named in the preview, and stay unchanged', async () => {
    const { world, http, owner, people, early } = await start(2)
    const today = localDay('Europe/Athens', Date.now())
    const lockedTo = addDays(today, -2)
    await world.set(companyKey(), { lockedTo }, owner.company)
    const plan = (from: string, cells: Plan['rows'][number]['cells']): Plan => ({
      ...{ from, shifts: [early] },
      rows: [{ employees: people, cells }],
    })
    const locked = { plan: plan(addDays(today, -4), [[0], [0]]) }
    for (const path of ['schedule/plan', 'schedule/preview'] as const)
      expect(await http.ask(path, locked, owner)).toMatchObject({ code: 60061, fields: { 'plan.from': 60061 } })
    const mixed = plan(addDays(today, -3), [[0], [0], [0], [0]])
    const planTask = await http.call('schedule/preview', { plan: mixed }, owner)
    const end = await taskEnd(http, owner, planTask)
    expect(end.preview).toMatchObject({ employees: 2, days: 4, lockedDays: 4, lockedTo })
    const input = { plan: mixed, preview: planTask.task }
    expect(await taskEnd(http, owner, await http.call('schedule/plan', input, owner))).toMatchObject({ rowCount: 4 })
    const filters = { from: addDays(today, -4), to: today }
    const { list } = await http.call('schedule/grid', { filters }, owner)
    for (const { employee, days } of list)
      if (people.includes(employee)) expect(Object.keys(days).sort()).toEqual([addDays(today, -1), today])
  })
})
