import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { client, type Registered, register } from '../kit/client.ts'
import { openSocket, type Socket } from '../kit/socket.ts'
import { endEngine, type Stack, startStack, temporaryFolder } from '../kit/stack.ts'
import { inFull, part, type Trial } from './trial.ts'

// Webhooks: a terminal punches, and the server sends each punch to two receivers. One is healthy, and the other
// randomly answers 500, hangs or resets the connection. The trial kills the stack five seconds after each start, in the
// middle of its work. In between, both receivers are healthy for half as many events, so one run shows the effect of
// the bad receiver. The response timeout is a second instead of 15, and a retry comes within two seconds instead of a
// day.

const events = 10_000
const perSecond = 25
const perFrame = 5
const mostBlocks = 5
/** The share of additional events while both receivers are healthy. */
const calmPart = 0.5
const lifeMilliseconds = 5000
/** The least number of kills at full size. In small, one kill is enough, because the machine’s speed proves nothing. */
const promisedKills = 5
const faults = [
  ['error', 0.3],
  ['hang', 0.05],
  ['reset', 0.02],
] as const
const serialNumber = 'CHAOST10'
const environment = { WEBHOOK_LOOPBACK: 'on', WEBHOOK_ANSWER_SECONDS: '1', WEBHOOK_MOST_DELAY_SECONDS: '2' }

/** A number from 0 to 1 that depends only on the words. */
const lotOf = (...words: (string | number)[]) =>
  createHash('sha256').update(JSON.stringify(words)).digest().readUInt32BE() / 2 ** 32

const faultOf = (lot: number) => {
  let sum = 0
  return faults.find(([, chance]) => {
    sum += chance
    return lot < sum
  })?.[0]
}

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

/** The webhook deliveries of one punch, as the receiver counted them. */
interface Heard {
  firstAt: number
  ids: Set<string>
  tries: number
  taken: number
}

const startReceiver = async (answer: (response: ServerResponse, id: string, tries: number) => boolean) => {
  const punches = new Map<string, Heard>()
  let secret = ''
  let unverified = 0
  const server = createServer(async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The kill has ended the request.
      return
    }
    const id = String(request.headers['webhook-id'])
    try {
      const event = new Webhook(secret).verify(
        Buffer.concat(chunks).toString(),
        request.headers as Record<string, string>,
      )
      const { data } = event as { data: { checktime: string } }
      const punch = data.checktime.slice(0, 19)
      const entry = punches.get(punch) ?? { firstAt: at, ids: new Set(), tries: 0, taken: 0 }
      punches.set(punch, entry)
      entry.ids.add(id)
      entry.tries++
      if (answer(response, id, entry.tries)) entry.taken++
    } catch {
      unverified++
      response.writeHead(401).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    heard: punches,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    unverified: () => unverified,
    know: (newSecret: string) => {
      secret = newSecret
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Kills a stack repeatedly, and restarts the stack at once with its data. */
const startVictim = async (data: string) => {
  let stack: Stack = await startStack({ data, environment })
  let kills = 0
  let starts = 0
  let isSpared = false
  const killRepeatedly = async () => {
    while (!isSpared) {
      await wait(lifeMilliseconds)
      if (isSpared) return
      await stack.kill9()
      kills++
      const startedAt = performance.now()
      stack = await startStack({ data, environment })
      starts += performance.now() - startedAt
    }
  }
  let killing: Promise<void> = Promise.resolve()
  return {
    address: () => stack.address,
    kills: () => kills,
    meanStart: () => starts / Math.max(kills, 1),
    begin: () => {
      killing = killRepeatedly()
    },
    /** Ends the kills. */
    spare: async () => {
      isSpared = true
      await killing
    },
    stop: () => stack.stop(),
  }
}

const connect = async (address: string): Promise<Socket> => {
  const terminal = await openSocket(address)
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  await terminal.hear({ ret: 'reg' })
  return terminal
}

export const run = async ({ seed, size, report }: Trial): Promise<void> => {
  const count = part(events, size)
  const isWhole = size === 1
  const leastKills = isWhole ? promisedKills : 1
  const blocks = part(mostBlocks, Math.min(1, size * 4))
  const calm = Math.round((count * calmPart) / blocks)
  const data = temporaryFolder()
  let isCalm = true
  const well = await startReceiver(response => {
    response.writeHead(204).end()
    return true
  })
  const bad = await startReceiver((response, id, tries) => {
    const fault = isCalm ? undefined : faultOf(lotOf(seed, id, tries))
    if (fault === 'reset') response.socket?.resetAndDestroy()
    else if (fault === 'error') response.writeHead(500).end()
    else if (!fault) response.writeHead(204).end()
    return !fault
  })
  const repeatedlyKilled = await startVictim(data)
  try {
    const http = () => client(repeatedlyKilled.address())
    const boss: Registered = await register(http(), { timezone: 'UTC' })
    const ids: string[] = []
    for (const receiver of [bad, well]) {
      const { id, secret } = await http().call('webhooks/endpoint/add', { url: receiver.url, events: ['record'] }, boss)
      receiver.know(secret)
      ids.push(id)
    }
    const device = { serialNumber, name: 'Gate', department: boss.department, authentication: 'claim' as const }
    await http().call('device/add', device, boss)

    const sent = new Map<string, { at: number; isCalm: boolean }>()
    let number = 0
    const from = Date.UTC(2026, 0, 5)
    /** Sends this many punches, frame by frame. Repeats each frame until the server acknowledges it. */
    const punch = async (terminal: Socket | undefined, punchCount: number): Promise<Socket | undefined> => {
      let connection = terminal
      const startedAt = performance.now()
      for (let sentCount = 0; sentCount < punchCount; sentCount += perFrame) {
        const times = Array.from({ length: Math.min(perFrame, punchCount - sentCount) }, () =>
          new Date(from + number++ * 1000).toISOString().slice(0, 19),
        )
        const record = times.map(time => ({ enrollid: 777, time: time.replace('T', ' '), mode: 8, inout: 0, event: 0 }))
        for (let isAcknowledged = false; !isAcknowledged; )
          try {
            connection ??= await connect(repeatedlyKilled.address())
            for (const time of times) if (!sent.has(time)) sent.set(time, { at: performance.now(), isCalm })
            connection.say({ cmd: 'sendlog', sn: serialNumber, count: record.length, logindex: number, record })
            const answer = await Promise.race([connection.hear({ ret: 'sendlog' }), connection.closed])
            isAcknowledged = typeof answer === 'object' && answer.result === true
          } catch {
            // The stack is restarting.
          } finally {
            if (!isAcknowledged) {
              connection?.close()
              connection = undefined
              // An unacknowledged punch may be stored or not, so `sent` keeps the time of the first try.
              await wait(100)
            }
          }
        await wait(Math.max(0, startedAt + ((sentCount + perFrame) / perSecond) * 1000 - performance.now()))
      }
      return connection
    }

    repeatedlyKilled.begin()
    let link: Socket | undefined
    for (let block = 0; block < blocks; block++) {
      isCalm = true
      link = await punch(link, calm)
      isCalm = false
      link = await punch(link, Math.round(count / blocks))
      // Retries must end before the next healthy phase.
      const hasUndelivered = () => [...sent.keys()].some(time => !bad.heard.get(time)?.taken)
      for (let waitedMilliseconds = 0; waitedMilliseconds < 30_000 && hasUndelivered(); waitedMilliseconds += 200)
        await wait(200)
    }
    while (repeatedlyKilled.kills() < leastKills) await wait(100)
    await repeatedlyKilled.spare()
    link?.close()

    // The faults are over. Replays failed deliveries, and waits until no delivery is due.
    isCalm = true
    const since = new Date(Date.now() - 3600_000).toISOString()
    for (let tries = 0; tries < 600; tries++) {
      let openCount = 0
      for (const webhook of ids) {
        const { count: replayed } = await http().call('webhooks/replay/failed', { webhook, since }, boss)
        const due = await http().call('webhooks/log/grid', { filters: { webhook, state: 'due' }, size: 20 }, boss)
        openCount += replayed + due.list.length
      }
      if (openCount === 0) break
      await wait(500)
    }

    const sentPunches = [...sent]
    const receivers = { bad, well }
    const p95 = (heard: Map<string, Heard>, calmPhase: boolean) =>
      quantile(
        sentPunches.flatMap(([time, { at, isCalm }]) => {
          const entry = heard.get(time)
          return entry && isCalm === calmPhase ? [entry.firstAt - at] : []
        }),
        0.95,
      )
    report('events', sentPunches.length, 'events', { atLeast: count })
    report('kills', repeatedlyKilled.kills(), 'kills', { atLeast: leastKills, elseVoid: true })
    report('a start, mean', repeatedlyKilled.meanStart(), 'ms')
    for (const [name, { heard, unverified }] of Object.entries(receivers)) {
      const entries = sentPunches.map(([time]) => heard.get(time))
      const taken = entries.reduce((sum, entry) => sum + (entry?.taken ?? 0), 0)
      report(
        `${name}: tries`,
        [...heard.values()].reduce((sum, { tries }) => sum + tries, 0),
        'tries',
      )
      report(`${name}: not delivered`, entries.filter(entry => !entry?.taken).length, 'events', { atMost: 0 })
      report(`${name}: with other than one id`, entries.filter(entry => entry?.ids.size !== 1).length, 'events', {
        atMost: 0,
      })
      report(`${name}: never sent`, heard.size - entries.filter(Boolean).length, 'events', { atMost: 0 })
      report(`${name}: not genuine`, unverified(), 'tries', { atMost: 0 })
      report(`${name}: delivered more than once`, taken / sentPunches.length - 1, 'of all', { atMost: 0.05 })
      report(`${name}: punch sent → first try, p95`, p95(heard, false), 'ms', inFull(size, { atMost: 5000 }))
    }
    const [faultyMilliseconds, calmMilliseconds] = [p95(well.heard, false), p95(well.heard, true)]
    report('well: first try p95 while the other is well', calmMilliseconds, 'ms')
    report(
      'well: first try p95, the other bad ÷ well',
      faultyMilliseconds / calmMilliseconds,
      'times',
      inFull(size, { atMost: 1.2 }),
    )
  } finally {
    await repeatedlyKilled.spare()
    await repeatedlyKilled.stop()
    for (const { stop } of [well, bad]) stop()
    endEngine(data)
    rmSync(data, { recursive: true, force: true })
  }
}
