import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { noFaults, readFaults } from '../../../infra/local/terminal/fault.ts'
import { startTerminal } from '../../../infra/local/terminal/fleet.ts'
import type { LinkEvent } from '../../../infra/local/terminal/manner.ts'
import { type Memory, openMemory } from '../../../infra/local/terminal/memory.ts'

// The simulated PUSH terminal talks to a test server, which answers from a recorded conversation or with errors.

interface Turn {
  says: string
  body?: string
  hears: string
}
const { conversation }: { conversation: Turn[] } = JSON.parse(
  readFileSync(new URL('../../given/terminal/adms/conversation.json', import.meta.url), 'utf8'),
)

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Starts a server that sends the answers of the test. The answer undefined cuts the connection. */
const listen = async (answer: (says: string, body: string) => string | number | undefined): Promise<string> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [path, query] = decodeURIComponent((request.url ?? '').replaceAll('+', ' ')).split('?')
    const reply = answer(`${request.method} ${path?.split('/').at(-1)} ${query}`, body)
    if (reply === undefined) return void request.socket.destroy()
    response.writeHead(typeof reply === 'number' ? reply : 200, { date: 'Mon, 02 Mar 2026 12:30:00 GMT' })
    response.end(typeof reply === 'number' ? '' : reply)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const entry = (enrollid: number, time: string, mode = 3, inout = 0) => ({ enrollid, time, mode, inout, event: 0 })

const start = (address: string, options: Partial<Parameters<typeof startTerminal>[0]> = {}) => {
  const data = mkdtempSync(join(tmpdir(), 'terminal-'))
  const events: LinkEvent[] = []
  const identity = { sn: 'K40A' }
  const common = { address, data, identity, profile: 'adms' as const, seed: 1, delaySeconds: 0.05 }
  const terminal = startTerminal({ ...common, longestPauseMilliseconds: 50, ...options }, event => events.push(event))
  cleanups.push(async () => {
    await terminal.close()
    rmSync(data, { recursive: true, force: true })
  })
  return { terminal, events }
}

/** Masks the parts that vary: MAC address, templates, its own stamps, times. */
const mask = (text: string | undefined) =>
  text
    ?.replace(/MAC=[\da-f:]{17}/, 'MAC=…')
    .replace(/Tmp=[\da-f]+/, 'Tmp=…')
    .replace(/(OPERLOG|BIODATA)&Stamp=\d+/, '$1&Stamp=…')
    .replace(/(OPLOG \d+\t\d+)\t[-\d: ]+/, '$1\t…')

test('the terminal follows the recorded conversation from its registration to its reset', {
  timeout: 30_000,
}, async () => {
  const remaining = [...conversation]
  const received: (string | undefined)[][] = []
  const finished = Promise.withResolvers<void>()
  const address = await listen((says, body) => {
    const turn = remaining.shift()
    if (remaining.length === 0) finished.resolve()
    if (!turn) return 'OK\n'
    received.push([mask(says), mask(body)])
    return turn.hears
  })
  // An employee punches during the registration.
  const { terminal } = start(address, { delaySeconds: 0 })
  terminal.punch([entry(7, '2026-03-02 08:56:12'), entry(8, '2026-03-02 08:58:01', 1, 1)])
  await finished.promise
  expect(received).toEqual(conversation.map(({ says, body = '' }) => [mask(says), mask(body)]))
  expect(terminal.memory.time()).toMatch(/^2026-03-02 18:00/)
  expect(terminal.memory.settings).toMatchObject({ Volume: '6' })
  expect([terminal.memory.log.size, terminal.memory.users.size]).toEqual([0, 0])
})

const options = (stamp = 0) => `GET OPTION FROM: K40A\nATTLOGStamp=${stamp}\nDelay=30\nTimeZone=-5\n`
/** Answers like a server that accepts every request. */
const acceptAll = (says: string, body: string) =>
  says.startsWith('GET cdata')
    ? options()
    : says.includes('table=ATTLOG')
      ? `OK: ${body.trim().split('\n').length}\n`
      : 'OK\n'
const punches = (count: number) =>
  Array.from({ length: count }, (_, i) => entry(i + 1, `2026-03-02 08:00:${String(i).padStart(2, '0')}`))

test('the terminal retries refused and cut deliveries without a new registration', async () => {
  const bodies: string[] = []
  let turn = 0
  let registrations = 0
  const address = await listen((says, body) => {
    if (says.startsWith('GET cdata')) registrations++
    if (!says.includes('table=ATTLOG')) return acceptAll(says, body)
    bodies.push(body)
    turn++
    return turn > 3 ? acceptAll(says, body) : [503, undefined, 'OK: 1\n'][turn - 1]
  })
  const { terminal, events } = start(address)
  terminal.punch(punches(3))
  await expect.poll(() => terminal.memory.unacknowledged(), { timeout: 20_000 }).toEqual([])
  // The server refuses the first delivery, cuts the second off, accepts the third in part, and accepts the fourth.
  expect(bodies).toEqual(Array(4).fill(bodies[0]))
  expect(events.filter(({ kind }) => kind === 'lost')).toHaveLength(1)
  expect(registrations).toBe(1)
})

test('after a start, the terminal delivers all records after the server’s stamp, not after its own', async () => {
  const bodies: string[] = []
  const address = await listen((says, body) => {
    if (says.includes('table=ATTLOG')) bodies.push(body)
    return says.startsWith('GET cdata') ? options(2) : acceptAll(says, body)
  })
  const data = mkdtempSync(join(tmpdir(), 'terminal-'))
  cleanups.push(() => rmSync(data, { recursive: true, force: true }))
  const memory = openMemory(data, 'K40A')
  memory.acknowledge(memory.record(punches(4)).slice(1, 3))
  memory.close()
  const { terminal } = start(address, { data })
  await expect.poll(() => terminal.memory.unacknowledged(), { timeout: 20_000 }).toEqual([])
  expect(bodies.map(body => body.split('\n').map(line => line.split('\t')[0]))).toEqual([['3', '4', '']])
})

test('the terminal delivers all records under all faults at once, some twice', { timeout: 60_000 }, async () => {
  const deliveries = new Map<string, number>()
  const address = await listen((says, body) => {
    if (says.includes('table=ATTLOG'))
      for (const line of body.trim().split('\n')) deliveries.set(line, (deliveries.get(line) ?? 0) + 1)
    return says.startsWith('GET getrequest') ? 'C:1:LOG\n' : acceptAll(says, body)
  })
  const faults = readFaults('drop-before=0.1,drop-after=0.1,duplicate=0.3,reorder=0.5,stall=0.2,skew=90,dst,double')
  const { terminal } = start(address, { faults, entriesPerFrame: 5 })
  terminal.punch(punches(50))
  await expect.poll(() => terminal.memory.waiting, { timeout: 50_000 }).toBe(0)
  expect(deliveries.size).toBe(50)
  expect(Math.max(...deliveries.values())).toBeGreaterThan(1)
  expect(terminal.memory.time()).toMatch(/^2026-03-02 07:3[12]:/)
})

test('the terminal reports a refusal and retries', async () => {
  let isAccepted = false
  const address = await listen((says, body) => (isAccepted ? acceptAll(says, body) : 403))
  const { terminal, events } = start(address, { faults: noFaults })
  await expect.poll(() => events[0]).toEqual({ kind: 'refused', reason: 'no reason given' })
  isAccepted = true
  await expect.poll(() => terminal.isRegistered, { timeout: 10_000 }).toBe(true)
})

test('the terminal never reuses a log number after a clear or a restart', () => {
  const data = mkdtempSync(join(tmpdir(), 'terminal-'))
  cleanups.push(() => rmSync(data, { recursive: true, force: true }))
  const withMemory = <T>(use: (memory: Memory) => T): T => {
    const memory = openMemory(data, 'K40A')
    try {
      return use(memory)
    } finally {
      memory.close()
    }
  }
  withMemory(memory => {
    memory.record(punches(3))
    memory.clear('log')
  })
  withMemory(() => undefined)
  expect(withMemory(memory => memory.record(punches(1)).map(({ index }) => index))).toEqual([4])
})
