import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloud } from '../../infra/app.ts'
import { directoryKeys } from '../../infra/function.ts'
import { api, groups } from '../../shared/api.ts'
import type { Declarations } from '../../shared/contract.ts'
import { addressHeader, secretHeader } from '../../shared/distribution.ts'
import { passing, unfinished } from '../../shared/file.ts'
import { contentSecurityPolicy, securityHeaders } from '../../shared/headers.ts'
import { type Job, jobSeconds, jobs, scheduleSeconds, schedules, source } from '../../shared/jobs.ts'
import { openapi } from '../../shared/openapi.ts'
import { tableSchema } from '../../shared/table.ts'
import { type Deployment, functionsOf, nameIn, prepare, resourcesOf, rightsOf } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await prepare()
})
afterAll(() => deployment?.remove())

const functions = () => functionsOf(deployment.app, deployment.bundles)
const functionNamed = (name: string) => {
  const deployed = functions().get(name)
  if (!deployed) throw new Error(`No function ${name}`)
  return deployed
}
const rightsOfFunction = (name: string) => rightsOf(deployment.app, functionNamed(name).properties.Role)
const actionsOf = (name: string) =>
  rightsOfFunction(name).flatMap(({ effect, actions }) => (effect === 'Allow' ? actions : []))

describe('paths', () => {
  /** The function behind each route, by route key. */
  const routes = () => {
    const integrations = deployment.app.findResources('AWS::ApiGatewayV2::Integration')
    const names = new Map([...functions()].map(([name, { id }]) => [id, name]))
    return resourcesOf(deployment.app, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
      const integration = integrations[Properties.Target['Fn::Join'][1][1].Ref]?.Properties
      const uri = JSON.stringify(integration.IntegrationUri)
      const id = [...names.keys()].find(id => uri.includes(`"${id}"`)) ?? ''
      return { key: String(Properties.RouteKey), name: names.get(id), integration }
    })
  }

  test('every group of paths has one route to its own function', () => {
    const apiRoutes = routes().filter(({ key }) => key.startsWith('POST /api/'))
    expect(apiRoutes.map(({ key, name }) => `${key} → ${name}`).sort()).toEqual(
      Object.keys(groups)
        .map(group => `POST /api/${group}/{path+} → ${group}`)
        .sort(),
    )
    // A path of one word would have no route.
    for (const path of Object.keys(api)) expect(path).toMatch(/^[^/]+\/./)
    for (const { integration } of apiRoutes)
      expect(integration).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' })
  })

  test('every path has one route and one function that declares it', () => {
    /** Whether a wildcard route matches a path, as in API Gateway. */
    const matches = (key: string, path: string) => key === `POST /api/${path.split('/')[0]}/{path+}`
    for (const path of Object.keys(api)) {
      const matching = routes().filter(({ key }) => key === `POST /api/${path}` || matches(key, path))
      expect(matching, path).toHaveLength(1)
      const [{ name } = { name: '' }] = matching
      expect(Object.keys(groups[name as keyof typeof groups]), path).toContain(path)
    }
  })

  test('the only other routes are the API description, unknown paths, HTTP terminals and the socket', () => {
    expect(
      routes()
        .filter(({ key }) => !key.startsWith('POST /api/'))
        .map(({ key, name }) => `${key} → ${name}`)
        .sort(),
    ).toEqual([
      '$connect → socket',
      '$default → auth',
      '$default → socket',
      '$disconnect → socket',
      'GET /api/calendar.ics → calendar',
      'GET /api/docs → docs',
      'GET /api/openapi.json → docs',
      'GET /iclock/{path+} → iclock',
      'POST /iclock/{path+} → iclock',
    ])
  })

  test('a function has one permission for all its routes', () => {
    const permissions = resourcesOf(deployment.app, 'AWS::Lambda::Permission').map(([, { Properties }]) =>
      nameIn(Properties.FunctionName),
    )
    for (const group of Object.keys(groups))
      expect(
        permissions.filter(id => id === functionNamed(group).id),
        group,
      ).toHaveLength(1)
  })

  test('the stack stays far below its limit of 500 resources', () => {
    // The feed of shifts has its own function: calendar apps then cannot use up the concurrency of terminals, and the
    // public API description needs no right to read the table.
    expect(Object.keys(deployment.app.toJSON().Resources).length).toBeLessThan(460)
  })
})

describe('functions', () => {
  test('the template contains a function for each bundle, and no other function of ours', () => {
    expect([...functions().keys()].sort()).toEqual(Object.keys(deployment.bundles).sort())
  })

  test('each runs on Node 24 on arm64, times out before its caller, and keeps its log for 90 days', () => {
    const logs = deployment.app.findResources('AWS::Logs::LogGroup')
    for (const [name, { properties }] of functions()) {
      expect(properties, name).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      })
      expect(logs[nameIn(properties.LoggingConfig.LogGroup)]?.Properties.RetentionInDays, name).toBe(90)
      if (name in groups || name === 'socket' || name === 'iclock') expect(properties.Timeout, name).toBe(29)
    }
  })

  test('each is traced', () => {
    for (const [name, { properties }] of functions()) {
      expect(properties.TracingConfig, name).toEqual({ Mode: 'Active' })
      expect(actionsOf(name), name).toContain('xray:PutTraceSegments')
    }
  })

  test('terminals, the stream and sign-in have reserved concurrency, and reports have a limit', () => {
    const reserved = [...functions()].flatMap(([name, { properties }]) =>
      properties.ReservedConcurrentExecutions ? [[name, properties.ReservedConcurrentExecutions] as const] : [],
    )
    expect(Object.fromEntries(reserved)).toEqual({ socket: 200, iclock: 100, changes: 50, user: 50, report: 100 })
    // All jobs together leave at least 30 % of the unreserved concurrency to the paths.
    const most = Object.values<Job>(jobs).reduce((sum, { atOnce = 20 }) => sum + atOnce, 0)
    expect(most).toBeLessThanOrEqual((1000 - reserved.reduce((sum, [, count]) => sum + count, 0)) * 0.7)
  })

  test('functions that hash passwords get a whole core', () => {
    for (const name of ['user', 'personal', 'sheet']) expect(functionNamed(name).properties.MemorySize, name).toBe(1769)
    expect(functionNamed('shift').properties.MemorySize).toBe(512)
  })
})

describe('rights', () => {
  /** Whether a statement is about the key of the stored data, not the key of data in transit. */
  const isKept = (resources: unknown[]) => JSON.stringify(resources).includes('Fn::ImportValue')

  test('no right is a wildcard or for all resources, and no function may scan', () => {
    for (const name of functions().keys())
      for (const { effect, actions, resources } of rightsOfFunction(name)) {
        if (effect === 'Deny') continue
        expect(actions.join(' '), name).not.toMatch(/\*|scan/i)
        // Only the rights for traces cannot name a resource.
        if (resources.includes('*'))
          expect(actions.sort(), name).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'])
      }
  })

  /** The key patterns for an action of a function, from the condition of its rights. */
  const keysOf = (name: string, action: string): string[] =>
    rightsOfFunction(name)
      .filter(({ effect, actions, resources }) => {
        const onIndex = JSON.stringify(resources).includes('/index/')
        return effect === 'Allow' && actions.includes(`dynamodb:${action}`) && !onIndex
      })
      .flatMap(({ condition }) => {
        const { Null, 'ForAllValues:StringLike': like } = condition as Record<string, Record<string, string[] | string>>
        // Without the `Null` condition, the role would allow a request without keys.
        expect(Null, name).toEqual({ 'dynamodb:LeadingKeys': 'false' })
        return like?.['dynamodb:LeadingKeys'] ?? []
      })

  test('a function may access only the global items that its code names, such as accounts and codes', () => {
    const whoMay = (action: string, key: string) =>
      [...functions().keys()].filter(name => keysOf(name, action).includes(key)).sort()
    expect(whoMay('GetItem', 'ACCOUNT#*')).toEqual(
      ['auth', 'company', 'employee', 'perform', 'personal', 'role', 'sheet', 'user'].sort(),
    )
    expect(whoMay('PutItem', 'CODE#*')).toEqual(['user'])
    expect(whoMay('Query', 'CLOSE')).toEqual(['close'])
    expect(whoMay('PutItem', 'ALL_MIGRATED')).toEqual(['migrate'])
    expect(keysOf('migrate', 'PutItem')).toEqual(['C#*#*', 'ALL_MIGRATED', 'SECRET#cursor', 'ZONE', 'ZONE#*'])
    expect(keysOf('department', 'PutItem')).toEqual(['C#*#*', 'API_KEY#*', 'RATE#*', 'SECRET#cursor', 'SESSION#*'])
    expect(keysOf('recalculate', 'PutItem')).toEqual(['C#*#*', 'SECRET#cursor'])
    // A kind of item that no function reads should be removed.
    for (const key of directoryKeys) expect(whoMay('GetItem', key.endsWith('#') ? `${key}*` : key), key).not.toEqual([])
  })

  test('a read-only group may not write items of companies', () => {
    const reads = Object.entries<Declarations>(groups).filter(([, paths]) =>
      Object.values(paths).every(({ writes }) => !writes),
    )
    expect(reads.map(([name]) => name)).toEqual(expect.arrayContaining(['audit', 'dashboard', 'location', 'timezone']))
    for (const [name] of reads) {
      expect(keysOf(name, 'GetItem'), name).toContain('C#*#*')
      for (const action of ['PutItem', 'UpdateItem', 'DeleteItem'])
        expect(keysOf(name, action), name).not.toContain('C#*#*')
    }
  })

  test('only functions whose code names an index may query it', () => {
    const asks = (index: string) =>
      [...functions().keys()].filter(name => JSON.stringify(rightsOfFunction(name)).includes(`/index/${index}`))
    expect(asks('byDay')).toEqual(expect.arrayContaining(['report', 'summarize']))
    expect(asks('byNumber')).toEqual(expect.arrayContaining(['employee', 'user']))
    for (const index of Object.keys(tableSchema.indexes)) expect(asks(index)).not.toContain('department')
  })

  test('a path has the table rights that the kit needs', () => {
    const onTable = rightsOfFunction('department').filter(({ actions }) => actions[0]?.startsWith('dynamodb:'))
    expect(onTable).toEqual([
      {
        effect: 'Allow',
        actions: ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
          action => `dynamodb:${action}`,
        ),
        resources: [{ 'Fn::ImportValue': expect.stringContaining('Table') }],
        condition: expect.anything(),
      },
      expect.objectContaining({ effect: 'Deny' }),
    ])
  })

  test('no function may change or delete an audit entry of any company', () => {
    for (const name of functions().keys()) {
      const denied = rightsOfFunction(name).filter(({ effect }) => effect === 'Deny')
      expect(denied, name).toEqual(
        actionsOf(name).includes('dynamodb:DeleteItem')
          ? [
              {
                effect: 'Deny',
                actions: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
                resources: [{ 'Fn::ImportValue': expect.stringContaining('Table') }],
                condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['C#*#AUDIT', 'C#*#AUDIT_LINES'] } },
              },
            ]
          : [],
      )
    }
  })

  test('only functions whose code uses mail, facts, sockets, the stream or the table get rights for them', () => {
    const mayDo = (action: string) => [...functions().keys()].filter(name => actionsOf(name).includes(action))
    expect(mayDo('ses:SendEmail')).toContain('user')
    expect(mayDo('events:PutEvents')).toEqual(expect.arrayContaining(['changes', 'close']))
    expect(mayDo('execute-api:ManageConnections')).toEqual(expect.arrayContaining(['refresh', 'socket']))
    expect(mayDo('dynamodb:GetRecords')).toEqual(['changes'])
    expect(mayDo('s3:PutObject')).toEqual(expect.arrayContaining(['company', 'employee', 'sheet']))
    // Functions that store credentials create a data key per person. All other functions only decrypt.
    const makesKeys = ({ actions, resources, condition }: ReturnType<typeof rightsOfFunction>[number]) =>
      actions.includes('kms:GenerateDataKey') && condition === undefined && isKept(resources)
    expect([...functions().keys()].filter(name => rightsOfFunction(name).some(makesKeys)).sort()).toEqual(
      // The functions that receive a finger from a terminal or continue an enrolment.
      ['command', 'employee', 'iclock', 'poll', 'socket'],
    )
    expect(actionsOf('shift').filter(action => /^(ses|events|execute-api|s3|sqs):/.test(action))).toEqual([])
    expect(actionsOf('docs').filter(action => !/^(logs|xray):/.test(action))).toEqual([])
  })

  test('only the deliver function sends webhooks, and it has no rights to mail, events, sockets or files', () => {
    const sends = Object.entries(deployment.bundles).filter(([, { holds }]) =>
      holds.includes('functions/webhooks/send.ts'),
    )
    expect(sends.map(([name]) => name)).toEqual(['deliver'])
    expect(actionsOf('deliver').filter(action => /^(ses|events|execute-api|s3):/.test(action))).toEqual([])
  })

  test('functions that seal no secrets may use the key only through the table', () => {
    for (const name of ['recalculate', 'refresh'])
      for (const { actions, resources, condition } of rightsOfFunction(name))
        if (actions.some(action => action.startsWith('kms:')) && isKept(resources))
          expect(condition, name).toMatchObject({ StringEquals: { 'kms:ViaService': expect.anything() } })
  })

  test('a function has the variables of exactly the resources it may use', () => {
    const needs: Record<string, string> = {
      TABLE: 'dynamodb:GetItem',
      BUS: 'events:PutEvents',
      FILES: 's3:PutObject',
      MAIL_FROM: 'ses:SendEmail',
      SOCKET_ENDPOINT: 'execute-api:ManageConnections',
    }
    for (const [name, { properties }] of functions())
      for (const [variable, action] of Object.entries(needs))
        expect(variable in properties.Environment.Variables, `${variable} of ${name}`).toBe(
          actionsOf(name).includes(action),
        )
  })

  test('cdk-nag finds no error in the AWS Solutions rules', () => {
    const { violations } = new AwsSolutionsChecks().validateScope(deployment.cdk)
    expect(
      violations
        .filter(({ severity }) => severity === 'error')
        .map(({ ruleName, violatingResources }) => [
          ruleName,
          ...violatingResources.map(resource => resource.constructPath),
        ]),
    ).toEqual([])
  })
})

describe('stored data', () => {
  test('the table has the keys, indexes, expiry and stream of shared/table.ts', () => {
    const keys = (partitionKey: string, sortKey: string) => [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ]
    deployment.data.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: keys(tableSchema.partitionKey, tableSchema.sortKey),
      GlobalSecondaryIndexes: Object.entries(tableSchema.indexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: keys(partitionKey, sortKey),
        Projection: { ProjectionType: 'ALL' },
      })),
      TimeToLiveSpecification: { AttributeName: tableSchema.expiry, Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      BillingMode: 'PAY_PER_REQUEST',
    })
  })

  test('the table and its key stay after the deletion of their stack, and the table has point-in-time recovery', () => {
    deployment.data.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
      },
    })
    deployment.data.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    })
  })

  test('files are private, encrypted, TLS-only and stay after the deletion of their stack, except for uploads', () => {
    deployment.data.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        CorsConfiguration: {
          CorsRules: [{ AllowedMethods: ['POST'], AllowedOrigins: ['https://*.cloudfront.net'] }],
        },
        LifecycleConfiguration: {
          Rules: [
            ...Object.entries({ Unfinished: unfinished, Passing: passing }).map(([Id, { tag, value }]) => ({
              ...{ Id, Status: 'Enabled', ExpirationInDays: 1 },
              TagFilters: [{ Key: tag, Value: value }],
            })),
          ],
        },
      },
    })
    deployment.data.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({
            Effect: 'Deny',
            Action: 's3:*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ],
      },
    })
  })

  test('the app stack contains only resources that a deployment can recreate', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::Events::EventBus']) deployment.app.resourceCountIs(type, 0)
    // The key of the app stack encrypts only data in transit.
    deployment.app.resourceCountIs('AWS::KMS::Key', 1)
  })
})

describe('data in transit', () => {
  const passing = () => {
    const [[id, { Properties }] = ['', { Properties: undefined }]] = resourcesOf(deployment.app, 'AWS::KMS::Key')
    return { id, arn: { 'Fn::GetAtt': [id, 'Arn'] }, policy: Properties.KeyPolicy, properties: Properties }
  }

  test('queues, alarms and the secret are encrypted with a separate, rotating key', () => {
    const { arn, properties } = passing()
    expect(properties.EnableKeyRotation).toBe(true)
    for (const [id, { Properties }] of resourcesOf(deployment.app, 'AWS::SQS::Queue'))
      expect(Properties.KmsMasterKeyId, id).toEqual(arn)
    deployment.app.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: arn })
    deployment.app.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: arn })
  })

  test('the bus, alarms, budgets, the stream’s reader and the jobs may use the key', () => {
    const { arn, policy } = passing()
    const services = policy.Statement.filter(({ Action }: { Action: string[] }) => Action.includes('kms:Decrypt'))
      .flatMap(({ Principal }: { Principal: { Service?: string } }) => Principal.Service ?? [])
      .sort()
    expect(services).toEqual(['budgets', 'cloudwatch', 'events'].map(name => `${name}.amazonaws.com`))
    const mayUse = (name: string, action: string) =>
      rightsOfFunction(name).some(
        ({ actions, resources }) => actions.includes(action) && JSON.stringify(resources) === JSON.stringify([arn]),
      )
    expect(mayUse('changes', 'kms:GenerateDataKey')).toBe(true)
    for (const name of Object.keys(jobs)) expect(mayUse(name, 'kms:Decrypt'), name).toBe(true)
  })

  test('each company’s facts are a separate message group, so that no company waits for another', () => {
    const targets = resourcesOf(deployment.app, 'AWS::Events::Rule')
      .filter(([, { Properties }]) => Properties.EventPattern)
      .flatMap(([, { Properties }]) => Properties.Targets)
    expect(targets).toHaveLength(Object.keys(jobs).length)
    for (const { SqsParameters } of targets) expect(SqsParameters).toEqual({ MessageGroupId: '$.detail.company' })
  })
})

/** The alarms with their metrics. The template puts a labelled metric in another place. */
const alarms = () =>
  resourcesOf(deployment.app, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => {
    const [first, ...others] = Properties.Metrics ?? []
    const { Metric, Stat } = (others.length === 0 && first?.MetricStat) || {}
    return { ...Properties, ...(Metric && { ...Metric, Statistic: Stat }) }
  })
const alarmOn = (metric: string, dimension: string, value: object) =>
  alarms().find(
    ({ MetricName, Dimensions = [] }) =>
      MetricName === metric &&
      Dimensions.some(
        ({ Name, Value }: { Name: string; Value: object }) =>
          Name === dimension && JSON.stringify(Value) === JSON.stringify(value),
      ),
  )

describe('jobs', () => {
  test('the function retries each record of the stream until shortly before the stream drops the record', () => {
    deployment.app.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: { Ref: functionNamed('changes').id },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: Match.absent(),
      MaximumRecordAgeInSeconds: 23 * 3600,
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ChangesDead'), 'Arn'] } },
      },
    })
  })

  test.each(Object.entries(jobs) as [string, Job][])(
    '%s gets its facts through a queue with dead letters',
    (name, job) => {
      const { id, properties } = functionNamed(name)
      const [, mapping] =
        resourcesOf(deployment.app, 'AWS::Lambda::EventSourceMapping').find(
          ([, { Properties }]) => nameIn(Properties.FunctionName) === id,
        ) ?? []
      expect(mapping?.Properties).toMatchObject({
        BatchSize: job.batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...(job.batchSize > 10 && { MaximumBatchingWindowInSeconds: 1 }),
        ScalingConfig: { MaximumConcurrency: expect.any(Number) },
      })
      const queues = deployment.app.findResources('AWS::SQS::Queue')
      const queueId = nameIn(mapping?.Properties.EventSourceArn)
      const queue = queues[queueId]?.Properties
      expect(properties.Timeout).toBe(jobSeconds)
      expect(queue.VisibilityTimeout).toBeGreaterThan(properties.Timeout)
      expect(queue.VisibilityTimeout).toBeLessThanOrEqual(180)
      expect(queue.RedrivePolicy.maxReceiveCount).toBe(5)
      const dead = nameIn(queue.RedrivePolicy.deadLetterTargetArn)
      expect(queues[dead]?.Properties).toMatchObject({ MessageRetentionPeriod: 14 * 24 * 3600 })
      deployment.app.hasResourceProperties('AWS::Events::Rule', {
        EventBusName: Match.anyValue(),
        EventPattern: { source: [source], 'detail-type': [...job.facts] },
        Targets: [
          Match.objectLike({
            Arn: { 'Fn::GetAtt': [queueId, 'Arn'] },
            DeadLetterConfig: { Arn: { 'Fn::GetAtt': [dead, 'Arn'] } },
          }),
        ],
      })
    },
  )

  test('an alarm fires at the first dead letter of every queue, and when the stream stalls', () => {
    const [topic = ''] = resourcesOf(deployment.app, 'AWS::SNS::Topic').map(([id]) => id)
    const dead = resourcesOf(deployment.app, 'AWS::SQS::Queue').filter(
      ([, { Properties }]) => !Properties.RedrivePolicy,
    )
    expect(dead).toHaveLength(1 + Object.keys(jobs).length)
    const alarmed = { ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: 1, AlarmActions: [{ Ref: topic }] }
    for (const [id] of dead)
      expect(alarms(), id).toContainEqual(
        expect.objectContaining({
          ...alarmed,
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [id, 'QueueName'] } }],
          Threshold: 0,
          TreatMissingData: 'notBreaching',
        }),
      )
    expect(alarms()).toContainEqual(
      expect.objectContaining({
        ...alarmed,
        MetricName: 'IteratorAge',
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionNamed('changes').id } }],
        Threshold: 15 * 60_000,
      }),
    )
    // Failures without a dead letter write a log line, so a filter counts these lines.
    for (const name of ['notify', 'changes']) {
      const { LogGroup } = functionNamed(name).properties.LoggingConfig
      const [filter] = resourcesOf(deployment.app, 'AWS::Logs::MetricFilter').filter(
        ([, { Properties }]) => JSON.stringify(Properties.LogGroupName) === JSON.stringify(LogGroup),
      )
      const { FilterPattern, MetricTransformations } = filter?.[1].Properties ?? {}
      expect(FilterPattern).toMatch(/^\{ \$\.message\.alarm = "/)
      const { MetricName, MetricNamespace } = MetricTransformations[0]
      expect(alarms()).toContainEqual(
        expect.objectContaining({ ...alarmed, MetricName, Namespace: MetricNamespace, Statistic: 'Sum', Threshold: 0 }),
      )
    }
    deployment.app.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
            Action: 'sns:Publish',
          }),
        ]),
      },
    })
  })

  test('an alarm fires when Lambda gives up a scheduled job', () => {
    for (const name of Object.keys(schedules))
      expect(alarmOn('Errors', 'FunctionName', { Ref: functionNamed(name).id }), name).toMatchObject({ Threshold: 2 })
  })

  test('alarms cover faults, throttling, refused webhooks, bounced mail and costs', () => {
    const apis = resourcesOf(deployment.app, 'AWS::ApiGatewayV2::Api')
    const [http, socket] = ['HTTP', 'WEBSOCKET'].map(
      kind => apis.find(([, { Properties }]) => Properties.ProtocolType === kind)?.[0],
    )
    expect(alarmOn('5xx', 'ApiId', { Ref: http })).toBeDefined()
    expect(alarmOn('IntegrationError', 'ApiId', { Ref: socket })).toBeDefined()
    const named = alarms().map(({ Namespace, MetricName }) => `${Namespace} ${MetricName}`)
    for (const name of ['AWS/Lambda Throttles', 'AWS/SES Reputation.BounceRate', 'AWS/SES Reputation.ComplaintRate'])
      expect(named).toContain(name)
    const calculated = alarms().map(({ Metrics }) => JSON.stringify(Metrics ?? []))
    for (const index of Object.keys(tableSchema.indexes))
      for (const way of ['Read', 'Write'])
        expect(calculated.filter(text => text.includes(index) && text.includes(`${way}ThrottleEvents`))).toHaveLength(1)
    expect(calculated.filter(text => text.includes('refused / sent'))).toHaveLength(1)
    const [topic] = resourcesOf(deployment.app, 'AWS::SNS::Topic').map(([id]) => id)
    for (const { AlarmName, AlarmActions } of alarms()) expect(AlarmActions, AlarmName).toEqual([{ Ref: topic }])
    deployment.app.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: { BudgetLimit: { Amount: 100, Unit: 'USD' }, BudgetType: 'COST', TimeUnit: 'MONTHLY' },
      NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map(NotificationType => ({
        Notification: Match.objectLike({ NotificationType }),
        Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: topic } }],
      })),
    })
  })

  test('filters count webhooks from the log lines of the deliver function', () => {
    const [, { properties }] = [...functions()].find(([name]) => name === 'deliver') ?? ['', { properties: undefined }]
    for (const count of ['sent', 'refused'])
      deployment.app.hasResourceProperties('AWS::Logs::MetricFilter', {
        LogGroupName: properties.LoggingConfig.LogGroup,
        FilterPattern: `{ $.message.${count} > 0 }`,
        MetricTransformations: [{ MetricName: count, MetricValue: `$.message.${count}` }],
      })
  })

  test('one dashboard shows the health of the stage', () => {
    const [[, { Properties }] = ['', { Properties: undefined }]] = resourcesOf(
      deployment.app,
      'AWS::CloudWatch::Dashboard',
    )
    const shown = JSON.stringify(Properties.DashboardBody)
    for (const word of ['5xx', 'MessageCount', 'ConsumedWriteCapacityUnits', 'IteratorAge', 'Throttles', 'refused'])
      expect(shown).toContain(word)
    for (const name of Object.keys(jobs)) expect(shown).toContain(`\\"label\\":\\"${name}\\"`)
  })

  test.each(Object.entries(schedules))('%s runs on its schedule, from the full hour on', (name, { everyMinutes }) => {
    expect(functionNamed(name).properties.Timeout).toBe(scheduleSeconds)
    deployment.app.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: `cron(${everyMinutes === 60 ? '0' : `0/${everyMinutes}`} * * * ? *)`,
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [functionNamed(name).id, 'Arn'] } })],
    })
  })
})

describe('the address', () => {
  const behaviors = () => {
    const [[, { Properties }] = ['', { Properties: undefined }]] = resourcesOf(
      deployment.app,
      'AWS::CloudFront::Distribution',
    )
    return Properties.DistributionConfig
  }
  const behaviorOf = (path: string) => {
    const { CacheBehaviors, DefaultCacheBehavior } = behaviors()
    return path === '*'
      ? DefaultCacheBehavior
      : CacheBehaviors.find(({ PathPattern }: { PathPattern: string }) => PathPattern === path)
  }
  const edge = (path: string, uri: string): string => {
    const [association] = behaviorOf(path).FunctionAssociations
    const { FunctionCode } = deployment.app.findResources('AWS::CloudFront::Function')[nameIn(association.FunctionARN)]
      ?.Properties ?? { FunctionCode: '' }
    return runInNewContext(`${FunctionCode}; handler(event)`, { event: { request: { uri } } }).uri
  }
  const uncached = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'
  /** The headers that the distribution forwards for a path. */
  const passedTo = (path: string): string[] => {
    const policies = deployment.app.findResources('AWS::CloudFront::OriginRequestPolicy')
    const { HeadersConfig, QueryStringsConfig } =
      policies[nameIn(behaviorOf(path).OriginRequestPolicyId)]?.Properties.OriginRequestPolicyConfig ?? {}
    expect(HeadersConfig.HeaderBehavior, path).toBe('whitelist')
    expect(QueryStringsConfig.QueryStringBehavior, path).toBe('all')
    expect(HeadersConfig.Headers.length, path).toBeLessThanOrEqual(10)
    return HeadersConfig.Headers
  }

  test('the websocket serves /web, the name of its stage, and returns the response of the function', () => {
    deployment.app.hasResourceProperties('AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET' })
    deployment.app.hasResourceProperties('AWS::ApiGatewayV2::Stage', { StageName: 'web', AutoDeploy: true })
    deployment.app.hasResourceProperties('AWS::ApiGatewayV2::RouteResponse', { RouteResponseKey: '$default' })
    for (const path of ['/web', '/pub/chat'])
      expect(behaviorOf(path), path).toMatchObject({
        CachePolicyId: uncached,
        ViewerProtocolPolicy: 'allow-all',
      })
    expect(behaviorOf('/web').TargetOriginId).toBe(behaviorOf('/pub/chat').TargetOriginId)
    expect(edge('/pub/chat', '/pub/chat')).toBe('/web')
    // Without the origin header, a page in a browser could pose as a terminal.
    expect(passedTo('/web')).toEqual(expect.arrayContaining(['origin', 'sec-websocket-key', 'sec-websocket-version']))
    expect(passedTo('/pub/chat')).toEqual(passedTo('/web'))
  })

  test('HTTP terminals reach the API, also without TLS, and their responses are not cached', () => {
    expect(behaviorOf('/iclock/*')).toMatchObject({
      AllowedMethods: expect.arrayContaining(['GET', 'POST']),
      CachePolicyId: uncached,
      ViewerProtocolPolicy: 'allow-all',
    })
    expect(behaviorOf('/iclock/*').TargetOriginId).toBe(behaviorOf('/api/*').TargetOriginId)
  })

  test('a path receives every described header, over TLS only, and its response is not cached', () => {
    expect(behaviorOf('/api/*')).toMatchObject({
      AllowedMethods: expect.arrayContaining(['POST']),
      ViewerProtocolPolicy: 'https-only',
    })
    // Only a cache policy can forward the `authorization` header. This policy caches no response.
    const { CachePolicyConfig } = deployment.app.findResources('AWS::CloudFront::CachePolicy')[
      nameIn(behaviorOf('/api/*').CachePolicyId)
    ]?.Properties ?? { CachePolicyConfig: {} }
    expect(CachePolicyConfig).toMatchObject({
      ...{ MinTTL: 0, DefaultTTL: 0, MaxTTL: 1 },
      ParametersInCacheKeyAndForwardedToOrigin: {
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['authorization'] },
        CookiesConfig: { CookieBehavior: 'none' },
        QueryStringsConfig: { QueryStringBehavior: 'none' },
      },
    })
    const { paths, components } = openapi()
    const described = [
      components.securitySchemes.token.name,
      ...Object.values(paths).flatMap(({ post }) => post.parameters.map(({ name }) => name)),
    ].map(name => name.toLowerCase())
    expect(passedTo('/api/*').toSorted()).toEqual([...new Set([...described, 'content-type', addressHeader])].sort())
  })

  test('the distribution adds a secret to every call, and only the functions that check the secret know it', () => {
    const { Origins } = behaviors()
    const [[secret] = ['']] = resourcesOf(deployment.app, 'AWS::SecretsManager::Secret')
    const value = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secret }, ':SecretString:::}}']] }
    for (const path of ['/web', '/pub/chat', '/api/*', '/iclock/*']) {
      const { TargetOriginId } = behaviorOf(path)
      const { OriginCustomHeaders } = Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId)
      expect(OriginCustomHeaders, path).toEqual([{ HeaderName: secretHeader, HeaderValue: value }])
      expect(passedTo(path), path).toContain(addressHeader)
      expect(passedTo(path), path).not.toContain(secretHeader)
    }
    const informed = [...functions()].filter(
      ([, { properties }]) => properties.Environment.Variables.DISTRIBUTION_SECRET,
    )
    for (const [name, { properties }] of informed)
      expect(properties.Environment.Variables.DISTRIBUTION_SECRET, name).toEqual(value)
    expect(informed.map(([name]) => name).sort()).toEqual(
      [...Object.keys(groups), 'calendar', 'iclock', 'socket'].sort(),
    )
  })

  test('every page of the site gets the same document, and files are served unchanged', () => {
    for (const page of ['/', '/department', '/shift/params']) expect(edge('*', page)).toBe('/index.html')
    for (const file of ['/start.js', '/icon.svg', '/a/b.css']) expect(edge('*', file)).toBe(file)
    // An error page of the distribution would also replace error responses of paths.
    const errors = behaviors().CustomErrorResponses
    expect(errors.map(({ ErrorCode }: { ErrorCode: number }) => ErrorCode)).toEqual([500, 502, 503, 504])
    for (const error of errors) expect(error).toEqual({ ErrorCode: error.ErrorCode, ErrorCachingMinTTL: 0 })
  })

  test('all responses have the security headers of shared/headers.ts and a cache control', () => {
    /** The policy as text. The policy imports the bucket's name from the data stack. */
    const textOf = (policy: { 'Fn::Join': [string, (string | { 'Fn::ImportValue': string })[]] }) =>
      policy['Fn::Join'][1].map(part => (typeof part === 'string' ? part : part['Fn::ImportValue'])).join('')
    const policies = deployment.app.findResources('AWS::CloudFront::ResponseHeadersPolicy')
    const headersOf = (path: string) => {
      const { SecurityHeadersConfig: own, CustomHeadersConfig: custom } =
        policies[nameIn(behaviorOf(path).ResponseHeadersPolicyId)]?.Properties.ResponseHeadersPolicyConfig ?? {}
      const { AccessControlMaxAgeSec, IncludeSubdomains } = own.StrictTransportSecurity
      return {
        'content-security-policy': textOf(own.ContentSecurityPolicy.ContentSecurityPolicy),
        'referrer-policy': own.ReferrerPolicy.ReferrerPolicy,
        'strict-transport-security': `max-age=${AccessControlMaxAgeSec}${IncludeSubdomains ? '; includeSubDomains' : ''}`,
        ...(own.ContentTypeOptions.Override && { 'x-content-type-options': 'nosniff' }),
        ...Object.fromEntries(
          custom.Items.map(({ Header, Value }: { Header: string; Value: string }) => [Header, Value]),
        ),
      }
    }
    const [, files] = / connect-src 'self' (\S+);/.exec(headersOf('*')['content-security-policy']) ?? []
    expect(files).toMatch(/^https:.+Files.+RegionalDomainName/)
    const everywhere = { ...securityHeaders, 'content-security-policy': contentSecurityPolicy({ files: `${files}` }) }
    expect(headersOf('*')).toEqual({ ...everywhere, 'cache-control': 'no-cache' })
    expect(headersOf('/api/*')).toEqual({ ...everywhere, 'cache-control': 'no-store' })
    expect(headersOf('/assets/*')).toEqual({ ...everywhere, 'cache-control': 'public, max-age=31536000, immutable' })
  })

  test('the edge logs calls without their URLs, in the region that can deliver the log', () => {
    const [[, { Properties, Condition }] = ['', { Properties: undefined, Condition: '' }]] = resourcesOf(
      deployment.app,
      'AWS::Logs::Delivery',
    )
    expect(Properties.RecordFields).toEqual(expect.arrayContaining(['c-ip', 'sc-status', 'time-taken']))
    expect(Properties.RecordFields.join(' ')).not.toMatch(/uri|query|referer|cookie/i)
    expect(deployment.app.findConditions('*')[Condition]).toEqual({
      'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'],
    })
    expect(behaviors().Logging).toBeUndefined()
    const [[, stage] = ['', undefined]] = resourcesOf(deployment.app, 'AWS::ApiGatewayV2::Stage').filter(
      ([, resource]) => resource.Properties.AccessLogSettings,
    )
    expect(stage?.Properties.AccessLogSettings.Format).not.toMatch(/\$context\.(path|request\b)|query/i)
  })

  test('only the distribution reads the bucket of the site', () => {
    deployment.app.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    })
    deployment.app.resourceCountIs('AWS::CloudFront::OriginAccessControl', 1)
  })
})

const usual = { stage: 'dev', mailFrom: 'hours@example.com', concurrency: '1000', monthlyDollars: '100' }

test('a stage may have a custom domain, and with low concurrency no function reserves concurrency', () => {
  const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012'
  const make = (context: Record<string, string>, outdir: string) =>
    cloud(new App({ outdir: join(deployment.folder, outdir), context: { ...usual, ...context } }), deployment.folder)
  const own = make({ domain: 'hours.example.com', certificate, concurrency: '10' }, 'own.out')
  const app = Template.fromStack(own.app)
  app.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Aliases: ['hours.example.com'],
      ViewerCertificate: { AcmCertificateArn: certificate, MinimumProtocolVersion: 'TLSv1.2_2021' },
    },
  })
  for (const [name, { properties }] of functionsOf(app, deployment.bundles)) {
    expect(properties.Environment.Variables.SITE, name).toBe('https://hours.example.com')
    expect(properties.ReservedConcurrentExecutions, name).toBeUndefined()
  }
  Template.fromStack(own.data).hasResourceProperties('AWS::S3::Bucket', {
    CorsConfiguration: { CorsRules: [{ AllowedOrigins: ['https://hours.example.com'] }] },
  })
  expect(() => make({ domain: 'hours.example.com' }, 'half.out')).toThrow('certificate')
})

test('a stage has separate stacks, may send no mail, and rejects an invalid name with a remedy', () => {
  const context = (stage: string) => ({ ...usual, stage })
  const outdir = join(deployment.folder, 'prod.out')
  const noMail = { ...context('prod'), mailFrom: 'outbox' }
  const { data, app } = cloud(new App({ outdir, context: noMail }), deployment.folder)
  expect([data.stackName, app.stackName]).toEqual(['attendance-prod-data', 'attendance-prod-app'])
  // Without a sender, no function may send mail.
  expect(JSON.stringify(Template.fromStack(app).toJSON())).not.toContain('ses:Send')
  expect(() => cloud(new App({ context: context('My Stage') }), deployment.folder)).toThrow('--context stage=')
})

test('a missing build stops the synthesis with an error that names the remedy', () => {
  expect(() => cloud(new App({ context: usual }), '/nowhere')).toThrow('npm run build')
})
