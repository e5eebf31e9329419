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

// The terminal's side of the PUSH protocol (ADMS), which only polls. The terminal begins, delivers new entries, polls
// for orders, executes them and sends the results. After a missing response the terminal starts over.

/** The server refused this terminal, with the reason as message. */
class Refusal extends Error {}
/** The terminal restarts on purpose, so this error is no fault. */
const restart = new Error('The terminal restarts.')

/**
 * Starts the link, which runs until the caller closes it. `report` gets the link's events. `address` is the URL before
 * `/iclock`.
 */
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
  /** The uploads that orders have requested, oldest first. Uploads survive a broken connection. */
  const requested: ({ entries: LogEntry[] } | { table: PeopleTable; lines: string[] })[] = []
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
  const readText = ({ status, text }: { status: number; text: string }): string => {
    if (status === 403) throw new Refusal(text.trim() || 'no reason given')
    if (status === 404) throw new Error(`${new URL(address).host} does not support the ADMS protocol.`)
    if (status !== 200) throw new Error(`The server answered ${status}.`)
    return text
  }

  /** Uploads lines. Returns how many the server has accepted. Rejects if the connection breaks or a fault cuts it. */
  const upload = async (table: string, stamp: number, lines: string[]): Promise<number> => {
    const body = lines.map(line => `${line}\n`).join('')
    const send = () => ask('POST', 'cdata', { table, Stamp: String(stamp) }, body)
    if (lot() < faults.dropBefore) {
      const isSent = lot() < 0.5
      // The server may or may not have the lines, because the terminal ignores the response.
      if (isSent) void send().catch(() => undefined)
      await wait(isSent ? 5 : 0)
      power.abort()
    }
    const [answer] = await Promise.all([send(), ...(lot() < faults.duplicate ? [send()] : [])])
    if (lot() < faults.dropAfter) throw new Error('The connection was lost before the response was read.')
    const taken = /^OK(?::\s*(\d+))?/.exec(answer.status >= 500 || answer.status === 429 ? '' : readText(answer))
    return taken ? Number(taken[1] ?? lines.length) : 0
  }
  /** Delivers entries. Returns the entries that the server has accepted: all or none. */
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
  /** The terminal begins after power-on and on request. After a broken connection it only resends. */
  let hasBegun = false
  /** The last log index that the server has acknowledged. */
  let position = 0
  let delay = 1
  let isStalled = false
  /** The server requested all new entries, so even a stalled terminal delivers them. */
  let isAsked = false
  let toldInfo = ''
  let asksAt = 0

  const introduce = async (action: string, query = {}) =>
    readText(await ask('POST', action, query, describeSelf(sn, memory)))
  const begin = async () => {
    const answer = await ask('GET', 'cdata', beginning)
    const settings = readTold(readText(answer))
    const shown = Date.parse(answer.date ?? '') + settings.zoneMinutes * 60_000
    if (!Number.isNaN(shown)) memory.setTime(new Date(shown).toISOString().slice(0, 19).replace('T', ' '))
    position = settings.stamp
    delay = delaySeconds ?? settings.delaySeconds
    isStalled = false
    memory.acknowledge(memory.unacknowledged().filter(({ index }) => index <= position))
  }
  /** Sends the requested uploads, then the results of orders. Rejects if the server refuses them. */
  const answer = async () => {
    for (let next = requested[0]; next; next = requested[0]) {
      const isTaken =
        'entries' in next
          ? (await deliver(next.entries)).length > 0
          : (await upload(next.table, Math.floor(Date.now() / 1000), next.lines)) === next.lines.length
      if (!isTaken) throw new Error('The server did not accept a requested upload.')
      requested.shift()
    }
    const results = [...answers]
    if (results.length === 0) return
    readText(await ask('POST', 'devicecmd', {}, results.map(line => `${line}\n`).join('')))
    answers.splice(0, results.length)
  }
  /** Polls for orders and executes them. */
  const follow = async () => {
    await answer()
    asksAt = performance.now() + delay * 1000
    const info = tellInfo(memory)
    const orders = readOrders(readText(await ask('GET', 'getrequest', info === toldInfo ? {} : { INFO: info })))
    toldInfo = info
    const next = new Set<Afterwards | undefined>()
    for (const order of orders) {
      report({ kind: 'commanded', command: order.words })
      const { code, afterwards } = await obey(order.words, memory, {
        tell: (table, lines) => void requested.push({ table, lines }),
        deliver(entries) {
          for (let i = 0; i < entries.length; i += entriesPerFrame)
            requested.push({ entries: entries.slice(i, i + entriesPerFrame) })
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
  /** Delivers some new entries. Returns the time until the next step. A punch ends an idle wait early. */
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

  /** Runs until the first fault. Returns whether the server accepted the terminal. */
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
        const pause = new AbortController()
        const aborted = AbortSignal.any([ending.signal, power.signal, pause.signal])
        const paused = wait(milliseconds, undefined, { signal: aborted })
        paused.catch(() => undefined)
        await Promise.race([paused, ...(isIdle ? [woken] : [])]).finally(() => pause.abort())
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

/** One sentence that names the problem and, if known, the remedy. */
const whyNot = (address: string, error: unknown): string => {
  const { host } = new URL(address)
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined
  if (cause?.code === 'ECONNREFUSED')
    return `Cannot connect to ${host}: no server listens there; start it, or pass its port with --address http://127.0.0.1:PORT.`
  if (cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN')
    return `Cannot connect to ${host}: the host name is unknown.`
  return `The connection to ${host} was lost: ${cause?.message ?? (error instanceof Error ? error.message : error)}.`
}
