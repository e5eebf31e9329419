import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { type Job, jobs, schedules } from '../shared/jobs.ts'
import { acknowledge, addFunction, type World } from './function.ts'

// What happens without somebody waiting: table → stream → facts on the bus → a queue for each job → the job.

const jobSeconds = 120
/** A run by the clock goes through all companies. */
const scheduleSeconds = 300
/** How many runs of one job go on at once, so that a busy hour of the jobs leaves room for those who wait for an answer. */
const mostAtOnce = 20
/** How often a message is tried before a person has to look at it. */
const tries = 5
/** The source every fact is put on the bus with. */
const source = 'attendance'

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Where it ends what could not be done: kept as long as a queue can keep it. */
const addDeadLetters = ({ stack }: World, id: string) =>
  new Queue(stack, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  })

export const addJobs = (world: World): void => {
  addChanges(world)
  for (const [name, job] of Object.entries(jobs)) addJob(world, name, job)
  for (const [name, { everyMinutes }] of Object.entries(schedules)) addSchedule(world, name, everyMinutes)
}

/** The stream is the outbox: a record is told until it was, but one that cannot be told holds up its neighbours for an hour at most. */
const addChanges = (world: World) => {
  const { stack, table } = world
  const changes = addFunction(world, 'changes', { timeoutSeconds: jobSeconds })
  const streamArn = table.tableStreamArn ?? ''
  changes.addToRolePolicy(
    new PolicyStatement({
      actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(action => `dynamodb:${action}`),
      resources: [streamArn],
    }),
  )
  const dead = addDeadLetters(world, 'ChangesDead')
  acknowledge(dead, 'It is the dead-letter queue of a stream, which the rule does not know.', 'SQS3')
  new EventSourceMapping(stack, 'ChangesStream', {
    target: changes,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    retryAttempts: 10,
    maxRecordAge: Duration.hours(1),
    onFailure: new SqsDlq(dead),
  })
}

const addJob = (world: World, name: string, { facts, batchSize }: Job) => {
  const { stack, bus } = world
  const run = addFunction(world, name, { timeoutSeconds: jobSeconds })
  const dead = addDeadLetters(world, `${upper(name)}Dead`)
  const queue = new Queue(stack, `${upper(name)}Queue`, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // A message that is being worked on must not come again meanwhile.
    visibilityTimeout: Duration.seconds(6 * jobSeconds),
    retentionPeriod: Duration.days(14),
    deadLetterQueue: { queue: dead, maxReceiveCount: tries },
  })
  new Rule(stack, `${upper(name)}Facts`, {
    eventBus: bus,
    eventPattern: { source: [source], detailType: [...facts] },
    targets: [new SqsQueue(queue, { deadLetterQueue: dead })],
  })
  run.addEventSource(
    new SqsEventSource(queue, {
      batchSize,
      // More than ten at once means waiting for them a moment.
      ...(batchSize > 10 && { maxBatchingWindow: Duration.seconds(1) }),
      reportBatchItemFailures: true,
      maxConcurrency: mostAtOnce,
    }),
  )
}

/** At the full hour and every so many minutes after it, as local days end. */
const addSchedule = (world: World, name: string, everyMinutes: number) => {
  new Rule(world.stack, `${upper(name)}Clock`, {
    schedule: Schedule.cron({ minute: `0/${everyMinutes}` }),
    targets: [new LambdaFunction(addFunction(world, name, { timeoutSeconds: scheduleSeconds }))],
  })
}
