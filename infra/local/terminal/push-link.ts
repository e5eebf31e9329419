import { setTimeout as wait } from 'node:timers/promises'
import { noFaults } from './fault.ts'
import type { Identity } from './identity.ts'
import {
  answerMilliseconds,
  keepTalking,
  type Link,
  type LinkEvent,
  type Manner,
  retryMilliseconds,
  usualEntriesPerFrame,
  usualLongestPauseMilliseconds,
} from './manner.ts'
import type { LogEntry, Memory } from './memory.ts'
import {
  type Afterwards,
  answerLine,
  attendanceLine,
  beginning,
  describeSelf,
  obey,
  type PeopleTable,
  readOrders,
  readTold,
  tellInfo,
} from './push.ts'

// The side of a terminal of the PUSH family (ADMS), which always asks: it begins, delivers what the server has not, asks now and then
// what there is to do, does it, and tells what came of it; and all over again whenever an answer does not come.

/** Whoever is not wanted is told so in one word. */
class Refusal extends Error {}
/** The terminal starts anew, and nothing is wrong. */
const restart = new Error('It starts anew.')

/** Starts the link; it goes on until it is closed, and tells `report` what happens. `address` is what stands before `/iclock`. */
export function startPushLink(
  address: string,
  { sn, company, password }: Identity,
  memory: Memory,
  report: (event: LinkEvent) => void,
  {
    faults = noFaults,
    lot = Math.random,
    longestPauseMilliseconds = usualLongestPauseMilliseconds,
    entriesPerFrame = usualEntriesPerFrame,
    delaySeconds,
  }: Omit<Manner, 'profile'> = {},
): Link {
  const ending = new AbortController()
  let power = new AbortController()
  let isRegistered = false
  let wake = () => {}
  /** What is owed to the server for its orders, in this order; it is kept whatever happens to the connection. */
  const owed: ({ entries: LogEntry[] } | { table: PeopleTable; lines: string[] })[] = []
  const answers: string[] = []

  const ask = async (method: string, action: string, query: Record<string, string> = {}, body?: string) => {
    const search = new URLSearchParams({ SN: sn, ...query })
    if (company) search.set('company_num', company)
    if (password) search.set('comm_pwd', password)
    const signals = [ending.signal, power.signal, AbortSignal.timeout(answerMilliseconds)]
    try {
      const answer = await fetch(`${address}/iclock/${action}?${search}`, {
        method,
        ...(body !== undefined && { body, headers: { 'content-type': 'application/push;charset=UTF-8' } }),
        signal: AbortSignal.any(signals),
      })
      return { status: answer.status, text: await answer.text(), date: answer.headers.get('date') }
    } catch (error) {
      throw new Error(whyNot(address, error))
    }
  }
  const read = ({ status, text }: { status: number; text: string }): string => {
    if (status === 403) throw new Refusal(text.trim() || 'no reason given')
    if (status === 404) throw new Error(`${new URL(address).host} answers, but not as a server of this protocol.`)
    if (status !== 200) throw new Error(`The server answered ${status}.`)
    return text
  }

  /** How many of the lines the server has now; fails where the connection does, or is made to. */
  const upload = async (table: string, stamp: number, lines: string[]): Promise<number> => {
    const body = lines.map(line => `${line}\n`).join('')
    const send = () => ask('POST', 'cdata', { table, Stamp: String(stamp) }, body)
    if (lot() < faults.dropBefore) {
      const isSent = lot() < 0.5
      // The server may have it or not: nobody waits for what it says.
      if (isSent) void send().catch(() => undefined)
      await wait(isSent ? 5 : 0)
      power.abort()
    }
    const [answer] = await Promise.all([send(), ...(lot() < faults.duplicate ? [send()] : [])])
    if (lot() < faults.dropAfter) throw new Error('The connection was lost before its answer was read.')
    const taken = /^OK(?::\s*(\d+))?/.exec(answer.status >= 500 || answer.status === 429 ? '' : read(answer))
    return taken ? Number(taken[1] ?? lines.length) : 0
  }
  /** As many of them as the server has now. */
  const deliver = async (entries: LogEntry[]): Promise<LogEntry[]> => {
    const sentAt = performance.now()
    const isReversed = lot() < faults.reorder
    const lines = (isReversed ? entries.toReversed() : entries).map(attendanceLine)
    const taken = await upload('ATTLOG', entries.at(-1)?.index ?? 0, lines)
    if (taken < entries.length) return []
    memory.acknowledge(entries)
    report({ kind: 'acknowledged', entries, milliseconds: performance.now() - sentAt })
    return entries
  }
  /** It begins when its power comes and where it is told to; what is lost on the way between is only sent again. */
  let hasBegun = false
  /** Up to where the server has the log, as far as the terminal knows. */
  let position = 0
  let delay = 1
  let isStalled = false
  /** It was told to deliver what is new, and so it does to the end, even where it stalls by itself. */
  let isAsked = false
  let toldInfo = ''
  let asksAt = 0

  const introduce = async (action: string, query = {}) =>
    read(await ask('POST', action, query, describeSelf(sn, memory)))
  const begin = async () => {
    const answer = await ask('GET', 'cdata', beginning)
    const told = readTold(read(answer))
    const shown = Date.parse(answer.date ?? '') + told.zoneMinutes * 60_000
    if (!Number.isNaN(shown)) memory.setTime(new Date(shown).toISOString().slice(0, 19).replace('T', ' '))
    position = told.stamp
    delay = delaySeconds ?? told.delaySeconds
    isStalled = false
    memory.acknowledge(memory.unacknowledged().filter(({ index }) => index <= position))
  }
  /** Gives what it owes, and then the answers; rejects where the server does not take it. */
  const answer = async () => {
    for (let next = owed[0]; next; next = owed[0]) {
      const isTaken =
        'entries' in next
          ? (await deliver(next.entries)).length > 0
          : (await upload(next.table, Math.floor(Date.now() / 1000), next.lines)) === next.lines.length
      if (!isTaken) throw new Error('The server did not take what it asked for.')
      owed.shift()
    }
    const told = [...answers]
    if (told.length === 0) return
    read(await ask('POST', 'devicecmd', {}, told.map(line => `${line}\n`).join('')))
    answers.splice(0, told.length)
  }
  /** Asks what there is to do, and does it. */
  const follow = async () => {
    await answer()
    asksAt = performance.now() + delay * 1000
    const info = tellInfo(memory)
    const orders = readOrders(read(await ask('GET', 'getrequest', info === toldInfo ? {} : { INFO: info })))
    toldInfo = info
    const next = new Set<Afterwards | undefined>()
    for (const order of orders) {
      report({ kind: 'commanded', command: order.words })
      const { code, afterwards } = await obey(order.words, memory, {
        tell: (table, lines) => void owed.push({ table, lines }),
        deliver(entries) {
          for (let i = 0; i < entries.length; i += entriesPerFrame)
            owed.push({ entries: entries.slice(i, i + entriesPerFrame) })
        },
        signal: AbortSignal.any([ending.signal, power.signal]),
      })
      answers.push(answerLine(order, code))
      next.add(afterwards)
    }
    await answer()
    if (next.has('restart')) throw restart
    if (next.has('begin')) await begin()
    if (next.has('deliver')) isAsked = true
  }
  /** Delivers some of what is new; how long it then has time, unless somebody punches. */
  const push = async (): Promise<{ milliseconds: number; isIdle: boolean }> => {
    const isSilent = isStalled && !isAsked
    const entries = isSilent ? [] : [...memory.log.values()].filter(({ index }) => index > position)
    if (entries.length === 0) {
      isAsked = false
      return { milliseconds: Math.max(0, asksAt - performance.now()), isIdle: true }
    }
    const taken = await deliver(entries.slice(0, entriesPerFrame))
    if (taken.length === 0) return { milliseconds: retryMilliseconds, isIdle: false }
    position = taken.at(-1)?.index ?? position
    isStalled = lot() < faults.stall
    return { milliseconds: 0, isIdle: false }
  }

  /** Until something goes wrong; whether the server accepted the terminal. */
  const talk = async (): Promise<boolean> => {
    let wasAccepted = false
    power = new AbortController()
    try {
      if (hasBegun) await follow()
      else {
        await introduce('registry')
        await begin()
        await introduce('cdata', { table: 'options' })
        asksAt = 0
      }
      hasBegun = true
      wasAccepted = true
      isRegistered = true
      report({ kind: 'registered' })
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        if (performance.now() >= asksAt) await follow()
        const { milliseconds, isIdle } = await push()
        const rest = new AbortController()
        const over = AbortSignal.any([ending.signal, power.signal, rest.signal])
        const rested = wait(milliseconds, undefined, { signal: over })
        rested.catch(() => undefined)
        await Promise.race([rested, ...(isIdle ? [woken] : [])]).finally(() => rest.abort())
      }
    } catch (error) {
      if (error === restart || error instanceof Refusal) hasBegun = false
      if (ending.signal.aborted || error === restart) return wasAccepted
      if (error instanceof Refusal) report({ kind: 'refused', reason: error.message })
      else report({ kind: 'lost', why: error instanceof Error ? error.message : String(error) })
    } finally {
      isRegistered = false
    }
    return wasAccepted
  }

  const ended = keepTalking(talk, ending.signal, { lot, longestPauseMilliseconds })
  return {
    get isRegistered() {
      return isRegistered
    },
    wake: () => wake(),
    cut: () => power.abort(),
    async close() {
      ending.abort()
      await ended
    },
  }
}

/** One sentence that says what is wrong and, where it can be known, what to do. */
const whyNot = (address: string, error: unknown): string => {
  const { host } = new URL(address)
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined
  if (cause?.code === 'ECONNREFUSED')
    return `Cannot connect to ${host}: nothing listens there (is it started? another port is --address http://127.0.0.1:PORT).`
  if (cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN')
    return `Cannot connect to ${host}: no machine of that name is known.`
  return `The connection to ${host} was lost: ${cause?.message ?? (error instanceof Error ? error.message : error)}.`
}
