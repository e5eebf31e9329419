import * as z from 'zod'
import { mostKeyDays, usualKeyDays } from './api-key.ts'
import { at, type Declarations, done, gridInput, gridOutput, id, text, version } from './contract.ts'
import { type Permission, permissions } from './permissions.ts'
import { mostRoleDepartments } from './role.ts'

// The paths by which keys are looked after; what a key is stands in `api-key.ts`, which every function holds.

const permission = z.int().refine((number): number is Permission => number in permissions)

const form = {
  name: text(60),
  permissions: z.array(permission).min(1).max(20),
  canWrite: z.boolean().default(false).describe('without it only what changes nothing may be called'),
  departments: z
    .array(id)
    .min(1)
    .max(mostRoleDepartments)
    .optional()
    .describe('the only ones it reaches, without those below them; all where it is left out'),
}

export const apikeyPaths = {
  'apikey/grid': {
    does: 'Lists the API keys of the company, in the order they were made, also those that have ended.',
    who: 'administrator',
    input: gridInput(z.strictObject({})),
    output: gridOutput(
      z.object({
        id,
        name: z.string(),
        permissions: z.array(z.int()),
        canWrite: z.boolean(),
        departments: z.array(id).optional().describe('those that are there of the only ones it reaches'),
        start: z.string().describe('how the key begins'),
        createdAt: at,
        createdBy: z.string().describe('by name'),
        endsAt: at.describe('from then on it opens nothing'),
        usedAt: at.optional().describe('when it was last used, to the hour'),
        version,
      }),
    ),
  },
  'apikey/add': {
    does: 'Makes an API key, and tells it this once.',
    who: 'administrator',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ ...form, days: z.int().min(1).max(mostKeyDays).default(usualKeyDays) }),
    output: z.object({ id, key: z.string().describe('shown this once'), endsAt: at }),
  },
  'apikey/update': {
    does: 'Changes what an API key may do; it counts from its next call on.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: z.object({ version }),
  },
  'apikey/delete': {
    does: 'Deletes an API key: it opens nothing any more.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
