import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { rowId } from '../../functions/sheet/import.ts'
import type { PathOutput } from '../../shared/api.ts'
import type { AuditEntry } from '../../shared/audit.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { taskKey, taskPartKey } from '../../shared/task.ts'
import { type Client, client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { importSheet, load, sendSheet, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

const http = client(inject('address'))
const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end()
})

const first = 1000
const sheetOf = (count: number) =>
  `first_name,last_name,workno,department\n${Array.from({ length: count }, (_, i) => `P${i},Q,${first + i},Olive & Sons`).join('\n')}`
const numbersOf = (count: number) => Array.from({ length: count }, (_, i) => String(first + i))

/** Everybody but the owner, by number, each as often as they stand in the list. */
const readNumbers = async (http: Client, signed: Signed) => {
  const numbers: string[] = []
  for (let page: string | undefined, isLast = false; !isLast; isLast = page === undefined) {
    const part = await http.call('employee/grid', { size: 200, ...(page && { page }) }, signed)
    numbers.push(...part.list.map(({ workno }) => workno))
    page = part.next
  }
  return numbers.filter(number => number !== '1').sort((one, other) => Number(one) - Number(other))
}

type Told = PathOutput<'task/get'>

/** Looks at a task again and again until it has come somewhere, or has ended. */
const reach = async (http: Client, signed: Signed, task: string, there: (told: Told) => boolean): Promise<Told> => {
  for (;;) {
    const told = await http.call('task/get', { id: task }, signed)
    if (there(told) || told.finishedAt) return told
    await wait(5)
  }
}

describe('a task', () => {
  test('shows how far it is to the browsers of who began it, and to nobody else’s', async () => {
    const mine = await register(http)
    const person = { first_name: 'Al', last_name: 'B', workno: '2', department: mine.department, role: 1 }
    const colleague = await invite(http, mine, person)
    const listen = async (token: string) => {
      const socket = await openSocket(http.address)
      ended.push(() => socket.close())
      socket.say({ cmd: 'home.login', token })
      await socket.hear({ ret: 'home.login' })
      return socket
    }
    const [own, other] = [await listen(mine.token), await listen(colleague.token)]
    const upload = await sendSheet(http, mine, sheetOf(400))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
    const steps: (string | undefined)[] = []
    const end = await reach(http, mine, task, ({ step, done, total, state }) => {
      if (steps.at(-1) !== step) steps.push(step)
      expect(done).toBeLessThanOrEqual(total)
      return state === 'done'
    })
    expect(end).toMatchObject({ state: 'done', done: 400, total: 400, rowCount: 400 })
    expect(steps.filter(step => step !== undefined)).toEqual(expect.arrayContaining(['write']))
    const told = ({ unheard }: typeof own) => unheard.flatMap(({ refresh }) => (refresh as string[]) ?? [])
    await eventually(
      async () => told(own),
      refresh => expect(refresh).toContain('task/'),
    )
    // Both are told of the people.
    await eventually(
      async () => told(other),
      refresh => expect(refresh).toContain('employee/'),
    )
    expect(told(other)).not.toContain('task/')
  })

  test('asked for twice with one key is one task', async () => {
    const mine = await register(http)
    const upload = await sendSheet(http, mine, sheetOf(3))
    const headers = { 'idempotency-key': 'the-same' }
    const input = { upload, dryRun: false }
    const asked = [0, 1].map(() => http.call('employee/import', input, { ...mine, headers }))
    const [one, other] = await Promise.all(asked.map(asking => asking.catch(() => undefined)))
    const task = one ?? other
    expect(await taskEnd(http, mine, task ?? { task: '' })).toMatchObject({ state: 'done' })
    expect(await http.call('employee/import', input, { ...mine, headers })).toEqual(task)
    expect((await http.call('task/grid', {}, mine)).list).toHaveLength(1)
  })

  test('is not done in the name of who may no longer ask for it', async () => {
    const mine = await register(http)
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Looks', permissions: [3], departments: [mine.department] },
      mine,
    )
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: mine.department, role: 2, roleId }
    const manager = await invite(http, mine, person)
    const upload = await sendSheet(http, manager, sheetOf(500))
    const begun = await http.call('employee/import', { upload, dryRun: false }, manager)
    const { list } = await http.call('employee/grid', { filters: { search: 'Max' } }, mine)
    const { canSignIn: _, photo: __, passwordSetAt: ___, ...form } = list[0] ?? ({} as never)
    await http.call('employee/update', { ...form, role: 3, roleId: undefined } as never, mine)
    // Either it was done before, or nothing of it is left.
    const expected = await eventually(
      () => readNumbers(http, mine),
      numbers => expect([1, 501]).toContain(numbers.length),
      30,
    )
    expect(expected.slice(1)).toEqual(expected.length > 1 ? numbersOf(500) : [])
    expect(begun.task).toMatch(/^[a-z0-9]{16}$/)
  })
})

describe('a task whose time is up', () => {
  let world: StackWithTable
  const start = async () => {
    // After each part the rest is handed on.
    world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    ended.push(world.stop)
    const http = client(world.stack.address)
    return { http, mine: await register(http) }
  }

  test('hands the rest on until it is done, and doubles nothing', { timeout: 120_000 }, async () => {
    const { http, mine } = await start()
    const upload = await sendSheet(http, mine, sheetOf(300))
    const begun = await http.call('employee/import', { upload, dryRun: false }, mine)
    expect(await taskEnd(http, mine, begun, 90)).toMatchObject({ state: 'done', rowCount: 300, done: 300 })
    const task = await world.look(taskKey(mine.owner, begun.task), mine.company)
    expect(task?.portions).toBeGreaterThan(1)
    expect(task?.run).toBeUndefined()
    expect(await readNumbers(http, mine)).toEqual(numbersOf(300))
    // Each was added once, by who asked for it.
    const entries = (await world.everything()).filter(
      ({ pk }) => pk === `C#${mine.company}#AUDIT` || pk === `C#${mine.company}#AUDIT_LINES`,
    ) as unknown as AuditEntry[]
    const added = entries.flatMap(({ employee, changes }) =>
      changes.flatMap(({ noun, change, id }) =>
        noun === 'employee' && change === 'added' ? [`${employee} ${id}`] : [],
      ),
    )
    // The task itself in one line, however often it was handed on.
    expect(added.filter(line => line === `${mine.owner} ${begun.task}`)).toHaveLength(1)
    const imported = added.filter(
      line => line.startsWith(mine.owner) && !line.endsWith(mine.owner) && !line.endsWith(begun.task),
    )
    expect([imported.length, new Set(imported).size]).toEqual([300, 300])
  })

  test('takes everything back in portions where a row cannot be written', { timeout: 120_000 }, async () => {
    const { http, mine } = await start()
    const count = 300
    const upload = await sendSheet(http, mine, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
    // Where the last row is to be written there is something already.
    await world.set(employeeKey(rowId(task, count + 1)), { id: 'in the way' }, mine.company)
    const end = await taskEnd(http, mine, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(end.problems).toEqual([{ row: count + 1, field: 'row', code: 60006 }])
    expect(await readNumbers(http, mine)).toEqual([])
    // Not even the numbers are taken.
    const left = (await world.everything()).map(({ pk }) => String(pk))
    expect(left.filter(pk => pk.includes('#WORKNO#'))).toEqual([`C#${mine.company}#WORKNO#1`])
    expect(left.filter(pk => pk.includes('#DEPARTMENT_EMPLOYEE#'))).toHaveLength(1)
    expect(await world.look(taskPartKey(task, 0), mine.company)).toMatchObject({ state: 'takenBack' })
    expect((await load(end.file?.url ?? '')).bytes.length).toBeGreaterThan(0)
    // What was begun and what became of it, each in one line.
    const { list } = await http.call('audit/grid', {}, mine)
    const about = { noun: 'employee' as const, id: task, name: '', fields: {}, count }
    expect(list.map(({ changes }) => changes).slice(0, 2)).toEqual([
      [{ ...about, change: 'removed' }],
      [{ ...about, change: 'added' }],
    ])
    expect(await importSheet(http, mine, sheetOf(count))).toMatchObject({ state: 'done', rowCount: count })
  })

  test('takes a whole tree of departments back', { timeout: 120_000 }, async () => {
    const { http, mine } = await start()
    const lines = Array.from({ length: 150 }, (_, i) => `Level ${i},${i === 0 ? '' : `Level ${i - 1}`}`)
    const upload = await sendSheet(http, mine, `name,parent\n${lines.join('\n')}`)
    const { task } = await http.call('department/import', { upload, dryRun: false }, mine)
    const id = rowId(task, 151)
    await world.set(departmentKey(id), { id, name: 'In the way' }, mine.company)
    const end = await taskEnd(http, mine, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041 })
    expect(end.problems).toEqual([{ row: 151, field: 'row', code: 60006 }])
    const { list } = await http.call('department/all', {}, mine)
    expect(list.map(({ name }) => name).sort()).toEqual(['In the way', 'Olive & Sons'])
    const left = (await world.everything()).filter(({ pk }) => pk === `C#${mine.company}#DEPARTMENT_NAME`)
    expect(left).toHaveLength(1)
  })
})

describe('what an import made and has to take back', () => {
  let world: StackWithTable
  const start = async () => {
    world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    ended.push(world.stop)
    const http = client(world.stack.address)
    return { http, mine: await register(http) }
  }

  test('stays where somebody was put into it meanwhile, with what it is a part of', { timeout: 120_000 }, async () => {
    const { http, mine } = await start()
    const lines = Array.from({ length: 100 }, (_, i) => `Level ${i},${i === 0 ? '' : `Level ${i - 1}`}`)
    const upload = await sendSheet(http, mine, `name,parent\n${lines.join('\n')}`)
    const { task } = await http.call('department/import', { upload, dryRun: false }, mine)
    const id = rowId(task, 101)
    await world.set(departmentKey(id), { id, name: 'In the way' }, mine.company)
    const department = rowId(task, 4)
    const person = { first_name: 'Una', last_name: 'Raise', workno: '2', department }
    await eventually(
      () => http.ask('employee/add', person, mine),
      answer => expect(answer.code, JSON.stringify(answer)).toBe(0),
      30,
    )
    expect(await taskEnd(http, mine, { task }, 90)).toMatchObject({ state: 'failed', code: 60041 })
    const { list } = await http.call('department/all', {}, mine)
    expect(list.map(({ name }) => name).sort()).toEqual(['In the way', 'Level 0', 'Level 1', 'Level 2', 'Olive & Sons'])
    // Nobody stands in a department that is not there, nothing is left on its way out, and no count of what is gone.
    const left = await world.everything()
    expect(left.filter(({ leavingAt }) => leavingAt !== undefined)).toEqual([])
    expect(left.filter(({ pk }) => pk === `C#${mine.company}#DEPARTMENT_NAME`)).toHaveLength(4)
    const colleague = { ...person, first_name: 'Max', workno: '3' }
    await http.call('employee/add', colleague, mine)
  })

  test('is taken back whatever it was given since', { timeout: 120_000 }, async () => {
    const { http, mine } = await start()
    const departments = await Promise.all(
      Array.from({ length: 10 }, (_, i) => http.call('department/add', { name: `D ${i}` }, mine)),
    )
    const count = 600
    const upload = await sendSheet(http, mine, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
    await world.set(employeeKey(rowId(task, count + 1)), { id: 'in the way' }, mine.company)
    // The first part, as soon as it is written.
    const people = [2, 3, 4, 5, 6, 7, 8, 9].map(row => ({ id: rowId(task, row), number: first + row - 2 }))
    while (!(await world.look(employeeKey(people[0]?.id ?? ''), mine.company))) await wait(5)
    const common = { version: 1, first_name: 'P', last_name: 'Q', department: mine.department, role: 3 }
    const given = people.map(({ id, number }) =>
      http.ask(
        'employee/update',
        { ...common, id, workno: String(number), departments: departments.map(({ id }) => id) },
        mine,
      ),
    )
    expect((await Promise.all(given)).map(({ code }) => code)).toEqual(people.map(() => 0))
    const end = await taskEnd(http, mine, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(await readNumbers(http, mine)).toEqual([])
    const left = (await world.everything()).map(({ pk }) => String(pk))
    expect(left.filter(pk => pk.includes('#WORKNO#'))).toEqual([`C#${mine.company}#WORKNO#1`])
    expect(left.filter(pk => pk.includes('#DEPARTMENT_EMPLOYEE#'))).toHaveLength(1)
  })
})

describe('a server killed in the middle of a task', () => {
  /** Imports, and kills the server when the task has come so far; answers how it ended. */
  const importKilled = async (
    count: number,
    killWhen: (told: Told) => boolean,
    prepare: (world: StackWithTable, mine: Registered) => Promise<void> = async () => undefined,
  ) => {
    const world = await startStackWithTable()
    ended.push(world.stop)
    const { data, address } = world.stack
    const http = client(address)
    const mine = await register(http)
    await prepare(world, mine)
    const upload = await sendSheet(http, mine, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
    const before = await reach(http, mine, task, killWhen)
    await world.stack.kill9()
    const environment = { DYNAMODB_ENDPOINT: world.endpoint }
    const again = await startStack({ data, port: Number(new URL(address).port), environment })
    ended.push(again.stop)
    return { http, mine, before, end: await taskEnd(http, mine, { task }, 90) }
  }

  test('while it writes: it goes on, and nobody is there twice or missing', { timeout: 150_000 }, async () => {
    const isWriting = ({ step, done }: Told) => step === 'write' && done > 0
    const { http, mine, before, end } = await importKilled(800, isWriting)
    expect(before).toMatchObject({ state: 'running', step: 'write' })
    expect(end).toMatchObject({ state: 'done', rowCount: 800, done: 800, problemCount: 0 })
    expect(await readNumbers(http, mine)).toEqual(numbersOf(800))
  })

  test('while it takes back: it goes on, and nothing is left', { timeout: 150_000 }, async () => {
    const { http, mine, before, end } = await importKilled(
      500,
      ({ step }) => step === 'takeBack',
      // Somebody is deleting the department everybody is to come into; it is seen when they are in it.
      ({ set }, { department, company }) =>
        set(departmentKey(department), { leavingAt: '2026-11-20T00:00:00Z' }, company),
    )
    expect(before).toMatchObject({ state: 'running', step: 'takeBack' })
    expect(end).toMatchObject({ state: 'failed', code: 60041, problemCount: 500 })
    expect(end.problems[0]).toMatchObject({ row: 2, field: 'department', code: 60004 })
    expect(end.problems).toHaveLength(100)
    expect(await readNumbers(http, mine)).toEqual([])
  })
})
