import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Progress, Task } from './histories.ts'
import { part, type Trial } from './trial.ts'

// Random histories of a terminal’s records around clock changes and a clock set back. The frames are random, sent
// twice, in reverse order and by two sockets at once. Each record must be stored once, at an instant with its local
// time. Sending all records again must change nothing.

const program = new URL('histories.ts', import.meta.url)

/** The number of seeds, from the given seed on. */
const seeds = 20
const historiesEach = 10_000
/** Each thread has its own engine, and keeps a core busy. */
const mostThreads = 4

export const run = async ({ seed, size, report, say }: Trial) => {
  const runs = part(historiesEach, size)
  const allSeeds = Array.from({ length: seeds }, (_, i) => seed + i)
  const sum: Progress = { histories: 0, sent: 0, violations: [] }
  const runThread = (threadSeeds: number[]) =>
    new Promise<void>((resolve, reject) => {
      const workerData: Task = { seeds: threadSeeds, runs }
      const thread = new Worker(program, { workerData })
      thread.on('message', ({ histories, sent, violations }: Progress) => {
        sum.histories += histories
        sum.sent += sent
        sum.violations.push(...violations)
        say?.(`${sum.histories} histories`)
      })
      thread.on('error', reject)
      thread.on('exit', () => resolve())
    })
  const threads = Math.min(mostThreads, availableParallelism())
  await Promise.all(Array.from({ length: threads }, (_, i) => runThread(allSeeds.filter((_, n) => n % threads === i))))
  for (const violation of sum.violations) console.error(violation)
  report('histories', sum.histories, 'histories', { atLeast: 1, elseVoid: true })
  report('records sent', sum.sent, 'records')
  report('violations', sum.violations.length, 'histories', { atMost: 0 })
}
