import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../kit/stack.ts'
import { type Delivered, deliver, usualManners } from './delivery.ts'
import { type PlantedFault, plant, plantedFaults } from './plant.ts'
import { part, type Trial } from './trial.ts'

// Tests the trials. Terminals deliver as in T2, to a copy of the product with a planted fault. The trial must find each
// fault. One fault appears only if the table fails too.

export const run = async ({ seed, size, report }: Trial) => {
  for (const fault of Object.keys(plantedFaults) as PlantedFault[]) {
    const { broken, doubled, lost, made, seconds } = await deliverFrom(fault, { seed, size })
    // A trial that stops early has undelivered punches, so `lost` alone proves no fault. Only pages have no
    // acknowledgement, so for pages `lost` counts.
    const found = fault === 'lost-last-page' ? lost : broken + doubled
    report(`${fault}: lost or doubled of ${made}`, found, 'punches', { atLeast: 1 })
    report(`${fault}: found after`, seconds, 's')
  }
}

/**
 * The usual terminals, but no HTTP terminals. Most faults are in the code of the websocket protocol, and kills must hit
 * that code.
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
      // Only a failing table shows this fault. Each frame is one table request, so there are many small frames. Only
      // requests for punches fail, because other failures could cause a new registration. Then the server would request
      // all records and heal the loss.
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
