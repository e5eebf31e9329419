import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimTerminals, type Fleet, startFleet } from './fleet.ts'
import { part, type Trial } from './trial.ts'

// 2,000 terminals connect at once, as after a network failure.

/** The resident memory of the stack’s process in KB, or NaN where the system does not report it. */
const memoryOf = (data: string): number => {
  try {
    const { stack } = JSON.parse(readFileSync(`${data}/stack.json`, 'utf8'))
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${stack}/status`, 'utf8'))?.[1] ?? Number.NaN)
  } catch {
    return Number.NaN
  }
}

export const run = async ({ seed, size, report }: Trial) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const count = part(2000, size)
    const { serialNumbers } = await claimTerminals(stack.address, { count })
    const before = memoryOf(data)
    const started = startFleet({ address: stack.address, data, seed, serialNumbers, punchesEach: 0 })
    fleet = started
    const countRegistered = () => started.terminals.filter(({ isRegistered }) => isRegistered).length
    while (countRegistered() < count && started.now() < 300_000) await wait(50)
    report('terminals registered', countRegistered(), 'terminals', { atLeast: count })
    report('until all were registered', started.now() / 1000, 's', { atMost: 60 })
    report('connections lost meanwhile', started.events.lost, 'connections')
    await wait(5000)
    const kilobytes = (memoryOf(data) - before) / count
    if (Number.isFinite(kilobytes)) report('memory of the stack per connection', kilobytes, 'KB')
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
