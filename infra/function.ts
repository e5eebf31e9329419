import { join } from 'node:path'
import { CfnElement, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import type { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct, type IConstruct } from 'constructs'
import { auditPks } from '../shared/audit.ts'
import { companyPrefix, tableSchema } from '../shared/table.ts'
import type { Contents } from './build.ts'
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
  socket: Socket
  mailFrom: string
}

interface Power {
  environment: Record<string, string>
  statements: PolicyStatement[]
  /** The rules of cdk-nag a statement breaks with reason. */
  nag?: string[]
}

const allow = (actions: string[], resources: string[], conditions?: PolicyStatement['conditions']) =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) })

/**
 * What a function may do and is told follows from what its bundle holds, so that no list of rights can drift from the code:
 * one that sends no mail has no mail client, and may not send any.
 */
const powers: Record<string, (world: World) => Power> = {
  'functions/kit/address.ts': ({ secret }) => ({
    // The secret's name; its value takes that place when the stack is deployed.
    environment: { DISTRIBUTION_SECRET: secret.secretValue.unsafeUnwrap() },
    statements: [],
  }),
  'functions/kit/developer-mode.ts': ({ stack }) => ({
    environment: { DEVELOPER_MODE: stack.node.tryGetContext('developerMode') ?? 'on' },
    statements: [],
  }),
  'functions/kit/places.ts': () => ({
    // Where the service unpacks what lies beside a function's code.
    environment: { PLACES: `/var/task/${placesName}` },
    statements: [],
  }),
  'functions/kit/report-pdf.ts': () => ({
    // As with the places: what lies beside the code.
    environment: { FONTS: '/var/task' },
    statements: [],
  }),
  '@aws-sdk/client-dynamodb': ({ stack, table, key }) => ({
    environment: { TABLE: table.tableName },
    statements: [
      allow(
        ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'Query'].map(
          action => `dynamodb:${action}`,
        ),
        [table.tableArn],
      ),
      allow(
        ['dynamodb:Query'],
        Object.keys(tableSchema.indexes).map(index => `${table.tableArn}/index/${index}`),
      ),
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
  'functions/kit/vault.ts': ({ key }) => ({
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
    statements: [
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
const wantsWholeCore = ['functions/kit/password.ts', 'functions/kit/sheet-read.ts']
const megabytes = 512

/** One Lambda: its bundle, a role that may do what the bundle can, and a log that is kept for a while. */
export const addFunction = (world: World, name: string, { timeoutSeconds }: { timeoutSeconds: number }): Lambda => {
  const { stack, build, bundles, site } = world
  const holds = bundles[name]?.holds
  if (!holds) throw new Error(`There is no bundle named ${name} in ${build}: run npm run build`)
  const granted = Object.keys(powers)
    .filter(client => holds.includes(client))
    .flatMap(client => powers[client]?.(world) ?? [])
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
  })
}

export const addLogGroup = (scope: Construct, id: string): LogGroup =>
  new LogGroup(scope, id, { retention: RetentionDays.THREE_MONTHS, removalPolicy: RemovalPolicy.DESTROY })

/** Says why a rule of cdk-nag's AwsSolutions does not hold for a construct and what is inside it. */
export const acknowledge = (construct: IConstruct, reason: string, ...rules: string[]): void =>
  Validations.of(construct).acknowledge(...rules.map(rule => ({ id: `AwsSolutions-${rule}`, reason })))

/** The name a construct's resource has in the template. */
export const logicalIdOf = (stack: Stack, { node }: IConstruct): string =>
  CfnElement.isCfnElement(node.defaultChild) ? stack.getLogicalId(node.defaultChild) : ''
