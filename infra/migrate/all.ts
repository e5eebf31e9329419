import { resummarise } from './0001-resummarise.ts'
import { correctionDays } from './0002-correction-days.ts'
import type { Migration } from './run.ts'

/** Every migration, by number. Never change a released migration, because an old table still needs it. */
export const migrations: readonly Migration[] = [resummarise, correctionDays]
