import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startBareEngine } from '../chaos/bare-engine.ts'
import { claimTerminals, type Fleet, planPunches, quantile, startFleet } from '../chaos/fleet.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import type { Report } from './main.ts'

// Punches stored and acknowledged per second over 200 sockets, against what the same engine takes bare: the same table with its
// indexes and stream, the same client, in turns within one run, each from one process. How 2,000 terminals come at once, and what
// each costs, is the trial T5 (`npm run chaos -- t5`), whose figures are told along.

const sockets = 200
/** A terminal that was away for a while sends some at once; with many more in each frame the last of 200 waits longer than a second. */
const entriesPerFrame = 8
const punchesEach = 24
const rounds = 5

const median = (values: number[]) => quantile(values, 0.5)

export const bench = async (report: Report) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  const bare = startBareEngine(data)
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const { serialNumbers } = await claimTerminals(address, { count: sockets })
    const sending = startFleet({
      address,
      data,
      seed: 1,
      serialNumbers,
      punchesEach: 0,
      mannersOf: () => ({ entriesPerFrame }),
    })
    fleet = sending
    while (sending.terminals.some(({ isRegistered }) => !isRegistered)) await wait(50)
    // What registering has caused is over, and what each round has caused before the next begins: on two cores that took 7 s.
    const rest = () => wait(9000)

    const all = serialNumbers.map(sn => planPunches(sn, { count: punchesEach * (rounds + 1), seed: 1 }))
    const bareRound = () => bare.put(sockets * punchesEach)
    const round = async (n: number) => {
      const startedAt = performance.now()
      for (const [i, terminal] of sending.terminals.entries())
        sending.punch(terminal, all[i]?.slice(n * punchesEach, (n + 1) * punchesEach) ?? [])
      while (sending.waiting() > 0) await wait(5)
      return performance.now() - startedAt
    }
    await rest()
    await bareRound()
    await round(0)
    sending.milliseconds.length = 0
    const [bareTimes, times]: [number[], number[]] = [[], []]
    for (let n = 1; n <= rounds; n++) {
      await rest()
      bareTimes.push(await bareRound())
      await rest()
      times.push(await round(n))
    }
    const perSecond = (values: number[]) => (sockets * punchesEach * 1000) / median(values)
    report('bare engine', perSecond(bareTimes), 'punches/s')
    report(`stored and acknowledged over ${sockets} sockets`, perSecond(times), 'punches/s')
    report('acknowledged / bare engine', perSecond(times) / perSecond(bareTimes), 'ratio', { atLeast: 0.8 })
    report('frame sent → acknowledged, p99', quantile(sending.milliseconds, 0.99), 'ms', { atMost: 1000 })
  } finally {
    bare.stop()
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
  const { run } = await import('../chaos/t5.ts')
  await run({ seed: 1, size: 1, report: (figure, value, unit, goal) => report(figure, value, unit, goal) })
}
