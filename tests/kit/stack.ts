import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mail } from '../../infra/local/gateway/outbox.ts'

// The real local stack as a process of its own, on a free port, for tests that talk to it as anybody would.

const main = fileURLToPath(new URL('../../infra/local/main.ts', import.meta.url))

/** A new empty folder, in memory where the machine offers that. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'attendance-'))

/** Amazon's own engine may stand in for ours: what is in its files only it knows, and it takes seconds to start, not hundredths. */
export const isOurEngine = process.env.DYNAMODB_LOCAL === undefined

export interface StackOptions {
  /** Kept when the stack stops; without it everything is thrown away. */
  data?: string
  site?: boolean
  demo?: boolean
  /** Every fact is delivered twice and in any order. */
  harsh?: boolean
  port?: number
  environment?: Record<string, string>
  /** For the program that runs it, such as `--import` of what breaks something on purpose. */
  nodeArguments?: string[]
  /** Another one than ours: a copy in which something was changed. */
  main?: string
}

export interface Stack {
  address: string
  data: string
  /** Ends the stack as Ctrl-C does and answers its exit code. */
  stop(): Promise<number | null>
  /** Ends it as a crash does: nothing can be tidied up, the engine is left behind. */
  kill9(): Promise<void>
  outbox(): Promise<Mail[]>
  /** What it said so far, on both outputs. */
  said(): string
}

/** Runs the command and collects what it says; `ready` is the address, or fails with what was said. */
export const runStack = (options: StackOptions & { data: string; arguments?: string[] }) => {
  const { data, site = false, demo = false, harsh = false, port = 0 } = options
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...(options.nodeArguments ?? []),
      options.main ?? main,
      ...['--port', String(port), '--data', data, '--json'],
      ...(site ? [] : ['--no-site']),
      ...(demo ? [] : ['--no-demo']),
      ...(harsh ? ['--harsh'] : []),
      ...(options.arguments ?? []),
    ],
    // The channel tells the stack when the test that started it has ended.
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, ...options.environment } },
  )
  let said = ''
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      const address = /^\{"ready":true,"address":"([^"]+)"\}$/m.exec(said)?.[1]
      if (address) resolve(address)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    void exited.then(code => reject(new Error(`The stack ended with code ${code}: ${said}`)))
  })
  ready.catch(() => undefined)
  return { child, exited, ready, said: () => said }
}

/** Ends the engine a killed stack left behind in a folder, if there is one. */
export const endEngine = (data: string) => {
  const note = join(data, 'stack.json')
  if (!existsSync(note)) return
  try {
    process.kill(JSON.parse(readFileSync(note, 'utf8')).engine, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Starts the stack and waits until it is ready. */
export const startStack = async (options: StackOptions = {}): Promise<Stack> => {
  const data = options.data ?? temporaryFolder()
  const { child, exited, ready, said } = runStack({ ...options, data })
  const address = await ready
  return {
    address,
    data,
    said,
    async stop() {
      child.kill('SIGINT')
      const code = await exited
      if (options.data === undefined) {
        endEngine(data)
        rmSync(data, { recursive: true, force: true })
      }
      return code
    },
    async kill9() {
      child.kill('SIGKILL')
      await exited
    },
    outbox: async () => (await fetch(`${address}/outbox?format=json`)).json(),
  }
}
