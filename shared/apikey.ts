import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { at, type Declarations, done, gridInput, gridOutput, id, text, version } from './contract.ts'
import { type Permission, permissions } from './permissions.ts'
import { mostRoleDepartments } from './role.ts'
import type { Key } from './table.ts'

// API keys let programs call the paths. A company creates a key with permissions, departments and an expiry. A key is
// no person: it cannot call personal, sign-in or administrator paths.

export interface ApiKey {
  id: string
  name: string
  permissions: Permission[]
  /** Whether the key may call paths that change data. */
  canWrite: boolean
  /** The only departments that the key can reach. Absent means all departments. */
  departments?: string[]
  /** The first characters of the key, by which its holder recognises the key. */
  start: string
  hash: string
  createdBy: string
  createdAt: string
  endsAt: string
}

const audited: Audited<ApiKey> = {
  noun: 'apiKey',
  id: ({ id }) => id,
  name: ({ name }) => name,
}

export const apiKeyKey = (id: string): Key<ApiKey> => ({ pk: 'API_KEY', sk: id, audited })

export const apiKeyFacts = ({ company }: Change<ApiKey>) => [{ type: 'apiKey.changed' as const, company }]

/** Global, under the key's SHA-256: the key's company, its id, and its last use to the hour. */
export interface ApiKeyPointer {
  company: string
  id: string
  usedAt?: string
  expiresAt: number
}
export const apiKeyPointerKey = (hash: string): Key<ApiKeyPointer> => ({ pk: `API_KEY#${hash}`, sk: '-' })

/** The prefix that distinguishes an API key from a session token. */
export const apiKeyPrefix = 'attk_'

export const mostApiKeys = 20
/** Default and maximum lifetime of a key, in days. */
export const [usualKeyDays, mostKeyDays] = [365, 730]
/** Calls per minute for one key. */
export const callsPerMinute = 600

const permission = z.int().refine((number): number is Permission => number in permissions)

const form = {
  name: text(60),
  permissions: z.array(permission).min(1).max(20),
  canWrite: z.boolean().default(false).describe('whether the key can also call paths that change data'),
  departments: z
    .array(id)
    .min(1)
    .max(mostRoleDepartments)
    .optional()
    .describe('departments of the key, without sub-departments; all if omitted'),
}

export const apikeyPaths = {
  'apikey/grid': {
    does: "Lists the company's API keys in order of creation, including expired ones.",
    who: 'administrator',
    input: gridInput(z.strictObject({})),
    output: gridOutput(
      z.object({
        id,
        name: z.string(),
        permissions: z.array(z.int()),
        canWrite: z.boolean(),
        departments: z.array(id).optional().describe('existing departments of the key'),
        start: z.string().describe('first characters of the key'),
        createdAt: at,
        createdBy: z.string().describe('name of the creator'),
        isMakerGone: z
          .boolean()
          .describe('its creator is no longer an administrator; the key still works, and the creator may know it'),
        endsAt: at.describe('expiry'),
        usedAt: at.optional().describe('last use, to the hour'),
        version,
      }),
    ),
  },
  'apikey/add': {
    does: 'Creates an API key and returns it, only once.',
    who: 'administrator',
    writes: true,
    answersSecret: true,
    input: z.strictObject({ ...form, days: z.int().min(1).max(mostKeyDays).default(usualKeyDays) }),
    output: z.object({ id, key: z.string().describe('shown only once'), endsAt: at }),
  },
  'apikey/update': {
    does: 'Updates the permissions of an API key; they apply from its next call.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: z.object({ version }),
  },
  'apikey/delete': {
    does: 'Deletes an API key; it stops working at once.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
} as const satisfies Declarations
