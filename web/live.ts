import { call, readToken } from './api.ts'
import { refresh } from './read.ts'

// The line on which the server says what to read again. It carries no data: that always comes through a path that checks.

const pingMilliseconds = 30_000
const longestWaitMilliseconds = 30_000
/** Pushes that come in a burst are answered with one reading, and no two readings follow each other closer than this. */
const gatherMilliseconds = 80
const leastMilliseconds = 1000

interface Message {
  ret?: string
  result?: boolean
  refresh?: string[]
}

const parse = (text: unknown): Message => {
  try {
    const message: unknown = JSON.parse(String(text))
    return message instanceof Object ? message : {}
  } catch {
    return {}
  }
}

/**
 * Keeps the line open while somebody is signed in: says who is there, pings, and after a break tries again, later each
 * time and never all browsers at once. `onState` hears whether the line is up. The answer ends it.
 */
export const goLive = (onState: (isUp: boolean) => void) => {
  let socket: WebSocket | undefined
  let tries = 0
  let isOver = false
  let isFirst = true
  let again: ReturnType<typeof setTimeout> | undefined
  let ping: ReturnType<typeof setInterval> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  const gathered = new Set<string>()

  let flushedAt = 0

  const flush = () => {
    gather = undefined
    flushedAt = Date.now()
    refresh([...gathered])
    gathered.clear()
  }

  const connect = () => {
    const address = new URL('/web', location.href)
    address.protocol = location.protocol === 'http:' ? 'ws:' : 'wss:'
    const line = new WebSocket(address)
    socket = line
    line.onopen = () => {
      if (isOver) return line.close()
      line.send(JSON.stringify({ cmd: 'home.login', token: readToken() }))
      ping = setInterval(() => line.send(JSON.stringify({ cmd: 'home.ping' })), pingMilliseconds)
    }
    line.onmessage = ({ data }) => {
      const message = parse(data)
      // Who is not let in any more is asked to sign in again by the path that says so.
      if (message.ret === 'home.login' && !message.result) call('auth/get', {}).catch(() => {})
      if (message.ret === 'home.login' && message.result) {
        tries = 0
        onState(true)
        // What changed while the line was down was not heard.
        if (!isFirst) refresh([''])
        isFirst = false
      }
      for (const prefix of message.refresh ?? []) gathered.add(prefix)
      if (gathered.size > 0)
        gather ??= setTimeout(flush, Math.max(gatherMilliseconds, flushedAt + leastMilliseconds - Date.now()))
    }
    line.onclose = () => {
      clearInterval(ping)
      if (isOver) return
      onState(false)
      const most = Math.min(longestWaitMilliseconds, 1000 * 2 ** tries++)
      again = setTimeout(connect, most / 2 + (Math.random() * most) / 2)
    }
  }

  /** A laptop that wakes or a phone that is on-line again does not wait out the pause. */
  const hurry = () => {
    if (socket?.readyState !== WebSocket.CLOSED || isOver) return
    clearTimeout(again)
    tries = 0
    connect()
  }
  addEventListener('online', hurry)
  connect()

  return () => {
    isOver = true
    removeEventListener('online', hurry)
    clearTimeout(again)
    clearTimeout(gather)
    clearInterval(ping)
    // A line that is not up yet is closed as soon as it is: to break it off would be logged as a failure.
    if (socket?.readyState !== WebSocket.CONNECTING) socket?.close()
  }
}
