import * as z from 'zod'
import type { Change } from './change.ts'
import { at, type Declarations, day, gridInput, gridOutput, id, nothing } from './contract.ts'
import type { Key } from './table.ts'

/** A number that punched and belongs to nobody: held until somebody gets the number, shown to the managers until then. */
export interface Orphan {
  workno: string
  serialNumber: string
  lastAt: string
}

export const orphanKey = (workno: string): Key<Orphan> => ({ pk: 'ORPHAN', sk: workno })

export const orphanFacts = ({ company }: Change<Orphan>) => [{ type: 'orphan.changed' as const, company }]

export const recordPaths = {
  'record/grid': {
    does: 'Lists punches of the employees one may manage, the newest first.',
    who: [9],
    input: gridInput(z.strictObject({ from: day, to: day, department: id.optional(), employee: id.optional() })),
    output: gridOutput(
      z.object({
        employee: id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        /** The date the terminal's clock showed. */
        day,
        at,
        timezone: z.string(),
        /** Serial number of the terminal. */
        device: z.string(),
        /** What its company calls it, while it has it. */
        deviceName: z.string().optional(),
        /** What the calculation made of it: in, out, break, repeat, outside the punch period, … */
        use: z.string(),
      }),
    ),
  },
  'record/orphan/grid': {
    does: 'Lists the numbers that punched at a terminal and belong to no employee.',
    who: [9],
    input: nothing,
    output: z.object({
      list: z.array(z.object({ workno: z.string(), serialNumber: z.string(), lastAt: at })),
    }),
  },
} as const satisfies Declarations
