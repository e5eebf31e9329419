import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern } from 'aws-cdk-lib/aws-logs'
import { alarmNames } from '../shared/alarm.ts'
import { tableSchema } from '../shared/table.ts'
import type { World } from './function.ts'
import type { Jobs } from './jobs.ts'

// The metrics of a stage, for the alarms and the dashboard.

const period = Duration.minutes(5)
const sum = 'Sum'
/** The alarm ignores the failure share of this many deliveries or fewer. */
const fewDeliveries = 20

export interface Figures {
  calls: IMetric
  refusals: IMetric
  faults: IMetric
  latency: IMetric
  sockets: IMetric
  messages: IMetric
  socketFaults: IMetric
  throttles: IMetric
  running: IMetric
  read: IMetric
  written: IMetric
  tableThrottles: IMetric
  age: IMetric
  waiting: IMetric[]
  dead: IMetric[]
  sent: IMetric
  refused: IMetric
  held: IMetric
  unreadable: IMetric
  failed: IMetric
  /** The share of refused deliveries, from 0 to 1. */
  refusedShare: IMetric
  bounces: IMetric
  complaints: IMetric
}

/** The table and each of its indexes have separate metrics. */
const throttlesOf = ({ table }: World): IMetric => {
  const places = [{}, ...Object.keys(tableSchema.indexes).map(index => ({ GlobalSecondaryIndexName: index }))]
  const usingMetrics = Object.fromEntries(
    places.flatMap((place, n) =>
      ['Read', 'Write'].map(way => [
        `${way.toLowerCase()}${n}`,
        new Metric({
          ...{ namespace: 'AWS/DynamoDB', metricName: `${way}ThrottleEvents`, statistic: sum, period },
          dimensionsMap: { TableName: table.tableName, ...place },
        }),
      ]),
    ),
  )
  return new MathExpression({ expression: 'SUM(METRICS())', usingMetrics, period, label: 'throttled by the table' })
}

/** A metric from the log lines of the delivery job: the number of sent or refused webhooks. */
const deliveriesOf = ({ stack }: World, { queues }: Jobs, count: 'sent' | 'refused'): IMetric => {
  const filter = queues.deliver?.run.logGroup.addMetricFilter(`Deliveries-${count}`, {
    filterPattern: FilterPattern.numberValue(`$.message.${count}`, '>', 0),
    metricNamespace: stack.stackName,
    metricName: count,
    metricValue: `$.message.${count}`,
  })
  if (!filter) throw new Error('The job deliver is missing')
  return filter.metric({ statistic: sum, period, label: count })
}

/** Counts the log lines that name an alarm, over some functions. */
const alarmsOf = ({ stack }: World, runs: (Lambda | undefined)[], label: keyof typeof alarmNames): IMetric => {
  const [first] = runs.map(run =>
    run?.logGroup.addMetricFilter('Alarms', {
      filterPattern: FilterPattern.stringValue('$.message.alarm', '=', alarmNames[label]),
      metricNamespace: stack.stackName,
      metricName: label,
    }),
  )
  // All filters feed the same metric.
  if (!first) throw new Error(`No function logs the alarm ${label}`)
  return first.metric({ statistic: sum, period, label })
}

const mailed = (rate: string) =>
  new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${rate}Rate`, statistic: 'Maximum', period, label: rate })

export const addFigures = (world: World, jobs: Jobs): Figures => {
  const { api, socket, table } = world
  const { changes, queues, clocks } = jobs
  const waits = Object.entries(queues)
  const [sent, refused] = [deliveriesOf(world, jobs, 'sent'), deliveriesOf(world, jobs, 'refused')]
  const socketMetric = (metricName: string) => socket.api.metric(metricName, { statistic: sum, period })
  return {
    calls: api.metricCount({ statistic: sum, period, label: 'calls' }),
    refusals: api.metricClientError({ statistic: sum, period, label: '4xx' }),
    faults: api.metricServerError({ statistic: sum, period, label: '5xx' }),
    latency: api.metricLatency({ statistic: 'p95', period, label: 'p95' }),
    sockets: socketMetric('ConnectCount'),
    messages: socketMetric('MessageCount'),
    socketFaults: socketMetric('IntegrationError'),
    throttles: Lambda.metricAllThrottles({ period, label: 'throttled' }),
    running: Lambda.metricAllConcurrentExecutions({ period, label: 'concurrent' }),
    read: table.metricConsumedReadCapacityUnits({ period, label: 'read units' }),
    written: table.metricConsumedWriteCapacityUnits({ period, label: 'write units' }),
    tableThrottles: throttlesOf(world),
    age: changes.metric('IteratorAge', { statistic: 'Maximum', period, label: 'age of the stream, ms' }),
    waiting: waits.map(([name, { queue }]) => queue.metricApproximateNumberOfMessagesVisible({ period, label: name })),
    dead: waits.map(([name, { dead }]) => dead.metricApproximateNumberOfMessagesVisible({ period, label: name })),
    sent,
    refused,
    held: alarmsOf(world, [queues.notify?.run], 'held'),
    unreadable: alarmsOf(world, [changes], 'unreadable'),
    failed: alarmsOf(world, Object.values(clocks), 'failed'),
    refusedShare: new MathExpression({
      expression: `IF(sent > ${fewDeliveries}, refused / sent, 0)`,
      usingMetrics: { sent, refused },
      period: Duration.minutes(15),
    }),
    bounces: mailed('Bounce'),
    complaints: mailed('Complaint'),
  }
}
