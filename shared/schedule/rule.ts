import * as z from 'zod'
import { type Declarations, done, nothing, version } from '../contract.ts'

// The company's rule for planning: whether the board writes to a draft, which a manager then publishes.

const form = {
  draftsSchedule: z
    .boolean()
    .describe('whether the board writes to a draft until a manager publishes it; other changes always apply at once'),
}

export const companySchedulePaths = {
  'company/schedule': {
    does: 'Returns whether the planning board writes to a draft.',
    who: 'administrator',
    input: nothing,
    output: z.object({ ...form, version }),
  },
  'company/schedule/update': {
    does: 'Sets whether the planning board writes to a draft. Existing drafts stay until a manager publishes or discards them.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, ...form }),
    output: done,
  },
} as const satisfies Declarations
