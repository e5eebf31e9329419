import { forget } from '../functions/erasure/retention.ts'
import { job, type Told, tryFacts } from '../functions/kit/job.ts'
import { openTable } from '../functions/kit/table.ts'
import type { LeaverDue } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'

// Deletes data of former employees after the retention period.

export const handler = job('forget', jobs.forget.facts, (told: Told<LeaverDue>[]) =>
  tryFacts('forget', 1, told, ({ company, employee }) => forget(openTable(company), company, employee, Date.now())),
)
