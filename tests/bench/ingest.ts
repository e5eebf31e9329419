import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startBareEngine } from '../chaos/bare-engine.ts'
import { claimTerminals, type Fleet, planPunches, quantile, startFleet } from '../chaos/fleet.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import type { Report } from './main.ts'

// Measures punches stored and acknowledged per second over 200 sockets, against bare puts to the same engine. Both use
// the same client, and the same table with its indexes and stream. Both alternate within one run, each from one
// process. Afterwards the trial T5 (`npm run chaos -- t5`) measures 2,000 connecting terminals and the cost of each.

const sockets = 200
/**
 * A terminal that was offline sends several punches per frame. With larger frames, the last of 200 terminals waits
 * longer than a second.
 */
const entriesPerFrame = 8
const punchesEach = 24
const rounds = 5

const median = (values: number[]) => quantile(values, 0.5)

export const bench = async (report: Report) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  const bareEngine = startBareEngine(data)
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const { serialNumbers } = await claimTerminals(address, { count: sockets })
    const started = startFleet({
      address,
      data,
      seed: 1,
      serialNumbers,
      punchesEach: 0,
      mannersOf: () => ({ entriesPerFrame }),
    })
    fleet = started
    while (started.terminals.some(({ isRegistered }) => !isRegistered)) await wait(50)
    // Waits until the effects of the registrations or of a round have ended. The effects take 7 s on two cores.
    const waitUntilRest = () => wait(9000)

    const punchesBySn = serialNumbers.map(sn => planPunches(sn, { count: punchesEach * (rounds + 1), seed: 1 }))
    const bareRound = () => bareEngine.put(sockets * punchesEach)
    const round = async (n: number) => {
      const startedAt = performance.now()
      for (const [i, terminal] of started.terminals.entries())
        started.punch(terminal, punchesBySn[i]?.slice(n * punchesEach, (n + 1) * punchesEach) ?? [])
      while (started.waiting() > 0) await wait(5)
      return performance.now() - startedAt
    }
    await waitUntilRest()
    await bareRound()
    await round(0)
    started.milliseconds.length = 0
    const [bareTimes, times]: [number[], number[]] = [[], []]
    for (let n = 1; n <= rounds; n++) {
      await waitUntilRest()
      bareTimes.push(await bareRound())
      await waitUntilRest()
      times.push(await round(n))
    }
    const perSecond = (values: number[]) => (sockets * punchesEach * 1000) / median(values)
    report('bare engine', perSecond(bareTimes), 'punches/s')
    report(`stored and acknowledged over ${sockets} sockets`, perSecond(times), 'punches/s')
    report('acknowledged / bare engine', perSecond(times) / perSecond(bareTimes), 'ratio', { atLeast: 0.8 })
    report('frame sent → acknowledged, p99', quantile(started.milliseconds, 0.99), 'ms', { atMost: 1000 })
  } finally {
    bareEngine.stop()
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
  const { run } = await import('../chaos/t5.ts')
  await run({ seed: 1, size: 1, report: (figure, value, unit, goal) => report(figure, value, unit, goal) })
}
