import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// The command queue as a terminal sees it. The commands here delete erased employees.

const http = client(inject('address'))
let olga: Registered
let sn: string
let people = 300
const sockets: Socket[] = []

beforeAll(async () => {
  olga = await register(http)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  // Later erasures must not wait for this terminal.
  await http.call('device/delete', { serialNumber: sn }, olga)
})

const addTerminal = async () => {
  sn = `C${randomBytes(6).toString('hex').toUpperCase()}`
  const device = { serialNumber: sn, name: 'Gate', department: olga.department, authentication: 'claim' as const }
  await http.call('device/add', device, olga)
  const first = await connect()
  first.deliver()
  // Until then, the server would request all records from a returning terminal.
  await eventually(
    () => http.call('device/get', { serialNumber: sn }, olga),
    ({ unsent }) => expect(unsent).toBe(0),
  )
  return first
}
const connect = async () => {
  const socket = await openSocket(http.address)
  sockets.push(socket)
  socket.say({ cmd: 'reg', sn, cpusn: sn, devinfo: { modelname: 'AiFace', usednewlog: 1 } })
  expect(await socket.hear({ ret: 'reg' })).toMatchObject({ result: true })
  await socket.hear({ cmd: 'getnewlog' })
  return {
    ...socket,
    /** Reports that no records are left. */
    deliver: () => socket.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] }),
    /** Sends a request with an immediate reply. When the reply arrives, all earlier messages have arrived too. */
    async settle() {
      socket.say({ cmd: 'checklive', sn })
      await socket.hear({ ret: 'checklive' })
    },
    leave: async () => {
      socket.close()
      await eventually(
        () => http.call('device/get', { serialNumber: sn }, olga),
        ({ online }) => expect(online).toBe(false),
      )
    },
  }
}
type Terminal = Awaited<ReturnType<typeof connect>>

/** Erases a new employee. Returns the task and the number that terminals must delete. */
const erase = async () => {
  const workno = String(people++)
  const form = { first_name: 'Gone', last_name: 'G', workno, department: olga.department }
  const { id } = await http.call('employee/add', form, olga)
  const { task } = await http.call('employee/erase', { id }, olga)
  return { task, enrollid: Number(workno) }
}
const stateOf = async (task: string) => (await http.call('task/get', { id: task }, olga)).state
const untilWaiting = (task: string) =>
  eventually(
    () => http.call('task/get', { id: task }, olga),
    found => expect(found).toMatchObject({ step: 'wait', total: 1 }),
  )
const untilDone = (task: string) =>
  eventually(
    () => stateOf(task),
    state => expect(state).toBe('done'),
  )
const deletion = (enrollid: number) => ({ cmd: 'deleteuser', enrollid, backupnum: 13 })
const answer = (terminal: Terminal, fields: object = { result: true }) => terminal.say({ ret: 'deleteuser', ...fields })

describe('a terminal', () => {
  test('receives commands in order after its delivery, each after its reply to the previous command', async () => {
    const first = await addTerminal()
    await first.leave()
    const [earlier, later] = [await erase(), await erase()]
    await untilWaiting(earlier.task)
    await untilWaiting(later.task)
    const terminal = await connect()
    await terminal.settle()
    expect(terminal.unheard).toEqual([])
    terminal.deliver()
    await terminal.hear(deletion(earlier.enrollid))
    await terminal.settle()
    expect(terminal.unheard).toEqual([])
    answer(terminal)
    await terminal.hear(deletion(later.enrollid))
    await untilDone(earlier.task)
    expect(await stateOf(later.task)).toBe('running')
    answer(terminal)
    await untilDone(later.task)
  })

  test('receives a command at once while it is online and idle', async () => {
    const terminal = await addTerminal()
    const { task, enrollid } = await erase()
    await terminal.hear(deletion(enrollid))
    // Some firmware replies with the name of the command.
    terminal.say({ cmd: 'deleteuser', enrollid, result: true })
    await untilDone(task)
  })

  test('receives a command again after it disconnected without a reply', { tags: 'long' }, async () => {
    const first = await addTerminal()
    const { task, enrollid } = await erase()
    await first.hear(deletion(enrollid))
    await first.leave()
    const second = await connect()
    second.deliver()
    await second.hear(deletion(enrollid))
    answer(second)
    await untilDone(task)
  })

  test('receives a refused command again at its next registration, and later commands do not wait', {
    tags: 'long',
  }, async () => {
    const first = await addTerminal()
    const earlier = await erase()
    await first.hear(deletion(earlier.enrollid))
    answer(first, { result: false, reason: 1 })
    const later = await erase()
    await first.hear(deletion(later.enrollid))
    // The terminal never had this user, so the deletion counts as done.
    answer(first, { result: false, reason: 5 })
    await untilDone(later.task)
    await first.settle()
    expect(first.unheard).toEqual([])
    expect(await stateOf(earlier.task)).toBe('running')
    await first.leave()
    const second = await connect()
    second.deliver()
    await second.hear(deletion(earlier.enrollid))
    answer(second)
    await untilDone(earlier.task)
  })

  test('cannot change the queue with an unexpected reply', async () => {
    const terminal = await addTerminal()
    answer(terminal)
    terminal.say({ ret: 'opendoor', result: true })
    await terminal.settle()
    const { task, enrollid } = await erase()
    await terminal.hear(deletion(enrollid))
    terminal.say({ ret: 'setuserinfo', result: true })
    await terminal.settle()
    expect(await stateOf(task)).toBe('running')
    answer(terminal)
    await untilDone(task)
  })
})
