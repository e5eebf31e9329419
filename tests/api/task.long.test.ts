import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { PathOutput } from '../../shared/api.ts'
import type { AuditEntry } from '../../shared/audit.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { rowId, taskKey, taskPartKey } from '../../shared/task.ts'
import { type Client, client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { importSheet, load, sendSheet, taskEnd } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

const http = client(inject('address'))
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end()
})

const first = 1000
const sheetOf = (count: number) =>
  `first_name,last_name,workno,department\n${Array.from({ length: count }, (_, i) => `P${i},Q,${first + i},Olive & Sons`).join('\n')}`
const numbersOf = (count: number) => Array.from({ length: count }, (_, i) => String(first + i))

/** The employee IDs of all employees except the owner, with duplicates. */
const readNumbers = async (http: Client, caller: Signed) => {
  const numbers: string[] = []
  for (let page: string | undefined, isLast = false; !isLast; isLast = page === undefined) {
    const part = await http.call('employee/grid', { size: 200, ...(page && { page }) }, caller)
    numbers.push(...part.list.map(({ workno }) => workno))
    page = part.next
  }
  return numbers.filter(number => number !== '1').sort((a, b) => Number(a) - Number(b))
}

type TaskState = PathOutput<'task/get'>

/** Polls a task until it reaches a state or ends. */
const pollTask = async (
  http: Client,
  caller: Signed,
  task: string,
  isReached: (state: TaskState) => boolean,
): Promise<TaskState> => {
  for (;;) {
    const state = await http.call('task/get', { id: task }, caller)
    if (isReached(state) || state.finishedAt) return state
    await wait(5)
  }
}

describe('a task', () => {
  test('shows its progress to its author’s browsers only', async () => {
    const company = await register(http)
    const person = { first_name: 'Al', last_name: 'B', workno: '2', department: company.department, role: 1 }
    const colleague = await invite(http, company, person)
    const listen = async (token: string) => {
      const socket = await openSocket(http.address)
      cleanups.push(() => socket.close())
      socket.say({ cmd: 'home.login', token })
      await socket.hear({ ret: 'home.login' })
      return socket
    }
    const [ownSocket, otherSocket] = [await listen(company.token), await listen(colleague.token)]
    const upload = await sendSheet(http, company, sheetOf(400))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, company)
    const steps: (string | undefined)[] = []
    const end = await pollTask(http, company, task, ({ step, done, total, state }) => {
      if (steps.at(-1) !== step) steps.push(step)
      expect(done).toBeLessThanOrEqual(total)
      return state === 'done'
    })
    expect(end).toMatchObject({ state: 'done', done: 400, total: 400, rowCount: 400 })
    expect(steps.filter(step => step !== undefined)).toEqual(expect.arrayContaining(['write']))
    const refreshesOf = ({ unheard }: typeof ownSocket) => unheard.flatMap(({ refresh }) => (refresh as string[]) ?? [])
    await eventually(
      async () => refreshesOf(ownSocket),
      refresh => expect(refresh).toContain('task/'),
    )
    // Both browsers receive the change of employees.
    await eventually(
      async () => refreshesOf(otherSocket),
      refresh => expect(refresh).toContain('employee/'),
    )
    expect(refreshesOf(otherSocket)).not.toContain('task/')
  })

  test('with a repeated idempotency key runs once', async () => {
    const company = await register(http)
    const upload = await sendSheet(http, company, sheetOf(3))
    const headers = { 'idempotency-key': 'the-same' }
    const input = { upload, dryRun: false }
    const calls = [0, 1].map(() => http.call('employee/import', input, { ...company, headers }))
    const [first, second] = await Promise.all(calls.map(call => call.catch(() => undefined)))
    const task = first ?? second
    expect(await taskEnd(http, company, task ?? { task: '' })).toMatchObject({ state: 'done' })
    expect(await http.call('employee/import', input, { ...company, headers })).toEqual(task)
    expect((await http.call('task/grid', {}, company)).list).toHaveLength(1)
  })

  test('does not run after its author lost the permission', async () => {
    const company = await register(http)
    const { id: roleId } = await http.call(
      'role/add',
      { name: 'Looks', permissions: [3], departments: [company.department] },
      company,
    )
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: company.department, role: 2, roleId }
    const manager = await invite(http, company, person)
    const upload = await sendSheet(http, manager, sheetOf(500))
    const importTask = await http.call('employee/import', { upload, dryRun: false }, manager)
    const { list } = await http.call('employee/grid', { filters: { search: 'Max' } }, company)
    const { canSignIn: _, photo: __, passwordSetAt: ___, ...form } = list[0] ?? ({} as never)
    await http.call('employee/update', { ...form, role: 3, roleId: undefined } as never, company)
    // Either the import finished before the change, or the server has undone all of it.
    const expected = await eventually(
      () => readNumbers(http, company),
      numbers => expect([1, 501]).toContain(numbers.length),
      30,
    )
    expect(expected.slice(1)).toEqual(expected.length > 1 ? numbersOf(500) : [])
    expect(importTask.task).toMatch(/^[a-z0-9]{16}$/)
  })
})

describe('a task that runs out of time', () => {
  let world: StackWithTable
  const start = async () => {
    // Each portion ends after one part.
    world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    cleanups.push(world.stop)
    const http = client(world.stack.address)
    return { http, company: await register(http) }
  }

  test('continues in portions until it is done, and adds no employee twice', { timeout: 120_000 }, async () => {
    const { http, company } = await start()
    const upload = await sendSheet(http, company, sheetOf(300))
    const importTask = await http.call('employee/import', { upload, dryRun: false }, company)
    expect(await taskEnd(http, company, importTask, 90)).toMatchObject({ state: 'done', rowCount: 300, done: 300 })
    const task = await world.look(taskKey(company.owner, importTask.task), company.company)
    expect(task?.portions).toBeGreaterThan(1)
    expect(task?.run).toBeUndefined()
    expect(await readNumbers(http, company)).toEqual(numbersOf(300))
    // The audit log names each employee once, under the author’s name.
    const entries = (await world.everything()).filter(
      ({ pk }) => pk === `C#${company.company}#AUDIT` || pk === `C#${company.company}#AUDIT_LINES`,
    ) as unknown as AuditEntry[]
    const added = entries.flatMap(({ employee, changes }) =>
      changes.flatMap(({ noun, change, id }) =>
        noun === 'employee' && change === 'added' ? [`${employee} ${id}`] : [],
      ),
    )
    // The task itself has one line, regardless of its portions.
    expect(added.filter(line => line === `${company.owner} ${importTask.task}`)).toHaveLength(1)
    const imported = added.filter(
      line => line.startsWith(company.owner) && !line.endsWith(company.owner) && !line.endsWith(importTask.task),
    )
    expect([imported.length, new Set(imported).size]).toEqual([300, 300])
  })

  test('undoes all rows in portions when a row cannot be written', { timeout: 120_000 }, async () => {
    const { http, company } = await start()
    const count = 300
    const upload = await sendSheet(http, company, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, company)
    // Another item has the id of the last row, so the row cannot be written.
    await world.set(employeeKey(rowId(task, count + 1)), { id: 'in the way' }, company.company)
    const end = await taskEnd(http, company, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(end.problems).toEqual([{ row: count + 1, field: 'row', code: 60006 }])
    expect(await readNumbers(http, company)).toEqual([])
    // The employee IDs are free again.
    const keys = (await world.everything()).map(({ pk }) => String(pk))
    expect(keys.filter(pk => pk.includes('#WORKNO#'))).toEqual([`C#${company.company}#WORKNO#1`])
    expect(keys.filter(pk => pk.includes('#DEPARTMENT_EMPLOYEE#'))).toHaveLength(1)
    expect(await world.look(taskPartKey(task, 0), company.company)).toMatchObject({ state: 'takenBack' })
    expect((await load(end.file?.url ?? '')).bytes.length).toBeGreaterThan(0)
    // The audit log has a line for the start and a line for the end.
    const { list } = await http.call('audit/grid', {}, company)
    const about = { noun: 'employee' as const, id: task, name: '', fields: {}, count }
    expect(list.map(({ changes }) => changes).slice(0, 2)).toEqual([
      [{ ...about, change: 'removed' }],
      [{ ...about, change: 'added' }],
    ])
    expect(await importSheet(http, company, sheetOf(count))).toMatchObject({ state: 'done', rowCount: count })
  })

  test('undoes a tree of departments', { timeout: 120_000 }, async () => {
    const { http, company } = await start()
    const lines = Array.from({ length: 150 }, (_, i) => `Level ${i},${i === 0 ? '' : `Level ${i - 1}`}`)
    const upload = await sendSheet(http, company, `name,parent\n${lines.join('\n')}`)
    const { task } = await http.call('department/import', { upload, dryRun: false }, company)
    const id = rowId(task, 151)
    await world.set(departmentKey(id), { id, name: 'In the way' }, company.company)
    const end = await taskEnd(http, company, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041 })
    expect(end.problems).toEqual([{ row: 151, field: 'row', code: 60006 }])
    const { list } = await http.call('department/all', {}, company)
    expect(list.map(({ name }) => name).sort()).toEqual(['In the way', 'Olive & Sons'])
    const names = (await world.everything()).filter(({ pk }) => pk === `C#${company.company}#DEPARTMENT_NAME`)
    expect(names).toHaveLength(1)
  })
})

describe('the undone rows of an import', () => {
  let world: StackWithTable
  const start = async () => {
    world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
    cleanups.push(world.stop)
    const http = client(world.stack.address)
    return { http, company: await register(http) }
  }

  test('stay, together with their parents, if another caller uses them meanwhile', { timeout: 120_000 }, async () => {
    const { http, company } = await start()
    const lines = Array.from({ length: 100 }, (_, i) => `Level ${i},${i === 0 ? '' : `Level ${i - 1}`}`)
    const upload = await sendSheet(http, company, `name,parent\n${lines.join('\n')}`)
    const { task } = await http.call('department/import', { upload, dryRun: false }, company)
    const id = rowId(task, 101)
    await world.set(departmentKey(id), { id, name: 'In the way' }, company.company)
    const department = rowId(task, 4)
    const person = { first_name: 'Una', last_name: 'Raise', workno: '2', department }
    await eventually(
      () => http.ask('employee/add', person, company),
      answer => expect(answer.code, JSON.stringify(answer)).toBe(0),
      30,
    )
    expect(await taskEnd(http, company, { task }, 90)).toMatchObject({ state: 'failed', code: 60041 })
    const { list } = await http.call('department/all', {}, company)
    expect(list.map(({ name }) => name).sort()).toEqual(['In the way', 'Level 0', 'Level 1', 'Level 2', 'Olive & Sons'])
    // Every employee has a department, no department remains marked for deletion, and no stale count remains.
    const items = await world.everything()
    expect(items.filter(({ leavingAt }) => leavingAt !== undefined)).toEqual([])
    expect(items.filter(({ pk }) => pk === `C#${company.company}#DEPARTMENT_NAME`)).toHaveLength(4)
    const colleague = { ...person, first_name: 'Max', workno: '3' }
    await http.call('employee/add', colleague, company)
  })

  test('are removed together with later changes', { timeout: 120_000 }, async () => {
    const { http, company } = await start()
    const departments = await Promise.all(
      Array.from({ length: 10 }, (_, i) => http.call('department/add', { name: `D ${i}` }, company)),
    )
    const count = 600
    const upload = await sendSheet(http, company, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, company)
    await world.set(employeeKey(rowId(task, count + 1)), { id: 'in the way' }, company.company)
    // Waits for the first part.
    const people = [2, 3, 4, 5, 6, 7, 8, 9].map(row => ({ id: rowId(task, row), number: first + row - 2 }))
    while (!(await world.look(employeeKey(people[0]?.id ?? ''), company.company))) await wait(5)
    const common = { version: 1, first_name: 'P', last_name: 'Q', department: company.department, role: 3 }
    const updates = people.map(({ id, number }) =>
      http.ask(
        'employee/update',
        { ...common, id, workno: String(number), departments: departments.map(({ id }) => id) },
        company,
      ),
    )
    expect((await Promise.all(updates)).map(({ code }) => code)).toEqual(people.map(() => 0))
    const end = await taskEnd(http, company, { task }, 90)
    expect(end).toMatchObject({ state: 'failed', code: 60041, step: 'takeBack', problemCount: 1 })
    expect(await readNumbers(http, company)).toEqual([])
    const keys = (await world.everything()).map(({ pk }) => String(pk))
    expect(keys.filter(pk => pk.includes('#WORKNO#'))).toEqual([`C#${company.company}#WORKNO#1`])
    expect(keys.filter(pk => pk.includes('#DEPARTMENT_EMPLOYEE#'))).toHaveLength(1)
  })
})

describe('a server killed during a task', () => {
  /** Imports, kills the server when the task reaches a state, and returns the end of the task. */
  const importKilled = async (
    count: number,
    killWhen: (told: TaskState) => boolean,
    prepare: (world: StackWithTable, company: Registered) => Promise<void> = async () => undefined,
  ) => {
    const world = await startStackWithTable()
    cleanups.push(world.stop)
    const { data, address } = world.stack
    const http = client(address)
    const company = await register(http)
    await prepare(world, company)
    const upload = await sendSheet(http, company, sheetOf(count))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, company)
    const before = await pollTask(http, company, task, killWhen)
    await world.stack.kill9()
    const environment = { DYNAMODB_ENDPOINT: world.endpoint }
    const restarted = await startStack({ data, port: Number(new URL(address).port), environment })
    cleanups.push(restarted.stop)
    return { http, company, before, end: await taskEnd(http, company, { task }, 90) }
  }

  test('while it writes continues after the restart, and no employee is missing or doubled', {
    timeout: 150_000,
  }, async () => {
    const isWriting = ({ step, done }: TaskState) => step === 'write' && done > 0
    const { http, company, before, end } = await importKilled(800, isWriting)
    expect(before).toMatchObject({ state: 'running', step: 'write' })
    expect(end).toMatchObject({ state: 'done', rowCount: 800, done: 800, problemCount: 0 })
    expect(await readNumbers(http, company)).toEqual(numbersOf(800))
  })

  test('while it undoes continues after the restart, and no employee remains', { timeout: 150_000 }, async () => {
    const { http, company, before, end } = await importKilled(
      500,
      ({ step }) => step === 'takeBack',
      // Marks the department of all rows for deletion. The import notices the mark only after it has inserted the rows.
      ({ set }, { department, company }) =>
        set(departmentKey(department), { leavingAt: '2026-11-20T00:00:00Z' }, company),
    )
    expect(before).toMatchObject({ state: 'running', step: 'takeBack' })
    expect(end).toMatchObject({ state: 'failed', code: 60041, problemCount: 500 })
    expect(end.problems[0]).toMatchObject({ row: 2, field: 'department', code: 60004 })
    expect(end.problems).toHaveLength(100)
    expect(await readNumbers(http, company)).toEqual([])
  })
})
