import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Task, Told } from './histories.ts'
import { part, type Trial } from './trial.ts'

// Histories nobody thought of: a terminal's records cut into frames in any way, sent twice, in the opposite order, by two sockets
// at once, around the days a clock changes and after somebody set it back. Whatever came in between, each record is there once,
// at an instant at which the clock of its zone showed its time, and sending all of it again changes nothing.

const program = new URL('histories.ts', import.meta.url)

/** From the one that is given on. */
const seeds = 20
const historiesEach = 10_000
/** Each has an engine of its own, and so keeps a core busy. */
const mostThreads = 4

export const run = async ({ seed, size, report, say }: Trial) => {
  const runs = part(historiesEach, size)
  const all = Array.from({ length: seeds }, (_, i) => seed + i)
  const sum: Told = { histories: 0, sent: 0, violations: [] }
  const live = (mine: number[]) =>
    new Promise<void>((resolve, reject) => {
      const workerData: Task = { seeds: mine, runs }
      const thread = new Worker(program, { workerData })
      thread.on('message', ({ histories, sent, violations }: Told) => {
        sum.histories += histories
        sum.sent += sent
        sum.violations.push(...violations)
        say?.(`${sum.histories} histories`)
      })
      thread.on('error', reject)
      thread.on('exit', () => resolve())
    })
  const threads = Math.min(mostThreads, availableParallelism())
  await Promise.all(Array.from({ length: threads }, (_, i) => live(all.filter((_, n) => n % threads === i))))
  for (const violation of sum.violations) console.error(violation)
  report('histories', sum.histories, 'histories', { atLeast: 1, elseVoid: true })
  report('records sent', sum.sent, 'records')
  report('violations', sum.violations.length, 'histories', { atMost: 0 })
}
