import { CfnOutput } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { World } from './function.ts'

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
