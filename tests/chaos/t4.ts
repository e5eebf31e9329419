import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimForCompanies, countPunches, engineOf, type Fleet, readPunches, startFleet } from './fleet.ts'
import { inFull, part, type Trial } from './trial.ts'

// The server is down while 200 terminals go on punching, 500 times each; when it is there again all of that comes in, and no
// terminal waits much longer than another. They are of several companies: what one of them may send in a minute is another matter.

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
    // They have no other time than this to punch: the log of a time without a server is all theirs.
    const kept = startFleet({ address, data, seed, serialNumbers, punchesEach: 500 })
    fleet = kept
    await wait(1000)
    stack = await startStack({ data, port: Number(new URL(address).port) })
    const returnedAt = kept.now()
    while (kept.waiting() > 0 && kept.now() - returnedAt < 600_000) {
      await wait(50)
      say?.(`${kept.acknowledged.size} of ${kept.made.size} punches acknowledged`)
    }
    const seconds = serialNumbers.map(sn => ((kept.finishedAt.get(sn) ?? kept.now()) - returnedAt) / 1000)
    const stored = await readPunches(engineOf(data), ...claimed.companies)
    const found = countPunches(stored, kept)
    report('punches made', kept.made.size, 'punches')
    report('lost', found.lost, 'punches', { atMost: 0 })
    report('there twice', found.doubled, 'punches', { atMost: 0 })
    report('never made', found.foreign, 'punches', { atMost: 0 })
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
