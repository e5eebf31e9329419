import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../kit/stack.ts'
import { type Delivered, deliver, usualManners } from './delivery.ts'
import { type PlantedFault, plant, plantedFaults } from './plant.ts'
import { part, type Trial } from './trial.ts'

// The trials tried: in a copy of the product with a fault planted into it, terminals deliver as in T2, and each of the faults must
// come to light. The table fails too, for one of them shows nowhere else.

export const run = async ({ seed, size, report }: Trial) => {
  for (const fault of Object.keys(plantedFaults) as PlantedFault[]) {
    const { broken, doubled, lost, made, seconds } = await deliverFrom(fault, { seed, size })
    // What was given up early had more to deliver: only of pages nobody acknowledges is a loss one.
    const found = fault === 'lost-last-page' ? lost : broken + doubled
    report(`${fault}: lost or doubled of ${made}`, found, 'punches', { atLeast: 1 })
    report(`${fault}: found after`, seconds, 's')
  }
}

/** As they usually are, but none over HTTP: most of what is planted is in the way of the others, and kills are to meet them. */
const mannersOf = (i: number) => usualManners(i % 10 === 1 ? 2 : i)

/** As T2, until something is found. */
const deliverFrom = async (fault: PlantedFault, { seed, size }: Pick<Trial, 'seed' | 'size'>): Promise<Delivered> => {
  const folder = temporaryFolder()
  try {
    return await deliver({
      seed,
      terminals: part(100, size),
      punchesEach: 200,
      mannersOf,
      // What dies with an acknowledgement on its way is seen by kills.
      ...(fault === 'ack-before-store' && { aliveMilliseconds: 500, kills: 5, mostKills: 5 }),
      // Pages hold 50 records, so the last page of these is always a short one.
      ...(fault === 'lost-last-page' && { punchesEach: 230 }),
      // What fails is seen by a table that does: each frame is one question to it, so there are many small ones. Nothing else
      // fails, for whoever registers anew is asked for everything, which heals it.
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
