import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { engineOf } from './fleet.ts'

/** The number of connections of the product’s client. */
const atOnce = 50

export interface BareEngine {
  /** Makes this many new conditional puts, and returns their total time in milliseconds. */
  put(count: number): Promise<number>
  stop(): void
}

/**
 * Measures the best rate of a stack’s engine, while the stack runs. Uses the same table with its indexes and stream,
 * the same client, and one process.
 */
export const startBareEngine = (data: string): BareEngine => {
  const bare = spawn(process.execPath, [fileURLToPath(new URL('bare.ts', import.meta.url))], {
    env: { ...process.env, DYNAMODB_ENDPOINT: engineOf(data), AWS_REGION: 'local' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: bare.stdout })[Symbol.asyncIterator]()
  let nextNumber = 0
  return {
    async put(count) {
      bare.stdin.write(`${nextNumber} ${count} ${atOnce}\n`)
      nextNumber += count
      const { value } = await lines.next()
      return Number(value)
    },
    stop: () => void bare.kill(),
  }
}
