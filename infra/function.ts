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

/** API Gateway gives up after 29 seconds; whoever still works then works for nobody. */
export const answerSeconds = 29

export interface Socket {
  api: WebSocketApi
  stage: WebSocketStage
}

/** What the functions work with, and where their bundles lie. */
export interface World extends Data {
  stack: Stack
  /** The folder `npm run build` filled, and what it says of each bundle. */
  build: string
  bundles: Contents
  /** The public origin of the site. */
  site: string
  /** What the distribution proves itself with. */
  secret: Secret
  api: HttpApi
  socket: Socket
  /** Where alarms are heard. */
  alarms: Topic
  mailFrom: string
  /** Encrypts what is on its way: queues, alarms, and the secret. Unlike the table's it goes with the stack. */
  passing: Key
  /** How many functions the account lets run at once. */
  concurrency: number
}

interface Power {
  environment: Record<string, string>
  statements: PolicyStatement[]
  /** The rules of cdk-nag a statement breaks with reason. */
  nag?: string[]
}

const allow = (actions: string[], resources: string[], conditions?: PolicyStatement['conditions']) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) })

const reading = ['GetItem', 'BatchGetItem', 'Query']
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem']

/**
 * The kinds of items that belong to no company: pointers to companies' items, accounts, and what is counted and remembered
 * for all. One that ends in # stands before a name.
 */
export const directoryKeys = [
  'ACCOUNT#',
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

/** Groups none of whose paths changes anything read the companies' items and write none. */
const onlyReads = (name: string): boolean =>
  name in groups && Object.values<Declaration>(groups[name as keyof typeof groups]).every(({ writes }) => !writes)

/** A request that names no key has no leading keys, and none of those would be wrong. */
const at = (keys: string[]) => ({
  Null: { 'dynamodb:LeadingKeys': 'false' },
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
})
const ofCompanies = `${companyPrefix('*')}*`

/**
 * Every function serves all companies, so none can be held to one of them here: that is what the kit's table does. But it is
 * held to the kinds of other items that its code names, so that passwords, for example, are read only where people sign in;
 * and of the indexes it may ask those it names.
 */
const tableRights = (table: Data['table'], name: string, says: string[]): PolicyStatement[] => {
  const dynamodb = (actions: string[]) => actions.map(action => `dynamodb:${action}`)
  const ofNobody = directoryKeys.filter(key => says.includes(key)).map(key => (key.endsWith('#') ? `${key}*` : key))
  const indexes = Object.keys(tableSchema.indexes).filter(index => says.includes(index))
  const asked = indexes.map(index => `${table.tableArn}/index/${index}`)
  return [
    allow(dynamodb(reading), [table.tableArn], at([ofCompanies, ...ofNobody])),
    allow(dynamodb(writing), [table.tableArn], at([...(onlyReads(name) ? [] : [ofCompanies]), ...ofNobody])),
    ...(asked.length > 0 ? [allow(['dynamodb:Query'], asked, at([ofCompanies]))] : []),
  ]
}

/**
 * What a function may do and is told follows from what its bundle holds, so that no list of rights can drift from the code:
 * one that sends no mail has no mail client, and may not send any.
 */
const powers: Record<string, (world: World, name: string, bundle: Contents[string]) => Power> = {
  'functions/kit/address.ts': ({ secret }) => ({
    // The secret's name; its value takes that place when the stack is deployed.
    environment: { DISTRIBUTION_SECRET: secret.secretValue.unsafeUnwrap() },
    statements: [],
  }),
  'functions/kit/developer-mode.ts': ({ stack }) => ({
    environment: { DEVELOPER_MODE: stack.node.tryGetContext('developerMode') ?? 'on' },
    statements: [],
  }),
  // Punches of one frame are stored by one batch of statements, which has a right of its own.
  'functions/terminal/intake.ts': ({ table }) => ({
    environment: {},
    statements: [allow(['dynamodb:PartiQLInsert'], [table.tableArn], at([ofCompanies]))],
  }),
  'functions/location/places.ts': () => ({
    // Where the service unpacks what lies beside a function's code.
    environment: { PLACES: `/var/task/${placesName}` },
    statements: [],
  }),
  'functions/report/pdf.ts': () => ({
    // As with the places: what lies beside the code.
    environment: { FONTS: '/var/task' },
    statements: [],
  }),
  '@aws-sdk/client-dynamodb': ({ stack, table, key }, name, { says }) => ({
    environment: { TABLE: table.tableName },
    statements: [
      ...tableRights(table, name, says),
      // What was written into the audit stays, also where a function should be wrong or in strange hands. An erasure masks
      // values by writing an entry again.
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
        resources: [table.tableArn],
        conditions: {
          'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': auditPks.map(pk => `${companyPrefix('*')}${pk}`) },
        },
      }),
      // The table is read and written with the key in the caller's name, but through the table only.
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
  // Who keeps what people show at terminals makes a key for each of them.
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
        // Who may not list is refused where a file is missing, instead of being told.
        allow(['s3:ListBucket'], [files.bucketArn]),
      ],
      nag: [`IAM5[Resource::${imported['Fn::ImportValue']}/*]`],
    }
  },
  '@aws-sdk/client-sesv2': ({ stack, mailFrom }) => ({
    environment: { MAIL_FROM: mailFrom },
    // Either the address or its whole domain is what was verified.
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

/** A password's hash takes 31 ms of a whole core and four times as long on a quarter of one; this much memory buys a whole one. */
const wholeCoreMegabytes = 1769
/** A sheet of ten thousand rows is as much work, and somebody waits for it. */
const wantsWholeCore = ['functions/user/password.ts', 'functions/sheet/read.ts']
const megabytes = 512

/** What an account has once Amazon knows it. With less there is nothing to share out. */
const usualConcurrency = 1000

/**
 * The part of what the account may run at once that is kept for a function, and all it gets. Punches are taken and told on, and
 * people can sign in, whatever others do; and whoever asks for reports all day long takes no more than a tenth.
 */
const reserved: Record<string, number> = { socket: 0.2, iclock: 0.1, changes: 0.05, user: 0.05, report: 0.1 }

/** One Lambda: its bundle, a role that may do what the bundle can, and a log that is kept for a while. */
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
    'Which sockets are open and which files there are nobody knows beforehand.',
    ...granted.flatMap(({ nag = [] }) => nag),
  )
  acknowledge(role, 'Where traces go has no name of its own.', 'IAM5[Resource::*]')
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
    // Metric filters read JSON alone. They count lines of level INFO, so nothing may hide these.
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    tracing: Tracing.ACTIVE,
    ...(atOnce &&
      world.concurrency >= usualConcurrency && {
        reservedConcurrentExecutions: Math.floor(atOnce * world.concurrency),
      }),
  })
}

/** A key for what is on its way. What it encrypts is gone within days, so it may go with its stack. */
export const addPassingKey = (stack: Stack): Key =>
  new Key(stack, 'PassingKey', {
    description: 'Encrypts queues, alarms and what the distribution proves itself with',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  })
