import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { vi } from 'vitest'

/**
 * Has something happen right before the first request to the table of which this is true is sent; where it throws, so does the
 * request. Before each such request with `isAlways`. Answers whether it has happened. Until all mocks are restored.
 */
export const rightBefore = (
  isIt: (input: string) => boolean,
  happens: () => Promise<unknown>,
  { isAlways = false } = {},
): (() => boolean) => {
  const { send } = DynamoDBDocumentClient.prototype
  let isOver = false
  vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...[command, ...rest]: Parameters<typeof send>
  ) {
    if ((isAlways || !isOver) && isIt(JSON.stringify(command.input))) {
      isOver = true
      await happens()
    }
    return send.call(this, command, ...rest)
  } as typeof send)
  return () => isOver
}
