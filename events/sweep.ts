import type { Context, ScheduledEvent } from 'aws-lambda'
import { isLookDue, lookOver, sweepTasks } from '../functions/day/sweep.ts'
import { log } from '../functions/kit/log.ts'
import { openTable, save } from '../functions/kit/table.ts'
import { companiesBehind, timeLimit, walk } from '../functions/kit/walk.ts'
import { companyKey } from '../shared/company.ts'
import { sweepKey, sweepPlaceKey } from '../shared/sweep.ts'

// Every hour, looks for writes whose results were lost on the way. The stream is fast, and the sweep makes the results
// certain.

const companiesAtOnce = 4

const sweepCompany = async (company: string, now: number): Promise<{ tasks: number; rows: number }> => {
  const table = openTable(company)
  const { told, isCalculating } = await sweepTasks(table, company, now)
  const sweep = await table.get(sweepKey())
  // Skip the days of a running task, because the task reports them itself.
  const settings = !isCalculating && isLookDue(company, sweep, now) ? await table.get(companyKey()) : undefined
  if (!settings) return { tasks: told, rows: 0 }
  const found = await lookOver(table, settings, sweep, now)
  await save(table.put(sweepKey(), found.sweep))
  return { tasks: told, rows: found.rows }
}

/** Runs every hour. The next walk checks failed companies again, because nothing else records them. */
export const handler = async (
  { time }: Pick<ScheduledEvent, 'time'>,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const startedAt = Date.now()
  const found = { tasks: 0, rows: 0 }
  const sum = await walk(
    {
      ...{ job: 'sweep', atOnce: companiesAtOnce, stopKey: sweepPlaceKey },
      ...{ items: companiesBehind, isTimeUp: timeLimit(context) },
    },
    async ({ company }) => {
      const { tasks, rows } = await sweepCompany(company, Date.parse(time))
      found.tasks += tasks
      found.rows += rows
    },
  )
  log({ job: 'sweep', ...sum, ...found, ms: Date.now() - startedAt })
}
