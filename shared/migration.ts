import type { Key } from './table.ts'

// Which data migrations of `infra/migrate` have changed a company's stored items.

/** The number of the last migration. A new company starts with it, because its items already have the newest form. */
export const newestMigration = 2

export interface Migrated {
  /** The last finished migration. A company without this item has had none. */
  number: number
  /** How far the next migration has come: its last finished step. */
  after?: string
}

export const migrationKey = (): Key<Migrated> => ({ pk: 'MIGRATION', sk: '-' })

/** Global: on this day the job last found that every company had had this migration. */
export const allMigratedKey: Key<{ number: number; day: string }> = { pk: 'ALL_MIGRATED', sk: '-' }
