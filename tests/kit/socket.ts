import { randomInt } from 'node:crypto'
import { WebSocket } from 'ws'

// A socket for tests: sends raw text, and keeps every received message.

export interface Socket {
  /** Sends an object as JSON, or a text unchanged. */
  say(message: object | string): void
  /** Removes and returns the next unread message with all these fields. Rejects after `seconds`. */
  hear(fields: Record<string, unknown>, seconds?: number): Promise<Record<string, unknown>>
  /** The received messages that no test has read. */
  readonly unheard: Record<string, unknown>[]
  /** The close code, once the socket is closed. */
  readonly closed: Promise<number>
  close(): void
}

const setupCommands = new Set(['setdevinfo', 'setuserinfo', 'setusername', 'getuserlist'])

/**
 * Each socket has its own loopback address. Many tests cause refusals on purpose, and the server limits refusals by
 * address.
 */
const newAddress = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`

/** Rejects with the HTTP status of a refused handshake, or if no server answers. */
export const openSocket = (
  address: string,
  { path = '/web', origin, takesSettings = true }: { path?: string; origin?: string; takesSettings?: boolean } = {},
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${address.replace(/^http/, 'ws')}${path}`, {
      ...(origin && { origin }),
      ...(new URL(address).hostname === '127.0.0.1' && { localAddress: newAddress() }),
    })
    const unheard: Record<string, unknown>[] = []
    let wake = () => {}
    socket.on('message', data => {
      const message = JSON.parse(String(data))
      // Confirms settings and users automatically, because only tests about settings and users need these commands.
      if (takesSettings && setupCommands.has(message.cmd))
        socket.send(JSON.stringify({ ret: message.cmd, result: true }))
      else unheard.push(message)
      wake()
    })
    socket.on('error', reject)
    socket.once('unexpected-response', (_, { statusCode }) => {
      socket.terminate()
      reject(new Error(`HTTP ${statusCode}`))
    })
    const closed = new Promise<number>(report => socket.once('close', report))
    const takeMatching = (fields: Record<string, unknown>) => {
      const index = unheard.findIndex(message =>
        Object.entries(fields).every(([name, value]) => message[name] === value),
      )
      return index < 0 ? undefined : unheard.splice(index, 1)[0]
    }
    socket.once('open', () =>
      resolve({
        say: message => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
        async hear(fields, seconds = 20) {
          const until = Date.now() + seconds * 1000
          for (;;) {
            const message = takeMatching(fields)
            if (message) return message
            const remaining = until - Date.now()
            if (remaining <= 0)
              throw new Error(`${JSON.stringify(fields)} did not come; unheard: ${JSON.stringify(unheard)}`)
            const arrival = new Promise<void>(resolve => {
              wake = resolve
            })
            const timer = setTimeout(() => wake(), remaining)
            await arrival
            clearTimeout(timer)
          }
        },
        unheard,
        closed,
        close: () => socket.terminate(),
      }),
    )
  })
