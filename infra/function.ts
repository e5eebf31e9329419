import { join } from 'node:path'
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { HttpApi, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as Lambda,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { groups } from '../shared/api.ts'
import { auditPks } from '../shared/audit.ts'
import type { Declaration } from '../shared/contract.ts'
import { noSender } from '../shared/mail.ts'
import { companyPrefix, tableSchema } from '../shared/table.ts'
import type { Contents } from './build.ts'
import { acknowledge, addLogGroup, logicalIdOf } from './construct.ts'
import type { Data } from './data.ts'
import { placesName } from './places.ts'

/** The time limit of a function in seconds. API Gateway gives up after 29 seconds. */
export const answerSeconds = 29

export interface Socket {
  api: WebSocketApi
  stage: WebSocketStage
}

/** The resources of the functions, and their bundles. */
export interface World extends Data {
  stack: Stack
  /** The output folder of `npm run build`. */
  build: string
  bundles: Contents
  /** The public origin of the site. */
  site: string
  /** The secret that marks calls through the distribution. */
  secret: Secret
  api: HttpApi
  socket: Socket
  /** The topic of alarms. */
  alarms: Topic
  mailFrom: string
  /** Encrypts queues, alarms and the secret. Deleting the stack deletes this key, but retains the table's key. */
  passing: Key
  /** The account's limit of concurrent functions. */
  concurrency: number
}

interface Power {
  environment: Record<string, string>
  statements: PolicyStatement[]
  /** The cdk-nag rules that the statement violates on purpose. */
  nag?: string[]
}

const allow = (actions: string[], resources: string[], conditions?: PolicyStatement['conditions']) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) })

const reading = ['GetItem', 'BatchGetItem', 'Query']
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem']

/**
 * The key prefixes of items outside the companies: pointers to companies' items, accounts, and global counters and
 * state. A key that ends in # is a prefix.
 */
export const directoryKeys = [
  'ACCOUNT#',
  'ALL_MIGRATED',
  'API_KEY#',
  'CLOSE',
  'CODE#',
  'CODE_REQUEST#',
  'CODE_TRIES#',
  'COMPANY_NUMBER#',
  'CONNECTION#',
  'DELIVERING',
  'DEVICE#',
  'DUE_TERMINAL',
  'INVITATION#',
  'MAIL#',
  'NEWCOMER',
  'OPEN_TERMINAL',
  'OUTBOX#',
  'RATE#',
  'REPORT_MAIL_DUE',
  'SECRET#cursor',
  'SESSION#',
  'SIGN_CODE#',
  'SWEEP',
  'ZONE',
  'ZONE#',
]

/** Whether a group has only reading paths. The stack denies such a group the right to write companies' items. */
const onlyReads = (name: string): boolean =>
  name in groups && Object.values<Declaration>(groups[name as keyof typeof groups]).every(({ writes }) => !writes)

/** Also requires the request to name its leading keys. `ForAllValues` alone accepts a request without leading keys. */
const at = (keys: string[]) => ({
  Null: { 'dynamodb:LeadingKeys': 'false' },
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
})
const ofCompanies = `${companyPrefix('*')}*`

/**
 * A function's rights to the table. Every function serves all companies, so the kit's table code separates companies.
 * The rights allow only the kinds of global items that the function's code names. For example, only functions that sign
 * people in can read passwords. A function may query only the indexes that its code names.
 */
const tableRights = (table: Data['table'], name: string, says: string[]): PolicyStatement[] => {
  const dynamodb = (actions: string[]) => actions.map(action => `dynamodb:${action}`)
  const globalKeys = directoryKeys.filter(key => says.includes(key)).map(key => (key.endsWith('#') ? `${key}*` : key))
  const indexes = Object.keys(tableSchema.indexes).filter(index => says.includes(index))
  const indexArns = indexes.map(index => `${table.tableArn}/index/${index}`)
  return [
    allow(dynamodb(reading), [table.tableArn], at([ofCompanies, ...globalKeys])),
    allow(dynamodb(writing), [table.tableArn], at([...(onlyReads(name) ? [] : [ofCompanies]), ...globalKeys])),
    ...(indexArns.length > 0 ? [allow(['dynamodb:Query'], indexArns, at([ofCompanies]))] : []),
  ]
}

/**
 * Derives the rights and the environment of a function from the contents of its bundle. So the rights cannot drift from
 * the code: a function without a mail client may not send mail.
 */
const powers: Record<string, (world: World, name: string, bundle: Contents[string]) => Power> = {
  'functions/kit/address.ts': ({ secret }) => ({
    // The template holds a reference. CloudFormation replaces the reference with the secret's value.
    environment: { DISTRIBUTION_SECRET: secret.secretValue.unsafeUnwrap() },
    statements: [],
  }),
  'functions/kit/developer-mode.ts': ({ stack }) => ({
    environment: { DEVELOPER_MODE: stack.node.tryGetContext('developerMode') ?? 'on' },
    statements: [],
  }),
  // The intake stores the punches of a frame with one batch of statements, which needs a separate right.
  'functions/terminal/intake.ts': ({ table }) => ({
    environment: {},
    statements: [allow(['dynamodb:PartiQLInsert'], [table.tableArn], at([ofCompanies]))],
  }),
  'functions/location/places.ts': () => ({
    // Lambda unpacks the files beside a function's code into this folder.
    environment: { PLACES: `/var/task/${placesName}` },
    statements: [],
  }),
  'functions/report/pdf.ts': () => ({
    // Lambda unpacks the fonts beside the function's code.
    environment: { FONTS: '/var/task' },
    statements: [],
  }),
  '@aws-sdk/client-dynamodb': ({ stack, table, key }, name, { says }) => ({
    environment: { TABLE: table.tableName },
    statements: [
      ...tableRights(table, name, says),
      // No function can delete audit entries, even if it is faulty or compromised. An erasure masks values by writing
      // an entry again.
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
        resources: [table.tableArn],
        conditions: {
          'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': auditPks.map(pk => `${companyPrefix('*')}${pk}`) },
        },
      }),
      // DynamoDB uses the key on behalf of the function. The function may use the key only through DynamoDB.
      allow(
        [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncryptFrom',
          'kms:ReEncryptTo',
          'kms:GenerateDataKey',
          'kms:DescribeKey',
        ],
        [key.keyArn],
        { StringEquals: { 'kms:ViaService': `dynamodb.${stack.region}.amazonaws.com` } },
      ),
    ],
  }),
  '@aws-sdk/client-kms': ({ key }) => ({
    environment: { KEY_ID: key.keyId },
    statements: [allow(['kms:Encrypt', 'kms:Decrypt'], [key.keyArn])],
  }),
  // The vault of credentials creates a data key for each employee.
  'functions/credential/vault.ts': ({ key }) => ({
    environment: {},
    statements: [allow(['kms:GenerateDataKey'], [key.keyArn])],
  }),
  '@aws-sdk/client-eventbridge': ({ bus }) => ({
    environment: { BUS: bus.eventBusName },
    statements: [allow(['events:PutEvents'], [bus.eventBusArn])],
  }),
  'functions/kit/files.ts': ({ stack, files }) => {
    const imported: Record<string, string> = stack.resolve(Stack.of(files).exportValue(files.bucketArn))
    return {
      environment: { FILES: files.bucketName },
      statements: [
        allow(
          ['GetObject', 'PutObject', 'PutObjectTagging', 'DeleteObject'].map(action => `s3:${action}`),
          [files.arnForObjects('*')],
        ),
        // Without the right to list, S3 reports a missing file as forbidden.
        allow(['s3:ListBucket'], [files.bucketArn]),
      ],
      nag: [`IAM5[Resource::${imported['Fn::ImportValue']}/*]`],
    }
  },
  '@aws-sdk/client-sesv2': ({ stack, mailFrom }) => ({
    environment: { MAIL_FROM: mailFrom },
    // The verified identity is either the address or its whole domain.
    statements:
      mailFrom === noSender
        ? []
        : [
            allow(
              ['ses:SendEmail'],
              [mailFrom, mailFrom.slice(mailFrom.indexOf('@') + 1)].map(resourceName =>
                stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
              ),
            ),
          ],
  }),
  '@aws-sdk/client-apigatewaymanagementapi': ({ stack, socket: { api, stage } }) => {
    const methods = ['POST', 'DELETE'].map(method => `${method}/@connections/*`)
    const arn = `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<${logicalIdOf(stack, api)}>`
    return {
      environment: { SOCKET_ENDPOINT: stage.callbackUrl },
      statements: [
        allow(
          ['execute-api:ManageConnections'],
          methods.map(method => api.arnForExecuteApiV2(method, stage.stageName)),
        ),
      ],
      nag: methods.map(method => `IAM5[Resource::${arn}/${stage.stageName}/${method}]`),
    }
  },
}

/**
 * The memory size with a whole core. A password hash takes 31 ms on a whole core, and four times as long on a quarter
 * core.
 */
const wholeCoreMegabytes = 1769
/** Password hashing and reading a sheet of ten thousand rows need a whole core, because users wait for the result. */
const wantsWholeCore = ['functions/user/password.ts', 'functions/sheet/read.ts']
const megabytes = 512

/** The usual concurrency of an established AWS account. An account with less concurrency reserves nothing. */
const usualConcurrency = 1000

/**
 * The share of the account's concurrency that a function reserves, which is also its limit. Terminals, the stream and
 * sign-in keep working under any load. Reports never take more than a tenth.
 */
const reserved: Record<string, number> = { socket: 0.2, iclock: 0.1, changes: 0.05, user: 0.05, report: 0.1 }

/**
 * Adds a Lambda with its bundle, its role and a log with limited retention. The bundle determines the role's rights.
 */
export const addFunction = (world: World, name: string, { timeoutSeconds }: { timeoutSeconds: number }): Lambda => {
  const { stack, build, bundles, site } = world
  const bundle = bundles[name]
  if (!bundle) throw new Error(`There is no bundle named ${name} in ${build}: run npm run build`)
  const { holds } = bundle
  const granted = Object.keys(powers)
    .filter(client => holds.includes(client))
    .flatMap(client => powers[client]?.(world, name, bundle) ?? [])
  const scope = new Construct(stack, `Function-${name}`)
  const logGroup = addLogGroup(scope, 'Log')
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  logGroup.grantWrite(role)
  for (const statement of granted.flatMap(({ statements }) => statements)) role.addToPolicy(statement)
  acknowledge(
    role,
    'The ids of open sockets and the names of files are unknown at deployment.',
    ...granted.flatMap(({ nag = [] }) => nag),
  )
  acknowledge(role, 'The destination of traces has no ARN of its own.', 'IAM5[Resource::*]')
  const atOnce = reserved[name]
  return new Lambda(scope, 'Lambda', {
    description: name,
    code: Code.fromAsset(join(build, 'functions', name)),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: wantsWholeCore.some(file => holds.includes(file)) ? wholeCoreMegabytes : megabytes,
    timeout: Duration.seconds(timeoutSeconds),
    environment: Object.assign({ SITE: site }, ...granted.map(({ environment }) => environment)),
    role,
    logGroup,
    // Metric filters read only JSON. They count INFO lines, so the log level must include INFO.
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    tracing: Tracing.ACTIVE,
    ...(atOnce &&
      world.concurrency >= usualConcurrency && {
        reservedConcurrentExecutions: Math.floor(atOnce * world.concurrency),
      }),
  })
}

/**
 * The key for queues, alarms and the secret. Their data lives only for days, so deleting the stack may delete the key.
 */
export const addPassingKey = (stack: Stack): Key =>
  new Key(stack, 'PassingKey', {
    description: 'Encrypts queues, alarms and the secret of the distribution',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  })
