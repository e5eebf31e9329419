import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimForCompanies, countPunches, engineOf, type Fleet, readPunches, startFleet } from './fleet.ts'
import { inFull, part, type Trial } from './trial.ts'

// The server is down while 200 terminals record 500 punches each. When it returns, all punches arrive, and no terminal
// waits much longer than another. The terminals belong to several companies, because each company has a rate limit.

const companies = 5
const terminalsEach = 40

export const run = async ({ seed, size, report, say }: Trial) => {
  const data = temporaryFolder()
  let stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const claimed = await claimForCompanies(address, { companies, count: part(terminalsEach, size) })
    const { serialNumbers } = claimed
    await stack.kill9()
    // All punches are in the terminals before the server returns.
    const started = startFleet({ address, data, seed, serialNumbers, punchesEach: 500 })
    fleet = started
    await wait(1000)
    stack = await startStack({ data, port: Number(new URL(address).port) })
    const returnedAt = started.now()
    while (started.waiting() > 0 && started.now() - returnedAt < 600_000) {
      await wait(50)
      say?.(`${started.acknowledged.size} of ${started.made.size} punches acknowledged`)
    }
    const seconds = serialNumbers.map(sn => ((started.finishedAt.get(sn) ?? started.now()) - returnedAt) / 1000)
    const stored = await readPunches(engineOf(data), ...claimed.companies)
    const counts = countPunches(stored, started)
    report('punches made', started.made.size, 'punches')
    report('lost', counts.lost, 'punches', { atMost: 0 })
    report('there twice', counts.doubled, 'punches', { atMost: 0 })
    report('never made', counts.foreign, 'punches', { atMost: 0 })
    report('until all was delivered', Math.max(...seconds), 's', { atMost: 120 })
    report(
      'slowest terminal / quickest',
      Math.max(...seconds) / Math.min(...seconds),
      'ratio',
      inFull(size, { atMost: 3 }),
    )
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
