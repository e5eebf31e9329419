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

// 500 terminals deliver 200 punches each, and nothing goes wrong. People punch as fast as the same engine takes bare puts in this
// very run, whoever waits or not: terminals that came to their turn later would hide what is too slow. They are of several companies:
// what one of them may send in a minute is another matter.

const companies = 5
const terminalsEach = 100
const punchesEach = 200
/** What came together at a door since the last that was sent. */
const punchesAtOnce = 8
const barePuts = 20_000

export const run = async (trial: Trial) => {
  await deliverCleanly(trial)
}

/** Answers how many seconds it took until all was acknowledged. */
export const deliverCleanly = async ({ seed, size, report, say }: Trial): Promise<number> => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  const bare = startBareEngine(data)
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const claimed = await claimForCompanies(address, { companies, count: part(terminalsEach, size) })
    const { serialNumbers } = claimed
    const sending = startFleet({ address, data, seed, serialNumbers, punchesEach: 0 })
    fleet = sending
    while (sending.terminals.some(({ isRegistered }) => !isRegistered)) await wait(50)
    // What registering has caused is over before anything is measured, and what the bare puts have caused, too.
    const rest = () => wait(size < 1 ? 500 : 9000)
    const puts = part(barePuts, size)
    const measureBare = async () => {
      await rest()
      return (puts * 1000) / (await bare.put(puts))
    }
    await measureBare()
    const bareBefore = [await measureBare(), await measureBare()]
    const pace = Math.max(...bareBefore)
    await rest()

    const lot = drawLots(seed, 'the order of terminals')
    const plans = sending.terminals
      .map(terminal => ({ terminal, punches: planPunches(terminal.sn, { count: punchesEach, seed }), at: lot() }))
      .toSorted((a, b) => a.at - b.at)
    const startedAt = sending.now()
    let made = 0
    for (let from = 0; from < punchesEach; from += punchesAtOnce)
      for (const { terminal, punches } of plans) {
        const dueAt = startedAt + (made * 1000) / pace
        if (dueAt > sending.now()) await wait(Math.max(1, dueAt - sending.now()))
        sending.punch(terminal, punches.slice(from, from + punchesAtOnce), dueAt)
        made += punchesAtOnce
        say?.(`${sending.acknowledged.size} of ${sending.made.size} punches acknowledged`)
      }
    while (sending.waiting() > 0 && sending.now() - startedAt < 600_000) await wait(5)
    const seconds = (Math.max(...sending.finishedAt.values()) - startedAt) / 1000
    // Of what the machine gave before and after, the most.
    const bareRates = [...bareBefore, await measureBare()]
    const barePerSecond = Math.max(...bareRates)

    const stored = await readPunches(engineOf(data), ...claimed.companies)
    const found = countPunches(stored, sending)
    report('punches made', sending.made.size, 'punches')
    report('lost', found.lost, 'punches', { atMost: 0 })
    report('there twice', found.doubled, 'punches', { atMost: 0 })
    report('never made', found.foreign, 'punches', { atMost: 0 })
    for (const rate of bareRates) report('bare engine', rate, 'punches/s')
    report('stored and acknowledged', found.stored / seconds, 'punches/s')
    report(
      'acknowledged / bare engine',
      found.stored / seconds / barePerSecond,
      'ratio',
      inFull(size, { atLeast: 0.8 }),
    )
    report('frame sent → acknowledged, p99', quantile(sending.milliseconds, 0.99), 'ms', inFull(size, { atMost: 1000 }))
    report('punched → acknowledged, p99', quantile(sending.sincePunched, 0.99), 'ms', inFull(size, { atMost: 1000 }))
    report('until all was acknowledged', seconds, 's')
    if (found.lost > 0 || sending.waiting() > 0) throw new Error('Not all was delivered though nothing went wrong.')
    return seconds
  } finally {
    bare.stop()
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
