import { useSyncExternalStore } from 'react'
import { call, readToken } from './api.ts'
import { refresh } from './read.ts'

// The live connection. The server names the paths that pages must read again. The connection carries no data, because
// only the API paths check permissions.

const pingMilliseconds = 30_000
const longestWaitMilliseconds = 30_000
/** A burst of pushes causes one refresh, and two refreshes are at least `leastMilliseconds` apart. */
const gatherMilliseconds = 80
const leastMilliseconds = 1000

let isLive = true
const watchers = new Set<() => void>()
const watch = (notify: () => void) => {
  watchers.add(notify)
  return () => void watchers.delete(notify)
}
/** Whether the live connection is up. A page that updates live says when it does not. */
export const useIsLive = () => useSyncExternalStore(watch, () => isLive)

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
 * Keeps the live connection open while a person is signed in: sends the token, pings, and reconnects after a failure.
 * Retries back off with random delays, so that browsers do not reconnect at the same time. Calls `onState` when the
 * connection goes up or down. Returns a function that closes the connection.
 */
export const goLive = (onState: (isUp: boolean) => void) => {
  const tell = (isUp: boolean) => {
    isLive = isUp
    for (const notify of watchers) notify()
    onState(isUp)
  }
  let socket: WebSocket | undefined
  let failures = 0
  let isClosed = false
  let isFirst = true
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let pingTimer: ReturnType<typeof setInterval> | undefined
  let gatherTimer: ReturnType<typeof setTimeout> | undefined
  const gathered = new Set<string>()

  let flushedAt = 0

  const flush = () => {
    gatherTimer = undefined
    flushedAt = Date.now()
    refresh([...gathered])
    gathered.clear()
  }

  const connect = () => {
    const address = new URL('/web', location.href)
    address.protocol = location.protocol === 'http:' ? 'ws:' : 'wss:'
    const connection = new WebSocket(address)
    socket = connection
    connection.onopen = () => {
      if (isClosed) return connection.close()
      connection.send(JSON.stringify({ cmd: 'home.login', token: readToken() }))
      pingTimer = setInterval(() => connection.send(JSON.stringify({ cmd: 'home.ping' })), pingMilliseconds)
    }
    connection.onmessage = ({ data }) => {
      const message = parse(data)
      // If the server rejects the token, the answer of `auth/get` makes the page ask the user to sign in again.
      if (message.ret === 'home.login' && !message.result) call('auth/get', {}).catch(() => {})
      if (message.ret === 'home.login' && message.result) {
        failures = 0
        tell(true)
        // The browser missed all pushes while the connection was down.
        if (!isFirst) refresh([''])
        isFirst = false
      }
      for (const prefix of message.refresh ?? []) gathered.add(prefix)
      if (gathered.size > 0)
        gatherTimer ??= setTimeout(flush, Math.max(gatherMilliseconds, flushedAt + leastMilliseconds - Date.now()))
    }
    connection.onclose = () => {
      clearInterval(pingTimer)
      if (isClosed) return
      tell(false)
      const longestDelay = Math.min(longestWaitMilliseconds, 1000 * 2 ** failures++)
      retryTimer = setTimeout(connect, longestDelay / 2 + (Math.random() * longestDelay) / 2)
    }
  }

  /** Reconnects without the delay when a laptop wakes or a phone is online again. */
  const reconnectNow = () => {
    if (socket?.readyState !== WebSocket.CLOSED || isClosed) return
    clearTimeout(retryTimer)
    failures = 0
    connect()
  }
  addEventListener('online', reconnectNow)
  connect()

  return () => {
    isClosed = true
    removeEventListener('online', reconnectNow)
    clearTimeout(retryTimer)
    clearTimeout(gatherTimer)
    clearInterval(pingTimer)
    // Closing a connecting socket would log an error in the browser, so `onopen` closes it later.
    if (socket?.readyState !== WebSocket.CONNECTING) socket?.close()
  }
}
