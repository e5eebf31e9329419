import * as z from 'zod'
import { type Declarations, nothing } from './contract.ts'

export const timezonePaths = {
  'timezone/list': {
    does: "Lists time zones with their names in the caller's language and their current offsets, from west to east.",
    who: 'manager',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          id: z.string().describe('IANA'),
          name: z.string(),
          offsetMinutes: z.int().describe('ahead of UTC'),
        }),
      ),
    }),
  },
} as const satisfies Declarations
