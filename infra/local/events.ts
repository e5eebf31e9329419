import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { jobs, schedules } from '../../shared/jobs.ts'
import { keepCompiled } from './invoke/compiled.ts'
import { type Lambda, loadAll, logLine } from './invoke.ts'

// The handlers nobody waits for run in a thread of their own, as they run beside each other in the cloud: whoever asks for
// something is not kept waiting by an import of thousands.

type Asked = { id: number; name: string; event: object }
type Said =
  | { kind: 'ready'; names: string[] }
  | { kind: 'done'; id: number; answer: unknown }
  | { kind: 'failed'; id: number; message: string; stack: string | undefined }
  | { kind: 'log'; line: string }

/** What the cloud calls by itself: the stream's reader, the jobs behind the bus, and what the clock begins. */
const names = ['changes', ...Object.keys(jobs), ...Object.keys(schedules)]

export interface Events {
  handlers: Map<string, Lambda>
  stop(): Promise<void>
}

/** Starts the thread, which takes over the environment as it is now. `onEnd` is told why, when it ends without having been asked to. */
export const startEvents = async (options: {
  log: (line: string) => void
  onEnd: (reason: string) => void
}): Promise<Events> => {
  const worker = new Worker(new URL(import.meta.url))
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<string[]>()
  let last = 0
  let isReady = false
  let isStopping = false
  worker.on('message', (said: Said) => {
    if (said.kind === 'log') return options.log(said.line)
    if (said.kind === 'ready') return ready.resolve(said.names)
    const waiting = open.get(said.id)
    open.delete(said.id)
    if (said.kind === 'done') waiting?.resolve(said.answer)
    else waiting?.reject(Object.assign(new Error(said.message), { stack: said.stack }))
  })
  let reason: string | undefined
  worker.on('error', error => {
    reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  })
  worker.on('exit', code => {
    reason ??= `code ${code}`
    const ended = new Error(`The thread of the jobs has ended: ${reason}`)
    for (const { reject } of open.values()) reject(ended)
    // Who waits for its start is told so, everybody later by `onEnd`.
    ready.reject(ended)
    if (isReady && !isStopping) options.onEnd(reason)
  })
  const handlerOf =
    (name: string): Lambda =>
    event => {
      const id = ++last
      const waiting = Promise.withResolvers<unknown>()
      open.set(id, waiting)
      worker.postMessage({ id, name, event } satisfies Asked)
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
  const say = (said: Said) => port.postMessage(said)
  console.log = (message: unknown) => say({ kind: 'log', line: logLine(message) })
  const handlers = await loadAll('events', names)
  port.on('message', async ({ id, name, event }: Asked) => {
    try {
      say({ kind: 'done', id, answer: await handlers.get(name)?.(event) })
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error))
      say({ kind: 'failed', id, message, stack })
    }
  })
  say({ kind: 'ready', names: [...handlers.keys()] })
}

if (!isMainThread && parentPort) {
  keepCompiled()
  // A promise nobody waits for is a mistake of one handler and no reason to end the others.
  process.on('unhandledRejection', error => {
    const reason = error instanceof Error ? error.stack : error
    process.stderr.write(`! A promise failed and nobody waited for it: ${reason}\n`)
  })
  await serve(parentPort)
}
