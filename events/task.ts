import { job } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { carryOut, type Kinds } from '../functions/kit/task.ts'
import { jobs } from '../shared/jobs.ts'

// Long work, by the path that began it.

const kinds: Kinds = {}

export const handler = job('task', jobs.task.facts, async told => {
  const failed: string[] = []
  for (const { fact, message } of told)
    try {
      await carryOut(kinds, fact)
    } catch (error) {
      failed.push(message)
      log({ job: 'task', fact, fault: error instanceof Error ? error.stack : String(error) })
    }
  return failed
})
