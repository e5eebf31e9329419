import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { drawLots } from '../../infra/local/terminal/fault.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { startBareEngine } from './bare-engine.ts'
import {
  claimForCompanies,
  countPunches,
  engineOf,
  type Fleet,
  planPunches,
  quantile,
  readPunches,
  startFleet,
} from './fleet.ts'
import { inFull, part, type Trial } from './trial.ts'

// 500 terminals deliver 200 punches each without faults. Employees punch as fast as the same engine takes bare puts in
// this run. They do not wait for the terminals, because waiting would hide slowness. The terminals belong to several
// companies, because each company has a rate limit.

const companies = 5
const terminalsEach = 100
const punchesEach = 200
/** The punches that arrive between two frames. */
const punchesAtOnce = 8
const barePuts = 20_000

export const run = async (trial: Trial) => {
  await deliverCleanly(trial)
}

/** Returns the seconds until every punch was acknowledged. */
export const deliverCleanly = async ({ seed, size, report, say }: Trial): Promise<number> => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  const bareEngine = startBareEngine(data)
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const claimed = await claimForCompanies(address, { companies, count: part(terminalsEach, size) })
    const { serialNumbers } = claimed
    const started = startFleet({ address, data, seed, serialNumbers, punchesEach: 0 })
    fleet = started
    while (started.terminals.some(({ isRegistered }) => !isRegistered)) await wait(50)
    // Waits until the effects of the registrations and of the bare puts are over.
    const waitUntilRest = () => wait(size < 1 ? 500 : 9000)
    const puts = part(barePuts, size)
    const measureBare = async () => {
      await waitUntilRest()
      return (puts * 1000) / (await bareEngine.put(puts))
    }
    await measureBare()
    const bareBefore = [await measureBare(), await measureBare()]
    const pace = Math.max(...bareBefore)
    await waitUntilRest()

    const drawLot = drawLots(seed, 'the order of terminals')
    const plans = started.terminals
      .map(terminal => ({ terminal, punches: planPunches(terminal.sn, { count: punchesEach, seed }), at: drawLot() }))
      .toSorted((a, b) => a.at - b.at)
    const startedAt = started.now()
    let made = 0
    for (let from = 0; from < punchesEach; from += punchesAtOnce)
      for (const { terminal, punches } of plans) {
        const dueAt = startedAt + (made * 1000) / pace
        if (dueAt > started.now()) await wait(Math.max(1, dueAt - started.now()))
        started.punch(terminal, punches.slice(from, from + punchesAtOnce), dueAt)
        made += punchesAtOnce
        say?.(`${started.acknowledged.size} of ${started.made.size} punches acknowledged`)
      }
    while (started.waiting() > 0 && started.now() - startedAt < 600_000) await wait(5)
    const seconds = (Math.max(...started.finishedAt.values()) - startedAt) / 1000
    // The best rate before and after the delivery.
    const bareRates = [...bareBefore, await measureBare()]
    const barePerSecond = Math.max(...bareRates)

    const stored = await readPunches(engineOf(data), ...claimed.companies)
    const counts = countPunches(stored, started)
    report('punches made', started.made.size, 'punches')
    report('lost', counts.lost, 'punches', { atMost: 0 })
    report('there twice', counts.doubled, 'punches', { atMost: 0 })
    report('never made', counts.foreign, 'punches', { atMost: 0 })
    for (const rate of bareRates) report('bare engine', rate, 'punches/s')
    report('stored and acknowledged', counts.stored / seconds, 'punches/s')
    report(
      'acknowledged / bare engine',
      counts.stored / seconds / barePerSecond,
      'ratio',
      inFull(size, { atLeast: 0.8 }),
    )
    report('frame sent → acknowledged, p99', quantile(started.milliseconds, 0.99), 'ms', inFull(size, { atMost: 1000 }))
    report('punched → acknowledged, p99', quantile(started.sincePunched, 0.99), 'ms', inFull(size, { atMost: 1000 }))
    report('until all was acknowledged', seconds, 's')
    if (counts.lost > 0 || started.waiting() > 0) throw new Error('Not all was delivered though nothing went wrong.')
    return seconds
  } finally {
    bareEngine.stop()
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
