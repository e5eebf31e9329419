import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { client } from '../client.ts'
import { startStack, temporaryFolder } from '../stack.ts'
import { claimTerminals, countPunches, engineOf, type Fleet, readItems, readPunches, startFleet } from './fleet.ts'
import { part, type Trial } from './trial.ts'

// One of 10,000 punches says a time that no clock shows. It holds up none of the others, lies where a person sees it, and the
// terminal is free of it.

export const run = async ({ seed, size, report }: Trial) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const { owner, serialNumbers } = await claimTerminals(stack.address, { count: 20 })
    const each = part(500, size)
    const { address } = stack
    const sending = startFleet({ address, data, seed, serialNumbers, punchesEach: each })
    fleet = sending
    const [first] = sending.terminals
    first?.punch([{ enrollid: 7, time: '2026-02-30 25:61:00', mode: 3, inout: 0, event: 0 }])
    while (sending.waiting() > 0 && sending.now() < 300_000) await wait(50)
    const seconds = sending.now() / 1000
    const found = countPunches(await readPunches(engineOf(data), owner.company), sending)
    report('punches stored', found.stored, 'punches', { atLeast: sending.made.size })
    report('lost', found.lost, 'punches', { atMost: 0 })
    report('until all was acknowledged', seconds, 's', { atMost: 60 })
    const held = await client(address).call('device/quarantine', {}, owner)
    report('shown to the company', held.list.length, 'records', { atLeast: 1, atMost: 1 })
    report('held in quarantine', (await readItems(engineOf(data), owner.company, 'QUARANTINE')).length, 'records', {
      atLeast: 1,
      atMost: 1,
    })
    report('dead letters', stack.said().split('DEAD LETTER').length - 1, 'letters', { atMost: 0 })
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
