import * as z from 'zod'
import { type Declarations, nothing } from './contract.ts'

export const timezonePaths = {
  'timezone/list': {
    does: 'Lists the time zones with what they are called in the language of the caller and the offset they have now, from west to east.',
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
