import { job, type Told } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { forget } from '../functions/kit/retention.ts'
import { openTable } from '../functions/kit/table.ts'
import type { LeaverDue } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'

// What may be kept no longer of who has left is removed.

export const handler = job('forget', jobs.forget.facts, async (told: Told<LeaverDue>[]) => {
  const failed: string[] = []
  for (const { fact, message } of told)
    try {
      await forget(openTable(fact.company), fact.company, fact.employee, Date.now())
    } catch (error) {
      failed.push(message)
      log({ job: 'forget', fact, fault: error instanceof Error ? error.stack : String(error) })
    }
  return failed
})
