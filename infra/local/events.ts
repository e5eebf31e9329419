import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { jobs, schedules } from '../../shared/jobs.ts'
import { keepCompiled } from './invoke/compiled.ts'
import { type Lambda, loadAll, logLine } from './invoke.ts'

// Runs background handlers in a separate thread, because the cloud runs them in parallel too. So an import of thousands
// of rows does not delay requests.

type Call = { id: number; name: string; event: object }
type Message =
  | { kind: 'ready'; names: string[] }
  | { kind: 'done'; id: number; answer: unknown }
  | { kind: 'failed'; id: number; message: string; stack: string | undefined }
  | { kind: 'log'; line: string }

/** The handlers that AWS calls in the cloud: the stream's reader, the jobs of the bus, and the schedules. */
const names = ['changes', ...Object.keys(jobs), ...Object.keys(schedules)]

export interface Events {
  handlers: Map<string, Lambda>
  stop(): Promise<void>
}

/** Starts the thread with the current environment. Calls `onEnd` with the reason if the thread ends unexpectedly. */
export const startEvents = async (options: {
  log: (line: string) => void
  onEnd: (reason: string) => void
}): Promise<Events> => {
  const worker = new Worker(new URL(import.meta.url))
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<string[]>()
  let last = 0
  let isReady = false
  let isStopping = false
  worker.on('message', (message: Message) => {
    if (message.kind === 'log') return options.log(message.line)
    if (message.kind === 'ready') return ready.resolve(message.names)
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.kind === 'done') waiting?.resolve(message.answer)
    else waiting?.reject(Object.assign(new Error(message.message), { stack: message.stack }))
  })
  let reason: string | undefined
  worker.on('error', error => {
    reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  })
  worker.on('exit', code => {
    reason ??= `code ${code}`
    const ended = new Error(`The worker thread of the jobs has ended: ${reason}`)
    for (const { reject } of pending.values()) reject(ended)
    // An early end rejects the start. After the start, `onEnd` reports the end.
    ready.reject(ended)
    if (isReady && !isStopping) options.onEnd(reason)
  })
  const handlerOf =
    (name: string): Lambda =>
    event => {
      const id = ++last
      const waiting = Promise.withResolvers<unknown>()
      pending.set(id, waiting)
      worker.postMessage({ id, name, event } satisfies Call)
      return waiting.promise
    }
  const handlers = new Map((await ready.promise).map(name => [name, handlerOf(name)]))
  isReady = true
  return {
    handlers,
    async stop() {
      isStopping = true
      await worker.terminate()
    },
  }
}

const serve = async (port: NonNullable<typeof parentPort>) => {
  const send = (message: Message) => port.postMessage(message)
  console.log = (message: unknown) => send({ kind: 'log', line: logLine(message) })
  const handlers = await loadAll('events', names)
  port.on('message', async ({ id, name, event }: Call) => {
    try {
      send({ kind: 'done', id, answer: await handlers.get(name)?.(event) })
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      send({ kind: 'failed', id, message, stack })
    }
  })
  send({ kind: 'ready', names: [...handlers.keys()] })
}

if (!isMainThread && parentPort) {
  keepCompiled()
  // An unhandled rejection concerns one handler and must not end the others.
  process.on('unhandledRejection', error => {
    const reason = error instanceof Error ? error.stack : error
    process.stderr.write(`! Unhandled promise rejection: ${reason}\n`)
  })
  await serve(parentPort)
}
