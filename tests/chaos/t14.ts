import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../kit/stack.ts'
import { type Delivered, deliver, usualManners } from './delivery.ts'
import { type PlantedFault, plant, plantedFaults } from './plant.ts'
import { part, type Trial } from './trial.ts'

// Tests the trials: terminals deliver as in T2 to a copy with a planted fault, and each fault must be found. One fault
// appears only when the table fails too.

export const run = async ({ seed, size, report }: Trial) => {
  for (const fault of Object.keys(plantedFaults) as PlantedFault[]) {
    const { broken, doubled, lost, made, seconds } = await deliverFrom(fault, { seed, size })
    // A trial that stopped early has undelivered punches, so a loss counts only for pages, which get no
    // acknowledgement.
    const found = fault === 'lost-last-page' ? lost : broken + doubled
    report(`${fault}: lost or doubled of ${made}`, found, 'punches', { atLeast: 1 })
    report(`${fault}: found after`, seconds, 's')
  }
}

/**
 * The usual terminals, but none over HTTP. Most faults are in the code of the other protocol, and kills must hit it.
 */
const mannersOf = (i: number) => usualManners(i % 10 === 1 ? 2 : i)

/** Runs T2 until it finds a fault. */
const deliverFrom = async (fault: PlantedFault, { seed, size }: Pick<Trial, 'seed' | 'size'>): Promise<Delivered> => {
  const folder = temporaryFolder()
  try {
    return await deliver({
      seed,
      terminals: part(100, size),
      punchesEach: 200,
      mannersOf,
      // Kills show punches that are lost after their acknowledgement.
      ...(fault === 'ack-before-store' && { aliveMilliseconds: 500, kills: 5, mostKills: 5 }),
      // Pages hold 50 records, so the last page of 230 is always short.
      ...(fault === 'lost-last-page' && { punchesEach: 230 }),
      // A failing table shows this fault. Each frame is one table request, so the frames are many and small. Nothing
      // else fails, because a new registration requests all records and would heal the loss.
      ...(fault === 'ack-on-error' && {
        storage: { throttled: 0.8, unanswered: 0, of: '#PUNCH#' },
        mannersOf: (i: number) => ({ ...mannersOf(i), entriesPerFrame: 5 }),
      }),
      main: plant(fault, join(folder, 'copy')),
      until: ({ broken, doubled, lost }) => broken + doubled > 0 || (fault === 'lost-last-page' && lost > 0),
      mostSeconds: 300,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
