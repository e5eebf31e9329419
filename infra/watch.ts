import { Duration } from 'aws-cdk-lib'
import type { AlarmProps } from 'aws-cdk-lib/aws-cloudwatch'
import { addAlarm } from './alarm.ts'
import type { Figures } from './figure.ts'
import type { World } from './function.ts'
import type { Jobs } from './jobs.ts'

/** The tries of a scheduled call: Lambda retries a failed call twice. */
const triesOfSchedule = 3

/** Adds the alarms of a stage. Dead-letter queues and the stream add their alarms with their resources. */
export const watch = (world: World, { clocks }: Jobs, figures: Figures): void => {
  const alarm = (id: string, alarmDescription: string, metric: AlarmProps['metric'], threshold: number) =>
    addAlarm(world, `${id}Alarm`, { alarmDescription, metric, threshold })
  alarm('Faults', 'Paths answer with 500: see the logs of their functions', figures.faults, 5)
  alarm(
    'SocketFaults',
    'Messages of terminals and browsers fail: see the log of the socket function',
    figures.socketFaults,
    5,
  )
  for (const [name, run] of Object.entries(clocks)) {
    const metric = run.metricErrors({ period: Duration.minutes(15) })
    alarm(`Clock-${name}`, `A scheduled job failed repeatedly: see the log of ${name}`, metric, triesOfSchedule - 1)
  }
  alarm('Throttles', 'Functions are throttled: raise the concurrency limit of the account', figures.throttles, 10)
  alarm(
    'TableThrottles',
    'The table throttles requests: a hot key, or a sudden increase of traffic',
    figures.tableThrottles,
    10,
  )
  alarm('Deliveries', 'More than half of the webhook deliveries fail', figures.refusedShare, 0.5)
  alarm('Held', 'A terminal sends unreadable records: its company got a notice', figures.held, 0)
  alarm('Unreadable', 'A change of the table could not be read and was not processed', figures.unreadable, 0)
  alarm('Failed', 'A scheduled job failed for a company or a terminal: see its log', figures.failed, 0)
  alarm('Bounces', 'E-mails bounce: SES suspends a sender at 10 %', figures.bounces, 0.05)
  alarm('Complaints', 'E-mails are reported as spam: SES suspends a sender at 0.5 %', figures.complaints, 0.001)
}
