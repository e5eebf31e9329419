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

// What happens without somebody waiting: table → stream → facts on the bus → a queue for each job → the job.

/** How many runs of one job go on at once, so that a busy hour of the jobs leaves room for those who wait for an answer. */
const mostAtOnce = 20
/** How often a message is tried before a person has to look at it. */
const tries = 5
/** From a message's receipt until it comes again: the longest run, and a little for collecting the batch and taking it off. */
const hiddenSeconds = jobSeconds + 30
/** How long a fact may go untold before a person has to look at it. */
const untoldMinutes = 15

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** A queue whose messages nobody reads on their way, and none comes by in the clear. */
const addQueue = ({ stack, passing }: World, id: string, props: QueueProps = {}) =>
  new Queue(stack, id, {
    encryption: QueueEncryption.KMS,
    encryptionMasterKey: passing,
    // The key is asked for once an hour instead of once in five minutes.
    dataKeyReuse: Duration.hours(1),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...props,
  })

/** Where it ends what could not be done: kept as long as a queue can keep it. */
const addDeadLetters = (world: World, id: string) => {
  const dead = addQueue(world, id)
  const waiting = dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: Duration.minutes(5) })
  const alarmDescription = 'Something could not be done: mend it, and move it back to its queue'
  addAlarm(world, `${id}Alarm`, { alarmDescription, metric: waiting, threshold: 0 })
  return dead
}

/** What the jobs are, for whoever watches them. */
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
 * The stream is the outbox: a record is told until it was, however often the bus refuses it and however long. A dead letter
 * only says where in the stream a record lies, so it is written an hour before the stream forgets the record.
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
  acknowledge(dead, 'It is the dead-letter queue of a stream, which the rule does not know.', 'SQS3')
  new EventSourceMapping(stack, 'ChangesStream', {
    target: changes,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    // Its age alone ends it: as many attempts as fit.
    maxRecordAge: Duration.hours(23),
    onFailure: { bind: () => ({ destination: dead.queueArn }) },
  })
  const age = changes.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(5) })
  const alarmDescription = 'Facts are not told: the stream forgets them a day after they were written'
  const threshold = Duration.minutes(untoldMinutes).toMilliseconds()
  addAlarm(world, 'ChangesLateAlarm', { alarmDescription, metric: age, threshold })
  return changes
}

const addJob = (world: World, name: string, { facts, batchSize, atOnce = mostAtOnce }: Job) => {
  const { stack, bus } = world
  const run = addFunction(world, name, { timeoutSeconds: jobSeconds })
  const dead = addDeadLetters(world, `${upper(name)}Dead`)
  const queue = addQueue(world, `${upper(name)}Queue`, {
    // A message that is being worked on must not come again meanwhile; one that failed comes again only after this time, and
    // an employee's hours stand wrong for so long. Six times a run is advised for functions that may be held back, so that
    // their messages do not age unread; ours are not, for the queue hands out no more than may run at once.
    visibilityTimeout: Duration.seconds(hiddenSeconds),
    deadLetterQueue: { queue: dead, maxReceiveCount: tries },
  })
  new Rule(stack, `${upper(name)}Facts`, {
    eventBus: bus,
    eventPattern: { source: [source], detailType: [...facts] },
    // The queue hands out the messages of who has few of them first: a company that imports ten thousand holds up itself.
    targets: [new SqsQueue(queue, { deadLetterQueue: dead, messageGroupId: '$.detail.company' })],
  })
  run.addEventSource(
    new SqsEventSource(queue, {
      batchSize,
      // More than ten at once means waiting for them a moment.
      ...(batchSize > 10 && { maxBatchingWindow: Duration.seconds(1) }),
      reportBatchItemFailures: true,
      maxConcurrency: atOnce,
    }),
  )
  return { run, queue, dead }
}

/** At the full hour and every so many minutes after it, as local days end. */
const addSchedule = (world: World, name: string, everyMinutes: number) => {
  const run = addFunction(world, name, { timeoutSeconds: scheduleSeconds })
  new Rule(world.stack, `${upper(name)}Clock`, {
    schedule: Schedule.cron({ minute: everyMinutes === 60 ? '0' : `0/${everyMinutes}` }),
    targets: [new LambdaFunction(run)],
  })
  return run
}
