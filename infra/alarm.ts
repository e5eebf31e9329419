import { CfnOutput, Duration } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { Figures } from './figure.ts'
import type { World } from './function.ts'
import type { Jobs } from './jobs.ts'

// What has to be looked at by whoever runs a stage.

/** Where alarms are heard; who runs the stage subscribes to it. */
export const addAlarms = ({ stack, passing }: Pick<World, 'stack' | 'passing'>): Topic => {
  const alarms = new Topic(stack, 'Alarms', { enforceSSL: true, masterKey: passing })
  const conditions = { StringEquals: { 'aws:SourceAccount': stack.account } }
  for (const service of ['cloudwatch', 'budgets'])
    alarms.grantPublish(new ServicePrincipal(`${service}.amazonaws.com`, { conditions }))
  new CfnOutput(stack, 'AlarmTopic', { value: alarms.topicArn })
  return alarms
}

/** Speaks as soon as the metric is over the mark. What nobody uses counts nothing, and that is well. */
export const addAlarm = (
  { stack, alarms }: World,
  id: string,
  props: Pick<AlarmProps, 'alarmDescription' | 'metric' | 'threshold'>,
): void => {
  new Alarm(stack, id, {
    ...props,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(new SnsAction(alarms))
}

/** The service calls a function twice more where a call by the clock failed, and then gives it up. */
const callsByTheClock = 3

/** All but the dead letters and the age of the stream, which are heard of where they are made. */
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

/** Speaks when the month costs, or will cost, more than was said. It counts the whole account, for so do budgets. */
export const addBudget = ({ stack, alarms }: World, monthlyDollars: number): void => {
  const spoken = (notificationType: string, threshold: number): CfnBudget.NotificationWithSubscribersProperty => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'SNS', address: alarms.topicArn }],
  })
  const budget = new CfnBudget(stack, 'Budget', {
    budget: {
      budgetName: stack.stackName,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyDollars, unit: 'USD' },
    },
    notificationsWithSubscribers: [spoken('ACTUAL', 80), spoken('FORECASTED', 100)],
  })
  // It tries whether it may speak.
  budget.node.addDependency(alarms)
}
