import { setTimeout as wait } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import { type Fields, onTheWire, startAnswering } from './command.ts'
import { noFaults } from './fault.ts'
import { type Identity, introduce } from './identity.ts'
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
import { profiles } from './profile.ts'

// The terminal's side of the websocket: connects, registers, delivers unacknowledged entries and answers commands. It
// reconnects whenever the connection breaks.

const connectMilliseconds = 10_000

/** Starts the link, which runs until the caller closes it. `report` gets its events. */
export function startLink(
  address: string,
  identity: Identity,
  memory: Memory,
  report: (event: LinkEvent) => void,
  {
    profile = profiles.new,
    faults = noFaults,
    lot = Math.random,
    longestPauseMilliseconds = usualLongestPauseMilliseconds,
    entriesPerFrame = usualEntriesPerFrame,
  }: Manner = {},
): Link {
  const ending = new AbortController()
  let open: WebSocket | undefined
  let isRegistered = false
  let sendsImages = true
  let wake = () => {}

  /** The next entries to push at once; only one entry if it has a picture. */
  const nextEntries = (pushed: number) => {
    if (profile.pushesFirstOnly && pushed > 0) return []
    const most = profile.pushesFirstOnly || faults.photoKilobytes > 0 ? 1 : entriesPerFrame
    return memory.unacknowledged().slice(0, most)
  }

  const frameOf = (entries: LogEntry[]): Fields => {
    const isReversed = lot() < faults.reorder
    const record = (isReversed ? entries.toReversed() : entries).map(entry => onTheWire(entry, memory, profile))
    const withImage = sendsImages && faults.photoKilobytes > 0 && Number(memory.settings.use_logphoto ?? 1) !== 0
    return {
      count: entries.length,
      logindex: entries.at(-1)?.index,
      record: withImage ? record.map(fields => ({ ...fields, image: pictureOf(faults.photoKilobytes) })) : record,
    }
  }

  /**
   * Delivers entries and returns whether the server acknowledges them. Rejects if the connection breaks or a fault cuts
   * it.
   */
  const deliver = async (conversation: Conversation, entries: LogEntry[]): Promise<boolean> => {
    const frame = frameOf(entries)
    if (lot() < faults.dropBefore) {
      if (lot() < 0.5) conversation.say('sendlog', frame)
      open?.terminate()
    }
    if (lot() < faults.duplicate) conversation.say('sendlog', frame)
    const answer = await conversation.ask(
      'sendlog',
      frame,
      ({ logindex = frame.logindex }) => logindex === frame.logindex,
    )
    if (lot() < faults.dropAfter) {
      open?.terminate()
      await conversation.lost
    }
    return answer.result === true && (!profile.wantsMark || answer.mark === true)
  }

  /** Runs one connection to its end. Returns whether the server accepted the terminal. */
  const talk = async (): Promise<boolean> => {
    let wasAccepted = false
    let drop = () => {}
    try {
      const socket = await connect(address)
      open = socket
      if (ending.signal.aborted) return false
      let sendsUsers = false
      const hands = startAnswering(memory, () => socket.close(), {
        profile,
        onEnrolled: user => {
          if (sendsUsers) conversation.ask('senduser', user).catch(() => {})
        },
      })
      drop = hands.drop
      const conversation = converse(socket, identity.sn, hands.answer, report)
      const answer = await conversation.ask('reg', introduce(identity, memory, profile))
      if (answer.result !== true) {
        report({ kind: 'refused', reason: String(answer.reason ?? 'no reason given') })
        return false
      }
      if (typeof answer.cloudtime === 'string') memory.setTime(answer.cloudtime)
      sendsUsers = answer.nosenduser !== true
      sendsImages = !(profile.heedsNoImage && answer.nosendimage === true)
      wasAccepted = true
      isRegistered = true
      report({ kind: 'registered' })
      let pushed = 0
      let isStalled = false
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        const entries = isStalled ? [] : nextEntries(pushed)
        const sentAt = performance.now()
        if (entries.length === 0) await Promise.race([woken, conversation.lost])
        else if (await deliver(conversation, entries)) {
          memory.acknowledge(entries)
          pushed += entries.length
          isStalled = lot() < faults.stall
          report({ kind: 'acknowledged', entries, milliseconds: performance.now() - sentAt })
        } else await Promise.race([wait(retryMilliseconds), conversation.lost])
      }
    } catch (error) {
      if (!ending.signal.aborted) report({ kind: 'lost', why: error instanceof Error ? error.message : String(error) })
    } finally {
      isRegistered = false
      drop()
      open?.terminate()
    }
    return wasAccepted
  }

  const ended = keepTalking(talk, ending.signal, { lot, longestPauseMilliseconds })
  return {
    get isRegistered() {
      return isRegistered
    },
    wake: () => wake(),
    cut: () => open?.terminate(),
    async close() {
      ending.abort()
      open?.terminate()
      await ended
    },
  }
}

interface Conversation {
  /** Sends without waiting for a reply. */
  say(command: string, fields: Fields): void
  /**
   * Sends a request and waits for its reply. A reply that `isMeant` rejects belongs to an earlier request. Rejects when
   * the connection breaks, or on a timeout, because TCP may not notice a break.
   */
  ask(command: string, fields: Fields, isMeant?: (answer: Fields) => boolean): Promise<Fields>
  /** Rejects when the connection breaks. */
  lost: Promise<never>
}

function converse(
  socket: WebSocket,
  sn: string,
  answer: (command: string, fields: Fields) => Fields | undefined,
  report: (event: LinkEvent) => void,
): Conversation {
  const waiting = new Map<string, (fields: Fields) => void>()
  const lost = new Promise<never>((_, reject) => {
    socket.once('close', (code, reason) => {
      reject(new Error(`The server closed the connection (${[code, String(reason)].filter(Boolean).join(', ')}).`))
    })
  })
  // If no code is waiting at that moment, the rejection would count as unhandled.
  lost.catch(() => {})
  socket.on('error', () => socket.terminate())
  socket.on('message', data => {
    const message = readMessage(data)
    if (typeof message.ret === 'string') waiting.get(message.ret)?.(message)
    else if (typeof message.cmd === 'string') {
      report({ kind: 'commanded', command: message.cmd })
      const reply = answer(message.cmd, message)
      if (reply) socket.send(JSON.stringify({ ...reply, sn }))
    }
  })
  const say = (command: string, fields: Fields) => socket.send(JSON.stringify({ cmd: command, sn, ...fields }))
  return {
    lost,
    say,
    async ask(command, fields, isMeant = () => true) {
      const isAnswered = new AbortController()
      const answered = new Promise<Fields>(resolve =>
        waiting.set(command, answer => {
          if (isMeant(answer)) resolve(answer)
        }),
      )
      const silence = wait(answerMilliseconds, undefined, { signal: isAnswered.signal }).then(() => {
        throw new Error(`The server did not answer ${command}.`)
      })
      silence.catch(() => {})
      say(command, fields)
      try {
        return await Promise.race([answered, silence, lost])
      } finally {
        isAnswered.abort()
      }
    },
  }
}

/** Only the size of the picture matters. */
const pictureOf = (kilobytes: number) => `data:image/jpeg;base64,${'/9j/'.repeat(kilobytes * 256)}`

/** Connects. On failure, rejects with one sentence that names the problem and, if known, the remedy. */
function connect(address: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { handshakeTimeout: connectMilliseconds, perMessageDeflate: false })
    const { host } = new URL(address)
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_, response) => {
      socket.terminate()
      reject(new Error(`${host} has no websocket at this path (HTTP ${response.statusCode}).`))
    })
    socket.once('error', (error: Error & { code?: string }) => {
      const why =
        error.code === 'ECONNREFUSED'
          ? 'no server listens there; start it, or pass its port with --address ws://127.0.0.1:PORT/web'
          : error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN'
            ? 'the host name is unknown'
            : error.message || error.code
      reject(new Error(`Cannot connect to ${host}: ${why}.`))
    })
  })
}

function readMessage(data: RawData): Fields {
  try {
    const message: unknown = JSON.parse(String(data))
    return typeof message === 'object' && message !== null ? { ...message } : {}
  } catch {
    return {}
  }
}
