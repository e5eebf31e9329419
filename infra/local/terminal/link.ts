import { setTimeout as wait } from 'node:timers/promises'
import { type RawData, WebSocket } from 'ws'
import { type Fields, onTheWire, startAnswering } from './command.ts'
import { type Identity, introduce } from './identity.ts'
import type { LogEntry, Memory } from './memory.ts'

// The terminal's side of the websocket: connect, register, deliver what is not acknowledged, answer commands; and all
// over again whenever the connection is lost.

export type LinkEvent =
  | { kind: 'registered' }
  /** The server answered and does not want this terminal; another try follows. */
  | { kind: 'refused'; reason: string }
  /** No connection, in a sentence; another try follows. */
  | { kind: 'lost'; why: string }
  | { kind: 'acknowledged'; entries: LogEntry[] }
  | { kind: 'commanded'; command: string }

export interface Link {
  readonly isRegistered: boolean
  /** There is something new to deliver. */
  wake(): void
  close(): Promise<void>
}

const answerMilliseconds = 20_000
const connectMilliseconds = 10_000
const retryMilliseconds = 2_000
const longestPauseMilliseconds = 10_000
const entriesPerFrame = 50

/** Starts the link; it goes on until it is closed, and tells `report` what happens. */
export function startLink(
  address: string,
  identity: Identity,
  memory: Memory,
  report: (event: LinkEvent) => void,
): Link {
  const ending = new AbortController()
  let open: WebSocket | undefined
  let isRegistered = false
  let wake = () => {}

  /** One connection from its beginning to its end; whether the server accepted the terminal. */
  const talk = async (): Promise<boolean> => {
    let wasAccepted = false
    try {
      const socket = await connect(address)
      open = socket
      if (ending.signal.aborted) return false
      const conversation = converse(
        socket,
        identity.sn,
        startAnswering(memory, () => socket.close()),
        report,
      )
      const answer = await conversation.ask('reg', introduce(identity, memory))
      if (answer.result !== true) {
        report({ kind: 'refused', reason: String(answer.reason ?? 'no reason given') })
        return false
      }
      if (typeof answer.cloudtime === 'string') memory.setTime(answer.cloudtime)
      wasAccepted = true
      isRegistered = true
      report({ kind: 'registered' })
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        const entries = memory.unacknowledged().slice(0, entriesPerFrame)
        if (entries.length === 0) await Promise.race([woken, conversation.lost])
        else if (await deliver(conversation, entries)) {
          memory.acknowledge(entries)
          report({ kind: 'acknowledged', entries })
        } else await Promise.race([wait(retryMilliseconds), conversation.lost])
      }
    } catch (error) {
      if (!ending.signal.aborted) report({ kind: 'lost', why: error instanceof Error ? error.message : String(error) })
    } finally {
      isRegistered = false
      open?.terminate()
    }
    return wasAccepted
  }

  const run = async () => {
    let failures = 0
    while (!ending.signal.aborted) {
      failures = (await talk()) ? 0 : failures + 1
      const pause = Math.min(longestPauseMilliseconds, 250 * 2 ** failures) * (0.75 + Math.random() / 2)
      await wait(pause, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  const ended = run()
  return {
    get isRegistered() {
      return isRegistered
    },
    wake: () => wake(),
    async close() {
      ending.abort()
      open?.terminate()
      await ended
    },
  }
}

interface Conversation {
  /** Asks and waits for the answer. Rejects when the connection is lost or, since TCP may not notice, when none comes. */
  ask(command: string, fields: Fields): Promise<Fields>
  /** Rejects when the connection is lost. */
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
  // Nobody may be waiting for it at the moment it happens.
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
  return {
    lost,
    async ask(command, fields) {
      const isAnswered = new AbortController()
      const answered = new Promise<Fields>(resolve => waiting.set(command, resolve))
      const silence = wait(answerMilliseconds, undefined, { signal: isAnswered.signal }).then(() => {
        throw new Error(`The server did not answer ${command}.`)
      })
      silence.catch(() => {})
      socket.send(JSON.stringify({ cmd: command, sn, ...fields }))
      try {
        return await Promise.race([answered, silence, lost])
      } finally {
        isAnswered.abort()
      }
    },
  }
}

/** Whether the server says that it keeps them. */
async function deliver(conversation: Conversation, entries: LogEntry[]): Promise<boolean> {
  const answer = await conversation.ask('sendlog', {
    count: entries.length,
    logindex: entries.at(-1)?.index,
    record: entries.map(onTheWire),
  })
  return answer.result === true
}

/** Rejects with one sentence that says what is wrong and, where it can be known, what to do. */
function connect(address: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, { handshakeTimeout: connectMilliseconds, perMessageDeflate: false })
    const { host } = new URL(address)
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_, response) => {
      socket.terminate()
      reject(new Error(`${host} answers, but not as a websocket at this path (HTTP ${response.statusCode}).`))
    })
    socket.once('error', (error: Error & { code?: string }) => {
      const why =
        error.code === 'ECONNREFUSED'
          ? 'nothing listens there (is it started? another port is --address ws://127.0.0.1:PORT/web)'
          : error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN'
            ? 'no machine of that name is known'
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
