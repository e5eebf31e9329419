import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mail } from '../../infra/local/gateway/outbox.ts'

// The real local stack in its own process on a free port, for tests that use it from outside.

const main = fileURLToPath(new URL('../../infra/local/main.ts', import.meta.url))

/** A new empty folder, in memory where the machine offers that. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'attendance-'))

/**
 * False if Amazon’s own engine replaces ours. Only Amazon’s engine can read its files, and it starts in seconds, not
 * hundredths.
 */
export const isOurEngine = process.env.DYNAMODB_LOCAL === undefined

export interface StackOptions {
  /** The data folder, kept after the stop. Without a data folder, the stop deletes the data. */
  data?: string
  site?: boolean
  /** A plain demo company gets no history in the background, so its data stays as it is. */
  demo?: boolean | 'plain'
  /** Delivers every event twice and in any order. */
  harsh?: boolean
  port?: number
  environment?: Record<string, string>
  /** Arguments of the program that runs the stack, such as `--import` of a planted fault. */
  nodeArguments?: string[]
  /** The main file of a changed copy of the stack. */
  main?: string
}

export interface Stack {
  address: string
  data: string
  /** Ends the stack like Ctrl-C and returns its exit code. */
  stop(): Promise<number | null>
  /** Ends the stack like a crash, without any cleanup. The engine keeps running. */
  kill9(): Promise<void>
  outbox(): Promise<Mail[]>
  /** The output of both streams so far. */
  said(): string
}

/** Runs the command and collects its output. `ready` resolves with the address, or rejects with the output. */
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
      ...(demo === 'plain' ? ['--plain-demo'] : []),
      ...(harsh ? ['--harsh'] : []),
      ...(options.arguments ?? []),
    ],
    // Through this channel the stack notices the end of the test.
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, ...options.environment } },
  )
  let output = ''
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
  const ready = new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk
      const address = /^\{"ready":true,"address":"([^"]+)"\}$/m.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    void exited.then(code => reject(new Error(`The stack ended with code ${code}: ${output}`)))
  })
  ready.catch(() => undefined)
  return { child, exited, ready, said: () => output }
}

/** Ends the engine of a killed stack in a folder, if the engine still runs. */
export const endEngine = (data: string) => {
  const note = join(data, 'stack.json')
  if (!existsSync(note)) return
  try {
    process.kill(JSON.parse(readFileSync(note, 'utf8')).engine, 'SIGKILL')
  } catch {
    // The engine has already ended.
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
