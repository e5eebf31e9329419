import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { noFaults } from '../../infra/local/terminal/fault.ts'
import { type ProfileName, profiles } from '../../infra/local/terminal/profile.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimTerminals, countPunches, engineOf, type Fleet, readPunches, startFleet } from './fleet.ts'
import type { Trial } from './trial.ts'

// Terminals send a picture with each punch. The pictures exceed a frame (32 KB) or a message (128 KB) of the managed
// websocket. The server tells the terminals to send no pictures. Then the held punches arrive.

const pictures = [60, 200]
const firmwares: ProfileName[] = ['v24', 'new']

export const run = async ({ seed, report }: Trial) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const kinds = pictures.flatMap(photoKilobytes => firmwares.map(name => ({ photoKilobytes, name })))
    const { owner, serialNumbers } = await claimTerminals(stack.address, { count: kinds.length })
    const started = startFleet({
      address: stack.address,
      data,
      seed,
      serialNumbers,
      punchesEach: 5,
      mannersOf: i => ({
        profile: profiles[kinds[i]?.name ?? 'new'],
        faults: { ...noFaults, photoKilobytes: kinds[i]?.photoKilobytes ?? 0 },
      }),
    })
    fleet = started
    const countLost = async () => countPunches(await readPunches(engineOf(data), owner.company), started).lost
    while (((await countLost()) > 0 || started.waiting() > 0) && started.now() < 120_000) await wait(200)
    report('lost', await countLost(), 'punches', { atMost: 0 })
    for (const [i, { photoKilobytes, name }] of kinds.entries())
      report(
        `${name}, ${photoKilobytes} KB: connections lost`,
        started.losses.get(serialNumbers[i] ?? '') ?? 0,
        'times',
        {
          atMost: 2,
        },
      )
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
