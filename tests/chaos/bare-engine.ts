import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { engineOf } from './fleet.ts'

/** As many as the product's client keeps connections. */
const atOnce = 50

export interface BareEngine {
  /** So many conditional puts that were not made before; answers how long they took together, in milliseconds. */
  put(count: number): Promise<number>
  stop(): void
}

/** What the engine of a stack takes at best, beside it: the same table with its indexes and stream, the same client, one process. */
export const startBareEngine = (data: string): BareEngine => {
  const bare = spawn(process.execPath, [fileURLToPath(new URL('bare.ts', import.meta.url))], {
    env: { ...process.env, DYNAMODB_ENDPOINT: engineOf(data), AWS_REGION: 'local' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: bare.stdout })[Symbol.asyncIterator]()
  let first = 0
  return {
    async put(count) {
      bare.stdin.write(`${first} ${count} ${atOnce}\n`)
      first += count
      const { value } = await answers.next()
      return Number(value)
    },
    stop: () => void bare.kill(),
  }
}
