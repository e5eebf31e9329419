import { CfnOutput } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { World } from './function.ts'

// Alarms for the operator of a stage.

/** The topic of all alarms; the operator of the stage subscribes to it. */
export const addAlarms = ({ stack, passing }: Pick<World, 'stack' | 'passing'>): Topic => {
  const alarms = new Topic(stack, 'Alarms', { enforceSSL: true, masterKey: passing })
  const conditions = { StringEquals: { 'aws:SourceAccount': stack.account } }
  for (const service of ['cloudwatch', 'budgets'])
    alarms.grantPublish(new ServicePrincipal(`${service}.amazonaws.com`, { conditions }))
  new CfnOutput(stack, 'AlarmTopic', { value: alarms.topicArn })
  return alarms
}

/** Fires as soon as the metric exceeds the threshold. An idle stage has no data, so missing data raises no alarm. */
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

/** Notifies at 80 % of the actual and 100 % of the forecast monthly cost. AWS budgets count the whole account. */
export const addBudget = ({ stack, alarms }: World, monthlyDollars: number): void => {
  const notify = (notificationType: string, threshold: number): CfnBudget.NotificationWithSubscribersProperty => ({
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
    notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
  })
  // Creating a budget checks that it may publish to the topic.
  budget.node.addDependency(alarms)
}
