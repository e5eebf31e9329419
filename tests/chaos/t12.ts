import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { noFaults } from '../../infra/local/terminal/fault.ts'
import { type ProfileName, profiles } from '../../infra/local/terminal/profile.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimTerminals, countPunches, engineOf, type Fleet, readPunches, startFleet } from './fleet.ts'
import type { Trial } from './trial.ts'

// Terminals that send a picture with every punch, larger than the managed websocket takes in one frame (32 KB) and in one message
// (128 KB). They are told not to, and what they held comes in without.

const pictures = [60, 200]
const firmwares: ProfileName[] = ['v24', 'new']

export const run = async ({ seed, report }: Trial) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const kinds = pictures.flatMap(photoKilobytes => firmwares.map(name => ({ photoKilobytes, name })))
    const { owner, serialNumbers } = await claimTerminals(stack.address, { count: kinds.length })
    const sending = startFleet({
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
    fleet = sending
    const lost = async () => countPunches(await readPunches(engineOf(data), owner.company), sending).lost
    while (((await lost()) > 0 || sending.waiting() > 0) && sending.now() < 120_000) await wait(200)
    report('lost', await lost(), 'punches', { atMost: 0 })
    for (const [i, { photoKilobytes, name }] of kinds.entries())
      report(
        `${name}, ${photoKilobytes} KB: connections lost`,
        sending.losses.get(serialNumbers[i] ?? '') ?? 0,
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
