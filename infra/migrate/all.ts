import { resummarise } from './0001-resummarise.ts'
import type { Migration } from './run.ts'

/** Every migration, by its number. Released migrations stay as they are: an old table still needs them. */
export const migrations: readonly Migration[] = [resummarise]
