import { RemovalPolicy, type Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Key } from 'aws-cdk-lib/aws-kms'
import { tableSchema } from '../shared/table.ts'

// What is kept: whatever happens to the stack that works with it, and to this one.

export interface Data {
  table: Table
  bus: EventBus
  key: Key
}

const text = (name: string) => ({ name, type: AttributeType.STRING })

export const addData = (stack: Stack): Data => {
  const key = new Key(stack, 'Key', {
    description: 'Encrypts the table, and the secrets in it that must be readable again',
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
  for (const [indexName, { partitionKey, sortKey }] of Object.entries(tableSchema.indexes))
    table.addGlobalSecondaryIndex({ indexName, partitionKey: text(partitionKey), sortKey: text(sortKey) })
  const bus = new EventBus(stack, 'Bus')
  return { table, bus, key }
}
