import { atOnce, tryEach } from '../../functions/kit/each.ts'
import { saves } from '../../functions/kit/table/change.ts'
import { openTable, type Table } from '../../functions/kit/table.ts'
import { companiesBehind } from '../../functions/kit/walk.ts'
import { type Migrated, migrationKey } from '../../shared/migration.ts'

// Brings the stored items of every company to the form that the code expects.

export interface Migration {
  number: number
  /** The name of its file, after the number. */
  name: string
  /**
   * Runs the step after `after`. Returns the name of that step, or undefined if no step is left. A step may run twice,
   * late, or while other code writes. So a step recomputes values and never increments stored ones. A step takes at
   * most half a minute.
   */
  run(table: Table, after: string | undefined): Promise<string | undefined>
}

/** A finished step; the migration is finished if `after` is missing. */
export interface Step {
  company: string
  migration: Migration
  after?: string
}

export interface Run {
  migrations: readonly Migration[]
  isTimeUp(): boolean
  tell(step: Step): void
}

const companiesAtOnce = 4
const readAtOnce = 32
const portionSize = 1024

const isPending = ({ number }: Migrated, migrations: readonly Migration[]) =>
  migrations.some(migration => migration.number > number)
const none: Migrated = { number: 0 }

/** The companies with a pending migration. An unreadable company counts as pending, so that its failure is logged. */
const readPending = async (migrations: readonly Migration[]): Promise<string[]> => {
  // A company that changes its zone meanwhile may be listed twice.
  const pending = new Set<string>()
  const look = async (companies: string[]) => {
    const found = await atOnce(readAtOnce, companies, company =>
      openTable(company)
        .get(migrationKey())
        .catch(() => none),
    )
    for (const [i, company] of companies.entries()) if (isPending(found[i] ?? none, migrations)) pending.add(company)
  }
  let portion: string[] = []
  for await (const { company } of companiesBehind(undefined)) {
    portion.push(company)
    if (portion.length < portionSize) continue
    await look(portion)
    portion = []
  }
  await look(portion)
  return [...pending]
}

/** Runs the pending migrations of a company from where the last run ended. Returns whether all of them are finished. */
const migrate = async (company: string, { migrations, isTimeUp, tell }: Run): Promise<boolean> => {
  const table = openTable(company)
  let item = await table.get(migrationKey())
  for (const migration of migrations) {
    while (migration.number > (item?.number ?? 0)) {
      if (isTimeUp()) return false
      const before = item?.number ?? 0
      const after = await migration.run(table, item?.after)
      const next: Migrated = after === undefined ? { number: migration.number } : { number: before, after }
      const version: number = item?.version ?? 0
      const write = item ? table.replace(migrationKey(), { ...next, version }) : table.insert(migrationKey(), next)
      // Another run is migrating this company.
      if (!(await saves(write))) return false
      item = { ...next, version: version + 1 }
      tell({ company, migration, ...(after !== undefined && { after }) })
    }
  }
  return true
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map(item => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

/**
 * Migrates every company. Logs a failure with an alarm and continues with the next company. The order is random, so
 * that a slow company does not always delay the others. Returns how many companies were pending, and how many still
 * are.
 */
export const migrateAll = async (run: Run): Promise<{ pending: number; failed: number; unfinished: number }> => {
  const pending = await readPending(run.migrations)
  let unfinished = 0
  const nameOf = (company: string) => ({ company })
  const trying = { job: 'migrate', atOnce: companiesAtOnce, nameOf, raisesAlarm: true } as const
  const failed = await tryEach(trying, shuffled(pending), async company => {
    if (!(await migrate(company, run))) unfinished++
  })
  return { pending: pending.length, failed: failed.length, unfinished }
}
