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

test('a task with one part that cannot be undone fails, undoes all other parts, and sends deletion events', {
  timeout: 180_000,
}, async () => {
  // Each portion ends after one part.
  world = await startStackWithTable({ TASK_PORTION_MILLISECONDS: '1', WEBHOOK_LOOPBACK: 'on' }, { harsh: true })
  const http = client(world.stack.address)
  const company = await register(http)
  receiver = await openReceiver({ http, boss: company }, ['employee'])
  const { heard: received, refused } = receiver
  const [first, count] = [1000, 300]
  const people = Array.from({ length: count }, (_, i) => `P${i},Q,${first + i},Olive & Sons`)
  const upload = await sendSheet(http, company, `first_name,last_name,workno,department\n${people.join('\n')}`)
  const { task } = await http.call('employee/import', { upload, dryRun: false }, company)
  // A part with unreadable content.
  await world.set(taskPartKey(task, 1), { part: 1, state: 'written', ids: null as never }, company.company)
  await eventually(
    () => http.call('task/get', { id: task }, company),
    ({ step }) => expect(step).toBe('write'),
  )
  const workno = String(first + count - 1)
  await http.call('employee/add', { first_name: 'R', last_name: 'R', workno, department: company.department }, company)
  const end = await taskEnd(http, company, { task }, 90)
  expect(end).toMatchObject({ state: 'failed', code: 60011, step: 'takeBack', problemCount: 1 })
  const parts = (await world.everything()).filter(({ pk }) => String(pk).endsWith(taskPartKey(task, 0).pk))
  expect(parts.filter(({ state }) => state !== 'takenBack').map(({ part }) => part)).toEqual([1])
  expect(parts.length).toBeGreaterThan(8)
  // No data of an undone employee remains, but the event still contains the id and the employee ID.
  const eventsByEmployee = (type: string) =>
    new Map(
      received.filter(event => event.type === type).map(({ data: { employee } }) => [Object(employee).id, employee]),
    )
  const { list } = await http.call('employee/grid', { size: 200 }, company)
  const remainingIds = new Set(list.map(({ id }) => id))
  await eventually(
    async () =>
      [...eventsByEmployee('employee.created').keys()].filter(
        id => !remainingIds.has(id) && !eventsByEmployee('employee.deleted').has(id),
      ),
    unreported => expect([unreported, eventsByEmployee('employee.deleted').size > 0]).toEqual([[], true]),
    60,
  )
  for (const person of eventsByEmployee('employee.deleted').values())
    expect(person).toMatchObject({ workno: expect.stringMatching(/^1\d{3}$/), last_name: '' })
  expect(refused).toEqual([])
})
