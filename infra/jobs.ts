import { CfnOutput, Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { type Job, jobSeconds, jobs, scheduleSeconds, schedules, source } from '../shared/jobs.ts'
import { acknowledge, addFunction, type World } from './function.ts'

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

/** Where it ends what could not be done: kept as long as a queue can keep it. */
const addDeadLetters = ({ stack, alarms }: JobWorld, id: string) => {
  const dead = new Queue(stack, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  })
  const waiting = dead.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: Duration.minutes(5) })
  addAlarm(alarms, `${id}Alarm`, 'Something could not be done: mend it, and move it back to its queue', waiting, 0)
  return dead
}

/** Speaks as soon as the metric is over the mark. A queue nobody uses counts nothing, and that is well. */
const addAlarm = (alarms: Topic, id: string, alarmDescription: string, metric: Metric, threshold: number) =>
  new Alarm(alarms.stack, id, {
    alarmDescription,
    metric,
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(new SnsAction(alarms))

/** Where alarms are heard; who runs the stage subscribes to it. */
const addAlarms = ({ stack }: World) => {
  const alarms = new Topic(stack, 'Alarms', { enforceSSL: true })
  const conditions = { StringEquals: { 'aws:SourceAccount': stack.account } }
  alarms.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }))
  new CfnOutput(stack, 'AlarmTopic', { value: alarms.topicArn })
  return alarms
}

interface JobWorld extends World {
  alarms: Topic
}

export const addJobs = (given: World): void => {
  const world = { ...given, alarms: addAlarms(given) }
  addChanges(world)
  for (const [name, job] of Object.entries(jobs)) addJob(world, name, job)
  for (const [name, { everyMinutes }] of Object.entries(schedules)) addSchedule(world, name, everyMinutes)
}

/**
 * The stream is the outbox: a record is told until it was, however often the bus refuses it and however long. A dead letter
 * only says where in the stream a record lies, so it is written an hour before the stream forgets the record.
 */
const addChanges = (world: JobWorld) => {
  const { stack, table, alarms } = world
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
    // Its age alone ends it: as many attempts as fit.
    maxRecordAge: Duration.hours(23),
    onFailure: new SqsDlq(dead),
  })
  const age = changes.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(5) })
  const late = 'Facts are not told: the stream forgets them a day after they were written'
  addAlarm(alarms, 'ChangesLateAlarm', late, age, Duration.minutes(untoldMinutes).toMilliseconds())
}

const addJob = (world: JobWorld, name: string, { facts, batchSize, atOnce = mostAtOnce }: Job) => {
  const { stack, bus } = world
  const run = addFunction(world, name, { timeoutSeconds: jobSeconds })
  const dead = addDeadLetters(world, `${upper(name)}Dead`)
  const queue = new Queue(stack, `${upper(name)}Queue`, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // A message that is being worked on must not come again meanwhile; one that failed comes again only after this time, and
    // an employee's hours stand wrong for so long. Six times a run is advised for functions that may be held back, so that
    // their messages do not age unread; ours are not, for the queue hands out no more than may run at once.
    visibilityTimeout: Duration.seconds(hiddenSeconds),
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
      maxConcurrency: atOnce,
    }),
  )
}

/** At the full hour and every so many minutes after it, as local days end. */
const addSchedule = (world: World, name: string, everyMinutes: number) => {
  new Rule(world.stack, `${upper(name)}Clock`, {
    schedule: Schedule.cron({ minute: everyMinutes === 60 ? '0' : `0/${everyMinutes}` }),
    targets: [new LambdaFunction(addFunction(world, name, { timeoutSeconds: scheduleSeconds }))],
  })
}
