import type { Context, ScheduledEvent } from 'aws-lambda'
import { log } from '../functions/kit/log.ts'
import { timeLimit } from '../functions/kit/walk.ts'
import { mailAllDue } from '../functions/report/mail.ts'

// Scheduled reports: each due report becomes a task for each recipient.

export const handler = async (
  { time }: Pick<ScheduledEvent, 'time'>,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const until = new Date(Date.parse(time)).toISOString()
  log({ job: 'mail', until, ...(await mailAllDue(until, timeLimit(context))) })
}
