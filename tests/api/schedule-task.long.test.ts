import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import type { AuditEntry } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { employeeKey } from '../../shared/employee.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { type ScheduleMonth, scheduleKey } from '../../shared/schedule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { type TaskPart, taskFileHours, taskKey, taskPartKey } from '../../shared/task.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { importSheet, sendSheet, taskEnd } from '../kit/sheet.ts'
import { startStack } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// Days of many people, whatever happens to the run that sets them.

const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end()
})

const month = '2098-03'
const from = `${month}-01`

/** A company with so many people and two shifts, in a stack of its own. */
const start = async (count: number, ...options: Parameters<typeof startStackWithTable>) => {
  const world = await startStackWithTable(...options)
  ended.push(world.stop)
  const http = client(world.stack.address)
  const mine = await register(http)
  const lines = Array.from({ length: count }, (_, i) => `P${i},Q,${1000 + i},Olive & Sons`)
  await importSheet(http, mine, `first_name,last_name,workno,department\n${lines.join('\n')}`)
  const people: string[] = []
  let page: string | undefined
  do {
    const part: PathOutput<'employee/grid'> = await http.call(
      'employee/grid',
      { size: 200, ...(page && { page }) },
      mine,
    )
    people.push(...part.list.map(({ id }) => id).filter(id => id !== mine.owner))
    page = part.next
  } while (page)
  const early = await addShift(http, mine, 'Early', 6)
  const late = await addShift(http, mine, 'Late', 14)
  return { world, http, mine, people, early, late }
}
const clock = (hour: number, minute = 0) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
const addShift = async (http: Client, mine: Registered, name: string, hour: number, minutes = 480) => {
  const end = hour * 60 + minutes
  const times = { punchStart: clock(hour - 1), onDuty: clock(hour), offDuty: clock(Math.floor(end / 60), end % 60) }
  return (await http.call('shift/add', { name, ...times, punchEnd: '23:59' }, mine)).id
}

type Plan = PathCall<'schedule/plan'>['plan']
const begin = (http: Client, mine: Registered, plan: Plan) => http.call('schedule/plan', { plan }, mine)

const items = async <T>({ everything }: StackWithTable, { company }: Registered, kind: string) =>
  (await everything()).filter(({ pk }) => String(pk).startsWith(`C#${company}#${kind}`)) as unknown as (T & {
    pk: string
    sk: string
    version: number
  })[]

/** Months say what shifts they use, and nothing else does; nobody claims one any more. */
const expectUses = async (world: StackWithTable, mine: Registered) => {
  const months = await items<ScheduleMonth>(world, mine, 'SCHEDULE#')
  const expected = months.flatMap(({ month, employee, days }) =>
    [...new Set(Object.values(days).flat())].map(shift => `${shift} ${month}#${employee}`),
  )
  const uses = await items(world, mine, 'SHIFT_USE#')
  expect(uses.map(({ pk, sk }) => `${pk.split('#').at(-1)} ${sk}`).sort()).toEqual(expected.sort())
  expect(await items(world, mine, 'SHIFT_CLAIM#')).toEqual([])
  return months
}

describe('a plan whose time is up', () => {
  test('hands the rest on until it is done, and sets nobody’s days twice', { timeout: 120_000 }, async () => {
    // After each person the rest is handed on.
    const { world, http, mine, people, early } = await start(40, { TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    const rows = [{ employees: people, cells: [[0], [], [0]] }]
    const begun = await begin(http, mine, { from, shifts: [early], rows })
    expect(await taskEnd(http, mine, begun, 90)).toMatchObject({ state: 'done', rowCount: 80, problemCount: 0 })
    expect((await world.look(taskKey(mine.owner, begun.task), mine.company))?.portions).toBeGreaterThan(1)
    const months = await expectUses(world, mine)
    expect(months.map(({ version, days }) => [version, Object.keys(days).sort()])).toEqual(
      people.map(() => [1, [from, addDays(from, 2)]]),
    )
    // Each person's days are told once, by who asked for it.
    const entries = await items<AuditEntry>(world, mine, 'AUDIT')
    const planned = entries.flatMap(({ employee, changes }) =>
      changes.flatMap(({ noun, id }) => (noun === 'schedule' && employee === mine.owner ? [id] : [])),
    )
    expect(planned.sort()).toEqual(people.toSorted())
  })
})

describe('a server killed while it saves a plan', () => {
  test('goes on: nobody is missing, nobody is set twice, and nobody’s later change is undone', async () => {
    const { world, http, mine, people, early, late } = await start(150)
    const rows = [{ employees: people, cells: [[0]] }]
    const { task } = await begin(http, mine, { from, shifts: [early], rows })
    // Its progress is written down twice a second, which may be after the end: the first part that is written is the moment.
    const isWritten = () => world.look(taskPartKey(task, 0), mine.company)
    while (!(await isWritten()))
      if ((await http.call('task/get', { id: task }, mine)).finishedAt) throw new Error('It was done before it began.')
    await world.stack.kill9()
    const [part] = await items<TaskPart>(world, mine, `TASK_PART#${task}`)
    const [changed = ''] = part?.ids ?? []
    // As if somebody had saved other shifts for one who was done before.
    await world.set(scheduleKey(month, changed), { days: { [from]: [late] } }, mine.company)
    await world.set(scheduleKey(month, changed), { version: 2 } as never, mine.company)
    const { data, address } = world.stack
    const environment = { DYNAMODB_ENDPOINT: world.endpoint }
    ended.push((await startStack({ data, port: Number(new URL(address).port), environment })).stop)
    const end = await taskEnd(http, mine, { task }, 90)
    expect(end).toMatchObject({ state: 'done', rowCount: people.length, problemCount: 0 })
    const months = await items<ScheduleMonth>(world, mine, 'SCHEDULE#')
    expect(months).toHaveLength(people.length)
    for (const { employee, days, version } of months)
      expect([days, version]).toEqual(employee === changed ? [{ [from]: [late] }, 2] : [{ [from]: [early] }, 1])
  }, 150_000)
})

describe('a task that is changed by somebody else while it runs', () => {
  test('goes on from there, and ends', async () => {
    const { world, http, mine, people, early } = await start(150)
    const { task } = await begin(http, mine, { from, shifts: [early], rows: [{ employees: people, cells: [[0]] }] })
    while (!(await world.look(taskPartKey(task, 0), mine.company)));
    // As erasing somebody a task names does.
    await world.set(taskKey(mine.owner, task), { version: 1000 } as never, mine.company)
    expect(await taskEnd(http, mine, { task })).toMatchObject({ state: 'done', rowCount: people.length })
    expect(await world.look(taskKey(mine.owner, task), mine.company)).not.toHaveProperty('run')
  })
})

describe('an import of a schedule', () => {
  test('is taken back where somebody cannot be written, days and uses', { timeout: 120_000 }, async () => {
    const { world, http, mine, people, early, late } = await start(60)
    const before = { from, shifts: [early], rows: [{ employees: people.slice(0, 30), cells: [[0], [0]] }] }
    expect(await taskEnd(http, mine, await begin(http, mine, before))).toMatchObject({ rowCount: 60 })
    const held = async () =>
      (await items<ScheduleMonth>(world, mine, 'SCHEDULE#'))
        .filter(({ days }) => Object.keys(days).length > 0)
        .map(({ employee, days }) => [employee, days])
        .sort()
    const was = await held()
    // Whoever is being deleted is there when everything is looked at, but cannot be planned.
    await world.set(employeeKey(people[45] ?? ''), { leavingAt: '2026-11-20T00:00:00Z' } as never, mine.company)
    const lines = people.map((_, i) => `${1000 + i},Late,,Late`)
    const sheet = ['workno', ...daysBetween(from, addDays(from, 2))].join(',')
    const upload = await sendSheet(http, mine, `${sheet}\n${lines.join('\n')}\n`)
    const end = await taskEnd(http, mine, await http.call('schedule/import', { upload, dryRun: false }, mine))
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(end.problems).toMatchObject([{ field: 'workno', code: 60043, about: { employee: people[45] } }])
    // What stood in its cells is forgotten with the sheet that says what was wrong with them.
    const now = Date.now() / 1000
    const { expiresAt = 0 } = (await world.look(taskKey(mine.owner, end.id), mine.company)) ?? {}
    expect(expiresAt - now).toBeGreaterThan((taskFileHours - 1) * 3600)
    expect(expiresAt - now).toBeLessThanOrEqual(taskFileHours * 3600)
    expect(await held()).toEqual(was)
    await expectUses(world, mine)
    expect((await http.call('shift/grid', {}, mine)).list.find(({ id }) => id === late)?.isUsed).toBe(false)
  })
})

describe('the days a plan changes', () => {
  const today = localDay('Europe/Athens', Date.now())
  const first = addDays(today, -2)

  test('are calculated by it alone: it tells all the rows there are', { timeout: 60_000 }, async () => {
    const { world, http, mine, people, early } = await start(60)
    const plan: Plan = { from: first, shifts: [early], rows: [{ employees: people, cells: [[0], [0]] }] }
    const { task: preview } = await http.call('schedule/preview', { plan }, mine)
    await taskEnd(http, mine, { task: preview })
    const end = await taskEnd(http, mine, await http.call('schedule/plan', { plan, preview }, mine))
    expect(end).toMatchObject({ rowCount: 120, recalculated: { employees: 60, rows: 120, handedOn: 0 } })
    expect(await items<DayRow>(world, mine, 'DAY#')).toHaveLength(120)
  })

  test('are calculated though who asked may ask no more before it is done', { timeout: 90_000 }, async () => {
    const { world, http, mine, people, early } = await start(60, { TASK_PORTION_MILLISECONDS: '1' })
    const plan: Plan = { from: today, shifts: [early], rows: [{ employees: people, cells: [[0]] }] }
    const { task } = await begin(http, mine, plan)
    const written = async () => (await items<TaskPart>(world, mine, `TASK_PART#${task}`)).length
    while ((await written()) === 0) await wait(5)
    await world.set(employeeKey(mine.owner), { role: 0 }, mine.company)
    const end = await eventually(
      () => world.look(taskKey(mine.owner, task), mine.company),
      task => expect(task).toMatchObject({ state: 'failed', code: 60005 }),
      30_000,
    )
    expect(end).toBeDefined()
    expect(await written()).toBeLessThan(people.length)
    const planned = (await items<ScheduleMonth>(world, mine, 'SCHEDULE#')).map(({ employee }) => employee).sort()
    await eventually(
      () => items<DayRow>(world, mine, 'DAY#'),
      rows => expect(rows.map(({ employee }) => employee).sort()).toEqual(planned),
      30_000,
    )
    expect(await items(world, mine, 'SHIFT_CLAIM#')).toEqual([])
  })
})

describe('what a task tells of somebody', () => {
  test('names who is erased no more, nor does anything that is kept of it', async () => {
    const { world, http, mine, people, early } = await start(2)
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Rosalind', last_name: 'Nameless', workno: '77', department: mine.department },
      mine,
    )
    const noon = await addShift(http, mine, 'Noon', 11)
    const plan = (cells: number[][]): Plan => ({
      ...{ from: localDay('Europe/Athens', Date.now()), shifts: [early, noon] },
      rows: [{ employees: [id, ...people], cells }],
    })
    const refused = await begin(http, mine, plan([[0, 1]]))
    const looked = await http.call('schedule/preview', { plan: plan([[0]]) }, mine)
    const names = async () => {
      const [{ problems }, { preview }] = [await taskEnd(http, mine, refused), await taskEnd(http, mine, looked)]
      const told = [...problems.map(({ about }) => about), ...(preview?.list ?? [])]
      return told.flatMap(one => (one?.employee === id ? [one.name] : []))
    }
    expect(await names()).toEqual(['Rosalind Nameless', 'Rosalind Nameless'])
    await taskEnd(http, mine, await http.call('employee/erase', { id }, mine))
    for (const name of await names()) expect(name).not.toContain('Rosalind')
    expect(await names()).toHaveLength(2)
    expect(JSON.stringify(await items(world, mine, 'TASK'))).not.toContain('Rosalind')
  })
})

describe('a sheet of more shifts than one transaction takes', () => {
  test('is saved, and claims nothing any more', { timeout: 60_000 }, async () => {
    const { world, http, mine } = await start(1)
    const names = Array.from({ length: 124 }, (_, i) => `S${i}`)
    for (const [i, name] of names.entries()) await addShift(http, mine, name, 1 + 2 * (i % 4), 60)
    const days = daysBetween(from, addDays(from, 30))
    const cells = days.map((_, i) => names.slice(4 * i, 4 * i + 4).join(' + '))
    const upload = await sendSheet(http, mine, `${['workno', ...days]}\n${[1000, ...cells]}\n`)
    const end = await taskEnd(http, mine, await http.call('schedule/import', { upload, dryRun: false }, mine))
    expect(end, JSON.stringify(end)).toMatchObject({ state: 'done', rowCount: days.length })
    await expectUses(world, mine)
  })
})

describe('taking back', () => {
  test('gives nobody a shift that was deleted meanwhile', async () => {
    const { world, http, mine, people, early, late } = await start(1)
    const [employee = ''] = people
    const gone = await addShift(http, mine, 'Gone', 6)
    await http.call('shift/delete', { id: gone }, mine)
    const begun = await begin(http, mine, { from, shifts: [early], rows: [{ employees: people, cells: [[0], [0]] }] })
    await taskEnd(http, mine, begun)
    const last = await world.look(taskKey(mine.owner, begun.task), mine.company)
    if (!last) throw new Error('There is no task.')
    // As if an import had written these days over others, and could not go on.
    const id = '0123456789abcdef'
    const days = {
      [from]: { before: [gone], after: [early] },
      [addDays(from, 1)]: { before: [gone, late], after: [early] },
    }
    const part: TaskPart = { part: 0, state: 'written', ids: [employee], days, expiresAt: last.expiresAt }
    await world.set(taskPartKey(id, 0), { ...part, version: 1 } as TaskPart, mine.company)
    const { finishedAt: _, recalculated: __, ...task } = last
    const failed = { ...task, kind: 'schedule/import' as const, step: 'takeBack' as const, code: 60041 as const }
    const taken = { ...failed, input: { upload: id, dryRun: false }, state: 'waiting' as const, memory: { parts: 1 } }
    await world.set(taskKey(mine.owner, id), { ...taken, id, version: 1 } as typeof last, mine.company)
    expect(await taskEnd(http, mine, { task: id })).toMatchObject({ state: 'failed', code: 60041 })
    const [month] = await expectUses(world, mine)
    expect(month?.days).toEqual({ [addDays(from, 1)]: [late] })
  })
})

describe('a plan of a year', () => {
  test('with more shifts than one transaction takes is saved at once, and no use is lost or left', async () => {
    const { world, http, mine, people } = await start(1)
    const shifts: string[] = []
    for (let i = 0; i < 24; i++) shifts.push(await addShift(http, mine, `S${i}`, 1 + (i % 20), 30))
    const cells = (offset: number) => Array.from({ length: 366 }, (_, i) => [offset + (i % 12)])
    for (const offset of [0, 12]) {
      const plan = { from, shifts, rows: [{ employees: people, cells: cells(offset) }] }
      const end = await taskEnd(http, mine, await begin(http, mine, plan))
      expect(end, JSON.stringify(end)).toMatchObject({ state: 'done', rowCount: 366 })
      expect(await expectUses(world, mine)).toHaveLength(13)
    }
    const { list } = await http.call('shift/grid', { size: 200 }, mine)
    const used = new Set(list.filter(({ isUsed }) => isUsed).map(({ id }) => id))
    expect(shifts.map(shift => used.has(shift))).toEqual(shifts.map((_, i) => i >= 12))
    expect(await world.look(shiftKey(shifts[0] ?? ''), mine.company)).toMatchObject({ name: 'S0' })
  })
})

describe('locked days', () => {
  test('are named before, and stay as they are', async () => {
    const { world, http, mine, people, early } = await start(2)
    const today = localDay('Europe/Athens', Date.now())
    const lockedTo = addDays(today, -2)
    await world.set(companyKey(), { lockedTo }, mine.company)
    const plan = (from: string, cells: Plan['rows'][number]['cells']): Plan => ({
      ...{ from, shifts: [early] },
      rows: [{ employees: people, cells }],
    })
    const locked = { plan: plan(addDays(today, -4), [[0], [0]]) }
    for (const path of ['schedule/plan', 'schedule/preview'] as const)
      expect(await http.ask(path, locked, mine)).toMatchObject({ code: 60061, fields: { 'plan.from': 60061 } })
    const mixed = plan(addDays(today, -3), [[0], [0], [0], [0]])
    const begun = await http.call('schedule/preview', { plan: mixed }, mine)
    const seen = await taskEnd(http, mine, begun)
    expect(seen.preview).toMatchObject({ employees: 2, days: 4, lockedDays: 4, lockedTo })
    const input = { plan: mixed, preview: begun.task }
    expect(await taskEnd(http, mine, await http.call('schedule/plan', input, mine))).toMatchObject({ rowCount: 4 })
    const filters = { from: addDays(today, -4), to: today }
    const { list } = await http.call('schedule/grid', { filters }, mine)
    for (const { employee, days } of list)
      if (people.includes(employee)) expect(Object.keys(days).sort()).toEqual([addDays(today, -1), today])
  })
})
