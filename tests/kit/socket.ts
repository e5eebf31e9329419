import { randomInt } from 'node:crypto'
import { WebSocket } from 'ws'

// A socket as tests use it: raw text out, everything that came in kept.

export interface Socket {
  /** Sends an object as JSON, or a text as it is. */
  say(message: object | string): void
  /** The next message, from those not heard yet, that has all these fields. Rejects after `seconds`. */
  hear(fields: Record<string, unknown>, seconds?: number): Promise<Record<string, unknown>>
  /** What came and was not heard. */
  readonly unheard: Record<string, unknown>[]
  /** The close code, once it is closed. */
  readonly closed: Promise<number>
  close(): void
}

const setUp = new Set(['setdevinfo', 'setuserinfo', 'setusername', 'getuserlist'])

/** An address of this machine for each: who is refused too often is refused by address, and many tests are refused on purpose. */
const newAddress = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`

/** Rejects with the HTTP status where the handshake is refused, and where nobody is there. */
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
      // Every terminal is set up and told its people; what is not about that lets it be.
      if (takesSettings && setUp.has(message.cmd)) socket.send(JSON.stringify({ ret: message.cmd, result: true }))
      else unheard.push(message)
      wake()
    })
    socket.on('error', reject)
    socket.once('unexpected-response', (_, { statusCode }) => {
      socket.terminate()
      reject(new Error(`HTTP ${statusCode}`))
    })
    const closed = new Promise<number>(tell => socket.once('close', tell))
    const take = (fields: Record<string, unknown>) => {
      const at = unheard.findIndex(message => Object.entries(fields).every(([name, value]) => message[name] === value))
      return at < 0 ? undefined : unheard.splice(at, 1)[0]
    }
    socket.once('open', () =>
      resolve({
        say: message => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
        async hear(fields, seconds = 20) {
          const until = Date.now() + seconds * 1000
          for (;;) {
            const found = take(fields)
            if (found) return found
            const left = until - Date.now()
            if (left <= 0)
              throw new Error(`${JSON.stringify(fields)} did not come; unheard: ${JSON.stringify(unheard)}`)
            const woken = new Promise<void>(resolve => {
              wake = resolve
            })
            const timer = setTimeout(() => wake(), left)
            await woken
            clearTimeout(timer)
          }
        },
        unheard,
        closed,
        close: () => socket.terminate(),
      }),
    )
  })
