import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3'
import { passing, unfinished } from '../shared/file.ts'
import { tableSchema } from '../shared/table.ts'
import { acknowledge } from './construct.ts'

// The data. AWS retains it even if its stack or the app stack is deleted.

export interface Data {
  table: Table
  bus: EventBus
  key: Key
  files: Bucket
}

const text = (name: string) => ({ name, type: AttributeType.STRING })

export const addData = (stack: Stack, domain?: Domain): Data => {
  const key = new Key(stack, 'Key', {
    description: 'Encrypts the table, and the secrets in it that functions decrypt again',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  })
  const table = new Table(stack, 'Table', {
    partitionKey: text(tableSchema.partitionKey),
    sortKey: text(tableSchema.sortKey),
    timeToLiveAttribute: tableSchema.expiry,
    stream: StreamViewType.NEW_AND_OLD_IMAGES,
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey: key,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  })
  // CloudFormation creates a new table with all its indexes. An existing table accepts one more index per deployment.
  for (const [indexName, { partitionKey, sortKey }] of Object.entries(tableSchema.indexes))
    table.addGlobalSecondaryIndex({ indexName, partitionKey: text(partitionKey), sortKey: text(sortKey) })
  const bus = new EventBus(stack, 'Bus')
  return { table, bus, key, files: addFiles(stack, domain) }
}

const addFiles = (stack: Stack, domain?: Domain): Bucket => {
  const files = new Bucket(stack, 'Files', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // Without a domain, only the app stack knows the site's address, and the app stack needs this bucket. So the bucket
    // allows every origin. A browser can use only the requests that a function has signed.
    cors: [
      {
        allowedOrigins: [domain ? `https://${domain.name}` : 'https://*.cloudfront.net'],
        allowedMethods: [HttpMethods.POST],
      },
    ],
    lifecycleRules: Object.entries({ Unfinished: unfinished, Passing: passing }).map(([id, { tag, value, days }]) => ({
      id,
      tagFilters: { [tag]: value },
      expiration: Duration.days(days),
    })),
    removalPolicy: RemovalPolicy.RETAIN,
  })
  acknowledge(
    files,
    'The functions log who gets a signed form or URL; each is valid for minutes and for one file.',
    'S1',
  )
  return files
}

/** A custom domain: its name and the ARN of its certificate. */
export interface Domain {
  name: string
  certificate: string
}
