import { afterEach, expect, test } from 'vitest'
import { taskPartKey } from '../../shared/task.ts'
import { client, eventually, register } from '../kit/client.ts'
import { openReceiver } from '../kit/receiver.ts'
import { sendSheet, taskEnd } from '../kit/sheet.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

let world: StackWithTable | undefined
let receiver: Awaited<ReturnType<typeof openReceiver>> | undefined
afterEach(async () => {
  await world?.stop()
  receiver?.close()
})

test('a task fails where a part can never be taken back, and takes back all others, who are told to be gone', {
  timeout: 180_000,
}, async () => {
  // After each part the rest is handed on.
  world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1', WEBHOOK_LOOPBACK: 'on' }, { harsh: true })
  const http = client(world.stack.address)
  const mine = await register(http)
  receiver = await openReceiver({ http, boss: mine }, ['employee'])
  const { heard, refused } = receiver
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
  // Of who was taken back nothing is kept, and yet it is told who they were: by id and number.
  const told = (type: string) =>
    new Map(heard.filter(one => one.type === type).map(({ data: { employee } }) => [Object(employee).id, employee]))
  const { list } = await http.call('employee/grid', { size: 200 }, mine)
  const stayed = new Set(list.map(({ id }) => id))
  await eventually(
    async () => [...told('employee.created').keys()].filter(id => !stayed.has(id) && !told('employee.deleted').has(id)),
    left => expect([left, told('employee.deleted').size > 0]).toEqual([[], true]),
    60,
  )
  for (const person of told('employee.deleted').values())
    expect(person).toMatchObject({ workno: expect.stringMatching(/^1\d{3}$/), last_name: '' })
  expect(refused).toEqual([])
})
