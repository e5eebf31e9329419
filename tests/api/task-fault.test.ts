import { afterEach, expect, test } from 'vitest'
import { taskPartKey } from '../../shared/task.ts'
import { client, eventually, register } from '../client.ts'
import { sendSheet, taskEnd } from '../sheet.ts'
import { type StackWithTable, startStackWithTable } from '../table.ts'

let world: StackWithTable | undefined
afterEach(() => world?.stop())

test('a task fails where a part can never be taken back, and takes back all others', { timeout: 120_000 }, async () => {
  // After each part the rest is handed on.
  world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1' }, { harsh: true })
  const http = client(world.stack.address)
  const mine = await register(http)
  const [first, count] = [1000, 300]
  const people = Array.from({ length: count }, (_, i) => `P${i},Q,${first + i},Olive & Sons`)
  const upload = await sendSheet(http, mine, `first_name,last_name,workno,department\n${people.join('\n')}`)
  const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
  // A part nobody can read.
  await world.set(taskPartKey(task, 1), { part: 1, state: 'written', ids: null as never }, mine.company)
  await eventually(
    () => http.call('task/get', { id: task }, mine),
    ({ step }) => expect(step).toBe('write'),
  )
  const workno = String(first + count - 1)
  await http.call('employee/add', { first_name: 'R', last_name: 'R', workno, department: mine.department }, mine)
  const end = await taskEnd(http, mine, { task }, 90)
  expect(end).toMatchObject({ state: 'failed', code: 60011, step: 'takeBack', problemCount: 1 })
  const parts = (await world.everything()).filter(({ pk }) => String(pk).endsWith(taskPartKey(task, 0).pk))
  expect(parts.filter(({ state }) => state !== 'takenBack').map(({ part }) => part)).toEqual([1])
  expect(parts.length).toBeGreaterThan(8)
})
