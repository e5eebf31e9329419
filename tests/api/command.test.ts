import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { client, eventually, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'

// The queue of commands, as a terminal sees it. What is queued here is to forget people who are erased.

const http = client(inject('address'))
let mine: Registered
let sn: string
let people = 300
const sockets: Socket[] = []

beforeAll(async () => {
  mine = await register(http)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  // Later erasures wait for no terminal of before.
  await http.call('device/delete', { serialNumber: sn }, mine)
})

const addTerminal = async () => {
  sn = `C${randomBytes(6).toString('hex').toUpperCase()}`
  const device = { serialNumber: sn, name: 'Gate', department: mine.department, authentication: 'claim' as const }
  await http.call('device/add', device, mine)
  const first = await connect()
  first.deliver()
  // Before that it would be asked for everything when it comes again.
  await eventually(
    () => http.call('device/get', { serialNumber: sn }, mine),
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
    /** Says that there are no records left. */
    deliver: () => socket.say({ ret: 'getnewlog', result: true, count: 0, from: 0, to: 0, record: [] }),
    /** A question that is answered at once: whatever was sent before it has come. */
    async settle() {
      socket.say({ cmd: 'checklive', sn })
      await socket.hear({ ret: 'checklive' })
    },
    leave: async () => {
      socket.close()
      await eventually(
        () => http.call('device/get', { serialNumber: sn }, mine),
        ({ online }) => expect(online).toBe(false),
      )
    },
  }
}
type Terminal = Awaited<ReturnType<typeof connect>>

/** Erases somebody new and answers the task; the number is what terminals are to forget. */
const erase = async () => {
  const workno = String(people++)
  const form = { first_name: 'Gone', last_name: 'G', workno, department: mine.department }
  const { id } = await http.call('employee/add', form, mine)
  const { task } = await http.call('employee/erase', { id }, mine)
  return { task, enrollid: Number(workno) }
}
const stateOf = async (task: string) => (await http.call('task/get', { id: task }, mine)).state
const untilWaiting = (task: string) =>
  eventually(
    () => http.call('task/get', { id: task }, mine),
    found => expect(found).toMatchObject({ step: 'wait', total: 1 }),
  )
const untilDone = (task: string) =>
  eventually(
    () => stateOf(task),
    state => expect(state).toBe('done'),
  )
const asked = (enrollid: number) => ({ cmd: 'deleteuser', enrollid, backupnum: 13 })
const answer = (terminal: Terminal, fields: object = { result: true }) => terminal.say({ ret: 'deleteuser', ...fields })

describe('a terminal is told what to do', () => {
  test('after it has delivered, in order, and the next only when it has answered', async () => {
    const first = await addTerminal()
    await first.leave()
    const [one, two] = [await erase(), await erase()]
    await untilWaiting(one.task)
    await untilWaiting(two.task)
    const terminal = await connect()
    await terminal.settle()
    expect(terminal.unheard).toEqual([])
    terminal.deliver()
    await terminal.hear(asked(one.enrollid))
    await terminal.settle()
    expect(terminal.unheard).toEqual([])
    answer(terminal)
    await terminal.hear(asked(two.enrollid))
    await untilDone(one.task)
    expect(await stateOf(two.task)).toBe('running')
    answer(terminal)
    await untilDone(two.task)
  })

  test('at once, where it is there and owes no answer', async () => {
    const terminal = await addTerminal()
    const { task, enrollid } = await erase()
    await terminal.hear(asked(enrollid))
    // Firmware that answers with the command's own name.
    terminal.say({ cmd: 'deleteuser', enrollid, result: true })
    await untilDone(task)
  })

  test('again where it has gone without an answer', async () => {
    const first = await addTerminal()
    const { task, enrollid } = await erase()
    await first.hear(asked(enrollid))
    await first.leave()
    const second = await connect()
    second.deliver()
    await second.hear(asked(enrollid))
    answer(second)
    await untilDone(task)
  })

  test('in a later registration where it refused, without holding up what comes behind', async () => {
    const first = await addTerminal()
    const one = await erase()
    await first.hear(asked(one.enrollid))
    answer(first, { result: false, reason: 1 })
    const two = await erase()
    await first.hear(asked(two.enrollid))
    // It has forgotten somebody it never knew.
    answer(first, { result: false, reason: 5 })
    await untilDone(two.task)
    await first.settle()
    expect(first.unheard).toEqual([])
    expect(await stateOf(one.task)).toBe('running')
    await first.leave()
    const second = await connect()
    second.deliver()
    await second.hear(asked(one.enrollid))
    answer(second)
    await untilDone(one.task)
  })

  test('and an answer nobody waits for changes nothing', async () => {
    const terminal = await addTerminal()
    answer(terminal)
    terminal.say({ ret: 'opendoor', result: true })
    await terminal.settle()
    const { task, enrollid } = await erase()
    await terminal.hear(asked(enrollid))
    terminal.say({ ret: 'setuserinfo', result: true })
    await terminal.settle()
    expect(await stateOf(task)).toBe('running')
    answer(terminal)
    await untilDone(task)
  })
})
