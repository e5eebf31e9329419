import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { keptMailKey } from '../../shared/mail.ts'

let table: DynamoDBDocumentClient | undefined

/**
 * The last text mailed to an address in a stage that sends no mail. Uses the AWS credentials and the region of the
 * environment.
 */
export const keptMailTo = async (TableName: string, email: string): Promise<string> => {
  table ??= DynamoDBDocumentClient.from(new DynamoDBClient())
  const { Items = [] } = await table.send(
    new QueryCommand({
      ...{ TableName, ConsistentRead: true, ScanIndexForward: false, Limit: 1 },
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': keptMailKey(email, '').pk },
    }),
  )
  return String(Items[0]?.text ?? 'no mail')
}
