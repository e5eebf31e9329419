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

// Webhooks: a terminal punches, and each punch is told to two receivers: one that is well, and one that answers 500, hangs or resets
// the connection by lot. The whole stack is killed five seconds after each start, in the middle of whatever it is doing. In between
// both receivers are well for half as many, so that what the bad one does to the other is compared within one run, by kills enough. A try is waited for a
// second instead of 15, and the next one comes within two seconds instead of a day.

const events = 10_000
const perSecond = 25
const perFrame = 5
const mostBlocks = 5
/** As many again for each of the events are told while both receivers are well. */
const calmPart = 0.5
const lifeMilliseconds = 5000
/** Of the promised size; in small the machine's quickness says nothing, and one kill proves what can be proved. */
const promisedKills = 5
const faults = [
  ['error', 0.3],
  ['hang', 0.05],
  ['reset', 0.02],
] as const
const serialNumber = 'CHAOST10'
const environment = { WEBHOOK_LOOPBACK: 'on', WEBHOOK_ANSWER_SECONDS: '1', WEBHOOK_MOST_DELAY_SECONDS: '2' }

/** From 0 to 1, the same for the same words. */
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

/** What a receiver knows of a punch. */
interface Heard {
  firstAt: number
  ids: Set<string>
  tries: number
  taken: number
}

const startReceiver = async (answer: (response: ServerResponse, id: string, tries: number) => boolean) => {
  const heard = new Map<string, Heard>()
  let secret = ''
  let unverified = 0
  const server = createServer(async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender was killed.
      return
    }
    const id = String(request.headers['webhook-id'])
    try {
      const told = new Webhook(secret).verify(
        Buffer.concat(chunks).toString(),
        request.headers as Record<string, string>,
      )
      const { data } = told as { data: { checktime: string } }
      const punch = data.checktime.slice(0, 19)
      const one = heard.get(punch) ?? { firstAt: at, ids: new Set(), tries: 0, taken: 0 }
      heard.set(punch, one)
      one.ids.add(id)
      one.tries++
      if (answer(response, id, one.tries)) one.taken++
    } catch {
      unverified++
      response.writeHead(401).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    heard,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    unverified: () => unverified,
    know: (given: string) => {
      secret = given
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A stack that is killed again and again, and starts again at once on what is left of it. */
const startVictim = async (data: string) => {
  let stack: Stack = await startStack({ data, environment })
  let kills = 0
  let starts = 0
  let isAsked = false
  const live = async () => {
    while (!isAsked) {
      await wait(lifeMilliseconds)
      if (isAsked) return
      await stack.kill9()
      kills++
      const startedAt = performance.now()
      stack = await startStack({ data, environment })
      starts += performance.now() - startedAt
    }
  }
  let life: Promise<void> = Promise.resolve()
  return {
    address: () => stack.address,
    kills: () => kills,
    meanStart: () => starts / Math.max(kills, 1),
    begin: () => {
      life = live()
    },
    /** From now on nobody kills it. */
    spare: async () => {
      isAsked = true
      await life
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
  const victim = await startVictim(data)
  try {
    const http = () => client(victim.address())
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
    /** Sends so many punches one frame after the other, each until it is acknowledged. */
    const punch = async (terminal: Socket | undefined, many: number): Promise<Socket | undefined> => {
      let link = terminal
      const begunAt = performance.now()
      for (let done = 0; done < many; done += perFrame) {
        const times = Array.from({ length: Math.min(perFrame, many - done) }, () =>
          new Date(from + number++ * 1000).toISOString().slice(0, 19),
        )
        const record = times.map(time => ({ enrollid: 777, time: time.replace('T', ' '), mode: 8, inout: 0, event: 0 }))
        for (let isSaid = false; !isSaid; )
          try {
            link ??= await connect(victim.address())
            for (const time of times) if (!sent.has(time)) sent.set(time, { at: performance.now(), isCalm })
            link.say({ cmd: 'sendlog', sn: serialNumber, count: record.length, logindex: number, record })
            const answer = await Promise.race([link.hear({ ret: 'sendlog' }), link.closed])
            isSaid = typeof answer === 'object' && answer.result === true
          } catch {
            // It is being started again.
          } finally {
            if (!isSaid) {
              link?.close()
              link = undefined
              // What was sent and not acknowledged is stored or not: its time is that of the first sending.
              await wait(100)
            }
          }
        await wait(Math.max(0, begunAt + ((done + perFrame) / perSecond) * 1000 - performance.now()))
      }
      return link
    }

    victim.begin()
    let link: Socket | undefined
    for (let block = 0; block < blocks; block++) {
      isCalm = true
      link = await punch(link, calm)
      isCalm = false
      link = await punch(link, Math.round(count / blocks))
      // What is still tried again must not stand between those told in the calm.
      const isOpen = () => [...sent.keys()].some(time => !bad.heard.get(time)?.taken)
      for (let waited = 0; waited < 30_000 && isOpen(); waited += 200) await wait(200)
    }
    while (victim.kills() < leastKills) await wait(100)
    await victim.spare()
    link?.close()

    // The faults are over: what was given up is sent again, and what is due comes to its end.
    isCalm = true
    const since = new Date(Date.now() - 3600_000).toISOString()
    for (let looks = 0; looks < 600; looks++) {
      let open = 0
      for (const webhook of ids) {
        const { count: replayed } = await http().call('webhooks/replay/failed', { webhook, since }, boss)
        const due = await http().call('webhooks/log/grid', { filters: { webhook, state: 'due' }, size: 20 }, boss)
        open += replayed + due.list.length
      }
      if (open === 0) break
      await wait(500)
    }

    const all = [...sent]
    const receivers = { bad, well }
    const p95 = (heard: Map<string, Heard>, which: boolean) =>
      quantile(
        all.flatMap(([time, { at, isCalm }]) => {
          const one = heard.get(time)
          return one && isCalm === which ? [one.firstAt - at] : []
        }),
        0.95,
      )
    report('events', all.length, 'events', { atLeast: count })
    report('kills', victim.kills(), 'kills', { atLeast: leastKills, elseVoid: true })
    report('a start, mean', victim.meanStart(), 'ms')
    for (const [name, { heard, unverified }] of Object.entries(receivers)) {
      const found = all.map(([time]) => heard.get(time))
      const taken = found.reduce((sum, one) => sum + (one?.taken ?? 0), 0)
      report(
        `${name}: tries`,
        [...heard.values()].reduce((sum, { tries }) => sum + tries, 0),
        'tries',
      )
      report(`${name}: not delivered`, found.filter(one => !one?.taken).length, 'events', { atMost: 0 })
      report(`${name}: with other than one id`, found.filter(one => one?.ids.size !== 1).length, 'events', {
        atMost: 0,
      })
      report(`${name}: never sent`, heard.size - found.filter(Boolean).length, 'events', { atMost: 0 })
      report(`${name}: not genuine`, unverified(), 'tries', { atMost: 0 })
      report(`${name}: delivered more than once`, taken / all.length - 1, 'of all', { atMost: 0.05 })
      report(`${name}: punch sent → first try, p95`, p95(heard, false), 'ms', inFull(size, { atMost: 5000 }))
    }
    const [beside, alone] = [p95(well.heard, false), p95(well.heard, true)]
    report('well: first try p95 while the other is well', alone, 'ms')
    report('well: first try p95, the other bad ÷ well', beside / alone, 'times', inFull(size, { atMost: 1.2 }))
  } finally {
    await victim.spare()
    await victim.stop()
    for (const { stop } of [well, bad]) stop()
    endEngine(data)
    rmSync(data, { recursive: true, force: true })
  }
}
