import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFaults } from '../../infra/local/terminal/fault.ts'
import { startTerminal, type Terminal, type TerminalOptions } from '../../infra/local/terminal/fleet.ts'
import { commandKey } from '../../shared/terminal/command.ts'
import { stampKey } from '../../shared/terminal/stamp.ts'
import { countPunches, nameOf, planPunches, quietZone, readPunches } from '../chaos/fleet.ts'
import { type Client, client, eventually, type Registered, register } from '../kit/client.ts'
import { temporaryFolder } from '../kit/stack.ts'
import { type StackWithTable, startStackWithTable } from '../kit/table.ts'

// The simulated PUSH terminal on a bad connection: it loads its users, delivers its records and is reset. Rewritten
// timestamps replace waiting.

let world: StackWithTable
let http: Client
let olga: Registered
let sn: string
let folder: string
let terminal: Terminal
/** Punches by name, as the chaos trials count them. */
const made = new Set<string>()
const acknowledged = new Set<string>()
/** The commands that the terminal received, each with the number of undelivered and stored records at that time. */
const received: { words: string; waiting: number; kept: number }[] = []
const minutes = 60_000
const peopleCount = 12

const start = (options: Pick<TerminalOptions, 'address' | 'faults'>) =>
  startTerminal(
    {
      ...{ data: folder, identity: { sn }, profile: 'adms', seed: 1, delaySeconds: 0.2 },
      ...{ longestPauseMilliseconds: 300, entriesPerFrame: 5, ...options },
    },
    event => {
      if (event.kind === 'acknowledged')
        for (const { enrollid, time } of event.entries) acknowledged.add(nameOf(sn, enrollid, time))
      if (event.kind === 'commanded')
        received.push({
          words: event.command,
          waiting: terminal.memory.waiting,
          kept: terminal.memory.log.size,
        })
    },
  )
const punch = (entries: Parameters<Terminal['punch']>[0]) => {
  for (const { enrollid, time } of terminal.punch(entries)) made.add(nameOf(sn, enrollid, time))
}
const receivedCommands = (words: string) => received.filter(command => command.words.startsWith(words))
const count = async () => countPunches(await readPunches(world.endpoint, olga.company), { made, acknowledged })
const nothingWrong = { lost: 0, broken: 0, doubled: 0, foreign: 0 }
const commands = async () => (await http.call('device/command/grid', { filters: { serialNumber: sn } }, olga)).list
const getDevice = () => http.call('device/get', { serialNumber: sn }, olga)

beforeAll(async () => {
  world = await startStackWithTable()
  folder = temporaryFolder()
  http = client(world.stack.address)
  olga = await register(http, { timezone: quietZone })
  sn = `PUSH${Date.now()}`
  const { department } = olga
  for (let i = 1; i <= peopleCount; i++)
    await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno: `${i + 10}`, department }, olga)
  const form = { serialNumber: sn, name: 'Gate', department, authentication: 'claim+path' as const }
  const { serverPath } = await http.call('device/add', form, olga)
  const query = new URL(serverPath, http.address).searchParams
  const address = `${http.address}/iclock/${query.get('c')}/${query.get('k')}`
  // The fault `stall`: the terminal pushes some records, and holds the rest until the server requests them.
  const faults = readFaults('drop-before=0.05,drop-after=0.05,duplicate=0.2,reorder=0.3,stall=0.5,dst')
  terminal = start({ address, faults })
  punch(planPunches(sn, { count: 60, seed: 1, people: peopleCount + 5 }))
})
afterAll(async () => {
  await terminal?.close()
  rmSync(folder, { recursive: true, force: true })
  await world?.stop()
})

test('the terminal loads its users and reports its hardware', async () => {
  await eventually(
    async () => [...terminal.memory.users.keys()],
    numbers => expect(numbers).toEqual(expect.arrayContaining(Array.from({ length: peopleCount }, (_, i) => i + 11))),
    60,
  )
  const device = await getDevice()
  expect(device).toMatchObject({ state: 'bound', protocol: 'adms', model: 'K40 Pro', online: true })
  expect(device.mac).toMatch(/^02:/)
  // The terminal missed a clock change, and the server has corrected the clock.
  const shown = Date.parse(`${terminal.memory.time().replace(' ', 'T')}+09:00`)
  expect(Math.abs(shown - Date.now())).toBeLessThan(60_000)
})

test('a finger enrolled from the server is stored', async () => {
  const { version } = await http.call('company/get', {}, olga)
  await http.call('company/update', { version, name: 'Olive', storesTemplates: true, retentionMonths: 60 }, olga)
  const { list } = await http.call('employee/grid', { filters: { search: '11' } }, olga)
  const employee = list[0]?.id ?? ''
  await http.call('device/enroll', { serialNumber: sn, employee, kind: 'finger', sign: 0 }, olga)
  await eventually(
    () => http.call('employee/attendance/finger/get', { id: employee }, olga),
    found => expect(found.list).toMatchObject([{ sign: 0, serialNumber: sn }]),
    60,
  )
  // The command list shows each step as done.
  await eventually(
    commands,
    list =>
      expect(list).toEqual(
        expect.arrayContaining(
          ['adduser', 'checkregstatus', 'getuserinfo'].map(cmd => expect.objectContaining({ cmd, state: 'done' })),
        ),
      ),
    60,
  )
})

test('a reset waits until every record is stored, and afterwards the server sends the users again', async () => {
  const before = received.length
  await http.call('device/reset', { serialNumber: sn }, olga)
  // The terminal delivers all records on request, but the reset still waits for a quiet time.
  await eventually(
    async () => receivedCommands('DATA QUERY ATTLOG'),
    list => expect(list).not.toEqual([]),
    60,
  )
  await eventually(
    async () => (await commands()).filter(({ cmd, state }) => cmd === 'getalllog' && state === 'done'),
    list => expect(list).not.toEqual([]),
    60,
  )
  expect((await commands()).find(({ cmd }) => cmd === 'initsys')?.state).toBe('queued')
  await eventually(
    async () => terminal.memory.unacknowledged(),
    left => expect(left).toEqual([]),
    60,
  )
  expect(await count()).toMatchObject({ stored: made.size, ...nothingWrong })
  const ago = (count: number) => new Date(Date.now() - count * minutes).toISOString()
  await eventually(
    async () => {
      const reset = (await commands()).find(({ cmd, state }) => cmd === 'initsys' && state === 'queued')
      const quiet = { since: ago(3), askedAt: new Date().toISOString() }
      await world.set(stampKey(sn, 'ATTLOG'), { at: ago(4) }, olga.company)
      if (reset) await world.set(commandKey(sn, reset.id), { quiet }, olga.company)
      return receivedCommands('CLEAR DATA')
    },
    list => expect(list).toEqual([{ words: 'CLEAR DATA', waiting: 0, kept: made.size }]),
    60,
  )
  await eventually(
    async () => [terminal.memory.log.size, terminal.memory.users.size],
    held => expect(held).toEqual([0, peopleCount + 1]),
    60,
  )
  expect(received.slice(before).map(({ words }) => words)).toContainEqual(
    expect.stringMatching(/^DATA UPDATE FINGERTMP/),
  )
  // The log of the terminal starts new numbers after the reset, and the server accepts them.
  punch([{ enrollid: 11, time: terminal.memory.time(), mode: 1, inout: 0, event: 0 }])
  await eventually(count, found => expect(found).toMatchObject({ stored: made.size, ...nothingWrong }), 60)
})
