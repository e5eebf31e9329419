import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { EventSourceMapping, type Function as Lambda, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs'
import { type Job, jobSeconds, jobs, scheduleSeconds, schedules, source } from '../shared/jobs.ts'
import { addAlarm } from './alarm.ts'
import { acknowledge } from './construct.ts'
import { addFunction, type World } from './function.ts'

// Background work: the table's stream becomes facts on the bus. The bus puts each fact into the queue of its job.

/** The most concurrent runs of a job. The limit leaves concurrency for users' requests. */
const mostAtOnce = 20
/** The tries of a message before SQS moves it to the dead-letter queue. */
const tries = 5
/** The visibility timeout: the longest run, plus time to collect and delete the batch. */
const hiddenSeconds = jobSeconds + 30
/** A fact that stays unpublished for this long raises an alarm. */
const lateMinutes = 15

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Adds a queue with encryption at rest and in transit. */
const addQueue = ({ stack, passing }: World, id: string, props: QueueProps = {}) =>
  new Queue(stack, id, {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: passing,
    // With hourly reuse, SQS calls KMS once per hour instead of every five minutes.
    dataKeyReuse: Duration.hours(1),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...props,
  })

/** A dead-letter queue with an alarm. The queue keeps messages for 14 days, the maximum of SQS. */
const addDeadLetters = (world: World, id: string) => {
  const dead = addQueue(world, id)
  const waiting = dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: Duration.minutes(5) })
  const alarmDescription = 'Messages failed repeatedly: fix the cause and move them back to their queue'
  addAlarm(world, `${id}Alarm`, { alarmDescription, metric: waiting, threshold: 0 })
  return dead
}

/** The jobs, for metrics and alarms. */
export interface Jobs {
  changes: Lambda
  queues: Record<string, { run: Lambda; queue: Queue; dead: Queue }>
  clocks: Record<string, Lambda>
}

export const addJobs = (world: World): Jobs => ({
  changes: addChanges(world),
  queues: Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, addJob(world, name, job)])),
  clocks: Object.fromEntries(
    Object.entries(schedules).map(([name, { everyMinutes }]) => [name, addSchedule(world, name, everyMinutes)]),
  ),
})

/**
 * The stream is the outbox: Lambda retries a record until the bus accepts it. A dead letter holds only a position in
 * the stream. So Lambda writes the dead letter an hour before the stream drops the record.
 */
const addChanges = (world: World) => {
  const { stack, table, passing } = world
  const changes = addFunction(world, 'changes', { timeoutSeconds: jobSeconds })
  const streamArn = table.tableStreamArn ?? ''
  changes.addToRolePolicy(
    new PolicyStatement({
      actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(action => `dynamodb:${action}`),
      resources: [streamArn],
    }),
  )
  const dead = addDeadLetters(world, 'ChangesDead')
  changes.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [dead.queueArn] }))
  changes.addToRolePolicy(
    new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [passing.keyArn] }),
  )
  acknowledge(dead, 'It is itself the dead-letter queue of a stream, which the rule does not detect.', 'SQS3')
  new EventSourceMapping(stack, 'ChangesStream', {
    target: changes,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // Lambda retries a record until it reaches this age, without a limit of attempts.
    maxRecordAge: Duration.hours(23),
    onFailure: { bind: () => ({ destination: dead.queueArn }) },
  })
  const age = changes.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(5) })
  const alarmDescription = 'The stream is not processed in time: it drops changes after a day'
  const threshold = Duration.minutes(lateMinutes).toMilliseconds()
  addAlarm(world, 'ChangesLateAlarm', { alarmDescription, metric: age, threshold })
  return changes
}

const addJob = (world: World, name: string, { facts, batchSize, atOnce = mostAtOnce }: Job) => {
  const { stack, bus } = world
  const run = addFunction(world, name, { timeoutSeconds: jobSeconds })
  const dead = addDeadLetters(world, `${upper(name)}Dead`)
  const queue = addQueue(world, `${upper(name)}Queue`, {
    // The timeout is longer than a run, so SQS does not deliver a running message again. A failed message returns only
    // after the timeout, and the employee's hours stay wrong until then. AWS advises six times the run for throttled
    // functions. Lambda never throttles our jobs, because a queue delivers no more messages than may run at once.
    visibilityTimeout: Duration.seconds(hiddenSeconds),
    deadLetterQueue: { queue: dead, maxReceiveCount: tries },
  })
  new Rule(stack, `${upper(name)}Facts`, {
    eventBus: bus,
    eventPattern: { source: [source], detailType: [...facts] },
    // Fair queueing by company: a company that imports ten thousand rows delays only itself.
    targets: [new SqsQueue(queue, { deadLetterQueue: dead, messageGroupId: '$.detail.company' })],
  })
  run.addEventSource(
    new SqsEventSource(queue, {
      batchSize,
      // SQS requires a batching window for batches above ten.
      ...(batchSize > 10 && { maxBatchingWindow: Duration.seconds(1) }),
      reportBatchItemFailures: true,
      maxConcurrency: atOnce,
    }),
  )
  return { run, queue, dead }
}

/** The schedule runs at the full hour and at the given interval after it, because local days end then. */
const addSchedule = (world: World, name: string, everyMinutes: number) => {
  const run = addFunction(world, name, { timeoutSeconds: scheduleSeconds })
  new Rule(world.stack, `${upper(name)}Clock`, {
    schedule: Schedule.cron({ minute: everyMinutes === 60 ? '0' : `0/${everyMinutes}` }),
    targets: [new LambdaFunction(run)],
  })
  return run
}
