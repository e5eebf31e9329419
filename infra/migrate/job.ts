import type { Context, ScheduledEvent } from 'aws-lambda'
import { log } from '../../functions/kit/log.ts'
import { directory, save } from '../../functions/kit/table.ts'
import { timeLimit } from '../../functions/kit/walk.ts'
import { allMigratedKey, newestMigration } from '../../shared/migration.ts'
import { migrations } from './all.ts'
import { migrateAll } from './run.ts'

/**
 * Runs pending migrations in the cloud. With nothing pending, a run reads one item. Once a day, a run checks every
 * company, because old code may have created one during the deployment.
 */
export const handler = async (
  { time }: Pick<ScheduledEvent, 'time'>,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const startedAt = Date.now()
  const day = time.slice(0, 10)
  const done = await directory().get(allMigratedKey)
  if (done?.number === newestMigration && done.day === day) return
  let steps = 0
  const sum = await migrateAll({
    migrations,
    isTimeUp: timeLimit(context),
    tell({ company, migration: { number, name }, after }) {
      steps++
      if (after === undefined) log({ job: 'migrate', company, number, name })
    },
  })
  if (sum.failed + sum.unfinished === 0) await save(directory().put(allMigratedKey, { number: newestMigration, day }))
  log({ job: 'migrate', ...sum, steps, ms: Date.now() - startedAt })
}
