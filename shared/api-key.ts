import type { Audited } from './change.ts'
import type { Permission } from './permissions.ts'
import type { Key } from './table.ts'

// What programs call the paths with: a key a company made, with permissions, departments and an end. It is nobody: what is a person's
// own, what somebody signs in with and what is the administrators' opens to no key.

export interface ApiKey {
  id: string
  name: string
  permissions: Permission[]
  /** Whether it may change anything. */
  canWrite: boolean
  /** The only ones it reaches; all of them where there are none named. */
  departments?: string[]
  /** By which its holder knows it again. */
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
  untold: ['createdAt', 'createdBy', 'hash'],
}

export const apiKeyKey = (id: string): Key<ApiKey> => ({ pk: 'API_KEY', sk: id, audited })

/** Global, by SHA-256: whose key it is, and when it was last used, to the hour. */
export interface ApiKeyPointer {
  company: string
  id: string
  usedAt?: string
  expiresAt: number
}
export const apiKeyPointerKey = (hash: string): Key<ApiKeyPointer> => ({ pk: `API_KEY#${hash}`, sk: '-' })

/** What tells a key from the token of a sign-in. */
export const apiKeyPrefix = 'attk_'

export const mostApiKeys = 20
/** How long a key lasts unless it is said otherwise, and at most. */
export const [usualKeyDays, mostKeyDays] = [365, 730]
/** What one key may call in a minute. */
export const callsPerMinute = 600
