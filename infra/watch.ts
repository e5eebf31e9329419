import { Duration } from 'aws-cdk-lib'
import type { AlarmProps } from 'aws-cdk-lib/aws-cloudwatch'
import { addAlarm } from './alarm.ts'
import type { Figures } from './figure.ts'
import type { World } from './function.ts'
import type { Jobs } from './jobs.ts'

/** Lambda retries a failed scheduled call twice and then gives it up. */
const callsByTheClock = 3

/** Adds all alarms except those of dead letters and of the stream, which are added with their resources. */
export const watch = (world: World, { clocks }: Jobs, figures: Figures): void => {
  const alarm = (id: string, alarmDescription: string, metric: AlarmProps['metric'], threshold: number) =>
    addAlarm(world, `${id}Alarm`, { alarmDescription, metric, threshold })
  alarm('Faults', 'Paths answer with 500: their functions’ logs say why', figures.faults, 5)
  alarm('SocketFaults', 'Messages of terminals and browsers fail: see the log of the socket', figures.socketFaults, 5)
  for (const [name, run] of Object.entries(clocks)) {
    const metric = run.metricErrors({ period: Duration.minutes(15) })
    alarm(`Clock-${name}`, `What runs by the clock was given up: see the log of ${name}`, metric, callsByTheClock - 1)
  }
  alarm('Throttles', 'The account lets no more functions run at once: raise its concurrency', figures.throttles, 10)
  alarm('TableThrottles', 'The table refuses: a key is too hot, or growth too sudden', figures.tableThrottles, 10)
  alarm('Deliveries', 'More than half of what is told to webhooks is not taken', figures.refusedShare, 0.5)
  alarm('Held', 'A terminal sends records that cannot be filed: its company was told', figures.held, 0)
  alarm('Unreadable', 'A change of the table could not be read, and was told to nobody', figures.unreadable, 0)
  alarm('Failed', 'A company or a terminal failed in a job by the clock: the job’s log names it', figures.failed, 0)
  alarm('Bounces', 'Mail comes back: SES stops a sender at 10 %', figures.bounces, 0.05)
  alarm('Complaints', 'Mail is called unwanted: SES stops a sender at 0.5 %', figures.complaints, 0.001)
}
