import type { ScheduledEvent } from 'aws-lambda'
import { log } from '../functions/kit/log.ts'
import { isLookDue, lookOver, sweepTasks } from '../functions/kit/sweep.ts'
import { directory, openTable, save } from '../functions/kit/table.ts'
import { companyKey, zoneKey, zonesKey } from '../shared/company.ts'
import { sweepKey, sweepPlaceKey } from '../shared/sweep.ts'

// The stream is quick; this is the guarantee: by the hour it is looked for what was lost on the way from a write to its figures.

/** A run ends itself in good time before the cloud would end it, and the next goes on behind it. */
const mostMilliseconds = 200_000

/** Those of a place where the last run had no more time, and behind it; all of them where it had. */
async function* companiesBehind({ zone: first, company: after } = { zone: '', company: '' }) {
  const zones = await directory().all<{ zone: string }>({ pk: zonesKey('').pk, from: first })
  for (const { zone } of zones)
    for await (const { company } of directory().each<{ company: string }>({
      pk: zoneKey(zone, '').pk,
      ...(zone === first && { after }),
    }))
      yield { zone, company }
}

const sweepCompany = async (company: string, now: number): Promise<{ tasks: number; rows: number }> => {
  const table = openTable(company)
  const { told, isCalculating } = await sweepTasks(table, company, now)
  const sweep = await table.get(sweepKey())
  // What a task is just calculating is not lost, and is told as the task's.
  const settings = !isCalculating && isLookDue(company, sweep, now) ? await table.get(companyKey()) : undefined
  if (!settings) return { tasks: told, rows: 0 }
  const found = await lookOver(table, settings, sweep, now)
  await save(table.put(sweepKey(), found.sweep))
  return { tasks: told, rows: found.rows }
}

export const handler = async ({ time }: Pick<ScheduledEvent, 'time'>): Promise<void> => {
  const startedAt = Date.now()
  const sum = { companies: 0, tasks: 0, rows: 0 }
  let place: { zone: string; company: string } | undefined
  const behind = await directory().get(sweepPlaceKey)
  for await (const next of companiesBehind(behind)) {
    try {
      const { tasks, rows } = await sweepCompany(next.company, Date.parse(time))
      sum.companies++
      sum.tasks += tasks
      sum.rows += rows
    } catch (error) {
      // One company that cannot be looked over does not stop the others.
      const fault = error instanceof Error ? error.stack : String(error)
      log({ job: 'sweep', company: next.company, fault })
    }
    if (Date.now() - startedAt < mostMilliseconds) continue
    place = next
    break
  }
  if (place) await save(directory().put(sweepPlaceKey, place))
  else if (behind) await save(directory().remove(sweepPlaceKey))
  log({ job: 'sweep', ...sum, ms: Date.now() - startedAt })
}
